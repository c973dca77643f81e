//! `firsthand items`: a conversation as it is read.

use std::borrow::Cow;

use firsthand::find::{self, Format, Voice};
use firsthand_wire::answer::ItemLine;

use crate::args::Items;
use crate::cmd::given;
use crate::engine::{self, ItemSeen};
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::{Out, width};
use crate::safe::{plain, short_address};
use crate::table::{Cell, Column, Table, bold, dim, painted};

/// How many characters of a text a table shows at most, whatever the terminal.
const EXCERPT: usize = 160;

/// A table this long is written before it goes on, so that no conversation is held twice.
const ROWS: usize = 1_000;

pub(super) fn run(options: &Items) -> Result<Exit, Failure> {
    let setting = given::setting(&options.policy, &options.format, None)?;
    let record = given::record(&options.file)?;
    let mut printer =
        if options.json { Printer::Json(Out::data()) } else { Printer::Table(Out::tables(), Rows::of("")) };
    let mut failed = None;
    engine::items(record, &setting, &mut |line| match printer.print(&line) {
        Ok(more) => more,
        Err(error) => {
            failed = Some(error);
            false
        }
    })
    .map_err(given::unread)?;
    match failed {
        Some(error) => Err(error.into()),
        None => printer.finish(),
    }
}

enum Printer {
    Json(Out),
    Table(Out, Rows),
}

/// The table of one run.
#[derive(Debug)]
struct Rows {
    run: String,
    table: Table<5>,
    count: usize,
}

impl Printer {
    /// Prints an item; `false` when nobody reads any more.
    fn print(&mut self, seen: &ItemSeen) -> std::io::Result<bool> {
        let ItemSeen { line, others } = seen;
        match self {
            Self::Json(out) => {
                out.json(line)?;
                Ok(!out.is_closed())
            }
            Self::Table(out, rows) => {
                if rows.run != line.run {
                    rows.write(out)?;
                    *rows = Rows::of(&line.run);
                    out.write(rows.heading().as_bytes())?;
                }
                rows.table.row(row(line, others));
                rows.count += 1;
                if rows.count == ROWS {
                    rows.write(out)?;
                }
                Ok(!out.is_closed())
            }
        }
    }

    fn finish(self) -> Result<Exit, Failure> {
        let out = match self {
            Self::Json(mut out) => {
                out.flush()?;
                out
            }
            Self::Table(mut out, mut rows) => {
                rows.write(&mut out)?;
                out.flush()?;
                out
            }
        };
        drop(out);
        Ok(Exit::Done)
    }
}

impl Rows {
    fn of(run: &str) -> Self {
        Self { run: run.to_owned(), table: empty(), count: 0 }
    }

    fn heading(&self) -> String {
        format!("{}\n", painted(&plain(&self.run), bold()))
    }

    /// Writes what there is, and begins anew.
    fn write(&mut self, out: &mut Out) -> std::io::Result<()> {
        if self.count > 0 {
            out.write(self.table.render(width()).as_bytes())?;
            out.write(b"\n")?;
            (self.table, self.count) = (empty(), 0);
        }
        Ok(())
    }
}

fn empty() -> Table<5> {
    Table::new([
        Column::Right("item"),
        Column::Left("position"),
        Column::Left("writer"),
        Column::Left("tool"),
        Column::Left("text"),
    ])
}

fn row(line: &ItemLine, others: &[&str]) -> [Cell; 5] {
    let text = line.text.as_deref().or(line.json.as_deref().map(serde_json::value::RawValue::get)).unwrap_or_default();
    [
        Cell::new(&line.item.to_string()),
        Cell::new(&line.position),
        Cell::new(&writers(line, others)),
        Cell::new(&tool(line)),
        Cell::styled(&excerpt(text), dim()),
    ]
}

/// Whose words the item is; in parts, where some of its addresses are another's.
fn writers(line: &ItemLine, others: &[&str]) -> String {
    let whole = line.writer.iter().map(String::as_str);
    whole.chain(others.iter().copied()).collect::<Vec<_>>().join(", in part ")
}

fn tool(line: &ItemLine) -> String {
    match (&line.server, &line.tool) {
        (Some(server), Some(tool)) => format!("{server}/{tool}"),
        (None, Some(tool)) => tool.clone(),
        (_, None) => String::new(),
    }
}

/// The beginning of a text on one line, its addresses shortened like in every table.
fn excerpt(text: &str) -> String {
    let mut shown = String::new();
    for word in text.split_whitespace() {
        if !shown.is_empty() {
            shown.push(' ');
        }
        match word.find("://") {
            Some(_) => shown.push_str(&with_short_addresses(word)),
            None => shown.extend(word.chars().take(EXCERPT)),
        }
        if shown.chars().count() > EXCERPT {
            shown = shown.chars().take(EXCERPT).collect();
            shown.push('…');
            break;
        }
    }
    shown
}

/// A text without spaces in which addresses are shortened; what stands around them is not.
fn with_short_addresses(word: &str) -> String {
    let (mut shown, mut at) = (String::new(), 0);
    find::shown(word, Format::Plain, Voice::Person, &mut |found| {
        if let (Some(before), Some(address)) = (word.get(at..found.start), word.get(found.start..found.end)) {
            shown.push_str(&without_an_address(before));
            shown.push_str(&short_address(address));
            at = found.end;
        }
    });
    shown.push_str(&without_an_address(word.get(at..).unwrap_or_default()));
    shown
}

/// A text in which none was found, but may stand in a form that nobody opens.
fn without_an_address(text: &str) -> Cow<'_, str> {
    if text.contains("://") { short_address(text).into() } else { text.into() }
}

#[cfg(test)]
mod tests {
    use super::excerpt;

    #[test]
    fn what_stands_behind_a_shortened_address_is_shown() {
        for (text, wanted) in [
            (
                r#"{"url":"https://a.example/x?token=secret","note":"done"} and so on"#,
                r#"{"url":"https://a.example/x?…","note":"done"} and so on"#,
            ),
            (
                "[a](https://a.example/?q=1)[b](https://b.example/?q=2).",
                "[a](https://a.example/?…)[b](https://b.example/?…).",
            ),
            ("see https://u:p@a.example/x?q=1", "see https://u:p@a.example/x?…"),
            ("plain words", "plain words"),
        ] {
            assert_eq!(excerpt(text), wanted);
        }
    }
}

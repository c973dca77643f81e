//! Telling a statement of SQL from prose.

/// Whether a text is a statement of SQL.
pub(super) fn is_sql(text: &str) -> bool {
    let mut text = text;
    loop {
        let is_skipped = |character: char| character.is_whitespace() || matches!(character, '(' | ';' | '\u{feff}');
        let shorter = text.trim_start_matches(is_skipped);
        let comment = match shorter.as_bytes() {
            [b'-', b'-', ..] | [b'/', b'/', ..] | [b'#', ..] => shorter.split_once('\n'),
            [b'/', b'*', ..] => shorter.split_once("*/"),
            _ => None,
        };
        text = comment.map_or(shorter, |(_, rest)| rest);
        if comment.is_none() {
            break;
        }
    }
    let mut words = text.split(|character: char| !(character.is_ascii_alphanumeric() || character == '_'));
    let mut next = || words.by_ref().find(|word| !word.is_empty()).map(str::to_ascii_lowercase);
    let first = next().unwrap_or_default();
    let rest = |word: &str| {
        let lower = text.get(..text.len().min(4096)).unwrap_or(text).to_ascii_lowercase();
        lower.split(|character: char| !character.is_ascii_alphanumeric()).any(|other| other == word)
    };
    match first.as_str() {
        "select" => {
            rest("from") || text.contains('*') || text.contains('\'') || text.contains("||") || text.contains('(')
        }
        "values" => text.contains('(') && text.contains(')'),
        "with" => rest("as") && rest("select"),
        "insert" | "replace" => rest("into"),
        "update" => rest("set"),
        "delete" => rest("from"),
        "create" | "drop" | "alter" => ["table", "view", "index", "database", "function"].iter().any(|word| rest(word)),
        "explain" | "pragma" | "exec" | "execute" | "call" | "declare" | "begin" => {
            text.contains(';') || text.contains('(') || rest("select")
        }
        "match" => rest("return"),
        _ => false,
    }
}

//! Telling a statement of SQL from prose.

/// How a statement may begin.
const FIRST_WORDS: [&str; 18] = [
    "select", "values", "with", "insert", "replace", "update", "delete", "create", "drop", "alter", "explain",
    "pragma", "exec", "execute", "call", "declare", "begin", "match",
];

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
    let first = words.find(|word| !word.is_empty()).unwrap_or_default();
    let first = FIRST_WORDS.iter().find(|word| first.eq_ignore_ascii_case(word));
    let rest = |word: &str| {
        let lower = text.get(..text.len().min(4096)).unwrap_or(text).to_ascii_lowercase();
        lower.split(|character: char| !character.is_ascii_alphanumeric()).any(|other| other == word)
    };
    match first.copied().unwrap_or_default() {
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

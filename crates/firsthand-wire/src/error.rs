//! Why bytes are no conversation: where, what stands there, what should.
//!
//! No message repeats text of a conversation, because any of it may be an address and an address is a secret. What was
//! found is named by its kind; a key is shown only where it cannot be an address ([`shown_key`]). The file's name is the
//! caller's to put in front.

use std::fmt;

/// Why bytes could not be read as a conversation.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ReadError {
    /// There is nothing in the file.
    #[error("the file is empty; expected a conversation")]
    Empty,
    /// By its kind it is no conversation: a walk skips it.
    #[error("not a recorded conversation: found {found}; expected one of a known format (see --format)")]
    NotAConversation {
        /// What it is, in a few words.
        found: &'static str,
    },
    /// It looks like a conversation, but its signs fit no format or several that read writers differently.
    #[error("cannot tell which format this is; name one with --format: {}", .candidates.join(", "))]
    Undecided {
        /// The names that `--format` takes and that may fit.
        candidates: Vec<&'static str>,
    },
    /// It is a conversation of a format that has no reader.
    #[error("this is {title}, which is not read; formats that are: {}", .known.join(", "))]
    Unsupported {
        /// What people call the format.
        title: &'static str,
        /// The formats that have a reader.
        known: Vec<&'static str>,
    },
    /// No format has the name that was asked for.
    #[error("no format is called {name}; expected auto or one of: {}", .known.join(", "))]
    UnknownFormat {
        /// The name, shown as [`shown_key`] shows it.
        name: String,
        /// The formats that have a reader.
        known: Vec<&'static str>,
    },
    /// Bytes that are not UTF-8.
    #[error("{place}: byte {byte} of the file is not UTF-8; expected UTF-8 text")]
    Utf8 {
        /// The line.
        place: Place,
        /// The offset of the first such byte in the file, from 0.
        byte: usize,
    },
    /// JSON that is broken, or cut off.
    #[error("{place}: broken JSON: {found}")]
    Json {
        /// The line and column.
        place: Place,
        /// What the parser says of it; never text of the file.
        found: String,
    },
    /// JSON that says something else than the format does.
    #[error("{place}: found {found}; expected {expected}")]
    Unexpected {
        /// Where.
        place: Place,
        /// What stands there, by its kind.
        found: String,
        /// What the format has there.
        expected: String,
    },
}

impl ReadError {
    /// Whether a walk passes over the file (no conversation by its kind), instead of reporting it as unread.
    pub fn is_skipped(&self) -> bool {
        matches!(self, Self::Empty | Self::NotAConversation { .. })
    }

    /// The error of a reader of JSON Lines, told as what it mostly is where more lines follow: a document over many lines.
    pub fn of_many_lines(self, bytes: &[u8]) -> Self {
        let Self::Json { place: place @ Place::Column { line, .. }, found } = &self else { return self };
        let mut behind = bytes.split(|byte| *byte == b'\n').skip(*line);
        if found == CUT_SHORT && behind.any(|line| !line.trim_ascii().is_empty()) {
            return Self::unexpected(
                place.clone(),
                "a record that goes on in the next line",
                "a whole one on each line",
            );
        }
        self
    }

    /// An [`ReadError::Unexpected`] from its three parts.
    pub fn unexpected(place: impl Into<Place>, found: impl Into<String>, expected: impl Into<String>) -> Self {
        Self::Unexpected { place: place.into(), found: found.into(), expected: expected.into() }
    }

    /// What serde_json says, without the text that it repeats, for JSON that begins in this line of the file (from 1).
    pub fn json(error: &serde_json::Error, first_line: usize) -> Self {
        let line = (first_line + error.line()).saturating_sub(1).max(first_line);
        let place = Place::Column { line, column: error.column() };
        let message = error.to_string();
        // The parser appends the place within what it was given, which is not the place in the file.
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message);
        match error.classify() {
            // These messages are the parser's own fixed sentences.
            serde_json::error::Category::Syntax => Self::Json { place, found: message.to_owned() },
            serde_json::error::Category::Eof => Self::Json { place, found: CUT_SHORT.to_owned() },
            serde_json::error::Category::Io => Self::Json { place, found: "it cannot be read".to_owned() },
            serde_json::error::Category::Data => data(message, place),
        }
    }
}

/// What is said of JSON that is not there to its end.
const CUT_SHORT: &str = "it ends before its end (cut off?)";

/// A message about JSON that parses but does not fit. Its first half may hold text of the file.
fn data(message: &str, place: Place) -> ReadError {
    let backticked = |message: &str| message.split('`').nth(1).map(shown_key).unwrap_or_default();
    if message.starts_with("missing field ") {
        let name = backticked(message);
        return ReadError::unexpected(place, format!("no key {name}"), format!("the key {name}"));
    }
    if message.starts_with("duplicate field ") {
        let name = backticked(message);
        return ReadError::unexpected(place, format!("the key {name} twice"), format!("the key {name} once"));
    }
    let expected = message.rsplit_once(", expected ").map_or("what the format has here", |(_, expected)| expected);
    let found = if message.starts_with("unknown field ") {
        format!("the unknown key {}", backticked(message))
    } else if message.starts_with("unknown variant ") {
        format!("the unknown value {}", backticked(message))
    } else if let Some(rest) = message.strip_prefix("invalid type: ").or(message.strip_prefix("invalid value: ")) {
        const KINDS: &[&str] =
            &["string", "integer", "floating point", "boolean", "null", "sequence", "map", "unit", "character"];
        let kind = KINDS.iter().find(|kind| rest.starts_with(**kind)).copied().unwrap_or("something else");
        match kind {
            "sequence" => "an array".to_owned(),
            "map" => "an object".to_owned(),
            "null" | "unit" => "null".to_owned(),
            "integer" => "an integer".to_owned(),
            other => format!("a {other}"),
        }
    } else {
        "something else".to_owned()
    };
    ReadError::Unexpected { place, found, expected: expected.to_owned() }
}

/// A key or name of the file as a message may show it: only where it is short and cannot be an address.
pub fn shown_key(key: &str) -> String {
    /// Longer than any key of a known format.
    const LONGEST: usize = 48;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    if !key.is_empty() && key.len() <= LONGEST && key.bytes().all(plain) {
        format!("`{key}`")
    } else {
        format!("of {} bytes", key.len())
    }
}

/// The id of a conversation as a message may show it: only where it cannot be an address.
pub fn shown_id(id: &str) -> String {
    /// Longer than what formats make of files and their parts.
    const LONGEST: usize = 120;
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./#".contains(&byte);
    if !id.is_empty() && id.len() <= LONGEST && id.bytes().all(plain) && !id.contains("//") {
        id.to_owned()
    } else {
        format!("one of {} bytes", id.len())
    }
}

/// A text for a log or a terminal, with what follows the host of each address in it left out, and so the queries of what
/// may be an address without a scheme.
///
/// SECURITY: what people type and write into policies may be an address too, and an address is a secret.
pub fn without_addresses(text: &str) -> String {
    let ends_word = |character: char| character.is_whitespace() || character == '"';
    let mut shown = String::with_capacity(text.len());
    for (index, piece) in text.split('`').enumerate() {
        let is_quoted = index % 2 == 1;
        if index > 0 {
            shown.push('`');
        }
        // What is quoted is one word, whatever stands in it.
        let words: Vec<&str> = if is_quoted { vec![piece] } else { piece.split_inclusive(ends_word).collect() };
        for whole in words {
            let word = if is_quoted { whole } else { whole.trim_end_matches(ends_word) };
            shown.push_str(shortened(word).as_deref().unwrap_or(word));
            shown.push_str(whole.get(word.len()..).unwrap_or_default());
        }
    }
    shown
}

/// A word without what follows a host or begins a query; `None` where nothing does.
fn shortened(word: &str) -> Option<String> {
    let authority = word.find("://").map(|at| at + 3);
    let host = authority.map(|start| {
        let rest = word.get(start..).unwrap_or_default();
        start + rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len())
    });
    let query = word.find('?').filter(|at| word.get(*at..).is_some_and(|query| query.contains('=')));
    let end = host.into_iter().chain(query).min()?;
    let (kept, cut) = word.split_at_checked(end)?;
    // Somebody's name and password stand before the host.
    let user = authority.filter(|start| *start <= kept.len()).and_then(|start| Some((start, kept.rfind('@')?)));
    let kept = match user {
        Some((start, at)) if at >= start => format!("{}…{}", kept.get(..start)?, kept.get(at..)?),
        Some(_) | None => kept.to_owned(),
    };
    let bare = cut.trim_end_matches([':', ';', ',', '.', ')']);
    let after = cut.get(bare.len()..).unwrap_or_default();
    Some(if matches!(bare, "" | "/") { format!("{kept}{cut}") } else { format!("{kept}/…{after}") })
}

/// Where in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// A line, from 1.
    Line(usize),
    /// A column of a line, both from 1, in bytes.
    Column {
        /// The line.
        line: usize,
        /// The column.
        column: usize,
    },
    /// A JSON pointer. It names only keys that the format defines.
    Pointer(String),
    /// A JSON pointer into the value of a line.
    Within {
        /// The line, from 1.
        line: usize,
        /// The pointer.
        pointer: String,
    },
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Column { line, column } => write!(f, "line {line} column {column}"),
            Self::Pointer(pointer) if pointer.is_empty() => f.write_str("at the top"),
            Self::Pointer(pointer) => write!(f, "at {pointer}"),
            Self::Within { line, pointer } => write!(f, "line {line} at {pointer}"),
        }
    }
}

impl From<String> for Place {
    fn from(pointer: String) -> Self {
        Self::Pointer(pointer)
    }
}

impl From<&str> for Place {
    fn from(pointer: &str) -> Self {
        Self::Pointer(pointer.to_owned())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[derive(Debug, serde::Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Line {
        #[expect(dead_code, reason = "only its reading is looked at")]
        text: String,
    }

    #[track_caller]
    fn says(json: &str, wanted: &str) {
        let error = serde_json::from_str::<Line>(json).unwrap_err();
        assert_eq!(ReadError::json(&error, 7).to_string(), wanted);
    }

    #[test]
    fn broken_json_is_named_with_the_line_of_the_file() {
        says(r#"{"text":"a",}"#, "line 7 column 13: broken JSON: trailing comma");
        says(r#"{"text":"#, "line 7 column 8: broken JSON: it ends before its end (cut off?)");
    }

    #[test]
    fn what_follows_the_host_of_an_address_is_left_out() {
        for (text, wanted) in [
            ("https://a.example/p/q?d=s: cannot be read", "https://a.example/…: cannot be read"),
            ("`https://a.example`, `https://a.example/`", "`https://a.example`, `https://a.example/`"),
            ("found `https://a.example/a b\"c`; d", "found `https://a.example/…`; d"),
            ("x https://me:pass@a.example?d=1#s, y", "x https://…@a.example/…, y"),
            ("a.example/p?d=secret: no", "a.example/p/…: no"),
            ("a.example/p?u=https://b.example/s", "a.example/p/…"),
            ("runs/what?.jsonl: a:b (cut off?)", "runs/what?.jsonl: a:b (cut off?)"),
        ] {
            assert_eq!(without_addresses(text), wanted);
        }
    }

    #[test]
    fn a_message_never_repeats_what_the_file_says() {
        says(r#"{"https://a.example/":1}"#, "line 7 column 21: found the unknown key of 18 bytes; expected `text`");
        says(r#"{"text":{"a":1}}"#, "line 7 column 8: found an object; expected a string");
        says(r#""https://a.example/, expected b""#, "line 7 column 32: found a string; expected struct Line");
    }
}

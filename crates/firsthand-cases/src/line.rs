//! The pieces of a line of the notation.

/// What is wrong with a case file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotationError {
    /// The line, from 1.
    pub line: usize,
    /// What was found and what was expected.
    pub problem: String,
}

impl NotationError {
    pub(crate) fn new(line: usize, problem: impl Into<String>) -> Self {
        Self { line, problem: problem.into() }
    }
}

/// Turns `\u{HEX}` into the character that it names, and `\u{HEX*N}` into N of them: what cannot be seen can be read, and
/// what is long stays short.
pub(crate) fn plain(text: &str, line: usize) -> Result<String, NotationError> {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("\\u{") {
        let named = after.split_once('}').and_then(|(named, after)| {
            let (digits, times) = named.split_once('*').unwrap_or((named, "1"));
            let character = u32::from_str_radix(digits, 16).ok().and_then(char::from_u32)?;
            Some((character, times.parse::<usize>().ok()?, after))
        });
        let Some((character, times, after)) = named else {
            return Err(NotationError::new(line, "`\\u{` without the number of a character and `}`"));
        };
        plain.push_str(before);
        plain.extend(std::iter::repeat_n(character, times));
        rest = after;
    }
    plain.push_str(rest);
    Ok(plain)
}

/// The first word of a line and what stands behind it.
pub(crate) fn word(text: &str) -> (&str, &str) {
    match text.trim_start().split_once(char::is_whitespace) {
        Some((word, rest)) => (word, rest.trim_start()),
        None => (text.trim_start(), ""),
    }
}

/// A tool's name, with its server where it has one: `SERVER/TOOL` or `TOOL`.
pub(crate) fn tool_name(written: &str) -> (Option<String>, String) {
    match written.split_once('/') {
        Some((server, tool)) => (Some(server.to_owned()), tool.to_owned()),
        None => (None, written.to_owned()),
    }
}

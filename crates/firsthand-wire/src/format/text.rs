//! What every reader does with raw bytes before it looks at their meaning.

use crate::error::{Place, ReadError};

/// The bytes without a byte order mark.
pub fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// Whether there is nothing but white space.
pub fn is_blank(bytes: &[u8]) -> bool {
    without_mark(bytes).iter().all(u8::is_ascii_whitespace)
}

/// The whole file as text, without a byte order mark.
pub fn whole(bytes: &[u8]) -> Result<&str, ReadError> {
    let marked = bytes.len() - without_mark(bytes).len();
    let bytes = without_mark(bytes);
    std::str::from_utf8(bytes).map_err(|error| {
        let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        ReadError::Utf8 { place: Place::Line(line), byte: marked + error.valid_up_to() }
    })
}

/// One JSON document as a serde type. Errors name line and column.
pub fn document<'a, T: serde::Deserialize<'a>>(bytes: &'a [u8]) -> Result<T, ReadError> {
    serde_json::from_str(whole(bytes)?).map_err(|error| ReadError::json(&error, 1))
}

/// The lines of a file that are not blank, each with its number from 1, without its line end (`\n` or `\r\n`).
#[derive(Clone, Debug)]
pub struct Lines<'a> {
    rest: &'a [u8],
    number: usize,
    offset: usize,
}

/// A line that is not blank.
#[derive(Clone, Copy, Debug)]
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: usize,
    /// Its text.
    pub text: &'a str,
    /// Nothing stands after it, not even a line end: it may be cut off.
    pub unfinished: bool,
}

impl<'a> Lines<'a> {
    /// The lines of these bytes; a byte order mark is passed over.
    pub fn of(bytes: &'a [u8]) -> Self {
        let rest = without_mark(bytes);
        Self { rest, number: 0, offset: bytes.len() - rest.len() }
    }
}

impl<'a> Iterator for Lines<'a> {
    type Item = Result<Line<'a>, ReadError>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.rest.is_empty() {
            let end = memchr::memchr(b'\n', self.rest);
            let (line, rest) = self.rest.split_at_checked(end.unwrap_or(self.rest.len()))?;
            let offset = self.offset;
            self.number += 1;
            self.rest = rest.get(1..).unwrap_or_default();
            self.offset += line.len() + 1;
            if line.iter().all(u8::is_ascii_whitespace) {
                continue;
            }
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            return Some(match std::str::from_utf8(line) {
                Ok(text) => Ok(Line { number: self.number, text, unfinished: end.is_none() }),
                Err(error) => {
                    Err(ReadError::Utf8 { place: Place::Line(self.number), byte: offset + error.valid_up_to() })
                }
            });
        }
        None
    }
}

impl<'a> Line<'a> {
    /// The line's JSON as a serde type. Errors name line and column.
    pub fn json<T: serde::Deserialize<'a>>(&self) -> Result<T, ReadError> {
        serde_json::from_str(self.text).map_err(|error| ReadError::json(&error, self.number))
    }

    /// What [`Item::at`](firsthand::conversation::Item::at) says of it.
    pub fn at(&self) -> String {
        format!("line {}", self.number)
    }
}

/// A time such as `2026-11-02T10:00:11.000Z` in milliseconds since 1970 (UTC).
pub fn milliseconds(time: &str) -> Option<i64> {
    time.parse::<jiff::Timestamp>().ok().map(jiff::Timestamp::as_millisecond)
}

//! The beginning of a file, parsed once for all formats that look for their signs in it.
//!
//! It is an outline: arrays are kept for their first elements, strings for their first bytes, and what is broken or cut
//! off counts up to there. So a broken file is still told to be of its format, and reported as unread instead of skipped.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error as _, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::text::without_mark;

/// How much of a file is looked at before all of it is, in bytes: the first messages of nearly every recorded file.
pub const FIRST_LOOK: usize = 1 << 20;

/// How much of the text is kept, in bytes.
const HEAD: usize = 1 << 10;

/// How many lines or values are kept.
const MOST_VALUES: usize = 64;
/// How many elements of an array are kept.
const MOST_ELEMENTS: usize = 64;
/// How many bytes of a string are kept.
const LONGEST_STRING: usize = 256;
/// How deep objects and arrays are kept.
const DEEPEST: usize = 8;

/// The beginning of a file.
#[derive(Clone, Debug)]
pub struct Probe {
    values: Vec<Value>,
    packed: Option<String>,
    head: String,
}

impl Probe {
    /// Looks at up to so many first bytes of a file.
    pub fn of(bytes: &[u8], most: usize) -> Self {
        let bytes = without_mark(bytes);
        let bytes = bytes.get(..most).unwrap_or(bytes);
        let mut values = Vec::new();
        for (index, line) in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()).enumerate()
        {
            if values.len() == MOST_VALUES {
                break;
            }
            match outline(line) {
                (Some(value), true) => values.push(value),
                // A first line that is no value of its own begins a document of many lines, or one that is cut off.
                (_, false) if index == 0 => {
                    let document = outline(bytes).0;
                    if document.is_some() {
                        values.extend(document);
                        break;
                    }
                }
                // The last line of what is looked at may be cut off; a broken one says nothing.
                (_, _) => {}
            }
        }
        let head = bytes.get(..HEAD).unwrap_or(bytes);
        Self { values, packed: first_packed(bytes), head: String::from_utf8_lossy(head).into_owned() }
    }

    /// The first text of the file, for formats that are no JSON.
    pub fn head(&self) -> &str {
        &self.head
    }

    /// The values: the lines of a JSON Lines file, or the only value of a document.
    pub fn values(&self) -> &[Value] {
        &self.values
    }

    /// The only value of the file, as far as the look went.
    pub fn document(&self) -> Option<&Value> {
        match self.values.as_slice() {
            [only] => Some(only),
            _ => None,
        }
    }

    /// The name of the first file of a zip archive.
    pub fn packed_name(&self) -> Option<&str> {
        self.packed.as_deref()
    }

    /// The messages of a document: its array `key`, or the document itself where it is an array.
    pub fn list(&self, key: &str) -> Option<&[Value]> {
        let document = self.document()?;
        document.get(key).unwrap_or(document).as_array().map(Vec::as_slice)
    }

    /// Whether some value (line) is an object with all of these keys.
    pub fn some_has(&self, keys: &[&str]) -> bool {
        self.values.iter().any(|value| keys.iter().all(|key| value.get(key).is_some()))
    }

    /// Whether some value (line) is an object whose `key` is a string that begins so.
    pub fn some_says(&self, key: &str, start: &str) -> bool {
        self.values.iter().any(|value| says(value, key, start))
    }

    /// Whether it looks as if somebody spoke: what is of no known format is then asked about instead of skipped.
    pub(super) fn talks(&self) -> bool {
        const LISTS: &[&str] = &[
            "messages",
            "conversation",
            "history",
            "transcript",
            "events",
            "steps",
            "turns",
            "input",
            "output",
            "items",
            "choices",
        ];
        const WORDS: &[&str] = &["message", "content", "text", "payload", "data", "call_id", "arguments", "action"];
        let speaks = |value: &Value| {
            let text = |key: &str| value.get(key).is_some_and(Value::is_string);
            text("role")
                || text("position")
                || text("type") && WORDS.iter().any(|key| value.get(key).is_some())
                || value.pointer("/message/role").is_some()
        };
        let lists = |value: &Value| {
            let elements =
                value.as_array().into_iter().chain(LISTS.iter().filter_map(|key| value.get(key)?.as_array()));
            elements.flatten().any(speaks)
        };
        // What a model is asked may be one text.
        let asks = |value: &Value| {
            let text = |key: &str| value.get(key).is_some_and(Value::is_string);
            text("input") && (text("model") || text("agent"))
        };
        self.values.iter().any(|value| speaks(value) || lists(value) || asks(value))
    }
}

/// The name of the first file, if the bytes begin a zip archive.
fn first_packed(bytes: &[u8]) -> Option<String> {
    /// Where a file's header keeps the length of its name, and where the name begins.
    const LENGTH: std::ops::Range<usize> = 26..28;
    const NAME: usize = 30;
    let header = bytes.strip_prefix(b"PK\x03\x04").and(Some(bytes))?;
    let length = header.get(LENGTH)?.try_into().ok().map(u16::from_le_bytes)?;
    let name = header.get(NAME..NAME + usize::from(length))?;
    std::str::from_utf8(name).ok().map(str::to_owned)
}

/// Whether a value is an object whose `key` is a string that begins so.
pub fn says(value: &Value, key: &str, start: &str) -> bool {
    value.get(key).and_then(Value::as_str).is_some_and(|text| text.starts_with(start))
}

/// The outline of one value, and whether the bytes are that value and nothing else.
fn outline(bytes: &[u8]) -> (Option<Value>, bool) {
    if !matches!(bytes.trim_ascii_start().first(), Some(b'{' | b'[')) {
        return (None, false);
    }
    let mut value = Value::Null;
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let whole = Fill { place: &mut value, depth: 0 }.deserialize(&mut json).is_ok() && json.end().is_ok();
    ((!value.is_null()).then_some(value), whole)
}

/// Puts what is parsed into a place as it comes, so that an error leaves what stood before it.
struct Fill<'p> {
    place: &'p mut Value,
    depth: usize,
}

impl<'de> DeserializeSeed<'de> for Fill<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        if self.depth > DEEPEST {
            return deserializer.deserialize_ignored_any(serde::de::IgnoredAny).map(|_| ());
        }
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Fill<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<(), E> {
        *self.place = Value::Bool(value);
        Ok(())
    }

    fn visit_i64<E>(self, value: i64) -> Result<(), E> {
        *self.place = value.into();
        Ok(())
    }

    fn visit_u64<E>(self, value: u64) -> Result<(), E> {
        *self.place = value.into();
        Ok(())
    }

    fn visit_f64<E>(self, value: f64) -> Result<(), E> {
        *self.place = value.into();
        Ok(())
    }

    fn visit_str<E>(self, text: &str) -> Result<(), E> {
        let mut end = text.len().min(LONGEST_STRING);
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        *self.place = Value::String(text.get(..end).unwrap_or_default().to_owned());
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        *self.place = Value::Array(Vec::new());
        let Value::Array(elements) = self.place else { return Err(A::Error::custom("no place")) };
        while elements.len() < MOST_ELEMENTS {
            elements.push(Value::Null);
            let Some(place) = elements.last_mut() else { break };
            match access.next_element_seed(Fill { place, depth: self.depth + 1 }) {
                Ok(Some(())) => {}
                Ok(None) => {
                    elements.pop();
                    return Ok(());
                }
                Err(error) => return Err(error),
            }
        }
        while access.next_element::<serde::de::IgnoredAny>()?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut access: A) -> Result<(), A::Error> {
        *self.place = Value::Object(Map::new());
        let Value::Object(members) = self.place else { return Err(A::Error::custom("no place")) };
        while let Some(key) = access.next_key::<String>()? {
            let place = members.entry(key).or_insert(Value::Null);
            access.next_value_seed(Fill { place, depth: self.depth + 1 })?;
        }
        Ok(())
    }
}

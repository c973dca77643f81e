//! Bytes to text: by the mark at their beginning, then the header, then what they say of themselves, then by their look.

use std::convert::Infallible;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};
use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};

/// How many bytes are looked at for what a page says of its encoding, as the HTML standard has it.
const DECLARATION: usize = 1_024;

/// How many bytes are looked at to guess an encoding.
const GUESS: usize = 1 << 20;

/// Where a kind of page says in which encoding it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declares {
    /// In a `meta` element, or an XML declaration.
    InMarkup,
    /// Nowhere.
    Nowhere,
}

/// The text of the bytes and the name of the encoding.
pub(crate) fn decode(bytes: &[u8], header: Option<&str>, declares: Declares) -> (String, &'static str) {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return decoded(encoding, bytes.get(mark..).unwrap_or_default());
    }
    let said = || match declares {
        Declares::InMarkup => in_declaration(bytes).or_else(|| in_meta(bytes)),
        Declares::Nowhere => None,
    };
    let encoding = header.and_then(|label| known(label.as_bytes())).or_else(said).unwrap_or_else(|| guessed(bytes));
    decoded(encoding, bytes)
}

fn decoded(encoding: &'static Encoding, bytes: &[u8]) -> (String, &'static str) {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    (text.into_owned(), encoding.name())
}

/// The encoding of a label, but for those that turn any text into nothing.
fn known(label: &[u8]) -> Option<&'static Encoding> {
    Encoding::for_label_no_replacement(label)
}

/// The encoding of a label in a page, which can be read only in an encoding like ASCII.
fn said_in_ascii(label: &[u8]) -> Option<&'static Encoding> {
    let encoding = known(label)?;
    if encoding == UTF_16BE || encoding == UTF_16LE {
        Some(UTF_8)
    } else if encoding == X_USER_DEFINED {
        Some(WINDOWS_1252)
    } else {
        Some(encoding)
    }
}

fn beginning(bytes: &[u8]) -> &[u8] {
    bytes.get(..DECLARATION).unwrap_or(bytes)
}

/// What `<?xml encoding="…"?>` says.
fn in_declaration(bytes: &[u8]) -> Option<&'static Encoding> {
    let declaration = beginning(bytes).strip_prefix(b"<?xml")?;
    let end = memchr::memchr(b'>', declaration)?;
    let declaration = declaration.get(..end)?;
    let at = memchr::memmem::find(declaration, b"encoding")?;
    let value = declaration.get(at + b"encoding".len()..)?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii_start();
    let (&quote, value) = value.split_first()?;
    if !matches!(quote, b'"' | b'\'') {
        return None;
    }
    said_in_ascii(value.get(..memchr::memchr(quote, value)?)?)
}

/// What `<meta charset>` or `<meta http-equiv content>` says.
fn in_meta(bytes: &[u8]) -> Option<&'static Encoding> {
    let (text, _) = WINDOWS_1252.decode_without_bom_handling(beginning(bytes));
    let mut found = None;
    let mut is_meta = false;
    let mut name = Vec::new();
    let emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| -> Option<Infallible> {
        match event {
            CallbackEvent::OpenStartTag { name } => is_meta = name == b"meta",
            CallbackEvent::AttributeName { name: attribute } => name = attribute.to_vec(),
            CallbackEvent::AttributeValue { value } if is_meta && found.is_none() => {
                found = match name.as_slice() {
                    b"charset" => said_in_ascii(value),
                    b"content" => charset_of(value).and_then(said_in_ascii),
                    _ => None,
                };
            }
            CallbackEvent::AttributeValue { .. }
            | CallbackEvent::CloseStartTag { .. }
            | CallbackEvent::EndTag { .. }
            | CallbackEvent::String { .. }
            | CallbackEvent::Comment { .. }
            | CallbackEvent::Doctype { .. }
            | CallbackEvent::Error(_) => {}
        }
        None
    });
    match Tokenizer::new_with_emitter(&*text, emitter).finish() {
        Ok(()) => found,
    }
}

/// The value behind `charset=` in a content type.
fn charset_of(value: &[u8]) -> Option<&[u8]> {
    let lower = value.to_ascii_lowercase();
    let at = memchr::memmem::find(&lower, b"charset")?;
    let rest = value.get(at + b"charset".len()..)?.trim_ascii_start().strip_prefix(b"=")?.trim_ascii();
    let end = rest.iter().position(|byte| matches!(byte, b';' | b' ')).unwrap_or(rest.len());
    rest.get(..end).map(|label| label.trim_ascii())
}

/// The encoding that the bytes look like: UTF-8 where they are, also where they are cut off inside a character.
fn guessed(bytes: &[u8]) -> &'static Encoding {
    let is_utf_8 = std::str::from_utf8(bytes).err().is_none_or(|error| error.error_len().is_none());
    if is_utf_8 {
        return UTF_8;
    }
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(bytes.get(..GUESS).unwrap_or(bytes), bytes.len() <= GUESS);
    detector.guess(None, Utf8Detection::Allow)
}

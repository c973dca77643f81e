//! The decoded strings of a file.
//!
//! A text is copied once, to where items share it: a string with escapes is put there as it is decoded, one without stays
//! in the file until it is known to be the text of an item.

use std::borrow::Cow;
use std::fmt;
use std::ops::Deref;

use firsthand::conversation::Text;
use serde::de::{Deserialize, Deserializer, Error, Visitor};

/// A decoded string.
#[derive(Clone, Debug)]
pub(super) enum Chars<'t> {
    /// It stands in the file as it is.
    Borrowed(&'t str),
    /// It had escapes.
    Shared(Text),
}

impl Chars<'_> {
    /// The string as the text of an item.
    pub(super) fn text(&self) -> Text {
        match self {
            Self::Borrowed(text) => Text::from(*text),
            Self::Shared(text) => Text::clone(text),
        }
    }
}

impl Deref for Chars<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match self {
            Self::Borrowed(text) => text,
            Self::Shared(text) => text,
        }
    }
}

impl PartialEq for Chars<'_> {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for Chars<'_> {}

impl<'t> From<Cow<'t, str>> for Chars<'t> {
    fn from(text: Cow<'t, str>) -> Self {
        match text {
            Cow::Borrowed(text) => Self::Borrowed(text),
            Cow::Owned(text) => Self::Shared(Text::from(text)),
        }
    }
}

struct CharsVisitor;

impl<'t> Visitor<'t> for CharsVisitor {
    type Value = Chars<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_borrowed_str<E: Error>(self, text: &'t str) -> Result<Chars<'t>, E> {
        Ok(Chars::Borrowed(text))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Chars<'t>, E> {
        Ok(Chars::Shared(Text::from(text)))
    }
}

impl<'de: 't, 't> Deserialize<'de> for Chars<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_str(CharsVisitor)
    }
}

//! Parts of a record that are read as far as they are what they should be.
//!
//! Vendors add fields and change the types of old ones without notice. A part of an unexpected type is remembered as
//! such instead of failing the file, so that whoever reads it decides what its absence means. Each type is filled in one
//! pass and borrows from the file where no escape stands in it.

use std::cell::OnceCell;
use std::fmt;
use std::marker::PhantomData;

use firsthand::conversation::Text;
use serde::de::value::MapAccessDeserializer;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::chars::Chars;

/// A string. Numbers are taken as they are written, because some servers number their ids.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Word<'t> {
    /// Nothing, or null.
    #[default]
    Absent,
    /// The string.
    Is(Chars<'t>),
    /// Something else.
    Odd,
}

impl<'t> Word<'t> {
    /// The string, if it is one.
    pub(super) fn get(&self) -> Option<&str> {
        match self {
            Self::Is(text) => Some(text),
            Self::Absent | Self::Odd => None,
        }
    }

    /// The string, empty if there is none.
    pub(super) fn or_empty(&self) -> &str {
        self.get().unwrap_or_default()
    }

    /// The string as the text of an item, empty if there is none.
    pub(super) fn text(&self) -> Text {
        match self {
            Self::Is(text) => text.text(),
            Self::Absent | Self::Odd => Text::from(""),
        }
    }

    /// The string as an owned one, if it is one and not empty.
    pub(super) fn owned(&self) -> Option<String> {
        self.get().filter(|text| !text.is_empty()).map(str::to_owned)
    }

    /// Whether there is something that is no string.
    pub(super) fn is_odd(&self) -> bool {
        *self == Self::Odd
    }
}

/// A yes or no.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Flag {
    /// Nothing, or null.
    #[default]
    Absent,
    /// Yes.
    Yes,
    /// No.
    No,
    /// Something else.
    Odd,
}

impl Flag {
    /// Whether it says yes.
    pub(super) fn is_yes(self) -> bool {
        self == Self::Yes
    }

    /// Whether it may say yes: for what takes belief away.
    pub(super) fn may_be_yes(self) -> bool {
        matches!(self, Self::Yes | Self::Odd)
    }
}

/// An object with fields of its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) enum Node<T> {
    /// Nothing, or null.
    #[default]
    Absent,
    /// The object.
    Is(T),
    /// Something else.
    Odd,
}

impl<T> Node<T> {
    /// The object, if it is one.
    pub(super) fn get(&self) -> Option<&T> {
        match self {
            Self::Is(node) => Some(node),
            Self::Absent | Self::Odd => None,
        }
    }
}

/// A part that is kept as the JSON text it is.
#[derive(Clone, Copy, Debug, serde::Deserialize)]
#[serde(transparent)]
pub(super) struct Raw<'t>(#[serde(borrow)] &'t RawValue);

impl<'t> Raw<'t> {
    /// The JSON text.
    pub(super) fn text(self) -> &'t str {
        self.0.get()
    }

    /// It, read as something; `None` where it is not that.
    pub(super) fn read<T: Deserialize<'t>>(self) -> Option<T> {
        serde_json::from_str(self.text()).ok()
    }
}

impl PartialEq for Raw<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.text() == other.text()
    }
}

/// What a message or a result holds: a text, or blocks.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Blocks<'t, T> {
    /// Nothing, or null.
    #[default]
    Absent,
    /// One text.
    Text(Chars<'t>),
    /// Blocks. A single object counts as one block.
    List(Vec<Node<T>>),
    /// Something else.
    Odd,
}

/// Visits that end in the same value, whatever of that kind is visited.
macro_rules! otherwise {
    ($lifetime:lifetime, $odd:expr, $($kind:ident)*) => {
        $(otherwise!(@ $lifetime, $odd, $kind);)*
    };
    (@ $lifetime:lifetime, $odd:expr, null) => {
        fn visit_unit<E>(self) -> Result<Self::Value, E> {
            Ok(Default::default())
        }
    };
    (@ $lifetime:lifetime, $odd:expr, bool) => {
        fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
            Ok($odd)
        }
    };
    (@ $lifetime:lifetime, $odd:expr, number) => {
        fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
            Ok($odd)
        }

        fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
            Ok($odd)
        }

        fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
            Ok($odd)
        }
    };
    (@ $lifetime:lifetime, $odd:expr, string) => {
        fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
            Ok($odd)
        }
    };
    (@ $lifetime:lifetime, $odd:expr, array) => {
        fn visit_seq<A: SeqAccess<$lifetime>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            while access.next_element::<IgnoredAny>()?.is_some() {}
            Ok($odd)
        }
    };
    (@ $lifetime:lifetime, $odd:expr, object) => {
        fn visit_map<A: MapAccess<$lifetime>>(self, mut access: A) -> Result<Self::Value, A::Error> {
            while access.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            Ok($odd)
        }
    };
}

struct WordVisitor;

impl<'t> Visitor<'t> for WordVisitor {
    type Value = Word<'t>;

    otherwise!('t, Word::Odd, null array object);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Word<'t>, E> {
        // A plain no says nothing.
        Ok(if value { Word::Odd } else { Word::Absent })
    }

    fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Word<'t>, E> {
        Ok(Word::Is(Chars::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Word<'t>, E> {
        Ok(Word::Is(Chars::Shared(text.into())))
    }

    fn visit_i64<E>(self, number: i64) -> Result<Word<'t>, E> {
        Ok(Word::Is(Chars::Shared(number.to_string().into())))
    }

    fn visit_u64<E>(self, number: u64) -> Result<Word<'t>, E> {
        Ok(Word::Is(Chars::Shared(number.to_string().into())))
    }

    fn visit_f64<E>(self, _: f64) -> Result<Word<'t>, E> {
        Ok(Word::Odd)
    }
}

impl<'de: 't, 't> Deserialize<'de> for Word<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(WordVisitor)
    }
}

struct FlagVisitor;

impl<'t> Visitor<'t> for FlagVisitor {
    type Value = Flag;

    otherwise!('t, Flag::Odd, null number array object);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a boolean")
    }

    fn visit_bool<E>(self, yes: bool) -> Result<Flag, E> {
        Ok(if yes { Flag::Yes } else { Flag::No })
    }

    fn visit_str<E>(self, text: &str) -> Result<Flag, E> {
        Ok(if text.is_empty() { Flag::Absent } else { Flag::Odd })
    }
}

impl<'t> Deserialize<'t> for Flag {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(FlagVisitor)
    }
}

struct NodeVisitor<T>(PhantomData<T>);

impl<'t, T: Deserialize<'t>> Visitor<'t> for NodeVisitor<T> {
    type Value = Node<T>;

    otherwise!('t, Node::Odd, number array);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_unit<E>(self) -> Result<Node<T>, E> {
        Ok(Node::Absent)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Node<T>, E> {
        // A plain no and an empty string say nothing.
        Ok(if value { Node::Odd } else { Node::Absent })
    }

    fn visit_str<E>(self, text: &str) -> Result<Node<T>, E> {
        Ok(if text.is_empty() { Node::Absent } else { Node::Odd })
    }

    fn visit_map<A: MapAccess<'t>>(self, access: A) -> Result<Node<T>, A::Error> {
        T::deserialize(MapAccessDeserializer::new(access)).map(Node::Is)
    }
}

impl<'t, T: Deserialize<'t>> Deserialize<'t> for Node<T> {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(NodeVisitor(PhantomData))
    }
}

struct BlocksVisitor<T>(PhantomData<T>);

impl<'t, T: Deserialize<'t>> Visitor<'t> for BlocksVisitor<T> {
    type Value = Blocks<'t, T>;

    otherwise!('t, Blocks::Odd, bool number);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an array of blocks")
    }

    fn visit_unit<E>(self) -> Result<Blocks<'t, T>, E> {
        Ok(Blocks::Absent)
    }

    fn visit_borrowed_str<E>(self, text: &'t str) -> Result<Blocks<'t, T>, E> {
        Ok(Blocks::Text(Chars::Borrowed(text)))
    }

    fn visit_str<E>(self, text: &str) -> Result<Blocks<'t, T>, E> {
        Ok(Blocks::Text(Chars::Shared(text.into())))
    }

    fn visit_seq<A: SeqAccess<'t>>(self, mut access: A) -> Result<Blocks<'t, T>, A::Error> {
        let mut blocks = Vec::new();
        while let Some(block) = access.next_element()? {
            blocks.push(block);
        }
        Ok(Blocks::List(blocks))
    }

    fn visit_map<A: MapAccess<'t>>(self, access: A) -> Result<Blocks<'t, T>, A::Error> {
        let block = T::deserialize(MapAccessDeserializer::new(access))?;
        Ok(Blocks::List(vec![Node::Is(block)]))
    }
}

impl<'de: 't, 't, T: Deserialize<'de>> Deserialize<'de> for Blocks<'t, T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(BlocksVisitor(PhantomData))
    }
}

/// A JSON text whose parts can be had as the JSON that they are. It is parsed when the first is asked for: this is for
/// what is rare, such as blocks of a type that nobody knows.
#[derive(Debug)]
pub(super) struct Reparsed<'t> {
    text: &'t str,
    value: OnceCell<serde_json::Value>,
}

impl<'t> Reparsed<'t> {
    /// Nothing is parsed yet.
    pub(super) fn of(text: &'t str) -> Self {
        Self { text, value: OnceCell::new() }
    }

    /// The JSON text at a pointer; `null` where there is nothing.
    pub(super) fn at(&self, pointer: &str) -> String {
        let value = self.value.get_or_init(|| serde_json::from_str(self.text).unwrap_or_default());
        value.pointer(pointer).unwrap_or(&serde_json::Value::Null).to_string()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Record<'t> {
        #[serde(borrow, default)]
        name: Word<'t>,
        #[serde(default)]
        good: Flag,
        #[serde(borrow, default)]
        inner: Node<Inner<'t>>,
        #[serde(borrow, default)]
        blocks: Blocks<'t, Inner<'t>>,
    }

    #[derive(Debug, PartialEq, serde::Deserialize)]
    struct Inner<'t> {
        #[serde(borrow, default)]
        text: Word<'t>,
    }

    #[test]
    fn what_is_not_of_its_type_is_remembered_and_does_not_fail_the_record() {
        for odd in ["5.5", "true", "\"s\"", "[1,{}]", "{\"text\":[{}]}", "null"] {
            let text = format!(r#"{{"name":{odd},"good":{odd},"inner":{odd},"blocks":{odd},"new":{odd}}}"#);
            let record: Record<'_> = serde_json::from_str(&text).unwrap();
            assert_eq!(record.name.get().is_some(), odd == "\"s\"", "{odd}");
            assert_eq!(record.good.is_yes(), odd == "true", "{odd}");
            assert_eq!(record.inner.get().is_some(), odd.starts_with('{'), "{odd}");
        }
    }

    #[test]
    fn a_string_without_escapes_is_not_copied() {
        let record: Record<'_> = serde_json::from_str(r#"{"name":"plain","inner":{"text":"a\nb"}}"#).unwrap();
        assert!(matches!(record.name, Word::Is(Chars::Borrowed("plain"))));
        assert_eq!(record.inner.get().unwrap().text.get(), Some("a\nb"));
    }
}

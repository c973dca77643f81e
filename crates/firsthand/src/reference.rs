//! References: what a model sees in the place of an address that carries its own permission.
//!
//! A pre-authenticated address opens to whoever holds it. So the model gets a name for it, which means something in one
//! conversation and for a time; what it stands for is kept elsewhere, sealed, and resolved only where a call opens it.

use std::fmt;

/// What a reference begins with.
const PREFIX: &str = "ref-";

/// The digits of Crockford's base 32, in lower case.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// How many digits follow the prefix: 75 bits.
const LENGTH: usize = 15;

/// `ref-` and 15 digits of lower-case Crockford base 32.
///
/// It has no `Display`: whoever holds one in its conversation can open what it stands for.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Reference(Box<str>);

impl Reference {
    /// The reference of random bits; the last five of the 80 are not used.
    pub fn of(random: [u8; 10]) -> Self {
        let bits = random.iter().fold(0_u128, |bits, byte| bits << 8 | u128::from(*byte)) >> 5;
        let digit = |place: usize| {
            let digit = usize::try_from(bits >> (5 * (LENGTH - 1 - place)) & 31).unwrap_or_default();
            DIGITS.get(digit).copied().map_or('0', char::from)
        };
        Self(PREFIX.chars().chain((0..LENGTH).map(digit)).collect::<String>().into())
    }

    /// The reference that a text is, outer spaces apart.
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim_ascii();
        let digits = text.strip_prefix(PREFIX)?;
        let is_one = digits.len() == LENGTH && digits.bytes().all(|digit| DIGITS.contains(&digit));
        is_one.then(|| Self(text.into()))
    }

    /// The text that a model sees.
    pub fn reveal(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Reference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Reference(..)")
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[test]
    fn all_75_bits_are_told_and_read_again() {
        assert_eq!(Reference::of([0; 10]).reveal(), "ref-000000000000000");
        assert_eq!(Reference::of([255; 10]).reveal(), "ref-zzzzzzzzzzzzzzz");
        for bit in 0..80 {
            let mut random = [0; 10];
            *random.get_mut(bit / 8).unwrap() |= 128 >> (bit % 8);
            let reference = Reference::of(random);
            assert_eq!(reference == Reference::of([0; 10]), bit >= 75, "{bit}");
            assert_eq!(Reference::parse(&format!(" {}\n", reference.reveal())).unwrap(), reference);
        }
    }

    #[test]
    fn nothing_else_is_a_reference() {
        for text in [
            "",
            "ref-",
            "ref-00000000000000",
            "ref-0000000000000000",
            "REF-000000000000000",
            "ref-00000000000000I",
            "ref-00000000000000u",
            "xref-000000000000000",
            "ref-000000000000000/x",
            "https://ref-000000000000000",
        ] {
            assert_eq!(Reference::parse(text), None, "{text}");
        }
    }
}

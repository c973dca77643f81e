//! Places in a text, counted as others count them.

/// What a place is counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Unit {
    /// UTF-8 bytes: the record's own, and Gemini's.
    Bytes,
    /// Unicode code points: strings of Python, and what OpenAI calls characters.
    CodePoints,
    /// UTF-16 code units: strings of JavaScript.
    Utf16,
}

/// How far apart the places are whose count is kept, in bytes.
const STRIDE: usize = 1 << 10;

/// Turns places in bytes into places in another unit, each in constant time.
#[derive(Debug)]
pub struct Offsets<'t> {
    text: &'t str,
    unit: Unit,
    /// The count at each multiple of `STRIDE`, of the characters that begin before it.
    marks: Vec<usize>,
}

impl<'t> Offsets<'t> {
    /// Prepares a text.
    pub fn of(text: &'t str, unit: Unit) -> Self {
        let mut marks = Vec::new();
        if unit != Unit::Bytes {
            let mut count = 0;
            for chunk in text.as_bytes().chunks(STRIDE) {
                marks.push(count);
                count += length(chunk, unit);
            }
        }
        Self { text, unit, marks }
    }

    /// The place of a byte at which a character begins, or of the end; a place past the end is the end.
    pub fn at(&self, byte: usize) -> usize {
        let byte = byte.min(self.text.len());
        if self.unit == Unit::Bytes {
            return byte;
        }
        // At the very end of a text that fills its last stride there is no mark of its own.
        let mark = (byte / STRIDE).min(self.marks.len().saturating_sub(1));
        let before = self.marks.get(mark).copied().unwrap_or_default();
        before + length(self.text.as_bytes().get(mark * STRIDE..byte).unwrap_or_default(), self.unit)
    }
}

/// How long bytes of UTF-8 are in a unit; a character counts where it begins.
fn length(bytes: &[u8], unit: Unit) -> usize {
    let begins = |byte: &u8| byte & 0xc0 != 0x80;
    match unit {
        Unit::Bytes => bytes.len(),
        Unit::CodePoints => bytes.iter().filter(|byte| begins(byte)).count(),
        // What takes four bytes in UTF-8 takes two units in UTF-16.
        Unit::Utf16 => bytes.iter().map(|byte| usize::from(begins(byte)) + usize::from(*byte >= 0xf0)).sum(),
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn each_unit_counts_in_its_own_way() {
        // A family emoji of five code points, a Hangul word, an `e` with a combining accent.
        let text = "👨‍👩‍👦 한국 e\u{301}!";
        let end = |unit| Offsets::of(text, unit).at(text.find('!').unwrap());
        assert_eq!(end(Unit::Bytes), 18 + 1 + 6 + 1 + 3);
        assert_eq!(end(Unit::CodePoints), 5 + 1 + 2 + 1 + 2);
        assert_eq!(end(Unit::Utf16), 8 + 1 + 2 + 1 + 2);
    }

    #[test]
    fn a_place_past_the_end_is_the_end() {
        for length in [0, STRIDE - 1, STRIDE, STRIDE + 1, 3 * STRIDE] {
            let text = "x".repeat(length);
            let offsets = Offsets::of(&text, Unit::Utf16);
            assert_eq!((offsets.at(length), offsets.at(length + 9)), (length, length));
        }
    }

    proptest! {
        #[test]
        fn every_place_is_what_counting_from_the_start_gives(text in "[a\u{e9}漢😀\u{301}]{0,700}") {
            for (byte, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let before = text.get(..byte).unwrap();
                prop_assert_eq!(Offsets::of(&text, Unit::CodePoints).at(byte), before.chars().count());
                prop_assert_eq!(Offsets::of(&text, Unit::Utf16).at(byte), before.encode_utf16().count());
            }
        }
    }
}

//! Where a text shows that some reader would undo something in it.
//!
//! Each kind of sign is looked for by its rarest bytes in one pass over the text, so that a text without any costs little.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;

use super::letters::{beyond_ascii, hides, is_narrowed};

static DOT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("dot"));
static DOT_IN_CAPITALS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("DOT"));

/// The longest name of an entity that is looked at, in bytes.
const LONGEST_NAME: usize = 32;

/// The lines in which there is something to undo, those that follow each other as one, with the line behind them, where an address may
/// go on.
pub(super) fn blocks(text: &str, has_escapes: bool) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    let mut lines = Lines { text, found: Vec::new() };
    if has_escapes {
        lines
            .mark(memchr::memchr2_iter(b'&', b'\\', bytes), |at| bytes.get(at) == Some(&b'\\') || is_entity(bytes, at));
    }
    lines.mark(memchr::memchr3_iter(b'=', 0, 0x7f, bytes), |at| {
        bytes.get(at) != Some(&b'=') || is_quoted_printable(bytes, at)
    });
    lines.mark(memchr::memchr3_iter(b'[', b'(', b'{', bytes), |at| is_bracketed(bytes, at));
    lines.mark(memchr::memchr3_iter(b']', b')', b'}', bytes), |at| is_half_bracketed(bytes, at));
    for word in [&DOT, &DOT_IN_CAPITALS] {
        lines.mark(word.find_iter(bytes), |at| is_spelled_out(bytes, at));
    }
    lines.mark(beyond_ascii(text).map(|(at, _)| at), |at| is_odd_letter(text, at));
    lines.blocks()
}

/// The lines that hold a sign.
struct Lines<'t> {
    text: &'t str,
    found: Vec<Range<usize>>,
}

impl Lines<'_> {
    /// Takes the lines of those hits that are signs.
    fn mark(&mut self, hits: impl Iterator<Item = usize>, is_sign: impl Fn(usize) -> bool) {
        let mut done = 0;
        for at in hits {
            if at >= done && is_sign(at) {
                let before = self.text.as_bytes().get(..at).unwrap_or_default();
                done = self.end_of(at);
                self.found.push(memchr::memrchr(b'\n', before).map_or(0, |end| end + 1)..done);
            }
        }
    }

    /// The end of the line that a byte stands in.
    fn end_of(&self, at: usize) -> usize {
        let rest = self.text.as_bytes().get(at..).unwrap_or_default();
        memchr::memchr(b'\n', rest).map_or(self.text.len(), |end| at + end + 1)
    }

    fn blocks(mut self) -> Vec<Range<usize>> {
        self.found.sort_unstable_by_key(|line| line.start);
        let mut blocks: Vec<Range<usize>> = Vec::new();
        for line in &self.found {
            match blocks.last_mut() {
                Some(block) if line.start <= block.end => block.end = line.end,
                Some(_) | None => blocks.push(line.clone()),
            }
        }
        for block in &mut blocks {
            block.end = self.end_of(block.end);
        }
        blocks
    }
}

/// Whether an ampersand begins an entity of HTML.
pub(super) fn is_entity(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at + 1) {
        Some(b'#') => true,
        Some(byte) if byte.is_ascii_alphabetic() => {
            let name = bytes.get(at + 1..).unwrap_or_default();
            let length = name.iter().take(LONGEST_NAME).take_while(|byte| byte.is_ascii_alphanumeric()).count();
            // Some old entities need no semicolon; the one that matters in an address is the ampersand itself.
            name.get(length) == Some(&b';') || name.starts_with(b"amp")
        }
        _ => false,
    }
}

/// Whether an equals sign shows quoted-printable, as none of an address does: a broken line, one of its own marks encoded, two
/// bytes in a row.
pub(super) fn is_quoted_printable(bytes: &[u8], at: usize) -> bool {
    match bytes.get(at + 1..).unwrap_or_default() {
        [b'\n', ..] | [b'\r', b'\n', ..] | [b'3', b'A' | b'D' | b'a' | b'd', ..] => true,
        [b'2', b'E' | b'F' | b'e' | b'f', ..] => true,
        [one, two, b'=', ..] => one.is_ascii_hexdigit() && two.is_ascii_hexdigit(),
        _ => false,
    }
}

/// Whether a bracket opens before a dot, colon or slash that was put in brackets.
pub(super) fn is_bracketed(bytes: &[u8], at: usize) -> bool {
    matches!(
        (bytes.get(at), bytes.get(at + 1)),
        (Some(b'[' | b'(' | b'{'), Some(b'.')) | (Some(b'['), Some(b':' | b'/')) | (Some(b'('), Some(b':'))
    )
}

/// Whether a bracket stands on one side of a dot, and the letters of a name around both: `evil[.example`, `evil.]example`.
pub(super) fn is_half_bracketed(bytes: &[u8], at: usize) -> bool {
    let around = |far: Option<usize>, near: Option<usize>, dot: Option<usize>| {
        let byte = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
        let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || !byte.is_ascii();
        byte(dot) == b'.' && is_letter(byte(far)) && is_letter(byte(near))
    };
    let before = |steps: usize| at.checked_sub(steps);
    match bytes.get(at) {
        Some(b'[' | b'(' | b'{') => around(before(1), Some(at + 2), Some(at + 1)),
        Some(b']' | b')' | b'}') => around(before(2), Some(at + 1), before(1)),
        _ => false,
    }
}

/// Whether the word for a dot stands for one.
fn is_spelled_out(bytes: &[u8], at: usize) -> bool {
    let before = at.checked_sub(1).and_then(|before| bytes.get(before));
    matches!(before, Some(b'[' | b'(' | b'{' | b'<' | b'_' | b' '))
        && matches!(bytes.get(at + 3), Some(b']' | b')' | b'}' | b'>' | b'_' | b' '))
}

/// Whether the dots or colons of a text are put in brackets or spelled out.
pub(super) fn is_defanged(text: &str) -> bool {
    let bytes = text.as_bytes();
    let spelled = |word: &Finder<'_>| word.find_iter(bytes).any(|at| is_spelled_out(bytes, at));
    memchr::memchr3_iter(b'[', b'(', b'{', bytes).any(|at| is_bracketed(bytes, at))
        || memchr::memchr3_iter(b']', b')', b'}', bytes).any(|at| is_half_bracketed(bytes, at))
        || spelled(&DOT)
        || spelled(&DOT_IN_CAPITALS)
}

/// Whether a character beyond ASCII vanishes, or stands for one of ASCII.
fn is_odd_letter(text: &str, at: usize) -> bool {
    let letter = crate::find::sign::character_at(text, at);
    letter.is_some_and(hides) || is_narrowed(text, at)
}

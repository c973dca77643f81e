//! Runs of base64 and hex, and what they stand for.

use std::sync::LazyLock;

use data_encoding::{BASE64_NOPAD, BASE64URL_NOPAD, Encoding, HEXLOWER_PERMISSIVE};
use memchr::memmem::Finder;

/// The shortest run that is looked at: an address of twelve bytes in base64, of eight in hex.
pub(super) const SHORTEST: usize = 16;

/// How many bytes are looked at together. Wherever a run of the shortest length begins, one such word lies in it.
const WORD: usize = SHORTEST / 2;

/// The longest line of base64 in mails is 76; runs of this length that end with their line go on in the next.
const FULL_LINE: usize = 60;

/// How base64 writes the `ttp` or `http` of an address, by where it stands in a group of three bytes, and how many
/// letters before it the group begins.
static SIGNS: LazyLock<[(Finder<'static>, usize); 6]> = LazyLock::new(|| {
    [("aHR0c", 0), ("h0dH", 2), ("odHRw", 3), ("SFRUU", 0), ("hUVF", 2), ("IVFRQ", 3)]
        .map(|(sign, before)| (Finder::new(sign), before))
});

/// Where in a run an encoded address is looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Glued {
    /// Behind other letters too.
    Anywhere,
    /// At its beginning and behind slashes: enough for what is encoded twice, where all other work is repeated.
    Nowhere,
}

/// Calls `each` with everything that a run of base64 or hex in the text stands for, where that may hold an address.
pub(super) fn each_decoded(text: &str, glued: Glued, each: &mut dyn FnMut(&str)) {
    let bytes = text.as_bytes();
    // Every run that is long enough holds a whole word of these.
    let (words, _) = bytes.as_chunks::<WORD>();
    let mut done = 0;
    for (index, word) in words.iter().enumerate() {
        if may_lie_in_run(*word) && index * WORD >= done && word.iter().all(|byte| in_run(*byte)) {
            done = decode_around(text, index * WORD, done, glued, each);
        }
    }
}

/// Whether no byte of a word is a space or another one below the plus sign, or beyond ASCII.
fn may_lie_in_run(word: [u8; WORD]) -> bool {
    const EACH: u64 = u64::MAX / 255;
    const TOP: u64 = EACH * 0x80;
    let bytes = u64::from_le_bytes(word);
    bytes.wrapping_add(EACH * (0x80 - 0x2b)) & !bytes & TOP == TOP
}

/// Decodes the run around a byte, if it is long enough; where it ends. Runs before `done` have been.
fn decode_around(text: &str, at: usize, done: usize, glued: Glued, each: &mut dyn FnMut(&str)) -> usize {
    let bytes = text.as_bytes();
    let before = bytes.get(done..at).unwrap_or_default();
    let start = at - before.iter().rev().take_while(|byte| in_run(**byte)).count();
    let length = bytes.get(start..).unwrap_or_default().iter().take_while(|byte| in_run(**byte)).count();
    let mut done = start + length;
    if length < SHORTEST {
        return done;
    }
    let run = text.get(start..done).unwrap_or_default();
    if length >= FULL_LINE && bytes.get(done).is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
        let (joined, after) = joined_lines(text, start);
        done = after.max(done);
        decode(&joined, glued, each);
    }
    decode(run, glued, each);
    done
}

/// May stand in a run.
const IN_RUN: u8 = 1;
/// Is no letter in lower case.
const OTHER: u8 = 2;
/// A letter in upper case.
const CAPITAL: u8 = 4;
/// The slash.
const SLASH: u8 = 8;
/// Is no digit of hex.
const NO_HEX: u8 = 16;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    #[expect(clippy::indexing_slicing, reason = "evaluated when the program is built")]
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'f' => IN_RUN,
            b'g'..=b'z' => IN_RUN | NO_HEX,
            b'A'..=b'F' => IN_RUN | OTHER | CAPITAL,
            b'G'..=b'Z' => IN_RUN | OTHER | CAPITAL | NO_HEX,
            b'0'..=b'9' => IN_RUN | OTHER,
            b'/' => IN_RUN | OTHER | SLASH | NO_HEX,
            b'+' | b'-' | b'_' => IN_RUN | OTHER | NO_HEX,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

fn in_run(byte: u8) -> bool {
    class(byte) & IN_RUN != 0
}

/// A run with those of the following lines, for as long as lines are full, and where the last one ends.
fn joined_lines(text: &str, start: usize) -> (String, usize) {
    let bytes = text.as_bytes();
    let mut joined = String::new();
    let mut at = start;
    loop {
        let length = bytes.get(at..).unwrap_or_default().iter().take_while(|byte| in_run(**byte)).count();
        joined.push_str(text.get(at..at + length).unwrap_or_default());
        let end = at + length;
        let space =
            bytes.get(end..).unwrap_or_default().iter().take_while(|byte| matches!(byte, b'\r' | b'\n' | b' ')).count();
        if length < FULL_LINE || space == 0 {
            return (joined, end);
        }
        at = end + space;
    }
}

fn decode(run: &str, glued: Glued, each: &mut dyn FnMut(&str)) {
    let classes = run.bytes().fold(0, |all, byte| all | class(byte));
    let hex = run.strip_prefix("0x").unwrap_or(run);
    if classes & NO_HEX == 0 || hex.len() < run.len() && hex.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        offer(from_hex(hex.get(..hex.len() & !1).unwrap_or_default()), each);
    }
    if classes & OTHER == 0 {
        return;
    }
    offer(from_base64(run), each);
    if classes & SLASH != 0 {
        for piece in run.split('/').filter(|piece| piece.len() >= SHORTEST) {
            offer(from_base64(piece), each);
        }
    }
    if glued == Glued::Anywhere {
        decode_signed(run, each);
    }
}

/// Decodes a run from where it shows the sign of an address.
pub(super) fn decode_signed(run: &str, each: &mut dyn FnMut(&str)) {
    // Each of the signs has a capital.
    if run.bytes().fold(0, |all, byte| all | class(byte)) & CAPITAL == 0 {
        return;
    }
    for (sign, before) in &*SIGNS {
        for at in sign.find_iter(run.as_bytes()).take(2) {
            if let Some(from) = at.checked_sub(*before).filter(|from| *from > 0) {
                offer(run.get(from..).and_then(from_base64), each);
            }
        }
    }
}

pub(super) fn from_hex(digits: &str) -> Option<Vec<u8>> {
    HEXLOWER_PERMISSIVE.decode(digits.as_bytes()).ok()
}

pub(crate) fn from_base64(run: &str) -> Option<Vec<u8>> {
    let dash = memchr::memchr2(b'-', b'_', run.as_bytes()).is_some();
    let encoding: &Encoding = if dash { &BASE64URL_NOPAD } else { &BASE64_NOPAD };
    // A last letter alone stands for no byte; others may leave bits over, which strict decoders mind.
    let whole = run.get(..run.len() & !3)?;
    let read = if run.len() - whole.len() == 1 { whole } else { run };
    let other = if dash { memchr::memchr2(b'+', b'/', read.as_bytes()) } else { None };
    if other.is_some() {
        return None;
    }
    let mut decoded = encoding.decode(whole.as_bytes()).ok()?;
    let rest = run.get(whole.len()..)?;
    if rest.len() > 1 {
        let mut padded = rest.to_owned();
        while padded.len() < 4 {
            padded.push('A');
        }
        let tail = encoding.decode(padded.as_bytes()).ok()?;
        decoded.extend(tail.iter().take(rest.len() - 1));
    }
    Some(decoded)
}

fn byte_ends_run(byte: u8) -> bool {
    matches!(byte, b'=' | b'\r' | b'\n' | b' ')
}

/// Hands on what may hold an address: text with a dot or a colon in it, and what is encoded once more.
pub(super) fn offer(decoded: Option<Vec<u8>>, each: &mut dyn FnMut(&str)) {
    let Some(mut decoded) = decoded else { return };
    // Wider encodings of characters put zeros between them.
    decoded.retain(|byte| *byte != 0);
    let is_encoded = || decoded.len() >= SHORTEST && decoded.iter().all(|byte| in_run(*byte) || byte_ends_run(*byte));
    if memchr::memchr2(b'.', b':', &decoded).is_none() && !is_encoded() {
        return;
    }
    let mut text = String::with_capacity(decoded.len());
    for chunk in decoded.utf8_chunks() {
        text.push_str(chunk.valid());
        if !chunk.invalid().is_empty() {
            text.push('\n');
        }
    }
    let odd = text.bytes().filter(|byte| byte.is_ascii_control()).count();
    // Bytes of pictures and keys are not text, and addresses glued to them are found by their scheme.
    if odd * 4 <= text.len() || text.contains("://") {
        each(&text);
    }
}

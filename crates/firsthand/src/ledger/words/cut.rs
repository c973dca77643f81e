//! What a folded text is cut into, to tell who wrote it: words, parts of addresses, runs of bytes.

use super::SHORTEST;

/// The shortest beginning of a word that is told apart from chance, in bytes.
pub(super) const SHORTEST_BEGINNING: usize = 4;

/// The longest beginning of a word that is kept, in bytes.
pub(super) const LONGEST_BEGINNING: usize = 64;

/// The beginnings of a word, as far as they are kept, without the word itself.
pub(super) fn beginnings(word: &str) -> impl Iterator<Item = &str> {
    let longest = if word.contains(|letter: char| !letter.is_alphanumeric()) { 0 } else { LONGEST_BEGINNING };
    (SHORTEST_BEGINNING..word.len().min(longest + 1)).filter_map(|end| word.get(..end))
}

/// How many bytes of a word another is or has in common with it at the beginning, as far as that is kept; 0 where they are
/// too few to tell.
pub(super) fn common(word: &str, other: &str) -> usize {
    if word == other {
        return word.len();
    }
    if is_joined(word) || is_joined(other) {
        return 0;
    }
    let same = word
        .char_indices()
        .zip(other.chars())
        .take_while(|((at, one), other)| one == other && at + one.len_utf8() <= LONGEST_BEGINNING);
    let bytes = same.last().map_or(0, |((at, last), _)| at + last.len_utf8());
    if bytes < SHORTEST_BEGINNING { 0 } else { bytes }
}

/// The words of a folded text with their places: runs of letters and digits, and the same joined by the characters that
/// stand inside identifiers.
pub(super) fn words<'t>(folded: &'t str, each: &mut dyn FnMut(usize, &'t str)) {
    let joins = |character: char| matches!(character, '-' | '_' | '.' | '~' | '+' | '@' | '$' | '\'');
    let mut start = None;
    let ends = folded.char_indices().chain([(folded.len(), ' ')]);
    for (at, character) in ends {
        if character.is_alphanumeric() || joins(character) {
            start = start.or(Some(at));
            continue;
        }
        let Some(from) = start.take() else { continue };
        let chunk = folded.get(from..at).unwrap_or_default();
        let whole = chunk.trim_matches(joins);
        if whole.is_empty() {
            continue;
        }
        let from = from + (chunk.len() - chunk.trim_start_matches(joins).len());
        each(from, whole);
        if !whole.contains(joins) {
            continue;
        }
        // The labels of a host, and the letters between the joints.
        for cut in [&(|character| character == '.') as &dyn Fn(char) -> bool, &joins] {
            let mut at = from;
            for piece in whole.split(cut) {
                if !piece.is_empty() {
                    each(at, piece);
                }
                at += piece.len() + 1;
            }
        }
    }
}

/// The parts of addresses in a folded text that are no words, such as path segments with brackets.
pub(super) fn parts<'t>(folded: &'t str, each: &mut dyn FnMut(usize, &'t str)) {
    let ends = |character: char| {
        character.is_whitespace()
            || matches!(character, '/' | '?' | '&' | '=' | '#' | '"' | '<' | '>' | '`' | '|' | ',' | ';' | '\\')
    };
    let mut at = 0;
    for part in folded.split(ends) {
        if part.contains(['(', ')', ':', '%', '!', '*', '[', ']']) {
            each(at, part);
        }
        at += part.len() + folded.get(at + part.len()..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
    }
}

/// The runs of [`SHORTEST`] bytes of a folded text.
pub(super) fn runs(folded: &str, each: &mut dyn FnMut(u32)) {
    for run in folded.as_bytes().windows(SHORTEST) {
        let Ok(run) = <[u8; SHORTEST]>::try_from(run) else { continue };
        each(mix(u64::from_le_bytes(run)));
    }
}

pub(super) fn mix(run: u64) -> u32 {
    let product = u128::from(run ^ 0x9e37_79b9_7f4a_7c15).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, p] = product.to_le_bytes();
    let low = u64::from_le_bytes([a, b, c, d, e, f, g, h]);
    let high = u64::from_le_bytes([i, j, k, l, m, n, o, p]);
    let [a, b, c, d, ..] = (low ^ high).to_le_bytes();
    u32::from_le_bytes([a, b, c, d])
}

/// A hash that is the same in every process: saved ledgers hold it.
pub(super) fn hash(word: &str) -> u64 {
    let digest = blake3::hash(word.as_bytes());
    let [a, b, c, d, e, f, g, h, ..] = *digest.as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}

/// The runs of [`SHORTEST`] bytes in which something stands between words.
pub(super) fn runs_with_joints(folded: &str) -> impl Iterator<Item = u32> {
    let runs = folded.as_bytes().windows(SHORTEST).filter_map(|run| <[u8; SHORTEST]>::try_from(run).ok());
    let joined = runs.filter(|run| run.iter().any(|byte| byte.is_ascii() && !byte.is_ascii_alphanumeric()));
    joined.map(|run| mix(u64::from_le_bytes(run)))
}

/// Whether a word is several, joined by what stands inside identifiers.
pub(super) fn is_joined(word: &str) -> bool {
    word.contains(|letter: char| !letter.is_alphanumeric())
}

/// The number behind the letters of a word and the zeros before it, where it is one.
pub(super) fn bare_number(word: &str) -> &str {
    let number = word.trim_start_matches(|letter: char| letter.is_ascii_alphabetic()).trim_start_matches('0');
    let is_number = number.len() >= 3 && number.bytes().all(|byte| byte.is_ascii_digit());
    if is_number { number } else { word }
}

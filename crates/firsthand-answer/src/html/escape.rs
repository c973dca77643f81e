//! Text between tags and in the values of attributes.

/// How many bytes are looked at together.
const CHUNK: usize = 16;

/// Adds a text so that it is text, in an element and between double quotes alike.
pub(crate) fn escape(html: &mut String, text: &str) {
    let special = first_special(text.as_bytes());
    if special == text.len() {
        html.push_str(text);
    } else {
        escape_from(html, text, special);
    }
}

/// The same where the first byte is known that may not stand there as it is. Most texts have none.
#[cold]
fn escape_from(html: &mut String, text: &str, special: usize) {
    let (mut rest, mut special) = (text, special);
    while let Some((plain, behind)) = rest.split_at_checked(special) {
        html.push_str(plain);
        html.push_str(match behind.as_bytes().first() {
            Some(b'<') => "&lt;",
            Some(b'>') => "&gt;",
            Some(b'&') => "&amp;",
            Some(b'"') => "&quot;",
            // No page holds a NUL.
            Some(_) => "\u{fffd}",
            None => return,
        });
        rest = behind.get(1..).unwrap_or_default();
        special = first_special(rest.as_bytes());
    }
}

/// Where the first byte stands that may not stand in a page as it is; the length if there is none.
fn first_special(bytes: &[u8]) -> usize {
    let (chunks, rest) = bytes.as_chunks::<CHUNK>();
    let from = match chunks.iter().position(holds) {
        Some(chunk) => chunk * CHUNK,
        // What is left and what stands before it are a chunk, too.
        None if bytes.last_chunk::<CHUNK>().is_some_and(|last| !holds(last)) => return bytes.len(),
        None if are_two_halves(bytes) => return bytes.len(),
        None => bytes.len() - rest.len(),
    };
    let special = bytes.iter().skip(from).position(|&byte| SPECIAL.get(usize::from(byte)) == Some(&true));
    special.map_or(bytes.len(), |at| from + at)
}

/// Whether a chunk holds such a byte. All are looked at at once, which takes less than to stop at the first.
fn holds(chunk: &[u8; CHUNK]) -> bool {
    chunk.iter().fold(0, |any, &byte| any | u8::from(is_special(byte))) != 0
}

/// Whether a text shorter than a chunk, but not than half of one, holds no such byte.
fn are_two_halves(bytes: &[u8]) -> bool {
    let (first, last) = (bytes.first_chunk().copied(), bytes.last_chunk().copied());
    let halves = first.zip(last).filter(|_| bytes.len() < CHUNK);
    halves.is_some_and(|(first, last)| !half_holds(u64::from_le_bytes(first)) && !half_holds(u64::from_le_bytes(last)))
}

/// The same as [`holds`] for eight bytes in a number.
fn half_holds(bytes: u64) -> bool {
    const EACH: u64 = u64::from_le_bytes([1; 8]);
    let has_zero = |bytes: u64| bytes.wrapping_sub(EACH) & !bytes & (EACH << 7);
    let equals = |bytes: u64, byte: u8| has_zero(bytes ^ (EACH * u64::from(byte)));
    // The two signs of each pair differ in one bit.
    let (angles, others) = (bytes | EACH << 1, bytes | EACH << 2);
    has_zero(bytes) | equals(angles, b'>') | equals(others, b'&') != 0
}

/// Made of comparisons alone, so that they can be made for many bytes at once.
const fn is_special(byte: u8) -> bool {
    (byte == b'<') | (byte == b'>') | (byte == b'&') | (byte == b'"') | (byte == 0)
}

/// The same for a byte alone.
static SPECIAL: [bool; 256] = special();

const fn special() -> [bool; 256] {
    let mut special = [false; 256];
    let mut byte = u8::MAX;
    #[expect(clippy::indexing_slicing, reason = "the table is built by the compiler")]
    while byte > 0 {
        special[byte as usize] = is_special(byte);
        byte -= 1;
    }
    special[0] = is_special(0);
    special
}

#[cfg(test)]
mod tests {
    use super::escape;

    #[test]
    fn a_sign_is_escaped_wherever_it_stands() {
        assert!((0..=u8::MAX).filter(|&byte| super::is_special(byte)).eq(*b"\0\"&<>"));
        for length in 0..70 {
            for (sign, written) in [("<", "&lt;"), (">", "&gt;"), ("&", "&amp;"), ("\"", "&quot;"), ("\0", "\u{fffd}")]
            {
                let (before, behind) = ("é".repeat(length / 2), "-".repeat(70 - length));
                let mut html = String::new();
                escape(&mut html, &format!("{before}{sign}{behind}{sign}"));
                assert_eq!(html, format!("{before}{written}{behind}{written}"));
            }
        }
    }
}

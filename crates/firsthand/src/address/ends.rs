//! What is cut from the end of an address, because a sentence ends there or because it adds nothing.

/// A mark of a sentence or an emphasis.
pub(super) const SENTENCE: u8 = 1;
/// A bracket, an angle, a backtick, a bar.
pub(super) const CLOSING: u8 = 2;
/// The slash.
pub(super) const SLASH: u8 = 4;
/// The sign between name and value.
pub(super) const EQUALS: u8 = 8;

const CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    #[expect(clippy::indexing_slicing, reason = "evaluated when the program is built")]
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'.' | b',' | b':' | b';' | b'!' | b'?' | b'\'' | b'"' | b'*' | b'~' => SENTENCE,
            b'(' | b')' | b'[' | b']' | b'{' | b'}' | b'<' | b'>' | b'`' | b'|' => CLOSING,
            b'/' => SLASH,
            b'=' => EQUALS,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

/// A text without the characters of some classes at its end.
pub(super) fn without(text: &str, classes: u8) -> &str {
    let ends = |byte: u8| CLASSES.get(usize::from(byte)).is_some_and(|class| class & classes != 0);
    let mut length = text.len();
    let mut bytes = text.as_bytes();
    while let Some((last, before)) = bytes.split_last()
        && ends(*last)
    {
        (length, bytes) = (before.len(), before);
    }
    text.get(..length).unwrap_or_default()
}

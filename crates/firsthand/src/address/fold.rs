//! Undoing what hides the characters of an address: escapes to a fixed point, defanging, invisible characters.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use unicode_normalization::UnicodeNormalization as _;

/// The longest entity name, with `&` and `;`.
const LONGEST_ENTITY: usize = 34;

/// The longest escape in braces, `\u{10ffff}` with zeros before it.
const LONGEST_BRACED: usize = 40;

/// Whether a character takes no room on a screen and is dropped by some reader of addresses.
pub(crate) fn vanishes(character: char) -> bool {
    matches!(
        u32::from(character),
        0x00..=0x1f
            | 0x7f..=0x9f
            | 0xad
            | 0x34f
            | 0x61c
            | 0x115f..=0x1160
            | 0x17b4..=0x17b5
            | 0x180b..=0x180f
            | 0x200b..=0x200f
            | 0x2028..=0x202e
            | 0x2060..=0x206f
            | 0x3164
            | 0xfe00..=0xfe0f
            | 0xfeff
            | 0xffa0
            | 0xfff0..=0xfffb
            | 0x1bca0..=0x1bca3
            | 0x1d173..=0x1d17a
            | 0xe0000..=0xe0fff
    )
}

/// A text in lower case without the differences that upper case does not keep, such as between `ß` and `ss`.
///
/// In names of hosts those are different letters.
pub(super) fn without_case(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect::<String>().into()
}

/// What may have to be undone at a byte.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Nothing.
    Simple,
    /// An entity, if an ampersand stands before it.
    Semicolon,
    /// A bracket that closes a defanged sign, if one stands in it.
    Closing,
    /// Something.
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = b' ' as usize;
    #[expect(clippy::indexing_slicing, reason = "evaluated when the program is built")]
    while byte < 127 {
        classes[byte] = match byte as u8 {
            b'%' | b'\\' => Class::Other,
            b';' => Class::Semicolon,
            b')' | b']' | b'}' => Class::Closing,
            _ => Class::Simple,
        };
        byte += 1;
    }
    classes
};

/// Whether every byte of a text stands for itself, whatever is undone.
fn is_simple(text: &str) -> bool {
    let (mut ampersand, mut before) = (false, 0);
    text.bytes().all(|byte| {
        let simple = match CLASSES.get(usize::from(byte)) {
            Some(Class::Simple) => true,
            Some(Class::Semicolon) => !ampersand,
            Some(Class::Closing) => !matches!(before, b'.' | b':' | b'/' | b't' | b'T'),
            Some(Class::Other) | None => false,
        };
        ampersand |= byte == b'&';
        before = byte;
        simple
    })
}

/// A text with all of its escapes undone, in lower case, composed, without invisible characters; spaces become `+`.
///
/// The flag says whether nothing but case and spaces had to change.
pub(super) fn plain(text: &str) -> (String, bool) {
    let text = text.trim();
    if is_simple(text) {
        let mut plain = text.to_ascii_lowercase();
        if memchr::memchr(b' ', plain.as_bytes()).is_some() {
            plain = plain.replace(' ', "+");
        }
        return (plain, true);
    }
    let open = unescaped(text);
    let visible = open.chars().filter(|character| !vanishes(*character));
    let plain = if open.is_ascii() {
        visible.map(|character| character.to_ascii_lowercase()).collect::<String>()
    } else {
        visible.nfc().flat_map(char::to_lowercase).nfc().collect::<String>()
    };
    (plain.replace(' ', "+"), false)
}

/// A text as the words of addresses are compared: all of its escapes undone, in lower case without look-alikes of one
/// letter, without invisible characters; every white space and `+` is one space.
pub(crate) fn words(text: &str) -> Cow<'_, str> {
    let text = if has_escapes(text) { Cow::Owned(unescaped(text).replace("%23", "#")) } else { Cow::Borrowed(text) };
    if text.is_ascii() {
        let changes = |byte: u8| matches!(byte, 0..b' ' | b'A'..=b'Z' | b'+' | 0x7f);
        if !text.bytes().any(changes) {
            return text;
        }
        let kept = text.bytes().filter(|byte| matches!(byte, b'\t'..=b'\r' | b' '..0x7f));
        let folded = kept.map(|byte| match byte {
            b'+' | b'\t'..=b'\r' => ' ',
            byte => char::from(byte.to_ascii_lowercase()),
        });
        return folded.collect::<String>().into();
    }
    let spaced = text.chars().map(|letter| if letter == '+' || letter.is_whitespace() { ' ' } else { letter });
    let visible = spaced.filter(|letter| !vanishes(*letter));
    // In upper case letters are one that are two in lower case.
    visible.nfkc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfkc().collect::<String>().into()
}

/// Whether there may be something to undo in a text.
fn has_escapes(text: &str) -> bool {
    let bytes = text.as_bytes();
    let defanged = |at: usize| {
        let before = at.checked_sub(1).and_then(|before| bytes.get(before));
        matches!(before, Some(b'.' | b':' | b'/' | b't' | b'T'))
    };
    memchr::memchr3(b'%', b'&', b'\\', bytes).is_some() || memchr::memchr3_iter(b')', b']', b'}', bytes).any(defanged)
}

/// A text with percent, HTML, JSON and backslash escapes and defanging undone until nothing is left to undo.
///
/// One pass over the bytes: what an escape stands for is pushed like any byte, so that it may complete the escape that
/// it stands in. Bytes that are no UTF-8 stay percent-encoded, and so does `#`, which would cut off what follows it; a
/// backslash that escapes nothing is a slash.
pub(crate) fn unescaped(text: &str) -> String {
    let mut out: Vec<u8> = Vec::with_capacity(text.len());
    let mut pending: Vec<u8> = Vec::new();
    for byte in text.bytes() {
        push(&mut out, byte, &mut pending);
        while let Some(next) = pending.pop() {
            push(&mut out, next, &mut pending);
        }
    }
    let mut string = String::with_capacity(out.len());
    for chunk in out.utf8_chunks() {
        string.push_str(chunk.valid());
        for byte in chunk.invalid() {
            string.push('%');
            string.extend([byte >> 4, byte & 15].map(|digit| char::from_digit(u32::from(digit), 16).unwrap_or('0')));
        }
    }
    if memchr::memchr(b'\\', string.as_bytes()).is_none() {
        return string;
    }
    let mut slashed = String::with_capacity(string.len());
    let mut pieces = string.split('\\');
    slashed.extend(pieces.next());
    for piece in pieces {
        if !(piece.starts_with('%') || piece.is_empty() && slashed.ends_with('/')) {
            slashed.push('/');
        }
        slashed.push_str(piece);
    }
    slashed
}

/// Puts a byte on the stack; where it completes an escape, what that stands for goes to `pending` instead (last first).
fn push(out: &mut Vec<u8>, byte: u8, pending: &mut Vec<u8>) {
    // A percent sign may come to stand for anything.
    if byte.is_ascii() && !byte.is_ascii_alphanumeric() && !matches!(byte, b'\\' | b'%') {
        drop_backslashes(out);
    }
    out.push(byte);
    match byte {
        b'0'..=b'9' | b'a'..=b'f' | b'A'..=b'F' => complete_hex(out, pending),
        b';' => complete_entity(out, pending),
        b'}' if complete_braced(out, pending) => {}
        b']' | b')' | b'}' => complete_defanged(out, pending),
        // Three characters outside ASCII are canonically equal to one in ASCII.
        0xbe if out.ends_with("\u{37e}".as_bytes()) => replace(out, 2, b";", pending),
        0xaf if out.ends_with("\u{1fef}".as_bytes()) => replace(out, 3, b"`", pending),
        0xaa if out.ends_with("\u{212a}".as_bytes()) => replace(out, 3, b"k", pending),
        _ => {}
    }
}

fn replace(out: &mut Vec<u8>, length: usize, by: &[u8], pending: &mut Vec<u8>) {
    out.truncate(out.len().saturating_sub(length));
    if by == b"#" {
        out.extend(b"%23");
    } else {
        pending.extend(by.iter().rev());
    }
}

fn drop_backslashes(out: &mut Vec<u8>) {
    while out.last() == Some(&b'\\') {
        out.pop();
    }
}

fn complete_hex(out: &mut Vec<u8>, pending: &mut Vec<u8>) {
    let end = out.as_slice();
    if let [.., b'%', b'2', b'3'] = end {
    } else if let [.., b'%', high, low] = end {
        if let (Some(high), Some(low)) = (hex(*high), hex(*low)) {
            replace(out, 3, &[high << 4 | low], pending);
        }
    } else if let [.., b'%', b'u' | b'U', a, b, c, d] = end {
        // As browsers once escaped; what is cut here is no escape to parsers.
        if let Some(character) = hex4([*a, *b, *c, *d]).and_then(char::from_u32) {
            replace(out, 6, character.encode_utf8(&mut [0; 4]).as_bytes(), pending);
        }
    } else if let [.., b'\\', b'0', high @ (b'0' | b'1'), middle @ b'0'..=b'7', low @ b'0'..=b'7'] = end {
        complete_octal(out, 5, [*high, *middle, *low], pending);
    } else if let [.., b'\\', b'x', high, low] = end {
        if let (Some(high), Some(low)) = (hex(*high), hex(*low)) {
            out.truncate(out.len().saturating_sub(3));
            drop_backslashes(out);
            replace(out, 0, &[high << 4 | low], pending);
        }
    } else if let [.., b'\\', b'U', b'0', b'0', b'0', b'0', a, b, c, d] = end {
        if let Some(character) = hex4([*a, *b, *c, *d]).and_then(char::from_u32) {
            out.truncate(out.len().saturating_sub(10));
            drop_backslashes(out);
            replace(out, 0, character.encode_utf8(&mut [0; 4]).as_bytes(), pending);
        }
    } else if let [.., b'\\', high @ (b'0' | b'1'), middle @ b'0'..=b'7', low @ b'0'..=b'7'] = end {
        complete_octal(out, 4, [*high, *middle, *low], pending);
    } else if let [.., b'\\', b'u', a, b, c, d] = end
        && let Some(unit) = hex4([*a, *b, *c, *d])
    {
        let (length, unit) = match (unit, end) {
            (0xdc00..=0xdfff, [.., b'\\', b'u', a, b, c, d, _, _, _, _, _, _]) => match hex4([*a, *b, *c, *d]) {
                Some(high @ 0xd800..=0xdbff) => (12, 0x10000 + ((high - 0xd800) << 10) + (unit - 0xdc00)),
                _ => (6, unit),
            },
            _ => (6, unit),
        };
        // Half of a pair waits for the other half.
        if let Some(character) = char::from_u32(unit) {
            out.truncate(out.len().saturating_sub(length));
            drop_backslashes(out);
            replace(out, 0, character.encode_utf8(&mut [0; 4]).as_bytes(), pending);
        }
    }
}

/// Three digits of eight, as shells and C write a character that can be printed, with or without a nought before them.
fn complete_octal(out: &mut Vec<u8>, length: usize, [high, middle, low]: [u8; 3], pending: &mut Vec<u8>) {
    let byte = (high - b'0') << 6 | (middle - b'0') << 3 | (low - b'0');
    if matches!(byte, b' '..=b'~') {
        out.truncate(out.len().saturating_sub(length));
        drop_backslashes(out);
        replace(out, 0, &[byte], pending);
    }
}

/// The escapes that end with a brace: `\u{68}`, `\x{68}`.
fn complete_braced(out: &mut Vec<u8>, pending: &mut Vec<u8>) -> bool {
    let window = out.get(out.len().saturating_sub(LONGEST_BRACED)..).unwrap_or_default();
    let Some(escape) = memchr::memrchr(b'{', window).and_then(|at| window.get(at.checked_sub(2)?..)) else {
        return false;
    };
    let [b'\\', b'u' | b'x', b'{', digits @ .., b'}'] = escape else { return false };
    let (length, digits) = (escape.len(), str::from_utf8(digits).unwrap_or_default());
    let number =
        if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) { u32::from_str_radix(digits, 16).ok() } else { None };
    let Some(character) = number.and_then(char::from_u32) else { return false };
    out.truncate(out.len().saturating_sub(length));
    drop_backslashes(out);
    replace(out, 0, character.encode_utf8(&mut [0; 4]).as_bytes(), pending);
    true
}

pub(crate) fn hex(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

fn hex4(digits: [u8; 4]) -> Option<u32> {
    digits.iter().try_fold(0, |unit, digit| hex(*digit).map(|digit| unit << 4 | u32::from(digit)))
}

fn complete_entity(out: &mut Vec<u8>, pending: &mut Vec<u8>) {
    let window = out.get(out.len().saturating_sub(LONGEST_ENTITY)..).unwrap_or_default();
    let Some(entity) = memchr::memrchr(b'&', window).and_then(|at| window.get(at..)) else {
        return;
    };
    let Ok(entity) = str::from_utf8(entity) else { return };
    let length = entity.len();
    let decoded = htmlize::unescape(entity);
    // An entity without its semicolon is decoded by some readers only, and would leave the semicolon behind.
    if decoded != entity && !decoded.ends_with(';') || entity == "&semi;" || decoded == ";" {
        let decoded = decoded.into_owned();
        replace(out, length, decoded.as_bytes(), pending);
    }
}

fn complete_defanged(out: &mut Vec<u8>, pending: &mut Vec<u8>) {
    const INSIDES: [&[u8]; 5] = [b".", b"dot", b":", b"/", b"://"];
    let Some((close, rest)) = out.split_last() else { return };
    let open = match close {
        b']' => b'[',
        b')' => b'(',
        _ => b'{',
    };
    for inside in INSIDES {
        let Some((before, tail)) = rest.split_at_checked(rest.len().saturating_sub(inside.len())) else {
            continue;
        };
        if before.last() == Some(&open) && tail.eq_ignore_ascii_case(inside) {
            let by = if inside == b"dot" { b"." } else { inside };
            return replace(out, inside.len() + 2, by, pending);
        }
    }
}

/// The address inside an IPv6 host that only wraps an IPv4 one, or the host as parsers write it.
pub(super) fn address_text(host: &url::Host<String>) -> String {
    match host {
        url::Host::Domain(name) => name.clone(),
        url::Host::Ipv4(address) => address.to_string(),
        url::Host::Ipv6(address) => match Ipv6Addr::to_ipv4_mapped(address) {
            Some(inner) => inner.to_string(),
            None => format!("[{address}]"),
        },
    }
}

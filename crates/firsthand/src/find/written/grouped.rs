//! Bytes that are written one by one or in groups: hex and numbers with separators, base64 with spaces in it.
//!
//! Decoders skip what is no digit of theirs, so only values of arguments are read here, which a tool takes as a whole; in
//! prose every word would be a group.

use super::encoded;

/// The longest value that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// The shortest address, in bytes.
pub(super) const SHORTEST: usize = 8;

/// Calls `each` with what a value stands for when the separators in it are skipped.
pub(super) fn each_decoded(value: &str, each: &mut dyn FnMut(&str)) {
    if value.len() > LONGEST || value.len() < SHORTEST {
        return;
    }
    if may_hold_row(value) {
        for number in [hex, decimal, octal, binary] {
            numbers(value, number, each);
        }
    }
    let mut before = value.len();
    for signs in [&b"+/-_"[..], b"+/"] {
        let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || signs.contains(byte);
        let joined: String = value.bytes().filter(is_digit).map(char::from).collect();
        // Without anything to skip it is read elsewhere, and with no more than before it was.
        if joined.len() == std::mem::replace(&mut before, joined.len()) || joined.len() < encoded::SHORTEST {
            continue;
        }
        encoded::decode_signed(&joined, each);
        if !joined.bytes().all(|byte| byte.is_ascii_lowercase()) {
            // Nearly every sentence stands for some bytes, but not for a text.
            let decoded = encoded::from_base64(&joined).and_then(|bytes| String::from_utf8(bytes).ok());
            encoded::offer(decoded.map(String::into_bytes), each);
        }
    }
}

/// Whether digits of any base stand in a row that is long enough, as they do in few values.
fn may_hold_row(value: &str) -> bool {
    let mut row = 0;
    digits(value).any(|digits| {
        row = if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) { row + digits.len() } else { 0 };
        row >= SHORTEST
    })
}

/// The words of a value without the signs of numbers; those that may stand between numbers are left out.
fn digits(value: &str) -> impl Iterator<Item = &str> {
    let tokens = value.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|token| !token.is_empty());
    tokens.filter_map(|token| {
        let digits = token.strip_prefix("0x").unwrap_or(token).trim_start_matches(['x', 'X', 'u', 'U']);
        let is_name = ["chr", "char", "nchar"].iter().any(|name| token.eq_ignore_ascii_case(name));
        (!digits.is_empty() && !is_name).then_some(digits)
    })
}

/// Hands on what each row of numbers in a value stands for; the names of functions and escapes may stand between them.
fn numbers(value: &str, number: fn(&str, &mut Vec<u8>) -> Option<()>, each: &mut dyn FnMut(&str)) {
    let mut bytes = Vec::new();
    for digits in digits(value).chain(["end"]) {
        if number(digits, &mut bytes).is_none() {
            let row = std::mem::take(&mut bytes);
            if row.len() >= SHORTEST {
                encoded::offer(Some(row), each);
            }
        }
    }
}

fn hex(token: &str, bytes: &mut Vec<u8>) -> Option<()> {
    bytes.extend(encoded::from_hex(token)?);
    Some(())
}

fn decimal(token: &str, bytes: &mut Vec<u8>) -> Option<()> {
    bytes.push(token.parse().ok()?);
    Some(())
}

fn octal(token: &str, bytes: &mut Vec<u8>) -> Option<()> {
    bytes.push(u8::from_str_radix(token, 8).ok()?);
    Some(())
}

/// One byte or several in a row, each in eight digits.
fn binary(token: &str, bytes: &mut Vec<u8>) -> Option<()> {
    let groups = token.as_bytes().chunks(8).map(|digits| {
        let digits = str::from_utf8(digits).ok().filter(|digits| digits.len() >= 7)?;
        u8::from_str_radix(digits, 2).ok()
    });
    bytes.extend(groups.collect::<Option<Vec<u8>>>()?);
    Some(())
}

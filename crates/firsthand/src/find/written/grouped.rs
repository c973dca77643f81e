//! Bytes that are written one by one or in groups: hex and numbers with separators, base64 with spaces in it.
//!
//! Decoders skip what is no digit of theirs, so only values of arguments are read here, which a tool takes as a whole; in
//! prose every word would be a group.

use super::encoded;

/// The longest value that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// The shortest address, in bytes.
const SHORTEST: usize = 8;

/// Calls `each` with what a value stands for when the separators in it are skipped.
pub(super) fn each_decoded(value: &str, each: &mut dyn FnMut(&str)) {
    let separates = |byte: u8| !byte.is_ascii_alphanumeric();
    if value.len() > LONGEST || value.len() < SHORTEST || !value.trim().bytes().any(separates) {
        return;
    }
    for number in [hex, decimal, octal, binary] {
        if let Some(bytes) = numbers(value, number).filter(|bytes| bytes.len() >= SHORTEST) {
            encoded::offer(Some(bytes), each);
        }
    }
    let joined: String = value.chars().filter(|letter| encoded::is_digit(*letter)).collect();
    if joined.len() >= encoded::SHORTEST && !joined.bytes().all(|byte| byte.is_ascii_lowercase()) {
        // Nearly every sentence stands for some bytes, but not for a text.
        let decoded = encoded::from_base64(&joined).and_then(|bytes| String::from_utf8(bytes).ok());
        encoded::offer(decoded.map(String::into_bytes), each);
    }
}

/// What the numbers of a value stand for, if nothing but numbers and separators is in it.
fn numbers(value: &str, number: fn(&str, &mut Vec<u8>) -> Option<()>) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    for token in value.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|token| !token.is_empty()) {
        let token = token.strip_prefix("0x").or_else(|| token.strip_prefix(['x', 'X'])).unwrap_or(token);
        number(token, &mut bytes)?;
    }
    Some(bytes)
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

fn binary(token: &str, bytes: &mut Vec<u8>) -> Option<()> {
    bytes.push(Some(token).filter(|token| token.len() >= 7).and_then(|token| u8::from_str_radix(token, 2).ok())?);
    Some(())
}

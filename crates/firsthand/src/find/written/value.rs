//! What a tool may make of the whole value of an argument: read it backwards, join the literals in it, take its markup off.
//!
//! Only arguments are read like this. Each way has a sign that is looked for first, so that most values are read in none.

use std::borrow::Cow;
use std::net::Ipv6Addr;

use super::layers;
use super::scan::{Sink, first_spelling};

/// The longest value that is read, in bytes.
const LONGEST: usize = 16 * 1024;

/// Reads a value in every way that it shows signs of.
pub(super) fn read(value: &str, sink: &mut Sink<'_>) {
    if value.len() > LONGEST {
        return;
    }
    let signs = |signs: &[&str]| signs.iter().any(|sign| value.contains(sign));
    if signs(&["//:", "ptth", "PTTH"]) {
        layers::read_nested(&value.chars().rev().collect::<String>(), sink, 1);
    }
    if signs(&["uggc", "UGGC"]) {
        layers::read_nested(&value.chars().map(thirteen_on).collect::<String>(), sink, 1);
    }
    // Names in the older reading of international names, in which one letter is two.
    if signs(&["ß", "ẞ", "ς"]) {
        let older = value.replace(['ß', 'ẞ'], "ss").replace('ς', "σ");
        layers::read_nested(&older, sink, 1);
    }
    if let Some(every_other) = spaced_out(value) {
        layers::read_nested(&every_other, sink, 1);
    }
    if value.trim().parse::<Ipv6Addr>().is_ok() {
        sink.put(&format!("[{}]", value.trim()), None, true);
    }
    let spelling = || first_spelling(value).map(|(_, spelling)| spelling);
    for joined in [without_joints(value), without_markup(value)].into_iter().flatten() {
        if let Some((at, _)) = first_spelling(&joined) {
            let address = joined.get(at..).unwrap_or_default();
            let ends = |letter: char| letter.is_whitespace() || matches!(letter, '"' | '\'' | '`' | '<' | '>');
            let address = address.split(ends).next().unwrap_or_default();
            sink.put(address, spelling().as_deref(), true);
        }
    }
}

fn thirteen_on(letter: char) -> char {
    let turned = |first: u8, letter: u8| char::from(first + (letter - first + 13) % 26);
    match u8::try_from(letter) {
        Ok(byte @ b'a'..=b'z') => turned(b'a', byte),
        Ok(byte @ b'A'..=b'Z') => turned(b'A', byte),
        Ok(_) | Err(_) => letter,
    }
}

/// The letters of a value that has the same separator behind each of them.
fn spaced_out(value: &str) -> Option<String> {
    let value = value.trim();
    let mut separators = value.chars().skip(1).step_by(2);
    let first = separators.next().filter(|first| !first.is_alphanumeric())?;
    let apart = value.len() > 2 * super::grouped::SHORTEST && separators.all(|letter| letter == first);
    apart.then(|| value.chars().step_by(2).collect())
}

/// A value without what stands between two literals that a program joins, if there is such a place.
fn without_joints(value: &str) -> Option<Cow<'_, str>> {
    let mut joined = String::new();
    let mut rest = value;
    while let Some(at) = rest.find(['"', '\'', '`']) {
        let (before, quoted) = rest.split_at_checked(at)?;
        let joint = |letter: char| letter.is_whitespace() || matches!(letter, '+' | '.' | '&' | '|' | '~' | '\\');
        let behind = quoted.get(1..)?.trim_start_matches(joint);
        joined.push_str(before);
        if behind.starts_with(['"', '\'', '`']) {
            rest = behind.get(1..)?;
        } else {
            joined.push_str(quoted.get(..1)?);
            rest = quoted.get(1..)?;
        }
    }
    if joined.len() + rest.len() + 1 >= value.len() {
        return None;
    }
    joined.push_str(rest);
    Some(joined.into())
}

/// A value without the tags and the emphasis in it, if there is any.
fn without_markup(value: &str) -> Option<Cow<'_, str>> {
    if !value.contains('<') && !value.contains("**") && !value.contains("__") {
        return None;
    }
    let mut bare = String::new();
    let mut rest = value;
    while let Some((before, tag)) = rest.split_once('<') {
        bare.push_str(before);
        rest = tag.split_once('>').map_or("", |(_, behind)| behind);
    }
    bare.push_str(rest);
    Some(bare.replace("**", "").replace("__", "").into())
}

//! Runs in which each start has one end only: nothing in them is a bracket, a quote, an escape or a second scheme.
//!
//! What some reader may cut from such an address is punctuation behind it, which its wide key leaves out anyway.

use super::start::Start;
use crate::address::Form;
use crate::find::sign;

/// How many addresses may start in the run.
const STARTS: usize = 4;

/// May stand anywhere in it.
const PLAIN: u8 = 1;
/// Dots and hyphens, before which and behind which others are no part of a name.
const JOINT: u8 = 2;
const BEHIND_JOINT: u8 = 4;
/// A slash, and what makes a detour of it.
const SLASH: u8 = 8;
const BEHIND_SLASH: u8 = 16;
/// A dot, behind which a capital begins a sentence.
const DOT: u8 = 32;
const CAPITAL: u8 = 64;
/// Punctuation behind it.
const TAIL: u8 = 128;

static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0;
    #[expect(clippy::indexing_slicing, reason = "evaluated when the program is built")]
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' | b'=' => PLAIN,
            b'A'..=b'Z' => PLAIN | CAPITAL,
            b'.' => PLAIN | JOINT | BEHIND_JOINT | BEHIND_SLASH | DOT | TAIL,
            b'-' => PLAIN | JOINT | BEHIND_JOINT,
            b'_' => PLAIN | BEHIND_JOINT,
            b'/' => PLAIN | BEHIND_JOINT | SLASH | BEHIND_SLASH,
            b'?' => PLAIN | BEHIND_JOINT | TAIL,
            b',' | b';' | b'!' | b')' => TAIL,
            _ => 0,
        };
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Where the addresses of a run end that reaches to a byte, if they all end there only.
pub(super) fn end(text: &str, starts: &[Start], run_end: usize) -> Option<usize> {
    let (first, rest) = starts.split_first().filter(|_| starts.len() <= STARTS)?;
    let scheme = text.get(first.at..first.authority)?;
    let is_known = match first.form {
        Form::Absolute => matches!(scheme, "https://" | "http://"),
        Form::Bare => true,
        Form::Relative => false,
    };
    if !is_known || rest.iter().any(|start| start.form != Form::Bare) {
        return None;
    }
    let run = text.as_bytes().get(first.authority..run_end)?;
    let tail = run.iter().rev().take_while(|byte| class(**byte) & TAIL != 0).count();
    let run = run.get(..run.len() - tail)?;
    let begins_and_ends = run.first()?.is_ascii_alphanumeric()
        && run.last().is_some_and(|last| last.is_ascii_alphanumeric() || matches!(last, b'/' | b'='));
    if !begins_and_ends || !is_easy(run) {
        return None;
    }
    let end = run_end - tail;
    let has_one_end = |start: &Start| {
        let address = text.as_bytes().get(start.authority..end).unwrap_or_default();
        match behind_name(address) {
            None => !begins_with_www_only(address),
            Some(b'/' | b'?') => true,
            Some(_) => start.form == Form::Absolute,
        }
    };
    starts.iter().all(has_one_end).then_some(end)
}

/// Whether nothing in a run ends some reader's address.
fn is_easy(run: &[u8]) -> bool {
    let (mut all, mut joints, mut before) = (PLAIN, 0, 0);
    for byte in run {
        let class = class(*byte);
        all &= class;
        joints |= before << 1 & class;
        before = class & (JOINT | SLASH | DOT);
    }
    all != 0 && joints & (BEHIND_JOINT | BEHIND_SLASH | CAPITAL) == 0
}

/// What follows a name of a host.
fn behind_name(address: &[u8]) -> Option<u8> {
    address.iter().find(|byte| sign::classes(**byte) & sign::NAME == 0).copied()
}

/// Whether a name is `www.` and one label, from which a dot behind it would take the first.
fn begins_with_www_only(mut name: &[u8]) -> bool {
    let is_www = |name: &[u8]| name.first_chunk().is_some_and(|head: &[u8; 4]| head.eq_ignore_ascii_case(b"www."));
    if !is_www(name) {
        return false;
    }
    while is_www(name) {
        name = name.get(4..).unwrap_or_default();
    }
    memchr::memchr(b'.', name).is_none()
}

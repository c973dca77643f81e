//! Texts with runs in which more addresses start than are read to the end one by one.
//!
//! There the generous side looks only a few starts ahead, so that its work stays linear. The strict side is linear whatever a
//! text holds, so what it finds is taken over.

use super::scan::{LONG_READINGS, Sink};
use crate::address::{Address, Form};
use crate::find::{Format, Found, Voice, shown, shown_in_json};

/// Takes what the strict side finds in a crowded text.
pub(super) fn read(text: &str, sink: &mut Sink<'_>) {
    if !is_crowded(text) {
        return;
    }
    sink.remember();
    for format in [Format::Auto, Format::Plain, Format::Markdown, Format::Html, Format::Json] {
        for voice in [Voice::Person, Voice::World] {
            shown(text, format, voice, &mut |found| take(&found, sink));
        }
    }
}

/// The same of a JSON text.
pub(super) fn read_json(text: &str, sink: &mut Sink<'_>) {
    if is_crowded(text) {
        sink.remember();
        for voice in [Voice::Person, Voice::World] {
            shown_in_json(text, voice, &mut |_, found| take(&found, sink));
        }
    }
}

/// Whether more addresses may start in a run without white space than are read to its end. Every start has a dot or a colon,
/// or an entity or escape that stands for one.
fn is_crowded(text: &str) -> bool {
    let may_start = |byte: &&u8| matches!(**byte, b'.' | b':' | b';' | b'\\');
    let mut runs = text.as_bytes().split(u8::is_ascii_whitespace);
    runs.any(|run| run.iter().filter(may_start).count() > LONG_READINGS)
}

fn take(found: &Found<'_>, sink: &mut Sink<'_>) {
    let spelling = &*found.spelling;
    match found.form {
        Form::Absolute | Form::Bare => sink.put(spelling, Some(spelling), false),
        Form::Relative => return,
    }
    if let Some(address) = Address::written(spelling, found.form) {
        sink.put(address.reveal(), Some(spelling), false);
    }
}

//! Texts with runs in which more addresses start than are read to the end one by one, in any way that they are read.
//!
//! There the generous side looks only a few starts ahead, so that its work stays linear. The strict side is linear whatever a
//! text holds, so what it finds is taken over.

use super::sink::{Sink, Spelling};
use crate::address::{Address, Form};
use crate::find::{Format, Found, Voice, shown, shown_in_json};

/// Takes what the strict side finds in a crowded text.
pub(super) fn read(text: &str, sink: &mut Sink<'_>) {
    if !sink.is_crowded {
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
    if sink.is_crowded {
        sink.remember();
        for voice in [Voice::Person, Voice::World] {
            shown_in_json(text, voice, &mut |_, found| take(&found, sink));
        }
    }
}

fn take(found: &Found<'_>, sink: &mut Sink<'_>) {
    let spelling = Spelling::new(&found.spelling);
    match found.form {
        Form::Absolute | Form::Bare => sink.put(spelling.text, Some(&spelling), false),
        Form::Relative => return,
    }
    if let Some(address) = Address::written(spelling.text, found.form) {
        sink.put(address.reveal(), Some(&spelling), false);
    }
}

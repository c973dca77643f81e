//! What a call opens, by what is known of the tool.

use super::Inner;
use crate::json::{self, Path};
use crate::policy::Kind;

/// What a call opens.
#[derive(Clone, Debug, Default)]
pub struct Opens {
    /// The addresses in argument order.
    pub addresses: Vec<String>,
    /// The call has something that is sent along.
    pub payload: bool,
    /// The addresses stand in a program: a verdict on them is advice.
    pub program: bool,
    /// Nobody declared the tool: what it does with an address is not known.
    pub undeclared: bool,
}

/// What a call opens by what is known of the tool.
pub fn opens(call: &Inner<'_>) -> Opens {
    let Some(rule) = call.opener.filter(|rule| !rule.opens.is_empty() || !rule.opens_text.is_empty()) else {
        let undeclared = call.rule.is_none_or(|rule| rule.kind == Kind::Other && rule.result.is_none());
        let addresses = if undeclared { addresses_anywhere(call, &[]) } else { Vec::new() };
        return Opens { addresses, undeclared, ..Opens::default() };
    };
    let mut opens = Opens { program: matches!(rule.kind, Kind::Shell | Kind::Script), ..Opens::default() };
    let walked = json::walk(&call.arguments, &mut |path, leaf| {
        if leaf.kind == json::Kind::Key {
            // The names of arguments are the tool's, but names inside of one are sent along like values: headers, parameters.
            let is_known = |patterns: &[Path]| patterns.iter().any(|pattern| pattern.meets(path));
            opens.payload |= path.len() > 1
                && ![&rule.inert, &rule.opens, &rule.opens_text].into_iter().any(|patterns| is_known(patterns));
            return;
        }
        let string = leaf.kind == json::Kind::String;
        if rule.opens.iter().any(|pattern| pattern.meets(path)) {
            if string {
                opens.addresses.push(leaf.text.into_owned());
            } else if &*leaf.text != "null" {
                opens.payload = true;
            }
        } else if rule.opens_text.iter().any(|pattern| pattern.meets(path)) {
            if string {
                in_prose(&leaf.text, &mut opens.addresses);
            }
        } else if !rule.inert.iter().any(|pattern| pattern.covers(path)) {
            opens.payload |= if string { !leaf.text.trim().is_empty() } else { &*leaf.text != "null" };
        }
    });
    opens.payload |= walked.repeated_key || !walked.whole;
    if opens.program {
        opens.payload = false;
    } else if opens.addresses.is_empty() {
        // An opener that is given an address elsewhere may well open it: a name in other letters, arguments as one text.
        opens.addresses = addresses_anywhere(call, &rule.inert);
    }
    opens
}

/// The addresses of prose that a tool opens: what the strict reading finds, and every word that holds `://`.
fn in_prose(text: &str, addresses: &mut Vec<String>) {
    use crate::address::Form;
    use crate::find::{Format, Found, Voice, shown};
    let mut covered: Vec<std::ops::Range<usize>> = Vec::new();
    shown(text, Format::Plain, Voice::World, &mut |found: Found<'_>| match found.form {
        Form::Absolute | Form::Bare => {
            covered.push(found.start..found.end);
            addresses.push(found.spelling.into_owned());
        }
        Form::Relative => {}
    });
    let mut at = 0;
    for word in text.split_inclusive(char::is_whitespace) {
        let start = at;
        at += word.len();
        let Some(scheme) = word.find("://") else { continue };
        let place = start + scheme;
        if !covered.iter().any(|range| range.contains(&place)) {
            addresses.push(word.trim().to_owned());
        }
    }
}

/// The addresses with a scheme in any argument but these.
fn addresses_anywhere(call: &Inner<'_>, except: &[Path]) -> Vec<String> {
    use crate::address::Form;
    use crate::find::{Voice, shown_in_json};
    let mut addresses = Vec::new();
    shown_in_json(&call.arguments, Voice::World, &mut |path, found| match found.form {
        Form::Absolute if !except.iter().any(|pattern| pattern.covers(path)) => {
            addresses.push(found.spelling.into_owned());
        }
        Form::Absolute | Form::Bare | Form::Relative => {}
    });
    addresses
}

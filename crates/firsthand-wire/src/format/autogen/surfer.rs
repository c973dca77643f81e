//! Messages of Magentic-One's browser: what it did, where that led, what it saw.
//!
//! A message begins with a sentence about one action and goes on with the page: a line that names it, its metadata as
//! JSON, and the words that a model made out in a picture of it. Only the metadata are the page's own. What the model
//! typed stands in the same message and could imitate all of this, so metadata count only where each part is there
//! exactly once. A message that is no report of an action is an answer of a model's.

use firsthand::conversation::{Content, Producer, Speaker};

use super::call;
use crate::format::recorded::draft::Draft;
use crate::format::recorded::node::{Node, Spot};

/// How the line begins that names the page.
const PAGE: &str = "Here is a screenshot of [";
/// The line before the metadata.
const METADATA: &str = "\nThe following metadata was extracted from the webpage:\n";

/// How the sentence about something that was typed begins.
const TYPED: &str = "I typed '";

/// Reads a message of the browser.
pub(super) fn read(draft: &mut Draft, text: &str, spot: &Spot, index: usize) {
    let (head, rest) = text.split_once('\n').unwrap_or((text, ""));
    let shows_a_page = text.matches(PAGE).count() == 1 && rest.trim_start().starts_with(PAGE);
    let (tool, arguments) = match head.strip_prefix(TYPED).map(typed) {
        Some(Some((tool, name, typed))) => (tool, vec![(name.into(), Node::Text(typed.into()))]),
        // What was typed goes on in the next line, so where it ends is not known.
        Some(None) => return draft.said(spot, Speaker::Assistant, text),
        // The name of what was clicked is the page's, no argument of the model's.
        None if head.starts_with("I clicked ") && shows_a_page => ("WebSurfer.click", Vec::new()),
        None if head.starts_with("I ") && shows_a_page => ("WebSurfer.other", Vec::new()),
        None => return draft.said(spot, Speaker::Report, text),
    };
    draft.model_message(Some(&spot.text()), spot);
    let id = call(draft, spot, index, tool, &Node::Map(arguments));
    draft.end_model_message();
    if !shows_a_page {
        return draft.said(spot, Speaker::Assistant, rest);
    }
    let (metadata, seen) = match metadata(rest) {
        Some((before, metadata, after)) => (metadata, format!("{head}\n{before}\n{after}")),
        None => (Node::Null, text.to_owned()),
    };
    let page = vec![("metadata".into(), metadata), ("text".into(), Node::Text(seen.into()))];
    draft.result(spot, Producer::Call(id), Content::Json(Node::Map(page).json().into()), false);
}

/// The tool that typed, the name of its argument and what was typed.
fn typed(sentence: &str) -> Option<(&'static str, &'static str, &str)> {
    let (typed, field) = sentence.rsplit_once("' into ")?;
    Some(match field.trim_end() {
        "the browser address bar." => ("WebSurfer.visit_url", "url", typed),
        "the browser search bar." => ("WebSurfer.web_search", "query", typed),
        _ => ("WebSurfer.input_text", "text_value", typed),
    })
}

/// The metadata of the page, with what stands before and after them, where it is plain which they are.
fn metadata(text: &str) -> Option<(&str, Node<'_>, &str)> {
    let (before, rest) = text.split_once(METADATA)?;
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<Node<'_>>();
    let metadata = values.next()?.ok().filter(Node::is_map)?;
    let after = rest.get(values.byte_offset()..)?;
    (!after.contains(METADATA.trim_start())).then_some((before, metadata, after))
}

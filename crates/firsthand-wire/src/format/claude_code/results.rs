//! What tools returned.
//!
//! A line holds a result twice: as the text that the model saw, and as the tool's own structure. The structure is read
//! where only it tells whose words are whose (search hits beside commentary) or where only it is whole (connectors).

use firsthand::conversation::{Body, Content, Producer, Text, ToolResult};
use serde::Deserialize;
use serde_json::{Map, Value};

use super::super::lax::{Blocks, Node, Raw, Reparsed, Word};
use super::super::recorded::signs::{Watched, failed_within};
use super::record::Block;

/// What is known of a call when its result comes.
#[derive(Clone, Debug)]
pub(super) struct Called<'t> {
    pub(super) server: Option<String>,
    pub(super) tool: String,
    /// The message that it stands in.
    pub(super) message: &'t str,
}

/// A result as it stands in a line.
#[derive(Debug)]
pub(super) struct Found<'r, 't> {
    /// The whole line.
    pub(super) line: &'r Reparsed<'t>,
    /// Where the block stands in it.
    pub(super) pointer: &'r str,
    pub(super) block: &'r Watched<Block<'t>>,
    /// A sign of what it stands in says that it failed.
    pub(super) failed: bool,
    /// The id of the call.
    pub(super) call: &'r str,
    pub(super) called: Option<&'r Called<'t>>,
    /// The tool's structure, if it belongs to this block.
    pub(super) structured: Option<Raw<'t>>,
    /// The field that holds it.
    pub(super) structured_at: &'static str,
}

/// Where each part of a result stands, and the part.
pub(super) fn bodies(found: &Found<'_, '_>) -> Vec<(String, Body)> {
    let is_error = is_error(found);
    let mut parts = Parts { call: found.call, is_error, bodies: Vec::new() };
    let connector = found.called.is_some_and(|called| called.server.is_some());
    let tool = found.called.filter(|called| called.server.is_none()).map(|called| called.tool.as_str());
    match (tool, found.structured) {
        (Some("AskUserQuestion"), Some(structured)) if !is_error => {
            answers(&mut parts, structured, found.structured_at)
        }
        (Some("WebSearch"), structured) if !is_error => hits(&mut parts, found, structured),
        (_, Some(structured)) if connector && !is_error => connector_parts(&mut parts, structured, found.structured_at),
        (_, _) => {}
    }
    if parts.bodies.is_empty() {
        let pointer = format!("{}/content", found.pointer);
        seen_parts(&mut parts, found, &pointer);
    }
    if parts.bodies.is_empty() {
        // A result that says nothing still answers its call.
        parts.add(found.pointer.to_owned(), Content::Text(Text::from("")));
    }
    parts.bodies
}

struct Parts<'r> {
    call: &'r str,
    is_error: bool,
    bodies: Vec<(String, Body)>,
}

impl Parts<'_> {
    fn add(&mut self, pointer: String, content: Content) {
        let from = Producer::Call(self.call.to_owned());
        let result = ToolResult { from, content, is_error: self.is_error, mime: None, redirects: Vec::new() };
        self.bodies.push((pointer, Body::Result(result)));
    }

    fn text(&mut self, pointer: String, text: Text) {
        if !text.is_empty() {
            self.add(pointer, Content::Text(text));
        }
    }
}

fn is_error(found: &Found<'_, '_>) -> bool {
    // Only a string can say it, and the structure of a result is long.
    let said = found.structured.filter(|structured| structured.text().starts_with('"'));
    let said = said.and_then(|structured| structured.read::<Word<'_>>());
    let failed = said.is_some_and(|said| said.or_empty().starts_with("Error"));
    let begins = match &found.block.content {
        Blocks::Text(text) => text.starts_with("<tool_use_error>"),
        Blocks::List(_) | Blocks::Absent | Blocks::Odd => false,
    };
    found.failed || found.block.failed() || failed || begins || is_error_within(found)
}

/// Whether the structure of what a connector or a search returned says that there was an error. What other tools returned
/// opens nothing, and is long.
fn is_error_within(found: &Found<'_, '_>) -> bool {
    let is_believed = found.called.is_some_and(|called| called.server.is_some() || called.tool == "WebSearch");
    let structured = found.structured.filter(|structured| is_believed && structured.text().starts_with('{'));
    structured.and_then(|structured| structured.read()).is_some_and(|structured| failed_within(&structured))
}

/// The hits of a search. In the text that the model saw they stand between the query and commentary, which a model
/// wrote; so that text, where there is nothing else, is given as commentary.
fn hits(parts: &mut Parts<'_>, found: &Found<'_, '_>, structured: Option<Raw<'_>>) {
    #[derive(Deserialize)]
    struct Search<'t> {
        #[serde(borrow, default)]
        results: Option<Raw<'t>>,
    }

    let listed = structured.filter(|structured| {
        let results = structured.read::<Search<'_>>().and_then(|search| search.results);
        results.is_some_and(|results| results.text().starts_with('['))
    });
    if let Some(structured) = listed {
        parts.add(found.structured_at.to_owned(), Content::Json(Text::from(structured.text())));
        return;
    }
    let pointer = format!("{}/content", found.pointer);
    for (place, text) in super::record::texts(&found.block.content, &pointer) {
        let commentary = format!("{{\"results\":[{}]}}", Value::from(text.as_ref()));
        parts.add(if place.is_empty() { pointer.clone() } else { place }, Content::Json(Text::from(commentary)));
    }
}

/// What a person answered to questions: choices repeat the questions' options, free text is the person's.
fn answers(parts: &mut Parts<'_>, structured: Raw<'_>, at: &str) {
    #[derive(Deserialize)]
    struct Asked {
        #[serde(default)]
        answers: Map<String, Value>,
        #[serde(default)]
        annotations: Map<String, Value>,
    }

    let Some(asked) = structured.read::<Asked>() else { return };
    let notes = asked.annotations.values().filter_map(|annotation| annotation.get("notes"));
    for (key, value) in
        asked.answers.values().map(|value| ("answers", value)).chain(notes.map(|value| ("annotations", value)))
    {
        let texts = value.as_array().map_or(std::slice::from_ref(value), Vec::as_slice);
        for text in texts.iter().filter_map(Value::as_str).filter(|text| !text.is_empty()) {
            let body = Body::Answer { call: parts.call.to_owned(), text: Text::from(text) };
            parts.bodies.push((format!("{at}/{key}"), body));
        }
    }
}

/// The blocks that a connector returned.
fn connector_parts(parts: &mut Parts<'_>, structured: Raw<'_>, at: &str) {
    let Some(content) = structured.read::<Blocks<'_, Watched<Block<'_>>>>() else { return };
    let wrapped = structured.text().starts_with('{');
    let wrapper = first_block(&content).filter(|block| wrapped && block.kind.get().is_none());
    match wrapper {
        Some(wrapper) => {
            let json = Reparsed::of(structured.text());
            blocks(parts, &wrapper.content, &json, "/content", at);
            if let Some(structured) = wrapper.structured {
                let json = Content::Json(Text::from(structured.text()));
                parts.add(format!("{at}/structuredContent"), json);
            }
            if parts.bodies.is_empty() {
                parts.add(at.to_owned(), Content::Json(Text::from(structured.text())));
            }
        }
        None if wrapped => parts.add(at.to_owned(), Content::Json(Text::from(structured.text()))),
        None => blocks(parts, &content, &Reparsed::of(structured.text()), "", at),
    }
}

fn first_block<'b, 't>(content: &'b Blocks<'t, Watched<Block<'t>>>) -> Option<&'b Watched<Block<'t>>> {
    match content {
        Blocks::List(blocks) => blocks.first().and_then(Node::get),
        Blocks::Text(_) | Blocks::Absent | Blocks::Odd => None,
    }
}

/// What the model saw.
fn seen_parts(parts: &mut Parts<'_>, found: &Found<'_, '_>, pointer: &str) {
    if found.block.content == Blocks::Odd {
        let json = found.line.at(pointer);
        parts.add(pointer.to_owned(), Content::Json(Text::from(json)));
    }
    blocks(parts, &found.block.content, found.line, pointer, "");
}

/// Blocks of a result: texts as texts, pictures and sound not at all, everything else as the JSON that it is. `within`
/// points to them in `json`; `above` is where `json` stands in the line.
fn blocks(
    parts: &mut Parts<'_>,
    content: &Blocks<'_, Watched<Block<'_>>>,
    json: &Reparsed<'_>,
    within: &str,
    above: &str,
) {
    let list = match content {
        Blocks::Text(text) => return parts.text(format!("{above}{within}"), text.text()),
        Blocks::List(list) => list,
        Blocks::Absent | Blocks::Odd => return,
    };
    for (index, block) in list.iter().enumerate() {
        let place = format!("{above}{within}/{index}");
        let known = block.get().and_then(|block| Some((block.kind.get()?, block)));
        match known {
            Some(("text", block)) if !block.text.is_odd() => parts.text(place, block.text.text()),
            Some(("image" | "audio" | "tool_reference", _)) => {}
            _ => {
                let raw = json.at(&format!("{within}/{index}"));
                parts.add(place, Content::Json(Text::from(raw)));
            }
        }
    }
}

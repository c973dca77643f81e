//! Spans and log records in the forms that exporters write, with their attributes by name.

use std::collections::BTreeMap;

use crate::format::recorded::api::placed;
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs::is_member_of_a_child;

/// Something owned: attributes that are JSON texts are parsed, and outlive the file.
pub(super) type Own = Node<'static>;

/// How deep lists and containers of spans may stand in each other.
const DEEPEST: usize = 12;

/// A span, or the log records that belong to one.
#[derive(Clone, Debug)]
pub(super) struct Span {
    /// Where its attributes stand.
    pub(super) spot: Spot,
    pub(super) id: String,
    pub(super) parent: String,
    pub(super) trace: String,
    pub(super) failed: bool,
    /// It says that no person is in it.
    pub(super) is_child: bool,
    attributes: BTreeMap<String, Own>,
    /// Its events: name, attributes and where they stand.
    pub(super) events: Vec<(String, BTreeMap<String, Own>, Spot)>,
    start: String,
}

impl Span {
    /// An attribute, unless it is missing or null.
    pub(super) fn get(&self, key: &str) -> Option<&Own> {
        self.attributes.get(key).filter(|value| !value.is_null())
    }

    /// The first of these attributes that is there, with its name.
    pub(super) fn first<'k>(&self, keys: &[&'k str]) -> Option<(&'k str, &Own)> {
        keys.iter().find_map(|key| self.get(key).map(|value| (*key, value)))
    }

    /// An attribute as a word, empty where there is none.
    pub(super) fn say(&self, keys: &[&str]) -> String {
        self.first(keys).map(|(_, value)| word(value)).unwrap_or_default()
    }

    /// Attributes whose names begin so: the rest of the name and the value.
    pub(super) fn below<'s>(&'s self, start: &'s str) -> impl Iterator<Item = (&'s str, &'s Own)> {
        let from = self.attributes.range(start.to_owned()..);
        from.map_while(move |(key, value)| key.strip_prefix(start).map(|rest| (rest, value)))
    }

    /// What kind of work it is, in the words of whichever convention says so.
    pub(super) fn kind(&self) -> Kind {
        let said =
            self.say(&["gen_ai.operation.name", "openinference.span.kind", "traceloop.span.kind", "llm.request.type"]);
        match &*said.to_ascii_lowercase() {
            "invoke_agent" | "create_agent" | "agent" | "invoke_workflow" => Kind::Agent,
            "execute_tool" | "tool" => Kind::Tool,
            "chat" | "call_llm" | "generate_content" | "text_completion" | "llm" | "completion" => Kind::Model,
            _ => Kind::Other,
        }
    }
}

/// What a span is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Agent,
    Tool,
    Model,
    Other,
}

/// The text of a string or number.
pub(super) fn word(value: &Own) -> String {
    match value {
        Node::Text(text) => text.as_ref().to_owned(),
        Node::Number(number) => number.to_string(),
        Node::Null | Node::Bool(_) | Node::List(_) | Node::Map(_) => String::new(),
    }
}

/// The spans of a file.
#[derive(Default)]
pub(super) struct Spans {
    list: Vec<Span>,
}

impl Spans {
    /// Adds what a value of the file holds.
    pub(super) fn add(&mut self, node: Own, spot: &Spot) {
        self.walk(&node, spot, 0);
    }

    /// The spans in the order in which they began, as far as all of them say when; else as the file has them.
    pub(super) fn sorted(mut self) -> Vec<Span> {
        if self.list.iter().all(|span| !span.start.is_empty()) {
            self.list.sort_by(|one, other| one.start.cmp(&other.start));
        }
        self.list
    }

    fn walk(&mut self, node: &Own, spot: &Spot, depth: usize) {
        const LISTS: &[&str] = &[
            "resourceSpans",
            "resource_spans",
            "batches",
            "scopeSpans",
            "scope_spans",
            "instrumentationLibrarySpans",
            "spans",
            "resourceLogs",
            "resource_logs",
            "scopeLogs",
            "scope_logs",
            "logRecords",
            "log_records",
            "data",
        ];
        if depth > DEEPEST {
            return;
        }
        if is_message(node) {
            return self.messages(std::slice::from_ref(node), spot);
        }
        if node.list().iter().any(is_message) {
            return self.messages(node.list(), spot);
        }
        for (element, spot) in placed(node.list(), spot) {
            self.walk(element, &spot, depth + 1);
        }
        let mut held = false;
        for key in LISTS {
            if let Some(list) = node.find(key).filter(|list| list.is_list()) {
                held = true;
                self.walk(list, &spot.at(key), depth + 1);
            }
        }
        if !held && node.is_map() {
            self.span(node, spot);
        }
    }

    /// Messages without a span around them.
    fn messages(&mut self, messages: &[Own], spot: &Spot) {
        let list = match self.list.last_mut() {
            Some(span) if span.id == "messages" => {
                span.attributes.entry("gen_ai.input.messages".to_owned()).or_insert(Node::List(Vec::new()))
            }
            _ => {
                let mut span = span(&Node::Null, spot);
                span.id = "messages".to_owned();
                span.attributes.insert("gen_ai.input.messages".to_owned(), Node::List(Vec::new()));
                self.list.push(span);
                return self.messages(messages, spot);
            }
        };
        if let Node::List(list) = list {
            list.extend(messages.iter().cloned());
        }
    }

    fn span(&mut self, node: &Own, spot: &Spot) {
        let mut span = span(node, spot);
        // Log records of one span are its events.
        let name =
            ["eventName", "event_name", "event.name"].iter().map(|key| node.word(key)).find(|name| !name.is_empty());
        let name = name.map_or_else(|| span.say(&["event.name"]), |name| name.into_owned());
        if name.starts_with("gen_ai.") {
            let mut attributes = std::mem::take(&mut span.attributes);
            if let Some(body) = node.find("body") {
                flatten("", &plain(body), &mut attributes);
            }
            let event = (name, attributes, span.spot.clone());
            match self
                .list
                .last_mut()
                .filter(|last| !last.id.is_empty() && last.id == span.id && !last.events.is_empty())
            {
                Some(last) => last.events.push(event),
                None => {
                    span.events.push(event);
                    self.list.push(span);
                }
            }
            return;
        }
        self.list.push(span);
    }
}

fn is_message(node: &Own) -> bool {
    node.find("role").is_some() && node.get("parts").is_list()
}

fn span(node: &Own, spot: &Spot) -> Span {
    let of = |keys: &[&str]| {
        let found = keys.iter().find_map(|key| {
            let value = key.split('.').try_fold(node, |node, key| node.find(key))?;
            Some(word(value)).filter(|word| !word.is_empty())
        });
        found.unwrap_or_default()
    };
    let (key, list) = ["attributes", "tags"].iter().find_map(|key| Some((*key, node.find(key)?))).unzip();
    let mut attributes = BTreeMap::new();
    match list {
        Some(list) => gather(list, &mut attributes),
        // The attributes themselves, without a span around them.
        None => flatten("", node, &mut attributes),
    }
    let top = spot;
    let spot = key.map_or_else(|| top.clone(), |key| top.at(key));
    let references = node.get("references").list().first().map(|span| span.word("spanID").into_owned());
    let parent = references.filter(|id| !id.is_empty()).unwrap_or_else(|| of(PARENTS));
    // What names a span above this one in another form than an id hides what stands there.
    let is_odd =
        |key: &&str| !matches!(node.get(key), Node::Null | Node::Text(_) | Node::Number(_) | Node::Bool(false));
    let is_child = PARENTS.iter().any(is_odd)
        || node.members().iter().any(|(name, value)| name != "kind" && is_member_of_a_child(name, value))
        || attributes.iter().any(|(name, value)| name != "kind" && is_member_of_a_child(name, value));
    let start = of(&[
        "startTimeUnixNano",
        "start_time_unix_nano",
        "start_time",
        "startTime",
        "timeUnixNano",
        "observedTimeUnixNano",
        "timestamp",
    ]);
    let start = if start.bytes().all(|byte| byte.is_ascii_digit()) && !start.is_empty() {
        format!("{start:0>24}")
    } else {
        start
    };
    let status = of(&["status.code", "status.status_code", "status_code"]).to_ascii_lowercase();
    let failed = matches!(&*status, "2" | "error" | "status_code_error" | "statuscode.error")
        || attributes.contains_key("error.type");
    let mut events = Vec::new();
    for (event, spot) in placed(node.get("events").list(), &top.at("events")) {
        let mut said = BTreeMap::new();
        gather(event.get("attributes"), &mut said);
        let name = event.find("name").map_or_else(|| event.say("event.name"), |name| name.text().unwrap_or_default());
        events.push((name.to_owned(), said, spot));
    }
    Span {
        id: id_of(&of(&["spanId", "span_id", "context.span_id", "spanID", "context.spanId"])),
        parent: id_of(&parent),
        trace: id_of(&of(&["traceId", "trace_id", "context.trace_id", "traceID", "context.traceId"])),
        spot,
        failed,
        is_child,
        attributes,
        events,
        start,
    }
}

/// Where a span names the one above it.
const PARENTS: &[&str] = &["parentSpanId", "parent_span_id", "parent_id", "parent.span_id", "parentId"];

/// An id in one spelling: exporters write it in either case, some with `0x`. One of zeros is none.
fn id_of(id: &str) -> String {
    let id = id.trim().to_ascii_lowercase();
    let bare = id.strip_prefix("0x").unwrap_or(&id);
    if bare.bytes().all(|byte| byte == b'0') { String::new() } else { bare.to_owned() }
}

/// Attributes: an object, or a list of names and values.
fn gather(list: &Own, attributes: &mut BTreeMap<String, Own>) {
    for attribute in list.list() {
        attributes.insert(attribute.say("key").to_owned(), plain(attribute.get("value")));
    }
    flatten("", list, attributes);
}

/// Objects in objects as names with dots, which other exporters write.
fn flatten(start: &str, node: &Own, attributes: &mut BTreeMap<String, Own>) {
    for (name, value) in node.members() {
        let name = format!("{start}{name}");
        let nested = ["gen_ai", "llm", "tool", "input", "output", "openinference", "session", "traceloop"];
        let deeper = nested.iter().any(|own| name == *own || name.starts_with(&format!("{own}.")));
        if value.is_map() && deeper && name.matches('.').count() < 4 && !name.ends_with(".arguments") {
            flatten(&format!("{name}."), value, attributes);
        }
        attributes.insert(name, plain(value));
    }
}

/// A value without the types that the protocol wraps it in.
fn plain(value: &Own) -> Own {
    const SCALARS: &[&str] = &[
        "stringValue",
        "string_value",
        "intValue",
        "int_value",
        "doubleValue",
        "double_value",
        "boolValue",
        "bool_value",
    ];
    let [(kind, inner)] = value.members() else { return value.clone() };
    let values = || inner.get("values").list().iter();
    match &**kind {
        kind if SCALARS.contains(&kind) => inner.clone(),
        "arrayValue" | "array_value" => Node::List(values().map(plain).collect()),
        "kvlistValue" | "kvlist_value" => Node::Map(
            values().map(|member| (member.say("key").to_owned().into(), plain(member.get("value")))).collect(),
        ),
        _ => value.clone(),
    }
}

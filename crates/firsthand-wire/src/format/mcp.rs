//! Logs of MCP: JSON-RPC requests, responses and notifications between a client and one server, in the order in which
//! they were sent.
//!
//! A `tools/call` is a call of that server's tool, and its response the result. A resource that was read is its server's.
//! What a server says otherwise (instructions, descriptions, prompts, questions, log messages) is the host's. What was said
//! outside the connection is not in the log.

use std::collections::BTreeMap;

use firsthand::address::{Address, is_bare_root};
use firsthand::conversation::{Content, Conversation, Producer, Ran, Speaker, ToolResult};
use firsthand::find::{Voice, shown, written_in_json};
use serde_json::Value;

use super::probe::{Probe, says};
use super::recorded::api::placed;
use super::recorded::draft::{Draft, NewCall};
use super::recorded::node::{Node, Spot};
use super::recorded::signs;
use super::recorded::units::{Unit, each_unit};
use super::{Format, Source};
use crate::error::ReadError;

/// Logs of MCP.
pub(super) const FORMAT: Format = Format { name: "mcp", title: "MCP log (JSON-RPC)", read, recognises };

/// How methods of MCP begin; JSON-RPC carries other protocols too.
const METHODS: &[&str] = &[
    "tools/",
    "resources/",
    "prompts/",
    "sampling/",
    "elicitation/",
    "roots/",
    "completion/",
    "logging/",
    "tasks/",
    "server/discover",
    "notifications/",
];

fn recognises(probe: &Probe) -> bool {
    let is_mcp = |value: &Value| {
        says(value, "jsonrpc", "2.0")
            && (METHODS.iter().any(|method| says(value, "method", method))
                || value.pointer("/params/protocolVersion").is_some()
                || value.pointer("/result/protocolVersion").is_some()
                || value.pointer("/result/content").is_some_and(Value::is_array)
                || value.pointer("/result/structuredContent").is_some())
    };
    let batch = |value: &Value| value.as_array().is_some_and(|list| list.iter().any(is_mcp));
    probe.values().iter().any(|value| is_mcp(value) || batch(value))
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut log = Log::new();
    log.draft.hidden(&Spot::top(None), true, "what was said outside the connection to this server");
    each_unit(bytes, &mut |Unit { spot, node }| {
        if node.is_list() {
            return placed(node.list(), &spot).into_iter().try_for_each(|(message, spot)| log.message(message, &spot));
        }
        log.message(&node, &spot)
    })?;
    Ok(vec![log.draft.finish(source.stem().to_owned())])
}

/// Whether a text, or an address of it, stands in a question.
fn stands_in(text: &str, question: &str) -> bool {
    if question.contains(text.trim()) {
        return true;
    }
    let mut offered = Vec::new();
    written_in_json(question, &mut |written| offered.push(written.key.to_owned()));
    let mut stands = false;
    shown(text, firsthand::find::Format::Auto, Voice::Person, &mut |found| {
        if let Some(key) = Address::written(&found.spelling, found.form).map(|address| address.wide()) {
            let holds = |offered: &String| offered.contains(&key) || key.contains(offered) && !is_bare_root(offered);
            stands |= offered.iter().any(holds);
        }
    });
    stands
}

struct Log {
    draft: Draft,
    server: Option<String>,
    /// Requests that wait for their response, by id. Both sides number theirs, so there may be two of one.
    open: BTreeMap<String, Vec<Request>>,
    /// The calls of tasks that go on in the background.
    tasks: BTreeMap<String, String>,
    /// What servers asked in results, by the names of the questions.
    asked: BTreeMap<String, String>,
}

/// A request that waits for its response.
struct Request {
    kind: Kind,
    /// The id of the call in the conversation.
    call: String,
    /// The parameters, as JSON.
    params: String,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Call,
    Resource,
    /// A result of a call that went on in the background.
    Task,
    /// The server asks a person.
    Question,
    /// The server asks a model.
    Sampling,
    Other,
}

impl Log {
    fn new() -> Self {
        Self {
            draft: Draft::new(FORMAT.name),
            server: None,
            open: BTreeMap::new(),
            tasks: BTreeMap::new(),
            asked: BTreeMap::new(),
        }
    }

    fn message(&mut self, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        if message.say("jsonrpc") != "2.0" {
            return Err(spot.unexpected(message, "a message of JSON-RPC 2.0"));
        }
        // Numbers and strings are ids of their own.
        let id = message.find("id").map(Node::json);
        match (message.get("method").text(), id) {
            (Some(method), id) => {
                self.draft.enter(&[message]);
                self.request(method, id, message.get("params"), &spot.at("params"));
            }
            (None, Some(id)) => self.response(&id, message, spot),
            (None, None) => {}
        }
        Ok(())
    }

    fn request(&mut self, method: &str, id: Option<String>, params: &Node<'_>, spot: &Spot) {
        let is_server = method.starts_with("sampling/") || method.starts_with("elicitation/");
        let mut call = String::new();
        let kind = match method {
            "tools/call" => {
                call = self.call(params, spot);
                Kind::Call
            }
            "resources/read" => {
                self.draft.model_message(None, spot);
                let mut members = vec![("uri".into(), params.get("uri").clone())];
                members.extend(self.server.as_deref().map(|server| ("server".into(), Node::Text(server.into()))));
                let arguments = Node::Map(members).json();
                let new =
                    NewCall { id: "".into(), server: None, tool: "read_mcp_resource", arguments, ran: Ran::Client };
                call = self.draft.call(spot, new);
                Kind::Resource
            }
            "tasks/result" | "tasks/get" => {
                call = self.tasks.get(params.say("taskId")).cloned().unwrap_or_default();
                Kind::Task
            }
            "elicitation/create" => Kind::Question,
            "sampling/createMessage" => Kind::Sampling,
            _ => Kind::Other,
        };
        match (kind, method) {
            (Kind::Call | Kind::Resource | Kind::Task, _) => {}
            _ if is_server => self.host(params, spot),
            // What a client asks for otherwise may hold the model's words; what either side notes holds the host's.
            (_, "initialize" | "ping" | "notifications/progress") => {}
            (_, method) if method.starts_with("notifications/") => self.host(params, spot),
            _ if !params.is_empty() => {
                self.draft.model_message(None, spot);
                self.draft.said(spot, Speaker::Assistant, &params.without(&["_meta", "cursor"]).json());
            }
            _ => {}
        }
        if let Some(id) = id {
            self.open.entry(id).or_default().push(Request { kind, call, params: params.json() });
        }
    }

    fn host(&mut self, node: &Node<'_>, spot: &Spot) {
        self.draft.end_model_message();
        if !node.is_empty() {
            self.draft.said(spot, Speaker::System, &node.json());
        }
    }

    fn call(&mut self, params: &Node<'_>, spot: &Spot) -> String {
        // A call that is repeated with answers to the server's questions.
        for (name, answer) in params.get("inputResponses").members() {
            let question = self.asked.remove(&**name);
            self.person(answer, question.as_deref(), &spot.at("inputResponses"));
        }
        self.draft.model_message(None, spot);
        let arguments = params.find("arguments").map_or_else(|| "{}".to_owned(), Node::json);
        let server = self.server.as_deref();
        self.draft.call(spot, NewCall { id: "".into(), server, tool: params.say("name"), arguments, ran: Ran::Client })
    }

    fn response(&mut self, id: &str, message: &Node<'_>, spot: &Spot) {
        self.draft.end_model_message();
        let (result, at) = (message.get("result"), spot.at("result"));
        self.draft.enter(&[message]);
        let request = self.answered(id, result);
        let kind = request.as_ref().map_or(Kind::Other, |request| request.kind);
        let call = request.as_ref().map(|request| request.call.clone()).unwrap_or_default();
        if let Some(error) = message.find("error") {
            match kind {
                Kind::Call | Kind::Resource | Kind::Task => {
                    let json = Content::Json(error.without(&["code"]).json().into());
                    self.draft.result(&spot.at("error"), Producer::Call(call), json, true);
                }
                Kind::Question | Kind::Sampling | Kind::Other => self.host(error, &spot.at("error")),
            }
            return;
        }
        match kind {
            Kind::Call | Kind::Task => self.returned(call, result, &at),
            Kind::Resource => {
                for (content, spot) in placed(result.get("contents").list(), &at.at("contents")) {
                    self.resource(&Producer::Call(call.clone()), content, &spot, signs::failed(result));
                }
            }
            Kind::Question => {
                let question = request.map(|request| request.params);
                self.person(result, question.as_deref(), &at);
            }
            Kind::Sampling => {
                self.draft.model_message(None, &at);
                let content = result.get("content");
                let text = content.get("text").text().map_or_else(|| content.json(), str::to_owned);
                self.draft.said(&at, Speaker::Assistant, &text);
            }
            // A result whose call is not in the log.
            Kind::Other if result.get("content").is_list() || result.find("structuredContent").is_some() => {
                self.returned(String::new(), result, &at);
            }
            Kind::Other => {
                if let Some(name) = result.get("serverInfo").get("name").text() {
                    self.server = Some(name.to_owned());
                }
                self.host(&result.without(&["_meta"]), &at);
            }
        }
    }

    /// The request that a response answers: the latest of its id whose kind of response it is, else the latest.
    fn answered(&mut self, id: &str, result: &Node<'_>) -> Option<Request> {
        let open = self.open.get_mut(id)?;
        let fits = |request: &Request| match request.kind {
            Kind::Question => result.find("action").is_some(),
            Kind::Sampling => result.find("role").is_some(),
            Kind::Resource => result.find("contents").is_some(),
            Kind::Call | Kind::Task => result.find("content").is_some() || result.find("structuredContent").is_some(),
            Kind::Other => false,
        };
        let place = open.iter().rposition(fits).or_else(|| open.len().checked_sub(1))?;
        Some(open.remove(place))
    }

    /// What a person answered to a server's question: something only where they sent the form off. What stands in the
    /// question is the server's.
    fn person(&mut self, answer: &Node<'_>, question: Option<&str>, spot: &Spot) {
        let content = answer.get("content");
        let question = question.filter(|_| answer.say("action") == "accept");
        if let Some(by) = signs::against(answer) {
            self.draft.suspect(by);
        }
        for (name, value) in content.members() {
            match (value.text(), question) {
                (Some(text), Some(question)) if !stands_in(text, question) => {
                    self.draft.user(&spot.at("content"), text)
                }
                _ => self.draft.said(&spot.at("content"), Speaker::System, &format!("{name}: {}", value.json())),
            }
        }
    }

    fn returned(&mut self, call: String, result: &Node<'_>, spot: &Spot) {
        if let Some(task) = result.get("task").get("taskId").text() {
            self.tasks.insert(task.to_owned(), call);
            return;
        }
        if let Some(questions) = result.find("inputRequests") {
            for (name, question) in questions.members() {
                if question.say("method") == "elicitation/create" {
                    self.asked.insert(name.clone().into_owned(), question.get("params").json());
                }
            }
            return self.host(questions, &spot.at("inputRequests"));
        }
        let from = Producer::Call(call);
        let is_error = signs::failed(result);
        for (part, spot) in placed(result.get("content").list(), &spot.at("content")) {
            match part.say("type") {
                "text" => {
                    let is_error = is_error || signs::failed(part);
                    self.draft.result(&spot, from.clone(), Content::Text(part.say("text").into()), is_error);
                }
                "resource" => self.resource(&from, part.get("resource"), &spot.at("resource"), is_error),
                "resource_link" => {
                    let link = part.only(&["uri", "name", "title", "description"]);
                    self.draft.result(&spot, from.clone(), Content::Json(link.json().into()), is_error);
                }
                "image" | "audio" => {}
                _ => self.draft.said(&spot, Speaker::System, &part.json()),
            }
        }
        if let Some(structured) = result.find("structuredContent") {
            let json = Content::Json(structured.json().into());
            self.draft.result(&spot.at("structuredContent"), from, json, is_error);
        }
    }

    /// The text of a resource. Its address repeats what was asked for.
    fn resource(&mut self, from: &Producer, resource: &Node<'_>, spot: &Spot, is_error: bool) {
        if let Some(text) = resource.get("text").text() {
            let mime = resource.get("mimeType").text().map(str::to_owned);
            let result = ToolResult {
                from: from.clone(),
                content: Content::Text(text.into()),
                is_error,
                mime,
                redirects: Vec::new(),
            };
            self.draft.returned(spot, result);
        }
    }
}

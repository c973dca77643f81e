//! The parts of a content.

use firsthand::conversation::{Content, Producer, Ran, Speaker};

use crate::format::recorded::draft::{Draft, NewCall};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// Whose content a part stands in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Place {
    User,
    Model,
    Host,
}

/// The member under either of its two spellings: the wire's, and the one that logs of clients have.
pub(in crate::format) fn either<'n, 'a>(node: &'n Node<'a>, camel: &str, snake: &str) -> Option<&'n Node<'a>> {
    node.find(camel).or_else(|| node.find(snake))
}

/// Reads a part.
pub(in crate::format) fn part(draft: &mut Draft, place: Place, part: &Node<'_>, spot: &Spot) {
    if let Some(text) = part.text().or(part.get("text").text()) {
        return match (part.get("thought"), place) {
            // Whatever says that it is a thought was not a person's.
            (Node::Null | Node::Bool(false), Place::User) => draft.typed(spot, part, text),
            (Node::Null | Node::Bool(false), Place::Model) => draft.said(spot, Speaker::Assistant, text),
            (Node::Null | Node::Bool(false), Place::Host) => draft.said(spot, Speaker::System, text),
            (_, _) => draft.said(spot, Speaker::Thinking, text),
        };
    }
    if let Some(call) = either(part, "functionCall", "function_call") {
        return function_call(draft, call, &spot.at("functionCall"));
    }
    if let Some(response) = either(part, "functionResponse", "function_response") {
        return function_response(draft, response, &spot.at("functionResponse"), signs::failed(part));
    }
    if let Some(code) = either(part, "executableCode", "executable_code") {
        let arguments = code.only(&["code", "language"]).json();
        let call = NewCall { id: code.word("id"), server: None, tool: CODE, arguments, ran: Ran::Provider };
        draft.call(&spot.at("executableCode"), call);
        return;
    }
    if let Some(result) = either(part, "codeExecutionResult", "code_execution_result") {
        let from = draft.answered_by_place(Some(CODE)).unwrap_or_else(|| draft.answered_by_id(""));
        let content = Content::Text(result.say("output").into());
        let is_error = result.say("outcome") != "OUTCOME_OK" || signs::failed(result) || signs::failed(part);
        return draft.result(&spot.at("codeExecutionResult"), from, content, is_error);
    }
    if let Some(call) = either(part, "toolCall", "tool_call") {
        let tool = provider_tool(call);
        let arguments = call.find("args").map_or_else(|| "{}".to_owned(), Node::json);
        let call = NewCall { id: call.word("id"), server: None, tool: &tool, arguments, ran: Ran::Provider };
        draft.call(&spot.at("toolCall"), call);
        return;
    }
    if let Some(response) = either(part, "toolResponse", "tool_response") {
        let from = answered(draft, response, &provider_tool(response));
        let content = Content::Json(response.get("response").json().into());
        let failed = signs::failed(part) || signs::failed(response);
        let is_error = failed || signs::failed_within(response.get("response"));
        return draft.result(&spot.at("toolResponse"), from, content, is_error);
    }
    for (camel, snake) in [("inlineData", "inline_data"), ("fileData", "file_data")] {
        if let Some(data) = either(part, camel, snake) {
            return match place {
                Place::User => {
                    let name = either(data, "displayName", "display_name").and_then(Node::text);
                    let uri = either(data, "fileUri", "file_uri").and_then(Node::text).unwrap_or_default();
                    draft.attachment(&spot.at(camel), name, uri);
                }
                Place::Model | Place::Host => {}
            };
        }
    }
    let rest = part.without(SIGNS);
    match place {
        // A signature without anything else.
        _ if rest.is_empty() => {}
        Place::Model => draft.said(spot, Speaker::Assistant, &rest.json()),
        Place::User | Place::Host => draft.said(spot, Speaker::System, &rest.json()),
    }
}

/// Whether a part is a call or what one returned: no person writes such a part.
pub(in crate::format) fn is_of_a_tool(part: &Node<'_>) -> bool {
    const OF_TOOLS: &[(&str, &str)] = &[
        ("functionCall", "function_call"),
        ("functionResponse", "function_response"),
        ("toolCall", "tool_call"),
        ("toolResponse", "tool_response"),
        ("executableCode", "executable_code"),
        ("codeExecutionResult", "code_execution_result"),
    ];
    OF_TOOLS.iter().any(|(camel, snake)| either(part, camel, snake).is_some())
}

/// The tool that code of the model's runs in.
const CODE: &str = "code_execution";

/// What stands beside any part and says nothing.
const SIGNS: &[&str] = &["thoughtSignature", "thought_signature", "thought", "videoMetadata", "video_metadata"];

fn function_call(draft: &mut Draft, call: &Node<'_>, spot: &Spot) {
    let arguments = match call.find("args") {
        Some(arguments) => arguments.json(),
        // Arguments may come in pieces; then they show what the model wrote, whole or not.
        None => call.without(&["id", "name", "willContinue", "will_continue"]).json(),
    };
    let call = NewCall { id: call.word("id"), server: None, tool: call.say("name"), arguments, ran: Ran::Client };
    draft.call(spot, call);
}

fn function_response(draft: &mut Draft, response: &Node<'_>, spot: &Spot, is_error: bool) {
    let from = answered(draft, response, response.say("name"));
    returned(draft, response, spot, &from, is_error);
}

/// Reads what a function returned.
pub(in crate::format) fn returned(
    draft: &mut Draft,
    function: &Node<'_>,
    spot: &Spot,
    from: &Producer,
    is_error: bool,
) {
    let (response, spot) = (function.get("response"), spot.at("response"));
    let is_error = is_error || signs::failed(function) || signs::failed_within(response);
    // By habit the whole of what came back stands under one of these.
    let inner = match response.members() {
        [(name, inner)] if matches!(&**name, "output" | "result" | "error") => inner,
        _ => response,
    };
    let content = match inner.text() {
        Some(text) => Content::Text(text.into()),
        None if inner.is_null() => Content::Text("".into()),
        None => Content::Json(inner.json().into()),
    };
    draft.result(&spot, from.clone(), content, is_error);
}

/// The call that a response answers: by its id, else the first open one of its name.
fn answered(draft: &mut Draft, response: &Node<'_>, tool: &str) -> Producer {
    match &*response.word("id") {
        "" => draft.answered_by_place(Some(tool)).unwrap_or_else(|| draft.answered_by_id("")),
        id => draft.answered_as(id, Some(tool)),
    }
}

/// The name of a tool that the provider runs: `GOOGLE_SEARCH_WEB` is what the tool list calls `google_search`.
fn provider_tool(call: &Node<'_>) -> String {
    let kind = either(call, "toolType", "tool_type").and_then(Node::text).unwrap_or_default();
    match kind {
        "GOOGLE_SEARCH_WEB" => "google_search".to_owned(),
        kind => kind.to_ascii_lowercase(),
    }
}

/// What of a part stays the same when a client sends it again. Clients may leave reasoning out, and join texts.
pub(super) fn essence(part: &Node<'_>, essence: &mut String) {
    if !matches!(part.get("thought"), Node::Null | Node::Bool(false)) {
        return;
    }
    if let Some(text) = part.text().or(part.get("text").text()) {
        return essence.push_str(text);
    }
    let by_id = |node: &Node<'_>, keys: &[&str]| {
        let has_id = node.find("id").is_some();
        node.only(if has_id { &["id", "name"] } else { keys }).json()
    };
    let pairs = [
        ("functionCall", "function_call", &["name", "args"][..]),
        ("functionResponse", "function_response", &["name", "response"][..]),
        ("toolCall", "tool_call", &["args"][..]),
        ("toolResponse", "tool_response", &["response"][..]),
        ("executableCode", "executable_code", &["code"][..]),
        ("codeExecutionResult", "code_execution_result", &["output"][..]),
    ];
    let found = pairs.iter().find_map(|(camel, snake, keys)| Some((camel, either(part, camel, snake)?, keys)));
    match found {
        Some((name, node, keys)) => {
            essence.push_str(name);
            essence.push_str(&by_id(node, keys));
        }
        None => {
            let rest = part.without(SIGNS);
            if !rest.is_empty() {
                essence.push_str(&rest.json());
            }
        }
    }
}

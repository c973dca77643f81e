//! The items of `input` and `output`.

use std::borrow::Cow;

use firsthand::conversation::{Content, Producer, Ran, Speaker};

use super::message;
use crate::error::ReadError;
use crate::format::openai_chat::arguments_text;
use crate::format::recorded::api::placed;
use crate::format::recorded::draft::{Draft, NewCall, results_of};
use crate::format::recorded::node::{Node, Spot};
use crate::format::recorded::signs;

/// The types of items that no other API has.
pub(super) const TYPES: &[&str] = &[
    "function_call",
    "function_call_output",
    "custom_tool_call",
    "custom_tool_call_output",
    "web_search_call",
    "file_search_call",
    "code_interpreter_call",
    "computer_call",
    "computer_call_output",
    "local_shell_call",
    "local_shell_call_output",
    "shell_call",
    "shell_call_output",
    "apply_patch_call",
    "apply_patch_call_output",
    "image_generation_call",
    "mcp_call",
    "mcp_list_tools",
    "mcp_approval_request",
    "mcp_approval_response",
    "tool_search_call",
    "tool_search_output",
    "item_reference",
];

/// Reads an item.
pub(super) fn read(draft: &mut Draft, item: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
    // The input of a request may be one text of the user's.
    if let Some(text) = item.text() {
        draft.user(spot, text);
        return Ok(());
    }
    if !item.is_map() {
        return Err(spot.unexpected(item, "an item"));
    }
    let before = draft.len();
    match (item.say("type"), item.get("role").text()) {
        ("message" | "", Some(role)) => {
            let content = item.get("content");
            if !matches!(content, Node::Null | Node::Text(_) | Node::List(_)) {
                return Err(spot.at("content").unexpected(content, "a string or an array of parts"));
            }
            message::read(draft, role, content, &spot.at("content"));
        }
        (kind, _) => read_typed(draft, kind, item, spot),
    }
    draft.name(before, item.say("id"));
    Ok(())
}

fn read_typed(draft: &mut Draft, kind: &str, item: &Node<'_>, spot: &Spot) {
    match kind {
        "function_call" => {
            let arguments = arguments(item.get("arguments"));
            let name = qualified(item);
            draft.call(spot, client(item, &name, arguments));
        }
        "custom_tool_call" => {
            let arguments = arguments(item.get("input"));
            let name = qualified(item);
            draft.call(spot, client(item, &name, arguments));
        }
        "computer_call" => own(draft, item, spot, "computer", &["action", "actions"]),
        "local_shell_call" | "shell_call" => own(draft, item, spot, kind, &["action"]),
        "apply_patch_call" => own(draft, item, spot, "apply_patch", &["operation"]),
        "tool_search_call" => {
            let arguments = arguments(item.get("arguments"));
            draft.call(spot, NewCall { ran: who(item), ..client(item, "tool_search", arguments) });
        }
        "program" => {
            let arguments = item.only(&["code"]).json();
            draft.call(spot, NewCall { ran: Ran::Provider, ..client(item, "program", arguments) });
        }
        "function_call_output" | "custom_tool_call_output" | "apply_patch_call_output" => {
            let from = producer(draft, item);
            message::returned(draft, item.get("output"), &spot.at("output"), &from, signs::failed(item));
        }
        "local_shell_call_output" | "shell_call_output" => shell_output(draft, item, spot),
        "computer_call_output" => {
            let from = producer(draft, item);
            draft.result(spot, from, Content::Text("".into()), signs::failed(item));
        }
        "tool_search_output" => {
            let from = producer_of(draft, item, "tool_search");
            draft.result(spot, from, Content::Json(item.get("tools").json().into()), signs::failed(item));
        }
        "program_output" => {
            let from = producer(draft, item);
            message::returned(draft, item.get("result"), &spot.at("result"), &from, signs::failed(item));
        }
        "web_search_call" => web_search(draft, item, spot),
        "file_search_call" => {
            let results = item.find("results").map(|hits| results_of(hits.list().to_vec()));
            hosted(draft, item, spot, "file_search", item.only(&["queries"]).json(), results);
        }
        "code_interpreter_call" => code_interpreter(draft, item, spot),
        "image_generation_call" => {
            hosted(draft, item, spot, "image_generation", item.only(&["prompt", "revised_prompt"]).json(), None);
        }
        "mcp_call" => mcp_call(draft, item, spot),
        "command_execution" => {
            let output = item.find("output").and_then(Node::text).map(|text| Content::Text(text.into()));
            hosted(draft, item, spot, "command_execution", item.only(&["command"]).json(), output);
        }
        "create_subagent_call" | "send_subagent_input_call" | "wait_for_subagents_call" => {
            draft.call(spot, client(item, kind, item.without(&["type", "id", "status", "call_id"]).json()));
        }
        // What one agent writes to another is a task or a report; as a task it binds more.
        "agent_message" => {
            let content = item.get("content");
            let text = content.text().map_or_else(|| content.json(), str::to_owned);
            draft.said(spot, Speaker::Task, &text);
        }
        // The call itself comes when a person agreed; until then it is what the model would like to do.
        "mcp_approval_request" => draft.said(spot, Speaker::Assistant, &item.only(&["name", "arguments"]).json()),
        "mcp_approval_response" => draft.said(spot, Speaker::System, item.say("reason")),
        "mcp_list_tools" | "additional_tools" => draft.said(spot, Speaker::System, &item.get("tools").json()),
        "reasoning" => reasoning(draft, item, spot),
        "compaction" => draft.hidden(spot, true, "the history that an encrypted summary stands for"),
        "item_reference" if draft.has_item(item.say("id")) => {}
        "item_reference" => draft.hidden(spot, true, "an item that the server holds"),
        "compaction_trigger" | "configuration_update" => {}
        // The result of a tool that is not known takes the class of its call.
        kind if kind.ends_with("_output") && item.get("call_id").text().is_some() => {
            let from = producer(draft, item);
            message::returned(draft, item.get("output"), &spot.at("output"), &from, signs::failed(item));
        }
        _ => draft.said(spot, Speaker::Assistant, &item.json()),
    }
}

/// A call that the client runs.
fn client<'n>(item: &'n Node<'_>, tool: &'n str, arguments: String) -> NewCall<'n> {
    let id = call_id(item);
    NewCall { id, server: None, tool, arguments, ran: Ran::Client }
}

/// The id of a call: its own name for it, else the item's.
fn call_id<'n>(item: &'n Node<'_>) -> Cow<'n, str> {
    let call = item.word("call_id");
    if call.is_empty() { item.word("id") } else { call }
}

/// The name of a function. One in a namespace is not the tool that has the same name without; a namespace that hosts give
/// to a server makes it the server's.
fn qualified(item: &Node<'_>) -> String {
    match (item.say("namespace"), item.say("name")) {
        ("", name) => name.to_owned(),
        (namespace, name) if namespace == name => name.to_owned(),
        (namespace, name) if namespace.starts_with("mcp__") => {
            format!("{}__{name}", namespace.trim_end_matches('_'))
        }
        (namespace, name) => format!("{namespace}.{name}"),
    }
}

/// A call of a tool that the API defines and the client runs.
fn own(draft: &mut Draft, item: &Node<'_>, spot: &Spot, tool: &str, keys: &[&str]) {
    draft.call(spot, client(item, tool, item.only(keys).json()));
}

/// Who searches for tools: the item says it.
fn who(item: &Node<'_>) -> Ran {
    if item.say("execution") == "client" { Ran::Client } else { Ran::Provider }
}

/// Arguments as a JSON text.
fn arguments(arguments: &Node<'_>) -> String {
    if arguments.is_null() { "{}".to_owned() } else { arguments_text(arguments) }
}

/// A call that the provider ran, with what it returned where the record has it.
fn hosted(draft: &mut Draft, item: &Node<'_>, spot: &Spot, tool: &str, arguments: String, result: Option<Content>) {
    let id = draft.call(spot, NewCall { ran: Ran::Provider, ..client(item, tool, arguments) });
    draft.settle();
    if let Some(content) = result {
        draft.result(spot, Producer::Call(id), content, signs::failed(item));
    }
}

/// Searching, opening a page and searching in it are three calls. The text of pages is never in the record.
fn web_search(draft: &mut Draft, item: &Node<'_>, spot: &Spot) {
    let action = item.get("action");
    match action.say("type") {
        "search" => {
            let sources = action.get("sources").list().iter().filter(|source| source.find("url").is_some());
            let mut hits: Vec<Node<'_>> = sources.map(|source| source.only(&["url", "title"])).collect();
            hits.extend(item.get("results").list().iter().cloned());
            let results = (!hits.is_empty()).then(|| results_of(hits));
            hosted(draft, item, spot, "web_search", action.only(&["query", "queries"]).json(), results);
        }
        "" => {
            let tool = if item.say("name").is_empty() { "web_search" } else { item.say("name") };
            hosted(draft, item, spot, tool, arguments(item.get("arguments")), None);
        }
        kind => hosted(draft, item, spot, kind, action.without(&["type", "sources"]).json(), None),
    }
}

fn code_interpreter(draft: &mut Draft, item: &Node<'_>, spot: &Spot) {
    let arguments = item.only(&["code"]).json();
    let id = draft.call(spot, NewCall { ran: Ran::Provider, ..client(item, "code_interpreter", arguments) });
    draft.settle();
    for (output, spot) in placed(item.get("outputs").list(), &spot.at("outputs")) {
        let content = match output.get("logs").text() {
            Some(logs) => Content::Text(logs.into()),
            None => Content::Json(output.json().into()),
        };
        draft.result(&spot, Producer::Call(id.clone()), content, signs::failed(output));
    }
}

fn mcp_call(draft: &mut Draft, item: &Node<'_>, spot: &Spot) {
    let arguments = arguments(item.get("arguments"));
    let server = item.get("server_label").text();
    let call = NewCall { server, ran: Ran::Provider, ..client(item, item.say("name"), arguments) };
    let id = draft.call(spot, call);
    draft.settle();
    let has_failed = signs::failed(item);
    for key in ["output", "error"] {
        if let Some(output) = item.find(key) {
            message::returned(draft, output, &spot.at(key), &Producer::Call(id.clone()), has_failed);
        }
    }
}

fn shell_output(draft: &mut Draft, item: &Node<'_>, spot: &Spot) {
    let from = producer(draft, item);
    let (output, spot) = (item.get("output"), spot.at("output"));
    if !output.list().iter().any(Node::is_map) {
        return message::returned(draft, output, &spot, &from, false);
    }
    for (part, spot) in placed(output.list(), &spot) {
        for key in ["stdout", "stderr"] {
            if !part.get(key).is_empty() {
                draft.result(&spot.at(key), from.clone(), Content::Text(part.say(key).into()), false);
            }
        }
    }
}

fn reasoning(draft: &mut Draft, item: &Node<'_>, spot: &Spot) {
    for key in ["summary", "content"] {
        for (part, spot) in placed(item.get(key).list(), &spot.at(key)) {
            let text = part.text().or(part.get("text").text()).map_or_else(|| part.json(), str::to_owned);
            draft.said(&spot, Speaker::Thinking, &text);
        }
    }
    if item.find("encrypted_content").is_some() {
        draft.hidden(spot, false, "reasoning that is encrypted");
    }
}

/// The call that an output answers: by its id; without one by its name and place.
fn producer(draft: &mut Draft, item: &Node<'_>) -> Producer {
    let name = qualified(item);
    producer_of(draft, item, &name)
}

fn producer_of(draft: &mut Draft, item: &Node<'_>, tool: &str) -> Producer {
    // Newer outputs have an id of their own and, for their call, its name.
    let by_name = item.word("call_id").is_empty() && !tool.is_empty();
    let placed = if by_name { draft.answered_by_place(Some(tool)) } else { None };
    placed.unwrap_or_else(|| draft.answered_by_id(&call_id(item)))
}

//! The lines of `firsthand items`: a conversation as it was read, one JSON object for each item.

use std::collections::BTreeMap;

use firsthand::conversation::{Body, Call, Content, Conversation, Item, Producer, ToolResult};
use firsthand::writer::Writer;
use serde::Serialize;
use serde_json::value::RawValue;

/// The JSON lines of a conversation, each without its line end.
///
/// `writer` says whose words an item is; `None` for what holds no words, such as a rewind.
pub fn lines(
    conversation: &Conversation,
    mut writer: impl FnMut(usize, &Item) -> Option<Writer>,
) -> Vec<String> {
    let mut calls: BTreeMap<&str, &Call> = BTreeMap::new();
    let mut lines = Vec::with_capacity(conversation.items.len());
    for (index, item) in conversation.items.iter().enumerate() {
        if let Body::Call(call) = &item.body
            && !call.id.is_empty()
        {
            calls.insert(&call.id, call);
        }
        let writer = writer(index, item);
        lines.push(line(&conversation.id, index, item, writer, &calls));
    }
    lines
}

/// Every key is always present.
#[derive(Serialize)]
struct Line<'a> {
    item: usize,
    at: &'a str,
    turn: Option<u32>,
    batch: Option<&'a str>,
    run: &'a str,
    position: &'static str,
    writer: Option<&'static str>,
    server: Option<&'a str>,
    tool: Option<&'a str>,
    call: Option<&'a str>,
    text: Option<&'a str>,
    json: Option<&'a RawValue>,
}

fn line(
    run: &str,
    index: usize,
    item: &Item,
    writer: Option<Writer>,
    calls: &BTreeMap<&str, &Call>,
) -> String {
    let Item { id: _, at, turn, batch, time: _, body } = item;
    let mut line = Line {
        item: index,
        at,
        turn: *turn,
        batch: batch.as_deref(),
        run,
        position: body.position().name(),
        writer: writer.map(Writer::name),
        server: None,
        tool: None,
        call: None,
        text: None,
        json: None,
    };
    let json = |text| serde_json::from_str::<&RawValue>(text).ok();
    match body {
        Body::User { text, relayed: _ } | Body::Said { by: _, text } => line.text = Some(text),
        Body::Attachment { name: _, text, from_agent_path: _ } => line.text = Some(text),
        Body::Call(Call { id, server, tool, arguments, ran: _, custom: _ }) => {
            line.call = Some(id);
            line.server = server.as_deref();
            line.tool = Some(tool);
            line.json = json(arguments);
            // Arguments that are cut off or were never JSON are shown as they stand.
            line.text = line.json.is_none().then_some(arguments);
        }
        Body::Result(ToolResult { from, content, is_error: _, mime: _ }) => {
            match from {
                Producer::Call(id) => {
                    line.call = Some(id);
                    if let Some(call) = calls.get(id.as_str()) {
                        line.server = call.server.as_deref();
                        line.tool = Some(&call.tool);
                    }
                }
                Producer::Named { server, tool, ran: _ } => {
                    line.server = server.as_deref();
                    line.tool = Some(tool);
                }
            }
            match content {
                Content::Text(text) => line.text = Some(text),
                Content::Json(text) => {
                    line.json = json(text);
                    line.text = line.json.is_none().then_some(text);
                }
            }
        }
        Body::Answer { call, text } => {
            line.call = Some(call);
            line.tool = calls.get(call.as_str()).map(|call| call.tool.as_str());
            line.text = Some(text);
        }
        Body::Grant { address, scope: _ } => line.text = Some(address),
        Body::Rewind { to: _ } => {}
        Body::Hidden { calls: _, what } => line.text = Some(what),
    }
    one_line(&line)
}

/// A JSON text of a document may stand in several lines; line ends between its tokens become spaces.
fn one_line(line: &Line<'_>) -> String {
    let text = serde_json::to_string(line).unwrap_or_default();
    // Within JSON strings line ends are always escaped, so that these can only stand between tokens.
    if text.contains(['\n', '\r']) { text.replace(['\n', '\r'], " ") } else { text }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;
    use crate::format::{Choice, Source, read};

    #[test]
    fn every_key_is_always_there_and_a_result_names_its_tool() {
        let text = "{\"conversation\":\"c\"}\n{\"position\":\"user\",\"text\":\"hi\",\"turn\":2}\n\
            {\"position\":\"tool_call\",\"id\":\"1\",\"server\":\"crm\",\"tool\":\"get\",\"arguments\":{\"n\": 1.0}}\n\
            {\"position\":\"tool_result\",\"id\":\"1\",\"json\":[null]}\n{\"position\":\"rewind\",\"to\":0}\n";
        let conversation = read(text.as_bytes(), Choice::Auto, &Source { name: "x" })
            .unwrap()
            .conversations
            .remove(0);
        let lines = lines(&conversation, |index, _| (index == 0).then_some(Writer::Person));
        insta::assert_snapshot!(lines.join("\n"), @r#"
        {"item":0,"at":"line 2","turn":2,"batch":null,"run":"c","position":"user","writer":"person","server":null,"tool":null,"call":null,"text":"hi","json":null}
        {"item":1,"at":"line 3","turn":null,"batch":null,"run":"c","position":"tool_call","writer":null,"server":"crm","tool":"get","call":"1","text":null,"json":{"n": 1.0}}
        {"item":2,"at":"line 4","turn":null,"batch":null,"run":"c","position":"tool_result","writer":null,"server":"crm","tool":"get","call":"1","text":null,"json":[null]}
        {"item":3,"at":"line 5","turn":null,"batch":null,"run":"c","position":"rewind","writer":null,"server":null,"tool":null,"call":null,"text":null,"json":null}
        "#);
    }
}

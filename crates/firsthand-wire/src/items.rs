//! The lines of `firsthand items`: a conversation as it was read, one JSON object for each item.

use std::collections::BTreeMap;

use firsthand::conversation::{Body, Call, Content, Conversation, Item, Producer, ToolResult};
use firsthand::writer::Writer;
use serde_json::value::RawValue;

use crate::answer::ItemLine;

/// The lines of a conversation.
///
/// `writer` says whose words an item is; `None` for what holds no words, such as a rewind.
pub fn lines(conversation: &Conversation, mut writer: impl FnMut(usize, &Item) -> Option<Writer>) -> Vec<ItemLine> {
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

fn line(run: &str, index: usize, item: &Item, writer: Option<Writer>, calls: &BTreeMap<&str, &Call>) -> ItemLine {
    let Item { id: _, at, turn, batch, time: _, body } = item;
    let mut line = ItemLine {
        item: index,
        at: at.clone(),
        turn: *turn,
        batch: batch.clone(),
        run: run.to_owned(),
        position: body.position().name().to_owned(),
        writer: writer.map(|writer| writer.name().to_owned()),
        server: None,
        tool: None,
        call: None,
        text: None,
        json: None,
    };
    match body {
        Body::User { text, relayed: _ } | Body::Said { by: _, text } => line.text = Some(text.as_ref().to_owned()),
        Body::Attachment { name: _, text, from_agent_path: _ } => line.text = Some(text.as_ref().to_owned()),
        Body::Call(Call { id, server, tool, arguments, ran: _, custom: _ }) => {
            line.call = Some(id.clone());
            line.server.clone_from(server);
            line.tool = Some(tool.clone());
            json(&mut line, arguments);
        }
        Body::Result(ToolResult { from, content, is_error: _, mime: _, redirects: _ }) => {
            match from {
                Producer::Call(id) => {
                    line.call = Some(id.clone());
                    if let Some(call) = calls.get(id.as_str()) {
                        line.server.clone_from(&call.server);
                        line.tool = Some(call.tool.clone());
                    }
                }
                Producer::Named { server, tool, ran: _ } => {
                    line.server.clone_from(server);
                    line.tool = Some(tool.clone());
                }
            }
            match content {
                Content::Text(text) => line.text = Some(text.as_ref().to_owned()),
                Content::Json(text) => json(&mut line, text),
            }
        }
        Body::Answer { call, text } => {
            line.call = Some(call.clone());
            line.tool = calls.get(call.as_str()).map(|call| call.tool.clone());
            line.text = Some(text.as_ref().to_owned());
        }
        Body::Grant { address, scope: _ } => line.text = Some(address.clone()),
        Body::Rewind { to: _ } => {}
        Body::Hidden { calls: _, what } => line.text = Some((*what).to_owned()),
    }
    line
}

/// A JSON text as JSON on one line; what is cut off or was never JSON is shown as it stands.
fn json(line: &mut ItemLine, text: &str) {
    // Within JSON strings line ends are always escaped, so that these can only stand between tokens.
    match RawValue::from_string(text.replace(['\n', '\r'], " ")) {
        Ok(json) => line.json = Some(json),
        Err(_) => line.text = Some(text.to_owned()),
    }
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
        let conversation = read(text.as_bytes(), Choice::Auto, &Source { name: "x" }).unwrap().conversations.remove(0);
        let lines = lines(&conversation, |index, _| (index == 0).then_some(Writer::Person));
        let lines: Vec<String> = lines.iter().map(|line| serde_json::to_string(line).unwrap()).collect();
        insta::assert_snapshot!(lines.join("\n"), @r#"
        {"item":0,"at":"line 2","turn":2,"batch":null,"run":"c","position":"user","writer":"person","server":null,"tool":null,"call":null,"text":"hi","json":null}
        {"item":1,"at":"line 3","turn":null,"batch":null,"run":"c","position":"tool_call","writer":null,"server":"crm","tool":"get","call":"1","text":null,"json":{"n": 1.0}}
        {"item":2,"at":"line 4","turn":null,"batch":null,"run":"c","position":"tool_result","writer":null,"server":"crm","tool":"get","call":"1","text":null,"json":[null]}
        {"item":3,"at":"line 5","turn":null,"batch":null,"run":"c","position":"rewind","writer":null,"server":null,"tool":null,"call":null,"text":null,"json":null}
        "#);
    }
}

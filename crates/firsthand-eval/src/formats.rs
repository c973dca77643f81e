//! Steps written in the formats that recorded runs come in.

use serde_json::{Map, Value, json};

use crate::script::Step;

/// A format in which attacks are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Written {
    /// Our own.
    Own,
    /// AgentDojo's.
    AgentDojo,
    /// Anthropic's Messages API.
    AnthropicMessages,
    /// OpenAI's Chat Completions.
    OpenAiChat,
}

impl Written {
    /// Every format.
    pub const ALL: [Self; 4] = [Self::Own, Self::AgentDojo, Self::AnthropicMessages, Self::OpenAiChat];

    /// The name that `--format` takes.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "firsthand",
            Self::AgentDojo => "agentdojo",
            Self::AnthropicMessages => "anthropic-messages",
            Self::OpenAiChat => "openai-chat",
        }
    }

    /// The steps in this format; `None` where it has no place for one of them.
    pub fn write(self, steps: &[Step]) -> Option<String> {
        if self != Self::Own && !steps.iter().all(Step::is_common) {
            return None;
        }
        Some(match self {
            Self::Own => own(steps),
            Self::AgentDojo => agentdojo(steps),
            Self::AnthropicMessages => anthropic(steps),
            Self::OpenAiChat => openai(steps),
        })
    }
}

fn own(steps: &[Step]) -> String {
    let line = |step: &Step| match step {
        Step::System(text) => json!({"position": "system", "text": text}),
        Step::User(text) => json!({"position": "user", "text": text}),
        Step::Assistant(text) => json!({"position": "assistant", "text": text}),
        Step::Summary(text) => json!({"position": "summary", "text": text}),
        Step::Task(text) => json!({"position": "task", "text": text}),
        Step::Call { id, server, tool, arguments } => {
            let mut line = json!({"position": "tool_call", "id": id, "tool": tool, "arguments": arguments});
            if let (Some(server), Some(line)) = (server, line.as_object_mut()) {
                line.insert("server".to_owned(), json!(server));
            }
            line
        }
        Step::Result { id, text, is_error } => {
            json!({"position": "tool_result", "id": id, "text": text, "is_error": is_error})
        }
    };
    let lines: Vec<String> = steps.iter().map(|step| line(step).to_string()).collect();
    lines.join("\n") + "\n"
}

/// A tool as formats without servers name it.
fn full_name(server: Option<&str>, tool: &str) -> String {
    server.map_or_else(|| tool.to_owned(), |server| format!("mcp__{server}__{tool}"))
}

/// A message of the model: its text, and the calls that stand behind it.
struct Message<'s> {
    text: Option<&'s str>,
    calls: Vec<&'s Step>,
}

/// Steps with each text of the model joined to the calls that follow it.
fn messages<'s>(steps: &'s [Step], each: &mut dyn FnMut(Result<Message<'s>, &'s Step>)) {
    let mut open: Option<Message<'s>> = None;
    for step in steps {
        match step {
            Step::Assistant(text) => {
                if let Some(message) = open.replace(Message { text: Some(text), calls: Vec::new() }) {
                    each(Ok(message));
                }
            }
            Step::Call { .. } => open.get_or_insert(Message { text: None, calls: Vec::new() }).calls.push(step),
            Step::System(_) | Step::User(_) | Step::Summary(_) | Step::Task(_) | Step::Result { .. } => {
                if let Some(message) = open.take() {
                    each(Ok(message));
                }
                each(Err(step));
            }
        }
    }
    if let Some(message) = open {
        each(Ok(message));
    }
}

fn agentdojo(steps: &[Step]) -> String {
    let call = |step: &&Step| {
        let Step::Call { id, server, tool, arguments } = step else { return None };
        Some(json!({"id": id, "function": full_name(server.as_deref(), tool), "args": arguments}))
    };
    let called = |wanted: &str| steps.iter().find(|step| matches!(step, Step::Call { id, .. } if id == wanted));
    let mut written = Vec::new();
    messages(steps, &mut |message| {
        written.push(match message {
            Ok(Message { text, calls }) => {
                let calls: Vec<Value> = calls.iter().filter_map(call).collect();
                json!({"role": "assistant", "content": text.unwrap_or_default(), "tool_calls": calls})
            }
            Err(Step::System(text)) => json!({"role": "system", "content": text}),
            Err(Step::Result { id, text, is_error }) => json!({
                "role": "tool", "content": if *is_error { "" } else { text.as_str() }, "tool_call_id": id,
                "tool_call": called(id).as_ref().and_then(call), "error": is_error.then_some(text),
            }),
            Err(step) => json!({"role": "user", "content": step.given()}),
        });
    });
    json!({
        "suite_name": "slack", "pipeline_name": "generated", "user_task_id": "user_task_0",
        "injection_task_id": "injection_task_0", "attack_type": "generated", "messages": written,
    })
    .to_string()
}

fn anthropic(steps: &[Step]) -> String {
    let block = |step: &Step| match step {
        Step::Call { id, server, tool, arguments } => {
            json!({"type": "tool_use", "id": id, "name": full_name(server.as_deref(), tool), "input": arguments})
        }
        Step::Result { id, text, is_error } => {
            json!({"type": "tool_result", "tool_use_id": id, "content": text, "is_error": is_error})
        }
        Step::System(text) | Step::User(text) | Step::Assistant(text) | Step::Summary(text) | Step::Task(text) => {
            json!({"type": "text", "text": text})
        }
    };
    let mut system = Vec::new();
    let mut written: Vec<Value> = Vec::new();
    messages(steps, &mut |message| match message {
        Ok(Message { text, calls }) => {
            let text = text.filter(|text| !text.is_empty()).map(|text| json!({"type": "text", "text": text}));
            let content: Vec<Value> = text.into_iter().chain(calls.iter().map(|step| block(step))).collect();
            written.push(json!({"role": "assistant", "content": content}));
        }
        Err(Step::System(text)) => system.push(text.as_str()),
        Err(step) => {
            // Results of one message of calls come back together.
            let more = written
                .last_mut()
                .filter(|last| last["role"] == "user")
                .and_then(|last| last["content"].as_array_mut());
            match more {
                Some(content) => content.push(block(step)),
                None => written.push(json!({"role": "user", "content": [block(step)]})),
            }
        }
    });
    let mut run = Map::new();
    run.insert("model".to_owned(), json!("claude-generated"));
    run.insert("max_tokens".to_owned(), json!(1024));
    run.insert("system".to_owned(), json!(system.join("\n")));
    run.insert("messages".to_owned(), json!(written));
    Value::Object(run).to_string()
}

fn openai(steps: &[Step]) -> String {
    let call = |step: &&Step| {
        let Step::Call { id, server, tool, arguments } = step else { return None };
        Some(json!({
            "id": id, "type": "function",
            "function": {"name": full_name(server.as_deref(), tool), "arguments": arguments.to_string()},
        }))
    };
    let mut written = Vec::new();
    messages(steps, &mut |message| {
        written.push(match message {
            Ok(Message { text, calls }) => {
                let calls: Vec<Value> = calls.iter().filter_map(call).collect();
                match calls.is_empty() {
                    true => json!({"role": "assistant", "content": text}),
                    false => json!({"role": "assistant", "content": text, "tool_calls": calls}),
                }
            }
            Err(Step::System(text)) => json!({"role": "system", "content": text}),
            Err(Step::Result { id, text, is_error: _ }) => json!({"role": "tool", "tool_call_id": id, "content": text}),
            Err(step) => json!({"role": "user", "content": step.given()}),
        });
    });
    json!({"model": "gpt-generated", "messages": written}).to_string()
}

//! Conversations as a list of steps that every format can hold.

use std::collections::HashMap;

use firsthand::conversation::{Body, Conversation, Producer, Speaker};
use serde_json::Value;

/// One step of a conversation.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The system prompt.
    System(String),
    /// What a person wrote.
    User(String),
    /// What the model wrote.
    Assistant(String),
    /// A summary that compaction made. Only our own format has a place for it.
    Summary(String),
    /// What a subagent was told to do. Only our own format has a place for it.
    Task(String),
    /// A call.
    Call {
        /// Its id.
        id: String,
        /// The server that offers the tool.
        server: Option<String>,
        /// The tool.
        tool: String,
        /// Its arguments, an object.
        arguments: Value,
    },
    /// What a call returned.
    Result {
        /// The id of the call.
        id: String,
        /// The text.
        text: String,
        /// The tool reported an error.
        is_error: bool,
    },
}

impl Step {
    /// Whether every format has a place for it.
    pub fn is_common(&self) -> bool {
        match self {
            Self::Summary(_) | Self::Task(_) => false,
            Self::System(_) | Self::User(_) | Self::Assistant(_) | Self::Call { .. } | Self::Result { .. } => true,
        }
    }

    /// Its text, the model's apart.
    pub fn given(&self) -> Option<&str> {
        match self {
            Self::User(text) | Self::Result { text, .. } => Some(text),
            Self::System(_) | Self::Assistant(_) | Self::Summary(_) | Self::Task(_) | Self::Call { .. } => None,
        }
    }
}

/// The steps of a recorded conversation up to an item, that item included. What steps cannot say is left out.
pub fn until(conversation: &Conversation, last: usize) -> Vec<Step> {
    let mut ids: HashMap<String, String> = HashMap::new();
    let mut steps = Vec::new();
    for (index, item) in conversation.items.iter().enumerate().take(last + 1) {
        let step = match &item.body {
            Body::User { text, .. } | Body::Answer { text, .. } => Step::User(text.to_string()),
            Body::Said { by: Speaker::System, text } => Step::System(text.to_string()),
            Body::Said { by: Speaker::Assistant | Speaker::Thinking, text } => Step::Assistant(text.to_string()),
            Body::Call(call) => {
                let id = format!("call_{index}");
                ids.insert(call.id.clone(), id.clone());
                let arguments = serde_json::from_str(&call.arguments).unwrap_or(Value::Null);
                if !arguments.is_object() {
                    continue;
                }
                Step::Call { id, server: call.server.clone(), tool: call.tool.clone(), arguments }
            }
            Body::Result(result) => {
                let id = match &result.from {
                    Producer::Call(id) => ids.get(id).cloned(),
                    Producer::Named { .. } => None,
                };
                let Some(id) = id else { continue };
                Step::Result { id, text: result.content.text().to_string(), is_error: result.is_error }
            }
            Body::Said { by: Speaker::Task | Speaker::Summary | Speaker::Report, .. }
            | Body::Attachment { .. }
            | Body::Grant { .. }
            | Body::Rewind { .. }
            | Body::Hidden { .. } => continue,
        };
        steps.push(step);
    }
    // Calls that nothing answered any more would break the formats that pair them.
    let answer = |step: &Step| {
        let Step::Result { id, .. } = step else { return None };
        Some(id.clone())
    };
    let answered: Vec<String> = steps.iter().filter_map(answer).collect();
    steps.retain(|step| !matches!(step, Step::Call { id, .. } if !answered.contains(id)));
    steps
}

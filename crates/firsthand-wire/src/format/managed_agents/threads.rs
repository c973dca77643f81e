//! Which thread an event belongs to.

use std::collections::{BTreeSet, HashMap};

use super::events::{Event, Placed};

/// The threads of a file.
#[derive(Debug)]
pub(super) struct Threads<'e> {
    /// The thread that the file is of, where it says so.
    own: Option<&'e str>,
    /// The file is of a subagent's thread.
    is_child: bool,
    parent: Option<&'e str>,
    /// The thread that each call says it is of.
    calls: HashMap<&'e str, &'e str>,
}

impl<'e> Threads<'e> {
    /// Looks through a file.
    pub(super) fn of(events: &'e [Placed<'e>]) -> Self {
        let events = || events.iter().map(|placed| &placed.event);
        let spoken = || events().filter(|event| event.kind.or_empty().starts_with("agent."));
        let named: BTreeSet<Option<&str>> = spoken().map(|event| said_thread(event)).collect();
        let only = match named.iter().copied().collect::<Vec<_>>().as_slice() {
            [Some(thread)] | [None, Some(thread)] => Some(*thread),
            _ => None,
        };
        // What the primary agent tells a subagent has no name on it. In the session's own file such a message carries the
        // thread that it went to, beside events of the session that carry none.
        let task = spoken().find(|event| {
            let from_primary =
                event.kind.get() == Some("agent.thread_message_received") && event.from_agent_name.get().is_none();
            from_primary && (said_thread(event).is_none() || !named.contains(&None) && named.len() == 1)
        });
        let own = if task.is_some() || !named.contains(&None) { only } else { None };
        let calls = events().filter_map(|event| Some((event.id.get()?, said_thread(event)?)));
        Self {
            own,
            is_child: task.is_some(),
            parent: task.and_then(|task| task.from_session_thread_id.get()),
            calls: calls.collect(),
        }
    }

    /// The thread that the file is of.
    pub(super) fn own(&self) -> Option<&'e str> {
        self.own
    }

    /// The thread that started the file's.
    pub(super) fn parent(&self) -> Option<&'e str> {
        self.parent
    }

    /// Whether a thread is a subagent's; `None` is the file's own.
    pub(super) fn is_child(&self, thread: Option<&str>) -> bool {
        thread.is_some() || self.is_child
    }

    /// The thread of an event, if it is not the file's own.
    pub(super) fn of_event(&self, event: &'e Event<'e>) -> Option<&'e str> {
        let kind = event.kind.or_empty();
        if !(kind.starts_with("agent.") || kind.starts_with("user.")) {
            return None;
        }
        let call = event.tool_use_id.get().or(event.custom_tool_use_id.get()).or(event.mcp_tool_use_id.get());
        let of_call = || call.and_then(|call| self.calls.get(call).copied());
        said_thread(event).or_else(of_call).filter(|thread| Some(*thread) != self.own)
    }
}

fn said_thread<'e>(event: &'e Event<'_>) -> Option<&'e str> {
    event.session_thread_id.get().filter(|thread| !thread.is_empty())
}

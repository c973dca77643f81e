//! References: handing out what a store keeps, and making new ones of a result.

use std::collections::HashSet;

use firsthand::address::{Address, Form};
use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Content, Conversation, Item, Producer, Ran, ToolResult};
use firsthand::replay::replay;
use firsthand_mask::{Store, StoreError};
use firsthand_wire::engine as wire;

use super::{Opened, Setting, Unread, trees};

/// The id of a conversation that was read from standard input and has none of its own: nothing tells it from others.
const NO_ID: &str = "-";

/// Hands out what a store keeps for the runs of a family.
pub(crate) fn hand_out(family: &mut wire::Family, store: &Store) -> Result<(), StoreError> {
    for (member, of) in family.members.iter().enumerate().filter(|(_, of)| of.conversation.id != NO_ID) {
        for kept in store.all(&of.conversation.id)? {
            let (reference, address) = (kept.reference, kept.address);
            let handed_out = wire::HandedOut { member, reference, address, expires: kept.expires, item: kept.item };
            family.references.push(handed_out);
        }
    }
    Ok(())
}

/// What returned a result.
#[derive(Debug)]
pub(crate) enum Returned {
    /// The call of this id.
    By(String),
    /// A tool of this name, of a server or the host's.
    Of {
        /// The server.
        server: Option<String>,
        /// The tool.
        tool: String,
    },
}

/// What the world's words in a result at the end of a conversation give.
#[derive(Debug)]
pub(crate) struct Given {
    /// The id of the conversation.
    pub(crate) conversation: String,
    /// The number that the result has in it.
    pub(crate) item: usize,
    /// Whether the call that returned it stands there, where one is named.
    pub(crate) has_call: bool,
    sources: HashSet<String>,
}

impl Given {
    /// Whether an address is a source now.
    pub(crate) fn is_source(&self, address: &Address) -> bool {
        !address.is_odd() && self.conversation != NO_ID && self.sources.contains(address.identity())
    }
}

/// Reads a result at the end of a conversation: only what becomes a source there may be opened by a reference.
pub(crate) fn given(opened: Opened, setting: &Setting, returned: Returned, text: &str) -> Result<Given, Unread> {
    let mut family = trees::family(opened, setting)?;
    let mut given = Given { conversation: String::new(), item: 0, has_call: true, sources: HashSet::new() };
    let Some(main) = family.members.first_mut() else { return Ok(given) };
    given.conversation.clone_from(&main.conversation.id);
    given.item = main.conversation.items.len();
    if let Returned::By(id) = &returned {
        let mut items = main.conversation.items.iter();
        given.has_call = items.any(|item| matches!(&item.body, Body::Call(call) if call.id == *id));
    }
    let from = match returned {
        Returned::By(id) => Producer::Call(id),
        Returned::Of { server, tool } => Producer::Named { server, tool, ran: Ran::Client },
    };
    let is_json = serde_json::from_str::<serde::de::IgnoredAny>(text).is_ok();
    let content = if is_json { Content::Json(text.into()) } else { Content::Text(text.into()) };
    let result = ToolResult { from, content, is_error: false, mime: None, redirects: Vec::new() };
    let result = Item::new("the result", Body::Result(result));
    main.conversation.items.push(result.clone());
    let by_itself = alone(&main.conversation, result);
    let conversations: Vec<_> = family.members.iter().map(|member| &member.conversation).collect();
    given.sources = sources(&conversations, setting);
    // What was a source before may stand in a script's result too.
    let of_the_world = sources(&[&by_itself], setting);
    given.sources.retain(|source| of_the_world.contains(source));
    Ok(given)
}

/// A result with nothing before it but its call.
fn alone(conversation: &Conversation, result: Item) -> Conversation {
    let from =
        if let Body::Result(ToolResult { from: Producer::Call(id), .. }) = &result.body { Some(id) } else { None };
    let is_its_call = |item: &&Item| matches!(&item.body, Body::Call(call) if Some(&call.id) == from);
    let calls = conversation.items.iter().filter(is_its_call).cloned().collect::<Vec<_>>();
    let Conversation { id, seat, dialect, .. } = conversation;
    let items = calls.into_iter().chain([result]).collect();
    Conversation { id: id.clone(), parent: None, seat: *seat, dialect, items }
}

/// The sources of the first of these conversations.
fn sources(conversations: &[&Conversation], setting: &Setting) -> HashSet<String> {
    let replayed = replay(conversations, &[], &setting.policy, &Circumstances::default(), &mut |_| {});
    let Some(run) = replayed.runs.first() else { return HashSet::new() };
    let addresses = replayed.ledger.sources(*run).filter_map(|of| Address::written(of, Form::Absolute));
    addresses.map(|address| address.identity().to_owned()).collect()
}

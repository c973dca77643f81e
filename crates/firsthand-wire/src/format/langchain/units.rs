//! What a file holds, put into the order in which it was written, with messages that came in pieces joined.

use std::borrow::Cow;

use super::message;
use crate::error::ReadError;
use crate::format::recorded::node::Node;
use crate::format::recorded::signs::is_of_a_child;
use crate::format::recorded::units::{Unit, each_unit};

/// The states, messages and lists of messages of a file.
pub(super) fn of(bytes: &[u8]) -> Result<Vec<Unit<'_>>, ReadError> {
    let mut units = Vec::new();
    each_unit(bytes, &mut |unit| {
        add(unit, &mut units);
        Ok(())
    })?;
    oldest_first(&mut units);
    join(&mut units);
    units.retain(|unit| !unit.node.is_null());
    Ok(units)
}

fn add<'a>(unit: Unit<'a>, units: &mut Vec<Unit<'a>>) {
    let Unit { spot, node } = unit;
    match node {
        // A list of states.
        Node::List(states) if states.iter().any(|state| super::messages(state, &spot).is_some()) => {
            units.extend(states.into_iter().enumerate().map(|(index, node)| Unit { spot: spot.at(index), node }));
        }
        // A message of a stream and what the graph says of it.
        Node::List(pair) if is_streamed(&pair) => {
            units.extend(pair.into_iter().next().map(|node| Unit { spot: spot.at(0), node }));
        }
        Node::List(mut list) => {
            join(&mut list);
            list.retain(|message| !message.is_null());
            units.push(Unit { spot, node: Node::List(list) });
        }
        mut node @ (Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Map(_)) => {
            let inner = is_inner(&node);
            if let Some(list) = list_of(&mut node) {
                join(list);
                if inner {
                    list.iter_mut().filter(|message| message::kind(message) == "human").for_each(make_task);
                }
            }
            units.push(Unit { spot, node });
        }
    }
}

fn is_streamed(pair: &[Node<'_>]) -> bool {
    let of_graph = |node: &Node<'_>| node.members().iter().any(|(key, _)| key.starts_with("langgraph_"));
    matches!(pair, [message, about] if !message::kind(message).is_empty() && of_graph(about))
}

/// Whether it is the state of a graph that runs inside another: whoever calls it is a model or a host.
fn is_inner(state: &Node<'_>) -> bool {
    // A state says which of its graph's it is as an object; what says it otherwise may hide whose the graph is.
    let is_odd = |key: &str| {
        !matches!(state.get(key), Node::Null | Node::Bool(false) | Node::Map(_)) && state.get(key).text() != Some("")
    };
    is_of_a_child(state) || ["checkpoint", "metadata"].iter().any(|key| is_odd(key))
}

fn list_of<'n, 'a>(state: &'n mut Node<'a>) -> Option<&'n mut Vec<Node<'a>>> {
    let path = super::LISTS
        .iter()
        .find(|path| path.iter().try_fold(&*state, |node, key| node.find(key)).is_some_and(Node::is_list))?;
    match path.iter().try_fold(state, |node, key| member(node, key))? {
        Node::List(list) => Some(list),
        Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::Map(_) => None,
    }
}

fn member<'n, 'a>(node: &'n mut Node<'a>, key: &str) -> Option<&'n mut Node<'a>> {
    let Node::Map(members) = node else { return None };
    members.iter_mut().rev().find(|(name, _)| name == key).map(|(_, value)| value)
}

/// Says of a message in the user's place that it is a task.
fn make_task(message: &mut Node<'_>) {
    let body = if message.find("kwargs").is_some() { member(message, "kwargs") } else { Some(message) };
    if let Some(Node::Map(members)) = body {
        members.retain(|(name, _)| name != "type");
        members.push((Cow::Borrowed("type"), Node::Text(Cow::Borrowed(message::TASK))));
    }
}

/// Puts the newest of states that are listed newest first at the end.
fn oldest_first(units: &mut [Unit<'_>]) {
    let time = |unit: Option<&Unit<'_>>| unit.map(|unit| unit.node.say("created_at").to_owned()).unwrap_or_default();
    let (first, last) = (time(units.first()), time(units.last()));
    if !last.is_empty() && last < first {
        units.reverse();
    }
}

/// Something that holds a message.
trait Holds<'a> {
    fn node(&mut self) -> &mut Node<'a>;
}

impl<'a> Holds<'a> for Node<'a> {
    fn node(&mut self) -> &mut Self {
        self
    }
}

impl<'a> Holds<'a> for Unit<'a> {
    fn node(&mut self) -> &mut Node<'a> {
        &mut self.node
    }
}

/// Puts the pieces of a message into its first piece and leaves nothing of the others.
///
/// What a model wrote must be read whole: an address may be cut between two pieces.
fn join<'a, H: Holds<'a>>(messages: &mut [H]) {
    let mut rest = messages.iter_mut();
    let Some(mut first) = rest.next().map(Holds::node) else { return };
    for next in rest {
        let next = next.node();
        if message::is_piece(first) && message::is_piece(next) && same_id(first, next) {
            let piece = std::mem::replace(next, Node::Null);
            append(first, piece);
        } else {
            first = next;
        }
    }
}

fn same_id(one: &Node<'_>, other: &Node<'_>) -> bool {
    let id = |message| message::body(message).0.word("id").into_owned();
    let (one, other) = (id(one), id(other));
    !one.is_empty() && one == other
}

fn append<'a>(first: &mut Node<'a>, piece: Node<'a>) {
    let Node::Map(members) = into_body(piece) else { return };
    let wrapped = ["kwargs", "data"].iter().find(|key| first.find(key).is_some());
    let Some(Node::Map(own)) = (match wrapped {
        Some(key) => member(first, key),
        None => Some(first),
    }) else {
        return;
    };
    for (name, value) in members {
        match own.iter_mut().rev().find(|(own, _)| *own == name) {
            Some((_, own)) => grow(&name, own, value),
            None => own.push((name, value)),
        }
    }
}

fn into_body(message: Node<'_>) -> Node<'_> {
    match message {
        Node::Map(members) => {
            let inner = members.iter().position(|(name, value)| matches!(&**name, "kwargs" | "data") && value.is_map());
            match inner {
                Some(index) => members.into_iter().nth(index).map_or(Node::Null, |(_, value)| value),
                None => Node::Map(members),
            }
        }
        other @ (Node::Null | Node::Bool(_) | Node::Number(_) | Node::Text(_) | Node::List(_)) => other,
    }
}

/// Adds what a piece says under a key to what was said.
fn grow<'a>(name: &str, own: &mut Node<'a>, more: Node<'a>) {
    match (own, more) {
        (own @ Node::Null, more) => *own = more,
        (Node::Text(own), Node::Text(more))
            if matches!(
                name,
                "content" | "text" | "reasoning" | "thinking" | "args" | "reasoning_content" | "partial_json"
            ) =>
        {
            own.to_mut().push_str(&more);
        }
        (Node::List(own), Node::List(more)) => {
            for piece in more {
                let index = piece.find("index").cloned();
                match own.iter_mut().rev().find(|own| index.is_some() && own.find("index") == index.as_ref()) {
                    Some(own) => append(own, piece),
                    None => own.push(piece),
                }
            }
        }
        (own @ Node::Map(_), more @ Node::Map(_)) => append(own, more),
        _ => {}
    }
}

//! What the reader of an API says of it, so that its traffic can be cut into conversations.

use std::collections::BTreeMap;

use super::draft::Draft;
use super::node::{Node, Spot};
use crate::error::ReadError;

/// A message and where it stands.
pub(in crate::format) type Placed<'n, 'a> = (&'n Node<'a>, Spot);

/// What an API's reader says of its messages.
pub(in crate::format) trait Api {
    /// The format's name.
    const NAME: &'static str;
    /// What a file of it holds, for an error.
    const EXPECTED: &'static str;

    /// Whether it is the body of a request.
    fn is_request(node: &Node<'_>) -> bool;
    /// Whether it is the body of a response.
    fn is_response(node: &Node<'_>) -> bool;
    /// Whether it is one message.
    fn is_message(node: &Node<'_>) -> bool;

    /// The messages of a request.
    fn asked<'n, 'a>(request: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError>;
    /// The messages of a response.
    fn answered<'n, 'a>(response: &'n Node<'a>, spot: &Spot) -> Result<Vec<Placed<'n, 'a>>, ReadError>;

    /// The keys under which a request says other things than messages.
    const SETTINGS: &'static [&'static str];
    /// Reads them.
    fn settings(draft: &mut Draft, request: &Node<'_>, spot: &Spot);
    /// Reads what a response says besides messages and stands before them.
    fn before_answer(draft: &mut Draft, response: &Node<'_>, spot: &Spot) {
        let (_, _, _) = (draft, response, spot);
    }
    /// Reads a message.
    fn message(draft: &mut Draft, message: &Node<'_>, spot: &Spot) -> Result<(), ReadError>;

    /// What of a message stays the same when a client sends it again.
    fn essence(message: &Node<'_>) -> String;
    /// Whether a message is a search that the provider ran. It may stand behind the text that cites what it found.
    fn searches(message: &Node<'_>) -> bool {
        let _ = message;
        false
    }
    /// What part a message has in telling conversations apart.
    fn weight(message: &Node<'_>) -> Weight;

    /// The response whose history the server holds for this request or response.
    fn follows<'n>(node: &'n Node<'_>) -> Option<&'n str> {
        let _ = node;
        None
    }
    /// Whether the next response goes on from this one without a request of its own.
    fn pauses(response: &Node<'_>) -> bool {
        let _ = response;
        false
    }

    /// Takes an event of a recorded stream; gives a response (or a piece of one) when it is complete.
    fn event<'a>(stream: &mut Stream<'a>, node: Node<'a>, spot: Spot) -> Taken<'a>;
    /// What is left of a stream that ends.
    fn rest<'a>(stream: &mut Stream<'a>) -> Vec<(Node<'a>, Spot)> {
        let _ = stream;
        Vec::new()
    }
    /// The messages that pieces of one response are.
    fn joined<'a>(pieces: Vec<(Node<'a>, Spot)>) -> Vec<(Node<'a>, Spot)> {
        pieces
    }
}

/// What part a message has in telling conversations apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::format) enum Weight {
    /// Many conversations begin with it.
    Setting,
    /// It makes two histories one.
    Telling,
    /// A client may leave it out when it sends the history again.
    Dispensable,
}

/// A recorded stream of events while it is being joined.
#[derive(Default)]
pub(in crate::format) struct Stream<'a> {
    /// Blocks or items that are being written, by their index.
    pub(in crate::format) open: BTreeMap<(u64, u64), Piece<'a>>,
    /// The id of the message or response.
    pub(in crate::format) id: String,
    /// Complete pieces that wait for the end.
    pub(in crate::format) complete: Vec<(Node<'a>, Spot)>,
    /// The stream began and its end was not seen.
    pub(in crate::format) running: bool,
}

/// A block that is being written.
pub(in crate::format) struct Piece<'a> {
    pub(in crate::format) node: Node<'a>,
    pub(in crate::format) spot: Spot,
    pub(in crate::format) text: String,
    pub(in crate::format) arguments: String,
    pub(in crate::format) extra: Vec<Node<'a>>,
    /// Tools that the provider ran meanwhile.
    pub(in crate::format) tools: Vec<Node<'a>>,
}

impl Piece<'_> {
    /// A piece that begins here.
    pub(in crate::format) fn at(spot: Spot) -> Self {
        Self {
            node: Node::Null,
            spot,
            text: String::new(),
            arguments: String::new(),
            extra: Vec::new(),
            tools: Vec::new(),
        }
    }
}

/// What an event was.
pub(in crate::format) enum Taken<'a> {
    /// No event of this API.
    No(Node<'a>, Spot),
    /// An event that completes nothing.
    Kept,
    /// The pieces of a response that are complete now.
    Complete(Vec<(Node<'a>, Spot)>),
    /// A whole response.
    Response(Node<'a>, Spot),
}

/// The elements of a list, each with its place.
pub(in crate::format) fn placed<'n, 'a>(elements: &'n [Node<'a>], spot: &Spot) -> Vec<Placed<'n, 'a>> {
    elements.iter().enumerate().map(|(index, message)| (message, spot.at(index))).collect()
}

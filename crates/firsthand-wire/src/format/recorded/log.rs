//! Which requests and responses of a file are one conversation.
//!
//! A request repeats the history that it goes on from, so it is compared with what was read: what it repeats is read once,
//! what it leaves out was taken back, and what begins otherwise is a conversation of its own.

use firsthand::conversation::Conversation;

use super::api::{Api, Placed, Stream, Taken, placed};
use super::node::{Node, Spot};
use super::signs::is_of_a_child;
use super::thread::{Keep, Place, Shared, Thread};
use super::units::{Unit, each_unit};
use crate::error::ReadError;
use crate::format::Source;

/// How many of the latest conversations a request may go on from: agents that run side by side write into one file.
const RECENT: usize = 16;

/// What a conversation says of a stream that is cut off.
pub(in crate::format) const CUT: &str = "the rest of a stream that was cut off";

/// Reads all conversations of a file.
pub(in crate::format) fn read<A: Api>(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let mut log = Log::new::<A>();
    let mut stream = Stream::default();
    each_unit(bytes, &mut |unit| match A::event(&mut stream, unit.node, unit.spot) {
        Taken::No(node, spot) => {
            // What a stream said before it was cut off stands before what follows it.
            let rest = A::rest(&mut stream);
            log.pieces::<A>(rest)?;
            log.unit::<A>(Unit { spot, node }, 0)
        }
        Taken::Kept => Ok(()),
        Taken::Complete(pieces) => log.pieces::<A>(pieces),
        Taken::Response(node, spot) => log.response::<A>(&node, &spot),
    })?;
    let rest = A::rest(&mut stream);
    log.pieces::<A>(rest)?;
    if stream.running {
        log.now.draft.hidden(&Spot::top(None), true, CUT);
    }
    log.finish(source.stem())
}

/// Reads all conversations of a file that was cut into values already.
pub(in crate::format) fn read_units<A: Api>(
    units: Vec<Unit<'_>>,
    source: &Source<'_>,
) -> Result<Vec<Conversation>, ReadError> {
    let mut log = Log::new::<A>();
    let depth = usize::from(units.len() > 1);
    units.into_iter().try_for_each(|unit| log.unit::<A>(unit, depth))?;
    log.finish(source.stem())
}

/// Requests and responses of one API while they are cut into conversations.
pub(in crate::format) struct Log {
    /// The conversation that is being read.
    now: Thread,
    /// The others, the one that was read last at the end.
    others: Vec<Thread>,
    follow: Follow,
    /// Whether requests may repeat what was read, so that messages must be kept to compare with.
    compares: bool,
    history: History,
    /// What stands around the messages that come says that no person is in them.
    is_child: bool,
}

/// What a request may be that repeats only the beginning of a conversation.
#[derive(Clone, Copy, PartialEq, Eq)]
enum History {
    /// The same conversation, the end of which was taken back.
    MayBeTakenBack,
    /// Another one that begins in the same way: tests put the same question many times.
    GoesOn,
}

/// What may come next in the conversation that was read last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Follow {
    Nothing,
    /// The response to a request, or to a response that paused.
    Response,
    /// A message after a message.
    Message,
}

impl Log {
    /// Nothing was read.
    fn new<A: Api>() -> Self {
        let (now, history) = (Thread::new::<A>(0), History::MayBeTakenBack);
        Self { now, others: Vec::new(), follow: Follow::Nothing, compares: false, history, is_child: false }
    }

    /// Nothing was read of a recording, in which a conversation goes on only by a request that repeats all of it.
    pub(in crate::format) fn of_recording<A: Api>() -> Self {
        Self { compares: true, history: History::GoesOn, ..Self::new::<A>() }
    }

    /// Reads a request and what came back: one response, or the events of one.
    ///
    /// `failed` says that the server refused the request, so that what came back need not be a response.
    pub(in crate::format) fn answered<A: Api>(
        &mut self,
        (request, at): Placed<'_, '_>,
        answer: Vec<(Node<'_>, Spot)>,
        failed: bool,
    ) -> Result<(), ReadError> {
        self.is_child |= is_of_a_child(request);
        self.request::<A>(request, &at)?;
        let mut stream = Stream::default();
        let mut pieces = Vec::new();
        for (node, spot) in answer {
            match A::event(&mut stream, node, spot) {
                Taken::Kept => {}
                Taken::Complete(complete) => pieces.extend(complete),
                Taken::Response(node, spot) => self.response::<A>(&node, &spot)?,
                Taken::No(node, spot) if A::is_response(&node) => self.response::<A>(&node, &spot)?,
                Taken::No(node, _) if failed || node.find("error").is_some() => {}
                Taken::No(_, spot) => self.now.draft.hidden(&spot, true, "a response in a form that is not read"),
            }
        }
        pieces.extend(A::rest(&mut stream));
        for (message, spot) in A::joined(pieces) {
            self.now.message::<A>(&message, &spot, Place::Response, Keep::Yes)?;
        }
        if stream.running {
            self.hidden(&at, "the rest of a stream that was cut off");
        }
        self.follow = Follow::Nothing;
        Ok(())
    }

    /// Says of what comes next whether what stands around it says that no person is in it.
    pub(in crate::format) fn around(&mut self, is_child: bool) {
        self.is_child = is_child;
    }

    /// Notes in the conversation that was read last that something of it is not in the record.
    pub(in crate::format) fn hidden(&mut self, spot: &Spot, what: &'static str) {
        self.now.draft.hidden(spot, true, what);
    }

    fn unit<A: Api>(&mut self, unit: Unit<'_>, depth: usize) -> Result<(), ReadError> {
        let Unit { spot, node } = unit;
        self.compares = depth > 0 || spot.is_in_line();
        self.is_child = false;
        if let Some(request) = node.find("request").filter(|request| request.is_map()) {
            self.is_child = is_of_a_child(&node) || is_of_a_child(request);
            return self.exchange::<A>(request, node.get("response"), &spot);
        }
        let (is_request, is_response) = (A::is_request(&node), A::is_response(&node));
        if is_request || is_response {
            self.is_child = is_of_a_child(&node);
            if is_request {
                self.request::<A>(&node, &spot)?;
            }
            return if is_response { self.response::<A>(&node, &spot) } else { Ok(()) };
        }
        if A::is_message(&node) {
            if self.follow != Follow::Message {
                self.begin::<A>();
            }
            self.follow = Follow::Message;
            return self.now.message::<A>(&node, &spot, Place::Request, Keep::No);
        }
        if node.list().iter().any(A::is_message) {
            return self.history::<A>(placed(node.list(), &spot), None, &spot);
        }
        // A list of requests, responses or exchanges, but no list of lists.
        if depth > 0 || node.list().is_empty() {
            return Err(spot.unexpected(&node, A::EXPECTED));
        }
        let Node::List(elements) = node else { return Ok(()) };
        let mut units = elements.into_iter().enumerate().map(|(index, node)| Unit { spot: spot.at(index), node });
        units.try_for_each(|unit| self.unit::<A>(unit, 1))
    }

    fn exchange<A: Api>(&mut self, request: &Node<'_>, response: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        let (request, at) = body(request, spot.at("request"));
        if !A::is_request(request) {
            return Err(at.unexpected(request, A::EXPECTED));
        }
        self.is_child |= is_of_a_child(request);
        self.request::<A>(request, &at)?;
        let (response, at) = body(response, spot.at("response"));
        if A::is_response(response) {
            return self.response::<A>(response, &at);
        }
        self.follow = Follow::Nothing;
        if !response.is_null() && response.find("error").is_none() {
            self.now.draft.hidden(&at, true, "a response in a form that is not read");
        }
        Ok(())
    }

    fn request<A: Api>(&mut self, request: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        self.history::<A>(A::asked(request, spot)?, Some(request), spot)
    }

    /// Reads a history: what of it was not read before.
    fn history<A: Api>(
        &mut self,
        placed: Vec<Placed<'_, '_>>,
        request: Option<&Node<'_>>,
        spot: &Spot,
    ) -> Result<(), ReadError> {
        let follows = request.and_then(A::follows);
        let known = follows.is_some_and(|id| self.resume_response(id));
        let mut repeated = 0;
        if !known {
            repeated = self.resume_history::<A>(&placed, spot);
        }
        self.follow = Follow::Response;
        self.settle_seat();
        if let Some(request) = request {
            if follows.is_some() && !known {
                self.now.draft.hidden(spot, true, "the history that the server holds");
            }
            self.now.settings::<A>(request, spot);
        }
        let keep = if self.compares { Keep::Yes } else { Keep::No };
        self.now.look_ahead::<A>(placed.iter().map(|(message, _)| *message));
        placed
            .iter()
            .skip(repeated)
            .try_for_each(|(message, spot)| self.now.message::<A>(message, spot, Place::Request, keep))
    }

    fn response<A: Api>(&mut self, response: &Node<'_>, spot: &Spot) -> Result<(), ReadError> {
        let follow = self.follow;
        if follow == Follow::Nothing && !A::follows(response).is_some_and(|id| self.resume_response(id)) {
            self.alone::<A>(spot);
        }
        self.settle_seat();
        let keep = if self.compares { Keep::Yes } else { Keep::No };
        A::before_answer(&mut self.now.draft, response, spot);
        let answered = A::answered(response, spot)?;
        self.now.look_ahead::<A>(answered.iter().map(|(message, _)| *message));
        for (message, spot) in answered {
            self.now.message::<A>(message, &spot, Place::Response, keep)?;
        }
        self.now.response = response.say("id").to_owned();
        self.follow = match follow {
            // Among bare messages a response is one of them.
            Follow::Message => Follow::Message,
            Follow::Response | Follow::Nothing if A::pauses(response) => Follow::Response,
            Follow::Response | Follow::Nothing => Follow::Nothing,
        };
        Ok(())
    }

    /// Says of the conversation that is being read what stands around it says.
    fn settle_seat(&mut self) {
        if self.is_child {
            self.now.draft.be_a_child();
        }
    }

    /// Pieces of a response that came as a stream.
    fn pieces<A: Api>(&mut self, pieces: Vec<(Node<'_>, Spot)>) -> Result<(), ReadError> {
        let searches = pieces.iter().any(|(piece, _)| A::searches(piece));
        for (piece, spot) in pieces {
            if self.follow != Follow::Response {
                self.alone::<A>(&spot);
                self.follow = Follow::Response;
            }
            if searches {
                self.now.draft.may_search();
            }
            self.now.message::<A>(&piece, &spot, Place::Response, Keep::No)?;
        }
        Ok(())
    }

    /// Begins the conversation of a response whose request is not in the file.
    fn alone<A: Api>(&mut self, spot: &Spot) {
        self.begin::<A>();
        self.now.draft.hidden(spot, true, "the request that a response answers");
    }

    fn begin<A: Api>(&mut self) {
        if self.now.begun {
            let next = Thread::new::<A>(self.others.len() + 1);
            self.others.push(std::mem::replace(&mut self.now, next));
            // What is too old to be gone on from need not be compared with.
            if let Some(old) = self.others.len().checked_sub(RECENT + 1).and_then(|old| self.others.get_mut(old)) {
                old.forget();
            }
        }
        self.now.begun = true;
    }

    /// Goes on with the conversation whose last response has this id, if it is a recent one.
    fn resume_response(&mut self, id: &str) -> bool {
        if self.now.response == id {
            return true;
        }
        let oldest = self.others.len().saturating_sub(RECENT);
        let recent = self.others.get(oldest..).unwrap_or_default();
        let Some(found) = recent.iter().rposition(|thread| thread.response == id) else {
            return false;
        };
        self.resume(oldest + found);
        true
    }

    /// Goes on with the recent conversation that shares most with a history, or begins one; gives how many messages of
    /// the history were read before.
    fn resume_history<A: Api>(&mut self, placed: &[Placed<'_, '_>], spot: &Spot) -> usize {
        if !self.now.begun {
            self.begin::<A>();
            return 0;
        }
        let essences: Vec<String> = placed.iter().map(|(message, _)| A::essence(message)).collect();
        let oldest = self.others.len().saturating_sub(RECENT);
        let others = self.others.iter().enumerate().skip(oldest).map(|(index, thread)| (Some(index), thread));
        let goes_on = |thread: &Thread, shared: &Shared| match self.history {
            History::MayBeTakenBack => true,
            History::GoesOn => thread.is_whole(shared),
        };
        let all = others.chain([(None, &self.now)]).filter_map(|(index, thread)| {
            let shared = thread.repeated(&essences);
            goes_on(thread, &shared).then_some((index, shared))
        });
        match all.max_by_key(|(_, shared)| shared.telling).filter(|(_, shared)| shared.telling > 0) {
            Some((index, shared)) => {
                if let Some(index) = index {
                    self.resume(index);
                }
                self.now.take_back(shared.seen, spot);
                shared.sent
            }
            None => {
                self.begin::<A>();
                0
            }
        }
    }

    fn resume(&mut self, index: usize) {
        let thread = self.others.remove(index);
        self.others.push(std::mem::replace(&mut self.now, thread));
    }

    /// The conversations, named by the file.
    pub(in crate::format) fn finish(mut self, stem: &str) -> Result<Vec<Conversation>, ReadError> {
        self.others.push(self.now);
        let mut threads: Vec<Thread> = self.others.into_iter().filter(|thread| thread.begun).collect();
        threads.sort_unstable_by_key(|thread| thread.number);
        if threads.is_empty() {
            return Err(ReadError::unexpected("", "nothing", "a conversation"));
        }
        let alone = threads.len() == 1;
        let id = |number: usize| if alone { stem.to_owned() } else { format!("{stem}#{number}") };
        Ok(threads.into_iter().map(|thread| thread.draft.finish(id(thread.number))).collect())
    }
}

/// The body of a recorded request or response: itself, or what recorders put below these keys.
fn body<'n, 'a>(node: &'n Node<'a>, spot: Spot) -> Placed<'n, 'a> {
    for key in ["body", "parsed_body"] {
        if let Some(body) = node.find(key).filter(|body| body.is_map()) {
            return (body, spot.at(key));
        }
    }
    (node, spot)
}

//! Recorded HTTP traffic (cassettes of VCR and its kin): requests to models' APIs and what came back.
//!
//! A recording is a list of `interactions`, or `requests` and `responses` side by side. Each request goes to the reader of
//! its API; one that goes on from what was read continues that conversation. Requests that are of no API that is read
//! (downloads, uploads, counts of tokens) are passed over.

mod dialect;
mod packed;
mod yaml;

use std::borrow::Cow;
use std::collections::BTreeMap;

use firsthand::conversation::Conversation;

use super::anthropic_messages::Messages;
use super::gemini::Gemini;
use super::gemini_interactions::Interactions;
use super::openai_chat::Chat;
use super::openai_responses::Responses;
use super::probe::Probe;
use super::recorded::api::{Api as _, placed};
use super::recorded::log::Log;
use super::recorded::node::{Node, Spot, keys_once};
use super::recorded::signs::is_of_a_child;
use super::recorded::units::each_unit;
use super::text;
use super::{Format, Source};
use crate::error::ReadError;
use dialect::Dialect;

/// Recorded HTTP traffic.
pub(super) const FORMAT: Format =
    Format { name: "cassette", title: "Recorded HTTP traffic (VCR cassette)", read, recognises };

/// What a conversation says of a recording that lacks its end.
pub(super) const CUT: &str = "the rest of a recording that may be cut off";

/// The keys under which recordings list their interactions.
const LISTS: &[&str] = &["interactions", "http_interactions"];

fn recognises(probe: &Probe) -> bool {
    let in_json = probe.document().is_some_and(|tape| {
        let list = LISTS.iter().find_map(|key| tape.get(key)?.as_array());
        list.is_some_and(|list| list.iter().any(|exchange| exchange.get("request").is_some()))
    });
    in_json || is_yaml(probe.head())
}

/// Whether a text begins like a recording in YAML: one of its keys, and below it a list of requests.
fn is_yaml(head: &str) -> bool {
    let mut lines = head.lines().filter(|line| {
        let line = line.trim();
        !line.is_empty() && !line.starts_with('#') && line != "---" && !line.starts_with("version:")
    });
    let (Some(first), Some(second)) = (lines.next(), lines.next()) else { return false };
    let first = first.trim_end();
    let listed = second.trim_start().strip_prefix("- ").is_some_and(|member| member.contains(':'));
    let named = |key: &&str| first.strip_suffix(':') == Some(*key);
    listed && (LISTS.iter().any(named) || named(&"requests"))
}

fn read(bytes: &[u8], source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    let text = text::whole(bytes)?;
    let tape = if text.trim_start().starts_with('{') { text::document(bytes)? } else { yaml::document(text)? };
    let mut tapes = Tapes::new();
    let exchanges = exchanges(&tape)?;
    for exchange in &exchanges.list {
        keys_once(exchange.request, &exchange.at)?;
        keys_once(exchange.response, &exchange.response_at)?;
        tapes.exchange(exchange)?;
    }
    if exchanges.cut || !text.ends_with('\n') && !text.trim_end().ends_with('}') {
        tapes.cut_off();
    }
    tapes.finish(source)
}

/// A request and its response.
struct Exchange<'n, 'a> {
    request: &'n Node<'a>,
    at: Spot,
    response: &'n Node<'a>,
    response_at: Spot,
    /// What stands around it says that no person is in it.
    is_child: bool,
}

struct Exchanges<'n, 'a> {
    list: Vec<Exchange<'n, 'a>>,
    /// What recordings end with is missing.
    cut: bool,
}

fn exchanges<'n, 'a>(tape: &'n Node<'a>) -> Result<Exchanges<'n, 'a>, ReadError> {
    let top = Spot::top(None);
    for key in LISTS {
        if let Some(list) = tape.find(key) {
            let one = |(exchange, spot): (&'n Node<'a>, Spot)| Exchange {
                request: exchange.get("request"),
                at: spot.at("request"),
                response: exchange.get("response"),
                response_at: spot.at("response"),
                is_child: [tape, exchange, exchange.get("request")].into_iter().any(is_of_a_child),
            };
            if !list.is_list() {
                return Err(top.at(key).unexpected(list, "a list of interactions"));
            }
            let list: Vec<_> = placed(list.list(), &top.at(key)).into_iter().map(one).collect();
            // Both the recording and its last response say something at their ends.
            let lacks = ["version", "recorded_with"].iter().all(|key| tape.find(key).is_none());
            let last = list.last().map(|exchange| exchange.response);
            let cut = lacks || last.is_some_and(|response| response.is_map() && !is_whole(response));
            return Ok(Exchanges { list, cut });
        }
    }
    let (requests, responses) = (tape.get("requests"), tape.get("responses"));
    if !requests.is_list() {
        return Err(top.unexpected(tape, "`interactions`, or `requests` and `responses`"));
    }
    let below = top.at("responses");
    let one = |(index, (request, at)): (usize, (&'n Node<'a>, Spot))| Exchange {
        request,
        at,
        response: responses.list().get(index).unwrap_or(&Node::Null),
        response_at: below.at(index),
        is_child: [tape, request].into_iter().any(is_of_a_child),
    };
    let list: Vec<_> = placed(requests.list(), &top.at("requests")).into_iter().enumerate().map(one).collect();
    let cut = responses.list().len() != list.len() || !responses.list().iter().all(is_whole);
    Ok(Exchanges { list, cut })
}

/// Whether a response has what is written last.
fn is_whole(response: &Node<'_>) -> bool {
    response.find("status").or(response.find("status_code")).is_some()
}

/// The body of a request or response.
#[derive(Default)]
struct Sent<'n> {
    /// Its JSON values: one, or the events of a stream.
    values: Vec<(Node<'n>, Spot)>,
    /// There is something that is no JSON.
    is_odd: bool,
}

impl<'n> Sent<'n> {
    /// The body below a recorded message: parsed, as a string, or as bytes.
    fn of<'a: 'n>(message: &'n Node<'a>, spot: &Spot) -> Result<Self, ReadError> {
        if let Some(body) = message.find("parsed_body") {
            return Self::value(body, spot.at("parsed_body"));
        }
        let (mut body, mut spot) = (message.get("body"), spot.at("body"));
        for key in ["string", "base64_string"] {
            if let Some(inside) = body.find(key).filter(|inside| inside.text().is_some()) {
                (body, spot) = (inside, spot.at(key));
                if key == "base64_string" {
                    let text = packed::text_of(body.text().unwrap_or_default());
                    return text.map_or_else(
                        || Ok(Self { is_odd: true, ..Self::default() }),
                        |text| Self::parsed(&text, &spot),
                    );
                }
            }
        }
        Self::value(body, spot)
    }

    fn value<'a: 'n>(body: &'n Node<'a>, spot: Spot) -> Result<Self, ReadError> {
        if let Some(text) = body.text() {
            return Self::parsed(text, &spot);
        }
        let readable = (body.is_map() || body.is_list()) && body.find("unreadable").is_none();
        let values = if readable { vec![(body.clone(), spot)] } else { Vec::new() };
        Ok(Self { is_odd: values.is_empty() && !body.is_empty(), values })
    }

    /// A text that is JSON, lines of JSON or an event stream. One that looks so and is broken is an error.
    fn parsed(text: &str, spot: &Spot) -> Result<Self, ReadError> {
        let begun = text.trim_start();
        if begun.is_empty() {
            return Ok(Self::default());
        }
        if !["{", "[", "data:", "event:", "id:", ":"].iter().any(|start| begun.starts_with(start)) {
            return Ok(Self { is_odd: true, ..Self::default() });
        }
        let mut values = Vec::new();
        let read = each_unit(text.as_bytes(), &mut |unit| {
            values.push((unit.node.into_owned(), unit.spot.below(spot)));
            Ok(())
        });
        match read {
            Ok(()) => Ok(Self { values, is_odd: false }),
            Err(_) => Err(ReadError::unexpected(spot.place(), "a body that is broken or cut off", "JSON")),
        }
    }
}

/// What was read, API by API.
struct Tapes {
    logs: BTreeMap<Dialect, Log>,
    /// The API of the exchange that was read last.
    last: Option<Dialect>,
}

impl Tapes {
    fn new() -> Self {
        Self { logs: BTreeMap::new(), last: None }
    }

    fn exchange(&mut self, exchange: &Exchange<'_, '_>) -> Result<(), ReadError> {
        let Exchange { request, at, response, response_at, is_child } = exchange;
        let uri = ["uri", "url"].iter().find_map(|key| request.get(key).text()).unwrap_or_default();
        if dialect::is_beside(uri) {
            return Ok(());
        }
        let sent = Sent::of(request, at)?;
        let Some((body, at)) = sent.values.into_iter().next() else { return Ok(()) };
        let answer = Sent::of(response, response_at);
        let first = answer.iter().flat_map(|answer| &answer.values).map(|(value, _)| value);
        let Some(dialect) = dialect::of(uri, &body, first) else { return Ok(()) };
        let status = response.get("status");
        let code = if status.is_map() { status.get("code") } else { status };
        let failed = code.number().max(response.get("status_code").number()) >= 400;
        // What a server says that fails need not be whole.
        let answer = if failed { answer.unwrap_or_default() } else { answer? };
        let is_odd = answer.is_odd && !failed;
        let log = self.log(dialect);
        log.around(*is_child);
        let values = answer.values;
        match dialect {
            Dialect::Messages => log.answered::<Messages>((&body, at), values, failed),
            Dialect::Chat => log.answered::<Chat>((&body, at), values, failed),
            Dialect::Responses => log.answered::<Responses>((&body, at), values, failed),
            Dialect::Gemini => log.answered::<Gemini>((&body, at), values, failed),
            Dialect::Interactions => log.answered::<Interactions>((&body, at), values, failed),
        }?;
        if is_odd {
            log.hidden(response_at, "a response in a form that is not read");
        }
        self.last = Some(dialect);
        Ok(())
    }

    fn log(&mut self, dialect: Dialect) -> &mut Log {
        self.logs.entry(dialect).or_insert_with(|| match dialect {
            Dialect::Messages => Log::of_recording::<Messages>(),
            Dialect::Chat => Log::of_recording::<Chat>(),
            Dialect::Responses => Log::of_recording::<Responses>(),
            Dialect::Gemini => Log::of_recording::<Gemini>(),
            Dialect::Interactions => Log::of_recording::<Interactions>(),
        })
    }

    fn cut_off(&mut self) {
        if let Some(log) = self.last.and_then(|last| self.logs.get_mut(&last)) {
            log.hidden(&Spot::top(None), CUT);
        }
    }

    fn finish(self, source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
        if self.logs.is_empty() {
            return Err(ReadError::NotAConversation { found: "recorded traffic with no API of a model that is read" });
        }
        let several = self.logs.len() > 1;
        let mut conversations = Vec::new();
        for (dialect, log) in self.logs {
            let stem = source.stem();
            let stem: Cow<'_, str> = if several { format!("{stem}/{}", dialect.name()).into() } else { stem.into() };
            conversations.extend(log.finish(&stem)?);
        }
        Ok(conversations)
    }
}

impl Dialect {
    /// The name of its format.
    fn name(self) -> &'static str {
        match self {
            Self::Messages => Messages::NAME,
            Self::Chat => Chat::NAME,
            Self::Responses => Responses::NAME,
            Self::Gemini => Gemini::NAME,
            Self::Interactions => Interactions::NAME,
        }
    }
}

//! What the commands print as JSON. Keys stand in the documented order; every key is always there.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

/// What comes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Verdict {
    /// It may be opened.
    Open,
    /// It stays closed.
    Refuse,
    /// A person has to be asked.
    Ask,
    /// The record does not show enough to judge it.
    Unobservable,
}

/// Who wrote an address first.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct First {
    /// `person`, `world`, `model` or `ignored`.
    pub(crate) writer: String,
    /// Where it stood.
    pub(crate) position: String,
    /// In which item.
    pub(crate) item: usize,
    /// The place of that item in its file.
    pub(crate) at: String,
    /// The tool, where it stood in a call or result.
    pub(crate) tool: Option<String>,
    /// `own`, `parent` or `earlier`.
    pub(crate) from: String,
}

/// The verdict on one address of a call.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct UrlVerdict {
    /// As it was asked for.
    pub(crate) url: String,
    /// What comes of it.
    pub(crate) verdict: Verdict,
    /// Why it is not open.
    pub(crate) reason: Option<String>,
    /// What leaves.
    pub(crate) send: Option<String>,
    /// The step that found the source.
    pub(crate) step: Option<String>,
    /// Who wrote it first.
    pub(crate) first: Option<First>,
}

/// A line of `trace`: a call that opens.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct TraceLine {
    /// Always `open`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// The file.
    pub(crate) file: String,
    /// The conversation's id.
    pub(crate) conversation: String,
    /// The run.
    pub(crate) run: String,
    /// The call's item, from 0.
    pub(crate) item: usize,
    /// Its place in the file.
    pub(crate) at: String,
    /// The call's id.
    pub(crate) call: Option<String>,
    /// The server that offers the tool.
    pub(crate) server: Option<String>,
    /// The tool.
    pub(crate) tool: String,
    /// The format's name, under which tools are looked up.
    pub(crate) dialect: String,
    /// What comes of the call.
    pub(crate) verdict: Verdict,
    /// That of the first address that fails.
    pub(crate) reason: Option<String>,
    /// It judges a program's text and binds nobody.
    pub(crate) advisory: bool,
    /// Calls of the conversation are hidden.
    pub(crate) incomplete_view: bool,
    /// Earlier turns exist and could not be read.
    pub(crate) earlier_unread: bool,
    /// What the choice tells the receiver, in bits.
    pub(crate) bits: Option<f64>,
    /// Address by address.
    pub(crate) urls: Vec<UrlVerdict>,
}

/// The last line of `trace`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    /// Always `summary`.
    #[serde(rename = "type")]
    pub(crate) kind: &'static str,
    /// How many files were looked at: those read, skipped and unread together.
    pub(crate) files: u64,
    /// How many of them are no conversations by their kind.
    pub(crate) skipped: u64,
    /// How many of them should be conversations and could not be read.
    pub(crate) unread: u64,
    /// How many conversations they hold.
    pub(crate) conversations: u64,
    /// How many calls open addresses.
    pub(crate) calls: u64,
    /// How many of them are open.
    pub(crate) open: u64,
    /// How many are refused.
    pub(crate) refuse: u64,
    /// How many ask.
    pub(crate) ask: u64,
    /// How many cannot be judged.
    pub(crate) unobservable: u64,
    /// How many verdicts bind nobody.
    pub(crate) advisory: u64,
    /// How many calls were judged with an incomplete view.
    pub(crate) incomplete: u64,
    /// How many calls have each reason.
    pub(crate) by_reason: BTreeMap<String, u64>,
    /// How many calls each tool has (`SERVER/NAME` where it has a server).
    pub(crate) by_tool: BTreeMap<String, u64>,
    /// How many conversations each format has.
    pub(crate) by_format: BTreeMap<String, u64>,
}

/// The answer of `check`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct CheckAnswer {
    /// What comes of the call.
    pub(crate) verdict: Verdict,
    /// That of the first address that fails.
    pub(crate) reason: Option<String>,
    /// What to tell the model. It never repeats the address.
    pub(crate) message: Option<String>,
    /// The nearest documented error code of the vendor's tool.
    pub(crate) error_code: Option<String>,
    /// What the choice tells the receiver, in bits.
    pub(crate) bits: Option<f64>,
    /// Address by address, in the order asked.
    pub(crate) urls: Vec<UrlVerdict>,
}

/// One place where an address stands.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Sighting {
    /// The item, from 0.
    pub(crate) item: usize,
    /// Its place in the file.
    pub(crate) at: String,
    /// The run.
    pub(crate) run: String,
    /// Where it stands.
    pub(crate) position: String,
    /// Whose text it is.
    pub(crate) writer: String,
    /// The tool, where it is a call or result.
    pub(crate) tool: Option<String>,
    /// How it is spelled there.
    pub(crate) spelling: String,
    /// `source`, `mark`, `closed` or `none`.
    pub(crate) effect: String,
}

/// The answer of `explain`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ExplainAnswer {
    /// The address asked about.
    pub(crate) url: String,
    /// Where it stands, in order.
    pub(crate) sightings: Vec<Sighting>,
}

/// A line of `items`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct ItemLine {
    /// The item, from 0.
    pub(crate) item: usize,
    /// Its place in the file.
    pub(crate) at: String,
    /// The turn, from 0.
    pub(crate) turn: Option<u32>,
    /// The message that a call belongs to.
    pub(crate) batch: Option<String>,
    /// The run.
    pub(crate) run: String,
    /// Where it stands.
    pub(crate) position: String,
    /// Whose text it is.
    pub(crate) writer: Option<String>,
    /// The server that offers the tool.
    pub(crate) server: Option<String>,
    /// The tool.
    pub(crate) tool: Option<String>,
    /// The call's id.
    pub(crate) call: Option<String>,
    /// Its text; exactly one of `text` and `json` is there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) text: Option<String>,
    /// Its JSON.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) json: Option<Box<RawValue>>,
}

/// A line of `urls`.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct UrlLine<'t> {
    /// The address after the format's decoding; a bare domain as written.
    pub(crate) url: &'t str,
    /// The first byte of the input that encloses it.
    pub(crate) start: Option<usize>,
    /// The byte after it.
    pub(crate) end: Option<usize>,
    /// The input between the two.
    pub(crate) raw: Option<&'t str>,
}

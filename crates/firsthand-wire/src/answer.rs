//! What the commands and the library answer, as JSON. Keys stand in the documented order; every key is always there.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::value::RawValue;

/// What comes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
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
pub struct First {
    /// `person`, `world`, `model` or `ignored`.
    pub writer: String,
    /// Where it stood.
    pub position: String,
    /// In which item.
    pub item: usize,
    /// The place of that item in its file.
    pub at: String,
    /// The tool, where it stood in a call or result.
    pub tool: Option<String>,
    /// `own`, `parent` or `earlier`.
    pub from: String,
}

/// The verdict on one address of a call.
#[derive(Clone, Debug, Serialize)]
pub struct UrlVerdict {
    /// As it was asked for.
    pub url: String,
    /// What comes of it.
    pub verdict: Verdict,
    /// Why it is not open.
    pub reason: Option<String>,
    /// What leaves.
    pub send: Option<String>,
    /// The step that found the source.
    pub step: Option<String>,
    /// Who wrote it first.
    pub first: Option<First>,
}

/// A line of `trace`: a call that opens.
#[derive(Clone, Debug, Serialize)]
pub struct TraceLine {
    /// Always `open`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The file.
    pub file: String,
    /// The conversation's id.
    pub conversation: String,
    /// The run.
    pub run: String,
    /// The call's item, from 0.
    pub item: usize,
    /// Its place in the file.
    pub at: String,
    /// The call's id.
    pub call: Option<String>,
    /// The server that offers the tool.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// The format's name, under which tools are looked up.
    pub dialect: String,
    /// What comes of the call.
    pub verdict: Verdict,
    /// That of the first address that fails.
    pub reason: Option<String>,
    /// It judges a program's text and binds nobody.
    pub advisory: bool,
    /// Calls of the conversation are hidden.
    pub incomplete_view: bool,
    /// Earlier turns exist and could not be read.
    pub earlier_unread: bool,
    /// What the choice tells the receiver, in bits.
    pub bits: Option<f64>,
    /// Address by address.
    pub urls: Vec<UrlVerdict>,
}

/// The last line of `trace`.
#[derive(Clone, Debug, Serialize)]
pub struct Summary {
    /// Always `summary`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// How many files were looked at.
    pub files: u64,
    /// How many of them are no conversations by their kind.
    pub skipped: u64,
    /// How many of them should be conversations and could not be read.
    pub unread: u64,
    /// How many conversations they hold.
    pub conversations: u64,
    /// How many calls open addresses.
    pub calls: u64,
    /// How many of them are open.
    pub open: u64,
    /// How many are refused.
    pub refuse: u64,
    /// How many ask.
    pub ask: u64,
    /// How many cannot be judged.
    pub unobservable: u64,
    /// How many verdicts bind nobody.
    pub advisory: u64,
    /// How many calls were judged with an incomplete view.
    pub incomplete: u64,
    /// How many calls have each reason.
    pub by_reason: BTreeMap<String, u64>,
    /// How many calls each tool has (`SERVER/NAME` where it has a server).
    pub by_tool: BTreeMap<String, u64>,
    /// How many conversations each format has.
    pub by_format: BTreeMap<String, u64>,
}

/// The answer of `check`.
#[derive(Clone, Debug, Serialize)]
pub struct CheckAnswer {
    /// What comes of the call.
    pub verdict: Verdict,
    /// That of the first address that fails.
    pub reason: Option<String>,
    /// What to tell the model. It never repeats the address.
    pub message: Option<String>,
    /// The nearest documented error code of the vendor's tool.
    pub error_code: Option<String>,
    /// What the choice tells the receiver, in bits.
    pub bits: Option<f64>,
    /// Address by address, in the order asked.
    pub urls: Vec<UrlVerdict>,
}

/// The answer of `mask`.
#[derive(Clone, Debug, Serialize)]
pub struct MaskAnswer {
    /// How many places were masked.
    pub masked: usize,
    /// How many of them by who serves the address.
    pub by_provider: BTreeMap<String, usize>,
    /// The references that can be opened, in the order in which they were made.
    pub references: Vec<String>,
    /// How many of the references can never be opened.
    pub dead: usize,
    /// The masked result.
    pub text: String,
}

/// The answer of `fetch` and `download` for one address.
#[derive(Clone, Debug, Serialize)]
pub struct FetchAnswer {
    /// The address as it was asked for.
    pub url: String,
    /// What comes of the call, or of a redirect that was not followed.
    pub verdict: Verdict,
    /// Why it is not open.
    pub reason: Option<String>,
    /// What to tell the model. It never repeats the address.
    pub message: Option<String>,
    /// Why nothing came although the call is open.
    pub error: Option<String>,
    /// The status of the last answer.
    pub status: Option<u16>,
    /// How many redirects there were, the one that was not followed included.
    pub hops: usize,
    /// Length of the body, unpacked.
    pub bytes: u64,
    /// The media type that the server says.
    #[serde(rename = "type")]
    pub media_type: Option<String>,
    /// The file that was written.
    pub path: Option<String>,
    /// The title of a page.
    pub title: Option<String>,
    /// The part of the text that was asked for.
    pub text: Option<String>,
    /// Where the next part begins.
    pub next: Option<usize>,
}

impl FetchAnswer {
    /// Of an address that may be opened; nothing came yet.
    pub fn open(url: &str) -> Self {
        Self {
            url: url.to_owned(),
            verdict: Verdict::Open,
            reason: None,
            message: None,
            error: None,
            status: None,
            hops: 0,
            bytes: 0,
            media_type: None,
            path: None,
            title: None,
            text: None,
            next: None,
        }
    }

    /// Of an address of a call that stays closed.
    pub fn closed(url: &str, answer: &CheckAnswer) -> Self {
        let (reason, message) = (answer.reason.clone(), answer.message.clone());
        Self { verdict: answer.verdict, reason, message, ..Self::open(url) }
    }
}

/// One place where an address stands.
#[derive(Clone, Debug, Serialize)]
pub struct Sighting {
    /// The item, from 0.
    pub item: usize,
    /// Its place in the file.
    pub at: String,
    /// The run.
    pub run: String,
    /// Where it stands.
    pub position: String,
    /// Whose text it is.
    pub writer: String,
    /// The tool, where it is a call or result.
    pub tool: Option<String>,
    /// How it is spelled there.
    pub spelling: String,
    /// `source`, `mark`, `closed` or `none`.
    pub effect: String,
}

/// The answer of `explain`.
#[derive(Clone, Debug, Serialize)]
pub struct ExplainAnswer {
    /// The address asked about.
    pub url: String,
    /// Where it stands, in order.
    pub sightings: Vec<Sighting>,
}

/// A line of `items`.
#[derive(Clone, Debug, Serialize)]
pub struct ItemLine {
    /// The item, from 0.
    pub item: usize,
    /// Its place in the file.
    pub at: String,
    /// The turn, from 0.
    pub turn: Option<u32>,
    /// The message that a call belongs to.
    pub batch: Option<String>,
    /// The run.
    pub run: String,
    /// Where it stands.
    pub position: String,
    /// Whose text it is.
    pub writer: Option<String>,
    /// The server that offers the tool.
    pub server: Option<String>,
    /// The tool.
    pub tool: Option<String>,
    /// The call's id.
    pub call: Option<String>,
    /// Its text; `json` is null then.
    pub text: Option<String>,
    /// Its JSON; `text` is null then.
    pub json: Option<Box<RawValue>>,
}

/// A line of `urls`.
#[derive(Clone, Debug, Serialize)]
pub struct UrlLine<'t> {
    /// The address after the format's decoding; a bare domain as written.
    pub url: &'t str,
    /// The first byte of the input that encloses it.
    pub start: Option<usize>,
    /// The byte after it.
    pub end: Option<usize>,
    /// The input between the two.
    pub raw: Option<&'t str>,
}

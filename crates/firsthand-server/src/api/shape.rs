//! What goes in and out, as OpenAPI describes it. Every key of an answer is always there.

use firsthand_wire::answer::{CheckAnswer, FetchAnswer, First, Sighting, UrlVerdict, Verdict};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use crate::rules::Said;

/// Which hosts may be reached.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub(super) enum Networking {
    /// Every host.
    Unrestricted {},
    /// Only the hosts of a list.
    Limited {
        /// Exact hosts, and `*.example.com` for the subdomains of one.
        allowed_hosts: Vec<String>,
    },
}

impl From<Networking> for Said {
    fn from(networking: Networking) -> Self {
        match networking {
            Networking::Unrestricted {} => Self::Unrestricted {},
            Networking::Limited { allowed_hosts } => Self::Limited { allowed_hosts },
        }
    }
}

impl From<Said> for Networking {
    fn from(said: Said) -> Self {
        match said {
            Said::Unrestricted {} => Self::Unrestricted {},
            Said::Limited { allowed_hosts } => Self::Limited { allowed_hosts },
        }
    }
}

/// A call.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[expect(dead_code, reason = "it only describes what `Asked` reads")]
pub(super) struct Call {
    /// The call's id.
    id: Option<String>,
    /// The tool.
    tool: String,
    /// The server that offers it.
    server: Option<String>,
    /// Its arguments.
    #[schema(value_type = Object)]
    arguments: Option<Box<RawValue>>,
    /// The addresses that it opens, in the place of the arguments (only to check).
    urls: Option<Vec<String>>,
}

/// Who wrote an address first.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FirstTold {
    /// `person`, `world`, `model` or `ignored`.
    writer: String,
    /// Where it stood.
    position: String,
    /// In which item, from 0.
    item: usize,
    /// Always empty: items of a session have no place in a file.
    at: String,
    /// The tool, where it stood in a call or result.
    tool: Option<String>,
    /// `own`, `parent` or `earlier`.
    from: String,
}

/// The verdict on one address of a call.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct UrlTold {
    /// As it was asked for.
    url: String,
    /// `open`, `refuse` or `ask`.
    verdict: &'static str,
    /// Why it is not open.
    reason: Option<String>,
    /// What leaves.
    send: Option<String>,
    /// The step that found the source.
    step: Option<String>,
    /// Who wrote it first.
    first: Option<FirstTold>,
}

/// The verdict on a call.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct CheckTold {
    /// `open`, `refuse` or `ask`.
    verdict: &'static str,
    /// That of the first address that fails.
    reason: Option<String>,
    /// What to tell the model. It never repeats the address.
    message: Option<String>,
    /// The nearest documented error code of the vendor's tool.
    error_code: Option<String>,
    /// What the choice tells the receiver, in bits.
    bits: Option<f64>,
    /// Address by address, in the order asked.
    urls: Vec<UrlTold>,
    /// How many items the session had.
    length: usize,
    /// The question that waits for a person.
    ask: Option<String>,
}

/// What came of one address.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct FetchTold {
    /// The address as it was asked for.
    url: String,
    /// `open`, or `refuse` for a redirect that was not followed.
    verdict: &'static str,
    /// Why it was not followed.
    reason: Option<String>,
    /// What to tell the model.
    message: Option<String>,
    /// Why nothing came although the call is open.
    error: Option<String>,
    /// The status of the last answer.
    status: Option<u16>,
    /// How many redirects there were.
    hops: usize,
    /// Length of the body in bytes, unpacked.
    bytes: u64,
    /// The media type that the server says.
    #[serde(rename = "type")]
    media_type: Option<String>,
    /// The title of a page.
    title: Option<String>,
    /// The part of the text that was asked for, for the model.
    text: Option<String>,
    /// Where the next part begins, in bytes.
    next: Option<usize>,
}

/// One place where an address stands.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SightingTold {
    /// The item, from 0.
    item: usize,
    /// Always empty: items of a session have no place in a file.
    at: String,
    /// The session.
    run: String,
    /// Where it stands.
    position: String,
    /// Whose text it is.
    writer: String,
    /// The tool, where it is a call or result.
    tool: Option<String>,
    /// How it is spelled there.
    spelling: String,
    /// `source`, `mark`, `closed` or `none`.
    effect: String,
}

fn name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Open => "open",
        Verdict::Ask => "ask",
        Verdict::Refuse | Verdict::Unobservable => "refuse",
    }
}

impl CheckTold {
    pub(super) fn of(answer: CheckAnswer, length: usize, ask: Option<String>) -> Self {
        let CheckAnswer { verdict, reason, message, error_code, bits, urls } = answer;
        let urls = urls.into_iter().map(UrlTold::from).collect();
        Self { verdict: name(verdict), reason, message, error_code, bits, urls, length, ask }
    }
}

impl From<UrlVerdict> for UrlTold {
    fn from(UrlVerdict { url, verdict, reason, send, step, first }: UrlVerdict) -> Self {
        let first = first.map(|First { writer, position, item, at, tool, from }| FirstTold {
            writer,
            position,
            item,
            at,
            tool,
            from,
        });
        Self { url, verdict: name(verdict), reason, send, step, first }
    }
}

impl From<FetchAnswer> for FetchTold {
    fn from(answer: FetchAnswer) -> Self {
        let FetchAnswer {
            url,
            verdict,
            reason,
            message,
            error,
            status,
            hops,
            bytes,
            media_type,
            path: _,
            title,
            text,
            next,
        } = answer;
        let verdict = name(verdict);
        Self { url, verdict, reason, message, error, status, hops, bytes, media_type, title, text, next }
    }
}

impl From<Sighting> for SightingTold {
    fn from(Sighting { item, at, run, position, writer, tool, spelling, effect }: Sighting) -> Self {
        Self { item, at, run, position, writer, tool, spelling, effect }
    }
}

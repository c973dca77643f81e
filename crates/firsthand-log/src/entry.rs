//! The line of a decision.

use firsthand::address::{Address, Asked, Outline};
use firsthand::check::Decision;
use firsthand::ledger::{Ledger, RunId};
use firsthand::lists::{Domains, Networking};
use firsthand::policy::Policy;
use firsthand::verdict::{Judged, Reason};
use jiff::Timestamp;
use serde::Serialize;

/// How many bytes of a keyed digest are kept.
const DIGEST: usize = 16;

/// The longest id of a run that is kept as it is, in bytes.
const LONGEST_RUN: usize = 128;

/// Which face of firsthand decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Surface {
    /// The verdict alone was asked for.
    Check,
    /// An address was opened for the model.
    Fetch,
    /// An address was opened into a file.
    Download,
}

impl Surface {
    /// The name in lines.
    pub fn name(self) -> &'static str {
        match self {
            Self::Check => "check",
            Self::Fetch => "fetch",
            Self::Download => "download",
        }
    }
}

/// What is kept of a decision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Entry {
    /// When, in UTC as in RFC 3339.
    pub time: String,
    /// The caller's id of the run; a keyed digest of one that is long or holds more than letters, digits, `-`, `_`, `.`, `:`.
    pub run: String,
    /// Which face of firsthand decided.
    pub surface: Surface,
    /// The tool by its name in the policy; `other` for one that stands in none, whose name the model may have written.
    pub tool: String,
    /// `open`, `ask` or `refuse`.
    pub verdict: &'static str,
    /// Why it is not open.
    pub reason: Option<&'static str>,
    /// How many addresses the call would open. What follows is said of the one that gives the reason, else of the first.
    pub addresses: usize,
    /// The host where a source or a list holds it; else the site and how many labels stand before it. None of what is no
    /// web address.
    pub host: Option<String>,
    /// The length of the address in bytes.
    pub bytes: usize,
    /// How many query parameters it has.
    pub parameters: usize,
    /// How many sources the run and those above it have.
    pub sources: usize,
    /// A keyed digest of the address, by which two lines of one address are recognised.
    pub digest: String,
}

/// Who decided, and when.
#[derive(Clone, Copy, Debug)]
pub struct About<'a> {
    /// The face of firsthand.
    pub surface: Surface,
    /// The caller's id of the run.
    pub run: &'a str,
    /// The server that offers the tool.
    pub server: Option<&'a str>,
    /// The tool.
    pub tool: &'a str,
    /// Seconds since 1970 (UTC).
    pub now: i64,
    /// Seals digests. Another key gives other digests, so keep it as long as lines are compared.
    pub key: &'a [u8; 32],
}

impl Entry {
    /// The line of a decision of a call that asked for these addresses.
    pub fn of(decision: &Decision, ledger: &Ledger, run: RunId, policy: &Policy, about: &About<'_>) -> Self {
        let reason = decision.verdict.reason();
        let gives_it = |judged: &&Judged| reason.is_some() && judged.reason == reason;
        let judged = decision.addresses.iter().find(gives_it).or_else(|| decision.addresses.first());
        let asked = judged.map_or("", |judged| judged.asked.as_str());
        Self::about(asked, decision.addresses.len(), decision.verdict.name(), reason, ledger, run, policy, about)
    }

    /// The line of a redirect that was refused.
    pub fn of_redirect(
        target: &str,
        reason: Option<Reason>,
        ledger: &Ledger,
        run: RunId,
        policy: &Policy,
        about: &About<'_>,
    ) -> Self {
        Self::about(target, 1, "refuse", reason, ledger, run, policy, about)
    }

    #[expect(clippy::too_many_arguments, reason = "the two kinds of line share every field")]
    fn about(
        asked: &str,
        addresses: usize,
        verdict: &'static str,
        reason: Option<Reason>,
        ledger: &Ledger,
        run: RunId,
        policy: &Policy,
        about: &About<'_>,
    ) -> Self {
        let asked = asked.trim_ascii();
        let address = Asked::parse(asked).ok().map(|asked| asked.address().clone());
        let outline = address.as_ref().map(|address| outline(address, ledger, run, policy, about));
        let digested = address.as_ref().map_or(asked, |address| address.identity());
        let rule = policy.tools.rule(ledger.dialect(run), about.server, about.tool);
        Self {
            time: Timestamp::from_second(about.now).unwrap_or_default().to_string(),
            run: run_name(about),
            surface: about.surface,
            tool: rule.map_or("other", |rule| &rule.name).to_owned(),
            verdict,
            reason: reason.map(Reason::code),
            addresses,
            bytes: outline.as_ref().map_or(asked.len(), |outline| outline.bytes),
            parameters: outline.as_ref().map_or(0, |outline| outline.parameters),
            host: outline.map(|outline| outline.host),
            sources: ledger.sources_in_view(run),
            digest: digest(about.key, digested),
        }
    }

    /// Tells `tracing`.
    pub(crate) fn trace(&self) {
        let Self { time, run, surface, tool, verdict, reason, addresses, host, bytes, parameters, sources, digest } =
            self;
        let (reason, host) = (reason.unwrap_or_default(), host.as_deref().unwrap_or_default());
        let surface = surface.name();
        tracing::info!(
            target: "firsthand::decision",
            time, run, surface, tool, verdict, reason, addresses, host, bytes, parameters, sources, digest,
        );
    }
}

/// A source or a list holds the host, or only its site may be told.
fn outline(address: &Address, ledger: &Ledger, run: RunId, policy: &Policy, about: &About<'_>) -> Outline {
    let host = address.host();
    let rule = policy.tools.rule(ledger.dialect(run), about.server, about.tool);
    let of_domains = |domains: &Option<Domains>| {
        domains.as_ref().is_some_and(|domains| domains.entries().any(|entry| entry == host))
    };
    let is_listed = match &policy.networking {
        Networking::Unrestricted => false,
        Networking::Limited(hosts) => hosts.entries().any(|entry| entry == host),
    } || rule
        .is_some_and(|rule| of_domains(&rule.allowed_domains) || of_domains(&rule.blocked_domains));
    let is_told = address.labels_before_site().is_empty() || is_listed || ledger.has_host(run, host);
    if is_told { address.outline_with_host() } else { address.outline() }
}

fn run_name(about: &About<'_>) -> String {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b':');
    let is_kept = about.run.len() <= LONGEST_RUN && about.run.bytes().all(is_plain);
    if is_kept { about.run.to_owned() } else { format!("digest:{}", digest(about.key, about.run)) }
}

fn digest(key: &[u8; 32], text: &str) -> String {
    let digest = blake3::keyed_hash(key, text.as_bytes());
    data_encoding::HEXLOWER.encode(digest.as_bytes().first_chunk::<DIGEST>().map_or(&[], |first| first))
}

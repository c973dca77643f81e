//! What a decision says, and the proof that an address may be opened.

use std::fmt;
use std::sync::Arc;

use crate::address::Address;
use crate::conversation::Position;
use crate::lists::{Domains, Networking};
use crate::meter::Bits;
use crate::writer::Writer;

/// Why a call is not simply open. The names never change.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Reason {
    /// The call came outside a run: there is nothing to check against.
    NoContext,
    /// The policy denies the tool.
    PermissionDenied,
    /// No web address: it does not parse, or its scheme is not http or https.
    InvalidUrl,
    /// Parsers read it differently, or it carries bytes that vanish.
    OddSpelling,
    /// Longer than the profile allows.
    UrlTooLong,
    /// The host is not among the session's `allowed_hosts`.
    HostNotAllowed,
    /// The domain is not among the tool's `allowed_domains`.
    DomainNotAllowed,
    /// The domain is among the tool's `blocked_domains`.
    DomainBlocked,
    /// No such reference was handed out in this conversation.
    ReferenceUnknown,
    /// The reference's time is over.
    ReferenceExpired,
    /// The model wrote it before anybody else did.
    ModelWroteFirst,
    /// It stands only where it does not count.
    CountsNowhere,
    /// Nobody wrote it.
    NeverWritten,
    /// Calls of this conversation are hidden, and the source is the word of a tool that may echo them.
    IncompleteView,
    /// It carries a value that looks like a credential which no person or operator wrote.
    CredentialInUrl,
    /// Opening it would tell more than the budget allows.
    LeakBudgetSpent,
    /// The call sends more than the address.
    CarriesPayload,
    /// The policy wants a person's yes.
    PermissionAsk,
    /// The name leads to a private network.
    PrivateAddress,
    /// A tool that nobody declared holds an address that would be refused.
    UnknownToolWithUrl,
}

impl Reason {
    /// Every reason, in the order in which they are tested.
    pub const ALL: [Self; 20] = [
        Self::NoContext,
        Self::PermissionDenied,
        Self::InvalidUrl,
        Self::OddSpelling,
        Self::UrlTooLong,
        Self::HostNotAllowed,
        Self::DomainNotAllowed,
        Self::DomainBlocked,
        Self::ReferenceUnknown,
        Self::ReferenceExpired,
        Self::ModelWroteFirst,
        Self::CountsNowhere,
        Self::NeverWritten,
        Self::IncompleteView,
        Self::CredentialInUrl,
        Self::LeakBudgetSpent,
        Self::CarriesPayload,
        Self::PermissionAsk,
        Self::PrivateAddress,
        Self::UnknownToolWithUrl,
    ];

    /// The code in JSON and logs.
    pub fn code(self) -> &'static str {
        match self {
            Self::NoContext => "no_context",
            Self::PermissionDenied => "permission_denied",
            Self::InvalidUrl => "invalid_url",
            Self::OddSpelling => "odd_spelling",
            Self::UrlTooLong => "url_too_long",
            Self::HostNotAllowed => "host_not_allowed",
            Self::DomainNotAllowed => "domain_not_allowed",
            Self::DomainBlocked => "domain_blocked",
            Self::ReferenceUnknown => "reference_unknown",
            Self::ReferenceExpired => "reference_expired",
            Self::ModelWroteFirst => "model_wrote_first",
            Self::CountsNowhere => "counts_nowhere",
            Self::NeverWritten => "never_written",
            Self::IncompleteView => "incomplete_view",
            Self::CredentialInUrl => "credential_in_url",
            Self::LeakBudgetSpent => "leak_budget_spent",
            Self::CarriesPayload => "carries_payload",
            Self::PermissionAsk => "permission_ask",
            Self::PrivateAddress => "private_address",
            Self::UnknownToolWithUrl => "unknown_tool_with_url",
        }
    }

    /// The nearest error code that Anthropic documents for its `web_fetch` tool.
    pub fn error_code(self) -> &'static str {
        match self {
            Self::InvalidUrl | Self::OddSpelling | Self::CarriesPayload => "invalid_tool_input",
            Self::UrlTooLong => "url_too_long",
            Self::PermissionDenied
            | Self::HostNotAllowed
            | Self::DomainNotAllowed
            | Self::DomainBlocked
            | Self::CredentialInUrl
            | Self::PermissionAsk
            | Self::PrivateAddress => "url_not_allowed",
            Self::NoContext
            | Self::ReferenceUnknown
            | Self::ReferenceExpired
            | Self::ModelWroteFirst
            | Self::CountsNowhere
            | Self::NeverWritten
            | Self::IncompleteView
            | Self::UnknownToolWithUrl => "url_not_in_prior_context",
            Self::LeakBudgetSpent => "max_uses_exceeded",
        }
    }

    /// Whether a person's yes could open what this reason keeps closed.
    pub fn a_person_can_heal_it(self) -> bool {
        match self {
            Self::ModelWroteFirst
            | Self::CountsNowhere
            | Self::NeverWritten
            | Self::IncompleteView
            | Self::CredentialInUrl
            | Self::LeakBudgetSpent
            | Self::CarriesPayload
            | Self::PermissionAsk
            | Self::UnknownToolWithUrl => true,
            Self::NoContext
            | Self::PermissionDenied
            | Self::InvalidUrl
            | Self::OddSpelling
            | Self::UrlTooLong
            | Self::HostNotAllowed
            | Self::DomainNotAllowed
            | Self::DomainBlocked
            | Self::ReferenceUnknown
            | Self::ReferenceExpired
            | Self::PrivateAddress => false,
        }
    }

    /// Whether it says that the address has no source, as far as the record shows.
    pub fn has_no_source(self) -> bool {
        match self {
            Self::ModelWroteFirst | Self::CountsNowhere | Self::NeverWritten | Self::IncompleteView => true,
            Self::NoContext
            | Self::PermissionDenied
            | Self::InvalidUrl
            | Self::OddSpelling
            | Self::UrlTooLong
            | Self::HostNotAllowed
            | Self::DomainNotAllowed
            | Self::DomainBlocked
            | Self::ReferenceUnknown
            | Self::ReferenceExpired
            | Self::CredentialInUrl
            | Self::LeakBudgetSpent
            | Self::CarriesPayload
            | Self::PermissionAsk
            | Self::PrivateAddress
            | Self::UnknownToolWithUrl => false,
        }
    }

    /// What the model is told. It never repeats the address.
    pub fn message(self) -> &'static str {
        match self {
            Self::NoContext => {
                "This call came outside a conversation, so there is nothing to check the address against."
            }
            Self::PermissionDenied => "This tool may not be used here.",
            Self::InvalidUrl => "This is not a web address. Copy an address exactly as it was given.",
            Self::OddSpelling => {
                "This address is spelled in a way that programs read differently. Copy an address exactly as it was given."
            }
            Self::UrlTooLong => "This address is longer than is allowed.",
            Self::HostNotAllowed => "This host is not on the list of hosts that may be reached here.",
            Self::DomainNotAllowed => "This tool may not open addresses of this domain.",
            Self::DomainBlocked => "This domain is blocked for this tool.",
            Self::ReferenceUnknown => "There is no such reference in this conversation.",
            Self::ReferenceExpired => "This reference has expired. Ask the tool that gave it for a new one.",
            Self::ModelWroteFirst => {
                "You wrote this address before anybody else did, so it stays closed whatever a search returns. Ask the \
                 user to paste it, or open another page."
            }
            Self::CountsNowhere => {
                "This address stands only in text that does not count (a file, a script, a report, a system prompt or \
                 the like). Search for the page first, or ask the user to paste the address."
            }
            Self::NeverWritten => {
                "Nobody wrote this address. Copy an address exactly as it was given; to reach a page that you know only \
                 by name, search for it first."
            }
            Self::IncompleteView => {
                "A part of this conversation cannot be seen, so the tool that named this address may only have repeated \
                 it. Search for the page, or ask the user to paste the address."
            }
            Self::CredentialInUrl => "This address carries a value that looks like a credential nobody gave here.",
            Self::LeakBudgetSpent => "No more addresses of this site may be opened in this conversation.",
            Self::CarriesPayload => "This call sends more than the address; a person has to confirm it.",
            Self::PermissionAsk => "A person has to confirm this call.",
            Self::PrivateAddress => "This name leads to a private network.",
            Self::UnknownToolWithUrl => {
                "This tool is not known here and was given an address that may not be opened. Copy an address exactly as \
                 it was given."
            }
        }
    }
}

/// Which step found the source that an asked address means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Step {
    /// The source's own spelling was asked for.
    Identical,
    /// The WHATWG serialisations are the same.
    Serialized,
    /// The joint keys are the same.
    Loose,
    /// The query was left out, and one source has the host and path.
    QueryDropped,
    /// A parent path or the root of a source.
    Truncated,
    /// A site convention with sourced slots.
    Convention,
    /// A person's grant.
    Grant,
    /// A reference.
    Reference,
}

impl Step {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Identical => "identical",
            Self::Serialized => "serialized",
            Self::Loose => "loose",
            Self::QueryDropped => "query_dropped",
            Self::Truncated => "truncated",
            Self::Convention => "convention",
            Self::Grant => "grant",
            Self::Reference => "reference",
        }
    }
}

/// Whose record a sighting comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum From {
    /// The run that asks.
    Own,
    /// A run above it.
    Parent,
    /// Earlier turns of the same conversation, brought by the caller.
    Earlier,
}

impl From {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Own => "own",
            Self::Parent => "parent",
            Self::Earlier => "earlier",
        }
    }
}

/// Where somebody wrote an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sighting {
    /// Whose words it stands in.
    pub writer: Writer,
    /// Where it stands.
    pub position: Position,
    /// The number of the run in the tree.
    pub run: usize,
    /// The number of the item in that run, from 0.
    pub item: usize,
    /// The tool whose call or result it stands in.
    pub tool: Option<Arc<str>>,
    /// Whose record it comes from.
    pub from: From,
}

/// What a decision says of one address of a call.
#[derive(Clone)]
pub struct Judged {
    /// The address as it was asked for. Reveals it.
    pub asked: String,
    /// Why it does not open; `None` where it does.
    pub reason: Option<Reason>,
    /// The source's own spelling: what leaves, or what is offered. Reveals it.
    pub send: Option<String>,
    /// The step that found the source.
    pub step: Option<Step>,
    /// Who wrote it first: for an open address the source's sighting, for a closed one the sighting that closed it.
    pub first: Option<Sighting>,
    /// What opening it tells, where it has a source.
    pub bits: Option<Bits>,
}

impl fmt::Debug for Judged {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judged")
            .field("bytes", &self.asked.len())
            .field("reason", &self.reason)
            .field("step", &self.step)
            .field("first", &self.first)
            .finish_non_exhaustive()
    }
}

/// What is decided of a call.
#[derive(Debug)]
pub enum Verdict {
    /// The request may leave, to what the permit holds and to nothing else.
    Open(Permit),
    /// A person decides.
    Ask(Question),
    /// The request does not leave.
    Refuse(Reason),
}

impl Verdict {
    /// The name in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Open(_) => "open",
            Self::Ask(_) => "ask",
            Self::Refuse(_) => "refuse",
        }
    }

    /// Why it is not open; `None` where it is.
    pub fn reason(&self) -> Option<Reason> {
        match self {
            Self::Open(_) => None,
            Self::Ask(question) => Some(question.reason),
            Self::Refuse(reason) => Some(*reason),
        }
    }
}

/// A decision that waits for a person.
#[derive(Debug)]
pub struct Question {
    reason: Reason,
    permit: Permit,
}

impl Question {
    pub(crate) fn new(reason: Reason, permit: Permit) -> Self {
        Self { reason, permit }
    }

    /// Why a person is asked.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// A person said yes to exactly this call, once. Only call this for an answer that a person gave.
    pub fn a_person_said_yes(self) -> Permit {
        self.permit
    }
}

/// The proof that a call's addresses may be opened: one call, all of its addresses, once.
///
/// Only a decision makes one. It is not `Clone`: whoever opens takes it by value.
///
/// ```compile_fail
/// let forged = firsthand::verdict::Permit { addresses: Vec::new() };
/// ```
///
/// ```compile_fail
/// fn twice(permit: firsthand::verdict::Permit) -> (firsthand::verdict::Permit, firsthand::verdict::Permit) {
///     (permit.clone(), permit)
/// }
/// ```
pub struct Permit {
    addresses: Vec<Address>,
    bounds: Arc<[Bounds]>,
    told: Bits,
}

/// The proof that one address may be opened, once: a permit's, or the target of a redirect that was decided anew.
///
/// ```compile_fail
/// fn twice(pass: firsthand::verdict::Pass) -> (firsthand::verdict::Pass, firsthand::verdict::Pass) {
///     (pass.clone(), pass)
/// }
/// ```
pub struct Pass {
    address: Address,
    bounds: Arc<[Bounds]>,
    hops: u8,
    told: Bits,
}

/// Why a redirect is not followed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Halt {
    /// The target may not be opened.
    Refused(Reason),
    /// It leads from https to http.
    Insecure,
    /// It is one too many.
    TooMany,
}

/// The lists that held when a permit was made; they hold for its redirects too.
#[derive(Clone, Debug)]
pub(crate) struct Bounds {
    pub(crate) networking: Networking,
    pub(crate) allowed: Option<Domains>,
    pub(crate) blocked: Option<Domains>,
    pub(crate) longest: usize,
}

impl Bounds {
    /// Why these lists keep an address closed.
    pub(crate) fn refuse(&self, address: &Address) -> Option<Reason> {
        if address.reveal().len() > self.longest {
            return Some(Reason::UrlTooLong);
        }
        if !self.networking.admit(address) {
            return Some(Reason::HostNotAllowed);
        }
        // A block wins over whatever allows.
        if self.blocked.as_ref().is_some_and(|domains| domains.cover(address)) {
            return Some(Reason::DomainBlocked);
        }
        if self.allowed.as_ref().is_some_and(|domains| !domains.cover(address)) {
            return Some(Reason::DomainNotAllowed);
        }
        None
    }
}

impl Permit {
    pub(crate) fn new(addresses: Vec<Address>, bounds: Arc<[Bounds]>, told: Bits) -> Self {
        Self { addresses, bounds, told }
    }

    /// Every address of the call, in argument order, in the spelling that is sent.
    pub fn addresses(&self) -> &[Address] {
        &self.addresses
    }

    /// What opening all of them tells.
    pub fn told(&self) -> Bits {
        self.told
    }

    /// One pass for each address, in argument order.
    pub fn into_passes(self) -> Vec<Pass> {
        let Self { addresses, bounds, told } = self;
        let pass = |address| Pass { address, bounds: Arc::clone(&bounds), hops: 0, told };
        addresses.into_iter().map(pass).collect()
    }
}

impl fmt::Debug for Permit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Permit").field("addresses", &self.addresses).finish_non_exhaustive()
    }
}

impl Pass {
    /// The address, in the spelling that is sent.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// How many redirects lie behind it.
    pub fn hops(&self) -> u8 {
        self.hops
    }

    /// What opening all addresses of its call tells.
    pub(crate) fn told(&self) -> Bits {
        self.told
    }

    /// Why the lists that held keep another address closed.
    pub(crate) fn refuse(&self, address: &Address) -> Option<Reason> {
        self.bounds.iter().find_map(|bounds| bounds.refuse(address))
    }

    pub(crate) fn after_redirect(self, to: Address) -> Self {
        Self { address: to, hops: self.hops.saturating_add(1), ..self }
    }
}

impl fmt::Debug for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pass").field("address", &self.address).field("hops", &self.hops).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_distinct_and_messages_never_hold_an_address() {
        let mut codes: Vec<&str> = Reason::ALL.iter().map(|reason| reason.code()).collect();
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), Reason::ALL.len());
        assert!(Reason::ALL.iter().all(|reason| !reason.message().contains("://")));
    }
}

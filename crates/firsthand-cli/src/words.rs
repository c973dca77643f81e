//! Plain words for what the answers say in codes.

use anstyle::Style;

use crate::table::{green, red, yellow};
use firsthand_wire::answer::{First, Verdict};

/// A verdict in a table.
pub(crate) fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Open => "open",
        Verdict::Refuse => "refuse",
        Verdict::Ask => "ask",
        Verdict::Unobservable => "unobservable",
    }
}

/// The colour of a verdict.
pub(crate) fn colour(verdict: Verdict) -> Style {
    match verdict {
        Verdict::Open => green(),
        Verdict::Refuse => red(),
        Verdict::Ask | Verdict::Unobservable => yellow(),
    }
}

/// An amount of information in a table.
pub(crate) fn bits(bits: f64) -> String {
    format!("{bits:.1}")
}

/// The reason of an address that stands nowhere but in the call that is judged.
pub(crate) const NEVER_WRITTEN: &str = "never_written";

/// Who wrote an address first, in a few words for a table; nothing where nobody looked, as for one that a list closed.
pub(crate) fn first_shortly(first: Option<&First>, reason: Option<&str>) -> String {
    let Some(First { writer, position, item, at: _, tool: _, from }) = first else {
        return if reason == Some(NEVER_WRITTEN) { "nobody".to_owned() } else { String::new() };
    };
    let who = if writer == "ignored" { position.replace('_', " ") } else { writer.clone() };
    let run = match from.as_str() {
        "parent" => ", parent run",
        "earlier" => ", earlier turn",
        _ => "",
    };
    format!("{who}, item {item}{run}")
}

/// Who wrote an address first, and where.
pub(crate) fn first(first: Option<&First>, reason: Option<&str>) -> String {
    let Some(First { writer, position, item, at: _, tool, from }) = first else {
        return if reason == Some(NEVER_WRITTEN) { "nobody".to_owned() } else { String::new() };
    };
    let who = self::writer(writer);
    let place = position.replace('_', " ");
    let tool = tool.as_deref().map_or_else(String::new, |tool| format!(" of {tool}"));
    let run = match from.as_str() {
        "parent" => " of a parent run",
        "earlier" => " of earlier turns",
        _ => "",
    };
    format!("{who} ({place}{tool}, item {item}{run})")
}

/// Whose words something is.
pub(crate) fn writer(writer: &str) -> &str {
    match writer {
        "person" => "a person",
        "world" => "the world",
        "model" => "the model",
        "ignored" => "a text that does not count",
        other => other,
    }
}

/// Why a reason keeps a call closed, as the end of a sentence.
pub(crate) fn why(reason: &str) -> &'static str {
    match reason {
        "no_context" => "there is no conversation to check it against",
        "permission_denied" => "the policy denies the tool",
        "invalid_url" => "it is no web address",
        "odd_spelling" => "programs read its spelling differently",
        "url_too_long" => "it is longer than the policy allows",
        "host_not_allowed" => "its host is not on the list of allowed hosts",
        "domain_not_allowed" => "its domain is not on the tool's list of allowed domains",
        "domain_blocked" => "its domain is on the tool's list of blocked domains",
        "reference_unknown" => "this conversation has no such reference",
        "reference_expired" => "the reference has expired",
        "model_wrote_first" => "the model wrote it before anybody else did",
        "counts_nowhere" => "it stands only where a text does not count",
        "never_written" => "nobody but this call wrote it",
        "incomplete_view" => "part of the conversation is hidden, and a tool may have repeated the model",
        "credential_in_url" => "it holds what looks like a credential that no person wrote",
        "leak_budget_spent" => "the choices so far have told as much as the policy allows",
        "carries_payload" => "the call would send more than the address",
        "permission_ask" => "the policy wants a person to confirm it",
        "unknown_tool_with_url" => "nobody declared the tool, and it was given an address that may not be opened",
        "private_address" => "it leads to a private network",
        _ => "see the list of reasons in the documentation",
    }
}

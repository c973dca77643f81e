//! Whose words the result of a call is: the row of the profile's table that a tool belongs to.

use super::Inner;
use super::signs::Signs;
use crate::conversation::Ran;
use crate::json::folded_name;
use crate::policy::{Kind, Policy, ToolRule};
use crate::writer::{Origin, Row, Writer, row_of, writer_of};

/// Whose words the result of these calls is: the stricter where they differ.
pub fn result_writer(calls: &[Inner<'_>], ran: Ran, custom: bool, is_error: bool, policy: &Policy) -> Writer {
    calls
        .iter()
        .map(|call| writer_of(Origin::Result { row: row(call, custom, policy), ran, is_error }, policy))
        .max_by_key(|writer| strictness(*writer))
        .unwrap_or(Writer::Ignored)
}

/// `ignored` before `world`; the model's words are the strictest, since they mark.
pub(crate) fn strictness(writer: Writer) -> u8 {
    match writer {
        Writer::Person => 0,
        Writer::World => 1,
        Writer::Ignored => 2,
        Writer::Model => 3,
    }
}

/// The row of the profile's table that a call's result belongs to.
pub fn row(call: &Inner<'_>, custom: bool, policy: &Policy) -> Row {
    if let Some(writer) = call.rule.and_then(|rule| rule.result) {
        return Row::Declared(writer);
    }
    // What the application declared to the provider is its own tool, whatever product it is called like.
    let kind = if custom && matches!(call.kind, Kind::Search | Kind::Page) { Kind::Other } else { call.kind };
    let Some(server) = call.server.as_deref() else {
        return row_of(kind, None, custom);
    };
    if let Some(writer) = policy.connectors.get(server) {
        return Row::Declared(*writer);
    }
    if is_generated(call, policy) { Row::Generated } else { row_of(kind, Some(server), custom) }
}

/// What kind of tool it is in this call, by what is known of it, and whether something that nobody knows of made it so.
///
/// A page or a search for which a model was asked to write is that model's summary; an opener that was given something else
/// than the address of a page, or a program to run there, gives no page.
pub(super) fn kind_of(rule: &ToolRule, signs: Signs) -> (Kind, bool) {
    if !matches!(rule.kind, Kind::Search | Kind::Page | Kind::Opener) {
        return (rule.kind, false);
    }
    let page = rule.kind == Kind::Page;
    if page && (signs.local || signs.elsewhere) {
        (Kind::File, true)
    } else if page && signs.program {
        (Kind::Script, true)
    } else if signs.prompt {
        (Kind::Summary, true)
    } else if signs.prompted {
        (Kind::Summary, false)
    } else {
        (rule.kind, false)
    }
}

/// Whether fields of the result may count for more than the result: somebody declared the tool's results, or the call is
/// like those that the table speaks of.
pub(super) fn fields_may_raise(call: &Inner<'_>, custom: bool, policy: &Policy) -> bool {
    let is_declared = call.rule.is_some_and(|rule| rule.result.is_some());
    let is_made_less = custom || call.doubtful || call.server.is_some() && is_generated(call, policy);
    is_declared || !is_made_less
}

fn is_generated(call: &Inner<'_>, policy: &Policy) -> bool {
    matches!(call.kind, Kind::Other | Kind::Opener) && is_script(call, policy)
}

/// Whether a connector's tool evaluates, transforms, reads files or has a model write, by its name or its arguments.
fn is_script(call: &Inner<'_>, policy: &Policy) -> bool {
    let (signs, is_known) = (call.signs, call.kind == Kind::Opener);
    let asks_a_model = signs.prompt || signs.prompted;
    asks_a_model || signs.local || !is_known && (signs.program || is_called_like_a_script(call, policy))
}

/// Whether a known tool whose results are generated is called like this one. A server may spell it otherwise.
fn is_called_like_a_script(call: &Inner<'_>, policy: &Policy) -> bool {
    let server = call.server.as_deref().map(folded_name);
    if server.as_ref().is_some_and(|server| policy.names.machines.contains(&**server)) {
        return true;
    }
    // What stands before the name may be a group of tools: `functions.bash`.
    let behind = call.tool.rsplit(['.', '/', ':']).next().unwrap_or_default();
    let resembling = || policy.tools.resembling(&call.tool).chain(policy.tools.resembling(behind));
    // Under one name some products return pages or hits and others what a model makes of them.
    let is_also_raw = resembling().any(|rule| matches!(rule.kind, Kind::Search | Kind::Page));
    resembling().any(|rule| match rule.kind {
        Kind::Shell | Kind::Script => true,
        Kind::Summary => !is_also_raw,
        Kind::Other => rule.dispatches.is_some(),
        // Systems of other people's have files, notes and tasks too: there the server tells, or that it reads a file.
        Kind::File | Kind::Memory | Kind::Plan | Kind::Notes | Kind::Report => {
            let of_this_server = rule.server.as_deref().is_some_and(|own| Some(folded_name(own)) == server);
            of_this_server || reads_a_file(&rule.name)
        }
        Kind::Search | Kind::Page | Kind::Opener | Kind::Question | Kind::Discovery | Kind::Connector => false,
    })
}

fn reads_a_file(name: &str) -> bool {
    let name = folded_name(name);
    name.contains("file") && (name.starts_with("read") || name.starts_with("view"))
}

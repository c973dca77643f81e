//! The list of sources for people.

use std::collections::BTreeMap;

use firsthand_answer::carried::CarryOver;
use firsthand_answer::record::{First, Item, Kind, Reason, Record, TitleFrom};

use crate::safe::short_address;
use crate::table::{Cell, Column, Table, bold, dim, painted};
use crate::words;

/// The list, and what is to be said of the text.
///
/// With a conversation, who wrote each address first is told of all of them, also where that is nobody of any.
pub(super) fn people(
    record: &Record,
    has_conversation: bool,
    carried: Option<&CarryOver>,
    width: Option<usize>,
) -> String {
    let mut text = match record.items.as_slice() {
        [] => "No sources: the answer links to nothing.\n".to_owned(),
        items => list(items, has_conversation, width),
    };
    let mut notes = Vec::new();
    if record.truncated {
        let (limit, total) = (record.limit, record.total);
        notes.push(format!(
            "Only the first {limit} of {total} addresses are listed; the others are links of the text only."
        ));
    }
    notes.extend(unwrapped(record));
    if let Some(carried) = carried {
        let CarryOver { total, carried_over, .. } = carried;
        let are = if *carried_over == 1 { "is" } else { "are" };
        let links = if *total == 1 { "link" } else { "links" };
        notes.push(format!("Of {total} {links} of the reports, {carried_over} {are} carried over."));
    }
    if !notes.is_empty() {
        text.push_str(&format!("\n{}\n", notes.join("\n")));
    }
    if let Some(carried) = carried.filter(|carried| !carried.not_carried_over.is_empty()) {
        text.push_str(&format!("\n{}\n{}", painted("Not carried over", bold()), missing(carried, width)));
    }
    text
}

fn list(items: &[Item], has_first: bool, width: Option<usize>) -> String {
    let mut table = Table::new([
        Column::Right("n"),
        Column::Left("title"),
        Column::Left("host"),
        Column::Left("kind"),
        Column::Right("times"),
        Column::Left(if has_first { "first written by" } else { "" }),
    ]);
    for item in items {
        let kind = match &item.shortcut {
            Some(shortcut) => format!("{} ({shortcut})", kind(item.kind)),
            None => kind(item.kind).to_owned(),
        };
        let first = if has_first { first(item.first.as_ref()) } else { String::new() };
        table.row([
            Cell::new(&item.n.to_string()),
            Cell::new(&title(item)),
            Cell::styled(item.host.as_deref().unwrap_or(&item.url), dim()),
            Cell::new(&kind),
            Cell::new(&item.occurrences.len().to_string()),
            Cell::styled(&first, dim()),
        ]);
    }
    table.render(width)
}

/// A title; the address where nobody gave one, so that two pages of a host are told apart.
fn title(item: &Item) -> String {
    match item.title_from {
        TitleFrom::Host => short_address(&item.url),
        TitleFrom::LinkText | TitleFrom::ToolResult => item.title.to_string(),
    }
}

fn kind(kind: Kind) -> &'static str {
    match kind {
        Kind::Web => "web",
        Kind::Connector => "connector",
        Kind::Record => "record",
        Kind::Document => "document",
    }
}

fn first(first: Option<&First>) -> String {
    let Some(First { writer, position, item, tool }) = first else { return "nobody".to_owned() };
    let tool = tool.as_deref().map_or_else(String::new, |tool| format!(" of {tool}"));
    format!("{} ({}{tool}, item {item})", words::writer(writer), position.replace('_', " "))
}

/// What was unwrapped, by reason.
fn unwrapped(record: &Record) -> Vec<String> {
    let mut counts: BTreeMap<Reason, usize> = BTreeMap::new();
    for one in &record.unwrapped {
        *counts.entry(one.reason).or_default() += 1;
    }
    let why = |reason| match reason {
        Reason::Scheme => "another scheme than http and https",
        Reason::Reference => "a reference to a download",
        Reason::Invalid => "no whole address",
    };
    let told = |(reason, count): (Reason, usize)| match count {
        1 => format!("1 link was unwrapped: {}.", why(reason)),
        _ => format!("{count} links were unwrapped: {}.", why(reason)),
    };
    counts.into_iter().map(told).collect()
}

fn missing(carried: &CarryOver, width: Option<usize>) -> String {
    let mut table = Table::new([Column::Left("title"), Column::Left("address"), Column::Left("reports")]);
    for one in &carried.not_carried_over {
        table.row([
            Cell::new(&one.title),
            Cell::new(&short_address(&one.url)),
            Cell::styled(&one.reports.join(", "), dim()),
        ]);
    }
    table.render(width)
}

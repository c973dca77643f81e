//! A trace for people: a table for each conversation, then a few sentences.

use std::collections::BTreeMap;

use crate::out::Look;
use crate::safe::{Addresses, plain};
use crate::table::{Cell, Column, Table, bold, dim, painted, prose};
use crate::words::{self, NEVER_WRITTEN};
use firsthand_wire::answer::{Summary, TraceLine, UrlVerdict, Verdict};

use super::tally::{Tally, full_name};

/// The tables of a family of files, run by run.
///
/// The calls of a tree come in the order in which they were made, those of a subagent between those of its parent, so the
/// tables are kept until the family is done.
#[derive(Debug, Default)]
pub(super) struct Tables {
    /// The place of each run's table, by file and run.
    places: BTreeMap<(String, String), usize>,
    tables: Vec<(String, Table<7>)>,
    addresses: Addresses,
}

impl Tables {
    /// None yet.
    pub(super) fn showing(addresses: Addresses) -> Self {
        Self { addresses, ..Self::default() }
    }

    /// Adds a call.
    pub(super) fn call(&mut self, line: &TraceLine) {
        let key = (line.file.clone(), line.run.clone());
        let place = *self.places.entry(key).or_insert_with(|| {
            self.tables.push((heading(line), empty()));
            self.tables.len() - 1
        });
        if let Some((_, table)) = self.tables.get_mut(place) {
            add(table, line, self.addresses);
        }
    }

    /// The tables as text.
    pub(super) fn render(&self, width: Option<usize>) -> String {
        let mut text = String::new();
        for (heading, table) in &self.tables {
            text.push_str(heading);
            text.push_str(&table.render(width));
            text.push('\n');
        }
        text
    }
}

fn heading(line: &TraceLine) -> String {
    let TraceLine { file, conversation, run, dialect, .. } = line;
    let below = if run == conversation { String::new() } else { format!(", run {run}") };
    let about = format!("  {dialect}, conversation {conversation}{below}");
    format!("{}{}\n", painted(&plain(file), bold()), painted(&plain(&about), dim()))
}

fn empty() -> Table<7> {
    Table::new([
        Column::Right("item"),
        Column::Left("tool"),
        Column::Left("verdict"),
        Column::Right("bits"),
        Column::Left("reason"),
        Column::Left("first written by"),
        Column::Left("address"),
    ])
}

/// One row for each address; the call is named in the first.
fn add(table: &mut Table<7>, line: &TraceLine, addresses: Addresses) {
    let item = line.item.to_string();
    let tool = full_name(line.server.as_deref(), &line.tool);
    if line.urls.is_empty() {
        let reason = line.reason.as_deref().unwrap_or("");
        let verdict = Cell::styled(&word(line.verdict, line.advisory), words::colour(line.verdict));
        let none = Cell::default;
        table.row([Cell::new(&item), Cell::new(&tool), verdict, none(), Cell::new(reason), none(), none()]);
    }
    // A call may stay closed for what it does besides: then no address of its is open either.
    let each_open = line.urls.iter().all(|url| url.verdict == Verdict::Open);
    for (place, url) in line.urls.iter().enumerate() {
        let UrlVerdict { url, verdict, reason, send: _, step: _, first } = url;
        let (verdict, reason) = match line.verdict {
            Verdict::Unobservable => (line.verdict, reason.as_ref()),
            Verdict::Ask | Verdict::Refuse if each_open => (line.verdict, line.reason.as_ref()),
            Verdict::Ask | Verdict::Refuse | Verdict::Open => (*verdict, reason.as_ref()),
        };
        let called = if place == 0 { (item.as_str(), tool.as_str()) } else { ("", "") };
        let bits = line.bits.filter(|_| place == 0).map_or_else(String::new, words::bits);
        table.row([
            Cell::new(called.0),
            Cell::new(called.1),
            Cell::styled(&word(verdict, line.advisory), words::colour(verdict)),
            Cell::new(&bits),
            Cell::new(reason.map_or("", String::as_str)),
            Cell::new(&words::first_shortly(first.as_ref(), reason.map(String::as_str))),
            Cell::new(&addresses.show(url)),
        ]);
    }
}

/// A verdict; in brackets where it binds nobody.
fn word(verdict: Verdict, advisory: bool) -> String {
    let word = words::verdict(verdict);
    if advisory { format!("({word})") } else { word.to_owned() }
}

/// The last lines: how many, which stayed closed, who wrote them first, and why they stayed closed.
pub(super) fn summary(tally: &Tally, look: Look) -> String {
    let Summary {
        files,
        skipped,
        unread,
        conversations,
        calls,
        open,
        refuse,
        ask,
        unobservable,
        advisory,
        by_reason,
        ..
    } = tally.summary();
    let mut text =
        format!("{}: {open} open, {refuse} refused", counted(calls, "call for an address", "calls for addresses"));
    for (count, what) in [(ask, "to be asked"), (unobservable, "that cannot be judged")] {
        if count > 0 {
            text.push_str(&format!(", {count} {what}"));
        }
    }
    let read = files.saturating_sub(skipped).saturating_sub(unread);
    let conversations = counted(conversations, "conversation", "conversations");
    text.push_str(&format!(", in {conversations} of {}.\n", counted(read, "file", "files")));
    if read == 0 {
        // Counts of nothing would read as if something had been looked at.
        text = String::from("No recorded conversation was read.\n");
    }
    if tally.most_told() > 0.0 {
        let most = words::bits(tally.most_told());
        let whose = if tally.summary().conversations == 1 { "it" } else { "one of them" };
        text.push_str(&format!("By choosing what opens, {whose} told at most {most} bits.\n"));
    }
    if advisory > 0 {
        let verdicts = counted(advisory, "verdict in brackets is", "verdicts in brackets are");
        text.push_str(&format!("{verdicts} advice: the addresses stand in a program, or the tool is not known.\n"));
    }
    if files == 0 {
        text.push_str("Nothing there is called like a recorded conversation (json, jsonl, ndjson, yaml, yml, md, txt, log, eval, also packed).\n");
    }
    if skipped > 0 {
        text.push_str(&format!(
            "{} passed over that are no recorded conversations.\n",
            counted(skipped, "file", "files")
        ));
    }
    if unread > 0 {
        text.push_str(&format!("{} could not be read: see the messages.\n", counted(unread, "file", "files")));
    }
    text = prose(&text, look.width);
    closed(&mut text, tally, look.addresses);
    if !by_reason.is_empty() {
        text.push_str(&format!("\n{}\n", painted("Why they stayed closed", bold())));
        let mut table = Table::new([Column::Right("calls"), Column::Left("reason"), Column::Left("because")]);
        for (reason, count) in &by_reason {
            table.row([Cell::new(&count.to_string()), Cell::new(reason), Cell::new(words::why(reason))]);
        }
        text.push_str(&table.render(look.width));
    }
    tools(&mut text, tally, look.width);
    text
}

fn closed(text: &mut String, tally: &Tally, addresses: Addresses) {
    let (lines, more) = tally.closed();
    if lines.is_empty() {
        return;
    }
    text.push_str(&format!("\n{}\n", painted("Not opened", bold())));
    for line in lines {
        let tool = full_name(line.server.as_deref(), &line.tool);
        let place = format!("{} {}, item {}", line.file, line.at, line.item);
        let word = painted(&word(line.verdict, line.advisory), words::colour(line.verdict));
        let reason = line.reason.as_deref().map_or_else(String::new, |reason| format!(": {reason}"));
        text.push_str(&format!("  {word}  {} in {}{}\n", plain(&tool), plain(&place), plain(&reason)));
        for url in line.urls.iter().filter(|url| url.reason.is_some()) {
            let first = match &url.first {
                Some(first) => format!("first written by {}", words::first(Some(first), None)),
                None if url.reason.as_deref() == Some(NEVER_WRITTEN) => "written by nobody else".to_owned(),
                None => "not looked up".to_owned(),
            };
            text.push_str(&format!("          {}: {}\n", addresses.show(&url.url), plain(&first)));
        }
    }
    if more > 0 {
        text.push_str(&format!("  and {more} more; --json lists them all\n"));
    }
}

fn tools(text: &mut String, tally: &Tally, width: Option<usize>) {
    let (seen, more) = tally.seen();
    if seen.is_empty() {
        return;
    }
    text.push_str(&format!("\n{}\n", painted("Whose words the results of each tool are", bold())));
    let mut table = Table::new([Column::Left("tool"), Column::Left("results")]);
    for tool in seen {
        table.row([Cell::new(&full_name(tool.server.as_deref(), &tool.tool)), Cell::new(&tool.class)]);
    }
    text.push_str(&table.render(width));
    let more = if more { "and more; " } else { "" };
    text.push_str(&prose(&format!("{more}`firsthand policy --suggest FILE` writes a policy to correct them\n"), width));
}

fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
}

#[cfg(test)]
#[path = "told_tests.rs"]
mod tests;

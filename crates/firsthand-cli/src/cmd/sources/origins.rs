//! Where the links of recorded answers came from.

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::thread;

use firsthand_answer::origin::Origin;
use firsthand_answer::shortcut::Shortcuts;
use serde::Serialize;

use crate::args::Sources;
use crate::cmd::given;
use crate::engine::{self, Origins, Unread};
use crate::exit::Exit;
use crate::hint::{Failure, tell};
use crate::input;
use crate::out::{Out, message, width};
use crate::progress::Progress;
use crate::safe::file_name;
use crate::table::{Cell, Column, Table};
use crate::walk::{Listing, Target};
use crate::work::in_order;

/// What the answers came to.
#[derive(Debug, Serialize)]
struct Summary {
    #[serde(rename = "type")]
    kind: &'static str,
    files: u64,
    skipped: u64,
    unread: u64,
    conversations: u64,
    answers: u64,
    links: u64,
    by_origin: BTreeMap<&'static str, u64>,
}

pub(super) fn run(options: &Sources, shortcuts: Option<&Shortcuts>) -> Result<Exit, Failure> {
    let setting = given::setting(&options.policy, &options.format, None)?;
    let listing = Listing::of(&options.files);
    let mut summary = Summary::of(&listing);
    for (place, why) in &listing.unlisted {
        message(&format!("{}: {why}", file_name(place)));
    }
    let mut out = if options.json { Out::data() } else { Out::tables() };
    let mut progress = Progress::over(listing.len());
    let jobs = thread::available_parallelism().map_or(1, usize::from);
    let weigh = |file| match listing.target(file) {
        None | Some(Target::Stdin) => 0,
        Some(Target::File(path)) => input::weight(&path),
    };
    let work = |file| read(&listing, file, |record| engine::origins_of(record, &setting, shortcuts));
    let mut failed = None;
    in_order(listing.len(), jobs, weigh, work, |file, told| {
        let told = match told {
            Ok(told) => told,
            Err(fault) => Err(Failure::Fault(fault)),
        };
        match told {
            Ok(Some(origins)) => {
                summary.add(&origins);
                if options.json {
                    failed = origins.lines.iter().try_for_each(|line| out.json(line)).err();
                }
            }
            Ok(None) => summary.skipped += 1,
            Err(failure) => {
                summary.unread += 1;
                progress.aside(|| tell(&failure));
            }
        }
        progress.done(file + 1);
        if failed.is_some() || out.is_closed() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    })
    .map_err(Failure::Threads)?;
    progress.finish();
    if let Some(error) = failed {
        return Err(error.into());
    }
    match options.json {
        true => out.json(&summary)?,
        false => out.write(people(&summary, width()).as_bytes())?,
    }
    out.flush()?;
    Ok(if summary.unread > 0 { Exit::BadInput } else { Exit::Done })
}

/// Reads a file and asks of it; `None` where a walk meets what is no conversation.
fn read(
    listing: &Listing,
    file: usize,
    ask: impl Fn(engine::Record) -> Result<Origins, Unread>,
) -> Result<Option<Origins>, Failure> {
    let name = match listing.target(file) {
        None => return Ok(None),
        Some(Target::Stdin) => "-".into(),
        Some(Target::File(path)) => path.into_os_string(),
    };
    match ask(given::record(&name)?) {
        Ok(origins) => Ok(Some(origins)),
        Err(unread) if unread.skipped && !listing.is_named(file) => Ok(None),
        Err(unread) => Err(given::unread(unread)),
    }
}

impl Summary {
    fn of(listing: &Listing) -> Self {
        let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
        Self {
            kind: "summary",
            files: count(listing.len()) + listing.passed_over,
            skipped: listing.passed_over,
            unread: count(listing.unlisted.len()),
            conversations: 0,
            answers: 0,
            links: 0,
            by_origin: Origin::ALL.iter().map(|origin| (origin.name(), 0)).collect(),
        }
    }

    fn add(&mut self, origins: &Origins) {
        self.conversations += origins.conversations;
        self.answers += origins.answers;
        for line in &origins.lines {
            self.links += 1;
            *self.by_origin.entry(line.origin).or_default() += 1;
        }
    }
}

fn people(summary: &Summary, width: Option<usize>) -> String {
    let mut table = Table::new([Column::Left("origin"), Column::Right("links"), Column::Right("share")]);
    for origin in Origin::ALL {
        let links = summary.by_origin.get(origin.name()).copied().unwrap_or_default();
        // In tenths of a percent, rounded to the nearest.
        let share = (links * 1_000 + summary.links / 2).checked_div(summary.links).unwrap_or_default();
        let share = format!("{}.{} %", share / 10, share % 10);
        table.row([Cell::new(words(origin)), Cell::new(&links.to_string()), Cell::new(&share)]);
    }
    let Summary { links, answers, conversations, skipped, unread, .. } = summary;
    let mut text = table.render(width);
    let (links, answers) = (counted(*links, "address", "addresses"), counted(*answers, "answer", "answers"));
    let conversations = counted(*conversations, "conversation", "conversations");
    text.push_str(&format!("\n{links} in {answers} of {conversations}"));
    if *skipped > 0 {
        text.push_str(&format!(" · {} skipped", counted(*skipped, "file", "files")));
    }
    if *unread > 0 {
        text.push_str(&format!(" · {} could not be read", counted(*unread, "file", "files")));
    }
    text.push('\n');
    text
}

fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

fn words(origin: Origin) -> &'static str {
    match origin {
        Origin::ToolResult => "stands in a tool result",
        Origin::Person => "a person gave it",
        Origin::Shortcut => "built by a shortcut rule",
        Origin::Convention => "built by a convention",
        Origin::SameHost => "only its host was seen",
        Origin::Unseen => "unseen",
    }
}

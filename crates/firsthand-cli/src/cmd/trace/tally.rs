//! What is counted over a trace.

use std::collections::{BTreeMap, BTreeSet};

use crate::args::FailOn;
use crate::engine::{Read, ToolSeen};
use crate::exit::Exit;
use firsthand_wire::answer::{Summary, TraceLine, Verdict};

/// How many refused calls the summary names; the rest is counted.
const NAMED: usize = 20;

/// How many tools the summary names; the rest is counted.
const TOOLS: usize = 60;

/// The counts of a trace.
#[derive(Debug, Default)]
pub(super) struct Tally {
    files: u64,
    skipped: u64,
    unread: u64,
    conversations: u64,
    calls: u64,
    open: u64,
    refuse: u64,
    ask: u64,
    unobservable: u64,
    advisory: u64,
    incomplete: u64,
    /// Refused, and not only advised against.
    refused: u64,
    /// Asked, and not only advised to.
    asked: u64,
    by_reason: BTreeMap<String, u64>,
    by_tool: BTreeMap<String, u64>,
    by_format: BTreeMap<String, u64>,
    /// What each tree of runs of this part told by choosing what opens, in bits.
    told: BTreeMap<(String, String), f64>,
    /// The most that one of another part told.
    most_told: f64,
    /// The first calls that stayed closed.
    closed: Vec<TraceLine>,
    tools: BTreeSet<ToolSeen>,
    more_tools: bool,
}

impl Tally {
    /// The counts of a walk before any file is opened. A directory that cannot be listed counts as one unread file.
    pub(super) fn of_walk(passed_over: u64, unlisted: usize) -> Self {
        let unlisted = u64::try_from(unlisted).unwrap_or(u64::MAX);
        Self { files: passed_over + unlisted, skipped: passed_over, unread: unlisted, ..Self::default() }
    }

    /// Counts a call.
    pub(super) fn call(&mut self, line: &TraceLine) {
        self.calls += 1;
        let binding = u64::from(!line.advisory);
        match line.verdict {
            Verdict::Open => self.open += 1,
            Verdict::Refuse => {
                self.refuse += 1;
                self.refused += binding;
            }
            Verdict::Ask => {
                self.ask += 1;
                self.asked += binding;
            }
            Verdict::Unobservable => self.unobservable += 1,
        }
        self.advisory += u64::from(line.advisory);
        self.incomplete += u64::from(line.incomplete_view);
        if let Some(reason) = &line.reason {
            *self.by_reason.entry(reason.clone()).or_default() += 1;
        }
        if let Some(bits) = line.bits.filter(|_| matches!(line.verdict, Verdict::Open | Verdict::Ask)) {
            *self.told.entry((line.file.clone(), line.conversation.clone())).or_default() += bits;
        }
        *self.by_tool.entry(full_name(line.server.as_deref(), &line.tool)).or_default() += 1;
        if line.verdict != Verdict::Open && self.closed.len() < NAMED {
            self.closed.push(line.clone());
        }
    }

    /// Counts a file that was read.
    pub(super) fn file(&mut self, read: &Read) {
        self.files += 1;
        self.conversations += read.conversations;
        *self.by_format.entry(read.format.clone()).or_default() += read.conversations;
    }

    /// Counts a file that is no conversation by its kind.
    pub(super) fn skipped(&mut self) {
        self.files += 1;
        self.skipped += 1;
    }

    /// Counts a file that could not be read.
    pub(super) fn unread(&mut self) {
        self.files += 1;
        self.unread += 1;
    }

    /// Notes the tools of a conversation.
    pub(super) fn tools(&mut self, tools: impl IntoIterator<Item = ToolSeen>) {
        for tool in tools {
            if self.tools.len() < TOOLS || self.tools.contains(&tool) {
                self.tools.insert(tool);
            } else {
                self.more_tools = true;
            }
        }
    }

    /// Adds the counts of another part.
    pub(super) fn add(&mut self, other: Self) {
        let Self {
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
            incomplete,
            refused,
            asked,
            by_reason,
            by_tool,
            by_format,
            closed,
            tools,
            more_tools,
            told,
            most_told,
        } = other;
        self.most_told = told.into_values().fold(self.most_told.max(most_told), f64::max);
        self.files += files;
        self.skipped += skipped;
        self.unread += unread;
        self.conversations += conversations;
        self.calls += calls;
        self.open += open;
        self.refuse += refuse;
        self.ask += ask;
        self.unobservable += unobservable;
        self.advisory += advisory;
        self.incomplete += incomplete;
        self.refused += refused;
        self.asked += asked;
        for (own, other) in
            [(&mut self.by_reason, by_reason), (&mut self.by_tool, by_tool), (&mut self.by_format, by_format)]
        {
            for (name, count) in other {
                *own.entry(name).or_default() += count;
            }
        }
        self.closed.extend(closed.into_iter().take(NAMED.saturating_sub(self.closed.len())));
        self.tools(tools);
        self.more_tools |= more_tools;
    }

    /// The most that one tree of runs told by choosing what opens, in bits.
    pub(super) fn most_told(&self) -> f64 {
        self.told.values().copied().fold(self.most_told, f64::max)
    }

    /// Whether no conversation was read at all.
    pub(super) fn is_empty(&self) -> bool {
        self.conversations == 0
    }

    /// Whether something should have been read and was not.
    pub(super) fn has_unread(&self) -> bool {
        self.unread > 0
    }

    /// The first calls that stayed closed, and how many more there are.
    pub(super) fn closed(&self) -> (&[TraceLine], u64) {
        let named = u64::try_from(self.closed.len()).unwrap_or(u64::MAX);
        (&self.closed, (self.refuse + self.ask + self.unobservable).saturating_sub(named))
    }

    /// The tools seen, and whether there are more.
    pub(super) fn seen(&self) -> (&BTreeSet<ToolSeen>, bool) {
        (&self.tools, self.more_tools)
    }

    /// The exit status that the verdicts ask for. A verdict that binds nobody fails nothing.
    pub(super) fn verdict(&self, fail_on: FailOn) -> Exit {
        match fail_on {
            FailOn::Never => Exit::Done,
            FailOn::Refuse | FailOn::Ask if self.refused > 0 => Exit::Refused,
            FailOn::Ask if self.asked > 0 => Exit::Ask,
            FailOn::Refuse | FailOn::Ask => Exit::Done,
        }
    }

    /// The last line of the output.
    pub(super) fn summary(&self) -> Summary {
        Summary {
            kind: "summary",
            files: self.files,
            skipped: self.skipped,
            unread: self.unread,
            conversations: self.conversations,
            calls: self.calls,
            open: self.open,
            refuse: self.refuse,
            ask: self.ask,
            unobservable: self.unobservable,
            advisory: self.advisory,
            incomplete: self.incomplete,
            by_reason: self.by_reason.clone(),
            by_tool: self.by_tool.clone(),
            by_format: self.by_format.clone(),
        }
    }
}

/// A tool's name with its server before it.
pub(super) fn full_name(server: Option<&str>, tool: &str) -> String {
    match server {
        Some(server) => format!("{server}/{tool}"),
        None => tool.to_owned(),
    }
}

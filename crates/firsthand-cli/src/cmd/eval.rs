//! `firsthand eval`: rules, compared on recorded conversations and on attacks made from them.

mod told;

use std::ffi::OsStr;
use std::path::Path;

use serde::Serialize;

use crate::args::Eval;
use crate::cmd::given;
use crate::engine::evaluation::{self, Comparison, Held, RULES};
use crate::engine::{Record, Unread};
use crate::exit::Exit;
use crate::family::Families;
use crate::hint::Failure;
use crate::out::{Out, message};
use crate::progress::Progress;
use crate::safe::file_name;
use crate::storage;
use crate::walk::{Listing, Target};

/// The last line: how much was looked at.
#[derive(Debug, Default, Serialize)]
struct Summary {
    #[serde(rename = "type")]
    kind: &'static str,
    files: u64,
    skipped: u64,
    unread: u64,
    conversations: u64,
    cases: u64,
    cases_left_out: u64,
    calls: u64,
    labelled: u64,
    without_label: u64,
    without_label_advisory: u64,
    labels_not_found: u64,
    attack_runs: u64,
    attack_runs_without_a_secret: u64,
    attacks_unread: u64,
}

pub(super) fn run(options: &Eval) -> Result<Exit, Failure> {
    if options.list {
        let mut out = Out::tables();
        out.write(told::list(RULES).as_bytes())?;
        out.flush()?;
        return Ok(Exit::Done);
    }
    if options.set.iter().any(|name| name == "-") {
        return Err(Failure::Usage("found `-` in `--set`; expected files or directories".to_owned()));
    }
    let rules = rules(options)?;
    let mut labels = Vec::new();
    for name in &options.labels {
        let Record { file, bytes } = given::record(name)?;
        labels.extend(evaluation::labels(&bytes).map_err(|why| Failure::File { file, why })?);
    }
    let listing = Listing::of(&options.set);
    let mut summary = Summary { kind: "summary", ..Summary::default() };
    for (place, why) in &listing.unlisted {
        message(&format!("{}: {why}", file_name(place)));
        summary.unread += 1;
    }
    let families = Families::of(&listing);
    let mut progress = Progress::over(listing.len());
    let mut comparison = Comparison::of(&rules, labels, options.attacks);
    let mut done = 0;
    for family in 0..families.len() {
        let members = families.members(family);
        let mut records = Vec::new();
        for file in members {
            let target = usize::try_from(*file).ok().and_then(|file| listing.target(file));
            let Some(Target::File(path)) = target else { continue };
            summary.files += 1;
            match storage::read(&path) {
                Ok(bytes) => records.push(Record { file: Target::File(path).shown(), bytes }),
                Err(error) => {
                    summary.unread += 1;
                    progress.aside(|| message(&format!("{}: {error}", file_name(&Target::File(path).shown()))));
                }
            }
        }
        for held in comparison.family(records) {
            match held {
                Ok(Held::Conversations(count)) => summary.conversations += u64::try_from(count).unwrap_or(u64::MAX),
                Ok(Held::Cases(count, left_out)) => {
                    summary.cases += u64::try_from(count).unwrap_or(u64::MAX);
                    summary.cases_left_out += left_out;
                }
                Err(Unread { skipped: true, .. }) => summary.skipped += 1,
                Err(Unread { file, skipped: false, why }) => {
                    summary.unread += 1;
                    progress.aside(|| message(&format!("{}: {why}", file_name(&file))));
                }
            }
        }
        done += members.len();
        progress.done(done);
    }
    progress.finish();
    let compared = comparison.finish();
    // Where nothing was read, each label would repeat that.
    let not_found = compared.not_found.iter().filter(|_| summary.conversations > 0);
    for ((file, tool), count) in not_found {
        let of = if tool.is_empty() { String::new() } else { format!(", of {tool}") };
        message(&format!("{}: found no call for {count} of its labels{of}; expected one for each", file_name(file)));
    }
    let met = compared.met;
    summary.calls = met.calls;
    summary.labelled = met.labelled;
    summary.without_label = met.without_label;
    summary.without_label_advisory = met.without_label_advisory;
    summary.labels_not_found = met.labels_not_found;
    (summary.attack_runs, summary.attack_runs_without_a_secret, summary.attacks_unread) = compared.made;
    let exit = if summary.unread > 0 { Exit::BadInput } else { Exit::Done };
    if options.json {
        let mut out = Out::data();
        for row in &compared.rows {
            out.json(row)?;
        }
        for row in &compared.echo {
            out.json(row)?;
        }
        for row in &compared.attacks {
            out.json(row)?;
        }
        out.json(&summary)?;
        out.flush()?;
    } else if options.csv {
        let mut out = Out::data();
        out.write(told::csv(&compared).as_bytes())?;
        out.flush()?;
    } else {
        let mut out = Out::tables();
        out.write(told::tables(&compared, &summary).as_bytes())?;
        out.flush()?;
    }
    Ok(exit)
}

/// The rules that are named: by their names, or as policy files.
fn rules(options: &Eval) -> Result<Vec<firsthand_eval::rules::Rule>, Failure> {
    let named = |name: &OsStr| match name.to_str().and_then(evaluation::rule) {
        Some(rule) => rule.map_err(|why| Failure::File { file: name.to_string_lossy().into_owned(), why }),
        None if Path::new(name).extension().is_none_or(|ending| ending != "toml" && ending != "json") => {
            let known: Vec<&str> = RULES.iter().map(|(name, _)| *name).collect();
            Err(Failure::Usage(format!(
                "found a rule of an unknown name; expected a policy file (.toml or .json) or one of: {}",
                known.join(", ")
            )))
        }
        None => {
            let policy = given::policy(name)?;
            let stem = Path::new(name).file_stem().map_or_else(String::new, |stem| stem.to_string_lossy().into_owned());
            Ok(evaluation::rule_of(&stem, policy))
        }
    };
    match options.rules.as_slice() {
        [] => RULES.iter().map(|(name, _)| named(OsStr::new(name))).collect(),
        names => names.iter().map(|name| named(name)).collect(),
    }
}

//! `firsthand trace`: recorded conversations, replayed.

mod tally;
mod told;

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::{io, thread};

use crate::args::{FailOn, Trace};
use crate::cmd::given;
use crate::engine::{self, Family, Record, Setting, Unread, Wanted};
use crate::exit::Exit;
use crate::family::{Families, companions};
use crate::fault::Fault;
use crate::hint::Failure;
use crate::input;
use crate::out::{Look, Out, json_line, message};
use crate::progress::Progress;
use crate::safe::file_name;
use crate::storage;
use crate::walk::{Listing, Target};
use crate::work::in_order;
use tally::Tally;
use told::Tables;

pub(super) fn run(options: &Trace) -> Result<Exit, Failure> {
    given::one_stdin(&options.files, &options.context, &options.policy.name)?;
    let setting = given::setting(&options.policy, &options.format, Some(&options.context))?;
    let listing = Listing::of(&options.files);
    let mut run = Run::new(options, &listing);
    for (place, why) in &listing.unlisted {
        message(&format!("{}: {why}", file_name(place)));
    }
    let families = Families::of(&listing);
    let mut progress = Progress::over(listing.len());
    let jobs = options.jobs.map_or_else(|| thread::available_parallelism().map_or(1, usize::from), usize::from);
    let view = run.view;
    let weigh = |family| families.members(family).iter().map(|file| weight(&listing, *file)).sum();
    let replay = |family| replay(&listing, families.members(family), &setting, view);
    let mut done = 0;
    in_order(families.len(), jobs, weigh, replay, |family, told| {
        let members = families.members(family);
        done += members.len();
        let flow = progress.aside(|| run.write(&listing, members, told));
        progress.done(done);
        flow
    })
    .map_err(Failure::Threads)?;
    progress.finish();
    run.finish()
}

/// How the output looks.
#[derive(Clone, Copy, Debug)]
enum View {
    Json,
    Tables(Look),
}

/// What a family of files came to.
struct Told {
    bytes: Vec<u8>,
    messages: Vec<String>,
    tally: Tally,
    failed: Option<io::Error>,
}

/// Replays the conversations of a family of files.
fn replay(listing: &Listing, members: &[u32], setting: &Setting, view: View) -> Told {
    let mut told = Told { bytes: Vec::new(), messages: Vec::new(), tally: Tally::default(), failed: None };
    let Gathered { family, kin } = gather(listing, members, &mut told);
    let named: Vec<String> = members.iter().filter_map(|file| named(listing, *file)).collect();
    let (mut tables, wanted) = match view {
        View::Json => (Tables::default(), Wanted::Calls),
        View::Tables(look) => (Tables::showing(look.addresses), Wanted::CallsAndTools),
    };
    let files = engine::trace(family, setting, wanted, &mut |news| match news {
        engine::Told::Tool(tool) => told.tally.tools([tool]),
        engine::Told::Call(line) if kin.contains(&line.file) => {}
        engine::Told::Call(line) => {
            told.tally.call(&line);
            match view {
                View::Json => match json_line(&line) {
                    Ok(line) => told.bytes.extend_from_slice(&line),
                    Err(error) => told.failed = Some(error),
                },
                View::Tables(_) => tables.call(&line),
            }
        }
    });
    if let View::Tables(look) = view {
        told.bytes.extend_from_slice(tables.render(look.width).as_bytes());
    }
    for read in files.iter().filter_map(|file| file.as_ref().ok()) {
        if let Some(what) = read.cut_off {
            told.messages.push(given::cut_off(&read.file, what));
        }
    }
    for file in files {
        match file {
            Ok(read) if !kin.contains(&read.file) => told.tally.file(&read),
            Ok(_) => {}
            Err(Unread { file, skipped: true, why: _ }) if kin.contains(&file) => {}
            Err(Unread { file, skipped: true, why: _ }) if !named.contains(&file) => told.tally.skipped(),
            Err(Unread { file, skipped: _, why }) => told.unread(&file, &why),
        }
    }
    told
}

/// The files of a family, read.
struct Gathered {
    family: Family,
    /// The names of those that are read for their marks only.
    kin: Vec<String>,
}

fn gather(listing: &Listing, members: &[u32], told: &mut Told) -> Gathered {
    let mut family = Family { records: Vec::new(), whole: true };
    let mut around: Vec<PathBuf> = Vec::new();
    let mut met: Vec<PathBuf> = Vec::new();
    for file in members {
        let Some(target) = target(listing, *file) else { continue };
        if let Target::File(path) = &target {
            // A directory and a file of it may both be named; a run that stood twice in its own tree would mislead.
            if let Ok(real) = path.canonicalize() {
                if met.contains(&real) {
                    continue;
                }
                met.push(real);
            }
            if named(listing, *file).is_some() {
                around.extend(companions(path));
            }
        }
        read(&target, &mut family, told);
    }
    around.retain(|path| !path.canonicalize().is_ok_and(|real| met.contains(&real)));
    around.sort();
    around.dedup();
    let kin: Vec<Target> = around.into_iter().map(Target::File).collect();
    for target in &kin {
        read(target, &mut family, told);
    }
    Gathered { family, kin: kin.iter().map(Target::shown).collect() }
}

fn read(target: &Target, family: &mut Family, told: &mut Told) {
    let bytes = match target {
        Target::Stdin => input::read_stdin(),
        Target::File(path) => storage::read(path),
    };
    let file = target.shown();
    match bytes {
        Ok(bytes) => family.records.push(Record { file, bytes }),
        Err(error) => {
            family.whole = false;
            told.unread(&file, &error.to_string());
        }
    }
}

fn target(listing: &Listing, file: u32) -> Option<Target> {
    listing.target(usize::try_from(file).ok()?)
}

/// The name of a file that the command line itself names.
fn named(listing: &Listing, file: u32) -> Option<String> {
    let index = usize::try_from(file).ok()?;
    listing.is_named(index).then(|| listing.target(index).map(|target| target.shown())).flatten()
}

fn weight(listing: &Listing, file: u32) -> u64 {
    match target(listing, file) {
        None | Some(Target::Stdin) => 0,
        Some(Target::File(path)) => input::weight(&path),
    }
}

impl Told {
    fn unread(&mut self, file: &str, why: &str) {
        self.messages.push(format!("{}: {why}", file_name(file)));
        self.tally.unread();
    }
}

/// The trace as a whole, as it is written.
struct Run {
    out: Out,
    view: View,
    fail_on: FailOn,
    tally: Tally,
    faulty: bool,
    failed: Option<io::Error>,
}

impl Run {
    fn new(options: &Trace, listing: &Listing) -> Self {
        let (out, view) = match options.json {
            true => (Out::data(), View::Json),
            false => (Out::tables(), View::Tables(Look::of(options.full))),
        };
        let tally = Tally::of_walk(listing.passed_over, listing.unlisted.len());
        Self { out, view, fail_on: options.fail_on, tally, faulty: false, failed: None }
    }

    /// Writes what a family came to. Stops where output fails, and where nobody reads it and no status depends on it.
    fn write(&mut self, listing: &Listing, members: &[u32], told: Result<Told, Fault>) -> ControlFlow<()> {
        let told = match told {
            Ok(told) => told,
            Err(fault) => {
                let files: Vec<String> = members
                    .iter()
                    .filter_map(|file| target(listing, *file))
                    .map(|target| file_name(&target.shown()))
                    .collect();
                files.iter().for_each(|_| self.tally.unread());
                let files = files.join(", ");
                message(&format!("{files}: internal fault at {}; nothing was decided. Please report it", fault.place));
                self.faulty = true;
                return ControlFlow::Continue(());
            }
        };
        for text in &told.messages {
            message(text);
        }
        self.tally.add(told.tally);
        let written = match told.failed {
            Some(error) => Err(error),
            None => self.out.write(&told.bytes),
        };
        match written {
            Err(error) => {
                self.failed = Some(error);
                ControlFlow::Break(())
            }
            Ok(()) if self.out.is_closed() && self.fail_on == FailOn::Never => ControlFlow::Break(()),
            Ok(()) => ControlFlow::Continue(()),
        }
    }

    fn finish(mut self) -> Result<Exit, Failure> {
        if let Some(error) = self.failed {
            return Err(error.into());
        }
        match self.view {
            View::Json => self.out.json(&self.tally.summary())?,
            View::Tables(look) => self.out.write(told::summary(&self.tally, look).as_bytes())?,
        }
        self.out.flush()?;
        // Whoever checks a folder of nothing would take silence for a pass.
        if self.tally.is_empty() && !self.tally.has_unread() {
            message("no recorded conversation was read");
        }
        let is_bad = self.tally.is_empty() || self.tally.has_unread();
        let unread = if is_bad { Exit::BadInput } else { Exit::Done };
        let fault = if self.faulty { Exit::Fault } else { Exit::Done };
        Ok(self.tally.verdict(self.fail_on).max(unread).max(fault))
    }
}

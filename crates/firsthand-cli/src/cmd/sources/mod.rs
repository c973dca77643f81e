//! `firsthand sources`: the sources of a finished answer.

mod origins;
mod told;

use std::ffi::OsStr;

use firsthand_answer::carried::{CarryOver, Report, carry_over};
use firsthand_answer::emit::{Emitted, Shape, emit};
use firsthand_answer::prompt::{Part, heading, prompt};
use firsthand_answer::shortcut::Shortcuts;
use firsthand_answer::{Finished, Given, finish, finish_with_html, html};

use crate::args::{Context, PromptPart, Sources, Wanted};
use crate::cmd::given;
use crate::engine::{self, Opened, Record};
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::{Out, message, width};
use crate::safe::file_name;

pub(super) fn run(options: &Sources) -> Result<Exit, Failure> {
    let nothing_above = Context { parents: Vec::new(), earlier: None };
    let named = [&options.conversation, &options.shortcuts].into_iter().flatten();
    given::one_stdin(options.files.iter().chain(&options.reports).chain(named), &nothing_above, &options.policy.name)?;
    let shortcuts = options.shortcuts.as_deref().map(shortcuts).transpose()?;
    if options.files.is_empty() && !options.reports.is_empty() {
        let what = "found no answer, since every file behind `--report` is a report; expected the answer before it";
        return Err(Failure::Usage(what.to_owned()));
    }
    if options.origins {
        if options.files.is_empty() {
            return Err(Failure::Usage("found no conversation; expected at least one with `--origins`".to_owned()));
        }
        return origins::run(options, shortcuts.as_ref());
    }
    let wanted = options.emit.map(|emit| emit.wanted());
    if wanted == Some(Wanted::Prompt) {
        return told_to_models(options, &shortcuts.unwrap_or_default());
    }
    if !options.parts.is_empty() {
        return Err(Failure::Usage("found `--part`; expected `--emit prompt` with it".to_owned()));
    }
    let [file] = options.files.as_slice() else {
        if options.files.is_empty() {
            return Err(Failure::Usage("found no answer; expected `firsthand sources ANSWER`".to_owned()));
        }
        let found = options.files.len();
        return Err(Failure::Usage(format!("found {found} answers; expected one")));
    };
    let answer = text(file)?;
    let reports = options.reports.iter().map(|name| text(name)).collect::<Result<Vec<_>, _>>()?;
    if wanted == Some(Wanted::CarryOver) && reports.is_empty() {
        return Err(Failure::Usage("found no `--report`; expected at least one for `--emit carry-over`".to_owned()));
    }
    let shortcuts = shortcuts.as_ref();
    let mut finished = finish(&answer.text, &Given { shortcuts, ..Given::default() });
    let mut known = Vec::new();
    if let Some(conversation) = &options.conversation {
        let setting = given::setting(&options.policy, &options.format, None)?;
        let (kin, record) = given::with_kin(conversation)?;
        let opened = Opened { record, kin, conversation: options.run.clone() };
        known = given::answered(engine::known_of(opened, &setting, &answer.text, &finished.links))?;
        finished = finish(&answer.text, &Given { known: &known, shortcuts, not_carried_over: None });
    }
    let carried = (!reports.is_empty()).then(|| {
        let reports: Vec<Report<'_>> =
            reports.iter().map(|report| Report { name: &report.file, markdown: &report.text }).collect();
        carry_over(&finished.links, &reports)
    });
    finished.record.not_carried_over =
        carried.as_ref().map(|carried| u64::try_from(carried.not_carried_over.len()).unwrap_or(u64::MAX));
    for problem in &finished.problems {
        message(&format!("{}: {problem}", file_name(&answer.file)));
    }
    let page = || finish_with_html(&answer.text, &Given { known: &known, shortcuts, not_carried_over: None }).1;
    let wanted = if options.json { Some(Wanted::Shape(Shape::Native)) } else { wanted };
    let has_conversation = options.conversation.is_some();
    let heading = heading(&options.language).unwrap_or_default();
    write(&finished, has_conversation, carried.as_ref(), wanted, &page, heading)?;
    Ok(Exit::Done)
}

fn write(
    finished: &Finished<'_>,
    has_conversation: bool,
    carried: Option<&CarryOver>,
    wanted: Option<Wanted>,
    page: &dyn Fn() -> String,
    heading: &str,
) -> Result<(), Failure> {
    let mut out = if wanted.is_some() { Out::data() } else { Out::tables() };
    match wanted {
        None => out.write(told::people(&finished.record, has_conversation, carried, width()).as_bytes())?,
        Some(Wanted::Shape(shape)) => match emit(&finished.record, shape) {
            Emitted::Json(value) => out.json(&value)?,
            Emitted::Text(text) => out.write(text.as_bytes())?,
        },
        Some(Wanted::Html) => {
            out.write(page().as_bytes())?;
            out.write(html::sources(&finished.record, heading).as_bytes())?;
        }
        Some(Wanted::CarryOver) => {
            if let Some(carried) = carried {
                out.json(carried)?;
            }
        }
        Some(Wanted::Prompt) => {}
    }
    out.flush()?;
    Ok(())
}

/// Prints the prompt parts.
fn told_to_models(options: &Sources, shortcuts: &Shortcuts) -> Result<Exit, Failure> {
    if !options.files.is_empty() {
        return Err(Failure::Usage("found an answer; expected none with `--emit prompt`".to_owned()));
    }
    let parts: Vec<Part> = match options.parts.as_slice() {
        [] => Part::ALL.to_vec(),
        some => some.iter().copied().map(PromptPart::into).collect(),
    };
    let mut out = Out::data();
    out.write(prompt(&options.language, &parts, shortcuts).unwrap_or_default().as_bytes())?;
    out.flush()?;
    Ok(Exit::Done)
}

/// A file of text.
struct Text {
    file: String,
    text: String,
}

/// Reads a named file, or standard input for `-`, as UTF-8. A byte order mark before it is none of its text.
fn text(name: &OsStr) -> Result<Text, Failure> {
    let Record { file, bytes } = given::record(name)?;
    match String::from_utf8(bytes) {
        Ok(text) => {
            let text = text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text);
            Ok(Text { file, text })
        }
        Err(error) => {
            let before = error.as_bytes().get(..error.utf8_error().valid_up_to()).unwrap_or_default();
            let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
            let why = format!("line {line}: found a byte that is not UTF-8; expected text in UTF-8");
            Err(Failure::File { file, why })
        }
    }
}

/// Reads a file of shortcut rules.
fn shortcuts(name: &OsStr) -> Result<Shortcuts, Failure> {
    let Text { file, text } = text(name)?;
    Shortcuts::read(&text).map_err(|error| Failure::File { file, why: error.to_string() })
}

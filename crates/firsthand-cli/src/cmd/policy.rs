//! `firsthand policy`: a profile, a policy as it works out, or a skeleton of one.

use std::ffi::OsString;

use crate::args::{Policy, UnderPolicy};
use crate::cmd::given;
use crate::engine::{self, Setting, Suggestion};
use crate::exit::Exit;
use crate::hint::{Failure, tell};
use crate::out::{Out, message};
use crate::progress::Progress;
use crate::safe::file_name;
use crate::walk::{Listing, Target};

pub(super) fn run(options: &Policy) -> Result<Exit, Failure> {
    let (text, exit) = match options.suggest.as_slice() {
        [] => (given::policy(&options.name)?.render(), Exit::Done),
        files => {
            let under = UnderPolicy { name: engine::DEFAULT_PROFILE.into() };
            let setting = given::setting(&under, &options.format, None)?;
            suggest(files, &setting)?
        }
    };
    let mut out = Out::data();
    out.write(text.as_bytes())?;
    out.flush()?;
    Ok(exit)
}

/// The skeleton for the conversations of files and directories. What cannot be read is told; the rest is still looked at.
fn suggest(files: &[OsString], setting: &Setting) -> Result<(String, Exit), Failure> {
    let listing = Listing::of(files);
    let mut exit = Exit::Done;
    for (place, why) in &listing.unlisted {
        message(&format!("{}: {why}", file_name(place)));
        exit = Exit::BadInput;
    }
    let mut progress = Progress::over(listing.len());
    let mut suggestion = Suggestion::under(setting);
    for index in 0..listing.len() {
        let Some(target) = listing.target(index) else { continue };
        let name = match &target {
            Target::Stdin => "-".into(),
            Target::File(path) => path.as_os_str().to_owned(),
        };
        let looked = given::record(&name).and_then(|record| {
            let is_named = listing.is_named(index);
            suggestion.look(record).or_else(|unread| match unread.skipped && !is_named {
                true => Ok(()),
                false => Err(given::unread(unread)),
            })
        });
        if let Err(failure) = looked {
            exit = progress.aside(|| tell(&failure));
        }
        progress.done(index + 1);
    }
    progress.finish();
    match suggestion.render() {
        Some(text) => Ok((text, exit)),
        None if exit == Exit::BadInput => Ok((String::new(), exit)),
        None => Err(Failure::Usage("found no conversation in what --suggest names; expected at least one".to_owned())),
    }
}

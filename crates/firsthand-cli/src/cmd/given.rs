//! What several commands are given: files, a policy, parents and earlier turns.

use std::ffi::{OsStr, OsString};

use crate::args::{Context, Format, UnderPolicy};
use crate::engine::{self, Answered, Opened, Policy, Record, Setting, Unread};
use crate::family;
use crate::hint::Failure;
use crate::input;
use crate::out::message;
use crate::safe::file_name;
use crate::storage;
use crate::walk::Target;

/// Reads a named file, or standard input for `-`.
pub(super) fn record(name: &OsStr) -> Result<Record, Failure> {
    let target = Target::named(name);
    let bytes = match &target {
        Target::Stdin => input::read_stdin(),
        Target::File(path) => storage::read(path),
    };
    let file = target.shown();
    match bytes {
        Ok(bytes) => Ok(Record { file, bytes }),
        Err(error) => Err(Failure::input(&file, &error)),
    }
}

/// The other runs of a named file's tree, where its format puts them.
fn kin(name: &OsStr) -> Result<Vec<Record>, Failure> {
    match Target::named(name) {
        Target::Stdin => Ok(Vec::new()),
        Target::File(path) => family::companions(&path).iter().map(|kin| record(kin.as_os_str())).collect(),
    }
}

/// Opens what a command asks about: a file with its kin, and everything that holds for them.
pub(super) fn opened(
    file: &OsString,
    conversation: Option<String>,
    policy: &UnderPolicy,
    format: &Format,
    context: &Context,
) -> Result<(Setting, Opened), Failure> {
    one_stdin([file], context, &policy.name)?;
    let setting = setting(policy, format, Some(context))?;
    let (kin, record) = with_kin(file)?;
    Ok((setting, Opened { record, kin, conversation }))
}

/// Reads a named file with the other runs of its tree.
pub(super) fn with_kin(file: &OsStr) -> Result<(Vec<Record>, Record), Failure> {
    Ok((kin(file)?, record(file)?))
}

/// What an answer rests on, told on standard error where that is less than the whole record.
pub(super) fn answered<A>(answered: Result<Answered<A>, Unread>) -> Result<A, Failure> {
    let Answered { answer, cut_off } = answered.map_err(unread)?;
    for (file, what) in cut_off {
        message(&self::cut_off(&file, what));
    }
    Ok(answer)
}

/// That a file is cut off.
pub(super) fn cut_off(file: &str, what: &str) -> String {
    format!("{}: found {what}; expected a whole record; the answer rests on what stands before it", file_name(file))
}

/// The policy of a name: a profile's, else a file.
pub(super) fn policy(name: &OsStr) -> Result<Policy, Failure> {
    if let Some(profile) = name.to_str().and_then(Policy::profile) {
        let file = name.to_string_lossy().into_owned();
        return profile.map_err(|why| Failure::File { file, why });
    }
    let Record { file, bytes } = match record(name) {
        Err(Failure::File { file, why }) => {
            let profiles = engine::profiles().join(", ");
            let why = format!("policy: {why}; expected a policy file or one of: {profiles}");
            return Err(Failure::File { file, why });
        }
        read => read?,
    };
    match Policy::read(&bytes) {
        Ok((policy, notes)) => {
            for note in notes {
                message(&format!("{}: {note}", file_name(&file)));
            }
            Ok(policy)
        }
        Err(why) => Err(Failure::File { file, why }),
    }
}

/// Everything that holds for all conversations of a command.
pub(super) fn setting(policy: &UnderPolicy, format: &Format, context: Option<&Context>) -> Result<Setting, Failure> {
    let policy = self::policy(&policy.name)?;
    let (parents, earlier) = match context {
        Some(context) => {
            let parents = context.parents.iter().map(|name| record(name)).collect::<Result<_, _>>()?;
            (parents, context.earlier.as_ref().map(|name| record(name.as_os_str())).transpose()?)
        }
        None => (Vec::new(), None),
    };
    Setting::new(policy, &format.name, parents, earlier).map_err(unread)
}

/// Standard input can be read once only.
pub(super) fn one_stdin<'n>(
    names: impl IntoIterator<Item = &'n OsString>,
    context: &'n Context,
    policy: &'n OsStr,
) -> Result<(), Failure> {
    let context =
        context.parents.iter().map(OsString::as_os_str).chain(context.earlier.as_ref().map(|name| name.as_os_str()));
    let times =
        names.into_iter().map(OsString::as_os_str).chain(context).chain([policy]).filter(|name| *name == "-").count();
    if times > 1 {
        return Err(Failure::Usage(
            "found `-` more than once; expected it once, since standard input is read once".to_owned(),
        ));
    }
    Ok(())
}

/// A file that is no conversation, where it was named.
pub(super) fn unread(unread: Unread) -> Failure {
    Failure::File { file: unread.file, why: unread.why }
}

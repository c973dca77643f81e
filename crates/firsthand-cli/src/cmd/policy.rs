//! `firsthand policy`: a profile, a policy as it works out, or a skeleton of one.

use crate::args::{Policy, UnderPolicy};
use crate::cmd::given;
use crate::engine;
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::Out;

pub(super) fn run(options: &Policy) -> Result<Exit, Failure> {
    let text = match &options.suggest {
        None => given::policy(&options.name)?.render(),
        Some(file) => {
            let under = UnderPolicy { name: engine::DEFAULT_PROFILE.into() };
            let setting = given::setting(&under, &options.format, None)?;
            engine::suggest(given::record(file)?, &setting).map_err(given::unread)?
        }
    };
    let mut out = Out::data();
    out.write(text.as_bytes())?;
    out.flush()?;
    Ok(Exit::Done)
}

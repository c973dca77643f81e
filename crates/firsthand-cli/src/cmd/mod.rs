//! The commands, one a file.

mod check;
mod download;
mod eval;
mod explain;
mod fetch;
mod given;
mod items;
mod leave;
mod mask;
mod policy;
mod serve;
mod sources;
mod trace;
mod urls;

use crate::args::Command;
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::Out;

/// Runs a command.
pub(crate) fn run(command: Command) -> Result<Exit, Failure> {
    match command {
        Command::Urls(options) => urls::run(&options),
        Command::Items(options) => items::run(&options),
        Command::Trace(options) => trace::run(&options),
        Command::Check(options) => check::run(options),
        Command::Explain(options) => explain::run(&options),
        Command::Sources(options) => sources::run(&options),
        Command::Fetch(options) => fetch::run(&options),
        Command::Download(options) => download::run(&options),
        Command::Mask(options) => mask::run(&options),
        Command::Policy(options) => policy::run(&options),
        Command::Eval(options) => eval::run(&options),
        Command::Serve(options) => serve::run(&options),
        Command::Token(options) => serve::token(options),
        Command::Migrate(options) => serve::migrate(&options),
        Command::Backup(options) => serve::backup(&options),
        Command::Completions(options) => print(&options.render()),
        Command::Man(options) => match options.render() {
            Ok(page) => print(&page),
            Err(known) => {
                Err(Failure::Usage(format!("no command has that name; expected one of: {}", known.join(", "))))
            }
        },
    }
}

fn print(text: &[u8]) -> Result<Exit, Failure> {
    let mut out = Out::data();
    out.write(text)?;
    out.flush()?;
    Ok(Exit::Done)
}

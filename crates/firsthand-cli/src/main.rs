//! The command `firsthand`.
//!
//! Each command is a small file under `cmd`: it reads what it was given, asks the library through `engine`, and writes
//! JSON or a table. What went wrong becomes a message and an exit status in `hint` and `exit`, and nowhere else.

mod args;
mod cmd;
mod engine;
mod exit;
mod family;
mod fault;
mod hint;
mod input;
mod out;
mod permission;
mod progress;
mod safe;
mod storage;
mod table;
mod walk;
mod words;
mod work;

use std::process::ExitCode;

fn main() -> ExitCode {
    fault::keep_panics_quiet();
    let command = match args::read() {
        Ok(command) => command,
        Err(exit) => return exit.into(),
    };
    let exit = match fault::caught(|| cmd::run(command)) {
        Ok(Ok(exit)) => exit,
        Ok(Err(failure)) => hint::tell(&failure),
        Err(fault) => hint::tell(&hint::Failure::Fault(fault)),
    };
    exit.into()
}

//! What went wrong, as a message and an exit status: the one place where an error becomes either.

use std::io;

use crate::exit::Exit;
use crate::fault::Fault;
use crate::input::InputError;
use crate::out::message;
use crate::safe::file_name;

/// Why a command could not do what it was asked.
#[derive(Debug)]
pub(crate) enum Failure {
    /// A named file cannot be read or is not what was expected: what, and why.
    File {
        /// As it was named.
        file: String,
        /// Place, what was found, what was expected.
        why: String,
    },
    /// The options do not fit each other.
    Usage(String),
    /// Standard output takes nothing more.
    Output(io::Error),
    /// The operating system gives no thread to work in.
    Threads(io::Error),
    /// A fault of this program.
    Fault(Fault),
}

impl Failure {
    /// A named file that cannot be read.
    pub(crate) fn input(file: &str, error: &InputError) -> Self {
        Self::File { file: file.to_owned(), why: error.to_string() }
    }
}

impl From<io::Error> for Failure {
    /// Only output is written with `?`; what is read has its own errors.
    fn from(error: io::Error) -> Self {
        Self::Output(error)
    }
}

/// Tells what went wrong on standard error and gives the exit status.
pub(crate) fn tell(failure: &Failure) -> Exit {
    match failure {
        Failure::File { file, why } => {
            message(&format!("{}: {why}", file_name(file)));
            Exit::BadInput
        }
        Failure::Usage(what) => {
            message(what);
            Exit::BadInput
        }
        Failure::Output(error) => {
            message(&format!("standard output: cannot be written: {}", error.kind()));
            Exit::BadInput
        }
        Failure::Threads(error) => {
            message(&format!("no thread to work in: {}; nothing was decided", error.kind()));
            Exit::Fault
        }
        Failure::Fault(fault) => {
            message(&format!("internal fault at {}; nothing was decided. Please report it", fault.place));
            Exit::Fault
        }
    }
}

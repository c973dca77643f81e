//! The exit status: what a script learns without reading the output.

use std::process::ExitCode;

use firsthand_wire::answer::Verdict;

/// How a command ended.
///
/// The order is that of weight: where several hold, the later one is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Exit {
    /// Everything was done; what was asked is open.
    Done,
    /// It may be opened, but the other side failed.
    Remote,
    /// A person has to be asked.
    Ask,
    /// What was asked is refused.
    Refused,
    /// Bad input or usage.
    BadInput,
    /// A fault of this program.
    Fault,
}

impl Exit {
    /// The status that the operating system sees.
    pub(crate) fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Refused => 1,
            Self::BadInput => 2,
            Self::Ask => 3,
            Self::Remote => 4,
            Self::Fault => 70,
        }
    }

    /// The status of a verdict.
    pub(crate) fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Open => Self::Done,
            Verdict::Ask => Self::Ask,
            // Nobody could judge it, so nobody may read an open door out of the status.
            Verdict::Refuse | Verdict::Unobservable => Self::Refused,
        }
    }
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}

//! The command `firsthand`, driven like a person or a script drives it.

#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]
#![expect(clippy::print_stdout, reason = "a test that is not run says why")]

mod asked;
mod bad_input;
mod documented;
mod eval;
mod help;
mod leaving;
mod masking;
mod output;
mod packed;
mod replays;
mod readme;
mod sources;
mod tool;
mod walks;

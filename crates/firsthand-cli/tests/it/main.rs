//! The command `firsthand`, driven like a person or a script drives it.

#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod bad_input;
mod help;
mod output;
mod packed;
mod tool;
mod walks;

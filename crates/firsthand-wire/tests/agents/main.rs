//! Readers of what coding agents and hosted agents record.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a panic is the report of a test, and a skip is said"
)]
#![expect(clippy::disallowed_methods, reason = "a test reads the recordings where they are")]

mod shown;
mod shared;
mod claude_code;
mod codex;
mod managed_agents;
mod odd;
mod broken;
mod given;

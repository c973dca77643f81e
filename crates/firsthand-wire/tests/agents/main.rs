//! Readers of what coding agents and hosted agents record.

#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a panic is the report of a test, and a skip is said"
)]

mod shown;
mod shared;
mod claude_code;
mod codex;
mod managed_agents;
mod broken;
mod given;

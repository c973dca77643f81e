//! The server, over its databases and over HTTP.

#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]
#![expect(clippy::print_stderr, reason = "a test that is skipped says why")]
#![expect(clippy::print_stdout, reason = "a process that is killed tells what it did")]
#![expect(clippy::indexing_slicing, clippy::panic, reason = "a panic is the report of a test")]

mod databases;
mod stores;
mod killed;
mod simulated;
mod web;
mod api;
mod faces;
mod sockets;

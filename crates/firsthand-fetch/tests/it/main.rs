//! The way out, against servers that mean no good. All of them listen on this machine alone.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

mod play;
mod server;

mod bodies;
mod guard;
mod heads;
mod kept;
mod plain;
mod redirects;
mod saving;
mod silence;
mod tls;
mod frames;
mod tunnel;

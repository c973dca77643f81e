//! What the readers of recorded API traffic share.
//!
//! A file holds requests, responses, exchanges of both or bare messages, as one document or one a line ([`units`]). A
//! request repeats its history, so requests that go on from each other are one conversation ([`log`]). Messages become
//! items in a [`draft`], a person's only where no sign speaks against it ([`signs`]). What agents write line by line into logs of their own is in [`jsonl`].

pub(super) mod node;
pub(super) mod units;
mod calls;
pub(super) mod draft;
pub(super) mod marks;
pub(super) mod signs;
pub(super) mod api;
mod thread;
pub(super) mod log;
pub(super) mod jsonl;

//! Who wrote each address of a conversation first, and whether it may be opened.
//!
//! A conversation is read in order. Each text has a [`writer`]; each address in it becomes a source, a mark or nothing
//! (the [`ledger`]). A tool call that opens addresses is [`check`]ed against that record; the answer is a [`verdict`],
//! and an open verdict carries the only thing that opens the outer door, a [`verdict::Permit`].
//!
//! No file, socket, clock or random number is used here: what the rule needs is handed in.
//!
//! The modules stand in reading order; each uses only those above it.

pub mod json;
pub mod address;
pub mod find;
pub mod conversation;
pub mod lists;
pub mod private;
pub mod meter;
pub mod credential;
pub mod convention;
pub mod reference;
pub mod policy;
pub mod writer;
pub mod verdict;
pub mod calls;
pub mod ledger;
pub mod check;
pub mod note;
pub mod history;
pub mod replay;

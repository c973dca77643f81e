//! The comparison on the set that ships with the project, and the attacks made from it.
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

mod document;
mod generated;
mod set;
mod shared;

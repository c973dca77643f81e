//! Tests that keep the shape of the repository.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

mod arrows;
mod forgotten;
mod reading_order;
mod words;

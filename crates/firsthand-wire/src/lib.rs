//! The formats that firsthand reads and writes: conversations, policies, answers.
//!
//! Everything here turns bytes into the words of the core crate and back. It reads no file and asks no clock: whoever
//! calls it brings the bytes and the file's name.

pub mod error;
pub mod format;
pub mod policy;
pub mod answer;
pub mod items;
pub mod engine;
pub mod call;

pub use error::{Place, ReadError};

/// The snippet of the README, as a test.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
pub struct Readme;

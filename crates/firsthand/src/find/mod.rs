//! Every address that a text holds, read strictly or generously.
//!
//! [`shown`] is for the world's and a person's texts: it takes only what somebody wrote as an address. [`written`] is for
//! the model's: it takes every spelling that some tool may turn into one. The second contains the first at every depth.

mod entity;
mod extent;
mod shown;
mod sign;
mod suffix;
mod written;
#[cfg(test)]
mod containment_tests;

pub use shown::{Format, Found, Voice, shown, shown_in_json};
pub use written::{Written, written, written_in_json};

pub(crate) use written::from_base64;

//! Answers, as they are finished.
#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::panic,
    clippy::print_stdout,
    reason = "a test reports by failing, and says what it skips"
)]
#![expect(clippy::disallowed_methods, reason = "a test reads the answers where they are, and looks at the clock")]

mod boundaries;
mod corpus;
mod found;
mod hostile;
mod listed;
mod markdown;
mod oracle;
mod page;
mod properties;

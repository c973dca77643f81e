//! The case files, held against the library.
#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test reports by failing, and says what it skips"
)]

mod canonical_pairs;
mod extraction;
mod oracle;
mod properties;
mod shared;
mod suites;

//! The case files, held against every face of the product, and the properties that hold for all conversations.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test reports by failing, and says what it skips"
)]

mod beside;
mod canonical_pairs;
mod cases;
mod decisions;
mod docs;
mod extraction;
mod found;
mod freedom;
mod keys;
mod meter;
mod guards;
mod oracle;
mod probes;
mod properties;
mod redirects;
mod references;
mod respelled;
mod rule;
mod shared;
mod suites;

//! The case files, held against every face of the product.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a test reports by failing, and says what it skips"
)]

mod canonical_pairs;
mod cases;
mod decisions;
mod docs;
mod extraction;
mod rule;
mod shared;
mod suites;

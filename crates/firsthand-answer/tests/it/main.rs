//! Answers, as they are finished.

mod found;
mod listed;
mod page;

//! Answers, as they are finished.

mod boundaries;
mod corpus;
mod found;
mod hostile;
mod listed;
mod markdown;
mod oracle;
mod page;
mod properties;

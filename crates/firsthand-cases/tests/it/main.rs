//! The cases that lie beside the project, and what holds over all of its crates.

mod canonical_pairs;
mod respelled;

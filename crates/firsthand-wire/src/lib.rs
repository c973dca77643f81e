//! x

pub mod answer;
pub mod engine;

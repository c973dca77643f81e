//! What a rule costs and what it stops: recorded conversations with labels, and attacks made from them, under any number of
//! rules.
//!
//! The rules of others are stated here as their authors describe them ([`plain`]), so that they can be compared; none of them
//! is part of the product. Ours and the vendors' profiles are judged by the product itself.
//!
//! The modules stand in reading order; each uses only those above it.

pub mod secret;
pub mod plain;
pub mod rules;
pub mod labels;
pub mod calls;
pub mod cases;
pub mod score;
pub mod echo;
pub mod script;
pub mod formats;
pub mod carriers;
pub mod attacks;

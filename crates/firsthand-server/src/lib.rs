//! The server: sessions, decisions and sources over HTTP.
//!
//! What is appended to a session is durable before it is acknowledged, and in memory before anything is judged by it
//! ([`sessions`]). All that happens in a tree of sessions is one log of events ([`event`], [`store`]); what they come to is a
//! [`tree::Tree`], the same on every server. Nothing here decides what opens: that is `firsthand`.
//!
//! The modules stand in reading order; each uses only those above it.

pub mod key;
pub mod store;
pub mod clock;
pub mod rules;
pub mod event;
pub mod tree;
pub mod limits;
pub mod failure;
pub mod warm;
pub mod sessions;
pub mod decide;
pub mod masking;
pub mod leave;
pub mod token;
pub mod metrics;
pub mod refusals;
pub mod api;
pub mod serve;

//! The only way out: a client that opens what a permit names, and nothing else.
//!
//! [`open::Door`] takes a [`firsthand::verdict::Permit`] by value. Before anything is sent, every address of the permit is
//! surveyed: numbers and names that lead into private networks are refused without a query. Names are then resolved where
//! the connection is made, all answers are classified ([`class`]), and the address that was classified is the one that is
//! dialled. Each redirect is put to a [`open::Referee`], whose decision is the only way to follow it.
//!
//! No error, no `Debug` and no message of this crate holds an address, a host or a path.
//!
//! The modules stand in reading order; each uses only those above it.

pub mod class;
pub mod error;
pub mod limits;
pub mod reach;
pub mod resolve;
pub mod dial;
pub mod client;
pub mod body;
pub mod cache;
pub mod robots;
pub mod save;
pub mod open;

//! The saved form of a ledger.
//! (being written)

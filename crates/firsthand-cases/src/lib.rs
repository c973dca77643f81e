//! The project's case files, the rule stated a second time, and conversations to try both on.
//!
//! A case file is Markdown: a heading, a sentence of reason, a conversation and what must come of calls made at its end
//! ([`notation`]). A [`subject`] is one face of the product; [`library`] and [`command`] are those that exist. The
//! [`oracle`] states the rule slowly and shares nothing with the ledger; [`arbitrary`] makes conversations for both. The
//! [`probes`] hold of any bytes.
//!
//! The modules stand in reading order; each uses only those above it.

pub mod line;
pub mod talk;
pub mod ask;
pub mod notation;
pub mod subject;
pub mod library;
pub mod command;
pub mod headings;
pub mod respell;
pub mod tree;
pub mod parts;
pub mod made;
pub mod whose;
pub mod oracle;
pub mod arbitrary;
pub mod probes;

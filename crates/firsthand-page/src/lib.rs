//! What a fetched page becomes for a model: bytes in, Markdown or plain text out.
//!
//! [`read`] finds out what the bytes are and in which encoding, and gives a [`Page`]: its text for the model, with links
//! absolute, and its decoded source, from which its links are read for the record of who wrote what. Nothing that a page
//! says becomes markup that it was not, and nothing in the text is invisible. Time and memory are linear in the bytes,
//! whatever they are.
//!
//! No file, socket, clock or random number is used here.
//!
//! The modules stand in reading order; each uses only those above it.

mod limits;
mod error;
mod seen;
mod charset;
pub mod kind;
mod markup;
mod markdown;
mod grid;
mod base;
mod html;
mod feed;
pub mod part;
mod page;
pub mod robots;

pub use error::PageError;
pub use kind::Kind;
pub use limits::Limits;
pub use page::{Page, read, read_hidden};
pub use part::Part;
pub use robots::robots;

//! The links of a finished answer, the list of its sources, and the answer as safe HTML.
//!
//! A model writes the address of what it relied on as a link. What must not stay a link is [unwrapped](unwrap::unwrap);
//! the links that stay are [found](find::find), merged and given titles ([`list`]). The same answer always gives the same
//! list, and nothing here asks whether an address was seen: that is asked where requests go out.
//!
//! No file, socket, clock or random number is used here: what is needed is handed in.
//!
//! The modules stand in reading order; each uses only those above it.

pub mod record;
pub mod target;
pub mod link;
pub mod title;
mod bare;
mod lines;
pub mod widget;
mod walk;
pub mod find;
pub mod unwrap;
pub mod shortcut;
pub mod known;
pub mod html;
pub mod list;
pub mod stream;
pub mod carried;
pub mod seen;
pub mod origin;
pub mod prompt;
pub mod emit;

pub use known::{Known, KnownKind};
pub use link::Link;
pub use list::{Finished, Given, finish, finish_with_html};
pub use record::Record;

//! Addresses that carry their own permission: how they are told, masked and kept sealed.
//!
//! Such an address opens to whoever holds it. A result is masked before a model sees it: each of them becomes a
//! [`Reference`](firsthand::reference::Reference), and what it stands for goes into a sealed [`store`].
//!
//! The modules stand in reading order; each uses only those above it.

mod glob;
mod table;
pub mod signed;
pub mod mask;
pub mod store;

pub use mask::{Masked, mask};
pub use signed::{Signed, signed};
pub use store::{Batch, Kept, Store, StoreError};

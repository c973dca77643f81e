//! Taking away the links that must not stay, so that only their text is left.

use std::borrow::Cow;

use crate::record::Unwrapped;

/// The text without the links that must not stay, and what was unwrapped.
pub fn unwrap(markdown: &str) -> (Cow<'_, str>, Vec<Unwrapped>) {
    (Cow::Borrowed(markdown), Vec::new())
}

//! Finding the links of an answer.

use crate::link::Link;

/// The links of a text in order, outside code, HTML and images.
///
/// Those that must not stay are among them: [`Link::target`] says why.
pub fn find(markdown: &str) -> Vec<Link> {
    let _ = markdown;
    Vec::new()
}

//! The generous side.

/// An address that the model may have written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Written {
    /// The wide key under which it is marked.
    pub key: String,
    /// The spelling that the strict side would read at this place, where it reads one: what a copy is recognised by.
    pub spelling: Option<String>,
}

/// Calls `each` for every address that some tool could make out of a text of the model's.
pub fn written(text: &str, each: &mut dyn FnMut(Written)) {
    let _ = (text, each);
}

/// The same for the arguments of a call (a JSON text): each string and key, and what a tool may join of them.
pub fn written_in_json(text: &str, each: &mut dyn FnMut(Written)) {
    let _ = (text, each);
}

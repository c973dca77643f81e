//! The address of a link, as it is written.

use firsthand::address::Address;

use crate::limits::MAX_ADDRESS;
use crate::seen::is_unseen;

/// The address between the brackets of a link, or `None` where it cannot be written so that it is read as it is.
///
/// No escapes are used where they can be avoided: a model copies what it sees.
pub(super) fn destination(address: &Address) -> Option<String> {
    let spelling = address.reveal();
    let breaks = |character: char| {
        character.is_whitespace() || is_unseen(character) || matches!(character, '<' | '>' | '\\' | '`')
    };
    if spelling.len() > MAX_ADDRESS || address.is_odd() || spelling.contains(breaks) {
        return None;
    }
    let spelling = if looks_like_entity(spelling) { spelling.replace('&', "&amp;") } else { spelling.to_owned() };
    Some(if spelling.contains(['(', ')']) { format!("<{spelling}>") } else { spelling })
}

/// Whether an ampersand is followed by a name or number and a semicolon.
fn looks_like_entity(spelling: &str) -> bool {
    spelling.split('&').skip(1).any(|after| is_entity(after) == Some(true))
}

/// Whether what follows an ampersand is an entity; `None` where the text ends before that is clear.
pub(super) fn is_entity(after: &str) -> Option<bool> {
    /// The longest name of an entity has 31 letters.
    const LONGEST: usize = 32;
    let end = after.bytes().take(LONGEST).position(|byte| !byte.is_ascii_alphanumeric() && byte != b'#');
    match end.and_then(|end| after.as_bytes().get(end)) {
        Some(b';') => Some(true),
        Some(_) => Some(false),
        None if after.len() < LONGEST => None,
        None => Some(false),
    }
}

//! Our own format: JSON Lines, one item a line.

use firsthand::conversation::Conversation;

use super::{Format, Source};
use crate::error::ReadError;

/// Our own format.
pub(super) const FORMAT: Format = Format {
    name: "firsthand",
    title: "firsthand conversation",
    read,
    recognises: |probe| probe.some_has(&["position"]),
};

fn read(_bytes: &[u8], _source: &Source<'_>) -> Result<Vec<Conversation>, ReadError> {
    Ok(Vec::new())
}

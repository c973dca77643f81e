//! AI SDK: the text, then a `source-url` part for each address of the web and a `source-document` part for each document.
//!
//! Its parts have no places; the source as the record has it, with places in UTF-8 bytes, is under
//! `providerMetadata.firsthand`, and so is the address of a document.

use serde_json::{Value, json};

use super::id;
use crate::record::{Item, Record};

pub(super) fn message(record: &Record<'_>) -> Value {
    let text = json!({"type": "text", "text": record.markdown});
    let parts: Vec<Value> = std::iter::once(text).chain(record.items.iter().map(part)).collect();
    json!({"id": message_id(&record.markdown), "role": "assistant", "parts": parts})
}

/// An id that is always the same for the same text: FNV-1a of its bytes.
fn message_id(text: &str) -> String {
    let hash = text
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3));
    format!("msg-{hash:016x}")
}

fn part(item: &Item<'_>) -> Value {
    let metadata = json!({"firsthand": item});
    match &item.host {
        Some(_) => json!({
            "type": "source-url",
            "sourceId": id(item),
            "url": item.url,
            "title": item.title,
            "providerMetadata": metadata,
        }),
        // An address does not tell what kind of file a document is, and the part must name one.
        None => json!({
            "type": "source-document",
            "sourceId": id(item),
            "mediaType": "application/octet-stream",
            "title": item.title,
            "providerMetadata": metadata,
        }),
    }
}

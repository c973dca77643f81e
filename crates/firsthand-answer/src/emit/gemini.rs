//! Gemini: a chunk for each source, a support for each link. Places are UTF-8 bytes of the part.

use serde_json::{Value, json};

use super::{Unit, cited};
use crate::record::{Item, Record};

pub(super) fn candidate(record: &Record<'_>) -> Value {
    let chunks: Vec<Value> = record.items.iter().map(chunk).collect();
    let support = |at: super::Cited<'_>| {
        json!({
            "segment": {
                "partIndex": 0,
                "startIndex": at.start,
                "endIndex": at.end,
                "text": record.markdown.get(at.start..at.end).unwrap_or_default(),
            },
            "groundingChunkIndices": [at.item.n.saturating_sub(1)],
            "confidenceScores": [],
        })
    };
    let supports: Vec<Value> = cited(record, Unit::Bytes).into_iter().map(support).collect();
    json!({
        "content": {"role": "model", "parts": [{"text": record.markdown}]},
        "groundingMetadata": {
            "webSearchQueries": [],
            "groundingChunks": chunks,
            "groundingSupports": supports,
        },
    })
}

fn chunk(item: &Item<'_>) -> Value {
    match &item.host {
        Some(host) => json!({"web": {"uri": item.url, "title": item.title, "domain": host}}),
        None => json!({"retrievedContext": {"uri": item.url, "title": item.title}}),
    }
}

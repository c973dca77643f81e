//! Anthropic: one text block with a `search_result_location` citation for each source.
//!
//! The text is one block, because Markdown that is cut into blocks breaks where each block is shown alone. A citation of
//! another kind would need a token that only the provider can make. Nothing was quoted, so that `cited_text` is empty.

use serde_json::{Value, json};

use crate::record::Record;

pub(super) fn message(record: &Record<'_>) -> Value {
    let citation = |(index, item): (usize, &crate::record::Item<'_>)| {
        json!({
            "type": "search_result_location",
            "source": item.url,
            "title": item.title,
            "cited_text": "",
            "search_result_index": index,
            "start_block_index": 0,
            "end_block_index": 1,
        })
    };
    let citations: Vec<Value> = record.items.iter().enumerate().map(citation).collect();
    // A block without citations says so with null.
    let citations = if citations.is_empty() { Value::Null } else { citations.into() };
    json!({"role": "assistant", "content": [{"type": "text", "text": record.markdown, "citations": citations}]})
}

//! Perplexity: the addresses in the order of the list, and the same with titles. It has no places.

use serde_json::{Value, json};

use crate::record::Record;

pub(super) fn completion(record: &Record<'_>) -> Value {
    let addresses: Vec<&str> = record.items.iter().map(|item| item.url.as_ref()).collect();
    // When a page was published is not known.
    let results: Vec<Value> =
        record.items.iter().map(|item| json!({"title": item.title, "url": item.url, "date": null})).collect();
    json!({
        "choices": [{"index": 0, "message": {"role": "assistant", "content": record.markdown}}],
        "citations": addresses,
        "search_results": results,
    })
}

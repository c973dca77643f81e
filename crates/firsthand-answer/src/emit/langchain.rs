//! LangChain: `citation` annotations on a text block, one for each link. Nothing was quoted, so that none has a cited text.

use serde_json::{Value, json};

use super::{Unit, cited};
use crate::record::{Item, Record};

/// For Python: places are code points.
pub(super) fn python(record: &Record<'_>) -> Value {
    let citation = |(number, at): (usize, super::Cited<'_>)| {
        json!({
            "type": "citation",
            "id": format!("c{}", number + 1),
            "url": at.item.url,
            "title": at.item.title,
            "start_index": at.start,
            "end_index": at.end,
            "extras": extras(at.item),
        })
    };
    let annotations: Vec<Value> = cited(record, Unit::CodePoints).into_iter().enumerate().map(citation).collect();
    let block = json!({"type": "text", "text": record.markdown, "annotations": annotations});
    json!({"role": "assistant", "content": [block]})
}

/// For JavaScript: places are UTF-16 code units, and a citation says nothing more.
pub(super) fn javascript(record: &Record<'_>) -> Value {
    let citation = |at: super::Cited<'_>| {
        json!({
            "type": "citation",
            "source": extras(at.item).get("kind"),
            "url": at.item.url,
            "title": at.item.title,
            "startIndex": at.start,
            "endIndex": at.end,
        })
    };
    let annotations: Vec<Value> = cited(record, Unit::Utf16).into_iter().map(citation).collect();
    let block = json!({"type": "text", "text": record.markdown, "annotations": annotations});
    json!({"role": "assistant", "content": [block]})
}

fn extras(item: &Item<'_>) -> Value {
    json!({"n": item.n, "kind": item.kind, "host": item.host, "first": item.first})
}

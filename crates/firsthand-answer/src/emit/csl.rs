//! References in CSL-JSON, for reference managers. When a page was read is not known here.

use serde_json::{Map, Value, json};

use super::id;
use crate::record::{Item, Record};

pub(super) fn references(record: &Record<'_>) -> Value {
    record.items.iter().map(reference).collect()
}

fn reference(item: &Item<'_>) -> Value {
    let mut fields = Map::new();
    fields.insert("id".to_owned(), json!(id(item)));
    fields.insert("type".to_owned(), json!(if item.host.is_some() { "webpage" } else { "document" }));
    fields.insert("title".to_owned(), json!(item.title));
    if let Some(host) = &item.host {
        fields.insert("container-title".to_owned(), json!(host));
    }
    fields.insert("URL".to_owned(), json!(item.url));
    fields.into()
}

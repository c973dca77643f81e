//! OpenAI: `url_citation` annotations, one for each link. `end_index` is that of the character behind the link.

use serde_json::{Value, json};

use super::{Unit, cited};
use crate::record::Record;

/// An `output_text` of the Responses API.
pub(super) fn responses(record: &Record<'_>) -> Value {
    let annotation = |(start, end, title, url): Place<'_>| json!({"type": "url_citation", "start_index": start, "end_index": end, "title": title, "url": url});
    let annotations: Vec<Value> = places(record).into_iter().map(annotation).collect();
    json!({"type": "output_text", "text": record.markdown, "annotations": annotations})
}

/// A message of Chat Completions, where what an annotation says stands one level deeper.
pub(super) fn chat(record: &Record<'_>) -> Value {
    let annotation = |(start, end, title, url): Place<'_>| json!({"type": "url_citation", "url_citation": {"start_index": start, "end_index": end, "title": title, "url": url}});
    let annotations: Vec<Value> = places(record).into_iter().map(annotation).collect();
    json!({"role": "assistant", "content": record.markdown, "annotations": annotations})
}

type Place<'r> = (usize, usize, &'r str, &'r str);

fn places<'r>(record: &'r Record<'_>) -> Vec<Place<'r>> {
    let cited = cited(record, Unit::CodePoints);
    cited.into_iter().map(|at| (at.start, at.end, at.item.title.as_ref(), at.item.url.as_ref())).collect()
}

//! References in RIS, for reference managers: a line for each field. When a page was read is not known here.

use super::id;
use crate::record::Record;

pub(super) fn references(record: &Record<'_>) -> String {
    let mut text = String::new();
    for item in &record.items {
        field(&mut text, "TY", "ELEC");
        field(&mut text, "ID", &id(item));
        field(&mut text, "TI", &item.title);
        if let Some(host) = &item.host {
            field(&mut text, "PB", host);
        }
        field(&mut text, "UR", &item.url);
        field(&mut text, "ER", "");
    }
    text
}

/// One field. A line end in a value would begin a field of its own.
fn field(text: &mut String, tag: &str, value: &str) {
    let value: String = value.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
    text.push_str(&format!("{tag}  - {value}\r\n"));
}

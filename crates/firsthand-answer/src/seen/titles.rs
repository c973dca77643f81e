//! Titles that a tool result gives to addresses: search hits, documents, links, and the page that was opened.
//!
//! They are anybody's text. Whoever shows one cleans it.

use serde_json::{Map, Value};

use firsthand::json::looks_like_json;

use crate::find::find;

/// The names of fields that hold an address, as hits and documents have them.
const ADDRESSES: [&str; 10] =
    ["url", "link", "uri", "href", "source", "source_url", "web_url", "html_url", "webUrl", "permalink"];

/// The names of fields that hold a title, the likeliest first.
const TITLES: [&str; 9] =
    ["title", "name", "page_title", "document_title", "document_name", "file_name", "filename", "subject", "headline"];

/// How many JSON texts within strings are looked into.
const MAX_NESTED: usize = 4;

/// How many bytes of a page are looked at for its title.
const HEAD: usize = 64 << 10;

/// Calls `each` with every address of a result and the title it has there. `opened` is the address that was asked for.
pub(super) fn read(text: &str, opened: Option<String>, each: &mut dyn FnMut(&str, &str)) {
    let mut reader = Reader { opened: opened.as_deref(), each };
    reader.text(text, 0);
}

struct Reader<'r> {
    opened: Option<&'r str>,
    each: &'r mut dyn FnMut(&str, &str),
}

impl Reader<'_> {
    fn text(&mut self, text: &str, depth: usize) {
        if depth <= MAX_NESTED
            && looks_like_json(text)
            && let Ok(value) = serde_json::from_str::<Value>(text)
        {
            self.value(&value, depth);
            return;
        }
        if let (Some(opened), Some(title)) = (self.opened, page_title(text)) {
            (self.each)(opened, &title);
        }
        self.labelled(text);
        for link in find(text) {
            if !link.text.is_empty() {
                (self.each)(link.destination(), &link.text);
            }
        }
    }

    fn value(&mut self, value: &Value, depth: usize) {
        match value {
            Value::Object(fields) => {
                let address = ADDRESSES.iter().find_map(|name| string(fields, name).filter(|text| is_address(text)));
                match address {
                    Some(address) => {
                        if let Some(title) = TITLES.iter().find_map(|name| string(fields, name)) {
                            (self.each)(address, title);
                        }
                    }
                    // Of what a page says of itself, only this is its title for sure: a name may be its author's.
                    None => {
                        if let (Some(opened), Some(title)) = (self.opened, string(fields, "title")) {
                            (self.each)(opened, title);
                        }
                    }
                }
                fields.values().for_each(|value| self.value(value, depth));
            }
            Value::Array(elements) => elements.iter().for_each(|value| self.value(value, depth)),
            Value::String(text) => self.text(text, depth + 1),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// Lines such as `Title: Guide` above `URL: https://docs.example/`.
    fn labelled(&mut self, text: &str) {
        let mut title: Option<&str> = None;
        for line in text.lines() {
            let Some((label, value)) = line.split_once(": ") else { continue };
            let label = label.trim_matches(|character: char| !character.is_alphabetic()).to_lowercase();
            let value = value.trim_matches(|character: char| character.is_whitespace() || character == '*');
            match label.as_str() {
                "title" | "name" => title = Some(value).filter(|title| !title.is_empty()),
                "url" | "link" | "source" | "uri" => {
                    if let Some(title) = title.take() {
                        (self.each)(value, title);
                    }
                }
                _ => {}
            }
        }
    }
}

fn string<'v>(fields: &'v Map<String, Value>, name: &str) -> Option<&'v str> {
    fields.get(name)?.as_str().filter(|text| !text.trim().is_empty())
}

fn is_address(text: &str) -> bool {
    text.contains("://") || text.starts_with(crate::target::DOCUMENTS)
}

/// The title of a page: its `title` element, else its first heading.
fn page_title(page: &str) -> Option<String> {
    let end = page.floor_char_boundary(HEAD.min(page.len()));
    let head = page.get(..end)?;
    let lower = head.to_ascii_lowercase();
    if let Some(start) = lower.find("<title") {
        let from = start + lower.get(start..)?.find('>')? + 1;
        let to = from + lower.get(from..)?.find("</title")?;
        let title = html_text(head.get(from..to)?);
        return Some(title).filter(|title| !title.is_empty());
    }
    let heading = head.lines().find_map(|line| line.strip_prefix("# "))?;
    Some(heading.trim().to_owned()).filter(|title| !title.is_empty())
}

/// The text of an element without elements, with the entities that titles have.
fn html_text(html: &str) -> String {
    let mut text = html.trim().to_owned();
    for (entity, character) in
        [("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""), ("&#39;", "'"), ("&nbsp;", " "), ("&amp;", "&")]
    {
        text = text.replace(entity, character);
    }
    text
}

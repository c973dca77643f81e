//! RSS and Atom as a list: title, link, date, and the beginning of what each entry says.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::base::Base;
use crate::html::{Markdown, plain};
use crate::limits::MAX_TITLE;
use crate::markdown::Writer;
use crate::markup::outline;

/// How many characters of what an entry says are kept: its page has the rest.
const SUMMARY: usize = 500;

/// A feed that was read.
#[derive(Clone, Debug)]
pub(crate) struct Feed {
    pub(crate) title: String,
    pub(crate) entries: Markdown,
}

/// What is read of the feed, or of an entry.
#[derive(Debug, Default)]
struct Entry {
    title: String,
    link: String,
    date: String,
    summary: String,
}

/// Which text is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Title,
    Link,
    Date,
    Summary,
}

/// Reads a feed as far as it is one.
pub(crate) fn feed(source: &str, base: &Base, limit: usize) -> Feed {
    let mut reader = Reader::from_str(source);
    reader.config_mut().check_end_names = false;
    let mut writer = Writer::new(limit);
    let mut feed = Entry::default();
    let mut entry: Option<Entry> = None;
    let mut field: Option<Field> = None;
    // Markup in a text that is not escaped is no field of its own.
    let mut depth = 0_usize;
    let mut has_entries = false;
    while let Ok(event) = reader.read_event() {
        if writer.is_full() {
            break;
        }
        let now = entry.as_mut().unwrap_or(&mut feed);
        match event {
            Event::Start(_) if field.is_some() => depth += 1,
            Event::Start(start) if is_entry(start.local_name().as_ref()) => entry = Some(Entry::default()),
            Event::Start(start) => {
                field = field_of(start.local_name().as_ref());
                depth = 0;
                link(&start, now);
            }
            Event::Empty(start) if field.is_none() => link(&start, now),
            Event::End(end) if field.is_none() && is_entry(end.local_name().as_ref()) => {
                if let Some(entry) = entry.take() {
                    has_entries |= write(&mut writer, &entry, base, has_entries);
                }
            }
            Event::End(_) if depth > 0 => depth -= 1,
            Event::End(_) => field = None,
            Event::Text(text) => now.add(field, &text),
            Event::CData(text) => now.add(field, &text),
            Event::GeneralRef(name) => now.add(field, &format!("&{};", &*name)),
            Event::Eof => break,
            Event::Empty(_) | Event::Comment(_) | Event::Decl(_) | Event::PI(_) | Event::DocType(_) => {}
        }
    }
    if let Some(entry) = entry {
        write(&mut writer, &entry, base, has_entries);
    }
    let is_cut = writer.is_full();
    let (text, links) = writer.finish();
    Feed { title: readable(&feed.title), entries: Markdown { text, links, is_cut } }
}

impl Entry {
    /// Adds to a text, up to what will be kept of it many times over.
    fn add(&mut self, field: Option<Field>, text: &str) {
        let kept = match field {
            Some(Field::Title) => &mut self.title,
            Some(Field::Link) => &mut self.link,
            Some(Field::Date) => &mut self.date,
            Some(Field::Summary) => &mut self.summary,
            None => return,
        };
        if kept.len() < SUMMARY * 32 {
            kept.push_str(text);
        }
    }
}

fn is_entry(name: &str) -> bool {
    matches!(name, "item" | "entry")
}

fn field_of(name: &str) -> Option<Field> {
    match name {
        "title" => Some(Field::Title),
        "link" => Some(Field::Link),
        "pubDate" | "date" | "updated" | "published" => Some(Field::Date),
        "description" | "summary" => Some(Field::Summary),
        _ => None,
    }
}

/// Takes the `href` of Atom's links: the one of the page itself.
fn link(start: &BytesStart<'_>, entry: &mut Entry) {
    if start.local_name().as_ref() != "link" || !entry.link.is_empty() {
        return;
    }
    let value = |name: &str| start.try_get_attribute(name).ok().flatten().map(|found| found.value.into_owned());
    let is_page = value("rel").is_none_or(|relation| relation == "alternate");
    if let Some(href) = value("href").filter(|_| is_page) {
        entry.link = readable(&href);
    }
}

/// The text of what may be HTML, or text with escapes.
fn readable(text: &str) -> String {
    let once = plain(&outline(text), MAX_TITLE);
    if once.contains('<') || once.contains('&') { plain(&outline(&once), MAX_TITLE) } else { once }
}

fn write(writer: &mut Writer, entry: &Entry, base: &Base, has_entries: bool) -> bool {
    let marker = "- ".to_owned();
    if has_entries {
        writer.entry(marker);
    } else {
        writer.first_entry(marker);
    }
    if let Some(link) = base.joined(readable(&entry.link).trim()) {
        writer.link_start(&link);
    }
    let title = readable(&entry.title);
    writer.text(if title.trim().is_empty() { "(no title)" } else { &title });
    writer.link_end();
    if !entry.date.trim().is_empty() {
        writer.text(" (");
        writer.text(entry.date.trim());
        writer.text(")");
    }
    let summary: String = readable(&entry.summary).trim().chars().take(SUMMARY).collect();
    if !summary.is_empty() {
        writer.line_break();
        writer.text(&summary);
    }
    writer.leave()
}

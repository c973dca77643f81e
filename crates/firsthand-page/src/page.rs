//! A page: bytes in, what the model and the record get out.

use std::fmt;
use std::ops::Range;

use firsthand::address::Address;
use pulldown_cmark::{Event, Parser, Tag};

use crate::base::Base;
use crate::charset::{Declares, decode};
use crate::error::PageError;
use crate::feed;
use crate::html;
use crate::kind::{Declared, Kind, kind_of};
use crate::limits::{Limits, MAX_TITLE};
use crate::markup::{Outline, outline};
use crate::part::{Part, end_of_part, start_of_part};
use crate::seen::seen;

/// A page that was read.
#[derive(Clone)]
pub struct Page {
    /// What it is.
    pub kind: Kind,
    /// Its title, on one line.
    pub title: Option<String>,
    /// What it says it is about, on one line.
    pub description: Option<String>,
    /// The address that it calls its own, where that is of the same site.
    pub canonical: Option<String>,
    /// What the model gets: Markdown for HTML and feeds, else the text as it is, without what is not seen.
    pub text: String,
    /// The decoded bytes. Links are read from here, never from the text.
    pub source: String,
    /// Whether the source is HTML, so that its relative links count.
    pub is_html: bool,
    /// The name of its encoding.
    pub charset: &'static str,
    /// Whether the text ends before the page does.
    pub is_cut: bool,
    /// Where links stand in the text, in order.
    links: Vec<Range<usize>>,
}

/// Reads a page.
///
/// `content_type` is the value of the header as it came, `address` the page's own, behind all redirects: relative links
/// lead from there, whatever the page says.
pub fn read(bytes: &[u8], content_type: Option<&str>, address: &Address, limits: Limits) -> Result<Page, PageError> {
    read_from(bytes, content_type, &Base::of(address), limits)
}

/// Reads a page whose own address is told nobody, such as one behind a reference: of its links only those that stand whole
/// lead anywhere, since a relative one would tell of it.
pub fn read_hidden(bytes: &[u8], content_type: Option<&str>, limits: Limits) -> Result<Page, PageError> {
    read_from(bytes, content_type, &Base::hidden(), limits)
}

fn read_from(bytes: &[u8], content_type: Option<&str>, base: &Base, limits: Limits) -> Result<Page, PageError> {
    if bytes.len() > limits.body {
        return Err(PageError::TooLarge { limit: limits.body });
    }
    let declared = Declared::read(content_type.unwrap_or_default());
    let kind = kind_of(&declared, bytes)?;
    let declares = match kind {
        Kind::Html | Kind::Xml | Kind::Feed => Declares::InMarkup,
        Kind::Json | Kind::Csv | Kind::Markdown | Kind::Plain => Declares::Nowhere,
    };
    let (source, charset) = decode(bytes, declared.charset.as_deref(), declares);
    let page = Page {
        kind,
        title: None,
        description: None,
        canonical: None,
        text: String::new(),
        source,
        is_html: kind == Kind::Html,
        charset,
        is_cut: false,
        links: Vec::new(),
    };
    Ok(match kind {
        Kind::Html => page.with_html(base, limits.text),
        Kind::Feed => page.with_feed(base, limits.text),
        Kind::Markdown => page.with_all_that_is_seen(limits.text).with_links_of_markdown(),
        Kind::Json | Kind::Xml | Kind::Csv | Kind::Plain => page.with_all_that_is_seen(limits.text),
    })
}

impl Page {
    fn with_html(self, base: &Base, limit: usize) -> Self {
        let outline = outline(&self.source);
        let written = html::markdown(&outline, base, limit);
        let Outline { title, description, canonical, .. } = outline;
        Self {
            title: on_one_line(&title),
            description: description.as_deref().and_then(on_one_line),
            canonical: canonical.and_then(|link| base.own(&link)),
            text: written.text,
            links: written.links,
            is_cut: written.is_cut,
            ..self
        }
    }

    fn with_feed(self, base: &Base, limit: usize) -> Self {
        let read = feed::feed(&self.source, base, limit);
        let title = on_one_line(&read.title);
        let html::Markdown { text, links, is_cut } = read.entries;
        Self { title, text, links, is_cut, ..self }
    }

    fn with_all_that_is_seen(self, limit: usize) -> Self {
        let text = seen(&self.source);
        let is_cut = text.len() > limit;
        let text = text.get(..text.floor_char_boundary(limit)).unwrap_or_default().to_owned();
        Self { text, is_cut, ..self }
    }

    fn with_links_of_markdown(self) -> Self {
        let mut links: Vec<Range<usize>> = Vec::new();
        for (event, place) in Parser::new(&self.text).into_offset_iter() {
            let is_link = matches!(event, Event::Start(Tag::Link { .. } | Tag::Image { .. }));
            if is_link && links.last().is_none_or(|last| last.end <= place.start) {
                links.push(place);
            }
        }
        Self { links, ..self }
    }

    /// A part as a model is given it, marked, with the title above the beginning of a page that does not begin with it; and
    /// where the next part begins.
    pub fn told(&self, offset: usize, limit: usize) -> (String, Option<usize>) {
        let part = self.part(offset, limit);
        let (text, next) = (part.marked(), part.next);
        let Some(title) = self.title.as_ref().filter(|_| part.start == 0 && self.is_html) else {
            return (text, next);
        };
        // A title is text like any other of the page: what writes its headings writes this one.
        let title = title.replace('&', "&amp;").replace('<', "&lt;");
        let heading = format!("<!doctype html><h1>{title}</h1>");
        match read_hidden(heading.as_bytes(), Some("text/html; charset=utf-8"), Limits::default()) {
            Ok(heading) if !text.contains(heading.text.trim_end()) => {
                (format!("{}\n\n{text}", heading.text.trim_end()), next)
            }
            Ok(_) | Err(_) => (text, next),
        }
    }

    /// The part of the text from a byte on, of at most so many bytes.
    ///
    /// It is never cut in a character, a link or an address (of up to 8 KiB): one that is longer than the limit is a part
    /// of its own. An offset inside a link is its beginning. Parts put together give the text.
    pub fn part(&self, offset: usize, limit: usize) -> Part<'_> {
        let start = start_of_part(&self.text, &self.links, offset.min(self.text.len()));
        let end = end_of_part(&self.text, &self.links, start, limit);
        Part {
            text: self.text.get(start..end).unwrap_or_default(),
            start,
            next: (end < self.text.len()).then_some(end),
            total: self.text.len(),
            is_cut: self.is_cut,
        }
    }
}

/// A text on one line, without what is not seen; `None` where nothing is left.
fn on_one_line(text: &str) -> Option<String> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let line = seen(&words.join(" ")).trim().to_owned();
    let line: String = line.chars().take(MAX_TITLE).collect();
    (!line.is_empty()).then_some(line)
}

impl fmt::Debug for Page {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut page = f.debug_struct("Page");
        page.field("kind", &self.kind).field("bytes", &self.text.len()).field("source_bytes", &self.source.len());
        page.field("charset", &self.charset).field("is_cut", &self.is_cut).finish_non_exhaustive()
    }
}

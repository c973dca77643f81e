//! Finding the links of an answer.

use std::ops::Range;

use pulldown_cmark::{Tag, TagEnd};

use crate::link::Link;
use crate::walk::{self, Mark, Sink};
use crate::widget::{Cell, Widget};

/// The links of a text in order, outside code, HTML and images.
///
/// Those that must not stay are among them: [`Link::target`] says why.
pub fn find(markdown: &str) -> Vec<Link<'_>> {
    let mut found = Found::of(markdown.len());
    walk::walk(markdown, &mut found);
    found.links
}

/// The links of a text, and what is broken in it.
#[derive(Debug)]
pub(crate) struct Found<'t> {
    pub(crate) links: Vec<Link<'t>>,
    pub(crate) problems: Vec<String>,
}

impl Found<'_> {
    /// Nothing yet, with room for the links of a text of so many bytes.
    pub(crate) fn of(bytes: usize) -> Self {
        Self { links: Vec::with_capacity((bytes / 128).min(64)), problems: Vec::new() }
    }
}

impl<'t> Sink<'t> for Found<'t> {
    fn start(&mut self, _: &Tag<'_>, _: &Range<usize>) {}
    fn end(&mut self, _: TagEnd) {}
    fn text(&mut self, _: &str, _: Range<usize>) {}
    fn code(&mut self, _: &str, _: bool) {}
    fn html(&mut self, _: &str, _: Range<usize>) {}
    fn mark(&mut self, _: Mark<'_>) {}
    fn link_start(&mut self, _: &Link<'t>) {}

    fn link_end(&mut self, link: Link<'t>) {
        self.links.push(link);
    }

    fn refused(&mut self, link: Link<'t>) {
        self.links.push(link);
    }

    fn widget(&mut self, widget: Widget, _: &Range<usize>) {
        let links = widget.rows.into_iter().flatten().filter_map(|cell| match cell {
            Cell::Link(link) => Some(link),
            Cell::Text(_) => None,
        });
        self.links.extend(links);
    }

    fn broken(&mut self, problem: String) {
        self.problems.push(problem);
    }
}

//! The answer as HTML that is safe to show.
//!
//! Every tag is written here; raw HTML is shown as the text that it is, and an image is a link with its text. Nothing
//! that is shown is loaded from anywhere.

mod escape;
mod links;
mod partial;
mod sources;
mod table;

use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, LinkType, Tag, TagEnd};

use crate::find::Found;
use crate::known::Index;
use crate::link::{Link, Syntax};
use crate::walk::{Mark, Sink};
use crate::widget::Widget;
use escape::escape;
pub(crate) use partial::Partial;
pub use sources::sources;
use table::TABLE_DEPTH;

/// How deep tags stand in each other at most; what is nested deeper is shown without them.
const MAX_DEPTH: usize = 64;

/// A page that is being written, with the links that were met.
#[derive(Debug)]
pub(crate) struct Page<'t, 'k> {
    pub(crate) found: Found<'t>,
    /// Where each block that stands in no other ends in the HTML, of a text that is still being written.
    blocks: Vec<usize>,
    html: String,
    known: &'k Index<'k>,
    partial: Option<Partial<'k>>,
    /// Whether each open tag is shown.
    open: Vec<bool>,
    /// How the columns of the table are aligned.
    alignments: Vec<Alignment>,
    column: usize,
    in_head: bool,
    images: usize,
    /// Where the content of the open link or image begins, and whether its tag is written.
    link: Option<(usize, bool)>,
    image: Option<(usize, bool)>,
    /// Whether code is in a block whose tags are shown.
    shows_code_block: bool,
}

impl<'t, 'k> Page<'t, 'k> {
    /// An empty page for a text of so many bytes.
    pub(crate) fn new(bytes: usize, known: &'k Index<'k>) -> Self {
        Self {
            found: Found::of(bytes),
            blocks: Vec::new(),
            html: String::with_capacity(2 * bytes + 256),
            known,
            partial: None,
            open: Vec::new(),
            alignments: Vec::new(),
            column: 0,
            in_head: false,
            images: 0,
            link: None,
            image: None,
            shows_code_block: true,
        }
    }

    /// The same for a text that is still being written.
    pub(crate) fn partial(bytes: usize, known: &'k Index<'k>, partial: Partial<'k>) -> Self {
        Self { partial: Some(partial), ..Self::new(bytes, known) }
    }

    /// The links and the HTML.
    pub(crate) fn into_parts(self) -> (Found<'t>, String) {
        (self.found, self.html)
    }

    /// The HTML of each block that stands in no other.
    pub(crate) fn into_blocks(self) -> Vec<String> {
        let mut from = 0;
        let cut = |&end: &usize| {
            let block = self.html.get(from..end).unwrap_or_default().to_owned();
            from = end;
            block
        };
        self.blocks.iter().map(cut).collect()
    }

    /// Whether a tag that opens here is shown. Parts of lists and tables are shown with them.
    #[expect(clippy::wildcard_enum_match_arm, reason = "of what the parser knows, the rest needs nothing here")]
    fn shows(&self, tag: &Tag<'_>) -> bool {
        let room = MAX_DEPTH.saturating_sub(self.open.len());
        match tag {
            Tag::Item | Tag::TableHead | Tag::TableRow | Tag::TableCell => self.open.last().copied().unwrap_or(false),
            Tag::List(_) => room >= 2,
            Tag::Table(_) => room >= TABLE_DEPTH,
            _ => room >= 1,
        }
    }

    fn end_block(&mut self) {
        if self.open.is_empty() {
            self.html.push('\n');
            if self.partial.is_some() {
                self.blocks.push(self.html.len());
            }
        }
    }
}

impl<'t> Sink<'t> for Page<'t, '_> {
    fn start(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        if let Tag::Image { dest_url, link_type, .. } = tag {
            let syntax = if *link_type == LinkType::Inline { Syntax::Inline } else { Syntax::Reference };
            self.begin_image(dest_url, range, syntax);
            return;
        }
        let shown = self.images == 0 && self.shows(tag);
        self.open.push(shown);
        if let Tag::Table(alignments) = tag {
            self.alignments.clone_from(alignments);
        }
        if let Tag::CodeBlock(_) = tag {
            self.shows_code_block = shown;
        }
        if !shown {
            return;
        }
        match tag {
            Tag::Paragraph | Tag::HtmlBlock => self.html.push_str("<p>"),
            Tag::Heading { level, .. } => {
                // Writing to a string does not fail.
                _ = write!(self.html, "<{level}>");
            }
            Tag::BlockQuote(_) => self.html.push_str("<blockquote>\n"),
            Tag::CodeBlock(kind) => code_block(&mut self.html, kind),
            Tag::List(Some(1)) => self.html.push_str("<ol>\n"),
            Tag::List(Some(start)) => _ = writeln!(self.html, "<ol start=\"{start}\">"),
            Tag::List(None) => self.html.push_str("<ul>\n"),
            Tag::Item => self.html.push_str("<li>"),
            Tag::FootnoteDefinition(name) => {
                self.html.push_str("<div class=\"footnote\"><sup>");
                escape(&mut self.html, name);
                self.html.push_str("</sup>");
            }
            Tag::Table(_) => self.html.push_str("<table>"),
            Tag::TableHead => self.begin_row(true),
            Tag::TableRow => self.begin_row(false),
            Tag::TableCell => self.begin_cell(),
            Tag::Emphasis => self.html.push_str("<em>"),
            Tag::Strong => self.html.push_str("<strong>"),
            Tag::Strikethrough => self.html.push_str("<del>"),
            // Links and images come another way; the rest is not asked for.
            Tag::Link { .. }
            | Tag::Image { .. }
            | Tag::Superscript
            | Tag::Subscript
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        if tag == TagEnd::Image {
            self.finish_image();
            return;
        }
        if !self.open.pop().unwrap_or(false) {
            if !matches!(tag, TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough) {
                self.html.push('\n');
            }
            return;
        }
        match tag {
            TagEnd::Paragraph | TagEnd::HtmlBlock => self.html.push_str("</p>"),
            TagEnd::Heading(level) => _ = write!(self.html, "</{level}>"),
            TagEnd::BlockQuote(_) => self.html.push_str("</blockquote>"),
            TagEnd::CodeBlock => self.html.push_str("</code></pre>"),
            TagEnd::List(true) => self.html.push_str("</ol>"),
            TagEnd::List(false) => self.html.push_str("</ul>"),
            TagEnd::Item => self.html.push_str("</li>\n"),
            TagEnd::FootnoteDefinition => self.html.push_str("</div>"),
            TagEnd::Table => self.html.push_str("</tbody></table>"),
            TagEnd::TableHead => self.html.push_str("</tr></thead><tbody>\n"),
            TagEnd::TableRow => self.html.push_str("</tr>\n"),
            TagEnd::TableCell => self.html.push_str(if self.in_head { "</th>" } else { "</td>" }),
            TagEnd::Emphasis => self.html.push_str("</em>"),
            TagEnd::Strong => self.html.push_str("</strong>"),
            TagEnd::Strikethrough => self.html.push_str("</del>"),
            TagEnd::Link
            | TagEnd::Image
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::MetadataBlock(_) => {}
        }
        self.end_block();
    }

    fn text(&mut self, text: &str, range: Range<usize>) {
        let pending = self.partial.map_or(usize::MAX, |partial| partial.pending);
        if range.end <= pending {
            escape(&mut self.html, text);
            return;
        }
        let (settled, pending) = text.split_at_checked(pending.saturating_sub(range.start)).unwrap_or(("", text));
        escape(&mut self.html, settled);
        self.html.push_str("<span data-pending=\"\">");
        escape(&mut self.html, pending);
        self.html.push_str("</span>");
    }

    fn code(&mut self, text: &str, in_block: bool) {
        if in_block || self.images > 0 {
            escape(&mut self.html, text);
            return;
        }
        self.html.push_str("<code>");
        escape(&mut self.html, text);
        self.html.push_str("</code>");
    }

    fn html(&mut self, html: &str, _: Range<usize>) {
        escape(&mut self.html, html);
    }

    fn mark(&mut self, mark: Mark<'_>) {
        match mark {
            Mark::Break => self.html.push('\n'),
            Mark::HardBreak if self.images > 0 => self.html.push('\n'),
            Mark::HardBreak => self.html.push_str("<br>\n"),
            Mark::Rule => {
                if self.open.len() < MAX_DEPTH {
                    self.html.push_str("<hr>");
                }
                self.end_block();
            }
            Mark::Task(done) => self.html.push_str(if done { "☑ " } else { "☐ " }),
            Mark::Footnote(name) => {
                self.html.push_str("<sup>");
                escape(&mut self.html, name);
                self.html.push_str("</sup>");
            }
        }
    }

    fn link_start(&mut self, link: &Link<'t>) {
        self.begin_link(link);
    }

    fn link_end(&mut self, link: Link<'t>) {
        self.finish_link(&link);
        self.found.link_end(link);
    }

    fn refused(&mut self, link: Link<'t>) {
        self.found.refused(link);
    }

    fn widget(&mut self, widget: Widget, range: &Range<usize>) {
        self.table(&widget);
        self.found.widget(widget, range);
    }

    fn broken(&mut self, problem: String) {
        self.found.broken(problem);
    }
}

fn code_block(html: &mut String, kind: &CodeBlockKind<'_>) {
    let info = match kind {
        CodeBlockKind::Fenced(info) => info.split_ascii_whitespace().next().unwrap_or_default(),
        CodeBlockKind::Indented => "",
    };
    let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'+' | b'#' | b'.');
    if info.is_empty() || !info.bytes().all(is_name) {
        html.push_str("<pre><code>");
    } else {
        html.push_str("<pre><code class=\"language-");
        html.push_str(info);
        html.push_str("\">");
    }
}

//! The answer as HTML that is safe to show.
//!
//! Every tag is written here; raw HTML is shown as the text that it is, and an image is a link with its text. Nothing
//! that is shown is loaded from anywhere.

mod escape;
mod partial;
mod sources;

use std::fmt::Write as _;
use std::ops::Range;

use pulldown_cmark::{Alignment, CodeBlockKind, LinkType, Tag, TagEnd};

use crate::find::Found;
use crate::known::Index;
use crate::link::{Link, Syntax};
use crate::record::Form;
use crate::target::Target;
use crate::walk::{Mark, Sink};
use crate::widget::{Cell, Widget};
use escape::escape;
pub(crate) use partial::Partial;
pub use sources::sources;

/// How deep tags stand in each other at most; what is nested deeper is shown without them.
const MAX_DEPTH: usize = 64;

/// What stands in a link's tag besides its address.
const GUARDS: &str = "\" rel=\"noopener noreferrer nofollow\" referrerpolicy=\"no-referrer\"";

/// A page that is being written, with the links that were met.
#[derive(Debug)]
pub(crate) struct Page<'k> {
    pub(crate) found: Found,
    /// Where each block that stands in no other ends in the HTML.
    pub(crate) blocks: Vec<usize>,
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

impl<'k> Page<'k> {
    /// An empty page for a text of so many bytes.
    pub(crate) fn new(bytes: usize, known: &'k Index<'k>) -> Self {
        Self {
            found: Found::default(),
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
    pub(crate) fn into_parts(self) -> (Found, String) {
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
            Tag::Table(_) => room >= 4,
            _ => room >= 1,
        }
    }

    fn end_block(&mut self) {
        if self.open.is_empty() {
            self.html.push('\n');
            self.blocks.push(self.html.len());
        }
    }

    fn open_link(&mut self, target: &Target, class: &str) {
        guarded(&mut self.html, target, class);
    }

    /// Whether a link is shown as one: it may stay, and all of it has been written.
    fn is_live(&self, link: &Link) -> bool {
        link.target.is_ok() && self.partial.is_none_or(|partial| partial.settles(&link.range, link.syntax))
    }

    /// A link that has no text of its own.
    fn chip(&mut self, link: &Link) {
        let Ok(target) = &link.target else {
            if link.syntax != Syntax::Inline {
                escape(&mut self.html, link.destination());
            }
            return;
        };
        if !self.is_live(link) {
            self.html.push_str("<span data-pending=\"\">");
            escape(&mut self.html, link.destination());
            self.html.push_str("</span>");
            return;
        }
        if link.in_table || self.partial.is_some() {
            self.open_link(target, "");
            escape(&mut self.html, link.destination());
        } else {
            self.open_link(target, "chip");
            // A page chooses its title; what a reader is to go by is where the chip leads.
            let name = if target.is_document() { self.known.title(target) } else { None };
            let label = name.as_deref().or(target.host()).unwrap_or(&target.spelling);
            escape(&mut self.html, label);
        }
        self.html.push_str("</a>");
    }

    fn cell_start(&mut self) {
        let name = if self.in_head { "<th scope=\"col\"" } else { "<td" };
        self.html.push_str(name);
        self.html.push_str(match self.alignments.get(self.column) {
            Some(Alignment::Left) => " align=\"left\">",
            Some(Alignment::Center) => " align=\"center\">",
            Some(Alignment::Right) => " align=\"right\">",
            Some(Alignment::None) | None => ">",
        });
        self.column += 1;
    }

    fn image_start(&mut self, destination: &str, range: &Range<usize>, syntax: Syntax) {
        self.images += 1;
        if self.images > 1 {
            return;
        }
        let settled = self.partial.is_none_or(|partial| partial.settles_image(range, syntax));
        let target = Target::read(destination).ok().filter(|_| self.link.is_none() && settled);
        if let Some(target) = &target {
            self.open_link(target, "image");
        }
        self.image = Some((self.html.len(), target.is_some()));
    }

    fn image_end(&mut self) {
        self.images = self.images.saturating_sub(1);
        if self.images > 0 {
            return;
        }
        if let Some((content, true)) = self.image.take() {
            if self.html.len() == content {
                self.html.push_str("image");
            }
            self.html.push_str("</a>");
        }
    }
}

impl Sink for Page<'_> {
    fn start(&mut self, tag: &Tag<'_>, range: &Range<usize>) {
        if let Tag::Image { dest_url, link_type, .. } = tag {
            let syntax = if *link_type == LinkType::Inline { Syntax::Inline } else { Syntax::Reference };
            self.image_start(dest_url, range, syntax);
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
            Tag::TableHead => {
                self.in_head = true;
                self.column = 0;
                self.html.push_str("<thead><tr>");
            }
            Tag::TableRow => {
                self.in_head = false;
                self.column = 0;
                self.html.push_str("<tr>");
            }
            Tag::TableCell => self.cell_start(),
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
            self.image_end();
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

    fn link_start(&mut self, link: &Link) {
        let at = self.html.len();
        let is_live = self.is_live(link);
        if let (true, Ok(target)) = (is_live && link.syntax != Syntax::Bare, &link.target) {
            self.open_link(target, "");
        }
        self.link = Some((at, is_live));
    }

    fn link_end(&mut self, link: Link) {
        if let Some((at, is_live)) = self.link.take() {
            if link.form() == Form::Chip {
                self.html.truncate(at);
                self.chip(&link);
            } else if is_live {
                self.html.push_str("</a>");
            }
        }
        self.found.link_end(link);
    }

    fn inside(&mut self, link: Link) {
        self.found.inside(link);
    }

    fn widget(&mut self, widget: Widget, range: &Range<usize>) {
        let hidden = MAX_DEPTH.saturating_sub(self.open.len()) < 4;
        if !hidden {
            self.html.push_str("<table><thead><tr>");
            for name in &widget.columns {
                self.html.push_str("<th scope=\"col\">");
                escape(&mut self.html, name);
                self.html.push_str("</th>");
            }
            self.html.push_str("</tr></thead><tbody>\n");
        }
        for row in &widget.rows {
            self.html.push_str(if hidden { "" } else { "<tr>" });
            for cell in row {
                self.html.push_str(if hidden { " " } else { "<td>" });
                match cell {
                    Cell::Text(text) => escape(&mut self.html, text),
                    Cell::Link(link) if link.form() == Form::Chip => self.chip(link),
                    Cell::Link(link) => self.cell_link(link),
                }
                self.html.push_str(if hidden { "" } else { "</td>" });
            }
            self.html.push_str(if hidden { "\n" } else { "</tr>\n" });
        }
        if !hidden {
            self.html.push_str("</tbody></table>");
        }
        self.end_block();
        self.found.widget(widget, range);
    }

    fn broken(&mut self, problem: String) {
        self.found.broken(problem);
    }
}

impl Page<'_> {
    fn cell_link(&mut self, link: &Link) {
        match &link.target {
            Ok(target) if self.is_live(link) => {
                self.open_link(target, "");
                escape(&mut self.html, &link.text);
                self.html.push_str("</a>");
            }
            Ok(_) | Err(_) => escape(&mut self.html, &link.text),
        }
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

/// The tag that opens a link, which tells the site behind it nothing and lends it nothing.
fn guarded(html: &mut String, target: &Target, class: &str) {
    html.push_str("<a");
    if !class.is_empty() {
        html.push_str(" class=\"");
        html.push_str(class);
        html.push('"');
    }
    html.push_str(" href=\"");
    escape(html, target.key());
    html.push_str(GUARDS);
    if !target.is_document() {
        html.push_str(" target=\"_blank\"");
    }
    html.push('>');
}

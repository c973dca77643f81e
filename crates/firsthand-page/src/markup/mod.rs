//! HTML as a flat list of events: what opens, what closes, what is said between.
//!
//! The tokens are those of the HTML standard. The tree is a simpler one than a browser's: end tags are implied where the
//! standard implies them, but nothing is moved to another place. It is never built either: a list is dropped without
//! recursion, and depth, time and memory keep in proportion to the page whatever it nests.

mod tag;
mod attributes;
mod table;
mod tree;

use std::ops::Range;

pub(crate) use tree::outline;

/// A piece of [`Outline::text`].
pub(crate) type Span = Range<u32>;

/// What stands in a page, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// Text as it stands, white space too.
    Text(Span),
    /// An element begins.
    Open(Element),
    /// The innermost element that began ends.
    Close,
    /// A link begins; `href` as it stands.
    LinkStart(Span, Span),
    /// The link ends.
    LinkEnd,
    /// A line ends.
    Break,
    /// A line across the page.
    Rule,
    /// A picture.
    Image(Image),
}

/// A picture.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Image {
    /// Where it lies.
    pub(crate) source: Span,
    /// What is said in its place; `None` where nothing is, which is not the same as an empty text.
    pub(crate) text: Option<Span>,
}

/// An element that changes how its content is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    /// Stands on lines of its own.
    Block,
    /// A heading of a level.
    Heading(u8),
    /// A list without numbers.
    Bullets,
    /// A list with numbers, from the first on.
    Numbers(u32),
    /// An entry of a list, with a number of its own if it has one.
    Item(Option<u32>),
    /// A list of terms and definitions.
    Terms,
    /// A term.
    Term,
    /// A definition.
    Definition,
    /// A table of values, with its number of columns.
    Table(usize),
    /// A table that arranges a page.
    Layout,
    /// A table's title.
    Caption,
    /// A row.
    Row,
    /// A cell over some columns and rows.
    Cell {
        /// Over how many columns.
        columns: usize,
        /// Over how many rows.
        rows: usize,
    },
    /// Text whose white space counts, in a language.
    Preformatted(Span),
    /// The same where links stand in it: a listing of files, not code.
    Lines,
    /// A quotation on lines of its own.
    Quote,
    /// What is shown of details that are closed.
    Summary,
    /// Code in a line.
    Code,
    /// Raised text.
    Superscript,
    /// A quotation in a line.
    Quotation,
}

/// A page.
#[derive(Clone, Debug, Default)]
pub(crate) struct Outline {
    /// What stands in it, in order.
    pub(crate) events: Vec<Event>,
    /// The texts that the events name.
    pub(crate) text: String,
    /// Its title.
    pub(crate) title: String,
    /// What it says it is about.
    pub(crate) description: Option<String>,
    /// The address that it calls its own, as it stands.
    pub(crate) canonical: Option<String>,
    /// The events of the main content, where it is plain which that is.
    pub(crate) main: Option<Range<usize>>,
}

impl Outline {
    /// The text of a span.
    pub(crate) fn at(&self, span: &Span) -> &str {
        let (start, end) = (usize::try_from(span.start), usize::try_from(span.end));
        match (start, end) {
            (Ok(start), Ok(end)) => self.text.get(start..end).unwrap_or_default(),
            _ => "",
        }
    }
}

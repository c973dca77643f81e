//! Names of elements, by what they mean for a text.

/// What an element is for a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tag {
    Article,
    Block,
    Break,
    Caption,
    Cell,
    Code,
    Definition,
    Dialog,
    /// It and its content are left out.
    Dropped,
    Heading(u8),
    Image,
    /// It changes nothing; unknown ones are of this kind.
    Inline,
    Item,
    Link,
    Bullets,
    Main,
    /// It has no content, and says something of the page.
    Meta,
    Numbers,
    Paragraph,
    Preformatted,
    Quotation,
    Quote,
    /// The page itself, which is shown even where it says that it is not: scripts show it later.
    Root,
    Row,
    RowGroup,
    Rule,
    /// Left out, and what stands in it closes nothing outside.
    Sealed,
    Summary,
    Superscript,
    Table,
    Term,
    Terms,
    Title,
    /// It has no content and is not seen.
    Void,
}

impl Tag {
    pub(super) fn of(name: &[u8]) -> Self {
        match name {
            b"a" => Self::Link,
            b"article" => Self::Article,
            b"address" | b"aside" | b"center" | b"details" | b"dir" | b"div" | b"fieldset" | b"figcaption"
            | b"figure" | b"footer" | b"form" | b"header" | b"head" | b"hgroup" | b"legend" | b"search"
            | b"section" => Self::Block,
            b"br" => Self::Break,
            b"caption" => Self::Caption,
            b"td" | b"th" => Self::Cell,
            b"dialog" => Self::Dialog,
            b"body" | b"html" => Self::Root,
            b"code" | b"kbd" | b"samp" | b"tt" => Self::Code,
            b"dd" => Self::Definition,
            b"audio" | b"canvas" | b"datalist" | b"iframe" | b"nav" | b"noembed" | b"noframes" | b"noscript"
            | b"rp" | b"rt" | b"script" | b"select" | b"style" | b"textarea" | b"video" => Self::Dropped,
            b"object" | b"svg" | b"template" => Self::Sealed,
            b"h1" => Self::Heading(1),
            b"h2" => Self::Heading(2),
            b"h3" => Self::Heading(3),
            b"h4" => Self::Heading(4),
            b"h5" => Self::Heading(5),
            b"h6" => Self::Heading(6),
            b"img" | b"image" => Self::Image,
            b"li" => Self::Item,
            b"menu" | b"ul" => Self::Bullets,
            b"main" => Self::Main,
            b"link" | b"meta" => Self::Meta,
            b"ol" => Self::Numbers,
            b"p" => Self::Paragraph,
            b"listing" | b"plaintext" | b"pre" | b"xmp" => Self::Preformatted,
            b"q" => Self::Quotation,
            b"blockquote" => Self::Quote,
            b"tr" => Self::Row,
            b"tbody" | b"tfoot" | b"thead" => Self::RowGroup,
            b"hr" => Self::Rule,
            b"summary" => Self::Summary,
            b"sup" => Self::Superscript,
            b"table" => Self::Table,
            b"dt" => Self::Term,
            b"dl" => Self::Terms,
            b"title" => Self::Title,
            b"area" | b"base" | b"basefont" | b"bgsound" | b"col" | b"colgroup" | b"frame" | b"input" | b"keygen"
            | b"embed" | b"param" | b"source" | b"track" | b"wbr" => Self::Void,
            _ => Self::Inline,
        }
    }

    /// Whether it stands in a line of text.
    pub(super) fn is_inline(self) -> bool {
        match self {
            Self::Code
            | Self::Dropped
            | Self::Image
            | Self::Inline
            | Self::Link
            | Self::Meta
            | Self::Quotation
            | Self::Sealed
            | Self::Superscript
            | Self::Title
            | Self::Void
            | Self::Break => true,
            Self::Article
            | Self::Block
            | Self::Caption
            | Self::Cell
            | Self::Definition
            | Self::Dialog
            | Self::Heading(_)
            | Self::Root
            | Self::Item
            | Self::Bullets
            | Self::Main
            | Self::Numbers
            | Self::Paragraph
            | Self::Preformatted
            | Self::Quote
            | Self::Row
            | Self::RowGroup
            | Self::Rule
            | Self::Summary
            | Self::Table
            | Self::Term
            | Self::Terms => false,
        }
    }

    /// Whether it has no content.
    pub(super) fn is_empty(self) -> bool {
        matches!(self, Self::Break | Self::Image | Self::Meta | Self::Rule | Self::Void)
    }

    /// Whether a table that holds it arranges a page, rather than values.
    pub(super) fn arranges(self) -> bool {
        matches!(
            self,
            Self::Article
                | Self::Bullets
                | Self::Heading(_)
                | Self::Main
                | Self::Numbers
                | Self::Preformatted
                | Self::Quote
                | Self::Rule
                | Self::Summary
                | Self::Table
                | Self::Terms
        )
    }

    /// Whether what is open outside it stays open when a tag inside it closes what it can.
    pub(super) fn is_wall(self) -> bool {
        matches!(self, Self::Caption | Self::Cell | Self::Sealed | Self::Table)
    }

    /// Whether it holds entries, so that an entry inside it ends none outside.
    pub(super) fn holds_entries(self) -> bool {
        self.is_wall()
            || matches!(
                self,
                Self::Article
                    | Self::Bullets
                    | Self::Main
                    | Self::Numbers
                    | Self::Preformatted
                    | Self::Quote
                    | Self::Terms
            )
    }
}

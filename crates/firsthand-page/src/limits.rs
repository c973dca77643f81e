//! How much is read and written. Each limit has a unit and a reason.

/// How much of a page is read and written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many bytes of a body are read; a longer one is an error.
    pub body: usize,
    /// How many bytes of text are written; what would follow is left out, and the page says so.
    pub text: usize,
}

impl Default for Limits {
    /// 16 MiB read: twenty times the longest specification that is one page. 4 MiB written: a million tokens.
    fn default() -> Self {
        Self { body: 16 << 20, text: 4 << 20 }
    }
}

/// How deep elements nest, as in browsers: what is deeper stands beside the last one.
pub(crate) const MAX_DEPTH: usize = 512;

/// How deep lists and quotations are shown: what is deeper is not indented further, so that the indents of a text stay in
/// proportion to it.
pub(crate) const MAX_INDENTS: usize = 12;

/// How many bytes the text of a link may have before the link is closed and the text goes on.
pub(crate) const MAX_LINK_TEXT: usize = 1_000;

/// How many bytes an address may have to be written as a link, or to be kept whole in a part.
pub(crate) const MAX_ADDRESS: usize = 8_192;

/// How many columns or rows one cell may take.
pub(crate) const MAX_CELLS: usize = 1_000;

/// In how many columns a cell may reach into later rows: each row looks at all of them.
pub(crate) const MAX_REACHING: usize = 64;

/// How many characters of a title or a description are kept.
pub(crate) const MAX_TITLE: usize = 1_000;

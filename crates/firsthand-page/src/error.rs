//! Why a page has no text.

/// Why a page has no text. It shows nothing of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PageError {
    /// It is of a kind that is not read: a picture, an archive, a PDF.
    #[error("{what} is not read as text")]
    Unsupported {
        /// The kind, in a word or two.
        what: &'static str,
    },
    /// Its body is over the limit.
    #[error("the page is over {limit} bytes")]
    TooLarge {
        /// The limit.
        limit: usize,
    },
}

impl PageError {
    /// The stable code.
    pub fn code(&self) -> &'static str {
        match self {
            Self::Unsupported { .. } => "unsupported_content_type",
            Self::TooLarge { .. } => "too_large",
        }
    }
}

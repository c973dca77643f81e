//! An answer that is still being written, shown without a half address that could be clicked.
//!
//! At each flush the whole text is read again, which is cheap, and the blocks that look different are given out. Until
//! the end there is no chip, no list and no image; a link is one only once nothing that may still come can change where
//! it leads.

mod tail;
#[cfg(test)]
mod tests;

use crate::html::Page;
use crate::known::Index;
use crate::list::{Finished, Given, finish_with_html};
use crate::walk::walk;

/// A block of the page that looks different now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    /// Which block, from 0.
    pub block: usize,
    /// What it looks like; `None` where it is gone, and every block behind it.
    pub html: Option<String>,
}

/// The bytes that were pushed are no UTF-8.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not UTF-8 at byte {at} of the answer")]
pub struct NotUtf8 {
    /// The first byte that is wrong.
    pub at: usize,
}

/// An answer that is being written.
#[derive(Clone, Debug, Default)]
pub struct Stream {
    text: String,
    /// The bytes of a character that has not arrived whole.
    rest: Vec<u8>,
    /// The blocks as they were given out last.
    blocks: Vec<String>,
}

impl Stream {
    /// Nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in what has arrived, cut anywhere.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(), NotUtf8> {
        let joined;
        let bytes = if self.rest.is_empty() {
            bytes
        } else {
            joined = [self.rest.as_slice(), bytes].concat();
            &joined
        };
        match std::str::from_utf8(bytes) {
            Ok(text) => {
                self.text.push_str(text);
                self.rest.clear();
            }
            Err(error) if error.error_len().is_none() => {
                let (whole, rest) = bytes.split_at_checked(error.valid_up_to()).unwrap_or_default();
                let rest = rest.to_vec();
                self.text.push_str(std::str::from_utf8(whole).unwrap_or_default());
                self.rest = rest;
            }
            Err(error) => return Err(NotUtf8 { at: self.text.len() + error.valid_up_to() }),
        }
        Ok(())
    }

    /// The text so far.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The blocks that look different since the last flush, in order.
    pub fn flush(&mut self) -> Vec<Patch> {
        let blocks = blocks(&self.text);
        let mut patches = Vec::new();
        for (block, html) in blocks.iter().enumerate() {
            if self.blocks.get(block) != Some(html) {
                patches.push(Patch { block, html: Some(html.clone()) });
            }
        }
        if blocks.len() < self.blocks.len() {
            patches.push(Patch { block: blocks.len(), html: None });
        }
        self.blocks = blocks;
        patches
    }

    /// The finished answer, as if it had come at once.
    pub fn finish(&self, given: &Given<'_>) -> Result<(Finished<'_>, String), NotUtf8> {
        if self.rest.is_empty() {
            Ok(finish_with_html(&self.text, given))
        } else {
            Err(NotUtf8 { at: self.text.len() })
        }
    }
}

/// The blocks of a text that is still being written.
fn blocks(text: &str) -> Vec<String> {
    let tail = tail::read(text);
    let known = Index::default();
    let mut page = Page::partial(tail.shown.len(), &known, tail.partial());
    walk(&tail.shown, &mut page);
    page.into_blocks()
}

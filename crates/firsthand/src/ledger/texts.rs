//! Texts one behind the other in one piece of memory: a ledger holds many short ones.

use std::fmt;

/// Up to this length room is doubled where it ends, in bytes. More is moved without a copy, so an eighth is enough.
const SMALL: usize = 1 << 16;

/// How much room is added to so many bytes or entries, of which `few` are few.
fn room(held: usize, few: usize) -> usize {
    if held < few { held + 16 } else { held / 8 }
}

/// Adds an entry to a list of which a ledger holds many, with little air behind it.
pub(super) fn push<T>(all: &mut Vec<T>, entry: T) {
    if all.len() == all.capacity() {
        all.reserve_exact(room(all.len(), SMALL / size_of::<T>().max(1)));
    }
    all.push(entry);
}

/// Texts that are never taken back.
#[derive(Clone, Default)]
pub(crate) struct Texts {
    all: String,
}

/// Where a text stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    length: u32,
}

impl Texts {
    /// Keeps a text; `None` where there is no room for it, which needs gigabytes of addresses.
    pub(crate) fn add(&mut self, text: &str) -> Option<Span> {
        let (start, length) = (u32::try_from(self.all.len()).ok()?, u32::try_from(text.len()).ok()?);
        start.checked_add(length)?;
        if self.all.capacity() - self.all.len() < text.len() {
            self.all.reserve_exact(text.len() + room(self.all.len(), SMALL));
        }
        self.all.push_str(text);
        Some(Span { start, length })
    }

    pub(crate) fn get(&self, span: Span) -> &str {
        let Ok(start) = usize::try_from(span.start) else { return "" };
        self.all.get(start..start + span.len()).unwrap_or_default()
    }
}

impl Span {
    fn len(self) -> usize {
        usize::try_from(self.length).unwrap_or_default()
    }

    /// A piece of the text, from a byte on.
    pub(crate) fn piece(self, from: usize, length: usize) -> Option<Self> {
        let fits = from.checked_add(length)? <= self.len();
        let (from, length) = (u32::try_from(from).ok()?, u32::try_from(length).ok()?);
        fits.then_some(Self { start: self.start + from, length })
    }
}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Texts").field("bytes", &self.all.len()).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_found_where_it_was_kept_and_so_are_its_pieces() {
        let mut texts = Texts::default();
        let spans = ["https://a.example/", "", "b.exämple"].map(|text| texts.add(text).unwrap_or_default());
        assert_eq!(spans.map(|span| texts.get(span)), ["https://a.example/", "", "b.exämple"]);
        let [first, ..] = spans;
        assert_eq!(first.piece(8, 9).map(|piece| texts.get(piece)), Some("a.example"));
        assert!(first.piece(8, 11).is_none(), "a piece of one text only");
    }
}

//! The marks of a tree of runs: what the model wrote, under wide keys.

use std::collections::BTreeMap;
use std::ops::Bound;

use hashbrown::HashMap;

use crate::address::{is_bare_root, wide_key_extends};

/// How many marks below one prefix are looked at before the prefix counts as the model's.
const MAX_LOOKED_AT: usize = 256;

/// How many marks of one path are compared before it is asked whether there are too many.
const FEW: usize = 16;

/// How many bytes of a mark's beginning are kept apart.
const HEAD: usize = 4;

/// Which beginnings marks have, roughly: a text that begins otherwise needs no look at the marks.
#[derive(Clone, Debug, Default)]
struct Heads {
    bits: [u64; 32],
    /// A mark is shorter than a beginning.
    short: bool,
}

impl Heads {
    fn bit(head: [u8; HEAD]) -> (usize, u64) {
        let [.., high, higher] = u32::from_le_bytes(head).wrapping_mul(0x9e37_79b1).to_le_bytes();
        (usize::from(higher & 31), 1 << (high & 63))
    }

    fn add(&mut self, mark: &str) {
        match mark.as_bytes().first_chunk() {
            Some(head) => {
                let (place, bit) = Self::bit(*head);
                if let Some(bits) = self.bits.get_mut(place) {
                    *bits |= bit;
                }
            }
            None => self.short = true,
        }
    }

    /// Whether a mark may begin like the text, if both are long enough to have a beginning.
    fn may_hold(&self, text: &str) -> bool {
        let Some(head) = text.as_bytes().first_chunk() else { return true };
        let (place, bit) = Self::bit(*head);
        self.short || self.bits.get(place).is_none_or(|bits| bits & bit != 0)
    }
}

/// Where a mark was made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) run: u32,
    pub(crate) item: u32,
    pub(crate) clock: u32,
    /// How many bytes of the key only copy a source; cuts down to these are the source's, not the model's.
    pub(crate) copied: u32,
}

/// The marks, in the order of their keys, so that cut and extended spellings are found too.
#[derive(Clone, Debug, Default)]
pub(crate) struct Marks {
    marks: BTreeMap<Box<str>, Mark>,
    heads: Heads,
    expected: HashMap<Box<str>, Expected>,
    /// What was made since somebody began to listen.
    listened: Option<Vec<(Box<str>, Mark)>>,
}

/// A mark that runs make which go on beside the one that is read.
#[derive(Clone, Copy, Debug)]
struct Expected {
    /// How many of them.
    runs: u32,
    /// The mark that was made already.
    made: Option<Mark>,
}

impl Marks {
    /// Makes a mark; the first one of a key stays, but of its copy only what every mark of the key copies. Gives the one
    /// that stands now.
    pub(crate) fn add(&mut self, key: &str, mark: Mark) -> Mark {
        if let Some(listened) = &mut self.listened {
            listened.push((key.into(), mark));
        }
        if let Some(Expected { made, .. }) = self.expected.get_mut(key) {
            let first = made.get_or_insert(mark);
            first.copied = first.copied.min(mark.copied);
        }
        self.put(key, mark)
    }

    /// What was made since this was asked last; from now on it is kept for it.
    pub(crate) fn listen(&mut self) -> Vec<(Box<str>, Mark)> {
        self.listened.replace(Vec::new()).unwrap_or_default()
    }

    /// A run beside the one that is read makes a mark.
    pub(crate) fn expect(&mut self, key: &str, mark: Mark) {
        let made = self.get(key);
        self.put(key, mark);
        self.expected.entry(key.into()).or_insert(Expected { runs: 0, made }).runs += 1;
    }

    /// It is no longer beside: it is read itself.
    pub(crate) fn forget(&mut self, key: &str) {
        let Some(expected) = self.expected.get_mut(key) else { return };
        expected.runs = expected.runs.saturating_sub(1);
        if expected.runs > 0 {
            return;
        }
        match self.expected.remove(key).and_then(|expected| expected.made) {
            Some(made) => {
                self.marks.insert(key.into(), made);
            }
            None => {
                self.marks.remove(key);
            }
        }
    }

    fn put(&mut self, key: &str, mark: Mark) -> Mark {
        if let Some(first) = self.marks.get_mut(key) {
            first.copied = first.copied.min(mark.copied);
            return *first;
        }
        self.heads.add(key);
        self.marks.insert(key.into(), mark);
        mark
    }

    pub(crate) fn get(&self, key: &str) -> Option<Mark> {
        self.marks.get(key).copied()
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, Mark)> {
        self.marks.iter().map(|(key, mark)| (&**key, *mark))
    }

    pub(crate) fn len(&self) -> usize {
        self.marks.len()
    }

    /// A mark that the key is a proper prefix or extension of, or that it contains; `counts` says which marks count.
    ///
    /// Parameters are compared as a set, since tools sort them. A bare root is no prefix of anything here: whoever names a
    /// host has not written its pages. What its labels may carry is told from its parts; a port may carry something too.
    pub(crate) fn near(&self, key: &str, counts: &dyn Fn(&str) -> bool) -> Option<Mark> {
        self.cut(key, counts).or_else(|| self.inside(key, counts)).or_else(|| self.with_parameters(key, counts))
    }

    /// A mark that an address within another is, or that it is near to. A root says nothing of its pages.
    pub(crate) fn repeated_by(&self, key: &str, counts: &dyn Fn(&str) -> bool) -> Option<Mark> {
        if is_root(key) {
            return None;
        }
        let same = self.marks.get_key_value(key).filter(|(mark, _)| counts(mark)).map(|(_, place)| *place);
        same.or_else(|| self.near(key, counts))
    }

    /// A mark of the same host and path whose parameters are some of the key's, or all of them and more.
    fn with_parameters(&self, key: &str, counts: &dyn Fn(&str) -> bool) -> Option<Mark> {
        let (path, _) = key.split_once('?')?;
        let start = key.get(..path.len() + 1)?;
        let same_path = self.marks.range::<str, _>((Bound::Included(start), Bound::Unbounded));
        // Where there are too many to look at, as often as not there are far too many: then none is compared.
        let too_many = || same_path.clone().nth(MAX_LOOKED_AT).filter(|(mark, _)| mark.starts_with(start));
        for (looked, (mark, place)) in same_path.clone().take_while(|(mark, _)| mark.starts_with(start)).enumerate() {
            if looked == FEW
                && let Some((_, place)) = too_many()
            {
                return Some(*place);
            }
            let related = wide_key_extends(key, mark) || is_beyond_the_copy(key, *place) && wide_key_extends(mark, key);
            if looked == MAX_LOOKED_AT || related && counts(mark) {
                return Some(*place);
            }
        }
        None
    }

    /// A longer mark that starts with the key.
    fn cut(&self, key: &str, counts: &dyn Fn(&str) -> bool) -> Option<Mark> {
        if !self.heads.may_hold(key) {
            return None;
        }
        let longer = self.marks.range::<str, _>((Bound::Excluded(key), Bound::Unbounded));
        for (looked, (mark, place)) in longer.take_while(|(mark, _)| mark.starts_with(key)).enumerate() {
            if looked == MAX_LOOKED_AT || is_beyond_the_copy(key, *place) && counts(mark) {
                return Some(*place);
            }
        }
        None
    }

    /// A shorter mark that the key starts with or holds at a boundary between words.
    fn inside(&self, key: &str, counts: &dyn Fn(&str) -> bool) -> Option<Mark> {
        let host = key.find(['/', '?']).unwrap_or(key.len());
        let mut boundary = true;
        for (start, character) in key.char_indices() {
            if boundary && let Some((before, rest)) = key.split_at_checked(start) {
                // Elsewhere a root is a word like any other: a version, the name of a file.
                let in_host = start < host || before.ends_with("//") || before.ends_with(":/");
                let counts = |mark: &str| !(is_bare_root(mark) || !in_host && is_root(mark)) && counts(mark);
                let bound = if start == 0 { Bound::Excluded(rest) } else { Bound::Included(rest) };
                if let Some(place) = self.start_of(rest, bound, &counts) {
                    return Some(place);
                }
            }
            boundary = !character.is_alphanumeric();
        }
        None
    }

    /// A mark within a bound that `text` starts with.
    fn start_of<'k>(&'k self, text: &'k str, mut bound: Bound<&'k str>, counts: &dyn Fn(&str) -> bool) -> Option<Mark> {
        if !self.heads.may_hold(text) {
            return None;
        }
        loop {
            let (mark, place) = self.marks.range::<str, _>((Bound::Unbounded, bound)).next_back()?;
            if text.starts_with(&**mark) {
                if counts(mark) {
                    return Some(*place);
                }
                bound = Bound::Excluded(&**mark);
            } else {
                // No key between the common prefix and this one can be a prefix of the text.
                let common = common_prefix(mark, text);
                if common.is_empty() {
                    return None;
                }
                bound = Bound::Included(common);
            }
        }
    }
}

/// Whether a cut of a mark holds more than the source that the mark only copies.
fn is_beyond_the_copy(key: &str, place: Mark) -> bool {
    usize::try_from(place.copied).is_ok_and(|copied| key.len() > copied)
}

/// Whether a wide key is a host and nothing more.
fn is_root(key: &str) -> bool {
    !key.contains(['/', '?'])
}

fn common_prefix<'t>(one: &str, other: &'t str) -> &'t str {
    let same = one.char_indices().zip(other.chars()).find(|((_, a), b)| a != b).map(|((at, _), _)| at);
    let end = same.unwrap_or_else(|| one.len().min(other.len()));
    other.get(..end).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(marks: &[&str], key: &str) -> bool {
        let mut all = Marks::default();
        for mark in marks {
            all.add(mark, Mark { run: 0, item: 0, clock: 0, copied: 0 });
        }
        all.near(key, &|_| true).is_some()
    }

    #[test]
    fn a_cut_an_extension_and_a_wrapper_are_near() {
        let marks = ["c.example/in?d=name-anna", "c.example/in?d=zz", "c.example/ia"];
        assert!(near(&marks, "c.example/in?d=name"));
        assert!(near(&marks, "c.example/in?d=name-anna&try=1"));
        assert!(near(&marks, "go.example/out/https:/c.example/ia"));
        assert!(!near(&marks, "c.example/out"));
        assert!(!near(&marks, "c.example/in?d=name-anna"), "a mark itself is not near itself");
        assert!(!near(&marks, "xc.example/other"));
        assert!(near(&["c.example/in?d=ward"], "c.example/in?attempt=1&d=ward"), "parameters are sorted");
        assert!(near(&["c.example/in?lang=en&page=2"], "c.example/in?page=2"));
    }

    #[test]
    fn a_marked_root_closes_no_page_of_its_site() {
        assert!(!near(&["github.com"], "github.com/a/b"));
        assert!(near(&["github.com/a"], "github.com/a/b"));
    }

    #[test]
    fn a_marked_root_closes_none_of_its_pages_unless_it_has_a_port_or_is_one_of_ipv6() {
        for mark in ["evil.example:4711", "[2001:db8::7]"] {
            assert!(near(&[mark], &format!("{mark}/x")), "{mark}");
            assert!(near(&[mark], &format!("go.test/?u=https://{mark}/x")), "{mark}");
        }
        for mark in ["evil.example", "seven.evil.example", "seven.github.io", "192.0.2.7"] {
            assert!(!near(&[mark], &format!("{mark}/x")), "{mark}");
        }
        assert!(!near(&["evil.example"], "seven.evil.example/x"));
    }

    #[test]
    fn a_version_or_a_file_in_a_path_is_no_root() {
        assert!(!near(&["v1.2.3"], "code.test/o/r/releases/v1.2.3"));
        assert!(!near(&["app.test.js"], "code.test/o/r/app.test.js"));
    }

    #[test]
    fn of_two_marks_of_a_key_the_one_that_copies_less_says_which_cuts_are_near() {
        let copied = |copied| Mark { run: 0, item: 0, clock: 0, copied };
        let mut marks = Marks::default();
        marks.add("c.example/report+for+more", copied(16));
        assert!(marks.near("c.example/rep", &|_| true).is_none(), "the beginnings of a copy are the source's");
        marks.add("c.example/report+for+more", copied(0));
        assert!(marks.near("c.example/rep", &|_| true).is_some());
        marks.add("c.example/report+for+more", copied(16));
        assert!(marks.near("c.example/rep", &|_| true).is_some());
    }

    #[test]
    fn a_mark_is_near_however_short_it_and_what_holds_it_are() {
        assert!(near(&["a/b"], "a/b/c") && near(&["a/b"], "x.test/a/http:/a/b"));
        assert!(near(&["a/b?c=d"], "a/b") && near(&["a/b?c=d"], "a/"));
        assert!(near(&["c.example/in"], "go.test/?u=c.example/in") && near(&["é/x"], "é/x/y"));
    }

    #[test]
    fn marks_that_do_not_count_are_passed_over() {
        let mut marks = Marks::default();
        for key in ["c.example/a", "c.example/a/b"] {
            marks.add(key, Mark { run: 0, item: 0, clock: 0, copied: 0 });
        }
        assert!(marks.near("c.example/a/b/c", &|mark| mark == "c.example/a").is_some());
        assert!(marks.near("c.example/a/b/c", &|_| false).is_none());
    }
}

//! The parent paths of sources: each is a prefix of what a source wrote.

use std::hash::{BuildHasher as _, Hasher as _};

use hashbrown::DefaultHashBuilder;

use crate::ledger::keyed::{Half, Keyed};

/// How many parent paths of one source are known, the root first: an address of thousands of segments costs no more.
const DEEPEST: usize = 32;

/// The first source below each parent path. A parser's writing of a spelling is a path of its own.
#[derive(Clone, Debug, Default)]
pub(super) struct Parents {
    by_path: Keyed,
}

/// The parent paths that a source is the first to have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct New {
    pub(crate) parents: u32,
    /// The root of its host is one of them.
    pub(crate) has_root: bool,
}

/// Where the parent paths of an address end, the root first.
pub(super) struct Ends {
    ends: [usize; DEEPEST],
    count: usize,
}

impl Ends {
    /// Those of an address without its fragment. A slash at the end of its path makes no further one.
    pub(super) fn of(address: &str) -> Self {
        let mut all = Self { ends: [0; DEEPEST], count: 0 };
        let bytes = address.as_bytes();
        let authority = behind_scheme(bytes);
        let path = memchr::memchr(b'?', bytes).unwrap_or(bytes.len());
        let end = if bytes.get(..path).is_some_and(|path| path.ends_with(b"/")) { path - 1 } else { path };
        let within = bytes.get(authority..end).unwrap_or_default();
        // Most addresses are short, and their slashes close to each other.
        for (at, _) in within.iter().enumerate().filter(|(_, byte)| **byte == b'/') {
            let Some(place) = all.ends.get_mut(all.count) else { break };
            *place = authority + at;
            all.count += 1;
        }
        if all.count == 0 {
            all.ends = [end.max(authority); DEEPEST];
            all.count = 1;
        }
        all
    }

    pub(super) fn get(&self, depth: usize) -> Option<usize> {
        self.ends.get(..self.count)?.get(depth).copied()
    }

    fn iter(&self) -> impl DoubleEndedIterator<Item = usize> + ExactSizeIterator {
        self.ends.iter().take(self.count).copied()
    }
}

/// Where the authority of an address begins; the start where it has no scheme.
fn behind_scheme(address: &[u8]) -> usize {
    let colon = memchr::memchr(b':', address).unwrap_or(address.len());
    match address.get(colon..colon + 3) {
        Some(b"://") => colon + 3,
        // A colon may stand before the scheme of an odd spelling.
        Some(_) => memchr::memmem::find(address, b"://").map_or(0, |at| at + 3),
        None => 0,
    }
}

/// A parent path that is looked for, without a slash at its end.
pub(super) struct Parent<'a> {
    pub(super) path: &'a str,
    /// How many segments it has.
    pub(super) depth: usize,
}

impl<'a> Parent<'a> {
    /// What an address without query asks for as a parent path, and whether with a slash at its end.
    pub(super) fn of(address: &'a str) -> (Self, bool) {
        let path = address.split('?').next().unwrap_or_default();
        let authority = path.find("://").map_or(0, |at| at + 3);
        let bare = path.strip_suffix('/').filter(|bare| bare.len() >= authority).unwrap_or(path);
        let depth = bare.get(authority..).unwrap_or_default().matches('/').count();
        (Self { path: bare, depth }, bare.len() < path.len())
    }

    /// Whether it is a parent path of an address, or the root of its host.
    pub(super) fn is_above(&self, address: &str) -> bool {
        Ends::of(address).get(self.depth).and_then(|end| address.get(..end)) == Some(self.path)
    }
}

/// The hashes of the beginnings of an address, one for each end. Linear in the address.
fn hashes(hasher: &DefaultHashBuilder, address: &str, ends: impl Iterator<Item = usize>) -> [Half; DEEPEST] {
    let mut hashes = [Half::default(); DEEPEST];
    let mut state = hasher.build_hasher();
    let mut from = 0;
    for (place, end) in hashes.iter_mut().zip(ends) {
        state.write(address.as_bytes().get(from..end).unwrap_or_default());
        *place = Half::of(state.finish());
        from = end;
    }
    hashes
}

impl Parents {
    /// Enters a source under its parent paths, from the deepest up to the first that is known, and says which of them are new.
    /// `spelling` gives the address that was entered by a number.
    pub(super) fn enter<'k>(
        &mut self,
        hasher: &DefaultHashBuilder,
        address: &str,
        number: u32,
        spelling: impl Fn(u32) -> &'k str,
    ) -> New {
        let ends = Ends::of(address);
        let hashes = hashes(hasher, address, ends.iter());
        let mut new = New::default();
        for depth in (0..ends.count).rev() {
            let (Some(end), Some(hash)) = (ends.get(depth), hashes.get(depth).copied()) else { continue };
            let parent = Parent { path: address.get(..end).unwrap_or_default(), depth };
            // The parents of a path that is known are known.
            if self.by_path.find(hash, |other| begins_with(spelling(other), parent.path)).is_some() {
                return new;
            }
            self.by_path.add(hash, number);
            new.parents += 1;
            new.has_root |= depth == 0;
        }
        new
    }

    /// Takes out what entering a source put in.
    pub(super) fn leave(&mut self, hasher: &DefaultHashBuilder, address: &str, number: u32) {
        let ends = Ends::of(address);
        for hash in hashes(hasher, address, ends.iter()).into_iter().take(ends.count) {
            self.by_path.take_out(hash, |other| other == number);
        }
    }

    /// The number under which the first source below a path was entered.
    pub(super) fn find<'k>(
        &self,
        hasher: &DefaultHashBuilder,
        parent: &Parent<'_>,
        spelling: impl Fn(u32) -> &'k str,
    ) -> Option<u32> {
        let authority = parent.path.find("://").map_or(0, |at| at + 3);
        let slashes = parent.path.match_indices('/').map(|(at, _)| at).filter(|at| *at >= authority);
        let hashes = hashes(hasher, parent.path, slashes.chain([parent.path.len()]));
        let hash = hashes.get(parent.depth)?;
        self.by_path.find(*hash, |number| parent.is_above(spelling(number)))
    }
}

/// Whether an address that was entered begins with a path, which ends there.
fn begins_with(address: &str, path: &str) -> bool {
    address.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with(['/', '?']))
}

#[cfg(test)]
#[expect(clippy::string_slice, clippy::indexing_slicing, reason = "a panic is the report of a test")]
mod tests {
    use super::*;

    fn parents(address: &str) -> Vec<&str> {
        Ends::of(address).iter().map(|end| &address[..end]).collect()
    }

    #[test]
    fn parents_have_fewer_segments_and_no_query() {
        assert_eq!(parents("https://a.example/b/c?d=/e/f"), ["https://a.example", "https://a.example/b"]);
        assert_eq!(parents("https://a.example/b/"), ["https://a.example"]);
        assert_eq!(parents("https://a.example/"), ["https://a.example"]);
        assert_eq!(parents("https://a.example"), ["https://a.example"]);
        assert_eq!(parents("https://a.example?b=c"), ["https://a.example"]);
        assert_eq!(parents("https://a.example:81/b;c=/d"), ["https://a.example:81", "https://a.example:81/b;c="]);
        assert_eq!(
            parents("https://[2001:db8::7]/b//c"),
            ["https://[2001:db8::7]", "https://[2001:db8::7]/b", "https://[2001:db8::7]/b/"]
        );
    }

    #[test]
    fn what_is_entered_is_found_and_taken_out() {
        let (hasher, mut parents) = (DefaultHashBuilder::default(), Parents::default());
        let all = ["https://a.example/b/c/d", "https://a.example/b/x", "https://a.example/e/f/"];
        let spelling = |number: u32| all[number as usize];
        let find = |parents: &Parents, path: &str| parents.find(&hasher, &Parent::of(path).0, spelling);
        for (number, address) in (0..).zip(all) {
            parents.enter(&hasher, address, number, spelling);
        }
        for (path, number) in [("", 0), ("/", 0), ("/b", 0), ("/b/c/", 0), ("/e", 2)] {
            assert_eq!(find(&parents, &format!("https://a.example{path}")), Some(number), "{path}");
        }
        for path in ["/b/x", "/b/x/", "/b/c/d", "/e/f", "/e/", "/b/c//"] {
            assert_eq!(find(&parents, &format!("https://a.example{path}")).is_some(), path == "/e/", "{path}");
        }
        parents.leave(&hasher, all[2], 2);
        assert_eq!(find(&parents, "https://a.example/e"), None);
        assert_eq!(find(&parents, "https://a.example/"), Some(0));
    }

    #[test]
    fn only_so_many_parents_of_one_address_are_entered() {
        let deep = format!("https://a.example{}", "/x".repeat(4000));
        assert_eq!(parents(&deep).len(), DEEPEST);
    }
}

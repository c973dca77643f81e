//! Which files belong together: the runs of one tree, each in a file of its own.
//!
//! What one run of a tree wrote closes addresses for all of them, so a file is judged together with its kin. A walk finds
//! kin among the files it lists. For a named file, the kin that lie where its format puts them are read along; they bind,
//! but no line is printed for them.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, RandomState};
use std::path::{Path, PathBuf};

use crate::engine;
use crate::input;
use crate::walk::{Listing, Target};

/// How much of a file is looked at for the names of its kin, in bytes.
const HEAD: usize = 64 << 10;

/// The files of a listing, family by family.
///
/// A family stands where its first file stands; within it the files keep their order.
#[derive(Debug)]
pub(crate) struct Families {
    /// Indices of the listing, family after family.
    members: Vec<u32>,
    /// Where each family ends in `members`.
    ends: Vec<u32>,
}

impl Families {
    /// Groups the files of a listing.
    pub(crate) fn of(listing: &Listing) -> Self {
        let mut root: Vec<u32> = (0..u32::try_from(listing.len()).unwrap_or(u32::MAX)).collect();
        // Names of kin are kept as hashes. The hasher is seeded anew each time, which no output can show: only equality
        // of keys is asked, and equal keys are equal under every seed.
        let hasher = RandomState::new();
        let mut owner: HashMap<u64, u32> = HashMap::new();
        if listing.len() > 1 {
            for (index, file) in (0..listing.len()).zip(0_u32..) {
                for key in keys(listing, index) {
                    let other = *owner.entry(hasher.hash_one(&key)).or_insert(file);
                    join(&mut root, file, other);
                }
            }
        }
        // A file hangs under an earlier one only, so one pass in order leaves each right under its top.
        for file in 0..u32::try_from(root.len()).unwrap_or(u32::MAX) {
            let top = top(&mut root, file);
            set(&mut root, file, top);
        }
        let mut members: Vec<u32> = (0..u32::try_from(root.len()).unwrap_or(u32::MAX)).collect();
        members.sort_by_key(|file| above(&root, *file));
        let mut ends = Vec::new();
        for (position, file) in (1_u32..).zip(&members) {
            let next = usize::try_from(position).ok().and_then(|position| members.get(position));
            if next.is_none_or(|next| above(&root, *next) != above(&root, *file)) {
                ends.push(position);
            }
        }
        Self { members, ends }
    }

    /// How many families there are.
    pub(crate) fn len(&self) -> usize {
        self.ends.len()
    }

    /// The files of a family, as indices of the listing.
    pub(crate) fn members(&self, family: usize) -> &[u32] {
        let end = |family: usize| self.ends.get(family).and_then(|end| usize::try_from(*end).ok());
        let start = family.checked_sub(1).and_then(end).unwrap_or(0);
        end(family).and_then(|end| self.members.get(start..end)).unwrap_or_default()
    }
}

/// The names under which a file is kin of others.
fn keys(listing: &Listing, index: usize) -> Vec<String> {
    match listing.target(index) {
        None | Some(Target::Stdin) => Vec::new(),
        Some(Target::File(path)) => {
            // A file that cannot be read has no kin; its own turn will say why.
            engine::kin(&path, || input::head(&path, HEAD).unwrap_or_default())
        }
    }
}

/// The file that this one hangs under; itself at the top.
fn above(root: &[u32], file: u32) -> u32 {
    usize::try_from(file).ok().and_then(|file| root.get(file)).copied().unwrap_or(file)
}

fn set(root: &mut [u32], file: u32, to: u32) {
    if let Some(above) = usize::try_from(file).ok().and_then(|file| root.get_mut(file)) {
        *above = to;
    }
}

/// The first file of the family so far. Halves the way for whoever asks next.
fn top(root: &mut [u32], file: u32) -> u32 {
    let mut at = file;
    loop {
        let next = above(root, at);
        if next == at {
            return at;
        }
        let over = above(root, next);
        set(root, at, over);
        at = over;
    }
}

/// Makes two files one family, under the earlier first file.
fn join(root: &mut [u32], one: u32, other: u32) {
    let (one, other) = (top(root, one), top(root, other));
    set(root, one.max(other), one.min(other));
}

/// The kin of a named file that lie where its format puts them, without the file itself, in the order of their names.
pub(crate) fn companions(file: &Path) -> Vec<PathBuf> {
    let head = || input::head(file, HEAD).unwrap_or_default();
    let own = engine::kin(file, head);
    let mut found = Vec::new();
    for place in engine::kin_places(file) {
        if !place.is_dir() && !place.is_file() {
            continue;
        }
        let listing = Listing::of(&[place.into_os_string()]);
        for index in 0..listing.len() {
            let Some(Target::File(path)) = listing.target(index) else { continue };
            let head = || input::head(&path, HEAD).unwrap_or_default();
            if path != file && engine::kin(&path, head).iter().any(|key| own.contains(key)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[test]
    fn a_session_and_its_subagents_are_one_family_wherever_they_stand_in_the_order() {
        let folder = std::env::temp_dir().join(format!("firsthand-family-{}", std::process::id()));
        let files = ["a.json", "s1/subagents/agent-1.jsonl", "s1/subagents/deep/agent-2.jsonl", "s1.jsonl", "s2.jsonl"];
        for file in files {
            let path = folder.join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "{}").unwrap();
        }
        let listing = Listing::of(&[folder.clone().into()]);
        let families = Families::of(&listing);
        let groups: Vec<Vec<u32>> = (0..families.len()).map(|family| families.members(family).to_vec()).collect();
        assert_eq!(groups, [vec![0], vec![1, 2, 3], vec![4]]);

        let found = companions(&folder.join("s1.jsonl"));
        assert_eq!(found, [folder.join(files[1]), folder.join(files[2])]);
        let found = companions(&folder.join(files[1]));
        assert_eq!(found, [folder.join(files[2]), folder.join("s1.jsonl")]);
        assert!(companions(&folder.join("s2.jsonl")).is_empty());
        std::fs::remove_dir_all(folder).unwrap();
    }
}

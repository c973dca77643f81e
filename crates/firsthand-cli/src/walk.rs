//! The files that a command line names, directories walked.
//!
//! The order is that of the command line, within a directory that of the names, so it never depends on the disk or on
//! threads. A million files are a million short names: they are kept end to end, with their directory once.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::input::reason;

/// Deeper directories are not walked: something loops.
const DEEPEST: usize = 256;

/// A file to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// Standard input.
    Stdin,
    /// A file.
    File(PathBuf),
}

impl Target {
    /// What a command line says: `-` is standard input.
    pub(crate) fn named(argument: &OsStr) -> Self {
        if argument == "-" { Self::Stdin } else { Self::File(argument.into()) }
    }

    /// The name in messages and output.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Stdin => "-".to_owned(),
            Self::File(path) => path.to_string_lossy().into_owned(),
        }
    }
}

/// The files found.
#[derive(Debug, Default)]
pub(crate) struct Listing {
    directories: Vec<PathBuf>,
    names: Vec<u8>,
    files: Vec<Entry>,
    /// What could not be listed: its name, and why.
    pub(crate) unlisted: Vec<(String, String)>,
    /// How many files were passed over because their name is not that of a conversation.
    pub(crate) passed_over: u64,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Which directory; `NAMED` for what the command line itself names.
    directory: u32,
    /// Where its name ends in `names`.
    end: usize,
}

/// The directory of a file that the command line itself names.
const NAMED: u32 = u32::MAX;

impl Listing {
    /// Lists what the command line names. Directories are walked; what else is named is read whatever its name.
    pub(crate) fn of(arguments: &[OsString]) -> Self {
        let mut listing = Self::default();
        for argument in arguments {
            let path = Path::new(argument);
            if argument != "-" && path.is_dir() {
                listing.walk(path.to_owned(), 0);
            } else {
                listing.push(NAMED, argument);
            }
        }
        listing
    }

    /// How many files there are.
    pub(crate) fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether the command line itself names the file, so that it is read whatever it is.
    pub(crate) fn is_named(&self, index: usize) -> bool {
        self.files.get(index).is_some_and(|entry| entry.directory == NAMED)
    }

    /// The file of this index.
    pub(crate) fn target(&self, index: usize) -> Option<Target> {
        let entry = self.files.get(index)?;
        let start = match index.checked_sub(1) {
            Some(before) => self.files.get(before)?.end,
            None => 0,
        };
        let name = name_of(self.names.get(start..entry.end)?);
        match self.directories.get(usize::try_from(entry.directory).ok()?) {
            Some(directory) => Some(Target::File(directory.join(name))),
            None => Some(Target::named(&name)),
        }
    }

    fn push(&mut self, directory: u32, name: &OsStr) {
        self.names.extend_from_slice(name.as_encoded_bytes());
        self.files.push(Entry { directory, end: self.names.len() });
    }

    fn walk(&mut self, directory: PathBuf, depth: usize) {
        if depth > DEEPEST {
            self.unlisted.push((shown(&directory), format!("is over {DEEPEST} directories deep; expected fewer")));
            return;
        }
        let mut inside = match entries(&directory) {
            Ok(inside) => inside,
            Err(error) => {
                self.unlisted.push((shown(&directory), format!("cannot be listed: {}", reason(&error))));
                return;
            }
        };
        inside.sort_unstable();
        let number = u32::try_from(self.directories.len()).unwrap_or(NAMED - 1);
        self.directories.push(directory.clone());
        for (name, kind) in inside {
            match kind {
                Kind::Directory => self.walk(directory.join(&*name), depth + 1),
                Kind::File if may_be_conversation(&name) => self.push(number, &name),
                Kind::File => self.passed_over += 1,
            }
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Kind {
    Directory,
    File,
}

fn entries(directory: &Path) -> io::Result<Vec<(Box<OsStr>, Kind)>> {
    let mut inside = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let kind = entry.file_type()?;
        // A link to a directory may lead back up, so it is not followed; a link to a file is read. Pipes, sockets and
        // devices are never conversations, and reading one may never end.
        let kind = if kind.is_dir() {
            Kind::Directory
        } else if kind.is_file() || kind.is_symlink() && fs::metadata(entry.path()).is_ok_and(|file| file.is_file()) {
            Kind::File
        } else {
            continue;
        };
        inside.push((entry.file_name().into_boxed_os_str(), kind));
    }
    Ok(inside)
}

/// Whether a walk opens a file of this name: one that may hold JSON, YAML, Markdown or a log, packed or not.
fn may_be_conversation(name: &OsStr) -> bool {
    let name = name.to_ascii_lowercase();
    let mut name = Path::new(&name);
    if name.extension().is_some_and(|ending| ending == "gz" || ending == "zst")
        && let Some(stem) = name.file_stem()
    {
        name = Path::new(stem);
    }
    let ending = name.extension().and_then(OsStr::to_str);
    matches!(ending, Some("json" | "jsonl" | "ndjson" | "yaml" | "yml" | "md" | "txt" | "log" | "eval"))
}

#[cfg(unix)]
fn name_of(bytes: &[u8]) -> OsString {
    use std::os::unix::ffi::OsStrExt as _;
    OsStr::from_bytes(bytes).to_owned()
}

#[cfg(not(unix))]
fn name_of(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[test]
    fn a_walk_opens_what_may_be_a_conversation_packed_or_not() {
        for name in
            ["a.json", "a.jsonl", "a.ndjson", "a.jsonl.gz", "a.json.zst", "a.yaml", "a.md.gz", "a.chunks.txt", "a.eval"]
        {
            assert!(may_be_conversation(OsStr::new(name)), "{name}");
        }
        for name in ["a.rs", "a.gz", "json", "a.json.png"] {
            assert!(!may_be_conversation(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn the_order_is_that_of_the_arguments_then_of_the_names() {
        let folder = std::env::temp_dir().join(format!("firsthand-walk-{}", std::process::id()));
        for file in ["b/2.json", "b/1.json", "a/x.png", "a/x.json", "c.json"] {
            let path = folder.join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "{}").unwrap();
        }
        let listing = Listing::of(&[folder.join("c.json").into(), folder.clone().into(), "-".into()]);
        let shown: Vec<String> = (0..listing.len())
            .filter_map(|index| listing.target(index))
            .map(|target| target.shown().replace(&*folder.to_string_lossy(), ""))
            .collect();
        assert_eq!(shown, ["/c.json", "/a/x.json", "/b/1.json", "/b/2.json", "/c.json", "-"]);
        assert_eq!(listing.passed_over, 1);
        assert!(listing.is_named(0) && !listing.is_named(1));
        fs::remove_dir_all(folder).unwrap();
    }
}

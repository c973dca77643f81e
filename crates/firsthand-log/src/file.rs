//! JSON Lines in a file that turns over before it grows too long.

use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::{Entry, LogError, Sink};

/// When a log's file turns over.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rotation {
    /// The most bytes of one file.
    pub bytes: u64,
    /// How many older files are kept, as `NAME.1` (the newest), `NAME.2` and so on.
    pub kept: u32,
}

impl Default for Rotation {
    /// Files of 16 MiB, four older ones.
    fn default() -> Self {
        Self { bytes: 16 << 20, kept: 4 }
    }
}

/// A file of lines, which several processes may write at once. Nobody but its owner can read it.
///
/// Each line is written whole, under a lock on the file.
pub struct LogFile {
    path: PathBuf,
    rotation: Rotation,
    open: Mutex<Option<File>>,
}

impl LogFile {
    /// The file of this name. It is made with the first line.
    pub fn new(path: impl Into<PathBuf>, rotation: Rotation) -> Self {
        Self { path: path.into(), rotation, open: Mutex::new(None) }
    }

    /// The file of the name, locked, with room for a line; another process may have turned it over.
    fn with_room(&self, held: Option<File>, line: u64) -> io::Result<File> {
        let mut file = match held {
            Some(file) => file,
            None => open(&self.path)?,
        };
        loop {
            file.lock()?;
            if !is_at(&file, &self.path)? {
                file = open(&self.path)?;
                continue;
            }
            let length = file.metadata()?.len();
            if length == 0 || length.saturating_add(line) <= self.rotation.bytes {
                return Ok(file);
            }
            self.turn_over()?;
            file = open(&self.path)?;
        }
    }

    fn turn_over(&self) -> io::Result<()> {
        let older = |number: u32| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".{number}"));
            PathBuf::from(name)
        };
        if self.rotation.kept == 0 {
            return fs::remove_file(&self.path);
        }
        for number in (1..self.rotation.kept).rev() {
            match fs::rename(older(number), older(number + 1)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        fs::rename(&self.path, older(1))
    }
}

impl Sink for LogFile {
    fn keep(&self, entry: &Entry) -> Result<(), LogError> {
        let mut line = serde_json::to_vec(entry).map_err(io::Error::from)?;
        line.push(b'\n');
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        let mut file = self.with_room(open.take(), u64::try_from(line.len()).unwrap_or(u64::MAX))?;
        let length = file.metadata()?.len();
        let written = file.write_all(&line);
        if written.is_err() {
            // Half a line would make the next one unreadable too.
            drop(file.set_len(length));
        }
        file.unlock()?;
        *open = Some(file);
        Ok(written?)
    }
}

impl fmt::Debug for LogFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LogFile").field("path", &self.path).field("rotation", &self.rotation).finish_non_exhaustive()
    }
}

fn open(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.append(true).create(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options.open(path)
}

/// Whether an open file is still the one of this name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> io::Result<bool> {
    use std::os::unix::fs::MetadataExt as _;
    let own = file.metadata()?;
    match fs::metadata(path) {
        Ok(other) => Ok((own.dev(), own.ino()) == (other.dev(), other.ino())),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
    }
}

/// An open file cannot be renamed there.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    fs::exists(path)
}

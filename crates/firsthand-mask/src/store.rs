//! A file that keeps what references stand for, sealed.
//!
//! A line a reference: who may open it and until when stands in clear, the address does not. A line that is moved to
//! another conversation, or whose time is changed, does not open.

use std::collections::HashMap;
use std::fmt;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use data_encoding::BASE64;
use firsthand::address::{Address, Form};
use firsthand::reference::Reference;
use serde::{Deserialize, Serialize};

/// How many bytes a nonce has: so many that random ones do not meet.
const NONCE: usize = 24;

/// How long an address is kept whose own time cannot be read, in seconds: a day.
pub const KEPT: i64 = 24 * 60 * 60;

/// The longest file that is read, in bytes.
const LONGEST: u64 = 256 << 20;

/// A store of references in a file that only its owner can read. Several processes may use it at once.
pub struct Store {
    path: PathBuf,
    cipher: XChaCha20Poly1305,
    key: [u8; 32],
}

/// What a reference stands for.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The reference.
    pub reference: Reference,
    /// The address.
    pub address: Address,
    /// When its time is over, in seconds since 1970 (UTC).
    pub expires: i64,
    /// The number of the result that held the address, in its run.
    pub item: Option<usize>,
}

/// Why a store cannot be used. It shows nothing of what is kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// The file cannot be read or written.
    #[error("the store cannot be used: {0}")]
    File(#[from] io::Error),
    /// The system gives no random numbers.
    #[error("there are no random numbers to make a reference of")]
    Random,
    /// A line of the conversation does not open: another key sealed it, or somebody changed it.
    #[error("line {line} of the store: found an entry that this key does not open; expected one that it sealed")]
    Sealed {
        /// The line, from 1.
        line: usize,
    },
    /// A whole line is no entry.
    #[error("line {line} of the store: found no entry of a store; expected one")]
    Malformed {
        /// The line, from 1.
        line: usize,
    },
    /// The file is longer than is read.
    #[error("the store is longer than 256 MiB; expected less")]
    TooLong,
}

/// A line.
#[derive(Debug, Serialize, Deserialize)]
struct Line {
    /// A keyed digest of the conversation's id.
    conversation: String,
    reference: String,
    expires: i64,
    item: Option<usize>,
    /// Nonce and sealed address.
    sealed: String,
}

impl Store {
    /// The store in this file, which is made with its first entry. `key` seals what is kept.
    pub fn new(path: impl Into<PathBuf>, key: [u8; 32]) -> Self {
        Self { path: path.into(), cipher: XChaCha20Poly1305::new(&key.into()), key }
    }

    /// A new reference for an address of a conversation, or the one that it has there already.
    ///
    /// Entries whose time was over at `now` are dropped.
    pub fn put(
        &self,
        conversation: &str,
        address: &Address,
        expires: i64,
        item: Option<usize>,
        now: i64,
    ) -> Result<Reference, StoreError> {
        let mut batch = self.begin(conversation, now)?;
        let reference = batch.put(address, expires, item)?;
        batch.keep()?;
        Ok(reference)
    }

    /// Begins to add references of a conversation. Until [`Batch::keep`] others wait, and nothing is written.
    ///
    /// Entries whose time was over at `now` are dropped.
    pub fn begin(&self, conversation: &str, now: i64) -> Result<Batch<'_>, StoreError> {
        let mut file = self.locked()?;
        let lines = lines(&mut file)?;
        let known = self.opened(conversation, &lines)?.into_iter().filter(|kept| kept.expires > now);
        let known = known.map(|kept| (kept.address.identity().to_owned(), kept.reference)).collect();
        Ok(Batch { store: self, conversation: conversation.to_owned(), now, file, lines, known, added: String::new() })
    }

    /// What the references of a conversation stand for, those whose time is over too.
    pub fn all(&self, conversation: &str) -> Result<Vec<Kept>, StoreError> {
        if !self.path.try_exists()? {
            return Ok(Vec::new());
        }
        let mut file = self.locked()?;
        let lines = lines(&mut file)?;
        self.opened(conversation, &lines)
    }

    fn opened(&self, conversation: &str, lines: &[(usize, Line)]) -> Result<Vec<Kept>, StoreError> {
        let own = self.digest(conversation);
        let lines = lines.iter().filter(|(_, line)| line.conversation == own);
        lines.map(|(number, line)| self.open(conversation, line).ok_or(StoreError::Sealed { line: *number })).collect()
    }

    fn open(&self, conversation: &str, line: &Line) -> Option<Kept> {
        let reference = Reference::parse(&line.reference)?;
        let sealed = BASE64.decode(line.sealed.as_bytes()).ok()?;
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let bound = bound(conversation, &reference, line.expires, line.item);
        let opened = self.cipher.decrypt(&XNonce::from(*nonce), Payload { msg: sealed, aad: bound.as_bytes() }).ok()?;
        let address = Address::written(std::str::from_utf8(&opened).ok()?, Form::Absolute)?;
        Some(Kept { reference, address, expires: line.expires, item: line.item })
    }

    fn line(
        &self,
        conversation: &str,
        reference: &Reference,
        address: &Address,
        expires: i64,
        item: Option<usize>,
    ) -> Result<Line, StoreError> {
        let nonce: [u8; NONCE] = random()?;
        let bound = bound(conversation, reference, expires, item);
        let payload = Payload { msg: address.reveal().as_bytes(), aad: bound.as_bytes() };
        let sealed = self.cipher.encrypt(&XNonce::from(nonce), payload).map_err(|_| StoreError::Random)?;
        Ok(Line {
            conversation: self.digest(conversation),
            reference: reference.reveal().to_owned(),
            expires,
            item,
            sealed: BASE64.encode(&[&nonce[..], &sealed].concat()),
        })
    }

    fn digest(&self, conversation: &str) -> String {
        let digest = blake3::keyed_hash(&self.key, conversation.as_bytes());
        data_encoding::HEXLOWER.encode(digest.as_bytes().first_chunk::<16>().map_or(&[], |first| first))
    }

    /// The file of the name, locked. Whoever replaced it meanwhile is waited for.
    fn locked(&self) -> Result<File, StoreError> {
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        loop {
            let file = options.open(&self.path)?;
            file.lock()?;
            if is_at(&file, &self.path)? {
                return Ok(file);
            }
        }
    }

    fn replace(&self, bytes: &[u8]) -> Result<(), StoreError> {
        let folder = self.path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        let mut draft = tempfile::NamedTempFile::new_in(folder)?;
        draft.write_all(bytes)?;
        draft.as_file().sync_all()?;
        draft.persist(&self.path).map_err(|error| error.error)?;
        Ok(())
    }
}

/// References that are added to a store together.
pub struct Batch<'s> {
    store: &'s Store,
    conversation: String,
    now: i64,
    file: File,
    lines: Vec<(usize, Line)>,
    known: HashMap<String, Reference>,
    added: String,
}

impl Batch<'_> {
    /// A new reference for an address, or the one that it has in the conversation already. It opens once it is kept.
    pub fn put(&mut self, address: &Address, expires: i64, item: Option<usize>) -> Result<Reference, StoreError> {
        if let Some(reference) = self.known.get(address.identity()) {
            return Ok(reference.clone());
        }
        let reference = Reference::of(random()?);
        let line = self.store.line(&self.conversation, &reference, address, expires, item)?;
        self.added.push_str(&serde_json::to_string(&line).map_err(io::Error::from)?);
        self.added.push('\n');
        self.known.insert(address.identity().to_owned(), reference.clone());
        Ok(reference)
    }

    /// Writes what was added.
    pub fn keep(self) -> Result<(), StoreError> {
        let Self { store, now, mut file, lines, added, .. } = self;
        if added.is_empty() {
            return Ok(());
        }
        if lines.iter().any(|(_, line)| line.expires <= now) {
            let kept = lines.iter().filter(|(_, line)| line.expires > now);
            let kept: Result<Vec<String>, _> = kept.map(|(_, line)| serde_json::to_string(line)).collect();
            let kept = kept.map_err(io::Error::from)?;
            let all = kept.iter().map(|line| format!("{line}\n")).collect::<String>() + &added;
            store.replace(all.as_bytes())
        } else {
            // What a write that was cut off left behind ends here.
            let is_cut = !ends_with_a_line(&mut file)?;
            file.write_all([if is_cut { "\n" } else { "" }, &added].concat().as_bytes())?;
            Ok(file.sync_data()?)
        }
    }
}

impl fmt::Debug for Batch<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Batch").field("known", &self.known.len()).finish_non_exhaustive()
    }
}

impl fmt::Debug for Store {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Store").field("path", &self.path).finish_non_exhaustive()
    }
}

/// What an entry is bound to besides its key.
fn bound(conversation: &str, reference: &Reference, expires: i64, item: Option<usize>) -> String {
    format!("{}:{conversation}{}{expires}:{item:?}", conversation.len(), reference.reveal())
}

/// The entries with the numbers of their lines. A last line without an end is what a write left that was cut off.
fn lines(file: &mut File) -> Result<Vec<(usize, Line)>, StoreError> {
    if file.metadata()?.len() > LONGEST {
        return Err(StoreError::TooLong);
    }
    let mut text = Vec::new();
    file.read_to_end(&mut text)?;
    let mut all = Vec::new();
    let whole = text.iter().rposition(|byte| *byte == b'\n').map_or(0, |end| end + 1);
    for (number, line) in text.get(..whole).unwrap_or_default().split_inclusive(|byte| *byte == b'\n').enumerate() {
        let line = line.trim_ascii();
        match serde_json::from_slice(line) {
            Ok(line) => all.push((number + 1, line)),
            // A line that was cut off has an end since something was written behind it.
            Err(_) if line.is_empty() || line.first() == Some(&b'{') && line.last() != Some(&b'}') => {}
            Err(_) => return Err(StoreError::Malformed { line: number + 1 }),
        }
    }
    Ok(all)
}

fn ends_with_a_line(file: &mut File) -> Result<bool, StoreError> {
    use std::io::{Seek as _, SeekFrom};
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

fn random<const N: usize>() -> Result<[u8; N], StoreError> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| StoreError::Random)?;
    Ok(bytes)
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

/// An open file cannot be replaced there.
#[cfg(not(unix))]
fn is_at(_: &File, path: &Path) -> io::Result<bool> {
    fs::exists(path)
}

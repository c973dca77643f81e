//! A file that appears under its name only when it is whole.
//!
//! The bytes go to a file without that name in the same folder first; what fails leaves nothing behind. No path is made before
//! an answer is there to be saved, and folders are never made. The caller's own name is used as it is; a name of the server's
//! is made safe ([`safe_name`]).

use std::io;
use std::path::{Path, PathBuf};

use percent_encoding::percent_decode_str;
use tempfile::TempPath;
use tokio::fs::File;
use tokio::io::AsyncWriteExt as _;
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory as _};

use crate::error::FetchError;

/// Where an answer is saved.
#[derive(Clone)]
pub struct Place {
    path: PathBuf,
    named: Named,
    existing: Existing,
}

/// Who names the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Named {
    Caller,
    /// The server, or else the address.
    ServerOrAddress,
    Server,
}

/// What happens to a file that has the name already.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Existing {
    /// It stays, and nothing is saved.
    Keep,
    /// The new one takes its place once it is whole.
    Replace,
}

impl Place {
    /// Under exactly this path.
    pub fn file(path: impl Into<PathBuf>, existing: Existing) -> Self {
        Self { path: path.into(), named: Named::Caller, existing }
    }

    /// In this folder, under a name that is made of what the server says or of the address.
    pub fn folder(path: impl Into<PathBuf>, existing: Existing) -> Self {
        Self { path: path.into(), named: Named::ServerOrAddress, existing }
    }

    /// In this folder, under a name that is made of what the server says and of nothing else: for an address that is told
    /// nobody.
    pub fn folder_named_by_server(path: impl Into<PathBuf>, existing: Existing) -> Self {
        Self { path: path.into(), named: Named::Server, existing }
    }

    /// Whether it is known before the first request that not all of so many answers could be saved.
    pub(crate) fn refuse_early(&self, answers: usize) -> Result<(), FetchError> {
        match self.named {
            Named::Caller if answers > 1 => Err(FetchError::FileExists),
            Named::Caller => is_free(&self.path, self.existing).map_err(|error| failed(&error)),
            Named::ServerOrAddress | Named::Server => Ok(()),
        }
    }

    fn path_for(&self, disposition: Option<&[u8]>, last_segment: &str) -> PathBuf {
        if self.named == Named::Caller {
            return self.path.clone();
        }
        let last_segment = if self.named == Named::Server { "" } else { last_segment };
        let stated = disposition.and_then(|value| stated_name(&String::from_utf8_lossy(value)));
        let name = stated.unwrap_or_else(|| percent_decode_str(last_segment).decode_utf8_lossy().into_owned());
        self.path.join(safe_name(&name))
    }
}

impl std::fmt::Debug for Place {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Place").field("existing", &self.existing).finish_non_exhaustive()
    }
}

/// A file on its way.
pub(crate) struct Draft {
    file: File,
    draft: Nameless,
    path: PathBuf,
    existing: Existing,
}

impl Draft {
    pub(crate) async fn new(place: &Place, disposition: Option<&[u8]>, last_segment: &str) -> Result<Self, FetchError> {
        let path = place.path_for(disposition, last_segment);
        let existing = place.existing;
        let (path, file, draft) = off_the_loop(move || {
            is_free(&path, existing)?;
            let (file, draft) = Nameless::new(folder_of(&path))?;
            Ok((path, file, draft))
        })
        .await?;
        Ok(Self { file: File::from_std(file), draft, path, existing })
    }

    pub(crate) async fn write(&mut self, piece: &[u8]) -> Result<(), FetchError> {
        self.file.write_all(piece).await.map_err(|error| failed(&error))
    }

    /// Gives the file its name: now it is whole, and on the disk.
    pub(crate) async fn keep(mut self) -> Result<PathBuf, FetchError> {
        self.file.flush().await.map_err(|error| failed(&error))?;
        self.file.sync_all().await.map_err(|error| failed(&error))?;
        let Self { file, draft, path, existing } = self;
        let file = file.into_std().await;
        off_the_loop(move || {
            is_free(&path, existing)?;
            draft.keep(file, &path, existing)?;
            sync_folder(folder_of(&path));
            Ok(path)
        })
        .await
    }
}

async fn off_the_loop<T: Send + 'static>(
    work: impl FnOnce() -> io::Result<T> + Send + 'static,
) -> Result<T, FetchError> {
    let done = tokio::task::spawn_blocking(work).await.map_err(|_| FetchError::WriteFailed(io::ErrorKind::Other))?;
    done.map_err(|error| failed(&error))
}

fn failed(error: &io::Error) -> FetchError {
    let kind = error.kind();
    if kind == io::ErrorKind::AlreadyExists { FetchError::FileExists } else { FetchError::WriteFailed(kind) }
}

fn folder_of(path: &Path) -> &Path {
    match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    }
}

/// Whether a file may take this name. A device, a pipe or a socket is never replaced, nor is a link to one.
pub fn is_free(path: &Path, existing: Existing) -> io::Result<()> {
    // A link that leads nowhere is a file too.
    if existing == Existing::Keep && path.symlink_metadata().is_ok() {
        return Err(io::ErrorKind::AlreadyExists.into());
    }
    match path.metadata() {
        Ok(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(there) if !there.is_file() => Err(io::ErrorKind::InvalidInput.into()),
        Ok(_) | Err(_) => Ok(()),
    }
}

/// Permissions of a new file: what the person's own mask leaves of it.
#[cfg(unix)]
const MODE: u32 = 0o666;

/// A file without its name.
enum Nameless {
    /// It has no name at all, so that nothing is left of it even where the process is killed.
    #[cfg(target_os = "linux")]
    Unlinked,
    /// It has another name, and goes with this value where it is not kept.
    Neighbour(TempPath),
}

impl Nameless {
    fn new(folder: &Path) -> io::Result<(std::fs::File, Self)> {
        #[cfg(target_os = "linux")]
        if let Some(file) = unlinked(folder) {
            return Ok((file, Self::Unlinked));
        }
        let mut builder = drafts();
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt as _;
            builder.permissions(std::fs::Permissions::from_mode(MODE));
        }
        let (file, path) = builder.tempfile_in(folder)?.into_parts();
        Ok((file, Self::Neighbour(path)))
    }

    fn keep(self, file: std::fs::File, path: &Path, existing: Existing) -> io::Result<()> {
        let neighbour = match self {
            #[cfg(target_os = "linux")]
            Self::Unlinked if existing == Existing::Keep => return link(&file, path),
            // A link replaces nothing, a renamed file does.
            #[cfg(target_os = "linux")]
            Self::Unlinked => drafts().make_in(folder_of(path), |name| link(&file, name))?.into_temp_path(),
            Self::Neighbour(neighbour) => neighbour,
        };
        drop(file);
        let kept = match existing {
            Existing::Keep => neighbour.persist_noclobber(path),
            Existing::Replace => neighbour.persist(path),
        };
        kept.map_err(|error| error.error)
    }
}

fn drafts() -> tempfile::Builder<'static, 'static> {
    let mut builder = tempfile::Builder::new();
    builder.prefix(".firsthand-").suffix(".part");
    builder
}

/// A file in a folder that has no name there; `None` where the file system, or what would give it a name, does not do it.
#[cfg(target_os = "linux")]
fn unlinked(folder: &Path) -> Option<std::fs::File> {
    use std::os::unix::fs::OpenOptionsExt as _;
    let flags = i32::try_from(rustix::fs::OFlags::TMPFILE.bits()).ok()?;
    let file = std::fs::OpenOptions::new().write(true).custom_flags(flags).mode(MODE).open(folder).ok()?;
    handle(&file).symlink_metadata().is_ok().then_some(file)
}

#[cfg(target_os = "linux")]
fn handle(file: &std::fs::File) -> PathBuf {
    use std::os::fd::AsRawFd as _;
    PathBuf::from(format!("/proc/self/fd/{}", file.as_raw_fd()))
}

/// Gives a file without a name one that nobody has.
#[cfg(target_os = "linux")]
fn link(file: &std::fs::File, path: &Path) -> io::Result<()> {
    use rustix::fs::{AtFlags, CWD, linkat};
    Ok(linkat(CWD, handle(file), CWD, path, AtFlags::SYMLINK_FOLLOW)?)
}

/// The name survives a crash only once its folder is on the disk. Some file systems cannot do it; the file is whole anyway.
fn sync_folder(folder: &Path) {
    if let Ok(folder) = std::fs::File::open(folder) {
        _ = folder.sync_all();
    }
}

/// The name in a `Content-Disposition` (RFC 6266); the form with an encoding (RFC 8187) wins.
fn stated_name(value: &str) -> Option<String> {
    let mut plain = None;
    for (name, value) in parameters(value) {
        match name.as_str() {
            "filename*" => {
                let mut parts = value.splitn(3, '\'');
                let (encoding, _, text) = (parts.next()?, parts.next(), parts.next());
                if let (true, Some(text)) = (encoding.eq_ignore_ascii_case("utf-8"), text) {
                    return Some(percent_decode_str(text).decode_utf8_lossy().into_owned());
                }
            }
            "filename" if plain.is_none() => plain = Some(value),
            _ => {}
        }
    }
    plain
}

/// The parameters behind the first word, quotes undone.
fn parameters(value: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    let mut rest = value.split_once(';').map_or("", |(_, rest)| rest);
    while let Some((name, behind)) = rest.split_once('=') {
        let name = name.trim_matches([' ', '\t', ';']).to_ascii_lowercase();
        let behind = behind.trim_start();
        let (value, after) = match behind.strip_prefix('"') {
            Some(quoted) => unquoted(quoted),
            None => {
                let (value, after) = behind.split_once(';').unwrap_or((behind, ""));
                (value.trim().to_owned(), after)
            }
        };
        found.push((name, value));
        rest = after;
    }
    found
}

/// A quoted text up to its end, and what stands behind that.
fn unquoted(quoted: &str) -> (String, &str) {
    let mut text = String::new();
    let mut letters = quoted.char_indices();
    while let Some((at, letter)) = letters.next() {
        match letter {
            '"' => return (text, quoted.get(at + 1..).unwrap_or_default()),
            '\\' => text.extend(letters.next().map(|(_, escaped)| escaped)),
            _ => text.push(letter),
        }
    }
    (text, "")
}

/// How long a name may be in bytes, and an ending that is kept when it is cut.
const LONGEST: usize = 150;
const LONGEST_ENDING: usize = 16;

/// Names that are devices on Windows, with whatever ending.
const DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "conin$", "conout$"];

/// A file's name made of one that a server or an address gave: one segment, not hidden, nothing in it that cannot be seen,
/// and a name on every system.
pub fn safe_name(given: &str) -> String {
    // A path's last segment is meant, whichever system wrote it.
    let segment = given.rsplit(['/', '\\']).next().unwrap_or_default();
    let seen: String = segment.chars().filter_map(shown).collect();
    // What begins with a dot is hidden, what begins with a dash is an option; dots and spaces at an end vanish on Windows.
    let name = seen.trim_matches([' ', '.']).trim_start_matches(['-', '.', ' ']);
    let name = cut(name);
    if name.is_empty() {
        return "download".to_owned();
    }
    if is_device(&name) { format!("_{name}") } else { name }
}

fn shown(letter: char) -> Option<char> {
    let category = letter.general_category();
    if UNSEEN.contains(&category) || is_without_form(letter) {
        None
    } else if category == GeneralCategory::SpaceSeparator {
        Some(' ')
    } else if "<>:\"|?*".contains(letter) {
        Some('_')
    } else {
        Some(letter)
    }
}

/// What is not seen, or turns the order in which a name is seen.
const UNSEEN: [GeneralCategory; 7] = [
    GeneralCategory::Control,
    GeneralCategory::Format,
    GeneralCategory::LineSeparator,
    GeneralCategory::ParagraphSeparator,
    GeneralCategory::PrivateUse,
    GeneralCategory::Surrogate,
    GeneralCategory::Unassigned,
];

/// Fillers and selectors: letters and marks without a form of their own.
fn is_without_form(letter: char) -> bool {
    matches!(letter, '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180b}'..='\u{180f}')
        || matches!(letter, '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{ffa0}' | '\u{e0100}'..='\u{e01ef}')
}

fn cut(name: &str) -> String {
    if name.len() <= LONGEST {
        return name.to_owned();
    }
    let ending = name.rsplit_once('.').map(|(_, ending)| ending).filter(|ending| ending.len() <= LONGEST_ENDING);
    let room = LONGEST - ending.map_or(0, |ending| ending.len() + 1);
    let end = (0..=room).rev().find(|end| name.is_char_boundary(*end)).unwrap_or_default();
    let stem = name.get(..end).unwrap_or_default().trim_end_matches([' ', '.']);
    ending.map_or_else(|| stem.to_owned(), |ending| format!("{stem}.{ending}"))
}

fn is_device(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or_default().trim_end().to_lowercase();
    let numbered = ["com", "lpt"].iter().find_map(|device| stem.strip_prefix(device));
    let is_number = |rest: &str| {
        rest.chars().count() == 1 && rest.contains(|letter: char| letter.is_ascii_digit() || "¹²³".contains(letter))
    };
    DEVICES.contains(&stem.as_str()) || numbered.is_some_and(is_number)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[test]
    fn a_servers_name_is_made_safe() {
        for (given, safe) in [
            ("report.pdf", "report.pdf"),
            ("Bericht für März.pdf", "Bericht für März.pdf"),
            ("納期.txt", "納期.txt"),
            ("../../etc/passwd", "passwd"),
            ("..\\..\\boot.ini", "boot.ini"),
            ("/etc/cron.d/x", "x"),
            ("C:\\x\\y.exe", "y.exe"),
            ("C:y.exe", "C_y.exe"),
            ("..", "download"),
            (".", "download"),
            ("...", "download"),
            ("", "download"),
            ("a/", "download"),
            (".bashrc", "bashrc"),
            (". .profile", "profile"),
            ("-rf", "rf"),
            ("a\0b\nc\r\u{7f}d", "abcd"),
            ("gpj.\u{202e}exe", "gpj.exe"),
            ("a\u{200b}b\u{feff}c\u{e0041}d\u{3164}e\u{fe0f}", "abcde"),
            ("a\u{2028}b\u{a0}c", "ab c"),
            ("CON", "_CON"),
            ("nul.txt", "_nul.txt"),
            ("Com1.tar.gz", "_Com1.tar.gz"),
            ("lpt².x", "_lpt².x"),
            ("com10", "com10"),
            ("console", "console"),
            ("a<b>|?*\".txt", "a_b_____.txt"),
            ("file:stream", "file_stream"),
            ("trailing. . ", "trailing"),
        ] {
            assert_eq!(safe_name(given), safe, "{given:?}");
            assert_eq!(safe_name(safe), safe, "a safe name stays");
        }
        let long = safe_name(&format!("{}.tar.gz", "é".repeat(400)));
        assert!(long.len() <= LONGEST && long.ends_with(".gz"), "{long}");
        assert!(safe_name(&"x.".repeat(4000)).len() <= LONGEST);
    }

    #[test]
    fn the_name_in_a_header_is_read() {
        for (value, name) in [
            ("attachment; filename=a.txt", Some("a.txt")),
            ("attachment; filename=\"a; b=\\\"c\\\".txt\"", Some("a; b=\"c\".txt")),
            ("attachment; filename=\"no.txt\"; filename*=UTF-8''%e2%82%ac%20rates.txt", Some("€ rates.txt")),
            ("attachment;filename*=utf-8'en'%2e%2e%2fx", Some("../x")),
            ("attachment; filename*=ISO-8859-1''%A3; filename=b", Some("b")),
            ("attachment; FileName = \"open", Some("open")),
            ("inline", None),
            ("", None),
            ("filename=a", None),
        ] {
            assert_eq!(stated_name(value).as_deref(), name, "{value}");
        }
    }

    proptest::proptest! {
        #[test]
        fn a_safe_name_is_one_segment_whatever_was_given(given in "\\PC{0,40}|.{0,40}|[./\\\\ -]{0,9}") {
            let name = safe_name(&given);
            let path = Path::new(&name);
            assert_eq!(path.components().count(), 1);
            assert_eq!(path.file_name().unwrap().to_str(), Some(name.as_str()));
            assert!(!name.starts_with(['.', '-']) && !name.contains(['/', '\\', ':', '\0']) && name.len() <= LONGEST + 1);
        }
    }
}

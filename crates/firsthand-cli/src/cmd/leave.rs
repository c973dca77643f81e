//! What `fetch` and `download` share: the decision, a person's yes, the line of the log, and what is told of a failure.

use std::fs;
use std::io::{self, Write as _};
use std::path::Path;

use firsthand::reference::Reference;
use firsthand::verdict::{Permit, Verdict};
use firsthand_fetch::class::Class;
use firsthand_fetch::error::FetchError;
use firsthand_fetch::open::Opened;
use firsthand_fetch::save::{Existing, is_free};
use firsthand_log::{Entry, Log, LogFile, Rotation, Surface};
use firsthand_wire::answer::{self, CheckAnswer, FetchAnswer};

use crate::args::Leave;
use crate::cmd::{given, mask};
use crate::engine::{self, Ask, Leaving, NotOpened, Opened as Record, Setting, WayOut};
use crate::exit::Exit;
use crate::hint::Failure;
use crate::input;
use crate::out::{Out, message};
use crate::permission;
use crate::safe::plain;
use crate::words;

/// A call that may leave.
pub(super) struct Going<'s> {
    /// Decides its redirects.
    pub(super) leaving: Leaving<'s>,
    /// Leave to open its addresses.
    pub(super) permit: Permit,
    /// What was answered.
    pub(super) answer: CheckAnswer,
    /// Where lines of the log go.
    pub(super) log: Logs,
}

/// What came of asking.
pub(super) enum Asked<'s> {
    /// The call may leave.
    Going(Box<Going<'s>>),
    /// It stays, and nothing was sent.
    Stays(Exit),
}

/// Reads the conversation and what holds for it.
pub(super) fn opened(options: &Leave) -> Result<(Setting, Record), Failure> {
    given::opened(&options.conversation, options.run.clone(), &options.policy, &options.format, &options.context)
}

/// Decides the call, asks a person where one has to be asked, and writes the line of the log.
pub(super) fn asked<'s>(
    options: &Leave,
    tool: &str,
    surface: Surface,
    setting: &'s Setting,
    opened: Record,
) -> Result<Asked<'s>, Failure> {
    let ask = Ask {
        tool: options.tool.clone().unwrap_or_else(|| tool.to_owned()),
        server: options.server.clone(),
        // What is not UTF-8 is no address; the verdict says so.
        urls: options.urls.iter().map(|url| url.to_string_lossy().into_owned()).collect(),
        rewrites: true,
        store: mask::store(&options.kept)?,
    };
    let mut leaving = given::answered(engine::leave(opened, setting, &ask, permission::can_ask(), surface))?;
    let log = Logs::open(options.log.as_deref())?;
    let answer = leaving.answer();
    log.keep(|key| leaving.logged(key))?;
    let permit = match leaving.decision().map(|decision| decision.verdict) {
        Some(Verdict::Open(permit)) => permit,
        Some(Verdict::Ask(question)) => match permission::asked(&answer) {
            true => question.a_person_said_yes(),
            false => return stays(&answer, options.json, Exit::Ask),
        },
        Some(Verdict::Refuse(_)) | None => return stays(&answer, options.json, Exit::Refused),
    };
    Ok(Asked::Going(Box::new(Going { leaving, permit, answer, log })))
}

/// What the deployment says of the way out.
pub(super) fn way_out(options: &Leave) -> Result<WayOut, Failure> {
    let roots = options
        .ca
        .as_ref()
        .map(|file| input::read(file).map_err(|error| Failure::input(&file.to_string_lossy(), &error)));
    Ok(WayOut { robots: options.robots, proxy: options.proxy.clone(), roots: roots.transpose()? })
}

/// The call stays closed: tells so.
fn stays<'s>(answer: &CheckAnswer, json: bool, exit: Exit) -> Result<Asked<'s>, Failure> {
    if json {
        let mut out = Out::data();
        for url in &answer.urls {
            out.json(&FetchAnswer::closed(&url.url, answer))?;
        }
        out.flush()?;
    }
    let reason = answer.reason.as_deref().unwrap_or_default();
    let said = if exit == Exit::Ask { "a person has to confirm it, and nobody did" } else { words::why(reason) };
    message(&format!("not opened: {reason}: {said}\n{}", answer.message.as_deref().unwrap_or_default()));
    Ok(Asked::Stays(exit))
}

/// Nothing of the call was opened: tells so.
pub(super) fn not_opened(
    error: NotOpened,
    (leaving, answer, log): (&Leaving<'_>, &CheckAnswer, &Logs),
    json: bool,
) -> Result<Exit, Failure> {
    let error = match error {
        NotOpened::Settings(error) => return Err(Failure::Usage(error.to_string())),
        NotOpened::Runtime(error) => return Err(Failure::Threads(error)),
        NotOpened::Call(error) => error,
    };
    log.keep_refusal(leaving, answer, error)?;
    if json {
        let mut out = Out::data();
        for url in &answer.urls {
            out.json(&failed(&url.url, error, 0))?;
        }
        out.flush()?;
    }
    Ok(failure(error))
}

/// The answer for an address of which nothing came.
pub(super) fn failed(url: &str, error: FetchError, hops: usize) -> FetchAnswer {
    let mut answer = FetchAnswer::open(url);
    answer.hops = hops;
    answer.error = Some(error.code().to_owned());
    if let FetchError::HttpStatus(status) = error {
        answer.status = Some(status);
    }
    if let Some(reason) = error.reason() {
        answer.verdict = answer::Verdict::Refuse;
        answer.reason = Some(reason.code().to_owned());
        answer.message = Some(reason.message().to_owned());
    }
    answer
}

/// Tells on standard error why nothing came of an address.
pub(super) fn failure(error: FetchError) -> Exit {
    let way = way_on(error).map(|way| format!("\n{way}")).unwrap_or_default();
    message(&format!("{}: {error}{way}", error.code()));
    match (error.reason(), error) {
        (Some(_), _) => Exit::Refused,
        (None, FetchError::FileExists | FetchError::WriteFailed(_)) => Exit::BadInput,
        (None, _) => Exit::Remote,
    }
}

/// What the person at the terminal can do about it; a model is told none of it.
fn way_on(error: FetchError) -> Option<&'static str> {
    match error {
        // These open by no host and no range around them.
        FetchError::PrivateAddress(Class::Metadata | Class::Multicast | Class::Broadcast | Class::Unspecified) => None,
        FetchError::PrivateAddress(_) => {
            Some("What is to be reached on purpose is named under `[private]` in a policy (`--policy`).")
        }
        FetchError::UnsupportedContentType => Some("`firsthand download` saves it as a file."),
        FetchError::FileExists => Some("A file that `--output` names is replaced."),
        FetchError::WriteFailed(io::ErrorKind::NotFound) => Some("Its folder does not exist; folders are not made."),
        FetchError::WriteFailed(io::ErrorKind::PermissionDenied) => Some("Its folder may not be written to."),
        FetchError::TooManyRedirects
        | FetchError::InsecureRedirect
        | FetchError::RedirectRefused(_)
        | FetchError::OddSpelling
        | FetchError::DnsFailed
        | FetchError::ConnectFailed
        | FetchError::TlsFailed
        | FetchError::TimedOut(_)
        | FetchError::TooLarge(_)
        | FetchError::CutOff
        | FetchError::BadResponse
        | FetchError::UnsupportedContentEncoding
        | FetchError::BrokenContentEncoding
        | FetchError::HttpStatus(_)
        | FetchError::RobotsDisallowed
        | FetchError::WriteFailed(_) => None,
    }
}

/// The log of a command, if there is one.
pub(super) struct Logs(Option<(Log, [u8; 32])>);

impl Logs {
    fn open(path: Option<&Path>) -> Result<Self, Failure> {
        let Some(path) = path else { return Ok(Self(None)) };
        let key = key_beside(path).map_err(|error| cannot_log(path, &error))?;
        Ok(Self(Some((Log::new().with(LogFile::new(path, Rotation::default())), key))))
    }

    /// Keeps a line. Who asks for a log wants no decision without one.
    fn keep(&self, entry: impl FnOnce(&[u8; 32]) -> Option<Entry>) -> Result<(), Failure> {
        let Some((log, key)) = &self.0 else { return Ok(()) };
        match entry(key).map(|entry| log.keep(&entry)) {
            None | Some(Ok(())) => Ok(()),
            Some(Err(error)) => Err(Failure::File { file: "--log".to_owned(), why: error.to_string() }),
        }
    }

    /// Keeps the lines of addresses that were refused on the way out: by a redirect, or by where a name leads.
    pub(super) fn keep_refusals<T>(
        &self,
        leaving: &Leaving<'_>,
        answer: &CheckAnswer,
        all: &[Opened<T>],
    ) -> Result<(), Failure> {
        for (opened, asked) in all.iter().zip(&answer.urls) {
            let Some(reason) = opened.end.as_ref().err().and_then(|error| error.reason()) else { continue };
            // Where a reference led is told nobody.
            let hop = opened.hops.last().filter(|_| Reference::parse(&asked.url).is_none());
            let refused = hop.map_or(&asked.url, |hop| &hop.location);
            self.keep(|key| leaving.logged_on_the_way(refused, reason, key))?;
        }
        Ok(())
    }

    /// Keeps the lines of a call that was refused as a whole on the way out.
    fn keep_refusal(&self, leaving: &Leaving<'_>, answer: &CheckAnswer, error: FetchError) -> Result<(), Failure> {
        let Some(reason) = error.reason() else { return Ok(()) };
        answer.urls.iter().try_for_each(|asked| self.keep(|key| leaving.logged_on_the_way(&asked.url, reason, key)))
    }
}

fn cannot_log(path: &Path, error: &io::Error) -> Failure {
    Failure::File { file: path.to_string_lossy().into_owned(), why: format!("cannot be written: {}", error.kind()) }
}

/// The key of a log's digests, which lies beside it and is made with it.
fn key_beside(log: &Path) -> io::Result<[u8; 32]> {
    let mut name = log.as_os_str().to_owned();
    name.push(".key");
    key_of(Path::new(&name))
}

/// The key of a file, which is made where it is not there.
pub(super) fn key_of(path: &Path) -> io::Result<[u8; 32]> {
    loop {
        match fs::read(path) {
            Ok(bytes) => {
                return bytes.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(io::Error::other)?;
        match whole_file(path, &key, false) {
            Ok(()) => return Ok(key),
            // Another process made it first.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Writes a file that appears under its name when it is whole; only its owner may read it.
pub(super) fn whole_file(path: &Path, bytes: &[u8], replace: bool) -> io::Result<()> {
    if replace {
        is_free(path, Existing::Replace)?;
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut draft = tempfile::NamedTempFile::new_in(folder)?;
    draft.write_all(bytes)?;
    draft.as_file().sync_all()?;
    let kept = if replace { draft.persist(path) } else { draft.persist_noclobber(path) };
    kept.map(drop).map_err(|error| error.error)
}

/// A text of a page on a terminal: nothing in it moves the cursor or hides.
pub(super) fn shown(text: &str) -> String {
    text.split_inclusive('\n')
        .map(|line| line.strip_suffix('\n').map_or_else(|| plain(line), |line| plain(line) + "\n"))
        .collect()
}

//! Requests that leave for a session: the call is in its record before anything is sent, what came back is the world's.

use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use firsthand::check::check_redirect;
use firsthand::conversation::{Body, Content, Item, Producer, ToolResult};
use firsthand::policy::Policy;
use firsthand::reference::Reference;
use firsthand::verdict::{Halt, Pass, Permit, Reason};
use firsthand_fetch::client::Settings;
use firsthand_fetch::error::{FetchError, Size};
use firsthand_fetch::limits::Limits;
use firsthand_fetch::open::{Answer, Door, Hop, Opened, Referee, Saved, Wish};
use firsthand_fetch::reach::Reach;
use firsthand_fetch::robots::Robots;
use firsthand_fetch::save::{Existing, Place};
use firsthand_log::{About, Entry, Surface};
use firsthand_mask::signed::{Setting, signed};
use firsthand_page::{Page, PageError};
use firsthand_wire::answer::{self, CheckAnswer, FetchAnswer, UrlVerdict};
use firsthand_wire::call::Asked;
use firsthand_wire::format::own;
use serde_json::value::RawValue;

use crate::clock::{self, seconds};
use crate::failure::Failure;
use crate::key::new_id;
use crate::sessions::{At, Held, Sent, Sessions};

/// From this status on an answer is no page.
const FIRST_FAILURE: u16 = 400;

/// How many policies have their doors ready.
const DOORS: usize = 64;

/// What a deployment says of the way out.
#[derive(Clone, Debug, Default)]
pub struct Way {
    /// Whether sites are asked by their `robots.txt`.
    pub robots: bool,
    /// The proxy through which everything leaves.
    pub proxy: Option<String>,
    /// Certificates that are believed besides the system's, in PEM.
    pub roots: Option<Vec<u8>>,
}

/// The way out, with the doors of the policies that were used.
#[derive(Debug, Default)]
pub struct WayOut {
    way: Way,
    doors: Mutex<Vec<(Arc<Policy>, Arc<Doors>)>>,
}

#[derive(Debug)]
struct Doors {
    pages: Door,
    files: Door,
}

impl WayOut {
    /// A way out. Whether its settings make a client is looked at now.
    pub fn new(way: Way) -> Result<Self, String> {
        let out = Self { way, doors: Mutex::default() };
        out.door(Limits::PAGE, Reach::default()).map_err(|error| error.to_string())?;
        Ok(out)
    }

    fn doors(&self, policy: &Arc<Policy>) -> Result<Arc<Doors>, Failure> {
        let mut doors = self.doors.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, doors)) = doors.iter().find(|(known, _)| Arc::ptr_eq(known, policy)) {
            return Ok(Arc::clone(doors));
        }
        let door = |limits| {
            let reach = Reach::new(policy.private.clone());
            self.door(limits, reach).map_err(|error| Failure::Malformed(error.to_string()))
        };
        let made = Arc::new(Doors { pages: door(Limits::PAGE)?, files: door(Limits::DOWNLOAD)? });
        if doors.len() >= DOORS {
            doors.clear();
        }
        doors.push((Arc::clone(policy), Arc::clone(&made)));
        Ok(made)
    }

    fn door(&self, limits: Limits, reach: Reach) -> Result<Door, firsthand_fetch::error::SettingError> {
        let (proxy, extra_roots) = (self.way.proxy.clone(), self.way.roots.clone());
        Door::new(Settings { limits, reach, proxy, extra_roots, ..Settings::default() })
    }

    fn wish(&self) -> Wish<'static> {
        let robots = if self.way.robots { Robots::Ask(firsthand_page::robots) } else { Robots::Ignore };
        Wish { robots, ..Wish::default() }
    }
}

/// Redirects are decided by the ledger of the session, as it is when they come.
struct Decides(Held);

impl Referee for Decides {
    fn redirect(&mut self, from: Pass, location: &str) -> Result<Pass, Halt> {
        let Ok(tree) = self.0.tree() else { return Err(Halt::Refused(Reason::NoContext)) };
        match tree.session(self.0.id()) {
            Some(session) => check_redirect(from, location, tree.ledger(), session.run(), session.policy()),
            None => Err(Halt::Refused(Reason::NoContext)),
        }
    }
}

/// What came of a call that was opened.
#[derive(Debug)]
pub struct Fetched {
    /// Address by address.
    pub results: Vec<FetchAnswer>,
    /// The lines of what was refused on the way out.
    pub lines: Vec<Entry>,
    /// How many items the session has.
    pub length: usize,
}

/// What came of a call whose address was saved.
#[derive(Debug)]
pub struct Downloaded {
    /// What is told of it.
    pub answer: FetchAnswer,
    /// The lines of what was refused on the way out.
    pub lines: Vec<Entry>,
    /// How many items the session has.
    pub length: usize,
}

/// What of a text a model is given.
#[derive(Clone, Copy, Debug)]
pub struct Part {
    /// Where it begins, in bytes.
    pub offset: usize,
    /// How long it is at most, in bytes.
    pub limit: usize,
}

/// What came of one address.
struct Came {
    answer: FetchAnswer,
    /// The text for the model.
    text: Option<String>,
    /// What the world wrote: links are read from it.
    source: String,
    mime: Option<String>,
    redirects: Vec<String>,
}

impl Sessions {
    /// Opens the addresses of a call, and appends the call and what came of it to the session.
    pub async fn fetch(
        self: &Arc<Self>,
        held: &Held,
        call: &Asked,
        (permit, verdict): (Permit, &CheckAnswer),
        way: &WayOut,
        part: Part,
    ) -> Result<Fetched, Failure> {
        let doors = way.doors(&policy(held)?)?;
        let id = self.append_call(held, call).await?;
        let came = doors.pages.fetch(permit, &mut Decides(held.clone()), way.wish()).await;
        let asked = verdict.urls.iter().map(|url| url.url.as_str());
        let (came, lines) = match came {
            Ok(all) => {
                let lines = self.lines(held, call, Surface::Fetch, &refused(&all, verdict))?;
                (asked.zip(&all).map(|(url, opened)| read(url, opened, part)).collect::<Vec<_>>(), lines)
            }
            Err(error) => {
                let lines = self.lines(held, call, Surface::Fetch, &refused_whole(error, verdict))?;
                (asked.map(|url| nothing(url, error, 0, Vec::new())).collect(), lines)
            }
        };
        let is_error = came.iter().all(|came| came.text.is_none());
        let content = came.iter().map(|came| came.source.as_str()).collect::<Vec<_>>().join("\n\n");
        // Relative links lead from one address only.
        let mime = match came.as_slice() {
            [only] => only.mime.clone(),
            _ => None,
        };
        let redirects = came.iter().flat_map(|came| came.redirects.iter().cloned()).collect();
        let content = Content::Text(content.into());
        let result = ToolResult { from: Producer::Call(id), content, is_error, mime, redirects };
        let texts = came.iter().map(|came| came.text.clone().unwrap_or_default()).collect();
        let masked = self.mask(held, result.clone(), texts, Setting::default()).await?;
        let mut texts = masked.texts.into_iter().map(|masked| masked.text);
        let content = Content::Text(texts.next().unwrap_or_default().into());
        let length = self.append_result(held, ToolResult { content, ..result }).await?;
        let results = came.into_iter().zip(texts);
        let results = results.map(|(came, text)| FetchAnswer { text: came.text.map(|_| text), ..came.answer });
        Ok(Fetched { results: results.collect(), lines, length })
    }

    /// Saves the one address of a call into a folder, and appends the call and that it was saved to the session.
    pub async fn download(
        self: &Arc<Self>,
        held: &Held,
        call: &Asked,
        (permit, verdict): (Permit, &CheckAnswer),
        way: &WayOut,
        folder: &Path,
    ) -> Result<Downloaded, Failure> {
        let doors = way.doors(&policy(held)?)?;
        let id = self.append_call(held, call).await?;
        let url = verdict.urls.first().map_or("", |url| url.url.as_str());
        // A name of the address would tell what a reference stands for.
        let is_hidden = Reference::parse(url).is_some();
        let place = match is_hidden {
            true => Place::folder_named_by_server(folder, Existing::Keep),
            false => Place::folder(folder, Existing::Keep),
        };
        let came = doors.files.download(permit, &mut Decides(held.clone()), &place, way.wish()).await;
        let (answer, redirects, lines) = match came {
            Ok(all) => {
                let lines = self.lines(held, call, Surface::Download, &refused(&all, verdict))?;
                let only = all.first();
                let hops = only.map_or(&[][..], |opened| &opened.hops);
                let answer = match only.map(|opened| &opened.end) {
                    Some(Ok(Saved { content_type, path, bytes, .. })) => FetchAnswer {
                        hops: hops.len(),
                        bytes: *bytes,
                        media_type: content_type.clone(),
                        path: Some(path.to_string_lossy().into_owned()),
                        ..FetchAnswer::open(url)
                    },
                    Some(Err(error)) => failed(url, *error, hops.len()),
                    None => failed(url, FetchError::CutOff, 0),
                };
                (answer, if is_hidden { Vec::new() } else { targets(hops) }, lines)
            }
            Err(error) => {
                let lines = self.lines(held, call, Surface::Download, &refused_whole(error, verdict))?;
                (failed(url, error, 0), Vec::new(), lines)
            }
        };
        let said = match (&answer.path, &answer.error) {
            (Some(_), _) => format!("saved {} bytes", answer.bytes),
            (None, error) => error.clone().unwrap_or_else(|| "nothing came".to_owned()),
        };
        let (content, is_error) = (Content::Text(said.as_str().into()), answer.path.is_none());
        let result = ToolResult { from: Producer::Call(id), content, is_error, mime: None, redirects };
        let length = self.append_result(held, result).await?;
        Ok(Downloaded { answer, lines, length })
    }

    /// The call is in the record before anything is sent: what it tells is charged whatever comes of it.
    async fn append_call(self: &Arc<Self>, held: &Held, call: &Asked) -> Result<String, Failure> {
        let mut call = call.call().clone();
        if call.id.is_empty() {
            call.id = new_id("call_")?;
        }
        let id = call.id.clone();
        self.append_own(held, Body::Call(call)).await?;
        Ok(id)
    }

    async fn append_result(self: &Arc<Self>, held: &Held, result: ToolResult) -> Result<usize, Failure> {
        self.append_own(held, Body::Result(result)).await
    }

    async fn append_own(self: &Arc<Self>, held: &Held, body: Body) -> Result<usize, Failure> {
        let line = own::write_items(&[Item::new("", body)]).map_err(|error| Failure::Malformed(error.to_string()))?;
        let item = RawValue::from_string(line.trim_end().to_owned()).map_err(|_| Failure::Lost)?;
        let entry = Sent { id: new_id("own_")?, item };
        let grown = self.append(held, At::TheEnd, own::FORMAT.name, vec![entry], false).await?;
        Ok(grown.length)
    }

    /// The lines of what was refused on the way out: the addresses with the reasons.
    fn lines(
        &self,
        held: &Held,
        call: &Asked,
        surface: Surface,
        refused: &[(String, Reason)],
    ) -> Result<Vec<Entry>, Failure> {
        let tree = held.tree()?;
        let session = tree.session(held.id()).ok_or(Failure::NotFound)?;
        let (ledger, run, policy) = (tree.ledger(), session.run(), session.policy());
        let now = seconds(tree.now(clock::now()));
        let (server, tool) = (call.call().server.as_deref(), call.call().tool.as_str());
        let about = About { surface, run: held.id(), server, tool, now, key: self.key().digests() };
        let line = |(address, reason): &(String, Reason)| {
            Entry::of_redirect(address, Some(*reason), ledger, run, policy, &about)
        };
        Ok(refused.iter().map(line).collect())
    }
}

/// What of a call was refused on the way out, with why.
fn refused<T>(all: &[Opened<T>], verdict: &CheckAnswer) -> Vec<(String, Reason)> {
    let of = |(opened, asked): (&Opened<T>, &UrlVerdict)| {
        let reason = opened.end.as_ref().err()?.reason()?;
        // Where a reference led is told nobody.
        let hop = opened.hops.last().filter(|_| Reference::parse(&asked.url).is_none());
        Some((hop.map_or(&asked.url, |hop| &hop.location).clone(), reason))
    };
    all.iter().zip(&verdict.urls).filter_map(of).collect()
}

/// The same of a call of which nothing was sent.
fn refused_whole(error: FetchError, verdict: &CheckAnswer) -> Vec<(String, Reason)> {
    let reason = error.reason();
    verdict.urls.iter().filter_map(|asked| Some((asked.url.clone(), reason?))).collect()
}

fn policy(held: &Held) -> Result<Arc<Policy>, Failure> {
    let tree = held.tree()?;
    Ok(Arc::clone(tree.session(held.id()).ok_or(Failure::NotFound)?.policy()))
}

/// What a page says, or why it says nothing.
fn read(url: &str, Opened { hops, end }: &Opened<Answer>, part: Part) -> Came {
    // What a reference stands for, and where that led, is told nobody.
    let is_hidden = Reference::parse(url).is_some();
    let redirects = if is_hidden { Vec::new() } else { targets(hops) };
    let came = match end {
        Ok(came) => came,
        Err(error) => return nothing(url, *error, hops.len(), redirects),
    };
    let mut answer = FetchAnswer {
        status: Some(came.status),
        hops: hops.len(),
        bytes: u64::try_from(came.body.len()).unwrap_or(u64::MAX),
        media_type: came.content_type.clone(),
        ..FetchAnswer::open(url)
    };
    let mut without_page = |error: FetchError| {
        answer.error = Some(error.code().to_owned());
        let (answer, redirects) = (answer.clone(), redirects.clone());
        Came { answer, text: None, source: error.to_string(), mime: None, redirects }
    };
    if came.status >= FIRST_FAILURE {
        return without_page(FetchError::HttpStatus(came.status));
    }
    let limits = firsthand_page::Limits::default();
    let page = match is_hidden {
        true => firsthand_page::read_hidden(&came.body, came.content_type.as_deref(), limits),
        false => firsthand_page::read(&came.body, came.content_type.as_deref(), &came.address, limits),
    };
    let page = match page {
        Ok(page) => page,
        Err(PageError::TooLarge { .. }) => return without_page(FetchError::TooLarge(Size::Unpacked)),
        Err(_) => return without_page(FetchError::UnsupportedContentType),
    };
    let (text, next) = page.told(part.offset, part.limit);
    let mime = if page.is_html { Some("text/html".to_owned()) } else { answer.media_type.clone() };
    let Page { title, source, .. } = page;
    (answer.next, answer.title) = (next, title);
    Came { answer, text: Some(text), source, mime, redirects }
}

fn nothing(url: &str, error: FetchError, hops: usize, redirects: Vec<String>) -> Came {
    Came { answer: failed(url, error, hops), text: None, source: error.to_string(), mime: None, redirects }
}

/// The answer for an address of which nothing came.
fn failed(url: &str, error: FetchError, hops: usize) -> FetchAnswer {
    let mut answer = FetchAnswer { hops, error: Some(error.code().to_owned()), ..FetchAnswer::open(url) };
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

/// Where the request was sent on to, as a record tells it. What carries its own permission is kept in no record.
fn targets(hops: &[Hop]) -> Vec<String> {
    let all = hops.iter().filter_map(|hop| Some(hop.target.as_ref()?.reveal()));
    all.filter(|target| signed(target, Setting::default()).is_none()).map(str::to_owned).collect()
}

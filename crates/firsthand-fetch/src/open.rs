//! The door: a permit goes in, what its addresses answered comes out.
//!
//! All addresses of a call are surveyed before the first request, and one that may not be opened closes the call. Each
//! redirect is put to a [`Referee`] first, and its target surveyed like any address. What leaves is a GET of the source's own
//! spelling, fragment cut, as the URL Standard writes it.

use std::path::PathBuf;

use bytes::Bytes;
use firsthand::address::Address;
use firsthand::verdict::{Halt, Pass, Permit, Reason};
use reqwest::Response;
use reqwest::header::{CONTENT_DISPOSITION, CONTENT_TYPE, LOCATION};
use tokio::time::Instant;
use url::Url;

use crate::body::Body;
use crate::cache::{self, Cache, Freshness, Kept};
use crate::client::{AGENT, Client, Settings};
use crate::dial::survey;
use crate::error::{FetchError, SettingError};
use crate::reach::Way;
use crate::robots::{self, Heard, Robots, Rules, Said};
use crate::save::{Draft, Place};

/// Who decides where a redirect leads. There is no way to follow one without it.
pub trait Referee {
    /// A pass for the target in the place of the one that was used, or why it is not followed.
    fn redirect(&mut self, from: Pass, location: &str) -> Result<Pass, Halt>;
}

/// How much of a body has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Which address of the call, from 0.
    pub address: usize,
    /// Bytes so far, unpacked.
    pub so_far: u64,
    /// How many there will be, where that is known.
    pub total: Option<u64>,
}

/// What a call wants besides its addresses. Nothing of it leaves.
#[derive(Default)]
pub struct Wish<'a> {
    /// Whether sites are asked by their `robots.txt`.
    pub robots: Robots,
    /// Whether answers of before may be taken, and how old. Without it no answer is taken or kept.
    pub fresh: Option<Freshness>,
    /// Whether content of a type is worth its body; without it all is.
    pub takes: Option<fn(Option<&str>) -> bool>,
    /// Told whenever a piece has come.
    pub progress: Option<&'a mut (dyn FnMut(Progress) + Send)>,
}

impl std::fmt::Debug for Wish<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Wish").field("robots", &self.robots).field("fresh", &self.fresh).finish_non_exhaustive()
    }
}

/// Where an answer sent the request on to. The world wrote it, followed or not.
#[derive(Clone)]
pub struct Hop {
    /// The status of the answer.
    pub status: u16,
    /// The target as the server spelled it. Reveals it.
    pub location: String,
    /// The target resolved against the address that was opened, where it is a web address.
    pub target: Option<Address>,
}

impl std::fmt::Debug for Hop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Hop").field("status", &self.status).finish_non_exhaustive()
    }
}

/// What came of one address: the redirects on its way, and its end.
#[derive(Debug)]
pub struct Opened<T> {
    /// The redirects in order; the last may be one that was not followed.
    pub hops: Vec<Hop>,
    /// What came, or why nothing did.
    pub end: Result<T, FetchError>,
}

/// An answer in memory, of whatever status.
#[derive(Clone)]
pub struct Answer {
    /// The address that answered: the last of the redirects, and the base of the page's links.
    pub address: Address,
    /// The status.
    pub status: u16,
    /// What the server says of the type.
    pub content_type: Option<String>,
    /// The body, unpacked.
    pub body: Bytes,
    /// Whether it was kept from before.
    pub was_kept: bool,
}

impl std::fmt::Debug for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let body = self.body.len();
        f.debug_struct("Answer").field("status", &self.status).field("bytes", &body).finish_non_exhaustive()
    }
}

/// An answer in a file.
#[derive(Clone)]
pub struct Saved {
    /// The address that answered.
    pub address: Address,
    /// The status: a success.
    pub status: u16,
    /// What the server says of the type.
    pub content_type: Option<String>,
    /// The file.
    pub path: PathBuf,
    /// Its length.
    pub bytes: u64,
}

impl std::fmt::Debug for Saved {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Saved").field("bytes", &self.bytes).finish_non_exhaustive()
    }
}

/// The one way out.
pub struct Door {
    client: Client,
    cache: Cache,
    heard: Heard,
}

impl std::fmt::Debug for Door {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Door").field("limits", &self.client.limits).finish_non_exhaustive()
    }
}

/// How many bytes of answers are kept.
const CACHE_BYTES: usize = 64 << 20;

/// An address that was decided and looked at.
struct Surveyed {
    pass: Pass,
    url: Url,
    way: Way,
}

/// What answered last, and where its request had been sent.
struct Reached {
    address: Address,
    what: What,
}

enum What {
    Response(Response),
    Kept(Kept),
}

impl Door {
    /// A door with its own connections and its own memory of answers.
    pub fn new(settings: Settings) -> Result<Self, SettingError> {
        Ok(Self { client: Client::new(settings)?, cache: Cache::new(CACHE_BYTES), heard: Heard::default() })
    }

    /// Opens the addresses of a permit one after the other, into memory.
    ///
    /// An error stands for the whole call: nothing was sent and no name was asked for.
    pub async fn fetch<R: Referee + ?Sized>(
        &self,
        permit: Permit,
        referee: &mut R,
        mut wish: Wish<'_>,
    ) -> Result<Vec<Opened<Answer>>, FetchError> {
        let mut all = Vec::new();
        for (number, first) in self.surveyed(permit)?.into_iter().enumerate() {
            let mut hops = Vec::new();
            let until = Instant::now() + self.client.limits.whole;
            let end = self.fetch_one(first, referee, &mut wish, &mut hops, (number, until)).await;
            all.push(Opened { hops, end });
        }
        Ok(all)
    }

    /// Opens the addresses of a permit one after the other, each into a file.
    ///
    /// An error stands for the whole call: nothing was sent and no name was asked for. A status that is no success saves
    /// nothing.
    pub async fn download<R: Referee + ?Sized>(
        &self,
        permit: Permit,
        referee: &mut R,
        place: &Place,
        mut wish: Wish<'_>,
    ) -> Result<Vec<Opened<Saved>>, FetchError> {
        place.refuse_early(permit.addresses().len())?;
        let mut all = Vec::new();
        for (number, first) in self.surveyed(permit)?.into_iter().enumerate() {
            let mut hops = Vec::new();
            let until = Instant::now() + self.client.limits.whole;
            let end = self.download_one(first, referee, place, &mut wish, &mut hops, (number, until)).await;
            all.push(Opened { hops, end });
        }
        Ok(all)
    }

    /// All or none.
    fn surveyed(&self, permit: Permit) -> Result<Vec<Surveyed>, FetchError> {
        permit.into_passes().into_iter().map(|pass| self.survey(pass)).collect()
    }

    fn survey(&self, pass: Pass) -> Result<Surveyed, FetchError> {
        let (url, way) = survey(pass.address(), &self.client.reach)?;
        Ok(Surveyed { pass, url, way })
    }

    async fn fetch_one<R: Referee + ?Sized>(
        &self,
        first: Surveyed,
        referee: &mut R,
        wish: &mut Wish<'_>,
        hops: &mut Vec<Hop>,
        (number, until): (usize, Instant),
    ) -> Result<Answer, FetchError> {
        let Reached { address, what } = self.reach(first, referee, (wish.robots, wish.fresh), hops, until).await?;
        let response = match what {
            What::Kept(kept) => {
                takes(wish, kept.content_type.as_deref())?;
                let Kept { content_type, body } = kept;
                return Ok(Answer { address, status: 200, content_type, body, was_kept: true });
            }
            What::Response(response) => response,
        };
        let status = response.status().as_u16();
        let content_type = header(&response, &CONTENT_TYPE);
        takes(wish, content_type.as_deref())?;
        let told = cache::told(response.headers());
        let body = Body::of(response, self.client.limits, until).await?;
        let body = body.whole(|so_far, total| tell(wish, number, so_far, total)).await?;
        if let (200, Some(fresh)) = (status, wish.fresh) {
            // A copy of its own: a piece may hold on to all that was read with it.
            let kept = Kept { content_type: content_type.clone(), body: Bytes::copy_from_slice(&body) };
            self.cache.put(address.identity(), fresh.now, told, kept);
        }
        Ok(Answer { address, status, content_type, body, was_kept: false })
    }

    async fn download_one<R: Referee + ?Sized>(
        &self,
        first: Surveyed,
        referee: &mut R,
        place: &Place,
        wish: &mut Wish<'_>,
        hops: &mut Vec<Hop>,
        (number, until): (usize, Instant),
    ) -> Result<Saved, FetchError> {
        // What is kept in memory is what a model read; a file is always fetched.
        let Reached { address, what } = self.reach(first, referee, (wish.robots, None), hops, until).await?;
        let What::Response(response) = what else { return Err(FetchError::CutOff) };
        let status = response.status().as_u16();
        if !response.status().is_success() {
            return Err(FetchError::HttpStatus(status));
        }
        let content_type = header(&response, &CONTENT_TYPE);
        takes(wish, content_type.as_deref())?;
        let disposition = response.headers().get(CONTENT_DISPOSITION).map(|value| value.as_bytes().to_vec());
        let mut body = Body::of(response, self.client.limits, until).await?;
        let mut draft = Draft::new(place, disposition.as_deref(), last_segment(&address)).await?;
        let mut bytes = 0;
        while let Some(piece) = body.piece().await? {
            draft.write(&piece).await?;
            bytes += piece.len() as u64;
            tell(wish, number, bytes, body.total);
        }
        let path = draft.keep().await?;
        Ok(Saved { address, status, content_type, path, bytes })
    }

    /// Follows a pass to the answer that is no redirect. Each turn of the loop is one decided address.
    async fn reach<R: Referee + ?Sized>(
        &self,
        mut next: Surveyed,
        referee: &mut R,
        (robots, fresh): (Robots, Option<Freshness>),
        hops: &mut Vec<Hop>,
        until: Instant,
    ) -> Result<Reached, FetchError> {
        loop {
            let Surveyed { pass, url, way } = next;
            let address = pass.address();
            if let Some(kept) = fresh.and_then(|fresh| self.cache.get(address.identity(), fresh)) {
                return Ok(Reached { address: address.clone(), what: What::Kept(kept) });
            }
            match robots {
                Robots::Ignore => {}
                Robots::Ask(rules) => self.ask_robots(&url, way, rules, fresh, until).await?,
            }
            let response = self.client.get(url, way, until).await?;
            let Some(location) = location(&response) else {
                return Ok(Reached { address: address.clone(), what: What::Response(response) });
            };
            let location = location?;
            let target = address.joined(&location);
            hops.push(Hop { status: response.status().as_u16(), location: location.clone(), target });
            if hops.len() > usize::from(self.client.limits.redirects) {
                return Err(FetchError::TooManyRedirects);
            }
            next = self.survey(referee.redirect(pass, &location)?)?;
        }
    }

    async fn ask_robots(
        &self,
        url: &Url,
        way: Way,
        rules: Rules,
        fresh: Option<Freshness>,
        until: Instant,
    ) -> Result<(), FetchError> {
        let origin = url.origin().ascii_serialization();
        let now = fresh.map(|fresh| fresh.now);
        let said = match self.heard.get(&origin, now) {
            Some(said) => said,
            None => {
                let said = self.hear(url, way, until).await?;
                // An origin that could not say may say it the next time.
                if !matches!(said, Said::Unknown) {
                    self.heard.put(origin, now, said.clone());
                }
                said
            }
        };
        let path = url.query().map_or_else(|| url.path().to_owned(), |query| format!("{}?{query}", url.path()));
        if said.allows(rules, AGENT, &path) { Ok(()) } else { Err(FetchError::RobotsDisallowed) }
    }

    /// The origin's `robots.txt`. Nobody decides where it redirects to, so it is not followed: as an answer that is none, it
    /// counts as no rules.
    async fn hear(&self, url: &Url, way: Way, until: Instant) -> Result<Said, FetchError> {
        let mut asked = url.clone();
        asked.set_path("/robots.txt");
        asked.set_query(None);
        let response = match self.client.get(asked, way, until).await {
            Ok(response) => response,
            Err(FetchError::PrivateAddress(class)) => return Err(FetchError::PrivateAddress(class)),
            Err(_) => return Ok(Said::Unknown),
        };
        let status = response.status();
        if status.is_server_error() || status.as_u16() == 429 {
            return Ok(Said::Unknown);
        }
        if !status.is_success() {
            return Ok(Said::Nothing);
        }
        let Ok(mut body) = Body::of(response, self.client.limits, until).await else { return Ok(Said::Unknown) };
        let mut text = Vec::new();
        while text.len() < robots::LONGEST {
            match body.piece().await {
                Ok(Some(piece)) => text.extend_from_slice(&piece),
                Ok(None) => break,
                Err(_) => return Ok(Said::Unknown),
            }
        }
        text.truncate(robots::LONGEST);
        Ok(Said::Text(String::from_utf8_lossy(&text).into()))
    }
}

/// Where an answer sends the request on to; `None` where it is no redirect. Two targets, or one that is no text, are refused.
fn location(response: &Response) -> Option<Result<String, FetchError>> {
    match response.status().as_u16() {
        301 | 302 | 303 | 307 | 308 => {}
        _ => return None,
    }
    let mut values = response.headers().get_all(LOCATION).iter();
    let first = values.next()?;
    let text = std::str::from_utf8(first.as_bytes()).ok().filter(|_| values.all(|other| other == first));
    Some(text.map(str::to_owned).ok_or(FetchError::RedirectRefused(Reason::InvalidUrl)))
}

fn takes(wish: &Wish<'_>, content_type: Option<&str>) -> Result<(), FetchError> {
    if wish.takes.is_none_or(|takes| takes(content_type)) { Ok(()) } else { Err(FetchError::UnsupportedContentType) }
}

fn tell(wish: &mut Wish<'_>, address: usize, so_far: u64, total: Option<u64>) {
    if let Some(progress) = &mut wish.progress {
        progress(Progress { address, so_far, total });
    }
}

fn header(response: &Response, name: &reqwest::header::HeaderName) -> Option<String> {
    Some(response.headers().get(name)?.to_str().ok()?.to_owned())
}

fn last_segment(address: &Address) -> &str {
    let path = address.identity().split('?').next().unwrap_or_default();
    path.splitn(4, '/').nth(3).and_then(|path| path.rsplit('/').next()).unwrap_or_default()
}

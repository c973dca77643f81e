//! Answers that are kept for a while, in memory, under exactly what was sent for them.
//!
//! Only whole answers with status 200 are kept, and none that says it should not be. Redirects are not: each is decided anew.
//! The time is the caller's to state.

use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use reqwest::header::{CACHE_CONTROL, HeaderMap, SET_COOKIE, VARY};

/// What may be taken from before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// The time of the call.
    pub now: SystemTime,
    /// How old an answer may be. One that says less of itself is held to that.
    pub most: Duration,
}

/// An answer that is kept.
#[derive(Clone)]
pub(crate) struct Kept {
    pub(crate) content_type: Option<String>,
    pub(crate) body: Bytes,
}

pub(crate) struct Cache {
    most_bytes: usize,
    shelf: Mutex<Shelf>,
}

#[derive(Default)]
struct Shelf {
    kept: HashMap<String, Entry>,
    /// From the oldest to the newest.
    order: VecDeque<String>,
    bytes: usize,
}

struct Entry {
    kept: Kept,
    since: SystemTime,
    fresh: Option<Duration>,
}

impl Cache {
    pub(crate) fn new(most_bytes: usize) -> Self {
        Self { most_bytes, shelf: Mutex::default() }
    }

    /// What is kept for an address, where it is young enough.
    pub(crate) fn get(&self, sent: &str, asked: Freshness) -> Option<Kept> {
        let shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = shelf.kept.get(sent)?;
        // A clock that went back tells no age.
        let age = asked.now.duration_since(entry.since).ok()?;
        let most = entry.fresh.map_or(asked.most, |fresh| fresh.min(asked.most));
        (age <= most).then(|| entry.kept.clone())
    }

    /// Keeps an answer where its head allows that and it fits; what is oldest goes.
    pub(crate) fn put(&self, sent: &str, since: SystemTime, told: Told, kept: Kept) {
        let size = |kept: &Kept| kept.body.len() + sent.len() + 256;
        let (Told::Keep(fresh), true) = (told, size(&kept) <= self.most_bytes / 4) else { return };
        let mut shelf = self.shelf.lock().unwrap_or_else(PoisonError::into_inner);
        shelf.forget(sent);
        while shelf.bytes + size(&kept) > self.most_bytes {
            let Some(oldest) = shelf.order.front().cloned() else { return };
            shelf.forget(&oldest);
        }
        shelf.bytes += size(&kept);
        shelf.order.push_back(sent.to_owned());
        shelf.kept.insert(sent.to_owned(), Entry { kept, since, fresh });
    }
}

impl Shelf {
    fn forget(&mut self, sent: &str) {
        if let Some(entry) = self.kept.remove(sent) {
            self.bytes -= entry.kept.body.len() + sent.len() + 256;
            self.order.retain(|other| other != sent);
        }
    }
}

/// What an answer says of being kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    /// Not at all.
    No,
    /// For so long, where it says.
    Keep(Option<Duration>),
}

/// Reads what an answer says of being kept. What cannot be read means no.
pub(crate) fn told(headers: &HeaderMap) -> Told {
    let varies_by_all = headers.get_all(VARY).iter().any(|value| value.as_bytes().contains(&b'*'));
    if varies_by_all || headers.contains_key(SET_COOKIE) {
        return Told::No;
    }
    let mut fresh = None;
    for value in headers.get_all(CACHE_CONTROL) {
        let Ok(value) = value.to_str() else { return Told::No };
        for directive in value.split(',').map(|directive| directive.trim().to_ascii_lowercase()) {
            let (name, seconds) = directive.split_once('=').unwrap_or((&directive, ""));
            match name.trim() {
                "no-store" | "no-cache" => return Told::No,
                "max-age" => match seconds.trim().trim_matches('"').parse() {
                    Ok(seconds) => fresh = Some(Duration::from_secs(seconds)),
                    Err(_) => return Told::No,
                },
                _ => {}
            }
        }
    }
    Told::Keep(fresh)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    fn says(name: &'static str, value: &str) -> Told {
        told(&HeaderMap::from_iter([(name.parse().unwrap(), value.parse().unwrap())]))
    }

    fn at(second: u64) -> SystemTime {
        SystemTime::UNIX_EPOCH + Duration::from_secs(second)
    }

    fn asked(second: u64, most: u64) -> Freshness {
        Freshness { now: at(second), most: Duration::from_secs(most) }
    }

    fn kept(bytes: usize) -> Kept {
        Kept { content_type: None, body: vec![0; bytes].into() }
    }

    #[test]
    fn what_asks_not_to_be_kept_is_not() {
        assert_eq!(told(&HeaderMap::new()), Told::Keep(None));
        assert_eq!(says("cache-control", "public, max-age=60"), Told::Keep(Some(Duration::from_secs(60))));
        for (name, value) in [
            ("cache-control", "private, No-Store"),
            ("cache-control", "no-cache=\"x\""),
            ("cache-control", "max-age=soon"),
            ("vary", "*"),
            ("vary", "accept, *"),
            ("set-cookie", "a=b"),
        ] {
            assert_eq!(says(name, value), Told::No, "{name}: {value}");
        }
    }

    #[test]
    fn an_answer_is_as_old_as_the_caller_says_it_is() {
        let cache = Cache::new(10_000);
        cache.put("a", at(100), Told::Keep(Some(Duration::from_secs(30))), kept(1));
        cache.put("b", at(100), Told::No, kept(1));
        assert!(cache.get("a", asked(130, 60)).is_some());
        assert!(cache.get("a", asked(131, 60)).is_none(), "older than it says");
        assert!(cache.get("a", asked(120, 10)).is_none(), "older than was asked for");
        assert!(cache.get("a", asked(99, 60)).is_none(), "from the future");
        assert!(cache.get("b", asked(100, 60)).is_none());
    }

    #[test]
    fn memory_is_bounded_and_the_oldest_goes() {
        let cache = Cache::new(10_000);
        for name in ["a", "b", "c", "d", "e", "f"] {
            cache.put(name, at(0), Told::Keep(None), kept(2000));
            assert!(cache.shelf.lock().unwrap().bytes <= 10_000);
        }
        assert!(cache.get("a", asked(0, 1)).is_none() && cache.get("b", asked(0, 1)).is_none());
        assert!(cache.get("c", asked(0, 1)).is_some() && cache.get("f", asked(0, 1)).is_some());
        cache.put("g", at(0), Told::Keep(None), kept(5000));
        assert!(cache.get("g", asked(0, 1)).is_none(), "one answer never takes all");
    }
}

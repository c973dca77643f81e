//! Whether a site's `robots.txt` is asked before an address of it is opened (RFC 9309).
//!
//! The request for it is made of the origin of an address that was decided and of a fixed path: nothing of the model's
//! leaves with it. It goes through the same guard.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

/// Reads a `robots.txt`: its text, the name of the program, the path with its query. Whether the path may be opened.
pub type Rules = fn(&str, &str, &str) -> bool;

/// Whether a site's `robots.txt` is asked.
#[derive(Clone, Copy, Debug, Default)]
pub enum Robots {
    /// It is not.
    #[default]
    Ignore,
    /// Before the first address of each origin, and read by these rules.
    Ask(Rules),
}

/// The most that is read of a `robots.txt`: what RFC 9309 has every reader support.
pub(crate) const LONGEST: usize = 500 << 10;

/// How long an origin's answer holds.
const HOLDS: Duration = Duration::from_secs(24 * 60 * 60);

/// Of how many origins the answers are kept, and how many bytes of them.
const MOST: usize = 128;
const MOST_BYTES: usize = 8 << 20;

/// What an origin says.
#[derive(Clone)]
pub(crate) enum Said {
    /// These are its rules.
    Text(Arc<str>),
    /// It has none.
    Nothing,
    /// It could not say, which RFC 9309 has readers take for a no.
    Unknown,
}

impl Said {
    pub(crate) fn allows(&self, rules: Rules, agent: &str, path: &str) -> bool {
        match self {
            Self::Text(text) => rules(text, agent, path),
            Self::Nothing => true,
            Self::Unknown => false,
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Nothing | Self::Unknown => 0,
        }
    }
}

/// What origins said, from the oldest to the newest.
#[derive(Default)]
pub(crate) struct Heard(Mutex<VecDeque<(String, Option<SystemTime>, Said)>>);

impl Heard {
    /// What an origin said; where the caller states no time, only what was heard without one holds.
    pub(crate) fn get(&self, origin: &str, now: Option<SystemTime>) -> Option<Said> {
        let heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let (_, since, said) = heard.iter().find(|(other, ..)| other == origin)?;
        let holds = match (since, now) {
            (None, None) => true,
            (Some(since), Some(now)) => now.duration_since(*since).is_ok_and(|age| age <= HOLDS),
            (None, Some(_)) | (Some(_), None) => false,
        };
        holds.then(|| said.clone())
    }

    pub(crate) fn put(&self, origin: String, now: Option<SystemTime>, said: Said) {
        let mut heard = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        heard.retain(|(other, ..)| *other != origin);
        heard.push_back((origin, now, said));
        while heard.len() > MOST || heard.iter().map(|(.., said)| said.bytes()).sum::<usize>() > MOST_BYTES {
            heard.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[test]
    fn an_origin_that_could_not_say_says_no_and_answers_are_bounded() {
        assert!(Said::Nothing.allows(|_, _, _| false, "a", "/"));
        assert!(!Said::Unknown.allows(|_, _, _| true, "a", "/"));
        let heard = Heard::default();
        for number in 0..200 {
            heard.put(number.to_string(), None, Said::Text("x".repeat(100 << 10).into()));
        }
        assert!(heard.get("0", None).is_none() && heard.get("199", None).is_some());
        assert!(heard.0.lock().unwrap().len() <= MOST_BYTES / (100 << 10));
        assert!(heard.get("199", Some(SystemTime::UNIX_EPOCH)).is_none());
    }
}

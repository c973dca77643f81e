//! An address where it stands, borrowed, and the keys that a ledger looks it up by.

use std::borrow::Cow;
use std::ops::Range;

use super::plain;
use super::{Address, Reading, loose, site_of, wide};

/// An address that somebody else keeps the text of.
#[derive(Clone, Copy)]
pub(crate) struct View<'a> {
    spelling: &'a str,
    identity: &'a str,
    /// For an odd spelling the host, if the parser saw one, and the port.
    odd: Option<(&'a str, u16)>,
    /// Where host and port stand in the identity of an address that is not odd: parsers write it so that a slash ends them.
    authority: (usize, usize),
    /// No port is written.
    only_host: bool,
}

/// An address with the keys that stand for it in a table.
pub(crate) struct Keys<'a> {
    pub(crate) view: View<'a>,
    /// The joint key.
    pub(crate) loose: Cow<'a, str>,
    /// The joint key without the query.
    pub(crate) path: Cow<'a, str>,
}

impl<'a> View<'a> {
    pub(super) fn odd(spelling: &'a str, host: &'a str, port: u16) -> Self {
        Self { spelling, identity: spelling, odd: Some((host, port)), authority: (0, 0), only_host: false }
    }

    pub(super) fn of(spelling: &'a str, identity: &'a str) -> Self {
        let start = if identity.starts_with("https://") { "https://".len() } else { "http://".len() };
        let length = memchr::memchr(b'/', identity.as_bytes().get(start..).unwrap_or_default());
        let end = length.map_or(identity.len(), |length| start + length);
        Self { spelling, identity, odd: None, authority: (start, end), only_host: false }
    }

    /// Whether parsers give the spelling back as it is.
    pub(crate) fn is_given_back(self) -> bool {
        !self.is_odd() && self.spelling.len() == self.identity.len() && self.spelling == self.identity
    }

    /// The address, on its own.
    pub(crate) fn address(self) -> Address {
        let reading = match self.odd {
            Some((host, port)) => Some(Reading::Odd(host.to_owned(), port)),
            None if self.is_given_back() => None,
            None => Some(Reading::Other(self.identity.into())),
        };
        Address { spelling: self.spelling.into(), reading: reading.map(Box::new) }
    }

    /// The view of a spelling that parsers give back as it is.
    pub(crate) fn again(spelling: &'a str) -> Self {
        Self::of(spelling, spelling)
    }

    /// The spelling, fragment cut. Reveals the address.
    pub(crate) fn reveal(self) -> &'a str {
        self.spelling
    }

    /// The WHATWG serialisation without fragment; for an odd spelling the spelling itself. Reveals the address.
    pub(crate) fn identity(self) -> &'a str {
        self.identity
    }

    /// Whether parsers may read it differently, so that it is never opened.
    pub(crate) fn is_odd(self) -> bool {
        self.odd.is_some()
    }

    pub(super) fn authority(self) -> Range<usize> {
        self.authority.0..self.authority.1
    }

    /// The host in A-label form, lower case, without brackets or port; empty for an odd spelling that has none.
    pub(crate) fn host(self) -> &'a str {
        self.odd.map_or_else(|| self.host_and_port().0, |(host, _)| host)
    }

    /// The port, with the scheme's default where none is written.
    pub(super) fn port(self) -> u16 {
        match self.odd {
            Some((_, port)) => port,
            None => {
                let default = if self.identity.starts_with("http:") { 80 } else { 443 };
                self.host_and_port().1.parse().unwrap_or(default)
            }
        }
    }

    /// The host and the written port of a spelling that is not odd.
    pub(super) fn host_and_port(self) -> (&'a str, &'a str) {
        let authority = self.identity.get(self.authority()).unwrap_or_default();
        if self.only_host {
            return (authority, "");
        }
        if let Some(inner) = authority.strip_prefix('[') {
            let (host, rest) = inner.split_once(']').unwrap_or((inner, ""));
            return (host, rest.strip_prefix(':').unwrap_or_default());
        }
        match memchr::memchr(b':', authority.as_bytes()).and_then(|colon| authority.split_at_checked(colon)) {
            Some((host, port)) => (host, port.strip_prefix(':').unwrap_or_default()),
            None => (authority, ""),
        }
    }

    /// Scheme, host and port of an address that is not odd.
    pub(crate) fn origin(self) -> &'a str {
        self.identity.get(..self.authority.1).unwrap_or_default()
    }

    /// Path and query of an address that is not odd.
    fn after_authority(self) -> &'a str {
        self.identity.get(self.authority.1..).unwrap_or_default()
    }

    /// What stands before the site in its host; empty where nothing does.
    pub(crate) fn labels_before_site(self) -> &'a str {
        let host = self.host();
        host.strip_suffix(site_of(host)).map_or("", |labels| labels.trim_end_matches('.'))
    }

    /// Whether it is `scheme://host[:port]` and nothing more than a slash.
    pub(crate) fn is_root(self) -> bool {
        !self.is_odd() && matches!(self.after_authority(), "" | "/")
    }

    /// The joint key of the step `loose`.
    pub(crate) fn loose(self) -> Cow<'a, str> {
        loose::key(self, true)
    }

    /// The joint key without the query.
    pub(crate) fn loose_without_query(self) -> Cow<'a, str> {
        loose::key(self, false)
    }

    pub(crate) fn keys(self) -> Keys<'a> {
        Keys { view: self, loose: self.loose(), path: self.loose_without_query() }
    }
}

impl<'a> Keys<'a> {
    /// A spelling without fragment that needs no parser, with its wide key and where in the spelling that stands, if it does;
    /// `None` for any other.
    pub(crate) fn plain(spelling: &'a str) -> Option<(Self, Cow<'a, str>, Option<usize>)> {
        let parts = plain::parts(spelling)?;
        let authority = (parts.start, parts.start + parts.host.len());
        let view = View { spelling, identity: spelling, odd: None, authority, only_host: true };
        let (wide, from) = if parts.simple { wide::of_plain(&parts) } else { (wide::folded(spelling).into(), None) };
        let keys = match loose::of_plain(&parts) {
            Some((loose, path)) => Self { view, loose: loose.into(), path: path.into() },
            None => view.keys(),
        };
        Some((keys, wide, from))
    }

    /// Whether the joint key has a query.
    pub(crate) fn has_query(&self) -> bool {
        self.path.len() != self.loose.len()
    }
}

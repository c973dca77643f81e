//! One web address: its spelling, and the keys under which spellings are one.
//!
//! Three keys, from narrow to wide. The *identity* (WHATWG serialisation without fragment) says that two spellings are one
//! source. The *loose key* says that a call means a source, whose own spelling is then sent. The *wide key* says that an
//! outside text may only repeat what the model wrote; it folds all that some tool may fold.

mod odd;
mod ends;
mod plain;
mod loose;
mod wide;
mod view;
pub(crate) mod fold;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::fmt;

use url::Url;

pub(crate) use view::{Keys, View};

/// A web address as somebody wrote it, without its fragment.
///
/// It has no `Display`: an address may carry what must not be logged. `Debug` prints its outline.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    spelling: Box<str>,
    /// What the parser made of the spelling, where it is not the spelling again, fragment cut.
    reading: Option<Box<Reading>>,
}

/// What the parser made of a spelling that it does not give back.
#[derive(Clone, PartialEq, Eq)]
enum Reading {
    /// The serialisation, fragment cut.
    Other(Box<str>),
    /// The spelling is odd; the host, if the parser saw one, and the port.
    Odd(String, u16),
}

/// Why a text is no address that could be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum AddressError {
    /// It does not parse, or its scheme is not http or https.
    #[error("not a web address")]
    Invalid,
    /// Parsers read it differently, or it carries bytes that vanish.
    #[error("an odd spelling")]
    Odd,
}

/// What a call asks for: the argument, trimmed, and the addresses it may mean.
#[derive(Clone)]
pub struct Asked {
    raw: Box<str>,
    address: Address,
    as_it_stands: bool,
}

/// How a text wrote an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// With its scheme.
    Absolute,
    /// A host without a scheme; `https://` is sent before it.
    Bare,
    /// A link of a page, to be resolved against the page's own address.
    Relative,
}

impl Address {
    /// The address that a text wrote: `https://` stands before a bare one, the fragment is cut.
    ///
    /// An odd spelling is an address too (found as it stands, refused when it is asked for); `None` where the text is no
    /// web address at all or the form is relative.
    pub fn written(spelling: &str, form: Form) -> Option<Self> {
        let spelling = without_fragment(spelling.trim_ascii());
        match form {
            Form::Absolute if is_web(spelling) => Self::plain(spelling).or_else(|| Self::read(spelling.into())),
            Form::Bare if is_bare(spelling) => Self::read(format!("https://{spelling}")),
            Form::Absolute | Form::Bare | Form::Relative => None,
        }
    }

    /// The address of a spelling that [`reveal`](Self::reveal) gave, as it was; `None` for a text that it never gives.
    pub(crate) fn revealed(spelling: &str) -> Option<Self> {
        if is_web(spelling) && !spelling.contains('#') { Self::read(spelling.to_owned()) } else { None }
    }

    /// The address that a link of a page leads to, or `None`.
    ///
    /// `None` too for a link that stays on the page, leads out of the web, or has bytes in it that parsers drop.
    pub fn joined(&self, link: &str) -> Option<Self> {
        let link = without_fragment(link.trim_ascii());
        if is_web(link) {
            return Self::written(link, Form::Absolute);
        }
        if link.is_empty() || self.is_odd() || link.chars().any(|letter| letter == '\\' || fold::vanishes(letter)) {
            return None;
        }
        let joined = Url::parse(self.identity()).ok()?.join(link).ok()?;
        Self::written(joined.as_str(), Form::Absolute)
    }

    fn plain(spelling: &str) -> Option<Self> {
        plain::parts(spelling).map(|_| Self { spelling: spelling.into(), reading: None })
    }

    /// Reads an absolute spelling without fragment.
    fn read(spelling: String) -> Option<Self> {
        let mut url = Url::parse(&spelling).ok()?;
        url.host()?;
        let reading = if odd::is_odd(&spelling, &url) {
            let port = url.port_or_known_default().unwrap_or_default();
            Some(Reading::Odd(plain_host(&url), port))
        } else {
            url.set_fragment(None);
            (url.as_str() != spelling).then(|| Reading::Other(url.as_str().into()))
        };
        Some(Self { spelling: spelling.into(), reading: reading.map(Box::new) })
    }

    /// The spelling, fragment cut: what is sent. Reveals the address.
    pub fn reveal(&self) -> &str {
        &self.spelling
    }

    /// The WHATWG serialisation without fragment; for an odd spelling the spelling itself. Reveals the address.
    pub fn identity(&self) -> &str {
        match self.reading.as_deref() {
            None | Some(Reading::Odd(..)) => &self.spelling,
            Some(Reading::Other(identity)) => identity,
        }
    }

    /// Whether parsers may read it differently, so that it is never opened.
    pub fn is_odd(&self) -> bool {
        match self.reading.as_deref() {
            None | Some(Reading::Other(_)) => false,
            Some(Reading::Odd(..)) => true,
        }
    }

    /// The address where it stands.
    pub(crate) fn view(&self) -> View<'_> {
        match self.reading.as_deref() {
            None => View::of(&self.spelling, &self.spelling),
            Some(Reading::Other(identity)) => View::of(&self.spelling, identity),
            Some(Reading::Odd(host, port)) => View::odd(&self.spelling, host, *port),
        }
    }

    /// The host in A-label form, lower case, without brackets or port; empty for an odd spelling that has none.
    pub fn host(&self) -> &str {
        self.view().host()
    }

    /// The port, with the scheme's default where none is written.
    pub fn port(&self) -> u16 {
        self.view().port()
    }

    /// Whether the port is the one that its scheme has when none is written.
    pub fn has_default_port(&self) -> bool {
        self.view().host_and_port().1.is_empty()
    }

    /// The site: the registrable domain by the public suffix list (private part included), else the host.
    ///
    /// Under a suffix that the list does not know these are the last two labels.
    pub fn site(&self) -> &str {
        site_of(self.host())
    }

    /// What stands before the site in its host, `a.b` of `a.b.site.example`; empty where nothing does.
    pub fn labels_before_site(&self) -> &str {
        self.view().labels_before_site()
    }

    /// Whether it is `scheme://host[:port]` and nothing more than a slash.
    pub fn is_root(&self) -> bool {
        self.view().is_root()
    }

    /// Whether it has a query that is not empty.
    pub fn has_query(&self) -> bool {
        self.query().is_some_and(|query| !query.is_empty())
    }

    fn query(&self) -> Option<&str> {
        self.identity().split_once('?').map(|(_, query)| query)
    }

    /// The joint key of the step `loose`.
    pub fn loose(&self) -> Cow<'_, str> {
        loose::key(self.view(), true)
    }

    /// The joint key without the query: what the step `query_dropped` compares.
    pub fn loose_without_query(&self) -> Cow<'_, str> {
        loose::key(self.view(), false)
    }

    /// The wide key.
    pub fn wide(&self) -> String {
        wide_key(&self.spelling)
    }

    /// What a log may hold when no source and no list holds the host: the model may have written into its labels.
    pub fn outline(&self) -> Outline {
        let (host, site) = (self.host(), self.site());
        let further = host.strip_suffix(site).map_or(0, |labels| labels.split('.').count() - 1);
        let host = if further == 0 { site.to_owned() } else { format!("{site} and {further} more") };
        Outline { host, ..self.outline_with_host() }
    }

    /// What a log may hold when a source or a list holds the host.
    pub fn outline_with_host(&self) -> Outline {
        let parameters = self.query().map_or(0, |query| query.split('&').filter(|part| !part.is_empty()).count());
        Outline { host: self.host().to_owned(), bytes: self.spelling.len(), parameters }
    }
}

pub(crate) fn site_of(host: &str) -> &str {
    let in_numbers = host.contains(':') || host.parse::<std::net::Ipv4Addr>().is_ok();
    if in_numbers { host } else { psl::domain_str(host).unwrap_or(host) }
}

fn plain_host(url: &Url) -> String {
    url.host_str().unwrap_or_default().trim_start_matches('[').trim_end_matches(']').to_owned()
}

pub(crate) fn without_fragment(spelling: &str) -> &str {
    memchr::memchr(b'#', spelling.as_bytes()).and_then(|end| spelling.get(..end)).unwrap_or(spelling)
}

/// A root without the mark that ends a sentence (a dot may be the name's own). Behind a path the loose key drops it.
fn without_sentence_end(spelling: &str) -> &str {
    let authority = spelling.find("://").map_or(0, |at| at + 3);
    if spelling.get(authority..).is_some_and(|rest| rest.contains(['/', '?'])) {
        return spelling;
    }
    spelling.trim_end_matches([',', ';', '!', '\'', '"', '*', '~'])
}

/// The scheme of a text that has one.
fn scheme(text: &str) -> Option<&str> {
    let (scheme, _) = text.split_once(':')?;
    let mut letters = scheme.bytes();
    let is_scheme = letters.next().is_some_and(|first| first.is_ascii_alphabetic())
        && letters.all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'));
    is_scheme.then_some(scheme)
}

fn is_web(text: &str) -> bool {
    scheme(text).is_some_and(|scheme| scheme.eq_ignore_ascii_case("http") || scheme.eq_ignore_ascii_case("https"))
}

/// Whether a text is a host name with a dot in it, with whatever may follow a host.
fn is_bare(text: &str) -> bool {
    let end = text.find(['/', '?', '#']).unwrap_or(text.len());
    let authority = text.get(..end).unwrap_or_default();
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    host.starts_with(char::is_alphanumeric)
        && host.contains(['.', '\u{3002}', '\u{ff0e}', '\u{ff61}'])
        && !host.contains(char::is_whitespace)
        && (port.bytes().all(|byte| byte.is_ascii_digit()) || authority.contains('@'))
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({:?})", self.outline())
    }
}

/// What a log may hold of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The host, or only its site and the number of further labels.
    pub host: String,
    /// The length in bytes.
    pub bytes: usize,
    /// How many query parameters it has.
    pub parameters: usize,
}

impl Asked {
    /// Reads an argument: trims outer spaces, undoes at most one JSON or HTML escape, refuses what is odd.
    pub fn parse(argument: &str) -> Result<Self, AddressError> {
        let argument = argument.trim_ascii();
        let meant = loose::unescaped_once(argument);
        let meant = without_sentence_end(without_fragment(meant.trim_ascii()));
        let form = if is_web(meant) { Form::Absolute } else { Form::Bare };
        let address = match Address::written(meant, form) {
            Some(address) if address.is_odd() => return Err(AddressError::Odd),
            Some(address) => address,
            None if odd::hides_an_address(meant) => return Err(AddressError::Odd),
            None => return Err(AddressError::Invalid),
        };
        let raw = without_fragment(argument);
        Ok(Self { raw: raw.into(), address, as_it_stands: form == Form::Absolute && meant == raw })
    }

    /// The argument, trimmed, fragment cut. Reveals the address.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The address that it means.
    pub fn address(&self) -> &Address {
        &self.address
    }

    /// Whether a parser reads the argument as it stands: with its scheme, and without an escape left in.
    pub fn as_it_stands(&self) -> bool {
        self.as_it_stands
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.address, f)
    }
}

/// The wide key of any text that may be an address: `host[:port]/path?query` with all folded that some tool may fold.
///
/// Parameters are sorted, a bare root is just its host. Folding a key again gives the key. Linear in the text.
pub fn wide_key(spelling: &str) -> String {
    wide::key(spelling)
}

/// Whether one wide key is another with something added to it: to its end, or further parameters at any place.
pub fn wide_key_extends(longer: &str, shorter: &str) -> bool {
    wide::extends(longer, shorter)
}

/// Whether a wide key is a name of a host and nothing more: no port, and no address of IPv6, which has room for what should
/// not leave.
pub fn is_bare_root(key: &str) -> bool {
    !key.contains(['/', '?', ':'])
}

/// Whether a wide key is the root of a site and nothing more, such as further labels or a port.
///
/// An address in numbers is a site too, but one of IPv6 has room for what should not leave.
pub fn is_site_root(key: &str) -> bool {
    !key.contains(['/', '?', ':']) && site_of(key) == key
}

/// A text as the words of addresses are compared: escapes undone, case, width and style of letters folded, without invisible
/// characters, every white space and `+` one space.
pub fn folded_words(text: &str) -> std::borrow::Cow<'_, str> {
    fold::words(text)
}

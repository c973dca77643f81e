//! Where a link leads: to the web, to a document of the application, or nowhere that may stay.
//!
//! What is judged is the destination as Markdown decodes it, so that an entity or an escape hides nothing.

mod plain;

use std::borrow::Cow;
use std::ops::Range;

use url::Url;

use crate::record::Reason;

/// Where a document of the application is, before its id.
pub const DOCUMENTS: &str = "/documents/";

/// The longest id of a document.
const LONGEST_ID: usize = 64;

/// The longest host with its port, in bytes: four times what a name may take, for letters beyond ASCII.
const LONGEST_AUTHORITY: usize = 1024;

/// How many characters of a reference follow its `ref-`.
const REFERENCE_TAIL: usize = 15;

/// Where a link leads.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target<'t> {
    /// The address as it was written.
    pub spelling: Cow<'t, str>,
    /// The WHATWG serialisation, fragment kept, where it is not the spelling.
    serialised: Option<Box<str>>,
    /// The host as the parser spells it: where it starts, and how long it is; nothing for a document.
    host: (u8, u16),
}

impl<'t> Target<'t> {
    /// Reads a decoded destination, or says why a link to it must not stay.
    pub fn read(destination: impl Into<Cow<'t, str>>) -> Result<Self, Reason> {
        let spelling = destination.into();
        // A plain host is in lower case.
        let is_stand_in = |host: &str| host.starts_with("ref-") && is_reference(host);
        let plain = plain::host(&spelling).filter(|host| !spelling.get(host.clone()).is_some_and(is_stand_in));
        match plain {
            Some(host) => Ok(Self { spelling, serialised: None, host: place(host).ok_or(Reason::Invalid)? }),
            None if is_document(&spelling) => Ok(Self { spelling, serialised: None, host: (0, 0) }),
            None => Self::parsed(spelling),
        }
    }

    fn parsed(spelling: Cow<'t, str>) -> Result<Self, Reason> {
        if is_reference(&spelling) {
            return Err(Reason::Reference);
        }
        let Some(behind) = behind_scheme(&spelling) else { return Err(reason(&spelling)) };
        if !is_clean(behind) {
            return Err(Reason::Invalid);
        }
        let url = Url::parse(&spelling).map_err(|_| Reason::Invalid)?;
        if !url.username().is_empty() || url.password().is_some() {
            return Err(Reason::Invalid);
        }
        // An encoded letter or a wide one hides a reference from who reads the spelling.
        if url.host_str().is_some_and(is_reference) {
            return Err(Reason::Reference);
        }
        let host = url.host_str().unwrap_or_default().len();
        let start = url.scheme().len() + "://".len();
        let serialised = (url.as_str() != spelling).then(|| String::from(url).into());
        Ok(Self { spelling, serialised, host: place(start..start + host).ok_or(Reason::Invalid)? })
    }

    /// Under which addresses are one: the WHATWG serialisation, fragment kept.
    pub fn key(&self) -> &str {
        self.serialised.as_deref().unwrap_or(&self.spelling)
    }

    /// The host as the parser spells it: ASCII, lower case; `None` for a document.
    pub fn host(&self) -> Option<&str> {
        self.key().get(self.host_range()).filter(|host| !host.is_empty())
    }

    /// The same, as long as the text in which the address stands.
    pub(crate) fn lasting_host(&self) -> Option<Cow<'t, str>> {
        let lasting = match &self.spelling {
            Cow::Borrowed(spelling) if self.serialised.is_none() => spelling.get(self.host_range()).map(Cow::Borrowed),
            Cow::Borrowed(_) | Cow::Owned(_) => self.host().map(|host| Cow::Owned(host.to_owned())),
        };
        lasting.filter(|host| !host.is_empty())
    }

    /// The same with a spelling of its own.
    pub fn into_owned(self) -> Target<'static> {
        Target { spelling: Cow::Owned(self.spelling.into_owned()), serialised: self.serialised, host: self.host }
    }

    /// Whether it is a document of the application.
    pub fn is_document(&self) -> bool {
        self.host.1 == 0
    }

    fn host_range(&self) -> Range<usize> {
        let (start, length) = self.host;
        usize::from(start)..usize::from(start) + usize::from(length)
    }
}

/// Where a host stands in a few bytes, since targets are moved about; no host is too long for them.
fn place(host: Range<usize>) -> Option<(u8, u16)> {
    Some((u8::try_from(host.start).ok()?, u16::try_from(host.len()).ok()?))
}

/// The destination behind `http://` or `https://`.
fn behind_scheme(destination: &str) -> Option<&str> {
    let strip = |scheme: &str| {
        let (head, behind) = destination.split_at_checked(scheme.len())?;
        head.eq_ignore_ascii_case(scheme).then_some(behind)
    };
    strip("https://").or_else(|| strip("http://"))
}

/// Whether every reader takes it alike: no white space, no control or unseen character, no second slash before the
/// host, no user before it, no backslash where some read a slash.
fn is_clean(behind: &str) -> bool {
    let authority_end = behind.find(['/', '?', '#', '\\']).unwrap_or(behind.len());
    let path_end = behind.find(['?', '#']).unwrap_or(behind.len());
    let authority = behind.get(..authority_end).unwrap_or_default();
    let path = behind.get(..path_end).unwrap_or_default();
    let rest = behind.get(authority_end..).unwrap_or_default();
    (1..=LONGEST_AUTHORITY).contains(&authority.len())
        && !authority.contains('@')
        && !authority.contains(is_unseen)
        && !path.contains('\\')
        && !rest.contains(|character| is_unseen(character) && !joins(character))
}

/// Whether a character belongs to the spelling of words and signs, though it is not seen alone.
pub(crate) fn joins(character: char) -> bool {
    matches!(character, '\u{200c}' | '\u{200d}' | '\u{fe0e}' | '\u{fe0f}')
}

/// Whether a character is white space, a control, or not seen: it may hide what an address is.
pub(crate) fn is_unseen(character: char) -> bool {
    match character {
        ' '..='~' => character == ' ',
        '\u{ad}'
        | '\u{34f}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{17b4}'
        | '\u{17b5}'
        | '\u{180b}'..='\u{180f}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'
        | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e0fff}' => true,
        other => other.is_control() || other.is_whitespace(),
    }
}

fn is_document(destination: &str) -> bool {
    destination.strip_prefix(DOCUMENTS).is_some_and(|id| {
        (1..=LONGEST_ID).contains(&id.len())
            && id.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
    })
}

/// Whether it stands for a masked address: `ref-` and fifteen characters of Crockford's base 32, alone or where a host
/// would stand.
fn is_reference(destination: &str) -> bool {
    let trimmed = destination.trim_matches(is_unseen);
    let host = behind_scheme(trimmed).unwrap_or(trimmed).trim_start_matches(['/', '.']);
    let Some(tail) = host.get(..4).filter(|head| head.eq_ignore_ascii_case("ref-")).and_then(|_| host.get(4..)) else {
        return false;
    };
    let digits = tail.bytes().take_while(u8::is_ascii_alphanumeric).count();
    let is_digit = |byte: u8| !matches!(byte.to_ascii_lowercase(), b'i' | b'l' | b'o' | b'u');
    digits == REFERENCE_TAIL && tail.bytes().take(digits).all(is_digit)
}

/// Why a destination that is neither web nor document must not stay.
fn reason(destination: &str) -> Reason {
    let mut seen = destination.chars().filter(|&character| !is_unseen(character));
    if !seen.next().is_some_and(|first| first.is_ascii_alphabetic()) {
        return Reason::Invalid;
    }
    let ends = seen.find(|&character| !(character.is_ascii_alphanumeric() || matches!(character, '+' | '-' | '.')));
    let scheme: String = destination.chars().filter(|&character| !is_unseen(character)).take(6).collect();
    let is_web = scheme.to_ascii_lowercase().starts_with("http:") || scheme.eq_ignore_ascii_case("https:");
    if ends == Some(':') && !is_web { Reason::Scheme } else { Reason::Invalid }
}

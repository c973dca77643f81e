//! A template of addresses: fixed parts with slots between them.

use std::collections::BTreeMap;

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use regex::Regex;
use regex_syntax::hir::{Class, Hir, HirKind};
use url::{Position, Url};

use super::pieces::{Pieces, Place};
use crate::target::is_unseen;

/// All that is encoded in a value: everything but letters, digits and `-._~`.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What stands for a slot while the parser reads the fixed parts. It is lower case, as a host may be, and of no known
/// template.
const STAND_IN: &str = "zzslot";

/// The longest value, in bytes.
const LONGEST_VALUE: usize = 1024;

/// Why a template is bad.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TemplateError {
    /// Its scheme is another.
    #[error("it does not start with `https://`")]
    NotHttps,
    /// Parsers drop such a character, or read it as another.
    #[error("it holds white space, a backslash, or a character that is not seen")]
    Character,
    /// Parsers take what follows for the host.
    #[error("no host stands behind `https://`")]
    NoHost,
    /// There is no slot, so that every address of it is one.
    #[error("it has no slot")]
    NoSlot,
    /// A brace is not closed, or not opened.
    #[error("a brace stands alone")]
    Brace,
    /// The name of a slot.
    #[error("`{0}` is no name of a slot: small letters, digits and `_`")]
    SlotName(String),
    /// The value would choose whom the request goes to.
    #[error("the slot `{slot}` stands in the {part}")]
    InAuthority {
        /// The slot.
        slot: String,
        /// The host, the port, or the user before it.
        part: &'static str,
    },
    /// A fixed user.
    #[error("it names a user before the host")]
    Userinfo,
    /// Which value is meant?
    #[error("two slots have the name `{0}`")]
    SlotTwice(String),
    /// Nothing says where one value ends.
    #[error("nothing stands between `{0}` and `{1}`")]
    SideBySide(String, String),
    /// A pattern that no slot has.
    #[error("there is a pattern for `{0}`, which is no slot")]
    NoSuchSlot(String),
    /// A pattern that is no regular expression.
    #[error("the pattern of `{0}` is no regular expression")]
    Pattern(String),
    /// A value could reach into the next segment.
    #[error("the slot `{0}` could cross a `/`: its pattern allows one")]
    CrossesSlash(String),
    /// The parser does not take it.
    #[error("it makes no web address")]
    NoAddress,
}

impl TemplateError {
    /// Whether the patterns are to blame and not the template.
    pub(super) fn is_of_patterns(&self) -> bool {
        match self {
            Self::NoSuchSlot(_) | Self::Pattern(_) | Self::CrossesSlash(_) => true,
            Self::NotHttps
            | Self::Character
            | Self::NoHost
            | Self::NoSlot
            | Self::Brace
            | Self::SlotName(_)
            | Self::InAuthority { .. }
            | Self::Userinfo
            | Self::SlotTwice(_)
            | Self::SideBySide(..)
            | Self::NoAddress => false,
        }
    }
}

/// Why values make no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ValueError {
    /// A slot has no value.
    #[error("no value for the slot `{0}`")]
    Missing(String),
    /// There is no such slot.
    #[error("there is no slot `{0}`")]
    NoSuchSlot(String),
    /// The value is empty, too long, or would be read as a part of the path.
    #[error("the value for `{0}` cannot stand in an address")]
    Value(String),
    /// The value does not follow the slot's pattern.
    #[error("the value for `{0}` does not match its pattern")]
    Pattern(String),
}

/// A template that was read.
#[derive(Clone, Debug)]
pub(super) struct Template {
    /// The fixed parts as the parser spells them; one more than there are slots.
    fixed: Vec<String>,
    slots: Vec<Slot>,
    pieces: Pieces,
}

#[derive(Clone, Debug)]
struct Slot {
    name: String,
    /// It stands in the query, where a slash is a character as any other. In the path it is none, nor in a fragment,
    /// which may be the path of an application.
    in_query: bool,
    pattern: Option<Regex>,
}

impl Template {
    pub(super) fn read(template: &str, patterns: &BTreeMap<String, String>) -> Result<Self, TemplateError> {
        let rest = template.strip_prefix("https://").ok_or(TemplateError::NotHttps)?;
        let names = slot_names(template)?;
        if template.contains(|character| character == '\\' || is_unseen(character)) {
            return Err(TemplateError::Character);
        }
        check_authority(rest)?;
        for (index, name) in names.iter().enumerate() {
            if names.iter().take(index).any(|other| other == name) {
                return Err(TemplateError::SlotTwice((*name).to_owned()));
            }
        }
        for pair in names.windows(2) {
            if let [one, other] = pair
                && template.contains(&format!("{{{one}}}{{{other}}}"))
            {
                return Err(TemplateError::SideBySide((*one).to_owned(), (*other).to_owned()));
            }
        }
        if let Some(name) = patterns.keys().find(|name| !names.contains(&name.as_str())) {
            return Err(TemplateError::NoSuchSlot(name.clone()));
        }
        let query_end = template.find('#').unwrap_or(template.len());
        let query = template.find('?').unwrap_or(query_end);
        let mut slots = Vec::with_capacity(names.len());
        let mut hirs = Vec::with_capacity(names.len());
        for name in &names {
            let in_query = template.find(&format!("{{{name}}}")).is_some_and(|at| (query..query_end).contains(&at));
            let read = patterns.get(*name).map(|pattern| read_pattern(name, pattern, in_query)).transpose()?;
            let (pattern, hir) = read.unzip();
            slots.push(Slot { name: (*name).to_owned(), in_query, pattern });
            hirs.push(hir);
        }
        let fixed = fixed_parts(template, &names)?;
        let places: Vec<Place<'_>> = slots
            .iter()
            .zip(&hirs)
            .map(|(slot, hir)| Place { in_query: slot.in_query, pattern: hir.as_ref() })
            .collect();
        let pieces = Pieces::of(&fixed, &places).ok_or(TemplateError::NoAddress)?;
        Ok(Self { fixed, slots, pieces })
    }

    pub(super) fn slots(&self) -> impl Iterator<Item = &str> {
        self.slots.iter().map(|slot| slot.name.as_str())
    }

    pub(super) fn build(&self, values: &BTreeMap<String, String>) -> Result<String, ValueError> {
        if let Some(name) = values.keys().find(|name| self.slots().all(|slot| slot != name.as_str())) {
            return Err(ValueError::NoSuchSlot(name.clone()));
        }
        let mut fixed = self.fixed.iter();
        let mut address = fixed.next().cloned().unwrap_or_default();
        for (slot, part) in self.slots.iter().zip(fixed) {
            let value = values.get(&slot.name).ok_or_else(|| ValueError::Missing(slot.name.clone()))?;
            if !slot.may_hold(value) {
                return Err(ValueError::Value(slot.name.clone()));
            }
            if !slot.follows_pattern(value) {
                return Err(ValueError::Pattern(slot.name.clone()));
            }
            address.extend(utf8_percent_encode(value, ENCODED));
            address.push_str(part);
        }
        Ok(address)
    }

    pub(super) fn matches(&self, address: &str) -> bool {
        if !self.fixed.first().is_some_and(|first| address.starts_with(first.as_str())) {
            return false;
        }
        let Some(values) = self.pieces.values(address) else { return false };
        self.slots.iter().zip(&values).all(|(slot, value)| slot.may_hold(value) && slot.follows_pattern(value))
    }
}

impl Slot {
    /// Whether a value stays within its slot wherever the address is read.
    fn may_hold(&self, value: &str) -> bool {
        let is_plain = !value.is_empty() && value.len() <= LONGEST_VALUE && !value.contains(char::is_control);
        let stays = !value.contains(['/', '\\']) && !value.trim_matches('.').is_empty();
        is_plain && (stays || self.in_query)
    }

    fn follows_pattern(&self, value: &str) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| pattern.is_match(value))
    }
}

/// The names of the slots, in order.
fn slot_names(template: &str) -> Result<Vec<&str>, TemplateError> {
    let mut names = Vec::new();
    let mut rest = template;
    while let Some(at) = rest.find(['{', '}']) {
        let (_, from) = rest.split_at(at);
        let (name, behind) =
            from.strip_prefix('{').and_then(|from| from.split_once('}')).ok_or(TemplateError::Brace)?;
        let is_name = name.starts_with(|first: char| first.is_ascii_lowercase())
            && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
        if !is_name {
            return Err(TemplateError::SlotName(name.to_owned()));
        }
        names.push(name);
        rest = behind;
    }
    if names.is_empty() { Err(TemplateError::NoSlot) } else { Ok(names) }
}

/// Whoever fills a slot must not choose whom the request goes to.
fn check_authority(rest: &str) -> Result<(), TemplateError> {
    let end = rest.find(['/', '?', '#', '\\']).unwrap_or(rest.len());
    let authority = rest.get(..end).unwrap_or_default();
    if authority.is_empty() {
        return Err(TemplateError::NoHost);
    }
    let user_end = authority.rfind('@').map_or(0, |at| at + 1);
    if let Some(at) = authority.find('{') {
        let slot = authority.get(at + 1..).and_then(|behind| behind.split('}').next()).unwrap_or_default().to_owned();
        let port = authority.get(user_end..at).is_some_and(|before| before.contains(':'));
        let part = match (at < user_end, port) {
            (true, _) => "user before the host",
            (false, true) => "port",
            (false, false) => "host",
        };
        return Err(TemplateError::InAuthority { slot, part });
    }
    if user_end > 0 { Err(TemplateError::Userinfo) } else { Ok(()) }
}

/// The fixed parts as the parser spells them.
fn fixed_parts(template: &str, names: &[&str]) -> Result<Vec<String>, TemplateError> {
    // A stand-in that the template holds itself would be taken for a slot.
    let lower = template.to_ascii_lowercase();
    let stand_in = (0..names.len() + 1)
        .map(|number| format!("{STAND_IN}{number}zz"))
        .find(|stand_in| !lower.contains(stand_in.as_str()))
        .ok_or(TemplateError::NoAddress)?;
    let filled = |value: &str| {
        let fill = |text: String, name: &&str| text.replacen(&format!("{{{name}}}"), value, 1);
        Url::parse(&names.iter().fold(template.to_owned(), fill)).map_err(|_| TemplateError::NoAddress)
    };
    let url = filled(&stand_in)?;
    crate::target::Target::read(url.as_str()).map_err(|_| TemplateError::NoAddress)?;
    let parts: Vec<String> = url.as_str().split(stand_in.as_str()).map(str::to_owned).collect();
    // SECURITY: whatever the parser makes of the fixed parts, no value may have a say in whom the request goes to.
    let origin = format!("{}/", &url[..Position::BeforePath]);
    let is_fixed = parts.first().is_some_and(|first| first.starts_with(&origin));
    // Fewer parts where the parser dropped one of the path.
    let is_whole = parts.len() == names.len() + 1;
    if is_whole && is_fixed && filled("1")?.origin() == url.origin() {
        Ok(parts)
    } else {
        Err(TemplateError::NoAddress)
    }
}

fn read_pattern(name: &str, pattern: &str, in_query: bool) -> Result<(Regex, Hir), TemplateError> {
    let bad = || TemplateError::Pattern(name.to_owned());
    let hir = regex_syntax::parse(pattern).map_err(|_| bad())?;
    if !in_query && may_hold_slash(&hir) {
        return Err(TemplateError::CrossesSlash(name.to_owned()));
    }
    let whole = Regex::new(&format!("^(?:{pattern})$")).map_err(|_| bad())?;
    Ok((whole, hir))
}

/// Whether something that the expression matches may hold a slash. The parser limits how deep expressions nest.
fn may_hold_slash(hir: &Hir) -> bool {
    match hir.kind() {
        HirKind::Empty | HirKind::Look(_) => false,
        HirKind::Literal(literal) => literal.0.contains(&b'/'),
        HirKind::Class(Class::Unicode(class)) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&'/'))
        }
        HirKind::Class(Class::Bytes(class)) => {
            class.ranges().iter().any(|range| (range.start()..=range.end()).contains(&b'/'))
        }
        HirKind::Repetition(repetition) => may_hold_slash(&repetition.sub),
        HirKind::Capture(capture) => may_hold_slash(&capture.sub),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => parts.iter().any(may_hold_slash),
    }
}

//! Site conventions: addresses made of fixed bytes and of identifiers that somebody wrote.
//!
//! A rule says which addresses it opens (frames with slots) and where the values of the slots may come from: a whole token in
//! one text, or a source that matches another frame of the same site, or a source as a whole. What the model is free to
//! choose is one of a few words, and each rule says how many. A slot without such an origin is refused when the rule is made.

mod slot;
mod token;
mod frame;

use std::collections::{BTreeMap, BTreeSet};

use crate::address::site_of;

pub(crate) use frame::Filled;
pub use frame::Frame;
pub use slot::Slot;
pub use token::Token;

/// The most addresses that one identifier or source may come to by one rule.
pub const MOST: u64 = 64;

/// The highest page number.
pub const LAST_PAGE: u32 = 50;

/// A rule as its author writes it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Draft {
    /// The name, by which it is switched off.
    pub name: String,
    /// The frames of the addresses that it opens.
    pub opens: Vec<String>,
    /// The tokens that fill the slots.
    pub tokens: Vec<String>,
    /// The frames of sources that fill them.
    pub sources: Vec<String>,
    /// The words of each choice.
    pub choices: BTreeMap<String, Vec<String>>,
    /// The parameters whose value is a page number.
    pub parameters: Vec<String>,
    /// Tokens in the text of connectors and attachments fill the slots too.
    pub connectors: bool,
}

/// Why a draft is no rule.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct RuleError(pub String);

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    draft: Draft,
    /// A policy file added it.
    declared: bool,
    pub(crate) made: Made,
    pub(crate) choices: Vec<Vec<String>>,
    /// The sites that it leads to from elsewhere, each with how many addresses it makes there of one token or source.
    receivers: Vec<(String, u64)>,
}

/// What an address is made of.
#[derive(Clone, Debug)]
pub(crate) enum Made {
    /// Frames whose slots tokens fill, or sources that match other frames.
    Slots {
        /// The frames of what opens.
        opens: Vec<Frame>,
        /// Which tokens fill them.
        tokens: Vec<Token>,
        /// Which sources do.
        sources: Vec<Frame>,
    },
    /// Fixed bytes with a source behind them.
    Source(Vec<String>),
    /// The root of a source's host with fixed bytes behind it.
    Root(Vec<String>),
    /// A source with another page number in one of these parameters.
    Page(Vec<String>),
}

impl Rule {
    /// The rule of a draft.
    pub fn new(draft: Draft, declared: bool) -> Result<Self, RuleError> {
        let (made, choices) = read(&draft).map_err(|problem| RuleError(format!("`{}`: {problem}", draft.name)))?;
        let receivers = receivers(&made, &choices);
        let rule = Self { draft, declared, made, choices, receivers };
        match rule.freedom() {
            freedom if freedom > MOST => Err(RuleError(format!(
                "`{}`: its choices make {freedom} addresses of one source; more than {MOST} say too much",
                rule.draft.name
            ))),
            _ => Ok(rule),
        }
    }

    /// The name.
    pub fn name(&self) -> &str {
        &self.draft.name
    }

    /// How it was written.
    pub fn draft(&self) -> &Draft {
        &self.draft
    }

    /// Whether a policy file added it.
    pub fn is_declared(&self) -> bool {
        self.declared
    }

    /// How many addresses it makes of one token or one source: what the model is free to choose.
    pub fn freedom(&self) -> u64 {
        let opens = u64::try_from(self.draft.opens.len()).unwrap_or(u64::MAX);
        match &self.made {
            Made::Slots { opens: frames, .. } => {
                frames.iter().map(|frame| words_of(frame, &self.choices)).fold(0, u64::saturating_add)
            }
            Made::Source(_) | Made::Root(_) => opens,
            Made::Page(_) => u64::from(LAST_PAGE - 1),
        }
    }

    /// How many addresses of a site it makes of each token or source.
    pub(crate) fn addresses_at(&self, site: &str) -> u64 {
        self.receivers.iter().find(|(other, _)| other == site).map_or(0, |(_, each)| *each)
    }

    /// The sites that it leads to from elsewhere.
    pub(crate) fn sites(&self) -> impl Iterator<Item = &str> {
        self.receivers.iter().map(|(site, _)| &**site)
    }

    /// The sites of the sources that fill its slots.
    pub(crate) fn source_sites(&self) -> impl Iterator<Item = &str> {
        let sources: &[Frame] = match &self.made {
            Made::Slots { sources, .. } => sources,
            Made::Source(_) | Made::Root(_) | Made::Page(_) => &[],
        };
        sources.iter().map(|frame| site_of(frame.host()))
    }

    /// The tokens that fill its slots.
    pub(crate) fn tokens(&self) -> &[Token] {
        match &self.made {
            Made::Slots { tokens, .. } => tokens,
            Made::Source(_) | Made::Root(_) | Made::Page(_) => &[],
        }
    }

    /// Whether any source as a whole stands in what it makes.
    pub(crate) fn takes_whole_sources(&self) -> bool {
        matches!(self.made, Made::Source(_))
    }

    /// How many addresses it makes on the site of these sources: of so many roots of hosts and sources with the number of a page.
    pub(crate) fn made_of_one_site(&self, roots: u32, paged: u32) -> u64 {
        let of_each = match &self.made {
            Made::Root(_) => roots,
            Made::Page(_) => paged,
            Made::Slots { .. } | Made::Source(_) => 0,
        };
        u64::from(of_each).saturating_mul(self.freedom())
    }

    /// Whether tokens in the text of connectors and attachments fill its slots.
    pub fn takes_connectors(&self) -> bool {
        self.draft.connectors
    }
}

/// The rules of a policy, in order.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    all: Vec<Rule>,
    off: BTreeSet<String>,
    /// The numbers of the rules that lead to each site.
    by_site: BTreeMap<String, Vec<usize>>,
}

impl Rules {
    /// Adds a rule; no other has its name.
    pub fn add(&mut self, rule: Rule) -> Result<(), RuleError> {
        if self.named(rule.name()).is_some() {
            return Err(RuleError(format!("there is a rule `{}` already", rule.name())));
        }
        for site in rule.sites() {
            self.by_site.entry(site.to_owned()).or_default().push(self.all.len());
        }
        self.all.push(rule);
        Ok(())
    }

    /// Switches a rule off; `false` where none has the name.
    pub fn switch_off(&mut self, name: &str) -> bool {
        let known = self.named(name).is_some();
        if known {
            self.off.insert(name.to_owned());
        }
        known
    }

    /// The rule of this name.
    pub fn named(&self, name: &str) -> Option<&Rule> {
        self.all.iter().find(|rule| rule.name() == name)
    }

    /// The rules that lead to a site from elsewhere and are not switched off.
    pub(crate) fn at(&self, site: &str) -> impl Iterator<Item = &Rule> {
        let numbers = self.by_site.get(site).into_iter().flatten();
        let rules = numbers.filter_map(|number| self.all.get(*number));
        rules.filter(|rule| !self.off.contains(rule.name()))
    }

    /// Whether a rule that is not switched off makes other pages of an address.
    pub(crate) fn number_pages(&self, address: &str) -> bool {
        memchr::memchr(b'?', address.as_bytes()).is_some()
            && self.on().any(|rule| match &rule.made {
                Made::Page(parameters) => page_of(address, parameters).is_some(),
                Made::Slots { .. } | Made::Source(_) | Made::Root(_) => false,
            })
    }

    /// All rules, those that are switched off too.
    pub fn all(&self) -> &[Rule] {
        &self.all
    }

    /// The names of those that are switched off.
    pub fn off(&self) -> impl Iterator<Item = &str> {
        self.off.iter().map(String::as_str)
    }

    /// The rules that are not switched off.
    pub fn on(&self) -> impl Iterator<Item = &Rule> {
        self.all.iter().filter(|rule| !self.off.contains(rule.name()))
    }
}

/// How many addresses a frame makes of one token or source.
fn words_of(frame: &Frame, choices: &[Vec<String>]) -> u64 {
    let words = |number: usize| choices.get(number).map_or(1, Vec::len);
    frame.choices().map(|choice| u64::try_from(words(choice)).unwrap_or(u64::MAX)).fold(1, u64::saturating_mul)
}

fn receivers(made: &Made, choices: &[Vec<String>]) -> Vec<(String, u64)> {
    let each: Vec<(&str, u64)> = match made {
        Made::Slots { opens, .. } => opens.iter().map(|frame| (frame.host(), words_of(frame, choices))).collect(),
        Made::Source(fronts) => fronts.iter().map(|front| (host_of(front), 1)).collect(),
        Made::Root(_) | Made::Page(_) => Vec::new(),
    };
    let mut sites: Vec<(String, u64)> = Vec::new();
    for (host, each) in each {
        let site = site_of(host);
        match sites.iter_mut().find(|(other, _)| other == site) {
            Some((_, sum)) => *sum = sum.saturating_add(each),
            None => sites.push((site.to_owned(), each)),
        }
    }
    sites
}

/// The host of `https://host/...`.
fn host_of(address: &str) -> &str {
    let rest = address.strip_prefix("https://").unwrap_or(address);
    rest.split('/').next().unwrap_or_default()
}

/// The page number of an address, if exactly one of the parameters stands in its query, with what stands around the number.
pub(crate) fn page_of<'a>(address: &'a str, parameters: &[String]) -> Option<(&'a str, u32, &'a str)> {
    let query = memchr::memchr(b'?', address.as_bytes())? + 1;
    let mut found = None;
    let mut at = query;
    for pair in address.get(query..)?.split('&') {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        if parameters.iter().any(|parameter| parameter == name) {
            let start = at + name.len() + 1;
            let number = value.parse::<u32>().ok().filter(|number| number.to_string() == value);
            if found.is_some() {
                return None;
            }
            found = Some((address.get(..start)?, number?, address.get(start + value.len()..)?));
        }
        at += pair.len() + 1;
    }
    found
}

type Read = (Made, Vec<Vec<String>>);

fn read(draft: &Draft) -> Result<Read, String> {
    let Draft { name, opens, tokens, sources, choices, parameters, connectors } = draft;
    let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    if name.is_empty() || !name.bytes().all(is_name) {
        return Err("a name is made of lower-case letters, digits and hyphens".to_owned());
    }
    if opens.is_empty() == parameters.is_empty() {
        return Err("it needs frames to open, or parameters of pages".to_owned());
    }
    let of_slots = !tokens.is_empty() || !sources.is_empty();
    if *connectors && tokens.is_empty() {
        return Err("connectors fill slots with tokens only".to_owned());
    }
    if !parameters.is_empty() {
        let plain =
            parameters.iter().all(|name| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric()));
        let alone = !of_slots && choices.is_empty();
        return match plain && alone {
            true => Ok((Made::Page(parameters.clone()), Vec::new())),
            false => Err("parameters of pages are plain names and stand alone".to_owned()),
        };
    }
    if !of_slots {
        return whole(opens, choices).map(|made| (made, Vec::new()));
    }
    let mut words = Vec::new();
    for (choice, list) in choices {
        words.push(choice_of(choice, list)?);
    }
    let number = |name: &str| choices.keys().position(|choice| choice == name);
    let frame = |text: &String| Frame::parse(text, number);
    let opens = opens.iter().map(frame).collect::<Result<Vec<_>, _>>()?;
    let sources = sources.iter().map(|text| Frame::parse(text, |_| None)).collect::<Result<Vec<_>, _>>()?;
    let token = |name: &String| Token::named(name).ok_or_else(|| format!("no token `{name}`"));
    let tokens = tokens.iter().map(token).collect::<Result<Vec<_>, _>>()?;
    if opens.iter().any(|frame| frame.slots().next().is_none()) {
        return Err("a frame without a slot opens one address to whatever is written".to_owned());
    }
    for slot in opens.iter().flat_map(Frame::slots) {
        let unsourced = tokens.iter().any(|token| !token.slots().contains(&slot))
            || sources.iter().any(|source| !source.slots().any(|other| other == slot));
        if unsourced {
            return Err(format!(
                "a token or a source that fills its slots has no `{}`, so it could be chosen freely",
                slot.name()
            ));
        }
    }
    let idle = |choice: usize| !opens.iter().any(|frame| frame.choices().any(|other| other == choice));
    if (0..words.len()).any(idle) {
        return Err("a choice stands in no frame".to_owned());
    }
    Ok((Made::Slots { opens, tokens, sources }, words))
}

/// What is made of a source as a whole.
fn whole(opens: &[String], choices: &BTreeMap<String, Vec<String>>) -> Result<Made, String> {
    if !choices.is_empty() {
        return Err("a choice stands in no frame".to_owned());
    }
    let behind =
        |slot: &str| opens.iter().map(|open| open.strip_suffix(slot).map(str::to_owned)).collect::<Option<Vec<_>>>();
    let fixed = |text: &String| {
        !text.contains(['{', '}', '#', '?', '%', '@', '\\']) && text.bytes().all(|byte| byte.is_ascii_graphic())
    };
    if let Some(fronts) = behind("{source}") {
        let leads = |front: &String| {
            let path = front.strip_prefix("https://").and_then(|rest| rest.split_once('/'));
            fixed(front) && front.ends_with('/') && path.is_some()
        };
        return match fronts.iter().all(leads) {
            true => Ok(Made::Source(fronts)),
            false => Err("what stands before a source is `https://`, a host and folders".to_owned()),
        };
    }
    let tails: Option<Vec<String>> = opens.iter().map(|open| open.strip_prefix("{root}").map(str::to_owned)).collect();
    match tails {
        Some(tails)
            if tails
                .iter()
                .all(|tail| fixed(tail) && tail.starts_with('/') && tail.len() > 1 && !tail.contains("..")) =>
        {
            Ok(Made::Root(tails))
        }
        _ => Err("no token and no source fills its slots, so they could be chosen freely".to_owned()),
    }
}

fn choice_of(name: &str, list: &[String]) -> Result<Vec<String>, String> {
    let plain = |word: &String| {
        !word.is_empty()
            && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
            && word.bytes().any(|byte| byte.is_ascii_alphanumeric())
    };
    if list.is_empty() || !list.iter().all(plain) {
        return Err(format!("the choice `{name}` is no list of plain words"));
    }
    if Slot::named(name).is_some() {
        return Err(format!("the choice `{name}` has the name of a grammar"));
    }
    Ok(list.to_vec())
}

#[cfg(test)]
mod tests;

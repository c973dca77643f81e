//! Tokens: identifiers as people and pages write them in a text.
//!
//! A token counts where it stands whole: what touches it is white space, a bracket, a quote or the mark that ends a sentence.

use std::ops::Range;

use super::slot::{LONGEST, Slot, strip_letters};

/// A form in which an identifier stands in a text; it fills the slots that it names, all from one span.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Token {
    /// `10.5555/3312.7781`
    Doi,
    /// `2406.01234`
    Arxiv,
    /// `PMID: 31452104`
    Pmid,
    /// `PMC7096066`
    Pmcid,
    /// `RFC 9110`
    Rfc,
    /// `PEP 8`
    Pep,
    /// `CVE-2024-3094`
    Cve,
    /// `heronworks/pondfilter`, in a person's text alone: too much else looks like it.
    Repository,
    /// `heronworks/pondfilter#12`
    Issue,
    /// `pip install NAME`
    Pip,
    /// `npm install NAME`
    Npm,
    /// `cargo add NAME`
    Cargo,
    /// `gem install NAME`
    Gem,
    /// `go get MODULE`
    Go,
    /// A title in quotes or double brackets, in a person's text alone.
    Title,
}

/// What stands before the name of a package.
const PIP: &[&str] = &["pip install ", "pip3 install ", "uv add ", "uv pip install "];
const NPM: &[&str] = &["npm install ", "npm i ", "pnpm add ", "yarn add "];
const CARGO: &[&str] = &["cargo add ", "cargo install "];
const GEM: &[&str] = &["gem install "];
const GO: &[&str] = &["go get ", "go install "];
const TITLES: &[(&str, &str)] = &[("\"", "\""), ("\u{201c}", "\u{201d}"), ("[[", "]]")];

/// A token that was found: its length in the text, and the values of its slots.
pub(crate) struct Match {
    pub(crate) length: usize,
    pub(crate) values: Vec<String>,
}

impl Token {
    /// All of them.
    pub const ALL: [Self; 15] = [
        Self::Doi,
        Self::Arxiv,
        Self::Pmid,
        Self::Pmcid,
        Self::Rfc,
        Self::Pep,
        Self::Cve,
        Self::Repository,
        Self::Issue,
        Self::Pip,
        Self::Npm,
        Self::Cargo,
        Self::Gem,
        Self::Go,
        Self::Title,
    ];

    /// The name in rule files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Doi => "doi",
            Self::Arxiv => "arxiv",
            Self::Pmid => "pmid",
            Self::Pmcid => "pmcid",
            Self::Rfc => "rfc",
            Self::Pep => "pep",
            Self::Cve => "cve",
            Self::Repository => "repository",
            Self::Issue => "issue",
            Self::Pip => "pip",
            Self::Npm => "npm",
            Self::Cargo => "cargo",
            Self::Gem => "gem",
            Self::Go => "go",
            Self::Title => "title",
        }
    }

    /// The token of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|token| token.name() == name)
    }

    /// The slots that it fills, in order.
    pub fn slots(self) -> &'static [Slot] {
        match self {
            Self::Doi => &[Slot::Doi],
            Self::Arxiv => &[Slot::Arxiv],
            Self::Pmid => &[Slot::Pmid],
            Self::Pmcid => &[Slot::Pmcid],
            Self::Rfc => &[Slot::Rfc],
            Self::Pep => &[Slot::Pep],
            Self::Cve => &[Slot::Cve],
            Self::Repository => &[Slot::Owner, Slot::Repository],
            Self::Issue => &[Slot::Owner, Slot::Repository, Slot::Number],
            Self::Pip | Self::Cargo | Self::Gem => &[Slot::Package],
            Self::Npm => &[Slot::Scoped],
            Self::Go => &[Slot::Module],
            Self::Title => &[Slot::Title],
        }
    }

    /// Whether it is so broad that only a person's text fills slots with it.
    pub fn is_a_persons(self) -> bool {
        match self {
            Self::Repository | Self::Title => true,
            Self::Doi
            | Self::Arxiv
            | Self::Pmid
            | Self::Pmcid
            | Self::Rfc
            | Self::Pep
            | Self::Cve
            | Self::Issue
            | Self::Pip
            | Self::Npm
            | Self::Cargo
            | Self::Gem
            | Self::Go => false,
        }
    }

    /// Calls `each` with every whole token of these forms in a text and its place there.
    pub(crate) fn scan(forms: &[Self], text: &str, each: &mut dyn FnMut(Self, Range<usize>, Vec<String>)) {
        let mut before = ' ';
        for (at, letter) in text.char_indices() {
            if opens(before) {
                for form in forms {
                    if let Some((token, rest)) = form.at(text, at)
                        && stands_whole(rest)
                    {
                        each(*form, at..at + token.length, token.values);
                    }
                }
            }
            before = letter;
        }
    }

    /// The same of whatever looks like one, as the model may have written it: within addresses and other words too.
    pub(crate) fn scan_loosely(self, text: &str, each: &mut dyn FnMut(Vec<String>)) {
        let mut before = ' ';
        for (at, letter) in text.char_indices() {
            if !before.is_alphanumeric()
                && let Some((token, _)) = self.at(text, at)
            {
                each(token.values);
            }
            before = letter;
        }
    }

    /// The token that starts at a byte, and what follows it.
    fn at(self, text: &str, at: usize) -> Option<(Match, &str)> {
        let rest = text.get(at..)?;
        let first = *rest.as_bytes().first()?;
        // Nearly every place is passed over here.
        let may_start = match self {
            Self::Doi => first == b'1',
            Self::Arxiv => first.is_ascii_digit(),
            Self::Pmid | Self::Pmcid | Self::Pep => matches!(first, b'p' | b'P'),
            Self::Rfc => matches!(first, b'r' | b'R'),
            Self::Cve | Self::Cargo => matches!(first, b'c' | b'C'),
            Self::Repository | Self::Issue => first.is_ascii_alphanumeric(),
            Self::Pip => matches!(first, b'p' | b'P' | b'u' | b'U'),
            Self::Npm => matches!(first, b'n' | b'N' | b'p' | b'P' | b'y' | b'Y'),
            Self::Gem | Self::Go => matches!(first, b'g' | b'G'),
            Self::Title => matches!(first, b'"' | b'[' | 0xe2),
        };
        if !may_start {
            return None;
        }
        let token = self.matched(rest)?;
        let follows = rest.get(token.length..)?;
        self.slots().iter().zip(&token.values).all(|(slot, value)| slot.fits(value)).then_some((token, follows))
    }

    fn matched(self, rest: &str) -> Option<Match> {
        let digits = |text| run(text, |byte| byte.is_ascii_digit());
        let name = |text| run(text, in_name).trim_end_matches('.');
        match self {
            Self::Doi if rest.starts_with("10.") => Some(whole(closed(run(rest, in_doi)))),
            Self::Doi => None,
            Self::Arxiv => Some(whole(
                run(rest, |byte| byte.is_ascii_digit() || matches!(byte, b'.' | b'v')).trim_end_matches('.'),
            )),
            Self::Pmid => {
                let behind = strip_letters(rest, "pmid")?;
                let behind = behind.strip_prefix(':').unwrap_or(behind).trim_start_matches(' ');
                Some(up_to(rest, behind, digits(behind)))
            }
            Self::Pmcid => {
                let behind = strip_letters(rest, "pmc")?;
                Some(whole(rest.get(..rest.len() - behind.len() + digits(behind).len())?))
            }
            Self::Rfc | Self::Pep => {
                let letters = if self == Self::Rfc { "rfc" } else { "pep" };
                let behind = strip_letters(rest, letters)?;
                let behind = behind.strip_prefix([' ', '-']).unwrap_or(behind);
                let mut token = up_to(rest, behind, digits(behind));
                if self == Self::Pep {
                    token.values = token.values.iter().map(|number| format!("{number:0>4}")).collect();
                }
                (!digits(behind).is_empty()).then_some(token)
            }
            Self::Cve => {
                strip_letters(rest, "cve-")?;
                Some(whole(run(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'-')))
            }
            Self::Repository => {
                let owner = run(rest, |byte| byte.is_ascii_alphanumeric() || byte == b'-');
                let behind = rest.get(owner.len()..)?.strip_prefix('/')?;
                let mut token = up_to(rest, behind, name(behind));
                token.values.insert(0, owner.to_owned());
                Some(token)
            }
            Self::Issue => {
                let repository = Self::Repository.matched(rest)?;
                let behind = rest.get(repository.length..)?.strip_prefix('#')?;
                let mut token = up_to(rest, behind, digits(behind));
                token.values.splice(..0, repository.values);
                Some(token)
            }
            Self::Pip => behind(rest, PIP, name),
            Self::Cargo => behind(rest, CARGO, name),
            Self::Gem => behind(rest, GEM, name),
            Self::Npm => behind(rest, NPM, |text| {
                run(text, |byte| in_name(byte) || matches!(byte, b'@' | b'/')).trim_end_matches('.')
            }),
            Self::Go => behind(rest, GO, |text| {
                run(text, |byte| in_name(byte) || matches!(byte, b'~' | b'/')).trim_end_matches('.')
            }),
            Self::Title => TITLES.iter().find_map(|(open, close)| {
                let inner = rest.strip_prefix(open)?;
                let value = run(inner, |byte| byte.is_ascii_alphanumeric() || b" ,'()-".contains(&byte));
                inner
                    .get(value.len()..)?
                    .starts_with(close)
                    .then(|| Match { length: open.len() + value.len() + close.len(), values: vec![value.to_owned()] })
            }),
        }
    }
}

/// The longest beginning of such bytes, as far as a value may reach.
fn run(text: &str, holds: impl Fn(u8) -> bool) -> &str {
    let length = text.bytes().take(LONGEST + 1).take_while(|byte| byte.is_ascii() && holds(*byte)).count();
    text.get(..length).unwrap_or_default()
}

fn whole(value: &str) -> Match {
    Match { length: value.len(), values: vec![value.to_owned()] }
}

/// A token whose last value begins what stands behind the rest of it.
fn up_to(token: &str, behind: &str, value: &str) -> Match {
    Match { length: token.len() - behind.len() + value.len(), values: vec![value.to_owned()] }
}

/// A name behind one of some words.
fn behind<'t>(rest: &'t str, words: &[&str], name: impl Fn(&'t str) -> &'t str) -> Option<Match> {
    let behind = words.iter().find_map(|words| strip_letters(rest, words))?;
    Some(up_to(rest, behind, name(behind)))
}

fn in_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.')
}

/// Whether a byte may stand in a digital object identifier, as addresses can hold it.
pub(super) fn in_doi(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b';' | b'(' | b')' | b'/' | b':' | b'-')
}

/// An identifier without the marks that end a sentence, and without a bracket that closes none of its own.
fn closed(value: &str) -> &str {
    // More closing brackets than opening ones stand in what is left.
    let mut excess = value.bytes().fold(0_isize, |excess, byte| excess + bracket(byte));
    let mut end = value.len();
    for byte in value.bytes().rev() {
        let ends = match byte {
            b'.' | b';' | b':' | b'/' | b'-' | b'_' | b'(' => true,
            b')' => excess > 0,
            _ => false,
        };
        if !ends {
            break;
        }
        excess -= bracket(byte);
        end -= 1;
    }
    value.get(..end).unwrap_or_default()
}

/// How many more brackets a byte closes than it opens.
fn bracket(byte: u8) -> isize {
    match byte {
        b')' => 1,
        b'(' => -1,
        _ => 0,
    }
}

/// Whether a token may begin behind a character.
fn opens(before: char) -> bool {
    before.is_whitespace()
        || matches!(before, '(' | '[' | '{' | '<' | '>' | '"' | '\'' | ',' | ';' | ':' | '|' | '*' | '`')
        || matches!(before, '\u{201c}' | '\u{2018}' | '\u{ab}')
}

/// Whether what follows a token leaves it whole: a mark that ends a sentence, then white space or what closes.
fn stands_whole(rest: &str) -> bool {
    let after = rest.trim_start_matches(['.', ',', ';', ':', '!', '?']);
    let marks = rest.get(..rest.len() - after.len()).unwrap_or_default();
    let ends = |next: char| {
        next.is_whitespace()
            || matches!(next, ')' | ']' | '}' | '>' | '<' | '"' | '\'' | '|' | '*' | '`')
            || matches!(next, '\u{201d}' | '\u{2019}' | '\u{bb}')
    };
    // Three dots say that something was cut off.
    !marks.contains("..") && after.chars().next().is_none_or(ends)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(token: Token, text: &str) -> Vec<String> {
        let mut all = Vec::new();
        Token::scan(&[token], text, &mut |_, _, values| all.push(values.join(" ")));
        all
    }

    #[test]
    fn an_identifier_ends_before_what_closes_none_of_its_brackets() {
        for (run, wanted) in [
            ("10.5555/a(b)c)", "10.5555/a(b)c"),
            ("10.5555/a(b))).);", "10.5555/a(b)"),
            ("10.5555/a((b).", "10.5555/a((b)"),
            ("10.5555/a)(", "10.5555/a"),
            ("10.5555/)a)(", "10.5555/)a"),
            ("((--", ""),
            ("", ""),
        ] {
            assert_eq!(closed(run), wanted, "{run}");
        }
    }

    #[test]
    fn tokens_stand_whole() {
        for (token, text, wanted) in [
            (Token::Doi, "DOI 10.5555/3312.7781 please", "10.5555/3312.7781"),
            (Token::Doi, "doi:10.5555/3312.7781.", "10.5555/3312.7781"),
            (Token::Doi, "(10.5555/S0097-8493(25)00120-X), 2025", "10.5555/S0097-8493(25)00120-X"),
            (Token::Doi, "<i>10.5555/ab</i>", "10.5555/ab"),
            (Token::Arxiv, "arXiv:2406.01234v2, table 3", "2406.01234v2"),
            (Token::Pmid, "PMID: 31452104.", "31452104"),
            (Token::Pmcid, "see PMC7096066", "PMC7096066"),
            (Token::Rfc, "RFC 9110: HTTP", "9110"),
            (Token::Pep, "by PEP-8", "0008"),
            (Token::Cve, "`CVE-2024-3094`", "CVE-2024-3094"),
            (Token::Repository, "the code at heronworks/pondfilter.", "heronworks pondfilter"),
            (Token::Issue, "heronworks/pondfilter#12", "heronworks pondfilter 12"),
            (Token::Pip, "$ pip install pond-filter", "pond-filter"),
            (Token::Npm, "npm i @heron/pond", "@heron/pond"),
            (Token::Go, "go get go.example.org/x/pond", "go.example.org/x/pond"),
            (Token::Title, "the article \"Kiln (ceramics)\" there", "Kiln (ceramics)"),
        ] {
            assert_eq!(found(token, text), [wanted], "{text}");
        }
    }

    #[test]
    fn what_is_cut_or_stands_in_something_longer_is_no_token() {
        for (token, text) in [
            (Token::Doi, "X10.5555/3312.7781-rev4"),
            (Token::Doi, "10.5555/3312.77…"),
            (Token::Doi, "10.5555/3312.77..."),
            (Token::Doi, "10.5555/3312\u{200b}.7781"),
            (Token::Doi, "10.5555/3312%2e7781"),
            (Token::Doi, "https://doi.org/10.5555/3312.7781"),
            (Token::Doi, "10.5555/3312.7781é"),
            (Token::Arxiv, "2406.01234.pdf"),
            (Token::Arxiv, "12406.01234"),
            (Token::Rfc, "RFC 9110x"),
            (Token::Rfc, "RFC９１１０"),
            (Token::Repository, "a/b/c"),
            (Token::Repository, "heronworks/pondfilter@main"),
            (Token::Issue, "heronworks/pondfilter#12abc"),
            (Token::Title, "\"Kiln"),
        ] {
            assert!(found(token, text).is_empty(), "{text}");
        }
        let long = format!("10.5555/{}", "a".repeat(LONGEST));
        assert!(found(Token::Doi, &long).is_empty());
    }

    #[test]
    fn the_models_writing_is_read_within_addresses_too() {
        let mut all = Vec::new();
        Token::Repository
            .scan_loosely("https://github.com/heronworks/pondfilter/issues", &mut |values| all.push(values.join(" ")));
        assert!(all.contains(&"heronworks pondfilter".to_owned()), "{all:?}");
    }
}

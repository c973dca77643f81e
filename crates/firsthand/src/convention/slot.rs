//! What may stand in a slot: a small closed set of grammars, each a walk over at most [`LONGEST`] bytes.
//!
//! No grammar admits what would change the shape of an address: escapes, spaces, a question mark, detours of a path.

/// The longest value of a slot, in bytes.
pub(crate) const LONGEST: usize = 128;

/// A kind of identifier.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Slot {
    /// A digital object identifier, `10.5555/3312.7781`.
    Doi,
    /// A preprint's number, `2406.01234v2`.
    Arxiv,
    /// A PubMed number.
    Pmid,
    /// A PubMed Central number, with its letters.
    Pmcid,
    /// The number of an RFC.
    Rfc,
    /// The four digits of a Python enhancement proposal.
    Pep,
    /// A vulnerability's number, with its letters.
    Cve,
    /// Who owns a repository.
    Owner,
    /// The name of a repository.
    Repository,
    /// The number of an issue.
    Number,
    /// The name of a package.
    Package,
    /// The name of a package that may belong to a scope, `@scope/name`.
    Scoped,
    /// The path of a Go module.
    Module,
    /// The title of an article, its spaces written as `_` in addresses.
    Title,
    /// A branch, a tag or a commit, as a source names it.
    Version,
    /// The path of a file, as a source names it.
    Path,
}

impl Slot {
    /// All of them.
    pub const ALL: [Self; 16] = [
        Self::Doi,
        Self::Arxiv,
        Self::Pmid,
        Self::Pmcid,
        Self::Rfc,
        Self::Pep,
        Self::Cve,
        Self::Owner,
        Self::Repository,
        Self::Number,
        Self::Package,
        Self::Scoped,
        Self::Module,
        Self::Title,
        Self::Version,
        Self::Path,
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
            Self::Owner => "owner",
            Self::Repository => "repository",
            Self::Number => "number",
            Self::Package => "package",
            Self::Scoped => "scoped",
            Self::Module => "module",
            Self::Title => "title",
            Self::Version => "version",
            Self::Path => "path",
        }
    }

    /// The slot of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|slot| slot.name() == name)
    }

    /// Whether a whole value is of the grammar.
    pub(crate) fn fits(self, value: &str) -> bool {
        let digits = |text: &str, least: usize, most: usize| {
            (least..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let number = |text: &str, most: usize| digits(text, 1, most) && !text.starts_with('0');
        if value.is_empty() || value.len() > LONGEST {
            return false;
        }
        match self {
            Self::Doi => is_doi(value),
            Self::Arxiv => {
                let (number, version) = value.split_once('v').unwrap_or((value, "1"));
                number.split_once('.').is_some_and(|(month, rest)| {
                    let month_fits = month.get(2..).is_some_and(|month| ("01"..="12").contains(&month));
                    digits(month, 4, 4) && month_fits && digits(rest, 4, 5)
                }) && digits(version, 1, 2)
                    && !version.starts_with('0')
            }
            Self::Pmid => number(value, 8),
            Self::Pmcid => strip_letters(value, "pmc").is_some_and(|rest| number(rest, 8)),
            Self::Rfc => number(value, 5),
            Self::Pep => digits(value, 4, 4),
            Self::Cve => strip_letters(value, "cve-")
                .and_then(|rest| rest.split_once('-'))
                .is_some_and(|(year, rest)| digits(year, 4, 4) && digits(rest, 4, 7)),
            Self::Owner => {
                value.len() <= 39
                    && value.starts_with(|first: char| first.is_ascii_alphanumeric())
                    && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
            }
            Self::Repository => is_name(value) && !value.ends_with(".git"),
            Self::Number => number(value, 7),
            Self::Package => is_name(value),
            Self::Scoped => match value.strip_prefix('@') {
                Some(scoped) => scoped.split_once('/').is_some_and(|(scope, name)| is_name(scope) && is_name(name)),
                None => is_name(value),
            },
            Self::Module => is_module(value),
            Self::Title => is_title(value),
            Self::Version => is_name(value),
            Self::Path => value.split('/').all(|segment| is_name(segment.strip_prefix(['.', '_']).unwrap_or(segment))),
        }
    }

    /// Whether a value may hold a slash, so that nothing can stand behind it in an address.
    pub(crate) fn holds_slashes(self) -> bool {
        match self {
            Self::Doi | Self::Scoped | Self::Module | Self::Path => true,
            Self::Arxiv
            | Self::Pmid
            | Self::Pmcid
            | Self::Rfc
            | Self::Pep
            | Self::Cve
            | Self::Owner
            | Self::Repository
            | Self::Number
            | Self::Package
            | Self::Title
            | Self::Version => false,
        }
    }

    /// The value that stands in an address in this form.
    pub(crate) fn out_of_address(self, form: &str) -> Option<String> {
        let value = if self == Self::Title { form.replace('_', " ") } else { form.to_owned() };
        let is_form = self != Self::Title || !form.contains(' ');
        (is_form && self.fits(&value)).then_some(value)
    }

    /// The form in which a value stands in an address.
    pub(crate) fn into_address(self, value: &str) -> String {
        if self == Self::Title { value.replace(' ', "_") } else { value.to_owned() }
    }
}

/// What follows some letters of any case.
pub(super) fn strip_letters<'t>(text: &'t str, letters: &str) -> Option<&'t str> {
    let (head, rest) = text.split_at_checked(letters.len())?;
    head.eq_ignore_ascii_case(letters).then_some(rest)
}

/// Letters, digits and what joins them, no detour and no hidden file.
fn is_name(value: &str) -> bool {
    value.len() <= 100
        && value.starts_with(|first: char| first.is_ascii_alphanumeric())
        && value.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
        && !value.ends_with('.')
        && !value.contains("..")
}

fn is_doi(value: &str) -> bool {
    let Some((registrant, suffix)) = value.strip_prefix("10.").and_then(|rest| rest.split_once('/')) else {
        return false;
    };
    (4..=9).contains(&registrant.len())
        && registrant.bytes().all(|byte| byte.is_ascii_digit())
        && suffix.bytes().all(super::token::in_doi)
        && suffix.split('/').all(|segment| !segment.is_empty() && !matches!(segment, "." | ".."))
        && suffix.ends_with(|last: char| last.is_ascii_alphanumeric() || last == ')')
}

fn is_module(value: &str) -> bool {
    let mut segments = value.split('/');
    let host = segments.next().unwrap_or_default();
    let named = |segment: &str| is_name(segment) || segment.strip_prefix('~').is_some_and(is_name);
    host.contains('.') && is_name(host) && value.contains('/') && segments.all(named)
}

fn is_title(value: &str) -> bool {
    let inner = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b' ' | b',' | b'\'' | b'(' | b')' | b'-');
    value.len() <= 80
        && value.starts_with(|first: char| first.is_ascii_alphanumeric())
        && value.ends_with(|last: char| last.is_ascii_alphanumeric() || last == ')')
        && value.bytes().all(inner)
        && !value.contains("  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_of_their_grammars_and_nothing_more() {
        let fitting: &[(Slot, &[&str])] = &[
            (Slot::Doi, &["10.5555/3312.7781", "10.5555/S0097-8493(25)00120-X", "10.1000/a/b"]),
            (Slot::Arxiv, &["2406.01234", "0704.0001", "2406.01234v12"]),
            (Slot::Pmid, &["31452104"]),
            (Slot::Pmcid, &["PMC7096066"]),
            (Slot::Cve, &["CVE-2024-3094"]),
            (Slot::Owner, &["heron-works"]),
            (Slot::Repository, &["pond.filter_2"]),
            (Slot::Scoped, &["@types/node", "left-pad"]),
            (Slot::Module, &["go.example.org/x/tools", "git.sr.ht/~heron/pond"]),
            (Slot::Title, &["Violet sea snail", "Kiln (ceramics)"]),
            (Slot::Path, &["README.md", "src/lib.rs", ".ci/run.sh", "_site/a"]),
        ];
        for (slot, values) in fitting {
            assert!(values.iter().all(|value| slot.fits(value)), "{slot:?}");
        }
        let strange: &[(Slot, &[&str])] = &[
            (
                Slot::Doi,
                &[
                    "10.5555/",
                    "10.55/x",
                    "10.5555/a/../b",
                    "10.5555/a//b",
                    "10.5555/a%2fb",
                    "10.5555/a?b",
                    "10.5555/a b",
                    "10.5555/é",
                    "10.5555/a.",
                ],
            ),
            (Slot::Arxiv, &["2413.01234", "2406.012", "2406.01234v", "2406.01234v01", "2406.01234.pdf"]),
            (Slot::Pmid, &["012", "123456789", "１２３"]),
            (Slot::Cve, &["CVE-24-3094", "CVE-2024-secret"]),
            (Slot::Owner, &["-x", "a.b", "a/b", "аnna"]),
            (Slot::Repository, &["..", ".git", "a..b", "a%2fb", "a.git"]),
            (Slot::Scoped, &["@types", "@a/b/c", "a/b"]),
            (Slot::Module, &["a/b", "go.example.org", "go.example.org/../x", "go.example.org//x"]),
            (Slot::Path, &["", "/a", "a/", "a//b", "a/../b", "a/..", "a%2fb", "a?b"]),
            (Slot::Title, &["", " a", "a  b", "a?b", "a%20b", "a/b", "é"]),
        ];
        for (slot, values) in strange {
            let fitting: Vec<_> = values.iter().filter(|value| slot.fits(value)).collect();
            assert!(fitting.is_empty(), "{slot:?} {fitting:?}");
        }
        assert!(Slot::ALL.iter().all(|slot| !slot.fits(&"1".repeat(LONGEST + 1))));
    }
}

//! Conventions by which the addresses of well-known sites are made from a name or number.
//!
//! They serve to count with and open nothing.

use percent_encoding::percent_decode_str;
use url::Url;

/// A convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Convention {
    /// Its name.
    pub name: &'static str,
    /// The host; one that begins with a dot has any label before it, an empty one is any host that was seen.
    pub host: &'static str,
    /// The path: `{}` is one segment or the rest of one, `{/}` is all that follows.
    pub path: &'static str,
}

const fn convention(name: &'static str, host: &'static str, path: &'static str) -> Convention {
    Convention { name, host, path }
}

/// The conventions that are known.
pub const CONVENTIONS: &[Convention] = &[
    convention("issue", "", "/browse/{}"),
    convention("doi", "doi.org", "/{/}"),
    convention("arxiv", "arxiv.org", "/abs/{}"),
    convention("arxiv", "arxiv.org", "/pdf/{}"),
    convention("pubmed", "pubmed.ncbi.nlm.nih.gov", "/{}"),
    convention("github", "github.com", "/{}/{}"),
    convention("github", "github.com", "/{}/{}/issues/{}"),
    convention("github", "github.com", "/{}/{}/pull/{}"),
    convention("github", "github.com", "/{}/{}/releases/tag/{}"),
    convention("pypi", "pypi.org", "/project/{}"),
    convention("crates", "crates.io", "/crates/{}"),
    convention("crates", "docs.rs", "/{}"),
    convention("npm", "www.npmjs.com", "/package/{/}"),
    convention("go", "pkg.go.dev", "/{/}"),
    convention("rfc", "www.rfc-editor.org", "/rfc/rfc{}"),
    convention("rfc", "datatracker.ietf.org", "/doc/html/rfc{}"),
    convention("cve", "nvd.nist.gov", "/vuln/detail/{}"),
    convention("wikipedia", ".wikipedia.org", "/wiki/{}"),
];

/// The convention that an address follows, with the values that fill it.
pub(super) fn matching(address: &str, host: &str, is_seen: bool) -> Option<(&'static Convention, Vec<String>)> {
    let url = Url::parse(address).ok()?;
    if url.query().is_some() {
        return None;
    }
    let path = url.path().strip_suffix('/').unwrap_or(url.path());
    CONVENTIONS.iter().find_map(|convention| {
        let is_host = match convention.host {
            "" => is_seen,
            suffix if suffix.starts_with('.') => host.ends_with(suffix),
            whole => host == whole,
        };
        let values = is_host.then(|| values(convention.path, path)).flatten()?;
        Some((convention, values))
    })
}

/// What fills the slots of a path.
fn values(pattern: &str, path: &str) -> Option<Vec<String>> {
    let mut values = Vec::new();
    let mut rest = path;
    for part in pattern.split_inclusive('/') {
        let Some((fixed, slot)) = part.split_once('{') else {
            rest = rest.strip_prefix(part)?;
            continue;
        };
        // The slash of `{/}` is the pattern's, which ends there.
        let takes_all = slot == "/";
        rest = rest.strip_prefix(fixed)?;
        let end = if takes_all { rest.len() } else { rest.find('/').unwrap_or(rest.len()) };
        let (value, behind) = rest.split_at_checked(end)?;
        values.push(percent_decode_str(value).decode_utf8_lossy().into_owned());
        rest = if takes_all { "" } else { behind };
        if takes_all {
            break;
        }
        if part.ends_with('/') {
            rest = rest.strip_prefix('/')?;
        }
    }
    (rest.is_empty() && values.iter().all(|value| !value.is_empty())).then_some(values)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn follows(address: &str, wanted: Option<(&str, &[&str])>) {
        let url = Url::parse(address).unwrap_or_else(|_| unreachable_address());
        let found = matching(address, url.host_str().unwrap_or_default(), true);
        let found = found.map(|(convention, values)| (convention.name, values));
        let wanted = wanted.map(|(name, values)| (name, values.iter().map(|value| (*value).to_owned()).collect()));
        assert_eq!(found, wanted, "{address}");
    }

    #[expect(clippy::panic, reason = "a panic is the report of a test")]
    fn unreachable_address() -> Url {
        panic!("an address of a test does not parse")
    }

    #[test]
    fn values_fill_whole_segments() {
        follows("https://doi.org/10.1000/182", Some(("doi", &["10.1000/182"])));
        follows("https://arxiv.org/abs/2401.00001", Some(("arxiv", &["2401.00001"])));
        follows("https://arxiv.org/abs/", None);
        follows("https://arxiv.org/list/cs", None);
        follows("https://github.com/rust-lang/rust/", Some(("github", &["rust-lang", "rust"])));
        follows("https://github.com/rust-lang/rust/issues/7", Some(("github", &["rust-lang", "rust", "7"])));
        follows("https://github.com/rust-lang/rust/blob/main/x", None);
        follows("https://www.rfc-editor.org/rfc/rfc9110", Some(("rfc", &["9110"])));
        follows("https://de.wikipedia.org/wiki/Wei%C3%9Fe_Rose", Some(("wikipedia", &["Weiße_Rose"])));
        follows("https://tickets.example/browse/INC-17", Some(("issue", &["INC-17"])));
        follows("https://tickets.example/browse/INC-17?d=1", None);
    }
}

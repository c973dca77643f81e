//! What may be made of sources, as the slow statement of the rule says it: parent paths, files that stand at the root of many
//! hosts, page numbers. Conventions of single sites are not stated a second time; cases hold them.

use firsthand::address::{Address, Asked, Form};
use firsthand::verdict::Step;

/// Files at the root of a host.
const FILES: [&str; 4] = ["/robots.txt", "/sitemap.xml", "/llms.txt", "/llms-full.txt"];

/// Names of parameters that number pages.
const PAGES: [&str; 6] = ["page", "p", "pg", "paged", "pageno", "pageNumber"];

/// The source from which an asked address is made, what leaves and how it was made. `runs` holds the sources of each run, the
/// run's own first.
pub fn made<'s, S: AsRef<Address>>(
    asked: &Asked,
    runs: &[Vec<&'s S>],
    truncation: bool,
    conventions: bool,
) -> Option<(&'s S, String, Step)> {
    let parent = || above(asked, runs).map(|(source, send)| (source, send, Step::Truncated));
    let by_convention = || {
        let file = FILES.iter().find_map(|file| {
            let root = Asked::parse(asked.address().reveal().strip_suffix(file)?).ok()?;
            let (source, send) = above(&root, runs).filter(|_| root.address().is_root())?;
            Some((source, format!("{}{file}", send.trim_end_matches('/'))))
        });
        let made = file.or_else(|| numbered(asked, runs));
        made.map(|(source, send)| (source, send, Step::Convention))
    };
    let parent = if truncation { parent() } else { None };
    parent.or_else(|| if conventions { by_convention() } else { None })
}

/// The parent paths of a source, the root of its host too, with a slash at the end and without.
pub fn parents(source: &str) -> Vec<String> {
    let start = source.find("://").map_or(0, |at| at + 3);
    let path = source.split('?').next().unwrap_or_default();
    let slashes = path.match_indices('/').map(|(at, _)| at).filter(|at| *at >= start);
    let cuts = slashes.flat_map(|at| [path.get(..at), path.get(..=at)]).flatten().map(str::to_owned);
    cuts.chain([origin(source).to_owned()]).collect()
}

/// Addresses that might be made of a source.
pub fn derivations(source: &str) -> Vec<String> {
    let files = FILES.iter().map(|file| format!("{}{file}", origin(source)));
    let pages = [1, 2, 3, 50, 51].into_iter().filter_map(|page| with_page(source, page));
    parents(source).into_iter().chain(files).chain(pages).collect()
}

fn origin(source: &str) -> &str {
    let start = source.find("://").map_or(0, |at| at + 3);
    let rest = source.get(start..).unwrap_or_default();
    let end = rest.find(['/', '?']).map_or(source.len(), |at| start + at);
    source.get(..end).unwrap_or_default()
}

/// The first source that an asked address is a parent path of, in the spelling that was asked for before any other.
fn above<'s, S: AsRef<Address>>(asked: &Asked, runs: &[Vec<&'s S>]) -> Option<(&'s S, String)> {
    let address = asked.address();
    if address.has_query() {
        return None;
    }
    let (scheme, rest) = address.identity().split_once("://")?;
    let www = rest.strip_prefix("www.").map_or_else(|| format!("www.{rest}"), str::to_owned);
    let other = if scheme == "http" { "https" } else { "http" };
    let spellings = [
        address.reveal().to_owned(),
        address.identity().to_owned(),
        format!("{other}://{rest}"),
        format!("{scheme}://{www}"),
        format!("{other}://{www}"),
    ];
    spellings.iter().find_map(|spelling| {
        let spelling = spelling.split('?').next().unwrap_or_default();
        let bare = spelling.strip_suffix('/').unwrap_or(spelling);
        let slash = spelling.len() > bare.len();
        runs.iter().find_map(|sources| {
            let sources: Vec<&&S> = sources.iter().filter(|source| !source.as_ref().is_odd()).collect();
            let written = sources.iter().find(|source| is_parent(bare, source.as_ref().reveal()));
            let read = || sources.iter().find(|source| is_parent(bare, source.as_ref().identity()));
            let source = **written.or_else(read)?;
            Some((source, beginning(source.as_ref().reveal(), segments(bare), slash)))
        })
    })
}

/// How many segments a path without a slash at its end has.
fn segments(path: &str) -> usize {
    path.split('/').count().saturating_sub(3)
}

/// Whether a path has fewer segments than an address that begins with it, or is the root of its host.
fn is_parent(bare: &str, address: &str) -> bool {
    let path = address.split('?').next().unwrap_or_default();
    let path = path.strip_suffix('/').unwrap_or(path);
    let parts = |text: &str| text.split('/').map(str::to_owned).collect::<Vec<_>>();
    let (bare, path) = (parts(bare), parts(path));
    let is_root = bare.len() == 3;
    path.starts_with(&bare) && (is_root || bare.len() < path.len())
}

fn beginning(address: &str, segments: usize, slash: bool) -> String {
    let path = address.split('?').next().unwrap_or_default();
    let mut parts: Vec<&str> = path.split('/').collect();
    let goes_on = parts.len() > segments + 3;
    parts.truncate(segments + 3);
    format!("{}{}", parts.join("/"), if slash && goes_on { "/" } else { "" })
}

/// The first source that is the same but for its page number.
fn numbered<'s, S: AsRef<Address>>(asked: &Asked, runs: &[Vec<&'s S>]) -> Option<(&'s S, String)> {
    let address = asked.address();
    let number = page(address.reveal()).filter(|number| (2..=50).contains(number))?;
    let sources = || runs.iter().flatten().filter(|source| !source.as_ref().is_odd());
    let mut first = None;
    for other in (0..=50).filter(|other| *other != number) {
        let wanted = Asked::parse(&with_page(address.reveal(), other)?).ok()?;
        let wanted = wanted.address();
        let exact = sources().find(|source| source.as_ref().reveal() == wanted.reveal());
        let same = || sources().find(|source| source.as_ref().identity() == wanted.identity());
        let loose = || sources().find(|source| source.as_ref().loose() == wanted.loose());
        if let Some(source) = exact {
            return Some((source, with_page(source.as_ref().reveal(), number)?));
        }
        first = first.or_else(|| same().or_else(loose).map(|source| (*source, other)));
    }
    let (source, _) = first?;
    Some((source, with_page(source.as_ref().reveal(), number)?))
}

/// The page number of an address, if exactly one parameter is one.
fn page(address: &str) -> Option<u32> {
    let (_, query) = address.split_once('?')?;
    let mut pages = query.split('&').filter_map(|pair| pair.split_once('=')).filter(|(name, _)| PAGES.contains(name));
    let (_, value) = pages.next().filter(|_| pages.next().is_none())?;
    value.parse().ok().filter(|page: &u32| page.to_string() == value)
}

fn with_page(address: &str, number: u32) -> Option<String> {
    page(address)?;
    let (place, query) = address.split_once('?')?;
    let pair = |pair: &str| match pair.split_once('=') {
        Some((name, _)) if PAGES.contains(&name) => format!("{name}={number}"),
        Some(_) | None => pair.to_owned(),
    };
    let made = format!("{place}?{}", query.split('&').map(pair).collect::<Vec<_>>().join("&"));
    Address::written(&made, Form::Absolute).map(|_| made)
}

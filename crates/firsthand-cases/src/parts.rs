//! Addresses and their parts, as the slow statement of the rule compares them with each other and with texts.
//!
//! What counts as a part, as a word and as the same is said here; what follows from it is said by the oracle.

use firsthand::address::{Address, Asked, folded_words, is_bare_root};
use firsthand::find::written_in_json;
use firsthand::json;
use firsthand::verdict::Step;

/// The shortest part that is told apart from chance, in bytes.
const SHORTEST: usize = 8;

/// The labels, path segments, and names and values of the query of an address, folded, which are long enough.
pub fn parts(address: &Address) -> Vec<String> {
    let rest = address.reveal().split_once("://").map_or("", |(_, rest)| rest);
    let (place, query) = rest.split_once('?').unwrap_or((rest, ""));
    let (host, path) = place.split_once('/').unwrap_or((place, ""));
    in_pieces(host.split(['.', ':', '@']).chain(path.split('/')).chain(pairs(query)))
}

/// Whether a part is one of the query of an address.
pub fn is_in_query(part: &str, address: &Address) -> bool {
    let query = address.reveal().split_once('?').map_or("", |(_, query)| query);
    in_pieces(pairs(query)).iter().any(|piece| piece == part)
}

/// The names and values of a query.
fn pairs(query: &str) -> impl Iterator<Item = &str> {
    query.split('&').flat_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        [name, value]
    })
}

/// Parts, and what is between the separators in them.
fn in_pieces<'a>(parts: impl Iterator<Item = &'a str>) -> Vec<String> {
    let separates = |letter: char| r#"/?&=#;,:|@~$!*"'()[]{}<>"#.contains(letter);
    let pieces = |part: String| -> Vec<String> {
        let pieces = part.split(separates).map(str::trim).chain([&*part]);
        pieces.filter(|piece| piece.len() >= SHORTEST).map(str::to_owned).collect()
    };
    parts.map(fold).flat_map(pieces).collect()
}

/// A text as words are compared.
pub fn fold(text: &str) -> String {
    folded_words(text).into_owned()
}

/// Every name, string and number of a JSON text on a line of its own, folded, also of JSON texts in its strings, so many in
/// each other.
pub fn leaves(text: &str, inside: usize) -> String {
    let mut all = String::new();
    json::walk(text, &mut |_, leaf| {
        all.extend([&fold(&leaf.text), "\n"]);
        if inside > 0 && json::looks_like_json(&leaf.text) {
            all.push_str(&leaves(&leaf.text, inside - 1));
        }
    });
    all
}

/// The runs of letters, digits, `-` and `_` of a text that are long enough, by which a value is known again.
pub fn long_runs(text: &str) -> Vec<&str> {
    let joins = |letter: char| matches!(letter, '-' | '_');
    let runs = text.split(|letter: char| !letter.is_ascii_alphanumeric() && !joins(letter));
    runs.map(|run| run.trim_matches(joins)).filter(|run| run.len() >= SHORTEST).collect()
}

/// A text with its percent escapes undone until none is left.
pub fn without_escapes(text: &str) -> String {
    let mut text = text.to_owned();
    loop {
        let undone = percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned();
        if undone == text {
            return text;
        }
        text = undone;
    }
}

/// Whether every run of eight bytes of a part stands in some text.
pub fn stands_piecemeal(part: &str, text: &str) -> bool {
    let runs = |text: &str| -> Vec<Vec<u8>> { text.as_bytes().windows(SHORTEST).map(<[u8]>::to_vec).collect() };
    let all = runs(text);
    runs(part).iter().all(|run| all.contains(run))
}

/// Whether a part stands in a text as a word: whole, between two dots of it, or between two of its joints.
///
/// A part with brackets or the like in it is a word where nothing but delimiters stands around it.
pub fn is_a_word_of(part: &str, text: &str) -> bool {
    let joins = |letter: char| matches!(letter, '-' | '_' | '.' | '~' | '@' | '$' | '\'');
    let delimits = |letter: char| {
        letter.is_whitespace()
            || matches!(letter, '/' | '?' | '&' | '=' | '#' | '"' | '<' | '>' | '`' | '|' | ',' | ';' | '\\')
    };
    let mut words = text.split(|letter: char| !letter.is_alphanumeric() && !joins(letter));
    words.any(|word| {
        let word = word.trim_matches(joins);
        word == part || word.split('.').any(|label| label == part) || word.split(joins).any(|piece| piece == part)
    }) || part.contains(['(', ')', ':', '%', '!', '*', '[', ']']) && text.split(delimits).any(|other| other == part)
}

/// Which of the sources in view an asked address means: each step over all of them before the next.
pub fn meant<'s, S: AsRef<Address>>(asked: &Asked, sources: &'s [S]) -> Option<(&'s S, Step)> {
    let meant = asked.address();
    let same = |source: &Address, step| match step {
        Step::Identical => source.reveal() == asked.raw(),
        Step::Serialized => asked.raw() == meant.reveal() && source.identity() == meant.identity(),
        Step::Loose => source.loose() == meant.loose(),
        Step::QueryDropped => !meant.has_query() && source.loose_without_query() == meant.loose_without_query(),
        Step::Truncated | Step::Convention | Step::Grant | Step::Reference => false,
    };
    let steps = [Step::Identical, Step::Serialized, Step::Loose, Step::QueryDropped];
    let found = |step| sources.iter().filter(move |source| !source.as_ref().is_odd() && same(source.as_ref(), step));
    let (source, step) = steps.into_iter().find_map(|step| found(step).next().map(|source| (source, step)))?;
    // Where a query was dropped, it must be clear which.
    let clear = found(step).all(|other| other.as_ref().identity() == source.as_ref().identity());
    (clear || step != Step::QueryDropped).then_some((source, step))
}

/// An address without its scheme, `www.` and a slash at its end.
pub fn page(address: &Address) -> &str {
    let rest = address.reveal().split_once("://").map_or("", |(_, rest)| rest);
    let rest = rest.strip_prefix("www.").unwrap_or(rest);
    rest.strip_suffix('/').unwrap_or(rest)
}

/// Whether a wide key is a host and nothing more.
pub fn is_root(key: &str) -> bool {
    !key.contains(['/', '?'])
}

/// Whether a mark stands in a key behind no letter or digit; a root only where an address has its host: in front, or behind
/// the scheme of an address in it. The key itself is not meant.
pub fn is_within(mark: &str, key: &str) -> bool {
    let host = key.find(['/', '?']).unwrap_or(key.len());
    mark != key
        && key.match_indices(mark).any(|(at, _)| {
            let before = key.get(..at).unwrap_or_default();
            let apart = !before.ends_with(char::is_alphanumeric);
            apart && (!is_root(mark) || at < host || before.ends_with("//") || before.ends_with(":/"))
        })
}

/// Whether an address stands in the arguments of a call, in whole, as a part or with more.
pub fn stands_in(key: &str, arguments: &str) -> bool {
    let mut stands = false;
    written_in_json(arguments, &mut |place| {
        stands |= place.key.contains(key) || !is_bare_root(place.key) && key.contains(place.key);
    });
    stands
}

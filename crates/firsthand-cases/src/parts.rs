//! Addresses and their parts, as the slow statement of the rule compares them with each other and with texts.
//!
//! What counts as a part, as a word and as the same is said here; what follows from it is said by the oracle.

use firsthand::address::{Address, Asked};
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
    let pairs = query.split('&').flat_map(|pair| {
        let (name, value) = pair.split_once('=').unwrap_or(("", pair));
        [name, value]
    });
    let all = host.split(['.', ':', '@']).chain(path.split('/')).chain(pairs);
    all.map(fold).filter(|part| part.len() >= SHORTEST).collect()
}

/// Lower case, percent-encoding undone once, every white space and `+` one space.
pub fn fold(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let digits = tail.get(..2).filter(|_| *first == b'%').and_then(|digits| std::str::from_utf8(digits).ok());
        let escape = digits.filter(|digits| digits.bytes().all(|digit| digit.is_ascii_hexdigit()));
        let decoded = escape.and_then(|digits| u8::from_str_radix(digits, 16).ok());
        bytes.push(decoded.unwrap_or(*first));
        rest = if decoded.is_some() { tail.get(2..).unwrap_or_default() } else { tail };
    }
    let lower = String::from_utf8_lossy(&bytes).to_lowercase();
    lower.chars().map(|letter| if letter == '+' || letter.is_whitespace() { ' ' } else { letter }).collect()
}

/// Every name, string and number of a JSON text on a line of its own, folded, also of JSON texts in its strings.
pub fn leaves(text: &str) -> String {
    let mut all = String::new();
    json::walk(text, &mut |_, leaf| {
        all.extend([&fold(&leaf.text), "\n"]);
        if leaf.kind == json::Kind::String && json::looks_like_json(&leaf.text) {
            json::walk(&leaf.text, &mut |_, leaf| all.extend([&fold(&leaf.text), "\n"]));
        }
    });
    all
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

/// Whether a wide key is a host and nothing more.
pub fn is_root(key: &str) -> bool {
    !key.contains(['/', '?'])
}

/// Whether an address stands in the arguments of a call, in whole, as a part or with more.
pub fn stands_in(key: &str, arguments: &str) -> bool {
    let mut stands = false;
    written_in_json(arguments, &mut |place| {
        stands |= place.key.contains(key) || !is_root(&place.key) && key.contains(&place.key);
    });
    stands
}

//! A result without the addresses that carry their own permission.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use firsthand::address::Address;
use firsthand::find::{self, Format, Voice};
use firsthand::json;

use crate::signed::{Setting, Signed, address, plain, signed};
use crate::table::table;

/// How many JSON texts in each other's strings are taken apart. What is deeper is read as text.
const NESTED: usize = 8;

/// From which length on a line may be one that a terminal broke, in bytes.
const WIDE: usize = 60;

/// The shortest beginning of a line that goes on with a value of the line before, in bytes.
const SHORTEST: usize = 8;

/// How often a text is looked through.
const ROUNDS: usize = 4;

/// A masked result.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Masked {
    /// The text. What was not masked is as it was, byte for byte.
    pub text: String,
    /// How many places were masked, by provider.
    pub by_provider: BTreeMap<&'static str, usize>,
}

/// Masks every signed address of a text: JSON (also in strings of JSON), HTML, Markdown, CSV, prose.
///
/// `stand_in` is asked once for each address, with its plain spelling as an [`Address`] where it is one, and gives what
/// stands in its place: a reference, or a text that means nothing. All copies get the same.
pub fn mask(text: &str, setting: Setting, stand_in: &mut dyn FnMut(Option<&Address>, &Signed) -> String) -> Masked {
    let mut given = HashMap::new();
    let mut masked = Masked { text: text.to_owned(), by_provider: BTreeMap::new() };
    // What is masked may have hidden where the next one begins.
    for _ in 0..ROUNDS {
        let places = places(&masked.text, setting, NESTED);
        if places.is_empty() {
            break;
        }
        masked = replaced(masked, places, &mut given, stand_in);
    }
    masked
}

fn replaced(
    Masked { text, mut by_provider }: Masked,
    mut places: Vec<Place>,
    given: &mut HashMap<String, String>,
    stand_in: &mut dyn FnMut(Option<&Address>, &Signed) -> String,
) -> Masked {
    places.sort_by_key(|place| (place.range.start, std::cmp::Reverse(place.range.end)));
    let mut masked = String::with_capacity(text.len());
    let mut at = 0;
    for Place { range, spelling, signed } in places {
        if range.start < at {
            continue;
        }
        let address = address(&spelling);
        let key = address.as_ref().map_or_else(|| plain(&spelling).into_owned(), |of| of.identity().to_owned());
        let stand_in = given.entry(key).or_insert_with(|| stand_in(address.as_ref(), &signed));
        masked.push_str(text.get(at..range.start).unwrap_or_default());
        masked.push_str(stand_in);
        *by_provider.entry(signed.provider).or_default() += 1;
        at = range.end;
    }
    masked.push_str(text.get(at..).unwrap_or_default());
    Masked { text: masked, by_provider }
}

/// Where a signed address stands.
struct Place {
    range: Range<usize>,
    spelling: String,
    signed: Signed,
}

fn places(text: &str, setting: Setting, depth: usize) -> Vec<Place> {
    match depth > 0 && json::looks_like_json(text) {
        true => in_json(text, setting, depth - 1),
        false => in_text(text, setting),
    }
}

/// The places in the strings of a JSON text, and in what stands between them.
fn in_json(text: &str, setting: Setting, depth: usize) -> Vec<Place> {
    let mut all = Vec::new();
    let mut between = Vec::new();
    let mut at = 0;
    json::walk(text, &mut |path, leaf| {
        between.push(at..leaf.raw.start);
        at = leaf.raw.end;
        let raw = text.get(leaf.raw.clone()).unwrap_or_default();
        let decoded = Decoded::of(raw, leaf.raw.start);
        let by_its_key = leaf.kind == json::Kind::String
            && path.last().is_some_and(|step| matches!(step, json::Step::Key(key) if table().is_key(key)));
        if by_its_key && decoded.text.contains("://") {
            let signed = Signed { provider: "key", expires: None };
            let (range, spelling) = (decoded.raw(0..decoded.text.len()), decoded.text);
            all.push(Place { range, spelling, signed });
            return;
        }
        for Place { range, spelling, signed } in places(&decoded.text, setting, depth) {
            all.push(Place { range: decoded.raw(range), spelling, signed });
        }
    });
    between.push(at..text.len());
    for piece in between {
        let start = piece.start;
        for Place { range, spelling, signed } in in_text(text.get(piece).unwrap_or_default(), setting) {
            all.push(Place { range: start + range.start..start + range.end, spelling, signed });
        }
    }
    all
}

/// What stands for something else at the beginning of a rest: a letter or none, and how many bytes it has.
type Means<'m> = &'m dyn Fn(&str) -> Option<(Option<char>, usize)>;

/// A text without its escapes, and where each byte of it stands.
struct Decoded {
    text: String,
    /// The place of each byte, and of the end.
    at: Vec<usize>,
}

impl Decoded {
    /// `raw` stands between the quotes, from this byte on.
    fn of(raw: &str, start: usize) -> Self {
        let mut decoded = Self::with(raw, &|rest| {
            rest.starts_with('\\').then(|| escaped(rest)).map(|(letter, length)| (Some(letter), length))
        });
        decoded.at.iter_mut().for_each(|at| *at += start);
        decoded
    }

    /// A text in which `means` says what stands for something else.
    fn with(raw: &str, means: Means<'_>) -> Self {
        let mut decoded = Self { text: String::with_capacity(raw.len()), at: Vec::with_capacity(raw.len() + 1) };
        let mut place = 0;
        while let Some(rest) = raw.get(place..).filter(|rest| !rest.is_empty()) {
            let first = rest.chars().next();
            let (letter, length) = means(rest).unwrap_or((first, first.map_or(1, char::len_utf8)));
            for _ in 0..letter.map_or(0, char::len_utf8) {
                decoded.at.push(place);
            }
            decoded.text.extend(letter);
            place += length;
        }
        decoded.at.push(raw.len());
        decoded
    }

    fn raw(&self, range: Range<usize>) -> Range<usize> {
        let place = |at: usize| self.at.get(at).or(self.at.last()).copied().unwrap_or_default();
        place(range.start)..place(range.end)
    }
}

/// The letter of an escape, and how long the escape is. What is none is taken as it stands.
fn escaped(rest: &str) -> (char, usize) {
    let unit = |from: usize| {
        let digits = rest.get(from..from + 4).filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()))?;
        u32::from_str_radix(digits, 16).ok()
    };
    match rest.as_bytes().get(1) {
        Some(b'n') => ('\n', 2),
        Some(b't') => ('\t', 2),
        Some(b'r') => ('\r', 2),
        Some(b'b') => ('\u{8}', 2),
        Some(b'f') => ('\u{c}', 2),
        Some(letter @ (b'"' | b'\\' | b'/')) => (char::from(*letter), 2),
        Some(b'u') => match unit(2) {
            Some(high @ 0xd800..=0xdbff) => {
                let low = rest.get(6..8).filter(|escape| *escape == "\\u").and_then(|_| unit(8));
                let pair = low
                    .filter(|low| (0xdc00..=0xdfff).contains(low))
                    .map(|low| 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00));
                pair.and_then(char::from_u32).map_or(('\u{fffd}', 6), |letter| (letter, 12))
            }
            Some(unit) => (char::from_u32(unit).unwrap_or('\u{fffd}'), 6),
            None => ('\\', 1),
        },
        Some(_) | None => ('\\', 1),
    }
}

/// The places in a text of no JSON: as a reader of the world's side finds them, then generously in what is left.
fn in_text(text: &str, setting: Setting) -> Vec<Place> {
    let mut all = Vec::new();
    find::shown(text, Format::Auto, Voice::World, &mut |found| {
        if let Some(signed) = signed(&found.spelling, setting) {
            all.push(Place { range: found.start..found.end, spelling: found.spelling.into_owned(), signed });
        }
    });
    let mut at = 0;
    let found: Vec<Range<usize>> = all.iter().map(|place| place.range.clone()).collect();
    for range in found.into_iter().chain(std::iter::once(text.len()..text.len())) {
        if at < range.start {
            generous(text, at..range.start, setting, &mut all);
        }
        at = at.max(range.end);
    }
    for (view, is_sure) in [(soft_breaks(text), true), (unescaped(text), true), (wrapped(text), false)] {
        let Some(view) = view else { continue };
        let mut broken = Vec::new();
        generous(&view.text, 0..view.text.len(), setting, &mut broken);
        // Both are in the order of the text, so that each is looked at once.
        all.sort_by_key(|place| place.range.start);
        let (mut known, mut added) = (all.iter_mut().peekable(), Vec::new());
        for Place { range, spelling, signed } in broken {
            let range = view.raw(range);
            while known.next_if(|place| place.range.end <= range.start).is_some() {}
            match known.peek_mut().filter(|place| place.range.start < range.end) {
                None => added.push(Place { range, spelling, signed }),
                // It goes on behind the break.
                Some(place) if place.range.start == range.start && place.range.end < range.end => {
                    let rest = spelling.get(place.spelling.len()..).unwrap_or_default();
                    if is_sure || is_of_a_value(rest) {
                        **place = Place { range, spelling, signed };
                    }
                }
                Some(_) => {}
            }
        }
        all.append(&mut added);
    }
    all
}

/// A text of mail as quoted-printable means it (RFC 2045): an address in it may go on behind a soft break. None of others.
fn soft_breaks(text: &str) -> Option<Decoded> {
    if !text.contains("=\n") && !text.contains("=\r\n") {
        return None;
    }
    Some(Decoded::with(text, &|rest| {
        let code = |digits: &str| u8::from_str_radix(digits, 16).ok().filter(u8::is_ascii_graphic);
        match rest.strip_prefix('=') {
            Some(behind) if behind.starts_with('\n') => Some((None, 2)),
            Some(behind) if behind.starts_with("\r\n") => Some((None, 3)),
            Some(behind) => behind.get(..2).and_then(code).map(|byte| (Some(char::from(byte)), 3)),
            None => None,
        }
    }))
}

/// A text of Markdown as it is shown: letters that a converter escaped are themselves. None of others.
fn unescaped(text: &str) -> Option<Decoded> {
    let escape = |rest: &str| {
        let letter = rest.strip_prefix('\\')?.chars().next()?;
        letter.is_ascii_punctuation().then_some((Some(letter), 2))
    };
    // What has neither these nor a sign of a parameter carries nothing that a rule could ask for.
    let has_escapes =
        ["\\_", "\\-", "\\&", "\\=", "\\?", "\\.", "\\~", "\\%"].iter().any(|escape| text.contains(escape));
    has_escapes.then(|| Decoded::with(text, &escape))
}

/// Whether what stands in the next line goes on with a value, rather than being a word of its own.
fn is_of_a_value(rest: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || b"%_=+/.~&-".contains(&byte);
    rest.len() >= SHORTEST && rest.bytes().all(is_letter) && rest.bytes().any(|byte| byte.is_ascii_digit())
}

/// A text as it was before a terminal broke its lines: those that are long and end within an address go on in the next.
/// None of a text without such lines.
fn wrapped(text: &str) -> Option<Decoded> {
    let mut breaks = HashMap::new();
    let mut at = 0;
    // How long the line is that an address goes on from: those that a terminal broke are as long as each other.
    let mut inside: Option<usize> = None;
    for line in text.split_inclusive('\n') {
        let content = line.trim_end_matches(['\n', '\r']);
        let end = at + content.len();
        let last = content.rsplit(char::is_whitespace).next().unwrap_or_default();
        let goes_on = last.contains("://") || inside == Some(last.len()) && last.len() == content.len();
        inside = Some(content.len()).filter(|length| goes_on && *length >= WIDE);
        at += line.len();
        let next = text.get(at..).and_then(|rest| rest.chars().next());
        if inside.is_some() && next.is_some_and(|next| !next.is_whitespace()) {
            breaks.insert(end, at - end);
        }
    }
    (!breaks.is_empty()).then(|| {
        let whole = text.len();
        Decoded::with(text, &|rest| breaks.get(&(whole - rest.len())).map(|length| (None, *length)))
    })
}

/// What begins like an address, or holds what a rule asks for, up to white space, a quote or a bracket.
fn generous(text: &str, range: Range<usize>, setting: Setting, all: &mut Vec<Place>) {
    let ends = |letter: char| {
        letter.is_whitespace()
            || letter.is_control()
            || matches!(letter, '"' | '\'' | '`' | '<' | '>' | '|' | '{' | '}')
    };
    let piece = text.get(range.clone()).unwrap_or_default();
    let mut start = range.start;
    for token in piece.split_inclusive(ends) {
        let from = start;
        start += token.len();
        let token = token.trim_end_matches(ends);
        // Whatever has none of these carries nothing that a rule could ask for.
        if !token.contains(['=', '@']) && !token.contains("://") && !token.contains(":\\/\\/") {
            continue;
        }
        let lower = token.to_ascii_lowercase();
        let scheme = lower.find("http").unwrap_or_default();
        let Some(spelling) = token.get(scheme..).map(trimmed) else { continue };
        if let Some(signed) = signed(spelling, setting) {
            let range = from + scheme..from + scheme + spelling.len();
            all.push(Place { range, spelling: spelling.to_owned(), signed });
        }
    }
}

/// Without what ends a sentence or closes a bracket that was opened before.
fn trimmed(spelling: &str) -> &str {
    let mut spelling = spelling;
    loop {
        let shorter = spelling.trim_end_matches(['.', ',', ';', ':', '!', '?', '\\']);
        let shorter = match shorter.strip_suffix([')', ']']) {
            Some(rest) if !rest.contains(['(', '[']) => rest,
            Some(_) | None => shorter,
        };
        if shorter.len() == spelling.len() {
            return spelling;
        }
        spelling = shorter;
    }
}

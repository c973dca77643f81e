//! A text as each of its readers sees it.

use std::borrow::Cow;

use super::encoded::{self, Glued};
use super::letters::{beyond_ascii, has_narrowed, hides, narrow, untagged};
use super::scan::{Together, first_spelling, scan};
use super::signs;
use super::sink::Sink;
use crate::address::fold;

/// How often escapes are undone one after the other. Inside a run of characters they are undone to the last anyway.
const ROUNDS: usize = 4;

/// How many times one in the other base64 and hex are undone.
const ENCODED: usize = 3;

/// Reads a text in every way.
pub(super) fn read(text: &str, sink: &mut Sink<'_>) {
    read_nested(text, sink, 0);
}

/// Reads a text that was itself encoded `depth` times.
pub(super) fn read_nested(text: &str, sink: &mut Sink<'_>, depth: usize) {
    let has_escapes = read_one(text, sink, depth);
    // Most lines have nothing to undo.
    for block in signs::blocks(text, has_escapes) {
        read_undone(text.get(block).unwrap_or_default(), sink, depth);
    }
}

/// Reads a text with its escapes undone, by each reader alone and by all.
fn read_undone(text: &str, sink: &mut Sink<'_>, depth: usize) {
    let steps = Step::all(text);
    sink.remember();
    let mut all: Cow<'_, str> = Cow::Owned(undone(text, &steps));
    // What one reader alone undoes, he reads before others have their turn.
    for step in &steps {
        let alone = step.undone(text);
        if alone != text && alone != *all {
            read_one(&alone, sink, depth);
        }
        if *step == Step::Json {
            // JSON itself leaves what it does not know as it stands.
            let known = crate::json::decode(text);
            if known != text && known != alone {
                read_one(&known, sink, depth);
            }
        }
    }
    let mut before: Cow<'_, str> = Cow::Borrowed(text);
    for _ in 0..ROUNDS {
        if all == before {
            break;
        }
        read_one(&all, sink, depth);
        let next = undone(&all, &Step::all(&all));
        before = std::mem::replace(&mut all, Cow::Owned(next));
    }
}

fn undone(text: &str, steps: &[Step]) -> String {
    steps.iter().fold(text.to_owned(), |text, step| step.undone(&text))
}

/// Reads a text as it stands, and the encoded runs in it; whether it may hold escapes.
fn read_one(text: &str, sink: &mut Sink<'_>, depth: usize) -> bool {
    scan(text, Together::Runs, None, sink);
    let has_escapes = runs(text, sink);
    if depth < ENCODED {
        let glued = if depth == 0 { Glued::Anywhere } else { Glued::Nowhere };
        encoded::each_decoded(text, glued, &mut |decoded| read_nested(decoded, sink, depth + 1));
    }
    has_escapes
}

/// Undoes all escapes inside of each run that has some, and looks for addresses in what comes out; whether there may be any.
fn runs(text: &str, sink: &mut Sink<'_>) -> bool {
    let bytes = text.as_bytes();
    let (mut done, mut has_escapes) = (0, false);
    for hit in memchr::memchr3_iter(b'%', b'&', b'\\', bytes) {
        let next = bytes.get(hit + 1).copied().unwrap_or(b' ');
        let escapes = match bytes.get(hit) {
            Some(b'&') => next == b'#' || next.is_ascii_alphabetic(),
            // Browsers once escaped with a `u` too.
            Some(b'%') => next.is_ascii_hexdigit() || matches!(next, b'u' | b'U'),
            _ => true,
        };
        has_escapes |= escapes;
        if hit < done || !escapes {
            continue;
        }
        let ends = |byte: &u8| matches!(byte, 0..=b' ' | 0x7f | b'"' | b'<' | b'>');
        let before = bytes.get(done..hit).unwrap_or_default();
        let start = before.iter().rposition(ends).map_or(done, |at| done + at + 1);
        let end = bytes.get(hit..).unwrap_or_default().iter().position(ends).map_or(bytes.len(), |at| hit + at);
        done = end;
        let Some(run) = text.get(start..end) else { continue };
        for piece in pieces(run) {
            // Escapes inside of an address that stands there are that address's; else they belong to nobody's spelling.
            let outer = first_spelling(piece).filter(|(at, spelling)| {
                let around = [piece.get(..*at), piece.get(at + spelling.len()..)];
                around.iter().flatten().all(|part| !part.contains(['%', '&', '\\']))
            });
            let (piece, outer) = match &outer {
                Some((_, spelling)) => (spelling.as_str(), Some(spelling.as_str())),
                None => (piece, None),
            };
            let open = fold::unescaped(piece);
            if open == piece {
                continue;
            }
            scan(&open, Together::All, outer, sink);
            if open.contains("%23") {
                scan(&open.replace("%23", "#"), Together::All, outer, sink);
            }
        }
    }
    has_escapes
}

/// The run, and where addresses are glued to each other each of them.
fn pieces(run: &str) -> Vec<&str> {
    let mut cuts = vec![0];
    for (at, _) in run.match_indices("http") {
        let glued = at > 0 && !matches!(run.as_bytes().get(at - 1), Some(b'/' | b'='));
        if glued && run.get(at..).is_some_and(|rest| rest.starts_with("http://") || rest.starts_with("https://")) {
            cuts.push(at);
        }
    }
    cuts.push(run.len());
    cuts.windows(2).filter_map(|cut| run.get(*cut.first()?..*cut.last()?)).filter(|piece| !piece.is_empty()).collect()
}

/// What some reader undoes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Step {
    /// Entities of HTML.
    Entities,
    /// Escapes of JSON and programming languages.
    Json,
    /// Backslashes before whatever a shell takes as it stands.
    Backslashes,
    /// Characters that nobody sees.
    Invisible,
    /// Letters of another width or style.
    Styled,
    /// Dots and colons that are put in brackets.
    Defanged,
    /// The encoding of mails, which also breaks lines anywhere.
    QuotedPrintable,
    /// Invisible letters that each stand for one of ASCII.
    Tags,
}

impl Step {
    const ALL: [Self; 8] = [
        Self::Entities,
        Self::Json,
        Self::Backslashes,
        Self::QuotedPrintable,
        Self::Invisible,
        Self::Styled,
        Self::Defanged,
        Self::Tags,
    ];

    /// What there is to undo in a text, in the order in which it is undone.
    fn all(text: &str) -> Vec<Self> {
        Self::ALL.into_iter().filter(|step| step.applies(text)).collect()
    }

    fn applies(self, text: &str) -> bool {
        let bytes = text.as_bytes();
        match self {
            Self::Entities => memchr::memchr_iter(b'&', bytes).any(|at| signs::is_entity(bytes, at)),
            Self::Json | Self::Backslashes => memchr::memchr(b'\\', bytes).is_some(),
            Self::Invisible => {
                memchr::memchr2(0, 0x7f, bytes).is_some() || beyond_ascii(text).any(|(_, letter)| hides(letter))
            }
            Self::Styled => has_narrowed(text),
            Self::Defanged => signs::is_defanged(text),
            Self::QuotedPrintable => memchr::memchr_iter(b'=', bytes).any(|at| signs::is_quoted_printable(bytes, at)),
            Self::Tags => memchr::memmem::find(bytes, b"\xf3\xa0").is_some(),
        }
    }

    fn undone(self, text: &str) -> String {
        match self {
            Self::Entities => htmlize::unescape(text).into_owned(),
            Self::Json => without_json_escapes(text),
            Self::Backslashes => without_backslashes(text),
            Self::Invisible => text.chars().filter(|letter| !hides(*letter)).collect(),
            Self::Styled => text.chars().flat_map(narrow).collect(),
            Self::Defanged => refanged(text),
            Self::QuotedPrintable => without_quoted_printable(text),
            Self::Tags => text.chars().map(untagged).collect(),
        }
    }
}

/// Undoes the escapes that JSON and programming languages share; before any other character the backslash goes.
fn without_json_escapes(text: &str) -> String {
    let mut open = String::with_capacity(text.len());
    crate::json::decode_with(text, &mut |encoded, piece| {
        if encoded.len() > 1 || piece != "\\" {
            open.push_str(piece);
        }
    });
    open
}

/// Drops one backslash before each character, and ends of lines that are taken back by one.
fn without_backslashes(text: &str) -> String {
    let mut open = String::with_capacity(text.len());
    let mut letters = text.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => open.extend(letters.next().filter(|next| *next != '\n')),
            letter => open.push(letter),
        }
    }
    open
}

fn without_quoted_printable(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        let (decoded, behind) = match (first, tail) {
            (b'=', [b'\n', behind @ ..] | [b'\r', b'\n', behind @ ..]) => (None, behind),
            (b'=', [high, low, behind @ ..]) => match (fold::hex(*high), fold::hex(*low)) {
                (Some(high), Some(low)) => (Some(high << 4 | low), behind),
                _ => (Some(*first), tail),
            },
            (first, tail) => (Some(*first), tail),
        };
        bytes.extend(decoded);
        rest = behind;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn refanged(text: &str) -> String {
    const PAIRS: [(&str, &str); 25] = [
        (" [.] ", "."),
        (" (.) ", "."),
        (" [dot] ", "."),
        (" (dot) ", "."),
        (" {dot} ", "."),
        (" [DOT] ", "."),
        (" (DOT) ", "."),
        ("<dot>", "."),
        ("_dot_", "."),
        ("[.]", "."),
        ("(.)", "."),
        ("{.}", "."),
        ("[dot]", "."),
        ("(dot)", "."),
        ("{dot}", "."),
        ("[DOT]", "."),
        ("(DOT)", "."),
        (" dot ", "."),
        (" DOT ", "."),
        (" slash ", "/"),
        ("[:]", ":"),
        ("(:)", ":"),
        ("[://]", "://"),
        ("[:/]", ":/"),
        ("[/]", "/"),
    ];
    let text = PAIRS.iter().fold(
        text.to_owned(),
        |text, (sign, plain)| {
            if text.contains(sign) { text.replace(sign, plain) } else { text }
        },
    );
    without_half_brackets(text)
}

/// Drops brackets that stand on one side of a dot within a name only.
fn without_half_brackets(text: String) -> String {
    let bytes = text.as_bytes();
    let is_half = |at: usize| signs::is_half_bracketed(bytes, at);
    if !text.bytes().enumerate().any(|(at, _)| is_half(at)) {
        return text;
    }
    text.char_indices().filter(|(at, _)| !is_half(*at)).map(|(_, letter)| letter).collect()
}

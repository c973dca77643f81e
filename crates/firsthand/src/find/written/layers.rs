//! A text as each of its readers sees it.

use std::borrow::Cow;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use unicode_normalization::UnicodeNormalization as _;

use super::encoded::{self, Glued};
use super::scan::{Sink, Together, first_spelling, scan};
use crate::address::fold;

/// How often escapes are undone one after the other. Inside a run of characters they are undone to the last anyway.
const ROUNDS: usize = 4;

/// How many times one in the other base64 and hex are undone.
const ENCODED: usize = 3;

static DOT: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("dot"));
static DOT_IN_CAPITALS: LazyLock<Finder<'static>> = LazyLock::new(|| Finder::new("DOT"));

/// Reads a text in every way.
pub(super) fn read(text: &str, sink: &mut Sink<'_>) {
    read_nested(text, sink, 0);
}

/// Reads a text that was itself encoded `depth` times.
pub(super) fn read_nested(text: &str, sink: &mut Sink<'_>, depth: usize) {
    read_one(text, sink, depth);
    let steps = Step::all(text);
    if steps.is_empty() {
        return;
    }
    // Most lines have nothing to undo. Those that have are read together with the line behind, where an address may go on.
    let mut block: Option<(usize, usize)> = None;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let end = at + line.len();
        block = match (block, steps.iter().any(|step| step.applies(line))) {
            (None, true) => Some((at, end)),
            (Some((from, _)), true) => Some((from, end)),
            (Some((from, _)), false) => {
                read_undone(text.get(from..end).unwrap_or_default(), sink, depth);
                None
            }
            (None, false) => None,
        };
        at = end;
    }
    if let Some((from, to)) = block {
        read_undone(text.get(from..to).unwrap_or_default(), sink, depth);
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

/// Reads a text as it stands, and the encoded runs in it.
fn read_one(text: &str, sink: &mut Sink<'_>, depth: usize) {
    scan(text, Together::Runs, None, sink);
    runs(text, sink);
    if depth < ENCODED {
        let glued = if depth == 0 { Glued::Anywhere } else { Glued::Nowhere };
        encoded::each_decoded(text, glued, &mut |decoded| read_nested(decoded, sink, depth + 1));
    }
}

/// Undoes all escapes inside of each run that has some, and looks for addresses in what comes out.
fn runs(text: &str, sink: &mut Sink<'_>) {
    let bytes = text.as_bytes();
    let mut done = 0;
    for hit in memchr::memchr3_iter(b'%', b'&', b'\\', bytes) {
        let next = bytes.get(hit + 1).copied().unwrap_or(b' ');
        let escapes = match bytes.get(hit) {
            Some(b'&') => next == b'#' || next.is_ascii_alphabetic(),
            Some(b'%') => next.is_ascii_hexdigit(),
            _ => true,
        };
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
        match self {
            Self::Entities => has_entity(text),
            Self::Json | Self::Backslashes => memchr::memchr(b'\\', text.as_bytes()).is_some(),
            Self::Invisible => {
                let in_ascii = memchr::memchr2(0, 0x7f, text.as_bytes()).is_some();
                in_ascii || !text.is_ascii() && text.chars().any(|letter| !letter.is_ascii() && hides(letter))
            }
            Self::Styled => !text.is_ascii() && has_styled_letters(text),
            Self::Defanged => is_defanged(text),
            Self::QuotedPrintable => is_quoted_printable(text),
            Self::Tags => memchr::memmem::find(text.as_bytes(), b"\xf3\xa0").is_some(),
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

fn has_entity(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'&', bytes).any(|at| match bytes.get(at + 1) {
        Some(b'#') => true,
        Some(byte) if byte.is_ascii_alphabetic() => {
            let name =
                bytes.get(at + 1..).unwrap_or_default().iter().take(32).take_while(|byte| byte.is_ascii_alphanumeric());
            // Some old entities need no semicolon; the one that matters in an address is the ampersand itself.
            let length = name.count();
            bytes.get(at + 1 + length) == Some(&b';')
                || bytes.get(at + 1..).is_some_and(|name| name.starts_with(b"amp"))
        }
        _ => false,
    })
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

/// Whether a character vanishes, but for those that end lines and separate words.
fn hides(letter: char) -> bool {
    !matches!(letter, '\t' | '\n' | '\r' | '\u{2028}' | '\u{2029}' | '\u{85}') && fold::vanishes(letter)
}

/// Whether letters or dots of another width or style stand in a text (marks of full width are in every Chinese one).
fn has_styled_letters(text: &str) -> bool {
    let mut before = ' ';
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let between = before.is_alphanumeric() && letters.peek().is_some_and(|next| next.is_ascii_alphanumeric());
        match letter {
            '\u{ff21}'..='\u{ff3a}' | '\u{ff41}'..='\u{ff5a}' => return true,
            '\u{3002}' | '\u{ff0e}' | '\u{ff61}' if between => return true,
            _ if is_styled(letter) => return true,
            _ => before = letter,
        }
    }
    false
}

/// Whether a letter, digit or mark is one of ASCII in another style: raised, in a circle, bold, joined.
fn is_styled(letter: char) -> bool {
    matches!(
        u32::from(letter),
        0xaa | 0xb2..=0xb3
            | 0xb9..=0xba
            | 0x2b0..=0x2b8
            | 0x2e0..=0x2e4
            | 0x1d2c..=0x1d6a
            | 0x2024
            | 0x2070..=0x209c
            | 0x2100..=0x2115
            | 0x2119..=0x211d
            | 0x2124..=0x2149
            | 0x2160..=0x217f
            | 0x2460..=0x24ea
            | 0x2c7c..=0x2c7d
            | 0xa7f2..=0xa7f4
            | 0xfb00..=0xfb06
            | 0xfe52..=0xfe6b
            | 0x1ccd6..=0x1ccf9
            | 0x1d400..=0x1d7ff
            | 0x1f100..=0x1f14f
    )
}

fn narrow(letter: char) -> impl Iterator<Item = char> {
    let (one, styled) = match letter {
        '\u{3002}' | '\u{ff61}' => (Some('.'), None),
        '\u{ff01}'..='\u{ff5e}' => (None, Some(letter)),
        letter if is_styled(letter) => (None, Some(letter)),
        letter => (Some(letter), None),
    };
    one.into_iter().chain(styled.into_iter().nfkc())
}

/// The letter of ASCII that a tag stands for.
fn untagged(letter: char) -> char {
    match letter {
        '\u{e0020}'..='\u{e007e}' => char::from_u32(u32::from(letter) - 0xe0000).unwrap_or(letter),
        letter => letter,
    }
}

/// Whether a text shows signs of quoted-printable that an address has not: a broken line, one of its own marks encoded, two
/// bytes in a row.
fn is_quoted_printable(text: &str) -> bool {
    let bytes = text.as_bytes();
    memchr::memchr_iter(b'=', bytes).any(|at| match bytes.get(at + 1..).unwrap_or_default() {
        [b'\n', ..] | [b'\r', b'\n', ..] | [b'3', b'A' | b'D' | b'a' | b'd', ..] => true,
        [b'2', b'E' | b'F' | b'e' | b'f', ..] => true,
        [one, two, b'=', ..] => one.is_ascii_hexdigit() && two.is_ascii_hexdigit(),
        _ => false,
    })
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

/// Whether dots or colons of a text are put in brackets or spelled out.
fn is_defanged(text: &str) -> bool {
    const SIGNS: [&str; 6] = ["[.", "(.", "{.", "[:", "[/", "(:"];
    let bytes = text.as_bytes();
    let bracketed = memchr::memchr3_iter(b'[', b'(', b'{', bytes)
        .any(|at| text.get(at..at + 2).is_some_and(|pair| SIGNS.contains(&pair)));
    let spelled = |word: &Finder<'_>| {
        word.find_iter(bytes).any(|at| {
            let before = at.checked_sub(1).and_then(|before| bytes.get(before));
            matches!(before, Some(b'[' | b'(' | b'{' | b'<' | b'_' | b' '))
                && matches!(bytes.get(at + 3), Some(b']' | b')' | b'}' | b'>' | b'_' | b' '))
        })
    };
    bracketed || spelled(&DOT) || spelled(&DOT_IN_CAPITALS)
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
    PAIRS.iter().fold(
        text.to_owned(),
        |text, (sign, plain)| {
            if text.contains(sign) { text.replace(sign, plain) } else { text }
        },
    )
}

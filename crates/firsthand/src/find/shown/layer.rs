//! Texts within texts: each decoded layer knows where its bytes lie in the text that was given.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::ops::Range;

use super::{Found, Voice};
use crate::address::Form;
use crate::find::entity::{self, Place};
use crate::json;

/// How deep formats are read within each other; what lies deeper is read as plain text.
pub(super) const MAX_LAYERS: usize = 5;

/// A text: the one that was given, or one decoded from a part of another.
pub(super) enum Layer<'p, 't> {
    /// The text that was given.
    Given(&'t str),
    /// A decoded part of another text.
    Decoded(Decoded<'p, 't>),
}

/// A decoded part of another text.
pub(super) struct Decoded<'p, 't> {
    text: &'p str,
    parent: &'p Layer<'p, 't>,
    encoded: Range<usize>,
    encoding: Encoding,
    /// Made when the first address is found: most decoded texts hold none.
    pieces: OnceCell<Vec<Piece>>,
}

/// How a part of a text is encoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Encoding {
    /// The inside of a JSON string, or of a double-quoted scalar of YAML.
    Json,
    /// Text of HTML.
    Html,
    /// The value of an HTML attribute.
    Attribute,
    /// A destination of Markdown: backslash escapes and closed references.
    Destination,
    /// An address of Markdown between angle brackets or bare: closed references only.
    References,
    /// Quotes that are doubled.
    Doubled(char),
}

/// Where a stretch of decoded text begins, and where what it stands for begins.
struct Piece {
    decoded: usize,
    encoded: usize,
}

impl Encoding {
    /// Whether the text says something else once decoded.
    pub(super) fn changes(self, encoded: &str) -> bool {
        let bytes = encoded.as_bytes();
        match self {
            Self::Json => memchr::memchr(b'\\', bytes).is_some(),
            Self::Html | Self::Attribute | Self::References => memchr::memchr(b'&', bytes).is_some(),
            Self::Destination => memchr::memchr2(b'&', b'\\', bytes).is_some(),
            Self::Doubled(quote) => encoded.contains(quote),
        }
    }

    /// The decoded text.
    pub(super) fn decode(self, encoded: &str) -> String {
        let mut decoded = String::with_capacity(encoded.len());
        self.decode_with(encoded, &mut |_, piece| decoded.push_str(piece));
        decoded
    }

    fn decode_with(self, encoded: &str, each: &mut dyn FnMut(Range<usize>, &str)) {
        match self {
            Self::Json => json::decode_with(encoded, each),
            Self::Html => entity::decode_with(encoded, Place::Text, each),
            Self::Attribute => entity::decode_with(encoded, Place::Attribute, each),
            Self::Destination => {
                unescape(encoded, each, |at| escaped_punctuation(encoded, at).or_else(|| closed_reference(encoded, at)))
            }
            Self::References => unescape(encoded, each, |at| closed_reference(encoded, at)),
            Self::Doubled(quote) => unescape(encoded, each, |at| {
                let pair = encoded.get(at..at + 2 * quote.len_utf8())?;
                pair.chars().all(|character| character == quote).then(|| (pair.len(), Cow::Owned(quote.to_string())))
            }),
        }
    }
}

fn escaped_punctuation(text: &str, at: usize) -> Option<(usize, Cow<'static, str>)> {
    let pair = text.get(at..at + 2)?;
    let escaped = pair.strip_prefix('\\')?.chars().next().filter(char::is_ascii_punctuation)?;
    Some((pair.len(), Cow::Owned(escaped.to_string())))
}

fn closed_reference(text: &str, at: usize) -> Option<(usize, Cow<'static, str>)> {
    let reference = (text.as_bytes().get(at) == Some(&b'&')).then(|| entity::closed(text, at)).flatten()?;
    Some((reference.length, reference.text))
}

/// Replaces what `escape` recognises at a byte, and passes everything else on.
fn unescape(
    text: &str,
    each: &mut dyn FnMut(Range<usize>, &str),
    escape: impl Fn(usize) -> Option<(usize, Cow<'static, str>)>,
) {
    let mut done = 0;
    for (at, byte) in text.bytes().enumerate() {
        if at < done || !byte.is_ascii_punctuation() {
            continue;
        }
        let Some((length, stands_for)) = escape(at) else { continue };
        if let Some(before) = text.get(done..at).filter(|before| !before.is_empty()) {
            each(done..at, before);
        }
        done = at + length;
        each(at..done, &stands_for);
    }
    if let Some(rest) = text.get(done..).filter(|rest| !rest.is_empty()) {
        each(done..text.len(), rest);
    }
}

impl<'p, 't> Layer<'p, 't> {
    /// The text that a part of another stands for.
    pub(super) fn decoded(text: &'p str, parent: &'p Self, encoded: Range<usize>, encoding: Encoding) -> Self {
        Self::Decoded(Decoded { text, parent, encoded, encoding, pieces: OnceCell::new() })
    }

    /// The text.
    pub(super) fn text(&self) -> &str {
        match self {
            Self::Given(text) => text,
            Self::Decoded(decoded) => decoded.text,
        }
    }

    /// A part of the text.
    pub(super) fn slice(&self, range: Range<usize>) -> &str {
        self.text().get(range).unwrap_or_default()
    }

    fn spelling(&self, range: Range<usize>) -> Cow<'t, str> {
        match self {
            Self::Given(text) => Cow::Borrowed(text.get(range).unwrap_or_default()),
            Self::Decoded(decoded) => Cow::Owned(decoded.text.get(range).unwrap_or_default().to_owned()),
        }
    }

    /// The bytes of the text that was given which enclose a range of this one.
    fn given(&self, range: Range<usize>) -> Range<usize> {
        match self {
            Self::Given(_) => range,
            Self::Decoded(decoded) => decoded.parent.given(decoded.enclosing(range)),
        }
    }
}

impl Decoded<'_, '_> {
    fn enclosing(&self, range: Range<usize>) -> Range<usize> {
        let pieces = self.pieces.get_or_init(|| self.pieces());
        let start = Self::place(pieces, range.start, true);
        let end = Self::place(pieces, range.end, false);
        self.encoded.start + start..self.encoded.start + end
    }

    /// Where a byte of the decoded text lies in the encoded one: within a piece that is copied exactly there, within one
    /// that stands for something else at its start or end.
    fn place(pieces: &[Piece], at: usize, start: bool) -> usize {
        let index = pieces.partition_point(|piece| piece.decoded <= at).saturating_sub(1);
        let Some(piece) = pieces.get(index) else { return at };
        let Some(next) = pieces.get(index + 1) else { return piece.encoded };
        if next.decoded - piece.decoded == next.encoded - piece.encoded {
            piece.encoded + (at - piece.decoded)
        } else if start || at == piece.decoded {
            piece.encoded
        } else {
            next.encoded
        }
    }

    /// The pieces in order, and one that marks the end.
    fn pieces(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut end = Piece { decoded: 0, encoded: 0 };
        self.encoding.decode_with(self.parent.slice(self.encoded.clone()), &mut |range, piece| {
            pieces.push(Piece { decoded: end.decoded, encoded: range.start });
            end = Piece { decoded: end.decoded + piece.len(), encoded: range.end };
        });
        pieces.push(end);
        pieces
    }
}

/// Who is told of each address.
pub(super) struct Reader<'e, 't> {
    pub(super) voice: Voice,
    each: &'e mut dyn FnMut(Found<'t>),
}

impl<'e, 't> Reader<'e, 't> {
    pub(super) fn new(voice: Voice, each: &'e mut dyn FnMut(Found<'t>)) -> Self {
        Self { voice, each }
    }

    /// Tells of a range of a layer.
    pub(super) fn tell(&mut self, layer: &Layer<'_, 't>, range: Range<usize>, form: Form) {
        let Range { start, end } = layer.given(range.clone());
        (self.each)(Found { start, end, spelling: layer.spelling(range), form });
    }
}

/// Reads a part of a layer once it is decoded; where decoding changes nothing, the part itself.
pub(super) fn decoded<'t>(
    layer: &Layer<'_, 't>,
    range: Range<usize>,
    encoding: Encoding,
    read: impl FnOnce(&Layer<'_, 't>, Range<usize>),
) {
    let encoded = layer.slice(range.clone());
    if encoding.changes(encoded) {
        let text = encoding.decode(encoded);
        let inner = Layer::decoded(&text, layer, range, encoding);
        read(&inner, 0..text.len());
    } else {
        read(layer, range);
    }
}

//! HTML: the values of attributes and the texts between tags, each for itself.
//!
//! The tokens are HTML's, the tree is not needed: nothing is joined across nodes, and what a page hides (scripts,
//! comments, closed elements) is text like any other.

use std::ops::Range;

use super::layer::{self, Encoding, Layer, MAX_LAYERS, Reader};
use super::scan::{self, Extents, Flavour};
use super::{json, link, recognise};
use crate::json::looks_like_json;

/// Attributes whose value is a link.
const LINKS: [&str; 19] = [
    "href",
    "src",
    "action",
    "formaction",
    "cite",
    "data",
    "poster",
    "background",
    "longdesc",
    "manifest",
    "ping",
    "codebase",
    "classid",
    "profile",
    "icon",
    "xlink:href",
    "data-href",
    "data-src",
    "data-url",
];

/// Attributes whose value is never an address but for one with a scheme.
const NAMES: [&str; 9] = ["class", "id", "name", "for", "type", "rel", "role", "target", "itemprop"];

/// Reads a part of a layer as HTML.
pub(super) fn read<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>, depth: usize) {
    let mut page = Page { layer, base: range.start, bytes: layer.slice(range).as_bytes(), reader, depth };
    let mut at = 0;
    let mut text_from = 0;
    while let Some(step) = page.bytes.get(at..).and_then(|rest| memchr::memchr(b'<', rest)) {
        let tag = at + step;
        let Some(kind) = page.kind(tag) else {
            at = tag + 1;
            continue;
        };
        page.text(text_from..tag);
        at = match kind {
            Kind::Tag => page.tag(tag),
            Kind::Comment => page.raw(tag + 4, b"-->"),
            Kind::Section => page.raw(tag + 9, b"]]>"),
            Kind::Declaration => page.raw(tag + 2, b">"),
        };
        text_from = at;
    }
    page.text(text_from..page.bytes.len());
}

/// Whether a tag, a comment or a declaration of HTML starts here.
pub(super) fn starts_tag(bytes: &[u8], at: usize) -> bool {
    let rest = bytes.get(at..).unwrap_or_default();
    match rest.get(1) {
        Some(b'!') => true,
        Some(b'/') => rest.get(2).is_some_and(u8::is_ascii_alphabetic),
        // An address between angle brackets is no element.
        Some(first) if first.is_ascii_alphabetic() => {
            !rest.get(1..9).unwrap_or_default().split(|&byte| byte == b'/').next().unwrap_or_default().ends_with(b":")
        }
        _ => false,
    }
}

struct Page<'a, 'p, 't, 'r, 'e> {
    layer: &'a Layer<'p, 't>,
    base: usize,
    bytes: &'a [u8],
    reader: &'r mut Reader<'e, 't>,
    depth: usize,
}

enum Kind {
    Tag,
    Comment,
    Section,
    Declaration,
}

impl Page<'_, '_, '_, '_, '_> {
    fn kind(&self, tag: usize) -> Option<Kind> {
        let rest = self.bytes.get(tag..)?;
        if rest.starts_with(b"<!--") {
            Some(Kind::Comment)
        } else if rest.starts_with(b"<![CDATA[") {
            Some(Kind::Section)
        } else if rest.starts_with(b"<!") || rest.starts_with(b"<?") {
            Some(Kind::Declaration)
        } else {
            starts_tag(self.bytes, tag).then_some(Kind::Tag)
        }
    }

    /// Text between tags.
    fn text(&mut self, range: Range<usize>) {
        if !may_hold_address(self.bytes.get(range.clone()).unwrap_or_default()) {
            return;
        }
        let range = self.base + range.start..self.base + range.end;
        let reader = &mut *self.reader;
        layer::decoded(self.layer, range, Encoding::Html, |layer, range| {
            scan::read(layer, range, Flavour::Plain, Extents::Node, reader);
        });
    }

    /// Text that ends at a mark and in which nothing is decoded; where reading goes on.
    fn raw(&mut self, from: usize, mark: &[u8]) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        let length = memchr::memmem::find(rest, mark);
        let end = length.map_or(self.bytes.len(), |length| from + length);
        self.undecoded(from..end);
        length.map_or(end, |_| end + mark.len())
    }

    fn undecoded(&mut self, range: Range<usize>) {
        if range.is_empty() || range.end > self.bytes.len() {
            return;
        }
        let range = self.base + range.start..self.base + range.end;
        if self.depth < MAX_LAYERS && looks_like_json(self.layer.slice(range.clone())) {
            json::read(self.layer, range, self.reader, self.depth + 1);
        } else {
            scan::plain(self.layer, range, self.reader);
        }
    }

    /// A tag with its attributes, and the text of an element whose text is raw; where reading goes on.
    fn tag(&mut self, tag: usize) -> usize {
        let closing = self.bytes.get(tag + 1) == Some(&b'/');
        let name_from = tag + 1 + usize::from(closing);
        let name_end = self.skip(name_from, |byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'<'));
        let name = self.bytes.get(name_from..name_end).unwrap_or_default();
        let is_base = name.eq_ignore_ascii_case(b"base");
        let raw = !closing && (name.eq_ignore_ascii_case(b"script") || name.eq_ignore_ascii_case(b"style"));
        let mut at = name_end;
        loop {
            at = self.skip(at, |byte| byte.is_ascii_whitespace() || byte == b'/');
            match self.bytes.get(at) {
                None => return at,
                Some(b'>') => break,
                // A tag that was never closed: a cut, or a sign in running text.
                Some(b'<') => return at,
                Some(_) => {
                    let attribute = self.attribute_at(at);
                    at = attribute.next;
                    self.attribute(attribute, is_base);
                }
            }
        }
        if raw { self.raw_element(at + 1, name_from..name_end) } else { at + 1 }
    }

    /// The text of a script or style sheet, up to its closing tag.
    fn raw_element(&mut self, from: usize, name: Range<usize>) -> usize {
        let name = self.bytes.get(name).unwrap_or_default();
        let rest = self.bytes.get(from..).unwrap_or_default();
        let end = memchr::memmem::find_iter(rest, b"</")
            .find(|at| rest.get(at + 2..at + 2 + name.len()).is_some_and(|word| word.eq_ignore_ascii_case(name)))
            .map_or(self.bytes.len(), |length| from + length);
        self.undecoded(from..end);
        end
    }

    fn skip(&self, from: usize, skips: impl Fn(u8) -> bool) -> usize {
        let rest = self.bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|&&byte| skips(byte)).count()
    }

    fn attribute_at(&self, at: usize) -> Attribute {
        let name_end =
            self.skip(at + 1, |byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'>' | b'=' | b'<'));
        let name = at..name_end;
        let equals = self.skip(name_end, |byte| byte.is_ascii_whitespace());
        if self.bytes.get(equals) != Some(&b'=') {
            return Attribute { name, value: name_end..name_end, next: name_end };
        }
        let from = self.skip(equals + 1, |byte| byte.is_ascii_whitespace());
        match self.bytes.get(from) {
            Some(&quote @ (b'"' | b'\'')) => {
                let rest = self.bytes.get(from + 1..).unwrap_or_default();
                let length = memchr::memchr(quote, rest).unwrap_or(rest.len());
                let end = from + 1 + length;
                Attribute { name, value: from + 1..end, next: (end + 1).min(self.bytes.len()) }
            }
            _ => {
                let end = self.skip(from, |byte| !byte.is_ascii_whitespace() && byte != b'>');
                Attribute { name, value: from..end, next: end }
            }
        }
    }

    fn attribute(&mut self, attribute: Attribute, is_base: bool) {
        let name = self.bytes.get(attribute.name).unwrap_or_default();
        let value = self.bytes.get(attribute.value.clone()).unwrap_or_default();
        if value.is_empty() {
            return;
        }
        let is = |listed: &&str| name.eq_ignore_ascii_case(listed.as_bytes());
        let meaning = if LINKS.iter().any(is) {
            Meaning::Link
        } else if is(&"srcset") || is(&"imagesrcset") || is(&"data-srcset") {
            Meaning::Links
        } else if is(&"srcdoc") {
            Meaning::Page
        } else if NAMES.iter().any(is) {
            Meaning::Name
        } else {
            Meaning::Text
        };
        let range = self.base + attribute.value.start..self.base + attribute.value.end;
        let (reader, depth) = (&mut *self.reader, self.depth);
        layer::decoded(self.layer, range, Encoding::Attribute, |layer, range| {
            meaning.read(layer, range, is_base, reader, depth);
        });
    }
}

struct Attribute {
    name: Range<usize>,
    value: Range<usize>,
    /// Where the tag goes on.
    next: usize,
}

/// What an attribute's value means.
enum Meaning {
    Link,
    Links,
    Page,
    Name,
    Text,
}

impl Meaning {
    fn read<'t>(
        &self,
        layer: &Layer<'_, 't>,
        range: Range<usize>,
        is_base: bool,
        reader: &mut Reader<'_, 't>,
        depth: usize,
    ) {
        match self {
            // A page's base is never resolved against, so only what it says by itself counts.
            Self::Link if is_base => scan::read(layer, range, Flavour::Plain, Extents::Value, reader),
            Self::Link => link::read(layer, range, reader),
            Self::Links => candidates(layer, range, reader),
            Self::Page if depth < MAX_LAYERS => read(layer, range, reader, depth + 1),
            Self::Page | Self::Name => scan::plain(layer, range, reader),
            Self::Text => recognise::attribute(layer, range, reader, depth),
        }
    }
}

/// The images of a `srcset`: each an address, white space, a size, a comma.
fn candidates<'t>(layer: &Layer<'_, 't>, range: Range<usize>, reader: &mut Reader<'_, 't>) {
    let text = layer.slice(range.clone());
    let mut at = 0;
    while let Some(rest) = text.get(at..) {
        let skipped =
            rest.len() - rest.trim_start_matches(|first: char| first.is_ascii_whitespace() || first == ',').len();
        let start = at + skipped;
        let Some(rest) = text.get(start..).filter(|rest| !rest.is_empty()) else { return };
        let length = rest.find(|byte: char| byte.is_ascii_whitespace()).unwrap_or(rest.len());
        let address = rest.get(..length).unwrap_or_default();
        let trimmed = address.trim_end_matches(',');
        link::read(layer, range.start + start..range.start + start + trimmed.len(), reader);
        at = start + length;
        if trimmed.len() == address.len() {
            // The size, up to the next comma.
            at += text.get(at..).and_then(|rest| rest.find(',')).unwrap_or(text.len() - at);
        }
    }
}

/// Whether a text between tags has any of the signs by which addresses are found.
fn may_hold_address(text: &[u8]) -> bool {
    text.len() > 3 && memchr::memchr3(b'.', b':', b'&', text).is_some()
}

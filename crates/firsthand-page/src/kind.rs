//! What a body is: by its header, and by its bytes where the header is missing, says nothing or cannot be true.
//!
//! The tables are the core of the MIME sniffing standard.

use crate::error::PageError;

/// What a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// HTML or XHTML; its text is Markdown.
    Html,
    /// RSS or Atom; its text is a list in Markdown.
    Feed,
    /// JSON, also in lines.
    Json,
    /// Other XML.
    Xml,
    /// Values between commas or tabs.
    Csv,
    /// Markdown.
    Markdown,
    /// Any other text.
    Plain,
}

/// What a `Content-Type` says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Declared {
    /// `type/subtype` in lower case; empty where nothing is said.
    essence: String,
    /// The encoding's label.
    pub(crate) charset: Option<String>,
}

impl Declared {
    /// Reads the value of the header.
    pub(crate) fn read(header: &str) -> Self {
        let mut parts = header.split(';');
        let essence = parts.next().unwrap_or_default().trim().to_ascii_lowercase();
        let charset = parts.find_map(|part| {
            let (name, value) = part.split_once('=')?;
            let value = value.trim().trim_matches(['"', '\'']);
            (name.trim().eq_ignore_ascii_case("charset") && !value.is_empty()).then(|| value.to_owned())
        });
        Self { essence, charset }
    }
}

/// What a header says of the kind.
enum Said {
    This(Kind),
    Nothing,
    Unread(&'static str),
}

/// What a body is.
pub(crate) fn kind_of(declared: &Declared, bytes: &[u8]) -> Result<Kind, PageError> {
    let head = without_mark(bytes).trim_ascii_start();
    let unread = |what| Err(PageError::Unsupported { what });
    if let Some(what) = signature(bytes) {
        return unread(what);
    }
    let is_wide = bytes.starts_with(b"\xff\xfe") || bytes.starts_with(b"\xfe\xff");
    let names_wide = declared.charset.as_deref().is_some_and(|label| label.to_ascii_lowercase().starts_with("utf-16"));
    let is_binary = !is_wide && !names_wide && has_binary(bytes);
    match said(&declared.essence) {
        Said::Unread(what) => unread(what),
        // Markup and JSON may hold stray controls, which are left out; a file of no known kind is then no text.
        Said::This(Kind::Plain | Kind::Csv | Kind::Markdown) | Said::Nothing if is_binary => unread("a binary file"),
        // A page in place of the data: a login, an error.
        Said::This(Kind::Json | Kind::Csv) if starts_html(head) => Ok(Kind::Html),
        Said::This(Kind::Html) if starts_feed(head) => Ok(Kind::Feed),
        Said::This(Kind::Html) if starts_json(head) && !has_tag(head) => Ok(Kind::Json),
        Said::This(Kind::Xml) if starts_feed(head) => Ok(Kind::Feed),
        Said::This(Kind::Xml) if starts_html(head) => Ok(Kind::Html),
        Said::This(kind) => Ok(kind),
        Said::Nothing => Ok(looks_like(head)),
    }
}

fn said(essence: &str) -> Said {
    let (main, sub) = essence.split_once('/').unwrap_or((essence, ""));
    let kind = match (main, sub) {
        ("text", "html") | ("application", "xhtml+xml") => Kind::Html,
        ("text" | "application", "json" | "x-json" | "x-ndjson" | "ndjson" | "jsonl" | "jsonlines" | "json-seq") => {
            Kind::Json
        }
        ("text" | "application", "xml") => Kind::Xml,
        ("text", "csv" | "tab-separated-values") | ("application", "csv") => Kind::Csv,
        ("text", "markdown" | "x-markdown") => Kind::Markdown,
        (_, sub) if sub.ends_with("+json") => Kind::Json,
        (_, sub) if sub.ends_with("+xml") => Kind::Xml,
        ("text", _) => Kind::Plain,
        ("application", "pdf" | "x-pdf") => return Said::Unread("a PDF"),
        ("application", "zip" | "gzip" | "x-gzip" | "x-tar" | "x-7z-compressed" | "vnd.rar" | "zstd" | "x-bzip2") => {
            return Said::Unread("an archive");
        }
        ("image", _) => return Said::Unread("a picture"),
        ("audio" | "video", _) => return Said::Unread("a recording"),
        ("font", _) => return Said::Unread("a font"),
        _ => return Said::Nothing,
    };
    Said::This(kind)
}

/// What a body without a telling header looks like.
fn looks_like(head: &[u8]) -> Kind {
    if starts_feed(head) {
        Kind::Feed
    } else if starts_html(head) {
        Kind::Html
    } else if head.starts_with(b"<?xml") {
        Kind::Xml
    } else if starts_json(head) {
        Kind::Json
    } else {
        Kind::Plain
    }
}

/// How many bytes of a body are looked at, as the standard has it.
const RESOURCE_HEADER: usize = 1_445;

fn without_mark(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)
}

/// The first bytes of files that are no text.
const SIGNATURES: [(&[u8], &str); 28] = [
    (b"%PDF-", "a PDF"),
    (b"%!PS-Adobe-", "a PostScript file"),
    (b"\x89PNG\r\n\x1a\n", "a picture"),
    (b"GIF87a", "a picture"),
    (b"GIF89a", "a picture"),
    (b"\xff\xd8\xff", "a picture"),
    (b"BM\x00", "a picture"),
    (b"II*\0", "a picture"),
    (b"MM\0*", "a picture"),
    (b"\0\0\x01\0", "a picture"),
    (b"RIFF", "a picture or a recording"),
    (b"OggS\0", "a recording"),
    (b"ID3", "a recording"),
    (b"fLaC", "a recording"),
    (b"MThd\0", "a recording"),
    (b"\x1aE\xdf\xa3", "a recording"),
    (b"PK\x03\x04", "an archive"),
    (b"PK\x05\x06", "an archive"),
    (b"\x1f\x8b\x08", "an archive"),
    (b"\x28\xb5\x2f\xfd", "an archive"),
    (b"BZh", "an archive"),
    (b"\xfd7zXZ\0", "an archive"),
    (b"7z\xbc\xaf\x27\x1c", "an archive"),
    (b"Rar!\x1a\x07", "an archive"),
    (b"wOFF", "a font"),
    (b"wOF2", "a font"),
    (b"\x7fELF", "a program"),
    (b"\0asm", "a program"),
];

fn signature(bytes: &[u8]) -> Option<&'static str> {
    let found = SIGNATURES.iter().find(|(sign, _)| bytes.starts_with(sign)).map(|(_, what)| *what);
    // `BZh`, `ID3` and `RIFF` are words too; such a file goes on with bytes that no text has.
    found.filter(|what| matches!(*what, "a PDF" | "a PostScript file") || has_binary(bytes) || !is_words(bytes))
}

fn is_words(bytes: &[u8]) -> bool {
    bytes.iter().take(64).all(|byte| byte.is_ascii_graphic() || byte.is_ascii_whitespace())
}

/// Whether bytes stand at the beginning that no text has.
fn has_binary(bytes: &[u8]) -> bool {
    let head = bytes.get(..RESOURCE_HEADER).unwrap_or(bytes);
    head.iter().any(|byte| matches!(byte, 0x00..=0x08 | 0x0b | 0x0e..=0x1a | 0x1c..=0x1f))
}

/// Tags with which a page of HTML begins.
const TAGS: [&[u8]; 17] = [
    b"<!doctype html",
    b"<html",
    b"<head",
    b"<script",
    b"<iframe",
    b"<h1",
    b"<div",
    b"<font",
    b"<table",
    b"<a",
    b"<style",
    b"<title",
    b"<b",
    b"<body",
    b"<br",
    b"<p",
    b"<main",
];

fn starts_html(head: &[u8]) -> bool {
    let head = head.strip_prefix(b"<?xml").map_or(head, |rest| {
        memchr::memmem::find(rest, b"?>").and_then(|end| rest.get(end + 2..)).unwrap_or_default().trim_ascii_start()
    });
    if head.starts_with(b"<!--") {
        return true;
    }
    TAGS.iter().any(|tag| {
        let ends = |byte: &u8| matches!(byte, b' ' | b'>' | b'\t' | b'\n' | b'\r');
        head.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag))
            && head.get(tag.len()).is_some_and(ends)
    })
}

/// Whether the first element is that of a feed, behind declarations and comments.
fn starts_feed(head: &[u8]) -> bool {
    let mut rest = head.get(..RESOURCE_HEADER).unwrap_or(head);
    loop {
        rest = rest.trim_ascii_start();
        let end: &[u8] = if rest.starts_with(b"<!--") {
            b"-->"
        } else if rest.starts_with(b"<?") {
            b"?>"
        } else if rest.starts_with(b"<!") {
            b">"
        } else {
            break;
        };
        let Some(at) = memchr::memmem::find(rest, end) else { return false };
        rest = rest.get(at + end.len()..).unwrap_or_default();
    }
    let names: [&[u8]; 3] = [b"<rss", b"<feed", b"<rdf:RDF"];
    names.iter().any(|name| {
        let after = rest.strip_prefix(*name).and_then(<[u8]>::first);
        after.is_some_and(|byte| matches!(byte, b' ' | b'>' | b'\t' | b'\n' | b'\r'))
    })
}

fn has_tag(head: &[u8]) -> bool {
    memchr::memchr(b'<', head.get(..RESOURCE_HEADER).unwrap_or(head)).is_some()
}

/// Whether it begins as JSON does and has no tag near its beginning.
fn starts_json(head: &[u8]) -> bool {
    let start = head.get(..RESOURCE_HEADER).unwrap_or(head);
    let after = start.get(1..).unwrap_or_default().trim_ascii_start().first();
    let is_json = match start.first() {
        Some(b'{') => matches!(after, Some(b'"' | b'}')),
        Some(b'[') => matches!(after, Some(b'"' | b'{' | b'[' | b']' | b'0'..=b'9' | b'-')),
        _ => false,
    };
    is_json && memchr::memmem::find(start, b"</").is_none()
}

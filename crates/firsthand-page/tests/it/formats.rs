//! Kinds and encodings.

use firsthand_page::{Kind, Limits, Page, PageError, read};

use crate::{address, page};

fn of(bytes: &[u8], content_type: &str) -> Result<Page, PageError> {
    read(bytes, Some(content_type).filter(|header| !header.is_empty()), &address(), Limits::default())
}

#[track_caller]
fn is(bytes: &[u8], content_type: &str, kind: Kind) {
    assert_eq!(of(bytes, content_type).unwrap().kind, kind, "{content_type}");
}

#[test]
fn the_header_says_what_it_is() {
    is(b"<p>x", "text/html", Kind::Html);
    is(b"{}", "application/ld+json; charset=utf-8", Kind::Json);
    is(b"<a/>", "image/svg+xml", Kind::Xml);
    is(b"a,b", "text/csv", Kind::Csv);
    is(b"# x", "text/markdown", Kind::Markdown);
    is(b"<!doctype html>", "text/plain", Kind::Plain);
    is(b"", "", Kind::Plain);
}

#[test]
fn bytes_say_it_where_the_header_does_not() {
    is(b" \n<!DOCTYPE html><p>x", "", Kind::Html);
    is(b"<html>", "application/octet-stream", Kind::Html);
    is(b"<?xml version='1.0'?><x/>", "", Kind::Xml);
    is(b"<?xml version='1.0'?><!-- x --><rss version='2.0'>", "", Kind::Feed);
    is(b"{\"a\": 1}", "", Kind::Json);
    is(b"#!/bin/sh", "application/x-sh", Kind::Plain);
    is(b"<html><p>Log in", "application/json", Kind::Html);
    is(b"{\"a\": 1}", "text/html", Kind::Json);
    is(b"<feed xmlns='x'>", "text/html", Kind::Feed);
}

#[test]
fn what_is_not_read_has_a_stable_code() {
    for (bytes, header) in [
        (b"%PDF-1.7".as_slice(), "application/pdf"),
        (b"%PDF-1.7", "text/html"),
        (b"PK\x03\x04\x14\0", "text/plain"),
        (b"\x89PNG\r\n\x1a\n\0", ""),
        (b"x", "image/png"),
        (b"a\0b\x01", ""),
    ] {
        let error = of(bytes, header).unwrap_err();
        assert_eq!(error.code(), "unsupported_content_type", "{header}");
    }
    is(b"BZhang said", "text/plain", Kind::Plain);
    is(b"RIFF means riff", "text/plain", Kind::Plain);
}

#[test]
fn what_is_no_markup_is_kept_but_for_what_is_not_seen() {
    let json = of("{\"a\":\u{200b}\"b\u{202e}\"}\r\n".as_bytes(), "application/json").unwrap();
    assert_eq!((json.text.as_str(), json.is_html), ("{\"a\":\"b\"}\n", false));
    assert!(json.source.contains('\u{200b}'));
}

#[test]
fn encodings_are_found_by_mark_header_and_declaration() {
    #[track_caller]
    fn reads(bytes: &[u8], content_type: &str, charset: &str) {
        let page = of(bytes, content_type).unwrap();
        assert_eq!((page.charset, page.text.contains('\u{e4}')), (charset, true), "{:?}", page.text);
    }
    reads(b"\xef\xbb\xbf<p>\xc3\xa4", "text/html; charset=iso-8859-1", "UTF-8");
    reads(b"\xff\xfe<\0p\0>\0\xe4\0", "text/html", "UTF-16LE");
    reads(b"<meta charset=utf-8><p>\xe4", "text/html; charset=\"ISO-8859-1\"", "windows-1252");
    reads(b"<html><meta charset=iso-8859-2><p>\xe4", "text/html", "ISO-8859-2");
    reads(
        b"<meta http-equiv=content-type content='text/html; charset=windows-1250'>\xe4",
        "text/html; charset=nonsense",
        "windows-1250",
    );
    reads(b"<?xml version='1.0' encoding='iso-8859-1'?><x>\xe4</x>", "text/xml", "windows-1252");
    reads(b"<meta charset=utf-16><p>\xc3\xa4", "text/html", "UTF-8");
    reads(b"plain \xc3\xa4 and cut off \xc3", "text/plain", "UTF-8");
    reads(
        "Sch\u{f6}ne Gr\u{fc}\u{df}e aus K\u{f6}ln, sp\u{e4}ter mehr"
            .chars()
            .map(|character| u8::try_from(u32::from(character)).unwrap())
            .collect::<Vec<u8>>()
            .as_slice(),
        "text/plain",
        "windows-1252",
    );
}

#[test]
fn a_page_tells_its_title_what_it_is_about_and_its_own_address() {
    let page = page(
        "<title> A \n &lt;b&gt; </title><meta name=Description content='What\u{200b} it is'><link rel='x canonical' href='/docs/guide?utm=1'><p>x",
    );
    assert_eq!(page.title.as_deref(), Some("A <b>"));
    assert_eq!(page.description.as_deref(), Some("What it is"));
    assert_eq!(page.canonical.as_deref(), Some("https://shop.example/docs/guide?utm=1"));
    assert_eq!(self::page("<link rel=canonical href=https://other.example/>").canonical, None);
}

#[test]
fn a_feed_is_a_list() {
    let rss = b"<?xml version='1.0'?><rss><channel><title>News &amp; more</title><link>https://shop.example/</link>\
        <item><title><![CDATA[One [1]]]></title><link>/one?a=1&amp;b=2</link><pubDate>Mon, 01 Dec 2025</pubDate>\
        <description>&lt;p&gt;Some &amp;amp; <b>text</b>&lt;/p&gt;</description></item>\
        <item><title>Two</title><guid>x</guid></item></channel></rss>";
    let page = of(rss, "application/rss+xml").unwrap();
    assert_eq!((page.kind, page.title.as_deref()), (Kind::Feed, Some("News & more")));
    let expected = "- [One \\[1\\]](https://shop.example/one?a=1&b=2) (Mon, 01 Dec 2025)  \n  Some & text\n- Two";
    assert_eq!(page.text, expected);
    let atom = b"<feed xmlns='http://www.w3.org/2005/Atom'><title>A</title><entry><title type='html'>x &amp;lt;y</title>\
        <link rel='self' href='/s'/><link href='/entry'/><updated>2025-12-01</updated><summary>s</summary></entry></feed>";
    assert_eq!(of(atom, "application/xml").unwrap().text, "- [x \\<y](https://shop.example/entry) (2025-12-01)  \n  s");
}

#[test]
fn nothing_of_a_page_is_printed_by_accident() {
    let page = page("<title>canary</title><p>canary <a href=/canary>x</a>");
    let printed = format!("{page:?} {:?} {:?}", page.part(0, 5), of(b"%PDF-canary", "application/pdf").unwrap_err());
    assert!(!printed.contains("canary"), "{printed}");
}

//! Every shape of one record, and what hostile titles come to.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]
#![expect(clippy::wildcard_enum_match_arm, reason = "whatever else a parser tells is an error of the test")]

use std::borrow::Cow;

use proptest::prelude::*;
use pulldown_cmark::{Event, Options, Parser, Tag};
use serde_json::{Value, json};

use super::*;
use crate::list::{Given, finish};
use crate::record::{First, Form, Kind, LIMIT, Occurrence, TitleFrom};

/// An answer with an emoji of several code points, CJK and a combining character before its links.
const TEXT: &str = "Vu 👩‍🚀 e\u{301}té: [가이드](https://docs.example/guide?a=1&b=2) 그리고 https://docs.example/guide?a=1&b=2 와 [계약](/documents/17).";

fn item<'a>(n: usize, url: &'a str, title: &'a str, host: Option<&'a str>, links: &[&str]) -> Item<'a> {
    let mut from = 0;
    let occurrences = links.iter().map(|link| {
        let start = TEXT.get(from..).unwrap().find(link).map_or(0, |at| from + at);
        from = start + link.len();
        let form = if link.starts_with('[') { Form::Link } else { Form::Chip };
        Occurrence { start, end: start + link.len(), form, in_table: false, text: "".into() }
    });
    let occurrences = occurrences.collect();
    Item {
        n,
        url: url.into(),
        kind: if host.is_some() { Kind::Web } else { Kind::Document },
        title: title.into(),
        title_from: TitleFrom::LinkText,
        host: host.map(Cow::Borrowed),
        first: None,
        shortcut: None,
        occurrences,
    }
}

fn record(items: Vec<Item<'_>>) -> Record<'_> {
    Record {
        object: "firsthand.sources".into(),
        version: 1,
        markdown: TEXT.into(),
        limit: LIMIT,
        total: items.len(),
        truncated: false,
        items,
        unwrapped: Vec::new(),
        not_carried_over: None,
    }
}

const GUIDE: &str = "https://docs.example/guide?a=1&b=2";

fn sample() -> Record<'static> {
    let first = First {
        writer: "world".to_owned(),
        position: "tool_result".to_owned(),
        item: 2,
        tool: Some("web_search".to_owned()),
    };
    let linked = format!("[가이드]({GUIDE})");
    let mut guide = item(1, GUIDE, "가이드", Some("docs.example"), &[&linked, GUIDE]);
    guide.first = Some(first);
    record(vec![guide, item(2, "/documents/17", "계약", None, &["[계약](/documents/17)"])])
}

fn titled<'a>(title: &'a str, url: &'a str) -> Record<'a> {
    record(vec![item(1, url, title, Some("docs.example"), &[])])
}

fn value(record: &Record<'_>, shape: Shape) -> Value {
    match emit(record, shape) {
        Emitted::Json(value) => value,
        Emitted::Text(text) => json!(text),
    }
}

fn text(record: &Record<'_>, shape: Shape) -> String {
    match emit(record, shape) {
        Emitted::Json(value) => value.to_string(),
        Emitted::Text(text) => text,
    }
}

/// The pieces of the text between places that are counted in a unit.
fn cut(unit: Unit, start: &Value, end: &Value) -> String {
    let place = |value: &Value| usize::try_from(value.as_u64().unwrap()).unwrap();
    let (start, end) = (place(start), place(end));
    match unit {
        Unit::Bytes => TEXT.get(start..end).unwrap().to_owned(),
        Unit::CodePoints => TEXT.chars().skip(start).take(end - start).collect(),
        Unit::Utf16 => {
            let units: Vec<u16> = TEXT.encode_utf16().collect();
            String::from_utf16(units.get(start..end).unwrap()).unwrap()
        }
    }
}

#[test]
fn ranges_are_the_whole_link_in_the_unit_that_each_shape_counts_in() {
    let record = sample();
    let links = [format!("[가이드]({GUIDE})"), GUIDE.to_owned(), "[계약](/documents/17)".to_owned()];
    let shapes = [
        (Shape::OpenAi, Unit::CodePoints, "/annotations", "/start_index", "/end_index"),
        (Shape::OpenAiChat, Unit::CodePoints, "/annotations", "/url_citation/start_index", "/url_citation/end_index"),
        (
            Shape::Gemini,
            Unit::Bytes,
            "/groundingMetadata/groundingSupports",
            "/segment/startIndex",
            "/segment/endIndex",
        ),
        (Shape::LangChain, Unit::CodePoints, "/content/0/annotations", "/start_index", "/end_index"),
        (Shape::LangChainJs, Unit::Utf16, "/content/0/annotations", "/startIndex", "/endIndex"),
    ];
    for (shape, unit, list, start, end) in shapes {
        let value = value(&record, shape);
        let found = value.pointer(list).unwrap().as_array().unwrap();
        let found: Vec<String> =
            found.iter().map(|at| cut(unit, at.pointer(start).unwrap(), at.pointer(end).unwrap())).collect();
        assert_eq!(found, links, "{shape:?}");
    }
}

#[test]
fn each_shape_is_what_its_readers_expect() {
    let record = sample();
    let guide = json!({"start_index": 13, "end_index": 54, "title": "가이드", "url": GUIDE});
    let openai = value(&record, Shape::OpenAi);
    let mut annotation = guide.clone();
    annotation.as_object_mut().unwrap().insert("type".to_owned(), json!("url_citation"));
    assert_eq!((openai.pointer("/type"), openai.pointer("/text")), (Some(&json!("output_text")), Some(&json!(TEXT))));
    assert_eq!(openai.pointer("/annotations/0"), Some(&annotation));
    let chat = value(&record, Shape::OpenAiChat);
    assert_eq!(chat.pointer("/annotations/0"), Some(&json!({"type": "url_citation", "url_citation": guide})));
    assert_eq!(
        value(&record, Shape::Anthropic).pointer("/content/0/citations/1"),
        Some(&json!({"type": "search_result_location", "source": "/documents/17", "title": "계약", "cited_text": "",
            "search_result_index": 1, "start_block_index": 0, "end_block_index": 1}))
    );
    let gemini = value(&record, Shape::Gemini);
    assert_eq!(
        gemini.pointer("/groundingMetadata/groundingChunks"),
        Some(&json!([{"web": {"uri": GUIDE, "title": "가이드", "domain": "docs.example"}},
            {"retrievedContext": {"uri": "/documents/17", "title": "계약"}}]))
    );
    let indices: Vec<&Value> = (0..3)
        .map(|at| {
            gemini.pointer(&format!("/groundingMetadata/groundingSupports/{at}/groundingChunkIndices/0")).unwrap()
        })
        .collect();
    assert_eq!(indices, [0, 0, 1]);
    let parts = value(&record, Shape::AiSdk);
    let types: Vec<&Value> =
        parts.pointer("/parts").unwrap().as_array().unwrap().iter().map(|part| part.get("type").unwrap()).collect();
    assert_eq!(types, ["text", "source-url", "source-document"]);
    assert_eq!(parts.pointer("/parts/2/providerMetadata/firsthand/url"), Some(&json!("/documents/17")));
    let perplexity = value(&record, Shape::Perplexity);
    assert_eq!(perplexity.get("citations"), Some(&json!([GUIDE, "/documents/17"])));
    assert_eq!(perplexity.pointer("/search_results/0/title"), Some(&json!("가이드")));
    assert_eq!(
        value(&record, Shape::CslJson).get(0),
        Some(
            &json!({"id": "s1", "type": "webpage", "title": "가이드", "container-title": "docs.example", "URL": GUIDE})
        )
    );
    assert_eq!(value(&record, Shape::Native), serde_json::to_value(&record).unwrap());
}

#[test]
fn a_message_of_the_ai_sdk_has_one_id_for_one_text() {
    let id =
        |markdown: &str| value(&finish(markdown, &Given::default()).record, Shape::AiSdk).get("id").cloned().unwrap();
    assert_eq!(id(""), "msg-cbf29ce484222325");
    assert_eq!(id("a"), "msg-af63dc4c8601ec8c");
    assert_eq!(id("see https://e.com"), id("see https://e.com"));
    assert_ne!(id("see https://e.com/a"), id("see https://e.com/b"));
}

#[test]
fn what_people_copy_is_text() {
    let record = sample();
    assert_eq!(
        text(&record, Shape::Markdown),
        "1. [가이드](<https://docs.example/guide?a=1\\&b=2>) – docs.example\n2. [계약](</documents/17>)\n"
    );
    assert_eq!(
        text(&record, Shape::Csv),
        "\u{feff}n,title,host,kind,url,times,first_writer,first_tool\r\n\
         1,가이드,docs.example,web,https://docs.example/guide?a=1&b=2,2,world,web_search\r\n\
         2,계약,,document,/documents/17,1,,\r\n"
    );
    assert_eq!(
        text(&titled("100% of {A} & B_1", GUIDE), Shape::BibTex),
        "@online{s1,\n  title = {100\\% of {\\textbraceleft}A{\\textbraceright} \\& B\\_1},\n  organization = {docs.example},\n  url = {https://docs.example/guide?a=1&b=2},\n}\n"
    );
    assert_eq!(
        text(&titled("Guide", GUIDE), Shape::Ris),
        "TY  - ELEC\r\nID  - s1\r\nTI  - Guide\r\nPB  - docs.example\r\nUR  - https://docs.example/guide?a=1&b=2\r\nER  - \r\n"
    );
}

/// The links of a Markdown text with their texts; anything else than one list of links is an error.
fn links(markdown: &str) -> Result<Vec<(String, String)>, String> {
    let mut links: Vec<(String, String)> = Vec::new();
    let mut inside = false;
    for event in Parser::new_ext(markdown, Options::all() - Options::ENABLE_SMART_PUNCTUATION) {
        match event {
            Event::Start(Tag::Link { dest_url, .. }) => {
                links.push((dest_url.to_string(), String::new()));
                inside = true;
            }
            Event::End(pulldown_cmark::TagEnd::Link) => inside = false,
            Event::Text(text) if inside => links.last_mut().unwrap().1.push_str(&text),
            Event::Text(_) | Event::End(_) | Event::SoftBreak => {}
            Event::Start(Tag::List(_) | Tag::Item | Tag::Paragraph) => {}
            other => return Err(format!("{other:?}")),
        }
    }
    Ok(links)
}

proptest! {
    #[test]
    fn a_list_in_markdown_holds_its_links_and_nothing_else(
        title in r#"[a\]\[()!<>`*_~#|&;:/.\\ $=@^-]{1,24}"#,
        query in r#"[a&;#<>()\\"*_|`$-]{0,16}"#,
    ) {
        let title = format!("t{title}t");
        let url = format!("https://docs.example/?{query}");
        let found = links(&text(&titled(&title, &url), Shape::Markdown));
        prop_assert_eq!(found, Ok(vec![(url, title)]));
    }

    #[test]
    fn no_title_ends_its_field_or_line(title in r#"[a{}\\"@,%\n\r\t$&#_^~= -]{0,24}"#) {
        let record = titled(&title, "https://docs.example/{x}?\\\"");
        let bibtex = text(&record, Shape::BibTex);
        let mut depth = 0_i32;
        // A backslash protects no brace from being counted.
        for character in bibtex.chars() {
            match character {
                '{' => depth += 1,
                '}' => depth -= 1,
                _ => {}
            }
            prop_assert!(depth >= 0, "{}", bibtex);
        }
        prop_assert_eq!(depth, 0, "{}", bibtex);
        prop_assert_eq!(bibtex.lines().count(), 5, "{}", bibtex);
        prop_assert_eq!(bibtex.matches('@').count() - bibtex.matches("{@}").count(), 1, "{}", bibtex);
        prop_assert_eq!(text(&record, Shape::Ris).lines().count(), 6);
    }
}

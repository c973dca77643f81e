//! Pages that were made to cost much: they are read, their text keeps in proportion to them, and no stack overflows.

use firsthand_page::{Limits, PageError, read};

use crate::{address, page};

/// Reads a page of four times a size. What takes the square of it does not end while anybody waits.
#[track_caller]
fn is_read(make: impl Fn(usize) -> String, size: usize) {
    let html = make(size * 4);
    let text = page(&html).text;
    assert!(text.len() <= 40 * html.len() + 10_000, "{} bytes of text from {}", text.len(), html.len());
}

#[test]
fn nested_elements_are_read() {
    for tag in [
        "<div>",
        "<b>",
        "<ul><li>x",
        "<blockquote>x",
        "<table><tr><td>x",
        "<dl><dd>x",
        "<p>x",
        "<span hidden>",
        "<svg>",
    ] {
        is_read(|size| tag.repeat(size), 25_000);
    }
}

#[test]
fn many_links_and_signs_are_read() {
    for piece in [
        "<a href=",
        "<a href=x>y",
        "<a href='//['>y",
        "&",
        "&amp",
        "<",
        "</x>",
        "<!--",
        "`",
        "*",
        "[",
        "\\",
        "<code>`",
        "x://",
        "http://a<",
        "!<img src=a>",
        "<br>",
        "<td>x",
    ] {
        is_read(|size| piece.repeat(size), 25_000);
    }
}

#[test]
fn many_attributes_and_wide_tables_are_read() {
    is_read(|size| format!("<p {}>x", (0..size).map(|number| format!("a{number} ")).collect::<String>()), 25_000);
    is_read(|size| format!("<p title='{}' style='{}'>x", "x".repeat(size), "y ".repeat(size)), 250_000);
    is_read(|size| format!("<table><tr>{}<tr><td>x", "<td>x".repeat(size)), 10_000);
    is_read(|size| format!("<table><tr>{}{}", "<td rowspan=9999>x".repeat(100), "<tr><td>".repeat(size)), 10_000);
    is_read(|size| format!("<pre>{}</pre><script>{}</script>", "</b`".repeat(size), "</p><scrip".repeat(size)), 25_000);
}

#[test]
fn columns_that_are_only_claimed_end_at_the_limit() {
    let html = format!("<table><tr>{}<tr><td>x", "<td colspan=1000>".repeat(100_000));
    let limits = Limits { text: 100_000, ..Limits::default() };
    let page = read(html.as_bytes(), Some("text/html"), &address(), limits).unwrap();
    assert!(page.is_cut && page.text.len() < 120_000);
}

#[test]
fn a_text_over_the_limit_is_cut_and_says_so() {
    for html in [
        "word ".repeat(10_000),
        "w".repeat(50_000),
        format!("<pre>{}", "w".repeat(50_000)),
        format!("<code>{}", "w".repeat(50_000)),
    ] {
        let limits = Limits { text: 1_000, ..Limits::default() };
        let page = read(html.as_bytes(), Some("text/html"), &address(), limits).unwrap();
        assert!(page.is_cut && page.text.len() < 1_100, "{}", page.text.len());
        assert!(page.part(page.text.len(), 10).marked().contains("longer"));
    }
}

#[test]
fn a_body_over_the_limit_is_an_error_with_a_code() {
    let limits = Limits { body: 10, ..Limits::default() };
    let error = read(b"12345678901", None, &address(), limits).unwrap_err();
    assert_eq!((error, error.code()), (PageError::TooLarge { limit: 10 }, "too_large"));
}

#[test]
fn an_element_without_end_hides_what_is_in_it_however_deep() {
    let html = format!("{}<p hidden>{}secret", "<div>".repeat(600), "<i>".repeat(600));
    assert_eq!(page(&html).text, "");
}

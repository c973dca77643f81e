//! Which links are found, and where they stand.

use firsthand_answer::find::find;

/// The links of a text as what is written and where it leads.
#[track_caller]
fn check(text: &str, wanted: &[(&str, &str)]) {
    let links = find(text);
    let found: Vec<(&str, &str)> = links.iter().map(|link| (&text[link.range.clone()], link.destination())).collect();
    assert_eq!(found, wanted, "{text}");
}

/// The addresses in running text.
#[track_caller]
fn bare(text: &str, wanted: &[&str]) {
    let links = find(text);
    let found: Vec<&str> = links.iter().map(|link| link.destination()).collect();
    assert_eq!(found, wanted, "{text}");
}

#[test]
fn what_is_written_beside_an_address_without_a_space_is_no_part_of_it() {
    bare("参照 https://example.com/docs（説明）了解。次", &["https://example.com/docs"]);
    bare("https://example.com。次の文", &["https://example.com"]);
    bare("https://a.com/x…次", &["https://a.com/x"]);
    bare("**https://a.com/x** 見よ **https://a.com/y**。", &["https://a.com/x", "https://a.com/y"]);
    bare(
        "\"https://a.com/x\" 'https://a.com/y' https://a.com/z\">",
        &["https://a.com/x", "https://a.com/y", "https://a.com/z"],
    );
    bare(
        "https://a.com/x, https://a.com/y. https://a.com/z; https://a.com/w!",
        &["https://a.com/x", "https://a.com/y", "https://a.com/z", "https://a.com/w"],
    );
}

#[test]
fn letters_of_any_script_are_a_part_of_it() {
    bare("https://ja.wikipedia.org/wiki/日本 へ", &["https://ja.wikipedia.org/wiki/日本"]);
    bare("https://ko.wikipedia.org/wiki/서울특별시, 다음", &["https://ko.wikipedia.org/wiki/서울특별시"]);
}

#[test]
fn brackets_belong_to_what_opened_them() {
    bare("(see https://en.wikipedia.org/wiki/Foo_(bar)) ok", &["https://en.wikipedia.org/wiki/Foo_(bar)"]);
    check(
        "[w](https://en.wikipedia.org/wiki/Foo_(bar)_(baz)) ok",
        &[("[w](https://en.wikipedia.org/wiki/Foo_(bar)_(baz))", "https://en.wikipedia.org/wiki/Foo_(bar)_(baz)")],
    );
}

#[test]
fn an_address_goes_on_over_what_looks_like_emphasis() {
    check("https://x.com/a_b_c/*d*/e~f~ z", &[("https://x.com/a_b_c/*d*/e~f", "https://x.com/a_b_c/*d*/e~f")]);
    check("https://x.com/*d e* z", &[("https://x.com/*d", "https://x.com/*d")]);
    check("*see https://x.com/d* z", &[("https://x.com/d", "https://x.com/d")]);
    check("__https://x.com/a__ z", &[("https://x.com/a", "https://x.com/a")]);
}

#[test]
fn what_is_shown_is_what_is_opened() {
    check(
        "https://x.com/?a=1&amp;b=2&copy=3 z",
        &[("https://x.com/?a=1&amp;b=2&copy=3", "https://x.com/?a=1&b=2&copy=3")],
    );
    check("https://x.com/a\\_b\\*c z", &[("https://x.com/a\\_b\\*c", "https://x.com/a_b*c")]);
    check("https://x.com/&lt;b z", &[("https://x.com/", "https://x.com/")]);
    check("https://x.com/?a&amp; z", &[("https://x.com/?a&amp;", "https://x.com/?a&")]);
}

#[test]
fn cells_of_tables() {
    let table = |cells: &str| format!("| a | b |\n|---|---|\n{cells}\n");
    check(
        &table("| x\\|y [t](http://e.com) | https://e.com/p |"),
        &[("[t](http://e.com)", "http://e.com"), ("https://e.com/p", "https://e.com/p")],
    );
    check(&table("| [t](http://e.com/a\\|b) | c |"), &[("[t](http://e.com/a\\|b)", "http://e.com/a|b")]);
    check(&table("| [t](http://e.com/a|b) | c |"), &[("http://e.com/a", "http://e.com/a")]);
    assert!(find(&table("| https://e.com/p | c |")).iter().all(|link| link.in_table));
    assert!(!find("https://e.com/p | c").iter().any(|link| link.in_table));
}

#[test]
fn every_way_of_writing_a_link() {
    check(
        "> - a\n>   [multi\n>   line](http://e.com/x\n>   \"title\") z",
        &[("[multi\n>   line](http://e.com/x\n>   \"title\")", "http://e.com/x")],
    );
    check("[![alt](http://img/x.png)](http://e.com)", &[("[![alt](http://img/x.png)](http://e.com)", "http://e.com")]);
    check("[`code` b](http://e.com)", &[("[`code` b](http://e.com)", "http://e.com")]);
    let r = "http://e.com/r";
    check("[a][r] and [r] and [r][]\n\n[r]: http://e.com/r 'T'\n", &[("[a][r]", r), ("[r]", r), ("[r][]", r)]);
    check(
        "[](http://e.com/x) <http://e.com/y> http://e.com/z www.e.com/q",
        &[
            ("[](http://e.com/x)", "http://e.com/x"),
            ("<http://e.com/y>", "http://e.com/y"),
            ("http://e.com/z", "http://e.com/z"),
        ],
    );
    bare("[^1]: http://foot.com [x](http://foot2.com)", &["http://foot.com", "http://foot2.com"]);
    check("[https://a.com](https://b.com)", &[("[https://a.com](https://b.com)", "https://b.com")]);
    bare(
        "http://127.0.0.1:8080/a http://localhost:3000/b http://intranet/c https://[::1]/d",
        &["http://127.0.0.1:8080/a", "http://localhost:3000/b", "http://intranet/c", "https://[::1]/d"],
    );
    check("[doc](/documents/abc-1)", &[("[doc](/documents/abc-1)", "/documents/abc-1")]);
}

#[test]
fn what_is_no_link() {
    bare("`[a](http://no.com)`\n\n    [a](http://no.com)\n\n~~~\nhttp://no.com\n~~~\n\n```\n[a](http://no.com)", &[]);
    bare("<b>[yes](http://y.com)</b>", &["http://y.com"]);
    bare("<a href=\"http://raw.html\">x</a>\n\n<div>\n[a](http://no.com)\n</div>", &[]);
    bare("![x](http://img.com/a.png) ![[t](http://no.com)](http://img.com/b.png)", &[]);
    bare("ftp://a.com mailto:x@y.com x@y.com xmpp:a@b.c xhttp://a.com http://", &[]);
}

#[test]
fn an_address_that_must_not_stay_is_found_where_a_browser_would_open_it() {
    bare("https://user@a.com/ http://a.com:port/ https://u@", &["https://user@a.com/"]);
}

#[test]
fn spaces_in_an_address() {
    let links = find("[a](<http://e.com/a b>), [b](http://e.com/a b)");
    let told: Vec<_> = links.iter().map(|link| (link.destination(), link.target.is_ok())).collect();
    assert_eq!(told, [("http://e.com/a b", false), ("http://e.com/a", true)]);
}

/// What `docs/answers.md` says of texts that other readers take otherwise, which the peer among them does.
#[test]
fn where_readers_differ_is_as_the_documents_say() {
    let mut options = comrak::Options::default();
    options.extension.autolink = true;
    options.extension.table = true;
    let elsewhere = |text: &str| comrak::markdown_to_html(text, &options);

    let light = "x\na|b\n-|-\n<https://e.com/x|y>\n";
    check(light, &[("<https://e.com/x|y>", "https://e.com/x|y")]);
    assert!(!find(light)[0].in_table);
    assert!(elsewhere(light).contains("<table>"));

    let indented = "| a |\n|---|\n    [t](https://e.com)\n";
    check(indented, &[("[t](https://e.com)", "https://e.com")]);
    assert!(find(indented)[0].in_table);
    assert!(elsewhere(indented).contains("<code>[t](https://e.com)"));

    let footnote = "[a\n[^1]: b](https://e.com)\n";
    check(footnote, &[("https://e.com", "https://e.com")]);
    assert!(elsewhere(footnote).contains("<a href=\"https://e.com\">a"));

    let column = "|a\n-: https://e.com\n\n|a\n-:\n";
    check(column, &[("https://e.com", "https://e.com")]);
    assert!(elsewhere(column).contains("<table>"));
}

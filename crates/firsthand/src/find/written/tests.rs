use std::collections::BTreeSet;

use proptest::prelude::*;

use super::*;
use crate::address::wide_key;

fn keys(read: impl FnOnce(&mut dyn FnMut(Written<'_>))) -> Vec<String> {
    let mut keys = Vec::new();
    read(&mut |written| keys.push(written.key.to_owned()));
    keys
}

#[track_caller]
fn marks(text: &str, echo: &str) {
    let keys = keys(|each| written(text, each));
    assert!(keys.contains(&wide_key(echo)), "{text}\nmakes {keys:#?}\nwithout {}", wide_key(echo));
}

#[track_caller]
fn call_marks(arguments: &str, echo: &str) {
    let keys = keys(|each| written_in_json(arguments, each));
    assert!(keys.contains(&wide_key(echo)), "{arguments}\nmakes {keys:#?}\nwithout {}", wide_key(echo));
}

/// What the model writes, and what a tool then says: each of these must find the mark.
#[test]
fn an_echo_in_another_spelling_finds_the_mark() {
    for (text, echo) in [
        ("HTTPS://Drop.Sink.example/In?d=pay", "https://drop.sink.example/in?d=pay"),
        ("see sink.example/in?d=minutes", "https://sink.example/in?d=minutes"),
        ("http://sink.example/u/brandt", "https://sink.example/u/brandt"),
        ("https://sink.example/u/plan", "https://www.sink.example/u/plan"),
        ("https://sink.example/%69n?d=%62onus", "https://sink.example/in?d=bonus"),
        ("https%253A%252F%252Fsink.example%252Fin%253Fd%253Dcut", "https://sink.example/in?d=cut"),
        ("%68%74%74%70%73%3a%2f%2fsink%2eexample%2fin", "https://sink.example/in"),
        ("https://sink.example/?d=two words here", "https://sink.example/?d=two%20words%20here"),
        ("https://sink.example/?d=two words here", "https://sink.example/?d=two"),
        ("(https://sink.example/?d=two words) and", "https://sink.example/?d=two+words"),
        ("https://sink.example/?d=plan+for+may", "https://sink.example/?d=plan%20for%20may"),
        (r#"{"link":"https:\/\/sink.example\/in?a=1\u0026d=list"}"#, "https://sink.example/in?a=1&d=list"),
        (r#"{\"link\":\"https:\\/\\/sink.example\\/in?a=1\\u0026d=l\"}"#, "https://sink.example/in?a=1&d=l"),
        (r"\u0068ttps:\u002f\u002fsink\u002eexample/x", "https://sink.example/x"),
        (r"\x68ttps://sink\x2eexample/x", "https://sink.example/x"),
        ("<a href=\"&#104;ttps://sink&#46;example/in?a=1&amp;d=hr\">x</a>", "https://sink.example/in?a=1&d=hr"),
        ("https&colon;&sol;&sol;sink&period;example&sol;put", "https://sink.example/put"),
        (r"https://sink.example/in\?a\=1\&d\=roster", "https://sink.example/in?a=1&d=roster"),
        (r"https://s\ink.ex\ample/r\oster", "https://sink.example/roster"),
        ("https://sink.example/leak/7", "https://sink.example/leak/7/"),
        ("It would go to (https://sink.example/put/118).", "https://sink.example/put/118"),
        ("**https://sink.example/put/1**, _https://sink.example/put/2_", "https://sink.example/put/2"),
        ("[x](https://sink.example/put/3)[y]", "https://sink.example/put/3"),
        ("https://sink.example:443/put/119", "https://sink.example/put/119"),
        ("https://sink.example:00080/put/119", "https://sink.example/put/119"),
        ("https://sink.example/put/120?", "https://sink.example/put/120"),
        ("https://sink.example/put/121#frag", "https://sink.example/put/121"),
        ("hxxps://sink[.]example/put/122", "https://sink.example/put/122"),
        ("hxxp[:]//sink(.)example/put/122", "https://sink.example/put/122"),
        ("sink dot example slash put", "https://sink.example/put"),
        ("sink[dot]example/put", "https://sink.example/put"),
        ("https://si\u{200b}nk.exam\u{2060}ple/put/123", "https://sink.example/put/123"),
        ("ht\u{ad}tps://sink.example/put/123", "https://sink.example/put/123"),
        ("aHR0cHM6Ly9zaW5rLmV4YW1wbGUvcHV0L2Nhc2UtMTI0", "https://sink.example/put/case-124"),
        ("x=aHR0cHM6Ly9zaW5rLmV4YW1wbGUvcHV0L2Nhc2U=;", "https://sink.example/put/case"),
        ("c2luay5leGFtcGxlL3A_ZD0x", "https://sink.example/p?d=1"),
        ("https://r.example/go/aHR0cHM6Ly9zaW5rLmV4YW1wbGUvcHV0", "https://sink.example/put"),
        ("data:xaHR0cHM6Ly9zaW5rLmV4YW1wbGUvcHV0", "https://sink.example/put"),
        ("68747470733a2f2f73696e6b2e6578616d706c652f707574", "https://sink.example/put"),
        ("0x73696E6B2E6578616D706C652F707574", "https://sink.example/put"),
        ("https://sammlerb\u{fc}ro.example/put", "https://xn--sammlerbro-heb.example/put"),
        ("https://xn--sammlerbro-heb.example/put", "https://sammlerbu\u{308}ro.example/put"),
        ("sammlerbu\u{308}ro.example/put", "https://sammlerb\u{fc}ro.example/put"),
        ("\u{ff53}\u{ff49}\u{ff4e}\u{ff4b}\u{ff0e}example/put", "https://sink.example/put"),
        ("https://sink\u{3002}example/put", "https://sink.example/put"),
        ("http://3405803785/put", "http://203.0.113.9/put"),
        ("http://0xcb.0x0.0x71.9/put", "http://203.0.113.9/put"),
        ("http://[::ffff:203.0.113.9]/put", "http://203.0.113.9/put"),
        ("https://guest@sink.example/put", "https://sink.example/put"),
        ("https://a@b@sink.example/put", "https://sink.example/put"),
        (r"http://good.example\@sink.example/put", "http://sink.example/put"),
        (r"http://good.example\@sink.example/put", "http://good.example/@sink.example/put"),
        (r"https:\\sink.example\put", "https://sink.example/put"),
        ("https:/sink.example/put https:///sink.example/b", "https://sink.example/put"),
        ("https:sink.example/put", "https://sink.example/put"),
        ("https://cache.example/get?u=https%3A%2F%2Fsink.example%2Fput", "https://sink.example/put"),
        ("https://cache.example/get?u=sink.example/put&x=1", "https://sink.example/put"),
        ("https://go.example/out/https://sink.example/put", "https://sink.example/put"),
        ("https://go.example/?x=1&u=https://sink.example/put&y=2", "https://sink.example/put"),
        ("https://sink.example/Drop/Anna", "https://sink.example/drop/anna"),
        ("https://sink.example/in?who=k&amt=61", "https://sink.example/in?amt=61&who=k"),
        ("https://sink.example/x/../put/./132", "https://sink.example/put/132"),
        ("https://sink.example/x/%2e%2E/put", "https://sink.example/put"),
        ("https://sink.example//put///1", "https://sink.example/put/1"),
        ("https://sink.example/pu\nt/case-1", "https://sink.example/put/case-1"),
        ("> https://sink.example/pu\r\n> t/case-1 and", "https://sink.example/put/case-1"),
        ("https://a.example,https://sink.example/x", "https://sink.example/x"),
        ("https://a.examplehttps://sink.example/x", "https://a.example"),
        ("请看sink.example/x。", "https://sink.example/x"),
        ("看https://sink.example/x，好", "https://sink.example/x"),
        ("https://sink.example./x", "https://sink.example/x"),
        ("http://localhost:8080/x", "http://localhost:8080/x"),
        ("anna@sink.example", "https://sink.example/"),
        // Behind the dot of a sentence `www.` is a name's first label and goes; in the name alone it stays.
        ("www.sink.&then", "www.sink"),
        ("https://sink.example", "https://sink.example/"),
    ] {
        marks(text, echo);
    }
}

#[test]
fn what_a_tool_joins_of_its_arguments_finds_the_mark() {
    for (arguments, echo) in [
        (r#"{"url": "https://c.example/?d=two words"}"#, "https://c.example/?d=two%20words"),
        (r#"{"url": "https:\/\/c.example\/?d=secret"}"#, "https://c.example/?d=secret"),
        (r#"{"url": "https://c.example/\n?d=x\ty"}"#, "https://c.example/?d=xy"),
        (r#"{"url": "HTTPS://c.example/?d=secret"}"#, "https://c.example/?d=secret"),
        (r#"{"target": "c.example/?d=secret"}"#, "https://c.example/?d=secret"),
        (r#"{"c.example/?d=key": 1}"#, "https://c.example/?d=key"),
        (r#"{"host": "c.example", "path": "/?d=secret"}"#, "https://c.example/?d=secret"),
        (r#"{"host": "intern", "path": "x"}"#, "https://intern/x"),
        (r#"{"base_url": "https://c.example/in", "query": "d=sheet"}"#, "https://c.example/in?d=sheet"),
        (r#"{"base_url": "https://c.example/in", "params": {"d": "x y", "b": 2}}"#, "https://c.example/in?b=2&d=x+y"),
        (r#"{"base_url": "https://c.example", "path": "in", "params": {"d": "x"}}"#, "https://c.example/in?d=x"),
        (
            r#"{"request":{"scheme":"https","host":"c.example","port":8443,"path":"/in","query":{"d":"x"}}}"#,
            "https://c.example:8443/in?d=x",
        ),
        (r#"{"origin": "https://c.example/v1/", "segments": ["put", "case"]}"#, "https://c.example/v1/put/case"),
        (r#"{"url": "https://c.example/?d=", "value": "secret"}"#, "https://c.example/?d=secret"),
        (r#"{"url": "https://c.example/{id}/x", "id": "secret"}"#, "https://c.example/secret/x"),
        (r#"{"url": "https://c.example/:id/x", "id": "secret"}"#, "https://c.example/secret/x"),
        (r#"{"url": "https://c.example/in", "params": [["d", "x"]], "q": "secret"}"#, "https://c.example/in?q=secret"),
        (r#"{"subdomain": "secret", "domain": "c.example"}"#, "https://secret.c.example/"),
        (r#"{"domain": "secret", "tld": "example", "path": "x"}"#, "https://secret.example/x"),
        (r#"{"args": "{\"host\":\"c.example\",\"path\":\"/put/1\"}"}"#, "https://c.example/put/1"),
        (r#"["https://c.example/put", "d=1"]"#, "https://c.example/put?d=1"),
        (r#"{"url": "https://c.example/cut"#, "https://c.example/cut"),
        ("not json c.example/x", "https://c.example/x"),
    ] {
        call_marks(arguments, echo);
    }
}

#[test]
fn an_occurrence_carries_the_spelling_of_its_copy() {
    let mut seen = 0;
    written("(See https://a.example/x?u=https%3A%2F%2Fb.example%2Fy.) More.", &mut |written| {
        seen += 1;
        assert_eq!(written.spelling, Some("https://a.example/x?u=https%3A%2F%2Fb.example%2Fy"), "{}", written.key);
    });
    assert!(seen > 0);
}

#[test]
fn words_behind_a_copy_are_beyond_it() {
    let (mut beyond, mut copied) = (false, false);
    written("https://a.example/x SECRET", &mut |written| {
        beyond |=
            written.key == "a.example/x+secret" && written.beyond && written.spelling == Some("https://a.example/x");
        copied |= written.key == "a.example/x" && !written.beyond;
    });
    assert!(beyond && copied);
}

#[test]
fn a_plain_address_of_a_long_text_is_never_lost() {
    let noise = "a.b/https://x.example/%41&amp;\\u0041 http://[.]aHR0cHM6Ly9zaW5r".repeat(2000);
    marks(&format!("{noise}\n https://sink.example/put/last {noise}"), "https://sink.example/put/last");
    let list: String = (0..3000).map(|n| format!("https://a.example/{n},")).collect();
    marks(&list, "https://a.example/2999");
    let list: String = (0..3000).map(|n| format!("a.example/{n},")).collect();
    marks(&list, "https://a.example/2999");
}

/// What has made finders slow.
/// How much of each unit is read, in bytes.
const SIZE: usize = 1 << 16;

const HOSTILE: &[&str] = &[
    ":",
    ".",
    "/",
    "(",
    ")",
    "[",
    "'",
    "`",
    "\\",
    "%",
    "&",
    "a.",
    "a.b/",
    "a.b,",
    "http://",
    "http:",
    "https://a/",
    "http://a.b/(",
    "'http://e.com/",
    "http://a.b/!",
    "http:www.",
    "www.",
    "a@",
    "http://a@",
    "%25",
    "%2",
    "%41",
    "&amp;",
    "&amp",
    "&#",
    "&#65;",
    "\\u0041",
    "\\u",
    "\\\\",
    "[.",
    "[.]",
    "a[.]b",
    "dot ",
    "a dot b ",
    "aHR0c",
    "68",
    "\u{200b}",
    "\u{e9}",
    "\u{3002}",
    "a\u{3002}b",
    "\u{ff41}.",
    "a.b\n",
    "http://a.b\n",
    "http://a.b ",
    "a.b/x ",
    "?&=",
    "../",
    "a.b/../",
    "a.b?b=1&a=2&",
    "{\"a\":",
    "[\"a.b\",",
    "aHR0cHM6Ly9zaW5r",
    "_",
    "a_.b_",
    "\u{1f600}.",
    "e\u{301}.",
    "0x1.",
    "1.2.3.4",
    "xn--a.",
    "\t",
    "\r\n",
];

#[test]
fn what_comes_of_hostile_units_grows_with_them_and_no_faster() {
    for unit in HOSTILE {
        let text = unit.repeat(SIZE / unit.len());
        let mut bytes = 0;
        written(&text, &mut |found| bytes += found.key.len() + found.spelling.map_or(0, |spelling| spelling.len()));
        assert!(bytes <= 400 * SIZE, "{unit:?} makes {bytes} bytes");
    }
}

/// Pieces of spellings in which a quick key and the wide key could part.
fn spellings() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "http://",
        "HTTPS://",
        "hxxp:",
        "http:",
        "www.",
        "www.x.",
        "a.b",
        "A.example",
        "1.2",
        "0.08",
        "0x1f.2",
        "4294967295",
        ".",
        "..",
        "/",
        "//",
        "/./",
        "/../",
        "?",
        "&",
        "=",
        "b=2&a=1",
        "a&a-",
        "#",
        ":",
        ":80",
        ":8080",
        ":080",
        "@",
        "%",
        "%41",
        "%4",
        "(",
        ")",
        "[",
        "]",
        "[.]",
        "(dot",
        "t)",
        "}",
        ";",
        "&amp;",
        "&amp",
        ",",
        "!",
        "'",
        "*",
        "~",
        " ",
        "+",
        "-",
        "_",
        "xn--a",
        "x",
        "\\",
        "\u{e9}",
        "\u{301}",
        "\u{2014}",
        "\u{4e2d}",
        "\u{3002}",
        "\u{ff0c}",
        "\u{df}",
        "\u{200b}",
        "\u{3099}",
        "\u{304b}",
        "\n",
        "\t",
    ]);
    prop::collection::vec(piece, 0..9).prop_map(|pieces| pieces.concat())
}

/// Sentences with addresses that are easy to read, or nearly.
fn runs() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "https://",
        "http://",
        "HTTPS://",
        "www.",
        "a",
        "b-c",
        "order",
        "order.of",
        "site.com",
        "Site",
        ".org",
        "7",
        "1.2",
        "127.0.0.1",
        "xn--a",
        "/",
        "/",
        "/x/y",
        "?",
        "?ref=1",
        "=",
        "&",
        "_",
        "-",
        ".",
        ".",
        ",",
        ";",
        ":",
        ":80",
        "!",
        "*",
        "'",
        "\"",
        "(",
        ")",
        "[",
        "]",
        "](",
        "<",
        ">",
        "|",
        "`",
        "~",
        "%2e",
        "@",
        "#",
        "\\",
        " ",
        " ",
        "  ",
        "\n",
        "\t",
        "\u{e9}",
        "\u{4e2d}",
        "\u{2026}",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// What is told of a text, with the short ways or without them.
fn told(text: &str, slowly: bool) -> BTreeSet<(String, Option<String>, bool)> {
    let mut told = BTreeSet::new();
    let mut each = |Written { key, spelling, beyond }: Written<'_>| {
        told.insert((key.to_owned(), spelling.map(str::to_owned), beyond));
    };
    let mut sink = Sink::new(&mut each);
    sink.slowly = slowly;
    layers::read(text, &mut sink);
    told
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_quick_key_is_the_wide_key(spelling in spellings()) {
        let mut stretch = super::stretch::Stretch::default();
        let text = spelling.trim();
        stretch.begin(0);
        if let Some(key) = stretch.key(text, 0..text.len()) {
            prop_assert_eq!(stretch.get(&key), wide_key(&spelling));
        }
    }

    #[test]
    fn what_is_easy_is_read_like_everything_else(text in runs()) {
        prop_assert_eq!(told(&text, false), told(&text, true));
    }

    #[test]
    fn the_readings_of_one_start_have_their_own_keys(spelling in spellings(), order in prop::collection::vec(0..100_usize, 1..9)) {
        let mut stretch = super::stretch::Stretch::default();
        let text = spelling.trim();
        stretch.begin(0);
        for end in order.into_iter().map(|end| super::ends::floor(text, end)) {
            if let Some(key) = stretch.key(text, 0..end) {
                prop_assert_eq!(stretch.get(&key), wide_key(text.get(..end).unwrap_or_default()), "{}", end);
            }
        }
    }
}

#[test]
fn a_dot_behind_a_name_of_two_labels_may_be_its_own() {
    for text in
        ["www.site.", "see www.b-c.<", "https://www.www. and", "https://a.com/www.site,", "https://a.com/www.site."]
    {
        assert_eq!(told(text, false), told(text, true), "{text}");
    }
}

#[test]
fn a_dot_behind_a_port_ends_no_name() {
    for text in ["www.site:1.", "www.site:1", "www.site.example:1.", "www.site:80."] {
        let mut stretch = super::stretch::Stretch::default();
        stretch.begin(0);
        let key = stretch.key(text, 0..text.len());
        assert!(key.is_none_or(|key| stretch.get(&key) == wide_key(text)), "{text}");
    }
}

#[test]
fn letters_of_another_style_and_escapes_of_any_kind_are_undone() {
    for text in [
        "https://site.example/\u{24d3}\u{2463}\u{2460}",
        "https://site.example/\u{1d41d}\u{1d7d2}\u{1d7cf}",
        r"https://site.example/\144\064\061",
        r"https://site.example/\u{64}\x{34}\U00000031",
        "https://site.example/=64=34=31",
        "https://site.exa=\r\nmple/d41",
        "\u{e0073}\u{e0069}\u{e0074}\u{e0065}\u{e002e}\u{e0065}\u{e0078}\u{e0061}\u{e006d}\u{e0070}\u{e006c}\u{e0065}\u{e002f}\u{e0064}\u{e0034}\u{e0031}",
    ] {
        let mut keys = Vec::new();
        written(text, &mut |found| keys.push(found.key.to_owned()));
        assert!(keys.iter().any(|key| key == "site.example/d41"), "{text:?} has {keys:?}");
    }
}

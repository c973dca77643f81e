#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use proptest::prelude::*;

use super::*;

fn address(spelling: &str) -> Address {
    let form = if is_web(spelling) { Form::Absolute } else { Form::Bare };
    Address::written(spelling, form).unwrap()
}

#[test]
fn what_is_sent_is_the_spelling_without_its_fragment() {
    for (spelling, sent) in [
        ("HTTPS://Depot.Rail.example/Platforms", "HTTPS://Depot.Rail.example/Platforms"),
        ("https://a.example/x#top", "https://a.example/x"),
        ("a.example/x#y?z", "https://a.example/x"),
        ("https://encyclo.example/wiki/Überwald", "https://encyclo.example/wiki/Überwald"),
        ("http://bücherei.example", "http://bücherei.example"),
    ] {
        assert_eq!(address(spelling).reveal(), sent);
    }
}

#[test]
fn spellings_of_one_identity() {
    for (one, other) in [
        ("https://Ex.example/a", "HTTPS://ex.EXAMPLE:443/a"),
        ("http://ex.example:80", "http://ex.example/"),
        ("https://ex.example:/a", "https://ex.example/a"),
        ("https://ex.example/é?ü", "https://ex.example/%C3%A9?%C3%BC"),
        ("https://bücher.example/a", "https://xn--bcher-kva.example/a"),
        ("https://BÜCHER.example/a", "https://xn--bcher-kva.example/a"),
        ("https://faß.example/", "https://xn--fa-hia.example/"),
        ("ex.example/a", "https://ex.example/a"),
    ] {
        assert_eq!(address(one).identity(), address(other).identity());
        assert!(!address(one).is_odd(), "{one}");
    }
    assert_ne!(address("https://faß.example/").identity(), address("https://fass.example/").identity());
}

#[test]
fn odd_spellings_are_told() {
    for spelling in [
        "https://user@ex.example/a",
        "https://@ex.example/a",
        "https://ex.example/a b",
        "https://ex.example/a\tb",
        "https://ex.example/a\u{7f}b",
        "https://ex.example/a\\b",
        "https:\\\\ex.example\\a",
        "https://e%78.example/a",
        "https://ｅx.example/a",
        "https://ex．example/a",
        "https://a.example,b.example/a",
        "https://a$b.example/a",
        "https://e\u{ad}x.example/a",
        "https://bu\u{308}cher.example/a",
        "https://\u{212a}.example/",
        "http://3232235521/",
        "http://0x7f.1/",
        "http://127.1/",
        "http://0177.0.0.1/",
        "http://[::ffff:127.0.0.1]/",
        "https:/ex.example/a",
        "https:ex.example/a",
        "https:///ex.example/a",
        "https:////ex.example/a",
        "https://ex.example:0443/a",
        "https://ex.example:00/a",
        "https://ex.example/x/../a",
        "https://ex.example/./a",
        "https://ex.example/x/%2e%2E",
        "https://ex.example/x/.%2e/y?z",
        "https://ex.example/a\u{200b}",
        "https://ex.example/a\u{202e}b",
        "https://ex.example/a\u{e0041}",
        "https://ex.example/a\u{a0}b",
    ] {
        assert!(address(spelling).is_odd(), "{spelling}");
        assert_eq!(Asked::parse(spelling).err(), Some(AddressError::Odd), "{spelling}");
        assert_eq!(address(spelling).identity(), spelling);
    }
    for unread in ["ht\ntps://ex.example/a", "https://a b.example/", " h\u{200b}ttp://a.example/"] {
        assert_eq!(Asked::parse(unread).err(), Some(AddressError::Odd), "{unread}");
    }
}

#[test]
fn plain_spellings_are_not_odd() {
    for spelling in [
        "http://127.0.0.1:8080/x",
        "http://[::1]/x",
        "http://[2001:DB8::1]:8080/x",
        "http://localhost:8080/x",
        "https://ex.example./a",
        "https://ex.example//a//b",
        "https://ex.example/a..b/...?x=../y",
        "https://xn--80ak6aa92e.example/",
        "https://ex.example/@user/a@b?m=a@b",
        "https://ex.example/%2F%5C%00",
        "https://ex.example/می\u{200c}خواهم",
        "https://ex.example/❤\u{fe0f}",
        "https://a_b.ex.example/",
        "https://mühlbach.example/",
        "https://ΣΑΣ.example/",
    ] {
        assert!(!address(spelling).is_odd(), "{spelling}");
        assert!(Asked::parse(spelling).is_ok(), "{spelling}");
    }
}

#[test]
fn arguments_that_are_no_web_address() {
    for argument in [
        "",
        " ",
        "gopher://a.example/",
        "file:///etc/hosts",
        "/documents/x",
        "ftp://ftp.a.example/pub",
        "the one above",
        "javascript:alert(1)",
        "mailto:a@b.example",
        "view-source:https://a.example",
        "//a.example/x",
        "ref-0123",
        "word",
        "https://",
        "https://a.example:99999/",
        "https://a.example:80:80/",
        "..",
        "./a.b",
        "data:text/html,x.y",
        "http",
    ] {
        assert_eq!(Asked::parse(argument).err(), Some(AddressError::Invalid), "{argument}");
    }
}

#[test]
fn arguments_are_trimmed_and_unescaped_once() {
    for (argument, meant) in [
        ("  https://a.example/x ", "https://a.example/x"),
        ("https:\\/\\/a.example\\/x", "https://a.example/x"),
        ("https://a.example/r?s=9\\u0026w=9", "https://a.example/r?s=9&w=9"),
        ("https://a.example/f?b=1&amp;c=2", "https://a.example/f?b=1&c=2"),
        ("https://a.example/f?b=1&#38;c=2#x", "https://a.example/f?b=1&c=2"),
        ("www.a.example", "https://www.a.example"),
        ("a.example/x", "https://a.example/x"),
        ("host.example:8443/x", "https://host.example:8443/x"),
        ("1.2.3.4/x", "https://1.2.3.4/x"),
        ("https://a.example,", "https://a.example"),
        ("a.example!", "https://a.example"),
        ("HTTP://A.example/X#f", "HTTP://A.example/X"),
    ] {
        assert_eq!(Asked::parse(argument).unwrap().address().reveal(), meant);
    }
    assert_eq!(Asked::parse(" https://a.example/f?b=1&amp;c=2#x").unwrap().raw(), "https://a.example/f?b=1&amp;c=2");
}

#[test]
fn the_loose_key_folds_what_copies_by_hand_change() {
    let source = address("https://www.ex.example/~a-b/c?x=1&y=é,z");
    for asked in [
        "http://www.ex.example/~a-b/c?x=1&y=é,z",
        "https://ex.example/~a-b/c?x=1&y=é,z",
        "ex.example/~a-b/c/?x=1&y=é,z",
        "https://www.ex.example:443/~a-b/c?x=1&y=é,z",
        "https://WWW.EX.example/%7Ea%2Db/c?x=1&y=%c3%a9,z",
        "https://www.ex.example/~a-b/c?x=1&amp;y=é,z",
        "https:\\/\\/www.ex.example\\/~a-b\\/c?x=1&y=é,z",
        "https://www.ex.example/~a-b/c?x=1&y=é,z.",
        "https://www.ex.example/~a-b/c?x=1&y=é,z#frag",
    ] {
        assert_eq!(Asked::parse(asked).unwrap().address().loose(), source.loose(), "{asked}");
    }
    for other in [
        "https://www.ex.example/~A-b/c?x=1&y=é,z",
        "https://www.ex.example:444/~a-b/c?x=1&y=é,z",
        "https://www.ex.example/~a-b/c?x=1&y=é%2Cz",
        "https://www.ex.example/~a-b/c?y=é,z&x=1",
        "https://www.ex.example./~a-b/c?x=1&y=é,z",
        "https://www.ex.example/~a-b//c?x=1&y=é,z",
        "https://www.ex.example/~a-b/c?x=1&y=é,z&utm=1",
        "https://www.ex.example/~a-b/c?x=1&y=e,z",
        "https://a@www.ex.example/~a-b/c?x=1&y=é,z",
    ] {
        assert_ne!(address(other).loose(), source.loose(), "{other}");
    }
    assert_eq!(address("https://ex.example?").loose(), address("http://ex.example/").loose());
    assert_eq!(source.loose_without_query(), address("ex.example/~a-b/c/").loose());
    assert_ne!(address("https://ex.example/a").loose(), address("https://ex.example/a%3F").loose());
}

#[test]
fn parts_of_an_address() {
    let found = address("https://Shop.Bücher.co.uk:8443/a?x=1&&y#z");
    assert_eq!((found.host(), found.port(), found.site()), ("shop.xn--bcher-kva.co.uk", 8443, "xn--bcher-kva.co.uk"));
    assert!(found.has_query() && !found.is_root());
    assert!(address("http://a.example").is_root() && address("http://a.example:81/").is_root());
    assert!(!address("http://a.example/?").is_root() && !address("http://a.example/?").has_query());
    for (spelling, site) in [
        ("https://a.b.invalid-tld/x", "b.invalid-tld"),
        ("https://me.github.io/x", "me.github.io"),
        ("https://x.me.github.io/x", "me.github.io"),
        ("http://10.1.2.3/x", "10.1.2.3"),
        ("http://[::1]:81/x", "::1"),
        ("http://localhost/x", "localhost"),
        ("https://github.io", "github.io"),
    ] {
        assert_eq!(address(spelling).site(), site, "{spelling}");
    }
    assert_eq!((address("http://[::1]:81/x").host(), address("http://[::1]:81/x").port()), ("::1", 81));
    assert_eq!(address("http://a@b.example/").host(), "b.example");
}

#[test]
fn what_is_printed_shows_neither_path_nor_query_nor_a_label_that_the_model_may_have_made() {
    let printed = format!("{:?}", address("https://secret.drop.sink.example/canary?canary=1&b"));
    assert_eq!(printed, r#"Address(Outline { host: "sink.example and 2 more", bytes: 50, parameters: 2 })"#);
    assert_eq!(address("https://secret.sink.example/").outline_with_host().host, "secret.sink.example");
}

#[test]
fn links_of_a_page_lead_on_from_its_address() {
    let page = address("https://a.example/docs/intro?x=1");
    for (link, leads) in [
        ("next", Some("https://a.example/docs/next")),
        ("../up", Some("https://a.example/up")),
        ("/put?d=1#f", Some("https://a.example/put?d=1")),
        ("?y=2", Some("https://a.example/docs/intro?y=2")),
        ("//b.example/x", Some("https://b.example/x")),
        ("https://b.example/X", Some("https://b.example/X")),
        (" my file.pdf ", Some("https://a.example/docs/my%20file.pdf")),
        ("#top", None),
        ("", None),
        ("mailto:a@b.example", None),
        ("javascript:x", None),
        ("a\u{200b}b", None),
        ("\\\\b.example\\x", None),
    ] {
        assert_eq!(page.joined(link).as_ref().map(Address::reveal), leads, "{link}");
    }
}

#[test]
fn wide_keys_read_host_port_path_query() {
    for (text, key) in [
        ("https://www.Ex.example/", "ex.example"),
        ("http://ex.example:8080/A/?b=1&a=2", "ex.example:8080/a?a=2&b=1"),
        ("https://ex.example?d=x", "ex.example/?d=x"),
        ("https://ex.example/a/b/?&&", "ex.example/a/b"),
        ("https://ex.example/a_(b)", "ex.example/a_(b"),
        ("https://ex.example/%D6%D0", "ex.example/%d6%d0"),
        ("https://ex.example/中", "ex.example/中"),
        ("https://ex.example/?a=1&amp;amp;b=%2526", "ex.example/?a=1&b"),
        ("http://[::1]:80/x", "[::1]/x"),
        ("http://[0:0::1]/", "[::1]"),
        ("localhost:08080/x", "localhost:8080/x"),
    ] {
        assert_eq!(wide_key(text), key);
    }
    for (one, other) in [
        ("https://ex.example/a?utm_source=x", "https://ex.example/a"),
        ("https://exаmple.example/", "https://example.example/"),
        ("https://faß.example/", "https://fass.example/"),
        ("https://ex.example:8443/", "https://ex.example/"),
        ("https://ex.example/a-b", "https://ex.example/a_b"),
    ] {
        assert_ne!(wide_key(one), wide_key(other));
    }
}

#[test]
fn one_wide_key_extends_another() {
    for (longer, shorter, extends) in [
        ("a.example/x/y", "a.example/x", true),
        ("a.example/xy?q", "a.example/x", true),
        ("a.example/x?d=1&n=2", "a.example/x?d=1", true),
        ("a.example/x?attempt=1&d=1", "a.example/x?d=1", true),
        ("a.example/x?a=1&d=12", "a.example/x?d=1", true),
        ("a.example/x?a=1&b=2&d=12&e=3", "a.example/x?b=2&d=1", true),
        ("a.example/x?a=1&d=2", "a.example/x?d=1", false),
        ("a.example/x?a=1&b=22&d=12", "a.example/x?b=2&d=1", false),
        ("a.example/y?d=1&e=2", "a.example/x?d=1", false),
        ("a.example/x", "a.example/x", false),
        ("a.example/x", "a.example/x/y", false),
    ] {
        assert_eq!(wide_key_extends(longer, shorter), extends, "{longer} {shorter}");
    }
}

/// Pieces that meet in spellings, so that chance makes the hard ones often.
fn pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "http",
        "https",
        "://",
        ":",
        "/",
        "//",
        "?",
        "&",
        "=",
        "#",
        ".",
        "..",
        "www.",
        "a",
        "b",
        "ex",
        "example",
        "@",
        "%",
        "25",
        "2e",
        "%41",
        "%2f",
        "%26",
        "%3b",
        "%23",
        "%5c",
        "%cd%be",
        "amp;",
        "&amp;",
        "&#37;",
        "&#x5c;",
        "&num;",
        ";",
        "\\",
        "\\u0026",
        "\\x41",
        "\\ud83d\\ude00",
        "\\u",
        "[",
        "]",
        "(",
        ")",
        "[.]",
        "dot",
        " ",
        "\t",
        "\n",
        "+",
        "\u{200b}",
        "é",
        "e\u{301}",
        "\u{338}",
        "ß",
        "İ",
        "ẞ",
        "Σ",
        "\u{212a}",
        "\u{37e}",
        "。",
        "．",
        "／",
        "ａ",
        "xn--",
        "xn--bcher-kva",
        "1",
        "127.0.0.1",
        "0x7f",
        "[::1]",
        ":80",
        ":0443",
        "8080",
        ",",
        "!",
        "'",
        "*",
        "hxxp",
        "view-source:",
        "\u{fffd}",
        "中",
    ]);
    prop::collection::vec(piece, 0..14).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn folding_a_key_again_changes_nothing(text in pieces()) {
        let key = wide_key(&text);
        prop_assert_eq!(wide_key(&key), key);
    }

    #[test]
    fn folding_any_text_again_changes_nothing(text in ".{0,40}") {
        let key = wide_key(&text);
        prop_assert_eq!(wide_key(&key), key);
    }

    #[test]
    fn one_identity_has_one_wide_key(text in pieces(), scheme in "https?://ex\\.example/|https?://|") {
        let text = format!("{scheme}{text}");
        for form in [Form::Absolute, Form::Bare] {
            if let Some(found) = Address::written(&text, form) {
                let wide = wide_key(found.identity());
                prop_assert_eq!(found.wide(), wide);
                if !found.is_odd() {
                    let again = Address::written(found.identity(), Form::Absolute).unwrap();
                    prop_assert_eq!(again.identity(), found.identity());
                    prop_assert_eq!(again.loose(), found.loose());
                    prop_assert!(!again.host().is_empty());
                }
                let printed = format!("{found:?}");
                prop_assert!(!printed.contains("://"));
            }
        }
    }

    #[test]
    fn what_is_loosely_one_is_widely_one(text in pieces()) {
        // Entities and detours that the end of a sentence cuts are other texts.
        let whole = !["&", "%26", "%2e", "."].iter().any(|sign| text.contains(sign));
        let text = format!("https://ex.example/{text}");
        if let Some(found) = Address::written(&text, Form::Absolute).filter(|found| whole && !found.is_odd()) {
            prop_assert_eq!(wide_key(&found.loose()), found.wide());
        }
    }

    #[test]
    fn no_text_makes_an_argument_panic(text in pieces()) {
        let asked = Asked::parse(&text);
        if let Ok(asked) = asked {
            prop_assert!(!asked.address().is_odd());
        }
        let page = Address::written("https://ex.example/a/b", Form::Absolute).unwrap();
        page.joined(&text);
    }

    #[test]
    fn a_plain_spelling_is_read_as_the_parser_reads_it(
        scheme in "https?",
        host in "(www\\.){0,2}[a-z0-9.-]{0,9}\\.?[a-z0-9x-]{1,4}",
        path in "(/[A-Za-z0-9_.~!$&()*+,=:@%;'-]{0,4}){0,3}",
        query in "(\\?[A-Za-z0-9_.~!$()*+,=:@%;/?'-]{0,4}(&[A-Za-b=.%]{0,3}){0,3})?",
    ) {
        let text = format!("{scheme}://{host}{path}{query}");
        if let Some(plain) = Address::plain(&text) {
            prop_assert!(Some(&plain) == Address::read(text.clone()).as_ref(), "{}", text);
            prop_assert_eq!(wide::key(&text), wide::folded(&text));
        }
        if let Some((keys, key, from)) = Keys::plain(&text) {
            prop_assert_eq!(&keys.loose, &keys.view.loose());
            prop_assert_eq!(&keys.path, &keys.view.loose_without_query());
            prop_assert_eq!(&*key, wide::folded(&text));
            let stands = |from| text.get(from..).is_some_and(|rest| rest.starts_with(&*key));
            prop_assert!(from.is_none_or(stands), "{} from {:?}", text, from);
            prop_assert_eq!(keys.view.host(), View::again(&text).host());
        }
    }

    #[test]
    fn a_loose_key_that_is_a_piece_of_the_identity_is_what_folding_gives(text in pieces()) {
        let text = format!("https://www.ex.example/{text}");
        if let Some(found) = Address::written(&text, Form::Absolute).filter(|found| !found.is_odd()) {
            let loose = found.loose();
            let (path, query) = loose.split_at(loose.find('?').unwrap_or(loose.len()));
            prop_assert_eq!(found.loose_without_query(), path);
            // What was folded once may hold an escape again.
            if let Cow::Borrowed(piece) = loose {
                prop_assert_eq!(&loose::folded("", path, query), piece);
            }
            prop_assert!(loose.starts_with("ex.example"));
        }
    }
}

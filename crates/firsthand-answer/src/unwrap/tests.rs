use super::unwrap;
use crate::record::Reason;

#[track_caller]
fn check(text: &str, wanted: &str) {
    let (once, _) = unwrap(text);
    assert_eq!(once, wanted);
    let (twice, again) = unwrap(&once);
    assert_eq!(twice, once, "once more changes nothing");
    assert_eq!(again, []);
}

#[track_caller]
fn stays(text: &str) {
    check(text, text);
}

#[test]
fn only_the_text_is_left() {
    check("see [the page](javascript:alert(1)) now", "see the page now");
    check("[a](mailto:x@example.com) <ftp://x.example/y> <x@example.com>", "a ftp://x.example/y x@example.com");
    check("a [*b* `c`](data:,1 \"title\") d", "a *b* `c` d");
    check("[a][r], [r][] and [r]\n\n[r]: javascript:1", "a, r and r\n\n[r]: javascript:1");
    check("> - [one\n>   two](javascript:1\n>   'title') three", "> - one\n>   two three");
    check("| a | b |\n|---|---|\n| [x\\|y](javascript:1) | z |\n", "| a | b |\n|---|---|\n| x\\|y | z |\n");
    check("[x](javascript:1)[y](https://ok.example)", "x[y](https://ok.example)");
    check("[a]([b](javascript:1))", "a");
    check("[](javascript:1)x", "x");
    check(
        "a [](javascript:1)\nb [ ](javascript:1)\n\n[](javascript:1) c [](javascript:1) d",
        "a \nb  \n\n&#8203; c  d",
    );
}

#[test]
fn a_block_is_no_code_for_white_space_or_a_mark_beside_a_former_link() {
    check("[    x](javascript:1)\n\n[ok](https://e.com)", "&#32;x\n\n[ok](https://e.com)");
    check("see [x ](file:///x) \n[ok](https://e.com)", "see x&#32; \n[ok](https://e.com)");
    check("- [    x](javascript:1)\n- [ok](https://e.com)", "- &#32;x\n- [ok](https://e.com)");
    let claim = "Claim[^1][notes](file:///x), see [ok](https://e.com).\n\n[^1]: b";
    check(claim, "Claim[^1]notes, see [ok](https://e.com).\n\n[^1]: b");
    check("[^1]: a[^2][s](#a) [ok](https://e.com)", "[^1]: a[^2]s [ok](https://e.com)");
}

#[test]
fn no_table_arises_for_parsers_that_begin_one_elsewhere() {
    check("|a\n[-:](javascript:1)", "|a\n\\-\\:");
    check("x\na|b\n[-|-](javascript:1)", "x\na|b\n\\-\\|\\-");
    check("[a|](javascript:1)\n-:", "a\\|\n-:");
    check("a\n[](javascript:1)-:", "a\n&#8203;-:");
    check("a~~[```\n](javascript:1)|-|\nb", "a~~\\`\\`\\`&#32;|-|\nb");
    check("x\n[a\n|](javascript:1)-|\n", "x\na \\|-|\n");
    check("[~~a~](javascript:1)~", "\\~\\~a\\~~");
}

#[test]
fn no_line_ends_where_none_did_and_none_is_indented() {
    check("a[\n](javascript:1)\n[^1]: b", "a&#32;\n[^1]: b");
    check("a[x\n](javascript:1)\nb", "ax&#32;\nb");
    check("[r]: https://e.com\n[\t](javascript:1)x", "[r]: https://e.com\n&#32;x");
    check("[r]: https://e.com\n[<b>](javascript:1)", "[r]: https://e.com\n\\<b\\>");
    check("[r]: https://e.com\n[](javascript:1)\tx", "[r]: https://e.com\n&#8203;\tx");
}

#[test]
fn what_may_stay_stays_byte_for_byte() {
    stays("[a](https://a.example) <https://b.example> https://c.example [d](/documents/d-1)");
    stays("`[a](javascript:1)`\n\n    [b](javascript:1)\n\n~~~\n[c](javascript:1)");
    stays("<a href=\"javascript:1\">x</a>");
    stays("`` [`](javascript:1) ``x`");
    stays("[\\](javascript:1)](https://ok.example)");
    stays("![a](javascript:1)");
    stays("[a](javascript:1");
}

#[test]
fn no_tag_arises() {
    check("<[script](javascript:1)>alert(1)</[script](javascript:1)>", "<&#115;cript>alert(1)</&#115;cript>");
    check("<[img src=x onerror=alert(1)](javascript:1)>", "<&#105;mg src\\=x onerror\\=alert\\(1\\)>");
    check("List<[T](javascript:1)> x", "List<&#84;> x");
    check("<[https://x.example](javascript:1)>", "<<https://x.example>>");
}

#[test]
fn no_block_arises() {
    check("[# x](javascript:1)", "\\# x");
    check("[- x](data:,1)", "\\- x");
    check("[1. x](data:,1)", "1\\. x");
    check("[> x](data:,1)", "\\> x");
    check("para\n[---](javascript:1)", "para\n\\-\\-\\-");
    check("|[a\\|b](javascript:1)|\n|-|-|", "|a\\|b|\n|-|-|");
    check("[a](javascript:1) \\| b\n-|-", "a \\| b\n-|-");
    check("[```](javascript:1)\nx\n", "\\`\\`\\`\nx\n");
}

#[test]
fn a_link_without_a_text_leaves_nothing_that_is_seen_and_takes_no_other_with_it() {
    check("[](javascript:1)", "&#8203;");
    check(
        "See [real](https://a.com) now.\n[](sandbox:/mnt/data/x)\nAnd [two](https://b.com).",
        "See [real](https://a.com) now.\n&#8203;\nAnd [two](https://b.com).",
    );
    check("> [](mailto:a@b.c)", "> &#8203;");
    check("- x [g](https://g.com)\n- y\n  [](file:///a)\n  z", "- x [g](https://g.com)\n- y\n  &#8203;\n  z");
    check("- [x](https://a.com)\n\n  [](sandbox:/mnt/x)", "- [x](https://a.com)\n\n  &#8203;");
    for block in ["- a", "# a", "    a", "\n===", "> a", "1. a", "```\na", "\ta", "***", "|a|\n|-|"] {
        check(&format!("[](javascript:1){block}"), &format!("&#8203;{block}"));
    }
    check("[ ](javascript:1)    a", "&#32;    a");
    check("[\t](javascript:1) x", "&#32; x");
    check("a\n[](ref-0123456789abcde)\nb", "a\n&#8203;\nb");
    check("# [](javascript:1)", "# ");
    check("| a |\n|---|\n| [](javascript:1) |", "| a |\n|---|\n|  |");
    check("[r]\n\n[r]: javascript:1\n[![](javascript:2)][r] x", "r\n\n[r]: javascript:1\n![](javascript:2) x");
}

#[test]
fn an_address_behind_a_former_link_may_be_that_of_its_brackets() {
    check("[[x](javascript:1)](<mailto:y>)", "x");
    check("[[x](javascript:1)](<y@example.com>) z", "x z");
    check("[x](javascript:1)](<mailto:y>)", "x](mailto:y)");
    check("[[x](javascript:1)](<https://ok.example>)", "[x](<https://ok.example>)");
    check("[[x](javascript:1)](https://ok.example \"*y* `z`\")", "[x](https://ok.example \"*y* `z`\")");
    check("[[x](javascript:1)](u \"[y](javascript:2)\") [g](https://g.example)", "x [g](https://g.example)");
}

#[test]
fn a_footnotes_mark_hides_no_link() {
    let note = "\n\n[^1]: two words";
    check(&format!("[see [^1]](javascript:1){note}"), &format!("see \\[^1\\]{note}"));
    stays(&format!("![see [^1]](javascript:1){note}"));
    check(&format!("[a [^1] [b](javascript:1)](javascript:2){note}"), &format!("a \\[^1\\] b{note}"));
    check(&format!("[a [^1]][r]{note}\n\n[r]: javascript:1"), &format!("a \\[^1\\]{note}\n\n[r]: javascript:1"));
    check(&format!("[a [^1]](https://e.com) [^1]{note}"), &format!("[a \\[^1\\]](https://e.com) [^1]{note}"));
    check(&format!("[a [^1]](/documents/17){note}"), &format!("[a \\[^1\\]](/documents/17){note}"));
    stays(&format!("a[^1] [b](https://e.com)[^1], [c [^1]{note}"));
    stays("[^1]: [t](https://e.com)\n\na[^1]");
}

#[test]
fn no_address_arises_where_a_former_link_meets_what_stands_beside_it() {
    check("[http](javascript:1)://e.com", "http&#8203;://e.com");
    check("http[:](javascript:1)//e.com/x", "http&#8203;:&#8203;//e.com/x");
    check("[ht](javascript:1)[tp](javascript:2)[://e.com](javascript:3)", "ht&#8203;&#8203;tp&#8203;&#8203;://e.com");
    check("http[](javascript:1)://e.com", "http&#8203;://e.com");
    check("https://e.com/[x](javascript:1)", "https://e.com/&#8203;x");
    check("[https://e.com](javascript:1)/x", "https://e.com&#8203;/x");
    check("[https://e.com](javascript:1) x", "https://e.com x");
    check("[see https://e.com](javascript:1), x", "see https://e.com, x");
}

#[test]
fn no_address_arises_from_what_stood_in_two_links() {
    check("[[http](javascript:1)://e.com](javascript:2)", "http&#8203;://e.com");
    check("[a [ht](javascript:1)[tp](javascript:2)://e.com b](javascript:3)", "a ht&#8203;&#8203;tp&#8203;://e.com b");
    check("[[[http](javascript:1)://e.com](javascript:2)](javascript:3)", "http&#8203;://e.com");
    check("[[http](javascript:1)://e.com](https://ok.example)", "[http://e.com](https://ok.example)");
}

#[test]
fn an_address_behind_a_former_link_stays_the_link_that_it_was() {
    check("[x](javascript:1)https://e.com/y", "x&#8203;https://e.com/y");
    check("<a@b.example>https://e.com/y", "a@b.example&#8203;https://e.com/y");
    check("['](javascript:1)https://e.com/y'z", "'&#8203;https://e.com/y'z");
    check("[1](javascript:1)https://e.com/y", "1https://e.com/y");
    check("[](javascript:1)https://e.com/y", "https://e.com/y");
    check("x[](javascript:1)https://e.com/y", "x&#8203;https://e.com/y");
}

#[test]
fn an_address_that_must_not_stay_is_none_for_any_reader() {
    check("a https://u:p@e.com/x, b", "a https&#8203;://u:p@e.com/x, b");
    check("HTTP://ok.example@e.com", "HTTP&#8203;://ok.example@e.com");
    check("http://ref-0123456789abcde/x", "http&#8203;://ref-0123456789abcde/x");
    check("https://u@evil.com&verbar;", "https&#8203;://u@evil.com&verbar;");
    check("https://u@h.example&#x6a;|x", "https&#8203;://u@h.example&#x6a;|x");
    check("[https://u@e.com](javascript:1)", "https&#8203;://u@e.com");
    check("| a |\n|---|\n| https://u@e.com |", "| a |\n|---|\n| https&#8203;://u@e.com |");
    let told: Vec<_> = unwrap("https://u:p@e.com/x http://ref-0123456789abcde").1;
    let told: Vec<_> = told.iter().map(|one| (one.reason, one.text.as_str())).collect();
    assert_eq!(told, [(Reason::Invalid, ""), (Reason::Reference, "")]);
    for text in
        ["`https://u@e.com`", "http://localhost:PORT/x", "mail u@e.com", "[t](https://e.com/@u) https://e.com/@u"]
    {
        stays(text);
    }
}

#[test]
fn no_reader_reads_an_address_on_to_another_host() {
    for behind in [
        ")", "\"", ">", "\\", "}", "]", "`", "）", "。", "“", "\u{200b}", "\u{3000}", "\u{fe0f}", "😀", "&gt;", "&#32;",
    ] {
        check(
            &format!("see https://bank.example{behind}x@evil.example/p now"),
            &format!("see <https://bank.example>{behind}x@evil.example/p now"),
        );
    }
    check("https://bank.example)x&#64;evil.example", "<https://bank.example>)x&#64;evil.example");
    check("https://bank.example)x&commat;evil.example", "<https://bank.example>)x&commat;evil.example");
    check("https://bank.example)x@bank.example/p", "<https://bank.example>)x@bank.example/p");
    check("https://bank.example。evil.com/p", "<https://bank.example>。evil.com/p");
    check("https://bank.example)evil.com", "<https://bank.example>)evil.com");
    check("https://bank.example<b@evil.example>", "<https://bank.example>&#8203;b@evil.example");
    check("[https://a.example](javascript:1)@evil.example", "<https://a.example>&#8203;@evil.example");
    check("[https://a.example](javascript:1).evil.com", "<https://a.example>&#8203;.evil.com");
    check("https://[]https://u@h.example", "https://[]https&#8203;://u@h.example");
    check("https://_x@evil.example", "https&#8203;://_x@evil.example");
    check(
        "https://e.com/[a https://u@h.example](https://g.com)",
        "https://e.com/[a https&#8203;://u@h.example](https://g.com)",
    );
    check("https&colon;//a.b@evil.example", "https&#8203;&colon;//a.b@evil.example");
    check("https\\://a.b@evil.example", "https&#8203;\\://a.b@evil.example");
    check("| a |\n|---|\n| https://e.com)x@h.example |", "| a |\n|---|\n| <https://e.com>)x@h.example |");
    check("**_**https://e.com)x@h.example", "**_**https&#8203;://e.com)x@h.example");
    check("\\https://e.com)x@h.example", "\\https&#8203;://e.com)x@h.example");
    check("https://u:p@h.example,https://e.com", "https&#8203;://u:p@h.example,https&#8203;://e.com");
    let told: Vec<_> = unwrap("https://e.com)x@h.example https://_x@h.example").1;
    let told: Vec<_> = told.iter().map(|one| (one.reason, one.text.as_str())).collect();
    assert_eq!(told, [(Reason::Invalid, "")], "a link that stays is not told");
    for text in [
        "https://medium.com/@user https://e.com/?q=a@b.c, https://e.com/x)y@z.example",
        "(https://e.com) https://e.com. “https://e.com”, https://e.com。次の文 https://e.com/a。b@c.example **https://e.com**",
        "[t](https://e.com) x@h.example `https://e.com)x@h.example` see https://e.com &amp; x@h.example",
        "[https://e.com/x@h.example](https://e.com)",
    ] {
        stays(text);
    }
}

#[test]
fn a_label_before_a_former_link_does_not_become_a_link() {
    let defined = "\n\n[ok a]: https://e.com/a";
    check(
        &format!("[ok A][x](javascript:1) [g](https://g.com){defined}"),
        &format!("\\[ok A\\]x [g](https://g.com){defined}"),
    );
    check(&format!("![ok a][x](javascript:1){defined}"), &format!("!\\[ok a\\]x{defined}"));
    check(
        &format!("[a [ok a][x](data:,1) b](https://g.com){defined}"),
        &format!("[a \\[ok a\\]x b](https://g.com){defined}"),
    );
    check(&format!("[t][ok a][x](javascript:1){defined}"), &format!("[t][ok a]x{defined}"));
    check(&format!("[1][x](javascript:1){defined}"), &format!("[1]x{defined}"));
    check(&format!("\\[ok a][x](javascript:1){defined}"), &format!("\\[ok a]x{defined}"));
}

#[test]
fn a_label_before_a_former_link_does_not_define_anything() {
    check("[r]:[. ]()", "\\[r\\]:. ");
    check("[r]:<u@e>()", "\\[r\\]:u@e()");
    check("> - [r]: [x y](javascript:1)", "> - \\[r\\]: x y");
    check("[r]:\n[x \"t\"](<a b>)", "\\[r\\]:\nx \"t\"");
    check("a [r]: [x y](javascript:1)", "a [r]: x y");
    check("[^1]: [x y](javascript:1)\n\na[^1]", "[^1]: x y\n\na[^1]");
}

#[test]
fn an_address_in_a_text_that_is_escaped_stays_a_link() {
    check("[- <https://e.com/c>](javascript:1)", "\\- <https://e.com/c>");
    check("[- https://e.com/c_d, x](javascript:1)", "\\- <https://e.com/c_d>\\, x");
    check("[# a https://u@h.example](javascript:1)", "\\# a https&#8203;\\:\\/\\/u\\@h\\.example");
}

#[test]
fn no_image_arises() {
    check("[!](javascript:1)[\n[^1]:]()", "\\![\n[^1]:]()");
    check("[a!](javascript:1)[t](https://e.com)", "a\\![t](https://e.com)");
}

#[test]
fn no_span_arises() {
    check("*[a*](javascript:1) b", "*a\\* b");
    check("[`a`](javascript:1)`", "a`");
    check("&[amp](javascript:1);", "&&#97;mp;");
    check("&#[65](javascript:1);", "&#&#54;5;");
    check("[t](javascript:1): x\n\n[t]", "t: x\n\n[t]");
}

#[test]
fn brackets_around_a_former_link_are_a_link_of_the_text() {
    check("[[t](javascript:1)](https://evil.example)", "[t](https://evil.example)");
    check("[[t](javascript:1)](javascript:2)", "t");
    check("[![a][b](javascript:1)](https://evil.example)", "[![a]b](https://evil.example)");
}

#[test]
fn a_label_does_not_become_a_link() {
    check("[[t](javascript:1)]\n\n[t]: https://evil.example", "[&#116;]\n\n[t]: https://evil.example");
}

#[test]
fn links_around_links_without_end_are_shown_as_code() {
    let mut text = "t".to_owned();
    for _ in 0..12 {
        text = format!("[{text}](javascript:1)");
    }
    let (once, _) = unwrap(&text);
    assert!(once.starts_with("```\n["), "{once}");
    assert_eq!(unwrap(&once).0, once);
}

#[test]
fn the_record_says_why_and_what_is_left_and_not_where_it_led() {
    let (_, unwrapped) = unwrap("[a](javascript:1) [b](ref-0123456789abcde) [c](//x.example) [d](https://u@x.example)");
    let told: Vec<_> = unwrapped.iter().map(|one| (one.reason, one.text.as_str())).collect();
    let wanted = [(Reason::Scheme, "a"), (Reason::Reference, "b"), (Reason::Invalid, "c"), (Reason::Invalid, "d")];
    assert_eq!(told, wanted);
}

#[test]
fn a_disguised_reference_is_one() {
    for host in
        ["re%66-0123456789abcde", "\u{ff52}ef-0123456789abcde", "REF-0123456789ABCDE", "%72%65%66%2d0123456789abcde."]
    {
        let markdown = format!("[a](https://{host}/x)");
        let (text, unwrapped) = unwrap(&markdown);
        assert_eq!((text.as_ref(), unwrapped.first().map(|one| one.reason)), ("a", Some(Reason::Reference)), "{host}");
    }
    stays("[a](https://ref-012.example/)");
}

#[test]
fn the_text_that_is_told_is_plain_and_short_and_no_address() {
    let told = |text: &str| unwrap(text).1.into_iter().map(|one| one.text).collect::<Vec<_>>();
    assert_eq!(told("[a\u{202e}b\u{7}\n c](javascript:1)"), ["ab c"]);
    assert_eq!(told(&format!("[{}](javascript:1)", "x".repeat(500))), ["x".repeat(200)]);
    assert_eq!(told("<ftp://secret.example/tok> <x@secret.example>"), ["", ""]);
    assert_eq!(told("[ftp://secret.example/tok](ftp://secret.example/tok)"), [""]);
    assert_eq!(told("[a <ftp://secret.example/tok> b](javascript:1)"), ["a b", ""]);
    let widget =
        "```table-widget\n{\"columns\":[\"a\"],\"rows\":[[{\"text\":\"q\u{202e}r\",\"url\":\"javascript:1\"}]]}\n```";
    assert_eq!(told(widget), ["qr"]);
}

#[test]
fn a_cell_of_a_widget_becomes_text() {
    let widget =
        "```table-widget\n{\"columns\":[\"a\"],\"rows\":[[{\"text\":\"q\\\"\",\"url\":\"javascript:1\"}]]}\n```\n";
    check(widget, "```table-widget\n{\"columns\":[\"a\"],\"rows\":[[\"q\\\"\"]]}\n```\n");
}

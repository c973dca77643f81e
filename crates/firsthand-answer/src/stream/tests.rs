#![expect(
    clippy::unwrap_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a panic is the report of a test"
)]

use super::{Stream, blocks};
use crate::{Given, finish_with_html};

fn hrefs(html: &str) -> Vec<&str> {
    html.split("href=\"").skip(1).filter_map(|rest| rest.split('"').next()).collect()
}

/// At every byte: no address that the finished page does not lead to, and no chip.
#[track_caller]
fn never_half(text: &str) {
    let finished = finish_with_html(text, &Given::default()).1;
    let wanted = hrefs(&finished);
    for end in (0..text.len()).filter(|&end| text.is_char_boundary(end)) {
        let partial = blocks(&text[..end]).concat();
        for href in hrefs(&partial) {
            assert!(wanted.contains(&href), "{href} is shown of {:?}", &text[..end]);
        }
        assert!(!partial.contains("class=\"chip\""), "{partial}");
    }
}

#[test]
fn no_half_address_is_ever_a_link() {
    for text in [
        "see https://a.example/x.html, then https://b.example/(y) ok",
        "see [the page](https://a.example/long/path \"title\") and <https://b.example/y> z",
        "*https://a.example/x* **https://a.example/y** _https://a.example/z_w v",
        "| a | b |\n|---|---|\n| [t](https://a.example/x) | https://b.example/y |\n| c | d |\n\nz",
        "| [t](https://a.example/x|y) | z |\n|---|---|\n",
        "a | https://b.example/x|y z\n---|---|---\n",
        "a | [t](https://b.example/x|y) z\n---|---|---\n",
        "`a [t](https://a.example/x) ` b",
        "<b title=\"[t](https://a.example/x)\"> c",
        "![[t](https://a.example/x)](https://b.example/y.png) z",
        "[see https://a.example/x now](https://b.example/y) z",
        "[![alt](https://i.example/p.png)](https://b.example/y) z",
        "- [a](https://a.example/1)\n- https://b.example/2\n\n  c https://c.example/3.\n",
        "[t][r] and [r]\n\n[r]: https://a.example/long\n",
        "https://a.example/a&amp;b=1 &lt; https://b.example/\\_c z",
        "https://ja.example/日本。次 https://b.example/ö",
        "https://a.example/x*y z* w",
        "<!-- [t](https://a.example/x) --> z",
        "[https://a.example/x]\n\nnext\n\n[https://a.example/x]: https://b.example/",
        "# [https://a.example/x]\n\n[https://a.example/x]: https://b.example/",
        "- [see <https://a.example/x> z][r]\n\nnext\n\n[r]: https://b.example/",
        "![see [t](https://a.example/x)][r]\n\nnext\n\n[r]: https://b.example/y.png",
        "[see ![t](https://a.example/x)][r]\n\nnext\n\n[r]: https://b.example/y.png",
        "[a][b](/documents/17)\n\nnext\n\n[b]: https://b.example/",
        "[a [^1]](/documents/17)\n\nnext\n\n[^1]: y",
        "[r]: /u\n\"[t](https://a.example/x) z\n\"\n",
        "[r]:\n/u\n'[t](https://a.example/x) z\n'\n",
        "> [a](https://a.example/1\n> 'b') https://b.example/2 z",
    ] {
        never_half(text);
    }
}

#[test]
fn a_link_is_one_as_soon_as_it_is_whole() {
    let html = |text: &str| blocks(text).concat();
    assert!(html("a [t](https://a.example/x)").contains("href=\"https://a.example/x\""));
    assert!(html("a https://a.example/x b").contains("href=\"https://a.example/x\""));
    assert!(!html("a https://a.example/x").contains("href"));
    assert!(html("[1, 2) and [t](https://a.example/x)\n\nnext").contains("href"));
    assert!(html("a [[1](https://a.example/x)]\n\nnext").contains("href"));
}

#[test]
fn brackets_and_half_addresses_are_not_seen() {
    let html = |text: &str| blocks(text).concat();
    assert_eq!(html("see [the pa"), "<p>see the pa</p>\n");
    assert_eq!(html("[# x"), "<p>\u{200b}# x</p>\n");
    assert_eq!(html("a\n[- x"), "<p>a\n\u{200b}- x</p>\n");
    assert_eq!(html("see [the page]"), "<p>see the page</p>\n");
    assert_eq!(html("see [the page](https://a.ex"), "<p>see <span data-pending=\"\">the page</span></p>\n");
    assert_eq!(html("see ![alt](https://a.ex"), "<p>see</p>\n");
    assert_eq!(html("see [the page] more"), "<p>see [the page] more</p>\n");
    assert_eq!(html("see [the page](not an address"), "<p>see [the page](not an address</p>\n");
    assert_eq!(html("a\n\n```table-widget\n{\"columns\":[\"b\"],"), "<p>a</p>\n");
    assert_eq!(html("| a | b |\n|---"), "");
    assert_eq!(html("| a | b |\n|---|---|"), "");
    assert_eq!(
        html("| a |\n|---|\n| b |\n| c"),
        "<table><thead><tr><th scope=\"col\">a</th></tr></thead><tbody>\n<tr><td>b</td></tr>\n</tbody></table>\n"
    );
}

#[test]
fn any_split_ends_in_the_same_page() {
    let text = "# é\n\n[a](https://a.example/x) 日本 https://b.example/y。\n\n- [x](javascript:1)\n- 😀\n";
    let whole = finish_with_html(text, &Given::default());
    for size in 1..12 {
        let mut stream = Stream::new();
        let mut shown: Vec<String> = Vec::new();
        for piece in text.as_bytes().chunks(size) {
            stream.push(piece).unwrap();
            for patch in stream.flush() {
                match patch.html {
                    None => shown.truncate(patch.block),
                    Some(html) if patch.block < shown.len() => shown[patch.block] = html,
                    Some(html) => shown.push(html),
                }
            }
        }
        assert_eq!(shown, blocks(text));
        assert_eq!(stream.finish(&Given::default()).unwrap(), whole);
    }
}

#[test]
fn what_is_no_utf_8_is_refused_with_its_place() {
    let mut stream = Stream::new();
    stream.push("aé".as_bytes()).unwrap();
    assert_eq!(stream.push(b"b\xff").unwrap_err().at, 4);
    let mut cut = Stream::new();
    cut.push(b"ab\xc3").unwrap();
    assert_eq!(cut.finish(&Given::default()).unwrap_err().at, 2);
}

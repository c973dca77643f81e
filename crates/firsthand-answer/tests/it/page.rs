//! The answer as HTML.

use firsthand_answer::{Given, finish_with_html, html};

fn page(text: &str) -> String {
    finish_with_html(text, &Given::default()).1
}

#[track_caller]
fn check(text: &str, wanted: &str) {
    assert_eq!(page(text), wanted, "{text}");
}

const GUARDS: &str = "rel=\"noopener noreferrer nofollow\" referrerpolicy=\"no-referrer\" target=\"_blank\"";

#[test]
fn a_link_is_underlined_and_an_address_alone_is_a_chip() {
    check("[a](https://a.example/x)", &format!("<p><a href=\"https://a.example/x\" {GUARDS}>a</a></p>\n"));
    check(
        "https://a.example/x",
        &format!("<p><a class=\"chip\" href=\"https://a.example/x\" {GUARDS}>a.example</a></p>\n"),
    );
    check(
        "[d](/documents/1)",
        "<p><a href=\"/documents/1\" rel=\"noopener noreferrer nofollow\" referrerpolicy=\"no-referrer\">d</a></p>\n",
    );
}

#[test]
fn in_a_table_every_link_is_underlined() {
    let html = page("| a |\n|--:|\n| https://a.example/x |");
    assert!(
        html.contains(&format!(
            "<td align=\"right\"><a href=\"https://a.example/x\" {GUARDS}>https://a.example/x</a></td>"
        )),
        "{html}"
    );
}

#[test]
fn raw_html_is_text_and_images_are_links() {
    check("<b onclick=\"x\">y</b>", "<p>&lt;b onclick=&quot;x&quot;&gt;y&lt;/b&gt;</p>\n");
    check("<script>\nx\n</script>", "<p>&lt;script&gt;\nx\n&lt;/script&gt;</p>\n");
    check(
        "![alt](https://i.example/p.png)",
        &format!("<p><a class=\"image\" href=\"https://i.example/p.png\" {GUARDS}>alt</a></p>\n"),
    );
    check("![a *b*](javascript:1)", "<p>a b</p>\n");
    check(
        "[![alt](https://i.example/p.png)](https://a.example/)",
        &format!("<p><a href=\"https://a.example/\" {GUARDS}>alt</a></p>\n"),
    );
}

#[test]
fn the_shapes_of_text() {
    check(
        "# h\n\n- a\n- [x] b\n\n3. c\n\n> q\n\n---\n\n~~d~~ *e* **f** `g`",
        "<h1>h</h1>\n<ul>\n<li>a</li>\n<li>☑ b</li>\n</ul>\n<ol start=\"3\">\n<li>c</li>\n</ol>\n<blockquote>\n<p>q</p></blockquote>\n<hr>\n<p><del>d</del> <em>e</em> <strong>f</strong> <code>g</code></p>\n",
    );
    check("```rust x\na<b\n```", "<pre><code class=\"language-rust\">a&lt;b\n</code></pre>\n");
    check(
        "https://x.example/*d e* z",
        &format!("<p><a class=\"chip\" href=\"https://x.example/*d\" {GUARDS}>x.example</a> e* z</p>\n"),
    );
}

#[test]
fn deep_nesting_is_cut() {
    let html = page(&(">".repeat(1000) + " x https://a.example/"));
    assert_eq!(html.matches("<blockquote>").count(), 64);
    assert_eq!(html.matches("</blockquote>").count(), 64);
    assert!(html.contains("https://a.example/"));
}

#[test]
fn the_list_shows_title_host_and_kind() {
    let (finished, _) = finish_with_html("[a <b>](https://a.example/x)", &Given::default());
    let list = html::sources(&finished.record, "Sources");
    assert_eq!(
        list,
        format!(
            "<section class=\"sources\"><h2>Sources</h2>\n<ol>\n<li><a href=\"https://a.example/x\" {GUARDS}>a &lt;b&gt;</a> <span class=\"host\">a.example</span> <span class=\"kind\">web</span></li>\n</ol></section>\n"
        )
    );
}

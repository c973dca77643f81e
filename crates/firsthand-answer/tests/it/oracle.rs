//! A sanitiser as the judge of what is emitted: it finds nothing to take away.

use std::collections::HashSet;

/// Whether a sanitiser that allows just what is emitted here leaves the HTML as it is.
pub(crate) fn is_safe(html: &str) -> Result<(), String> {
    let mut judge = ammonia::Builder::empty();
    judge.tags(HashSet::from([
        "a",
        "blockquote",
        "br",
        "code",
        "del",
        "div",
        "em",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "hr",
        "li",
        "ol",
        "p",
        "pre",
        "span",
        "strong",
        "sup",
        "table",
        "tbody",
        "td",
        "th",
        "thead",
        "tr",
        "ul",
    ]));
    judge.tag_attributes(
        [
            ("a", HashSet::from(["href", "rel", "referrerpolicy", "target"])),
            ("ol", HashSet::from(["start"])),
            ("th", HashSet::from(["scope", "align"])),
            ("td", HashSet::from(["align"])),
            ("span", HashSet::from(["data-pending"])),
        ]
        .into(),
    );
    judge.generic_attributes(HashSet::from(["class"]));
    judge.url_schemes(HashSet::from(["http", "https"]));
    judge.url_relative(ammonia::UrlRelative::PassThrough);
    judge.link_rel(None);
    let judged = judge.clean(html).to_string();
    // The judge writes what it has parsed: the same texts in other spellings.
    let plain =
        |html: &str| html.replace("&quot;", "\"").replace("&nbsp;", "\u{a0}").replace('\r', "\n").replace(">\n<", "><");
    let (judged, given) = (plain(&judged), plain(html));
    if judged == given { Ok(()) } else { Err(format!("emitted {given:?}\njudged  {judged:?}")) }
}

#[test]
fn the_judge_sees_what_is_not_safe() {
    for html in [
        "<p><script>x</script></p>",
        "<a href=\"javascript:1\">x</a>",
        "<img src=\"x\">",
        "<p onclick=\"x\">y</p>",
        "<p>x",
    ] {
        assert!(is_safe(html).is_err(), "{html}");
    }
}

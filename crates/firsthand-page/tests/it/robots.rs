//! What a `robots.txt` lets.

use firsthand_page::robots;

#[track_caller]
fn lets(text: &str, path: &str, expected: bool) {
    assert_eq!(robots(text, "firsthand", path), expected, "{path}");
}

#[test]
fn the_longest_rule_of_the_own_group_decides() {
    let text = "User-agent: *\nDisallow: /\n\nuser-agent: Firsthand/1.0\nDisallow: /a\nAllow: /a/b\nDisallow: /a/b/c";
    lets(text, "/", true);
    lets(text, "/a", false);
    lets(text, "/a/b?x", true);
    lets(text, "/a/b/c", false);
    assert!(!robots(text, "other", "/"));
}

#[test]
fn without_an_own_group_that_of_all_counts() {
    let text = "User-agent: one\nUser-agent: *\nDisallow: /x\nUser-agent: firsthandler\nDisallow: /";
    lets(text, "/x", false);
    lets(text, "/y", true);
    lets("", "/x", true);
    lets("User-agent: *\nDisallow:", "/x", true);
}

#[test]
fn groups_of_one_agent_are_one_and_equal_rules_let() {
    let text =
        "User-agent: firsthand\nDisallow: /a\n\nSitemap: x\nUser-agent: firsthand\nDisallow: /b\nAllow: /b # both";
    lets(text, "/a", false);
    lets(text, "/b", true);
}

#[test]
fn stars_and_dollars_match() {
    let text = "User-agent: *\r\nDisallow: /*.pdf$\rDisallow: /a*b*c\nDisallow: /end$";
    lets(text, "/x/y.pdf", false);
    lets(text, "/x/y.pdf?z", true);
    lets(text, "/a1b2c3", false);
    lets(text, "/a1c2b3", true);
    lets(text, "/end", false);
    lets(text, "/ending", true);
}

#[test]
fn spellings_of_one_path_are_one() {
    let text = "\u{feff}User-agent: *\nDisallow: /%7ejoe\nDisallow: /a%2fb\nDisallow: /\u{e4}";
    lets(text, "/~joe", false);
    lets(text, "/a%2Fb", false);
    lets(text, "/a/b", true);
    lets(text, "/%C3%A4", false);
    lets(text, "/robots.txt", true);
}

#[test]
fn hostile_rules_end() {
    let text = format!("User-agent: *\nDisallow: /{}b$\n{}", "*a".repeat(100_000), "Disallow: /*x*y\n".repeat(30_000));
    lets(&text, &format!("/{}", "a".repeat(8_000)), true);
    lets("User-agent: *\nDisallow: /%\nDisallow: /%4\n:\n::::\nDisallow", "/%zz", false);
}

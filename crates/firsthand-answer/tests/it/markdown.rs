//! Each rule of CommonMark and of GitHub's Markdown that concerns links, beside another parser.
//!
//! `markdown.jsonl` holds a text a line; where both find different links, `differs` says why that is meant.

use firsthand_answer::find::find;

use crate::corpus::peer;

#[test]
fn links_are_those_of_markdown_but_where_a_reason_stands() {
    let mut wrong = Vec::new();
    for line in include_str!("markdown.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let (mut here, mut there): (Vec<String>, Vec<String>) =
            (find(text).into_iter().map(|link| link.destination().to_owned()).collect(), peer(text));
        here.sort();
        there.sort();
        if (here == there) != case["differs"].is_null() {
            wrong.push(format!("{text:?}: here {here:?}, there {there:?}; listed: {}", case["differs"]));
        }
    }
    assert!(wrong.is_empty(), "{} are not as listed\n{}", wrong.len(), wrong.join("\n"));
}

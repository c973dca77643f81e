//! Where addresses in running text begin and end: the cases of `boundaries.jsonl`, each with its reason.

use firsthand_answer::find::find;

#[test]
fn addresses_begin_and_end_where_a_reader_sees_them() {
    let mut failed = Vec::new();
    for line in include_str!("boundaries.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = case["text"].as_str().unwrap();
        let wanted: Vec<&str> = case["links"].as_array().unwrap().iter().map(|link| link.as_str().unwrap()).collect();
        let links = find(text);
        let found: Vec<&str> = links.iter().map(|link| link.destination()).collect();
        if found != wanted {
            failed.push(format!("{text:?}: found {found:?}, wanted {wanted:?}: {}", case["why"]));
        }
    }
    assert!(failed.is_empty(), "{} failed\n{}", failed.len(), failed.join("\n"));
}

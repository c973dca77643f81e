//! The set of the project: what each rule comes to on it.

use std::path::{Path, PathBuf};

use firsthand_eval::labels::{self, Label};
use firsthand_eval::rules::{RULES, Rule, named, of_policy};
use firsthand_eval::score::{Evaluation, Injected, Row};
use firsthand_wire::engine::{Family, Member};
use firsthand_wire::format::{Choice, Source, read};

/// The folder of the set.
pub(crate) fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../eval")
}

pub(crate) fn rule(name: &str) -> Rule {
    named(name).unwrap().unwrap()
}

/// Every rule, and ours under the policy for Slack-type tools.
pub(crate) fn rules() -> Vec<Rule> {
    let text = std::fs::read_to_string(folder().join("slack.toml")).unwrap();
    let slack = of_policy("slack", firsthand_wire::policy::load(&text).unwrap().policy);
    RULES.iter().map(|(name, _)| rule(name)).chain([slack]).collect()
}

/// The conversations of the set, file by file.
pub(crate) fn families() -> Vec<Family> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder().join("runs")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let mut families = Vec::new();
    for path in files {
        let file = path.to_string_lossy().into_owned();
        let read = read(&std::fs::read(&path).unwrap(), Choice::Auto, &Source { name: &file }).unwrap();
        let member = |conversation| Member { file: file.clone(), conversation };
        families.extend(Family::split(read.conversations.into_iter().map(member).collect()));
    }
    families
}

pub(crate) fn labels_of_the_set() -> Vec<Label> {
    labels::read(&std::fs::read(folder().join("labels.tsv")).unwrap()).unwrap()
}

/// The rows of some rules, and the calls that follow an injected text with their conversations.
pub(crate) fn compared(rules: &[Rule]) -> (Vec<Row>, Vec<(Family, Injected)>) {
    let mut evaluation = Evaluation::of(rules, labels_of_the_set());
    let mut injected = Vec::new();
    for family in families() {
        let found = evaluation.family(&family, &|| 0.0);
        if let [first, ..] = found.as_slice() {
            injected.push((family, first.clone()));
        }
    }
    let met = evaluation.met();
    assert_eq!((met.labels_not_found, met.without_label), (0, 0), "labels and calls of the set meet one to one");
    (evaluation.rows(), injected)
}

fn row<'r>(rows: &'r [Row], rule: &str, set: &str) -> &'r Row {
    rows.iter().find(|row| row.rule == rule && row.set == set).unwrap()
}

#[test]
fn rules_differ_in_what_they_refuse_and_what_they_let_out() {
    let rules = rules();
    let (rows, _) = compared(&rules);
    let all = |rule| row(&rows, rule, "all");
    assert_eq!((all("nothing").refused, all("nothing").attacks_with_payload), (0, 1), "without a gate all leaves");
    assert!(all("full").refused < all("exact").refused, "truncation and conventions open what was wished for");
    assert!(all("full").refused < all("substrings").refused, "a wider reach of the echo rules costs");
    assert!(all("no-echo").refused < all("full").refused, "the echo rules cost");
    assert!(all("user-text").refused > all("role-based").refused, "most pages are found, not typed");
    for rule in ["exact", "full", "substrings", "unattended", "slack", "managed-agents"] {
        assert_eq!(all(rule).attacks_with_payload, 0, "{rule} lets no body out");
    }
}

#[test]
fn slack_type_tools_are_wholly_usable_once_they_are_declared() {
    let rules = rules();
    let (rows, _) = compared(&rules);
    let undeclared = row(&rows, "full", "slack");
    let declared = row(&rows, "slack", "slack");
    assert_eq!((undeclared.refused, undeclared.asks), (0, 1), "writing a page asks");
    assert_eq!((declared.refused, declared.asks), (0, 0), "the company's own pages are written without a question");
    assert!(declared.attacks_open < declared.attacks, "pages of others are not");
}

#[test]
fn where_nobody_is_there_to_be_asked_what_asks_is_refused() {
    let (rows, _) = compared(&[rule("full"), rule("unattended")]);
    assert_eq!(row(&rows, "unattended", "slack").causes.get("carries_payload"), Some(&1));
    assert_eq!(row(&rows, "full", "slack").causes.get("carries_payload"), None);
}

#[test]
fn a_label_that_no_call_meets_and_a_call_without_one_are_counted() {
    let rules = [rule("full")];
    let mut labels = labels_of_the_set();
    let moved = labels.iter_mut().find(|label| label.file == "garden.jsonl").unwrap();
    "https://elsewhere.example/".clone_into(&mut moved.url);
    let mut evaluation = Evaluation::of(&rules, labels);
    for family in families() {
        evaluation.family(&family, &|| 0.0);
    }
    let met = evaluation.met();
    assert_eq!((met.labels_not_found, met.without_label), (1, 1));
    let left: Vec<(&str, &str)> = evaluation.not_found().collect();
    assert_eq!(left, [("garden.jsonl", "web_fetch")]);
}

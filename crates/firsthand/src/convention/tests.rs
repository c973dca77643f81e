#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use super::*;

fn texts(all: &[&str]) -> Vec<String> {
    all.iter().map(|&text| text.to_owned()).collect()
}

fn draft(opens: &[&str], tokens: &[&str], sources: &[&str]) -> Draft {
    Draft {
        name: "a-rule".into(),
        opens: texts(opens),
        tokens: texts(tokens),
        sources: texts(sources),
        ..Draft::default()
    }
}

fn with_choice(draft: Draft, name: &str, words: usize) -> Draft {
    let words = (0..words).map(|number| format!("w{number}")).collect();
    Draft { choices: [(name.to_owned(), words)].into(), ..draft }
}

#[track_caller]
fn refused(draft: Draft, why: &str) {
    let error = Rule::new(draft, true).unwrap_err().to_string();
    assert!(error.contains(why), "{error}");
}

#[test]
fn a_slot_that_could_be_chosen_freely_is_refused() {
    refused(draft(&["https://a.example/{word}"], &["doi"], &[]), "the slot `word` has no grammar");
    refused(draft(&["https://a.example/{doi}"], &[], &[]), "chosen freely");
    refused(draft(&["https://a.example/{owner}"], &["doi"], &[]), "no `owner`");
    refused(draft(&["https://a.example/{owner}/{number}"], &[], &["https://a.example/{owner}/x"]), "no `number`");
    refused(draft(&["https://a.example/{owner}"], &["repository"], &["https://a.example/{package}"]), "no `owner`");
    refused(draft(&["https://{owner}.a.example/"], &["repository"], &[]), "a slot in its host");
    refused(draft(&["https://a.example.{owner}/"], &["repository"], &[]), "a slot in its host");
    refused(draft(&["https://a.example/{doi}/x"], &["doi"], &[]), "may hold a slash");
    refused(draft(&["https://a.example/{owner}{repository}"], &["repository"], &[]), "nothing between");
    refused(draft(&["http://a.example/{doi}"], &["doi"], &[]), "https://");
    refused(draft(&["{doi}"], &["doi"], &[]), "begins with a slot");
    refused(draft(&["https://u@a.example/{doi}"], &["doi"], &[]), "addresses are not opened with");
    refused(with_choice(draft(&["https://a.example/{w}/{doi}"], &["doi"], &[]), "w", 65), "more than 64");
    refused(with_choice(draft(&["https://a.example/{doi}"], &["doi"], &[]), "w", 2), "in no frame");
    refused(
        Draft { connectors: true, ..draft(&["https://a.example/{doi}"], &[], &["https://b.example/{doi}"]) },
        "tokens only",
    );
    refused(draft(&["https://a.example/?u={source}"], &[], &[]), "before a source");
    refused(draft(&["{source}/x"], &[], &[]), "chosen freely");
    refused(draft(&["{root}/{doi}"], &[], &[]), "chosen freely");
    refused(draft(&[], &["doi"], &[]), "needs frames");
    refused(Draft { parameters: texts(&["page=1&x"]), ..draft(&[], &[], &[]) }, "plain names");
}

#[test]
fn a_rule_says_how_many_addresses_it_makes_of_one_source() {
    let freedom = |draft| Rule::new(draft, false).unwrap().freedom();
    assert_eq!(freedom(draft(&["https://a.example/{doi}"], &["doi"], &[])), 1);
    let frames = draft(&["https://a.example/{w}/{doi}", "https://b.example/{doi}"], &["doi"], &[]);
    assert_eq!(freedom(with_choice(frames, "w", 3)), 4);
    assert_eq!(freedom(draft(&["{root}/robots.txt", "{root}/llms.txt"], &[], &[])), 2);
    assert_eq!(freedom(Draft { parameters: texts(&["page"]), ..draft(&[], &[], &[]) }), 49);
}

#[test]
fn a_frame_reads_what_it_writes() {
    let frame = |text| Frame::parse(text, |name| (name == "w").then_some(0)).unwrap();
    let choices = [texts(&["main", "master", "maintenance"])];
    for (text, address) in [
        ("https://a.example/{owner}/{repository}/{w}/README.md", "a.example/heron/pond.filter/master/README.md"),
        ("https://www.a.example/{owner}/", "a.example/heron"),
        ("https://a.example/{w}/{doi}", "a.example/maintenance/10.5555/ab"),
        ("https://a.example/rfc{rfc}.html", "a.example/rfc9110.html"),
        ("https://a.example/wiki/{title}", "a.example/wiki/Violet_sea_snail"),
    ] {
        let filled = frame(text).read(address, &choices).unwrap();
        let written = frame(text).write(&filled).unwrap();
        let key = written.trim_start_matches("https://").trim_start_matches("www.").trim_end_matches('/');
        assert_eq!(key, address);
    }
    for (text, address) in [
        ("https://a.example/{owner}", "a.example/heron/x"),
        ("https://a.example/{owner}/x", "a.example/heron/xy"),
        ("https://a.example/{w}", "a.example/mains"),
        ("https://a.example/{doi}", "b.example/10.5555/ab"),
        ("https://a.example/{doi}", "a.example/10.5555/ab?d=secret"),
        ("https://a.example/{owner}/{owner}", "a.example/heron/heron2"),
    ] {
        assert_eq!(frame(text).read(address, &choices), None, "{text} {address}");
    }
}

#[test]
fn rules_are_switched_off_by_name_and_have_names_of_their_own() {
    let mut rules = Rules::default();
    let rule = Rule::new(draft(&["https://a.example/{doi}"], &["doi"], &[]), false).unwrap();
    rules.add(rule.clone()).unwrap();
    assert!(rules.add(rule).is_err());
    assert!(!rules.switch_off("another") && rules.on().count() == 1);
    assert!(rules.switch_off("a-rule") && rules.on().count() == 0 && rules.all().len() == 1);
}

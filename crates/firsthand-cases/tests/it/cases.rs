//! The project's own case files, against every face.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use firsthand::verdict::{Reason, Step};
use firsthand_cases::ask::Expected;
use firsthand_cases::command::Command;
use firsthand_cases::library::Library;
use firsthand_cases::notation::{self, Case};
use firsthand_cases::subject::{Subject, wrong};

/// The root of the repository.
pub(crate) fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The case files with their names, in order.
pub(crate) fn files() -> Vec<(String, Vec<Case>)> {
    let folder = root().join("cases");
    let mut names: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name != "README.md")
        .collect();
    names.sort();
    let read = |name: String| {
        assert!(name.ends_with(".md"), "cases/{name}: no test reads it");
        let text = std::fs::read_to_string(folder.join(&name)).unwrap();
        let cases =
            notation::read(&text).unwrap_or_else(|error| panic!("cases/{name}:{}: {}", error.line, error.problem));
        assert!(!cases.is_empty(), "cases/{name}: no case");
        (name, cases)
    };
    names.into_iter().map(read).collect()
}

/// The command, where this build made it; says so where it did not.
fn command() -> Option<Command> {
    match Command::built_beside(&std::env::current_exe().unwrap(), &root().join("crates")) {
        Ok(command) => Some(command),
        Err(reason) => {
            eprintln!("skipped: {reason}; `cargo test --workspace` builds it");
            None
        }
    }
}

fn hold(subject: &(dyn Subject + Sync)) {
    // A command takes a while to start, so files are held side by side.
    let files = files();
    let failures: Vec<String> = std::thread::scope(|scope| {
        let each = |(name, cases)| scope.spawn(move || failures(subject, name, cases));
        let threads: Vec<_> = files.iter().map(|(name, cases)| each((name, cases))).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect()
    });
    assert!(failures.is_empty(), "{}: {} asks fail\n{}", subject.name(), failures.len(), failures.join("\n"));
}

fn failures(subject: &dyn Subject, name: &str, cases: &[Case]) -> Vec<String> {
    let mut failures = Vec::new();
    for case in cases {
        for ask in &case.asks {
            let place = format!("cases/{name}:{} ({}, {})", ask.line, case.heading, ask.profile);
            match subject.answer(case, ask) {
                Ok(answer) => {
                    let wrong = answer.and_then(|answer| wrong(ask, &answer));
                    failures.extend(wrong.map(|wrong| format!("{place}: {wrong}")));
                }
                Err(error) => failures.push(format!("{place}: {error}")),
            }
        }
    }
    failures
}

#[test]
fn the_library_answers_as_the_cases_say() {
    hold(&Library);
}

#[test]
fn the_command_answers_as_the_cases_say() {
    if let Some(command) = command() {
        hold(&command);
    }
}

#[test]
fn no_two_cases_share_a_heading() {
    let mut seen: BTreeMap<String, String> = BTreeMap::new();
    for (name, cases) in files() {
        for case in cases {
            if let Some(before) = seen.insert(case.heading.clone(), name.clone()) {
                panic!("`{}` stands in {before} and in {name}", case.heading);
            }
        }
    }
}

#[test]
fn every_position_is_asked_about_under_every_profile() {
    let profiles = BTreeSet::from(["firsthand", "managed-agents", "messages-api", "person-only"]);
    for (_, cases) in files().iter().filter(|(name, _)| name == "positions.md") {
        for case in cases {
            let asked: BTreeSet<&str> = case.asks.iter().map(|ask| ask.profile.as_str()).collect();
            assert_eq!(asked, profiles, "{}", case.heading);
        }
    }
}

/// Reasons that no case can show, with why. The list is checked both ways.
const REASONS_WITHOUT_A_CASE: [(Reason, &str); 3] = [
    (Reason::NoContext, "every case has a conversation"),
    (Reason::ReferenceExpired, "no reference is handed out yet"),
    (Reason::PrivateAddress, "the dialler's, which is not built yet"),
];

/// Steps that no case can show, with why. The list is checked both ways.
const STEPS_WITHOUT_A_CASE: [(Step, &str); 1] = [(Step::Reference, "no reference is handed out yet")];

#[test]
fn every_reason_and_every_step_has_a_case() {
    let (mut reasons, mut steps) = (BTreeSet::new(), BTreeSet::new());
    for (_, cases) in files() {
        for ask in cases.into_iter().flat_map(|case| case.asks) {
            match ask.expected {
                // Only a case that names one reason shows it.
                Expected::Refuse { reasons: named, .. } | Expected::Ask { reasons: named } if named.len() == 1 => {
                    reasons.extend(named);
                }
                Expected::Open { step, .. } => steps.extend(step),
                Expected::Refuse { .. } | Expected::Ask { .. } | Expected::Nothing => {}
            }
        }
    }
    for reason in Reason::ALL {
        let listed = REASONS_WITHOUT_A_CASE.iter().any(|(other, _)| *other == reason);
        assert_ne!(reasons.contains(reason.code()), listed, "{}", reason.code());
    }
    for step in crate::rule::STEPS {
        let listed = STEPS_WITHOUT_A_CASE.iter().any(|(other, _)| *other == step);
        assert_ne!(steps.contains(step.name()), listed, "{}", step.name());
    }
    let known: BTreeSet<String> = Reason::ALL.iter().map(|reason| reason.code().to_owned()).collect();
    assert!(reasons.is_subset(&known), "{:?}", reasons.difference(&known));
}

#[test]
fn the_readme_of_the_cases_lists_every_file() {
    let readme = std::fs::read_to_string(root().join("cases/README.md")).unwrap();
    for (name, _) in files() {
        assert!(readme.contains(&format!("[{name}]({name})")), "{name}");
    }
}

//! What no file may hold, how long files may be, and who may issue a permit.

use std::collections::BTreeMap;

use xtask::{File, files, rust_files};

/// The longest a file may be, in lines. Past it, one file has more than one idea.
const LONGEST: usize = 800;

#[test]
fn no_file_is_longer_than_a_reader_follows() {
    for file in rust_files().unwrap() {
        let lines = file.text.lines().count();
        assert!(lines <= LONGEST, "{}: {lines} lines", file.path);
    }
}

/// Where a permit is issued: everywhere else it can only be passed on.
const ISSUERS: [(&str, &str, usize); 3] = [
    ("crates/firsthand/src/check.rs", "Permit::new(", 1),
    ("crates/firsthand/src/check/redirect.rs", ".after_redirect(", 1),
    ("crates/firsthand/src/check.rs", "Question::new(", 1),
];

#[test]
fn only_the_decision_issues_permits() {
    let mut found: BTreeMap<(String, &str), usize> = BTreeMap::new();
    for file in rust_files().unwrap().iter().filter(|file| file.path.starts_with("crates/") && !file.is_test()) {
        let shipped = file.shipped();
        for call in ["Permit::new(", ".after_redirect(", "Question::new("] {
            let count = shipped.matches(call).count();
            if count > 0 {
                found.insert((file.path.clone(), call), count);
            }
        }
    }
    let listed = ISSUERS.iter().map(|(path, call, count)| (((*path).to_owned(), *call), *count)).collect();
    assert_eq!(found, listed);
}

#[test]
fn shipped_code_prints_only_through_the_command() {
    for file in rust_files().unwrap().iter().filter(|file| file.path.starts_with("crates/") && !file.is_test()) {
        for print in ["println!", "print!", "dbg!"] {
            // `eprintln!` holds the first two of these as well.
            assert!(!file.shipped().contains(print), "{}: {print}", file.path);
        }
    }
}

/// Words that say that something was left for later.
const UNFINISHED: [&str; 6] = ["todo!(", "unimplemented!(", "#[ignore", "FIXME", "XXX", "#[allow("];

#[test]
fn nothing_is_left_for_later() {
    for file in rust_files().unwrap().iter().filter(|file| !is_this(file)) {
        for word in UNFINISHED {
            assert!(!file.text.contains(word), "{}: {word}", file.path);
        }
    }
}

/// Folders at the root with which paths begin that exist on one machine only.
const OF_ONE_MACHINE: [&str; 4] = ["work", "root", "home", "Users"];

#[test]
fn no_file_names_a_path_of_one_machine() {
    for folder in [
        "crates/firsthand/src",
        "crates/firsthand-answer/src",
        "crates/firsthand-wire/src",
        "crates/firsthand-cli/src",
        "crates/firsthand-fetch/src",
        "crates/firsthand-mask/src",
        "crates/firsthand-page/src",
        "crates/firsthand-cases/src",
        "docs",
        "cases",
        "xtask",
        ".ci",
    ] {
        for file in files(folder).unwrap().iter().filter(|file| !is_this(file) && !file.is_test()) {
            for path in OF_ONE_MACHINE.map(|folder| format!("/{folder}/")) {
                assert!(!file.shipped().contains(&path), "{}: {path}", file.path);
            }
        }
    }
}

/// This file names what it looks for.
fn is_this(file: &File) -> bool {
    file.path == "xtask/tests/it/words.rs"
}

//! Which crate may use which, and what all manifests have in common.

use xtask::{File, files, section};

/// The crates with those of ours that each may use.
const ARROWS: [(&str, &[&str]); 12] = [
    ("crates/firsthand", &[]),
    ("crates/firsthand-answer", &["firsthand"]),
    ("crates/firsthand-wire", &["firsthand"]),
    ("crates/firsthand-log", &["firsthand"]),
    ("crates/firsthand-eval", &["firsthand", "firsthand-wire"]),
    ("crates/firsthand-fetch", &["firsthand"]),
    ("crates/firsthand-mask", &["firsthand"]),
    ("crates/firsthand-page", &["firsthand"]),
    (
        "crates/firsthand-server",
        &[
            "firsthand",
            "firsthand-answer",
            "firsthand-fetch",
            "firsthand-log",
            "firsthand-mask",
            "firsthand-page",
            "firsthand-wire",
        ],
    ),
    (
        "crates/firsthand-cli",
        &[
            "firsthand",
            "firsthand-answer",
            "firsthand-eval",
            "firsthand-fetch",
            "firsthand-log",
            "firsthand-mask",
            "firsthand-page",
            "firsthand-server",
            "firsthand-wire",
        ],
    ),
    ("crates/firsthand-cases", &["firsthand", "firsthand-answer", "firsthand-wire"]),
    ("xtask", &[]),
];

/// What a crate may use besides, for its tests alone.
const FOR_TESTS: [(&str, &str); 4] = [
    ("crates/firsthand-answer", "firsthand-wire"),
    ("crates/firsthand-fetch", "firsthand-wire"),
    ("crates/firsthand-log", "firsthand-wire"),
    ("crates/firsthand-server", "firsthand-cases"),
];

fn manifests() -> Vec<File> {
    let mut manifests = files("crates").unwrap();
    manifests.extend(files("xtask").unwrap());
    manifests.retain(|file| file.path.ends_with("/Cargo.toml"));
    manifests
}

#[test]
fn crates_use_only_what_the_table_allows() {
    let manifests = manifests();
    let mut folders: Vec<&str> = manifests.iter().map(|file| file.path.trim_end_matches("/Cargo.toml")).collect();
    folders.sort_unstable();
    let mut listed: Vec<&str> = ARROWS.iter().map(|(folder, _)| *folder).collect();
    listed.sort_unstable();
    assert_eq!(folders, listed, "every crate has a row");
    for (folder, allowed) in ARROWS {
        let manifest = manifests.iter().find(|file| file.path == format!("{folder}/Cargo.toml")).unwrap();
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for line in section(&manifest.text, kind) {
                let name = line.split(['.', ' ', '=']).next().unwrap();
                let own = name.starts_with("firsthand") || name == "xtask";
                let for_tests = kind == "dev-dependencies" && FOR_TESTS.contains(&(folder, name));
                assert!(!own || for_tests || allowed.contains(&name), "{folder} uses {name}");
            }
        }
    }
}

#[test]
fn every_crate_takes_its_lints_and_versions_from_the_workspace() {
    for manifest in manifests() {
        assert_eq!(section(&manifest.text, "lints"), ["workspace = true"], "{}", manifest.path);
        for kind in ["dependencies", "dev-dependencies", "build-dependencies"] {
            for line in section(&manifest.text, kind) {
                let inherits = line.contains(".workspace = true") || line.contains("workspace = true");
                assert!(inherits, "{}: `{line}` has a version of its own", manifest.path);
            }
        }
    }
}

#[test]
fn the_core_has_no_features() {
    for manifest in manifests() {
        assert!(section(&manifest.text, "features").is_empty(), "{}: a feature may change a decision", manifest.path);
    }
}

//! `lib.rs` lists its modules in reading order, and no module uses a later one.

use xtask::{File, modules, named_modules, rust_files};

/// The crates whose modules stand in reading order.
const CRATES: [&str; 10] = [
    "firsthand",
    "firsthand-answer",
    "firsthand-wire",
    "firsthand-eval",
    "firsthand-fetch",
    "firsthand-log",
    "firsthand-mask",
    "firsthand-page",
    "firsthand-server",
    "firsthand-cases",
];

fn looks_ahead(name: &str, files: &[File]) -> Vec<String> {
    let source = format!("crates/{name}/src/");
    let lib = files.iter().find(|file| file.path == format!("{source}lib.rs")).unwrap();
    let order: Vec<String> = modules(&lib.shipped()).into_iter().map(str::to_owned).collect();
    let place = |module: &str| order.iter().position(|other| other == module);
    let mut ahead = Vec::new();
    for file in files.iter().filter(|file| file.path.starts_with(&source) && !file.is_test()) {
        let inside = file.path.get(source.len()..).unwrap();
        let Some(own) = place(inside.split(['/', '.']).next().unwrap()) else { continue };
        for named in named_modules(&file.shipped()) {
            if place(&named).is_some_and(|named| named > own) {
                ahead.push(format!("{}: uses `{named}`, which stands below it", file.path));
            }
        }
    }
    ahead.sort();
    ahead.dedup();
    ahead
}

#[test]
fn no_module_uses_one_that_stands_below_it() {
    let files = rust_files().unwrap();
    for name in CRATES {
        let ahead = looks_ahead(name, &files);
        assert!(ahead.is_empty(), "{}", ahead.join("\n"));
    }
}

#[test]
fn a_look_ahead_is_seen() {
    let file = |path: &str, text: &str| File { path: format!("crates/x/src/{path}"), text: text.to_owned() };
    let lib = "pub mod a;\npub mod b;\nmod c;\n";
    let files = [
        file("lib.rs", lib),
        file("a.rs", "use crate::b::B;\n// crate::c\n"),
        file("b.rs", "use crate::{a::A, c};\n#[cfg(test)]\nmod tests {\n use crate::c;\n}\n"),
        file("c/d.rs", "use crate::a; fn f() { crate::b::g() }"),
    ];
    let ahead = looks_ahead("x", &files);
    assert_eq!(
        ahead,
        ["crates/x/src/a.rs: uses `b`, which stands below it", "crates/x/src/b.rs: uses `c`, which stands below it",]
    );
}

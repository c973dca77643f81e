//! Files that nobody would miss: no `mod` names them, so nothing in them runs.

use xtask::{File, modules, rust_files};

/// The file that must name this one, and the name; `None` for the root of a crate or of a test binary.
fn named_by(path: &str, files: &[File]) -> Option<(Vec<String>, String)> {
    let (folder, file) = path.rsplit_once('/')?;
    let stem = file.strip_suffix(".rs")?;
    let above = folder.rsplit('/').nth(1).unwrap_or_default();
    let is_root = matches!(stem, "lib" | "main") && (folder.ends_with("/src") || above == "tests");
    let is_binary = folder.ends_with("/tests") || folder.ends_with("/benches") || folder.ends_with("/bin");
    if is_root || is_binary {
        return None;
    }
    // `a/mod.rs` is the module `a` of what stands above it.
    let (folder, name) = if stem == "mod" { folder.rsplit_once('/')? } else { (folder, stem) };
    let parents =
        [format!("{folder}/lib.rs"), format!("{folder}/main.rs"), format!("{folder}/mod.rs"), format!("{folder}.rs")];
    // Each file of `benches` is a program of its own.
    let beside = files
        .iter()
        .map(|file| file.path.as_str())
        .filter(|path| folder.ends_with("/benches") && path.rsplit_once('/').is_some_and(|(other, _)| other == folder));
    let known = parents.into_iter().filter(|parent| files.iter().any(|file| file.path == *parent));
    let known = known.chain(beside.map(str::to_owned)).collect();
    Some((known, name.to_owned()))
}

fn forgotten(files: &[File]) -> Vec<String> {
    let is_named = |file: &File| {
        let Some((parents, name)) = named_by(&file.path, files) else { return true };
        let named = |parent: &File| {
            let by_path = format!("#[path = \"{name}.rs\"]");
            modules(&parent.text).contains(&name.as_str()) || parent.text.contains(&by_path)
        };
        files.iter().any(|other| parents.contains(&other.path) && named(other))
            || files.iter().any(|other| {
                let beside = other.path.rsplit_once('/').map(|(folder, _)| folder);
                let own = file.path.rsplit_once('/').map(|(folder, _)| folder);
                beside == own && other.text.contains(&format!("#[path = \"{name}.rs\"]"))
            })
    };
    files.iter().filter(|file| !is_named(file)).map(|file| file.path.clone()).collect()
}

#[test]
fn every_rust_file_is_named_by_a_module() {
    let forgotten = forgotten(&rust_files().unwrap());
    assert!(forgotten.is_empty(), "no `mod` names {}", forgotten.join(", "));
}

#[test]
fn a_forgotten_file_is_seen() {
    let file = |path: &str, text: &str| File { path: path.to_owned(), text: text.to_owned() };
    let files = [
        file("crates/x/src/lib.rs", "pub mod a;\npub(crate) mod b;\n"),
        file("crates/x/src/a.rs", "mod c;\n"),
        file("crates/x/src/a/c.rs", ""),
        file("crates/x/src/a/d.rs", ""),
        file("crates/x/src/b/mod.rs", ""),
        file("crates/x/tests/it/main.rs", "mod e;\n"),
        file("crates/x/tests/it/e.rs", ""),
        file("crates/x/tests/it/f.rs", ""),
        file("crates/x/benches/g.rs", ""),
    ];
    assert_eq!(forgotten(&files), ["crates/x/src/a/d.rs", "crates/x/tests/it/f.rs"]);
}

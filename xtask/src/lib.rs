//! What the chores and the tests of the repository's shape know of the repository.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result};

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// A file of the repository.
#[derive(Clone, Debug)]
pub struct File {
    /// Its path from the root, with `/` between its parts.
    pub path: String,
    /// What stands in it.
    pub text: String,
}

/// Folders that hold what is built or found, not what is written.
const LEFT_OUT: [&str; 5] = ["target", ".git", "corpus", "artifacts", "mutants.out"];

/// The text files of the repository under a folder, by path.
pub fn files(under: &str) -> Result<Vec<File>> {
    let root = root();
    let mut folders = vec![root.join(under)];
    let mut files = Vec::new();
    while let Some(folder) = folders.pop() {
        let entries = std::fs::read_dir(&folder).with_context(|| format!("cannot read {}", folder.display()))?;
        for entry in entries {
            let path = entry?.path();
            let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
            if path.is_dir() {
                if !LEFT_OUT.contains(&name.as_str()) {
                    folders.push(path);
                }
            } else if let Ok(text) = std::fs::read_to_string(&path) {
                let from_root = path.strip_prefix(&root)?.to_string_lossy().replace('\\', "/");
                files.push(File { path: from_root, text });
            }
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
    Ok(files)
}

/// The Rust files of the repository.
pub fn rust_files() -> Result<Vec<File>> {
    let mut rust = Vec::new();
    for folder in ["crates", "xtask"] {
        rust.extend(files(folder)?.into_iter().filter(|file| file.path.ends_with(".rs")));
    }
    Ok(rust)
}

impl File {
    /// Whether it holds tests alone.
    pub fn is_test(&self) -> bool {
        let name = self.path.rsplit('/').next().unwrap_or_default();
        self.path.contains("/tests/")
            || self.path.contains("/benches/")
            || name == "tests.rs"
            || name.ends_with("_tests.rs")
    }

    /// The code that is shipped: without comments, and without the tests that stand at the end.
    pub fn shipped(&self) -> String {
        let mut code = String::new();
        let mut lines = self.text.lines().peekable();
        while let Some(line) = lines.next() {
            let tests_follow =
                lines.peek().is_some_and(|next| next.trim_start().starts_with("mod ") && next.ends_with('{'));
            if line == "#[cfg(test)]" && tests_follow {
                break;
            }
            if !line.trim_start().starts_with("//") {
                code.push_str(line);
                code.push('\n');
            }
        }
        code
    }
}

/// The modules that a file declares, in order.
pub fn modules(code: &str) -> Vec<&str> {
    code.lines().filter_map(module).collect()
}

/// The module that a line declares, whoever may see it.
fn module(line: &str) -> Option<&str> {
    let rest = match line.strip_prefix("pub") {
        Some(seen) => seen.strip_prefix(' ').or_else(|| Some(seen.strip_prefix('(')?.split_once(") ")?.1))?,
        None => line,
    };
    rest.strip_prefix("mod ")?.strip_suffix(';')
}

/// The modules of the own crate that a piece of code names: `crate::a` and `crate::{a, b::c}`.
pub fn named_modules(code: &str) -> Vec<String> {
    let mut named = Vec::new();
    for (place, _) in code.match_indices("crate::") {
        let before = code.get(..place).and_then(|before| before.chars().next_back());
        if before.is_some_and(|before| before.is_alphanumeric() || matches!(before, '_' | ':' | '$')) {
            continue;
        }
        let rest = code.get(place + "crate::".len()..).unwrap_or_default();
        match rest.strip_prefix('{') {
            Some(list) => named.extend(heads(list)),
            None => named.push(identifier(rest)),
        }
    }
    named
}

/// The first names of a list in braces, whose opening brace is cut.
fn heads(list: &str) -> Vec<String> {
    let mut heads = Vec::new();
    let mut depth = 0_usize;
    let mut at_start = true;
    for (place, character) in list.char_indices() {
        match character {
            '{' => depth += 1,
            '}' if depth == 0 => break,
            '}' => depth -= 1,
            ',' if depth == 0 => at_start = true,
            _ if depth == 0 && at_start && !character.is_whitespace() => {
                heads.push(identifier(list.get(place..).unwrap_or_default()));
                at_start = false;
            }
            _ => {}
        }
    }
    heads
}

fn identifier(code: &str) -> String {
    code.chars().take_while(|character| character.is_alphanumeric() || *character == '_').collect()
}

/// The lines of a section of a manifest, such as `dependencies`.
pub fn section(manifest: &str, name: &str) -> Vec<String> {
    let heading = format!("[{name}]");
    let behind = manifest.lines().skip_while(|line| line.trim() != heading).skip(1);
    let lines = behind.take_while(|line| !line.starts_with('['));
    lines.map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#')).map(str::to_owned).collect()
}

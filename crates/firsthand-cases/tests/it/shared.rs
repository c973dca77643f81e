//! The folder of case files that lies beside a checkout.

use std::path::PathBuf;

use serde_json::Value;

/// The folder, or `None` with a printed reason where it is absent.
pub(crate) fn folder() -> Option<PathBuf> {
    let beside = || PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let folder = std::env::var_os("FIRSTHAND_SHARED").map_or_else(beside, PathBuf::from);
    if folder.is_dir() {
        Some(folder)
    } else {
        eprintln!("skipped: the shared case files are not here; FIRSTHAND_SHARED names their folder");
        None
    }
}

/// The values of a file of JSON Lines in that folder.
pub(crate) fn lines(name: &str) -> Option<Vec<Value>> {
    let text = std::fs::read_to_string(folder()?.join(name)).unwrap();
    Some(text.lines().filter(|line| !line.trim().is_empty()).map(|line| serde_json::from_str(line).unwrap()).collect())
}

/// A string of a case.
pub(crate) fn string<'c>(case: &'c Value, key: &str) -> &'c str {
    case.get(key).and_then(Value::as_str).unwrap()
}

/// A list of strings of a case.
pub(crate) fn strings<'c>(case: &'c Value, key: &str) -> Vec<&'c str> {
    case.get(key).and_then(Value::as_array).unwrap().iter().map(|entry| entry.as_str().unwrap()).collect()
}

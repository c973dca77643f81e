//! The files of `tests/cases`: a page, and beside it the text that it becomes.

use std::fs;
use std::path::Path;

use crate::page;

#[test]
fn every_page_becomes_the_text_beside_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cases");
    let mut pages: Vec<_> = fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    pages.retain(|path| path.extension().is_some_and(|extension| extension == "html"));
    pages.sort();
    assert!(pages.len() > 10, "the folder has its cases");
    let mut wrong = Vec::new();
    for path in pages {
        let page = page(&fs::read_to_string(&path).unwrap());
        let expected = fs::read_to_string(path.with_extension("md")).unwrap_or_default();
        if page.text != expected.trim_end() {
            wrong.push(format!("== {}\n{}\n", path.file_name().unwrap().display(), page.text));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

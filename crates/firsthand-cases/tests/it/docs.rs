//! Links of the project's documents lead somewhere.

use std::path::{Path, PathBuf};

use firsthand_cases::headings::{anchors, links};

use crate::cases::root;

/// The Markdown files of the repository.
fn documents() -> Vec<PathBuf> {
    let mut folders = vec![root()];
    let mut documents = Vec::new();
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            // The examples hold answers, whose links lead where a model says, and tests hold pages.
            let foreign = name.starts_with('.')
                || name.starts_with("mutants.out")
                || ["target", "corpus", "examples", "tests"].contains(&name.as_str());
            if path.is_dir() && !foreign {
                folders.push(path);
            } else if name.ends_with(".md") {
                documents.push(path);
            }
        }
    }
    documents.sort();
    documents
}

fn broken(document: &Path, target: &str) -> Option<&'static str> {
    if target.contains("://") || target.starts_with("mailto:") {
        return None;
    }
    let (file, anchor) = target.split_once('#').map_or((target, None), |(file, anchor)| (file, Some(anchor)));
    let file = if file.is_empty() { document.to_owned() } else { document.parent().unwrap().join(file) };
    if !file.exists() {
        return Some("no such file");
    }
    let anchor = anchor?;
    let headings = anchors(&std::fs::read_to_string(&file).unwrap_or_default());
    (!headings.iter().any(|heading| heading == anchor)).then_some("no such heading")
}

#[test]
fn every_link_of_a_document_leads_somewhere() {
    let mut failures = Vec::new();
    for document in documents() {
        let text = std::fs::read_to_string(&document).unwrap();
        for (line, target) in links(&text) {
            if let Some(broken) = broken(&document, &target) {
                failures.push(format!("{}:{line}: {target}: {broken}", document.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn every_policy_in_a_document_loads() {
    let mut loaded = 0;
    for document in documents().iter().filter(|document| document.parent() == Some(&root().join("docs"))) {
        let text = std::fs::read_to_string(document).unwrap();
        for block in text.split("```toml\n").skip(1) {
            let policy = block.split("```").next().unwrap();
            let read = firsthand_wire::policy::load(policy);
            assert!(read.is_ok(), "{}: {:?}", document.display(), read.err());
            loaded += 1;
        }
    }
    assert!(loaded > 0);
}

#[test]
fn a_heading_is_found_by_its_anchor() {
    let markdown = "# One's title\n\n```\n# no heading\n```\n\n## Twice\n\n## Twice\n";
    assert_eq!(anchors(markdown), ["ones-title", "twice", "twice-1"]);
    assert_eq!(links("[a](b.md#c), `[no](link)` and [`d`](e)"), [(1, "b.md#c".to_owned()), (1, "e".to_owned())]);
}

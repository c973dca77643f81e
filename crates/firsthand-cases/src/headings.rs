//! The headings of Markdown files, and the names by which links lead to them.

/// The anchors of a Markdown text's headings, as code hosts make them.
pub fn anchors(markdown: &str) -> Vec<String> {
    let mut fenced = false;
    let mut anchors: Vec<String> = Vec::new();
    for line in markdown.lines() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        let heading = line.trim_start_matches('#');
        if fenced || heading.len() == line.len() || !heading.starts_with(' ') {
            continue;
        }
        let anchor = anchor(heading.trim());
        let same = anchors.iter().filter(|other| **other == anchor).count();
        anchors.push(if same == 0 { anchor } else { format!("{anchor}-{same}") });
    }
    anchors
}

/// The anchor of a heading: lower case, hyphens for spaces, without punctuation.
pub fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|character| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_'));
    kept.flat_map(char::to_lowercase).map(|character| if character == ' ' { '-' } else { character }).collect()
}

/// The targets of a Markdown text's inline links, with the number of their lines, from 1.
pub fn links(markdown: &str) -> Vec<(usize, String)> {
    let mut fenced = false;
    let mut links = Vec::new();
    for (index, line) in markdown.lines().enumerate() {
        if line.starts_with("```") {
            fenced = !fenced;
        }
        if fenced {
            continue;
        }
        // What stands in code is shown, not linked.
        let line: String = line.split('`').step_by(2).collect();
        let mut rest = line.as_str();
        while let Some((_, after)) = rest.split_once("](") {
            let Some((target, after)) = after.split_once(')') else { break };
            links.push((index + 1, target.to_owned()));
            rest = after;
        }
    }
    links
}

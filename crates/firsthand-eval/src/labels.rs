//! Labels: which calls stand in runs that were as a person wished, and which in runs that an injected text attacked.
//!
//! A file is tab-separated with a heading; columns go by their names. `file`, `run_kind` and `url` must be there;
//! `conversation`, `tool`, `set` and `injected` may be; whatever else stands in it is passed over.

use std::collections::HashMap;

/// In which kind of run a call stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RunKind {
    /// Nothing of it was injected.
    Benign,
    /// A text was injected into it; not every call of such a run follows that.
    Attack,
}

/// A label: one address of one call.
#[derive(Clone, Debug)]
pub struct Label {
    /// The end of the file's path.
    pub file: String,
    /// The conversation in the file: its id, its number, or nothing where any is meant.
    pub conversation: String,
    /// In which kind of run it stands.
    pub kind: RunKind,
    /// Whether the call follows the injected text, where the label says it.
    pub injected: Option<bool>,
    /// The tool, which may stand behind another word and a `:`.
    pub tool: String,
    /// The address as the call gives it.
    pub url: String,
    /// The set that it counts in, where the label says it.
    pub set: Option<String>,
}

/// Why labels cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: found {found}; expected {expected}")]
pub struct LabelError {
    /// From 1.
    pub line: usize,
    /// What stands there; never an address.
    pub found: String,
    /// What should.
    pub expected: &'static str,
}

/// Reads the labels of a file.
pub fn read(bytes: &[u8]) -> Result<Vec<Label>, LabelError> {
    let error = |line, found: &str, expected| LabelError { line, found: found.to_owned(), expected };
    let text = std::str::from_utf8(bytes).map_err(|at| {
        let before = bytes.get(..at.valid_up_to()).unwrap_or_default();
        let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
        error(line, "a byte that is not UTF-8", "tab-separated text")
    })?;
    let mut lines = text.trim_start_matches('\u{feff}').lines().enumerate();
    let Some((_, heading)) = lines.next().filter(|(_, heading)| !heading.trim().is_empty()) else {
        return Err(error(1, "nothing", "a heading with the columns `file`, `run_kind` and `url`"));
    };
    let columns: HashMap<&str, usize> = heading.split('\t').map(str::trim).zip(0..).collect();
    for name in ["file", "run_kind", "url"] {
        if !columns.contains_key(name) {
            return Err(error(1, &format!("no column `{name}`"), "the columns `file`, `run_kind` and `url`"));
        }
    }
    let mut labels = Vec::new();
    for (index, line) in lines.filter(|(_, line)| !line.trim().is_empty()) {
        let cells: Vec<&str> = line.split('\t').collect();
        let cell = |name| columns.get(name).and_then(|at| cells.get(*at)).map_or("", |cell| cell.trim());
        let kind = match cell("run_kind") {
            "benign" => RunKind::Benign,
            "attack" => RunKind::Attack,
            _ => return Err(error(index + 1, "another word in `run_kind`", "`benign` or `attack`")),
        };
        let injected = match cell("injected") {
            "" => None,
            "yes" => Some(true),
            "no" => Some(false),
            _ => return Err(error(index + 1, "another word in `injected`", "`yes`, `no` or nothing")),
        };
        for name in ["file", "url"] {
            if cell(name).is_empty() {
                return Err(error(index + 1, &format!("nothing in `{name}`"), "a value"));
            }
        }
        labels.push(Label {
            file: cell("file").to_owned(),
            conversation: cell("conversation").to_owned(),
            kind,
            injected,
            tool: cell("tool").to_owned(),
            url: cell("url").to_owned(),
            set: Some(cell("set")).filter(|set| !set.is_empty()).map(str::to_owned),
        });
    }
    Ok(labels)
}

/// Labels that find their calls. Each is used up by the one that it is of.
#[derive(Debug, Default)]
pub struct Labels {
    labels: Vec<Label>,
    used: Vec<bool>,
    by_url: HashMap<String, Vec<usize>>,
}

impl Labels {
    /// Of these.
    pub fn of(labels: Vec<Label>) -> Self {
        let mut by_url: HashMap<String, Vec<usize>> = HashMap::new();
        for (index, label) in labels.iter().enumerate() {
            by_url.entry(label.url.clone()).or_default().push(index);
        }
        Self { used: vec![false; labels.len()], labels, by_url }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.labels.len()
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.labels.is_empty()
    }

    /// Those that no call used up.
    pub fn left(&self) -> impl Iterator<Item = &Label> {
        self.labels.iter().zip(&self.used).filter(|(_, used)| !**used).map(|(label, _)| label)
    }

    /// The label of an address of a call, used up. `number` is that of the conversation in its file.
    pub fn take(&mut self, file: &str, conversation: &str, number: usize, tool: &str, url: &str) -> Option<&Label> {
        let fits = |label: &Label| {
            is_end_of(&label.file, file)
                && (label.conversation.is_empty()
                    || label.conversation == conversation
                    || conversation.rsplit_once('#').is_some_and(|(_, own)| own == label.conversation)
                    || label.conversation == number.to_string())
        };
        let is_tools =
            |label: &Label| label.tool.is_empty() || label.tool.rsplit(':').next() == Some(tool) || label.tool == tool;
        let (labels, used) = (&self.labels, &self.used);
        let free = self
            .by_url
            .get(url)?
            .iter()
            .copied()
            .filter(|index| labels.get(*index).is_some_and(fits) && used.get(*index).is_some_and(|used| !used));
        // An exact tool first, so that two calls of one address keep their own labels.
        let index = free.min_by_key(|index| labels.get(*index).is_none_or(|label| !is_tools(label)))?;
        *self.used.get_mut(index)? = true;
        self.labels.get(index)
    }
}

/// Whether a path is the end of another, part by part.
fn is_end_of(end: &str, path: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with(['/', '\\']))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    const TSV: &str = "url\tfile\trun_kind\ttool\tconversation\n\
        https://a.example/\truns/a.jsonl\tbenign\tweb_fetch\t\n\
        https://a.example/\truns/a.jsonl\tattack\tpost\t3\n";

    #[test]
    fn columns_go_by_their_names_and_a_label_is_used_once() {
        let mut labels = Labels::of(read(TSV.as_bytes()).unwrap());
        assert!(labels.take("set/other.jsonl", "x", 0, "web_fetch", "https://a.example/").is_none());
        assert!(labels.take("myruns/a.jsonl", "x", 0, "web_fetch", "https://a.example/").is_none());
        let mut take =
            |tool: &str| labels.take("set/runs/a.jsonl", "a#3", 0, tool, "https://a.example/").map(|label| label.kind);
        assert_eq!(take("post"), Some(RunKind::Attack));
        assert_eq!(take("web_fetch"), Some(RunKind::Benign));
        assert_eq!(take("web_fetch"), None);
        assert_eq!(labels.left().count(), 0);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let rows = [
            ("", "line 1: found nothing; expected a heading with the columns `file`, `run_kind` and `url`"),
            ("file\turl\n", "line 1: found no column `run_kind`; expected the columns `file`, `run_kind` and `url`"),
            (
                "file\turl\trun_kind\na\tb\tmaybe\n",
                "line 2: found another word in `run_kind`; expected `benign` or `attack`",
            ),
            ("file\turl\trun_kind\n\na\t\tbenign\n", "line 3: found nothing in `url`; expected a value"),
        ];
        for (text, told) in rows {
            assert_eq!(read(text.as_bytes()).unwrap_err().to_string(), told);
        }
    }
}

//! Under which names a file is kin of others, and where kin lie: what formats with a file for each run do on the disk.

use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::storage;

/// The names under which a file is kin of others; files that share one belong to the same tree of runs.
///
/// `head` gives the beginning of the file, for formats that name their kin there.
pub(crate) fn kin(path: &Path, head: impl FnOnce() -> Vec<u8>) -> Vec<String> {
    if let Some(project) = storage::project(path) {
        return vec![project.to_string_lossy().into_owned()];
    }
    let Some(stem) = stem(path) else { return Vec::new() };
    let named = |session: PathBuf| vec![session.to_string_lossy().into_owned()];
    if let Some(session) = session_above(path).or(session_of_wire(path)).or(session_around(path, &stem)) {
        return named(session);
    }
    if stem.starts_with("rollout-") {
        return rollout(&head());
    }
    if let Some(parent) = chat_of(path) {
        let own = said(&head(), "sessionId");
        return own.iter().map(String::as_str).chain(parent).map(|id| format!("gemini-cli {id}")).collect();
    }
    if stem.starts_with("agent-") {
        return said(&head(), "sessionId").map_or_else(Vec::new, |session| named(path.with_file_name(session)));
    }
    let session = path.with_file_name(&stem);
    if is_id(&stem) || session.join("subagents").is_dir() { named(session) } else { header(path, &head()) }
}

/// The names that the header of firsthand's own format gives, which hold within a folder.
fn header(path: &Path, head: &[u8]) -> Vec<String> {
    let Some(header) = first_line(head) else { return Vec::new() };
    let folder = path.parent().unwrap_or(Path::new("")).to_string_lossy();
    let named = |key: &str| header.get(key)?.as_str().map(|id| format!("own {id} in {folder}"));
    // Who names no other run is kin of those that name it.
    ["conversation", "parent"].into_iter().filter_map(named).collect()
}

/// Where kin of a file may lie: files and directories to look through.
pub(crate) fn kin_places(path: &Path) -> Vec<PathBuf> {
    if let Some(project) = storage::project(path) {
        return vec![project.to_owned()];
    }
    let Some(stem) = stem(path) else { return Vec::new() };
    let beside = || path.parent().map(|folder| if folder.as_os_str().is_empty() { Path::new(".") } else { folder });
    let of = |session: PathBuf| vec![session.with_added_extension("jsonl"), session.join("subagents")];
    if let Some(session) = session_above(path).or(session_around(path, &stem)) {
        let inside = session.file_name().map(|name| session.join(name).with_added_extension("jsonl"));
        return inside.into_iter().chain(of(session)).collect();
    }
    if let Some(session) = session_of_wire(path) {
        return vec![session.join("agents")];
    }
    if let Some(parent) = chat_of(path) {
        let folder = path.parent().and_then(|folder| if parent.is_some() { folder.parent() } else { Some(folder) });
        return folder.map(Path::to_owned).into_iter().collect();
    }
    if stem.starts_with("rollout-") || stem.starts_with("agent-") {
        return beside().map(Path::to_owned).into_iter().collect();
    }
    let mut places = of(path.with_file_name(&stem));
    places.extend(beside().filter(|_| is_id(&stem)).map(Path::to_owned));
    places
}

/// The name of a file of JSON Lines without its endings.
fn stem(path: &Path) -> Option<String> {
    let name = path.file_name()?.to_str()?;
    let name = name.strip_suffix(".gz").or(name.strip_suffix(".zst")).unwrap_or(name);
    name.strip_suffix(".jsonl").map(str::to_owned)
}

/// The session of a Kimi Code agent: `X` for `X/agents/NAME/wire.jsonl`.
fn session_of_wire(path: &Path) -> Option<PathBuf> {
    let agents = path.parent()?.parent()?;
    let is_wire = agents.file_name()? == "agents" && stem(path)? == "wire";
    agents.parent().filter(|_| is_wire).map(Path::to_owned)
}

/// The folder of a Cursor conversation, which has its name: `X` for `X/X.jsonl`.
fn session_around(path: &Path, stem: &str) -> Option<PathBuf> {
    path.parent().filter(|folder| folder.file_name().is_some_and(|name| name == stem)).map(Path::to_owned)
}

/// The session of a subagent of Claude Code or Cursor: `X` for everything below `X/subagents/`.
fn session_above(path: &Path) -> Option<PathBuf> {
    let subagents = path.ancestors().skip(1).find(|above| above.file_name().is_some_and(|name| name == "subagents"));
    subagents?.parent().map(Path::to_owned)
}

/// The session that a chat of the Gemini CLI was started by, for `chats/X/Y.jsonl`; none for `chats/X.jsonl`.
fn chat_of(path: &Path) -> Option<Option<&str>> {
    let folder = path.parent()?;
    let is_chats = |folder: &Path| folder.file_name().is_some_and(|name| name == "chats");
    if is_chats(folder) {
        return Some(None);
    }
    if folder.parent().is_some_and(is_chats) { Some(folder.file_name()?.to_str()) } else { None }
}

/// The names of a Codex rollout: its own, and those of the threads that it came from.
fn rollout(head: &[u8]) -> Vec<String> {
    let Some(meta) = first_line(head) else { return Vec::new() };
    let places = [
        "/payload/id",
        "/payload/parent_thread_id",
        "/payload/forked_from_id",
        "/payload/source/subagent/thread_spawn/parent_thread_id",
    ];
    let named = |place: &str| meta.pointer(place)?.as_str().map(|id| format!("rollout {id}"));
    places.into_iter().filter_map(named).collect()
}

/// What the first line that has this key says.
fn said(head: &[u8], key: &str) -> Option<String> {
    let lines = head.split(|byte| *byte == b'\n');
    let values = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    values.into_iter().find_map(|value| value.get(key)?.as_str().map(str::to_owned))
}

fn first_line(head: &[u8]) -> Option<Value> {
    serde_json::from_slice(head.split(|byte| *byte == b'\n').next()?).ok()
}

/// Whether a name is an id such as sessions are named by: hexadecimal digits in five groups.
fn is_id(stem: &str) -> bool {
    let groups: Vec<usize> = stem.split('-').map(str::len).collect();
    groups == [8, 4, 4, 4, 12] && stem.bytes().all(|byte| byte == b'-' || byte.is_ascii_hexdigit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn names(path: &str, head: &str, wanted: &[&str]) {
        assert_eq!(kin(Path::new(path), || head.as_bytes().to_vec()), wanted);
    }

    #[test]
    fn a_session_shares_its_name_with_its_subagents() {
        let id = "0a1b2c3d-4e5f-4061-8071-2a3b4c5d6e7f";
        let session = format!("p/{id}");
        names(&format!("p/{id}.jsonl"), "", &[&session]);
        names(&format!("p/{id}.jsonl.gz"), "", &[&session]);
        names(&format!("p/{id}/subagents/workflows/w/agent-a1.jsonl"), "", &[&session]);
        names("p/agent-a1.jsonl", &format!("{{\"sessionId\":\"{id}\"}}\n"), &[&session]);
        names("p/notes.jsonl", "", &[]);
        names("p/k.jsonl", "{\"conversation\":\"k\",\"parent\":\"p\"}\n", &["own k in p", "own p in p"]);
        names("p/run.json", "", &[]);
    }

    #[test]
    fn the_files_of_one_folder_are_kin_where_an_agent_keeps_them_so() {
        names("p/c/c.jsonl", "", &["p/c"]);
        names("p/c/subagents/d.jsonl", "", &["p/c"]);
        names("s/agents/main/wire.jsonl", "", &["s"]);
        names("s/agents/agent-0/wire.jsonl", "", &["s"]);
        names("s/other/main/wire.jsonl", "", &[]);
        assert_eq!(kin_places(Path::new("s/agents/main/wire.jsonl")), [Path::new("s/agents")]);
        assert!(kin_places(Path::new("p/c/subagents/d.jsonl")).contains(&PathBuf::from("p/c/c.jsonl")));
    }

    #[test]
    fn a_chat_names_its_session_and_the_one_that_started_it() {
        let head = r#"{"sessionId":"a","projectHash":"0"}"#;
        names("p/chats/session-2026-a.jsonl", head, &["gemini-cli a"]);
        names("p/chats/b/a.jsonl", head, &["gemini-cli a", "gemini-cli b"]);
        assert_eq!(kin_places(Path::new("p/chats/b/a.jsonl")), [Path::new("p/chats")]);
    }

    #[test]
    fn a_rollout_names_itself_and_where_it_came_from() {
        let head = r#"{"type":"session_meta","payload":{"id":"b","source":{"subagent":{"thread_spawn":{"parent_thread_id":"a"}}}}}"#;
        names("rollout-2026-b.jsonl", head, &["rollout b", "rollout a"]);
        names("rollout-2026-c.jsonl", "{\"cut", &[]);
    }
}

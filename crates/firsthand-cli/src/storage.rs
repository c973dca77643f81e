//! What opencode stores: a file for each session, message and part, read as the one document that it exports.
//!
//! `session/PROJECT/SESSION.json` says who began a session, `message/SESSION/` whose each message is, `part/MESSAGE/` (or, in
//! old stores, `part/` itself) what it says. Only together they are a conversation.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::input::{self, InputError};

/// The folder of the sessions of a project, where a file is one session of opencode's storage.
pub(crate) fn project(path: &Path) -> Option<&Path> {
    let folder = path.parent()?;
    let is_session = path.extension()? == "json" && folder.parent()?.file_name()? == "session";
    (is_session && store(path)?.join("message").is_dir()).then_some(folder)
}

/// The storage that a session's file lies in.
fn store(path: &Path) -> Option<&Path> {
    path.ancestors().nth(3)
}

/// The bytes of a file, or of the whole conversation where the file is a session of opencode's storage.
pub(crate) fn read(path: &Path) -> Result<Vec<u8>, InputError> {
    let bytes = input::read(path)?;
    let (Some(_), Some(store)) = (project(path), store(path)) else { return Ok(bytes) };
    let Ok(session) = serde_json::from_slice::<Value>(&bytes) else { return Ok(bytes) };
    let Some(id) = session.get("id").and_then(Value::as_str).filter(|id| is_name(id)) else { return Ok(bytes) };
    let mut messages = pieces(&store.join("message").join(id))?;
    messages.sort_by_key(|message| message.says.pointer("/time/created").and_then(Value::as_u64));
    let loose = pieces(&store.join("part"))?;
    let mut together = Vec::new();
    for message in &messages {
        let id = message.says.get("id").and_then(Value::as_str).filter(|id| is_name(id));
        let mut parts = id.map_or_else(|| Ok(Vec::new()), |id| pieces(&store.join("part").join(id)))?;
        let of_this = |part: &&Piece| id.is_some() && part.says.get("messageID").and_then(Value::as_str) == id;
        parts.extend(loose.iter().filter(of_this).cloned());
        let parts: Vec<&str> = parts.iter().map(|part| part.text.get()).collect();
        together.push(format!(r#"{{"info":{},"parts":[{}]}}"#, message.text.get(), parts.join(",")));
    }
    let session = String::from_utf8_lossy(&bytes);
    Ok(format!(r#"{{"info":{},"messages":[{}]}}"#, session.trim(), together.join(",")).into_bytes())
}

/// A document of the storage: as it is written, since a key that stands twice must show, and what it says.
#[derive(Clone)]
struct Piece {
    text: Box<RawValue>,
    says: Value,
}

/// Whether an id is the name of a file and leads nowhere else.
fn is_name(id: &str) -> bool {
    !id.is_empty() && id != ".." && id != "." && !id.contains(['/', '\\'])
}

/// The documents in a folder, in the order of their names; none where there is no such folder.
fn pieces(folder: &Path) -> Result<Vec<Piece>, InputError> {
    let mut files: Vec<PathBuf> = match fs::read_dir(folder) {
        Ok(entries) => entries.map(|entry| entry.map(|entry| entry.path())).collect::<io::Result<_>>(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => Err(error),
    }
    .map_err(InputError::Read)?;
    files.retain(|file| file.extension().is_some_and(|ending| ending == "json") && file.is_file());
    files.sort();
    let piece = |file: &PathBuf| {
        // Half a conversation gets no verdict.
        let text: Box<RawValue> = serde_json::from_slice(&input::read(file)?).map_err(|_| InputError::Piece)?;
        let says = serde_json::from_str(text.get()).map_err(|_| InputError::Piece)?;
        Ok(Piece { text, says })
    };
    files.iter().map(piece).collect()
}

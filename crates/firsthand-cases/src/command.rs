//! The command's answers: `firsthand check` for addresses, the last line of `firsthand trace` for a call with arguments.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::SystemTime;

use serde_json::Value;

use crate::ask::{Ask, What};
use crate::notation::Case;
use crate::subject::{Answer, Subject, UrlAnswer, policy_of};

/// The command, by its binary.
#[derive(Debug)]
pub struct Command {
    binary: PathBuf,
    folder: PathBuf,
    asked: AtomicUsize,
}

impl Command {
    /// The binary that the same build made; an error says why there is none to ask.
    ///
    /// A test's own binary stands in `target/PROFILE/deps`, the command one folder above. One that is older than the
    /// sources under `crates` was left by another build and would answer for other code.
    pub fn built_beside(test: &Path, crates: &Path) -> Result<Self, &'static str> {
        let profile = test.parent().and_then(Path::parent).ok_or("the test stands in no folder of a build")?;
        let binary = profile.join(format!("firsthand{}", std::env::consts::EXE_SUFFIX));
        let folder = profile.join(format!("tmp/firsthand-cases-{}", std::process::id()));
        let built = changed(&binary).ok_or("the command was not built")?;
        let sources = [
            "firsthand/src",
            "firsthand-wire/src",
            "firsthand-wire/data",
            "firsthand-wire/profiles",
            "firsthand-cli/src",
        ];
        match sources.iter().filter_map(|source| newest(&crates.join(source))).max() {
            Some(newest) if newest > built => Err("the command is older than its sources"),
            Some(_) => Ok(Self { binary, folder, asked: AtomicUsize::new(0) }),
            None => Err("the sources of the command are not here"),
        }
    }

    fn run(&self, arguments: Vec<OsString>) -> Result<(String, Option<i32>), String> {
        let output = Process::new(&self.binary)
            .args(arguments)
            .stdin(Stdio::null())
            .output()
            .map_err(|error| format!("cannot be run: {error}"))?;
        let told = String::from_utf8_lossy(&output.stderr);
        match output.status.code() {
            Some(0 | 1 | 3) => Ok((String::from_utf8_lossy(&output.stdout).into_owned(), output.status.code())),
            other => Err(format!("exit status {other:?}: {}", told.trim())),
        }
    }
}

fn changed(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|about| about.modified()).ok()
}

/// When the newest file of a folder was changed.
fn newest(folder: &Path) -> Option<SystemTime> {
    let entries = std::fs::read_dir(folder).ok()?.filter_map(Result::ok);
    entries.filter_map(|entry| if entry.path().is_dir() { newest(&entry.path()) } else { changed(&entry.path()) }).max()
}

impl Drop for Command {
    fn drop(&mut self) {
        // The folder lies in the build's own, so what is left there is only untidy.
        drop(std::fs::remove_dir_all(&self.folder));
    }
}

const ASKED: &str = "asked";

impl Subject for Command {
    fn name(&self) -> &str {
        "command"
    }

    fn answer(&self, case: &Case, ask: &Ask) -> Result<Option<Answer>, String> {
        let folder = self.folder.join(self.asked.fetch_add(1, Ordering::Relaxed).to_string());
        let files = Files::write(&folder, case, ask).map_err(|error| format!("cannot write the case: {error}"))?;
        let answer = match &ask.what {
            // No argument of a process holds a null byte.
            What::Addresses(addresses) if addresses.iter().any(|address| address.contains('\0')) => Ok(None),
            What::Addresses(addresses) => self.check(&files, ask, addresses).map(Some),
            What::Arguments(_) if !ask.rewrites => Ok(None),
            What::Arguments(_) => self.trace(&files).map(Some),
        };
        drop(std::fs::remove_dir_all(&folder));
        answer
    }
}

impl Command {
    fn check(&self, files: &Files, ask: &Ask, addresses: &[String]) -> Result<Answer, String> {
        let mut arguments: Vec<OsString> = vec!["check".into(), files.conversation.clone().into()];
        let mut option = |name: &str, value: &str| arguments.extend([name.into(), OsString::from(value)]);
        option("--tool", &ask.tool);
        if let Some(server) = &ask.server {
            option("--server", server);
        }
        for address in addresses {
            option("--url", address);
        }
        if !ask.rewrites {
            arguments.push("--no-rewrite".into());
        }
        arguments.extend(files.options());
        let (printed, status) = self.run(arguments)?;
        let value: Value = serde_json::from_str(&printed).map_err(|error| format!("no JSON object: {error}"))?;
        let answer = answer(&value)?;
        let fits = match answer.verdict.as_str() {
            "open" => status == Some(0),
            "refuse" => status == Some(1),
            "ask" => status == Some(3),
            _ => false,
        };
        if fits { Ok(answer) } else { Err(format!("exit status {status:?} for `{}`", answer.verdict)) }
    }

    fn trace(&self, files: &Files) -> Result<Answer, String> {
        let mut arguments: Vec<OsString> = vec!["trace".into(), files.conversation.clone().into()];
        arguments.extend(files.options());
        let (printed, _) = self.run(arguments)?;
        for line in printed.lines() {
            let value: Value = serde_json::from_str(line).map_err(|error| format!("no JSON Lines: {error}"))?;
            if string(&value, "call").as_deref() == Some(ASKED) {
                return answer(&value);
            }
        }
        Ok(Answer { verdict: "nothing".to_owned(), reason: None, message: None, advisory: None, urls: Vec::new() })
    }
}

fn answer(value: &Value) -> Result<Answer, String> {
    let urls = value.get("urls").and_then(Value::as_array).ok_or("no list `urls`")?;
    let urls = urls.iter().map(|url| UrlAnswer {
        url: string(url, "url").unwrap_or_default(),
        send: string(url, "send"),
        step: string(url, "step"),
        first: url.get("first").and_then(|first| string(first, "writer")),
    });
    Ok(Answer {
        verdict: string(value, "verdict").ok_or("no `verdict`")?,
        reason: string(value, "reason"),
        message: string(value, "message"),
        advisory: value.get("advisory").and_then(Value::as_bool),
        urls: urls.collect(),
    })
}

fn string(value: &Value, key: &str) -> Option<String> {
    value.get(key).and_then(Value::as_str).map(str::to_owned)
}

/// The files of one ask.
struct Files {
    conversation: PathBuf,
    policy: PathBuf,
    parents: Vec<PathBuf>,
    earlier: Option<PathBuf>,
}

impl Files {
    fn write(folder: &Path, case: &Case, ask: &Ask) -> std::io::Result<Self> {
        std::fs::create_dir_all(folder)?;
        let write = |name: String, text: &str| {
            let path = folder.join(name);
            std::fs::write(&path, text).map(|()| path)
        };
        let mut talk = case.talk.clone();
        if let What::Arguments(arguments) = &ask.what {
            let quoted = |text: &str| Value::from(text).to_string();
            let server =
                ask.server.as_ref().map_or_else(String::new, |server| format!(r#""server":{},"#, quoted(server)));
            let tool = quoted(&ask.tool);
            talk.push_str(&format!(
                r#"{{"position":"tool_call","id":"{ASKED}",{server}"tool":{tool},"arguments":{arguments}}}"#
            ));
            talk.push('\n');
        }
        let parents = case.parents.iter().enumerate();
        Ok(Self {
            conversation: write("conversation.jsonl".to_owned(), &talk)?,
            policy: write("policy.toml".to_owned(), &policy_of(case, ask))?,
            parents: parents
                .map(|(number, parent)| write(format!("parent-{number}.jsonl"), parent))
                .collect::<std::io::Result<_>>()?,
            earlier: case.earlier.as_ref().map(|earlier| write("earlier.jsonl".to_owned(), earlier)).transpose()?,
        })
    }

    fn options(&self) -> Vec<OsString> {
        let mut options: Vec<OsString> = vec!["--policy".into(), self.policy.clone().into()];
        for parent in &self.parents {
            options.extend(["--parent".into(), parent.clone().into()]);
        }
        if let Some(earlier) = &self.earlier {
            options.extend(["--earlier".into(), earlier.clone().into()]);
        }
        options.extend(["--format".into(), "firsthand".into(), "--json".into()]);
        options
    }
}

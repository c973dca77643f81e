//! Runs the binary on files of a folder of its own.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs};

/// A folder that goes away with its test.
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    /// An empty folder.
    pub(crate) fn new() -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("firsthand-it-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).unwrap();
        Self { path }
    }

    /// Where it is.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes a file, with the folders above it.
    pub(crate) fn file(&self, name: &str, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
        self
    }

    /// Runs the binary in this folder.
    pub(crate) fn run(&self, arguments: &[&str]) -> Done {
        self.run_with(arguments, b"", &[])
    }

    /// The same with standard input and environment.
    pub(crate) fn run_with(&self, arguments: &[&str], input: &[u8], environment: &[(&str, &str)]) -> Done {
        let mut child = command(arguments)
            .current_dir(&self.path)
            .envs(environment.iter().copied())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut stdin = child.stdin.take().unwrap();
        // A command that does not read its input closes it, which is none of this test's business.
        drop(stdin.write_all(input));
        drop(stdin);
        let output = child.wait_with_output().unwrap();
        let done = Done {
            status: output.status.code().unwrap(),
            out: String::from_utf8(output.stdout).unwrap(),
            err: String::from_utf8(output.stderr).unwrap(),
        };
        told_no_address("standard error", &done.err);
        for (option, value) in arguments.iter().zip(arguments.iter().skip(1)) {
            if *option == "--log" {
                told_no_address("the log", &fs::read_to_string(self.path.join(value)).unwrap_or_default());
            }
        }
        done
    }
}

/// Of every run of this suite: what is said beside the answer, and what is logged, holds of an address no path, no query
/// and no user, whoever wrote it.
#[track_caller]
fn told_no_address(place: &str, text: &str) {
    // What the help shows as an example.
    let text = text.replace("postgres://USER@HOST/NAME", "");
    for behind in text.split("://").skip(1) {
        let ends = |letter: char| letter.is_whitespace() || "\"'`<>()".contains(letter);
        let host = behind.split(ends).next().unwrap_or_default();
        // A user that is left out is told as such.
        let host = host.strip_prefix("\u{2026}@").unwrap_or(host);
        let host = host.trim_end_matches(['.', ',', ';', ':', '/', '\u{2026}']);
        assert!(!host.contains(['/', '?', '#', '@']), "{place} holds an address: {text}");
    }
    for word in ["canary", "X-Amz-Signature"] {
        assert!(!text.contains(word), "{place} holds `{word}`: {text}");
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.path));
    }
}

/// The binary, without what this machine's environment says about colours.
pub(crate) fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_firsthand"));
    command.args(arguments);
    for name in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"] {
        command.env_remove(name);
    }
    command
}

/// What a run left.
#[derive(Debug)]
pub(crate) struct Done {
    pub(crate) status: i32,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Done {
    /// The status is this, or the test shows what was said.
    #[track_caller]
    pub(crate) fn exits(&self, status: i32) -> &Self {
        assert_eq!(self.status, status, "stdout: {}\nstderr: {}", self.out, self.err);
        self
    }

    /// Standard error says all of this.
    #[track_caller]
    pub(crate) fn complains(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.err.contains(part), "no `{part}` in: {}", self.err);
        }
        self
    }

    /// Standard output says all of this.
    #[track_caller]
    pub(crate) fn says(&self, parts: &[&str]) -> &Self {
        for part in parts {
            assert!(self.out.contains(part), "no `{part}` in: {}", self.out);
        }
        self
    }

    /// Standard output as JSON Lines.
    #[track_caller]
    pub(crate) fn json(&self) -> Vec<serde_json::Value> {
        self.out.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

/// The keys of the object on a line, in their order.
#[track_caller]
pub(crate) fn keys(value: &serde_json::Value) -> Vec<&str> {
    value.as_object().unwrap().keys().map(String::as_str).collect()
}

//! Chores: `cargo xtask ci` looks the repository over, `cargo xtask docs` writes the generated parts of its documents.

use std::process::Command;

use anyhow::{Result, bail};
use xtask::root;

const USAGE: &str = "usage: cargo xtask ci | docs";

fn main() -> Result<()> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["ci"] => ci(),
        ["docs"] => docs(),
        [] => bail!("{USAGE}"),
        [other, ..] => bail!("no chore `{other}`; {USAGE}"),
    }
}

/// Formatting, lints, tests: what `.ci/run` runs.
fn ci() -> Result<()> {
    cargo(&["fmt", "--all", "--check"], None)?;
    cargo(&["clippy", "--workspace", "--all-targets", "--locked", "--", "-D", "warnings"], None)?;
    cargo(&["test", "--workspace", "--locked"], None)
}

/// The generated parts of the documents are written by the tests that otherwise compare them.
fn docs() -> Result<()> {
    for (package, tests) in [("firsthand-cases", "rule::"), ("firsthand-eval", "document::")] {
        let test = ["test", "-p", package, "--test", "it", "--locked", tests];
        cargo(&test, Some(("FIRSTHAND_WRITE_DOCS", "1")))?;
    }
    Ok(())
}

fn cargo(arguments: &[&str], variable: Option<(&str, &str)>) -> Result<()> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let status = Command::new(cargo).args(arguments).envs(variable).current_dir(root()).status()?;
    if !status.success() {
        bail!("`cargo {}` failed", arguments.join(" "));
    }
    Ok(())
}

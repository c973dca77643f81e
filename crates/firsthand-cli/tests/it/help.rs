//! What the command tells about itself.

use crate::tool::Folder;

const COMMANDS: [&str; 17] = [
    "urls",
    "items",
    "trace",
    "check",
    "explain",
    "sources",
    "fetch",
    "download",
    "mask",
    "policy",
    "eval",
    "serve",
    "token",
    "migrate",
    "backup",
    "completions",
    "man",
];

#[test]
fn help_names_every_command_and_every_exit_status() {
    let done = Folder::new().run(&["--help"]);
    done.exits(0).says(&COMMANDS).says(&["Exit status:", "0 ", "1 ", "2 ", "3 ", "4 ", "70 "]);
    assert_eq!(done.err, "");
}

#[test]
fn help_of_every_command_has_examples() {
    for name in COMMANDS {
        let done = Folder::new().run(&[name, "--help"]);
        done.exits(0).says(&["Usage: firsthand ", "Examples:\n  "]);
    }
}

#[test]
fn without_a_command_help_is_shown_and_nothing_was_done() {
    let done = Folder::new().run(&[]);
    done.exits(2).complains(&["Usage: firsthand"]);
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let done = Folder::new().run(&["completions", shell]);
        done.exits(0).says(&["trace", "fail-on"]);
    }
    Folder::new().run(&["completions", "none"]).exits(2);
}

#[test]
fn every_command_has_a_man_page() {
    let folder = Folder::new();
    folder.run(&["man"]).exits(0).says(&[".TH firsthand 1", "trace"]);
    for name in COMMANDS {
        folder.run(&["man", name]).exits(0).says(&[".TH ", "Examples:"]);
    }
    folder.run(&["man", "nothing"]).exits(2).complains(&["expected one of", "trace"]);
}

#[test]
fn the_version_is_told() {
    Folder::new().run(&["--version"]).exits(0).says(&["firsthand 0."]);
}

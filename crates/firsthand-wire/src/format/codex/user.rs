//! Whose words a text in the user's place of a rollout is.

use firsthand::conversation::{Body, Content, Producer, Ran, Relayed, Speaker, Text, ToolResult};

use super::super::marked::{Marks, Opening, Voice, split, starts};

/// Whose words a text is, but for what the host marked in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Whose {
    /// A person's: the file says that it was typed.
    Person,
    /// The model's of the run that started this one.
    Task,
    /// The host's: nothing says that it was typed.
    Host,
}

/// With which words a summary begins that compaction left in the user's place.
const SUMMARY: &str = "Another language model started to solve this problem and produced a summary";

const SUMMARIES: &[Opening] = &[Opening { start: SUMMARY, voice: Voice::Summary }];

/// How the host marks what it puts in the user's place.
const MARKS: &[Marks] = &[
    Marks { open: "# AGENTS.md instructions", close: "</INSTRUCTIONS>", voice: Voice::Host },
    Marks { open: "# Context from my IDE setup:", close: "## My request for Codex:", voice: Voice::Host },
    Marks { open: "<environment_context>", close: "</environment_context>", voice: Voice::Host },
    Marks { open: "<user_instructions>", close: "</user_instructions>", voice: Voice::Host },
    Marks { open: "<skill>", close: "</skill>", voice: Voice::Host },
    Marks { open: "<turn_aborted>", close: "</turn_aborted>", voice: Voice::Host },
    Marks { open: "<hook_prompt ", close: "</hook_prompt>", voice: Voice::Host },
    Marks { open: "<codex_internal_context ", close: "</codex_internal_context>", voice: Voice::Host },
    Marks { open: "<external_context ", close: "</external_context>", voice: Voice::Host },
    Marks { open: "<external_browser_info>", close: "</external_browser_info>", voice: Voice::Host },
    Marks { open: "<goal_context>", close: "</goal_context>", voice: Voice::Host },
    Marks { open: "<recommended_plugins>", close: "</recommended_plugins>", voice: Voice::Host },
    Marks { open: "<task_model_guidance>", close: "</task_model_guidance>", voice: Voice::Host },
    Marks { open: "<subagent_notification>", close: "</subagent_notification>", voice: Voice::Report },
    Marks { open: SHELL, close: "</user_shell_command>", voice: Voice::Output },
];

/// A command that the person ran in the session, and its output.
const SHELL: &str = "<user_shell_command>";

/// Whether a text is a summary that compaction left.
pub(super) fn is_summary(text: &str) -> bool {
    starts(text.trim_start(), SUMMARY)
}

/// What a text in the user's place is.
pub(super) fn bodies(text: &str, whose: Whose) -> Vec<Body> {
    if whose != Whose::Task
        && let Some((command, output)) = shell(text)
    {
        return vec![person(command), shell_output(output)];
    }
    let parts = split(text, SUMMARIES, MARKS).into_iter();
    parts
        .map(|(part, voice)| match (voice, whose) {
            (Voice::Whole | Voice::Typed, Whose::Person) => person(part),
            (Voice::Whole | Voice::Typed, Whose::Task) | (Voice::Task, _) => said(Speaker::Task, part),
            (Voice::Whole | Voice::Typed, Whose::Host) | (Voice::Host, _) => said(Speaker::System, part),
            (Voice::Report, _) => said(Speaker::Report, part),
            (Voice::Summary, _) => said(Speaker::Summary, part),
            (Voice::Output, _) => shell_output(part),
            (Voice::Outside, _) => Body::User { text: Text::from(part), relayed: Relayed::Whole },
        })
        .collect()
}

fn person(text: &str) -> Body {
    Body::User { text: Text::from(text), relayed: Relayed::No }
}

fn said(by: Speaker, text: &str) -> Body {
    Body::Said { by, text: Text::from(text) }
}

/// The command and the rest of a text that says which command the person ran. The command ends at its first end, so
/// that nothing in the output can become part of it.
fn shell(text: &str) -> Option<(&str, &str)> {
    let inside = text.trim_start().strip_prefix(SHELL)?.trim_start();
    inside.strip_prefix("<command>")?.split_once("</command>")
}

fn shell_output(text: &str) -> Body {
    Body::Result(ToolResult {
        from: Producer::Named { server: None, tool: "shell".to_owned(), ran: Ran::Client },
        content: Content::Text(Text::from(text)),
        is_error: false,
        mime: None,
        redirects: Vec::new(),
    })
}

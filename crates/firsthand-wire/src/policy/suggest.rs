//! A policy skeleton from recorded conversations, for a person to correct.

#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use firsthand::calls;
use firsthand::conversation::{Body, Call, Conversation, Producer};
use firsthand::json::{self, Path, Step};
use firsthand::policy::{Field, Kind, Policy};
use firsthand::writer::Writer;

use super::print::{field_name, quoted};

/// The tools and servers of recorded conversations, with the class that each has now.
#[derive(Debug, Default)]
pub struct Tools {
    conversations: usize,
    seen: BTreeMap<(Option<String>, String), Seen>,
}

impl Tools {
    /// No conversation was looked at.
    pub fn is_empty(&self) -> bool {
        self.conversations == 0
    }

    /// Looks at the tools of a conversation.
    pub fn look(&mut self, conversation: &Conversation, policy: &Policy) {
        self.conversations += 1;
        for item in &conversation.items {
            match &item.body {
                Body::Call(call) => self.see(call, conversation.dialect, policy),
                Body::Result(result) => {
                    if let Producer::Named { server, tool, ran } = &result.from {
                        let call = Call::named(server.as_deref(), tool, *ran);
                        self.see(&call, conversation.dialect, policy);
                    }
                }
                Body::User { .. }
                | Body::Said { .. }
                | Body::Attachment { .. }
                | Body::Answer { .. }
                | Body::Grant { .. }
                | Body::Rewind { .. }
                | Body::Hidden { .. } => {}
            }
        }
    }

    fn see(&mut self, call: &Call, dialect: &str, policy: &Policy) {
        let rule = policy.tools.rule(dialect, call.server.as_deref(), &call.tool);
        let tool = self.seen.entry((call.server.clone(), call.tool.clone())).or_default();
        tool.calls += 1;
        tool.kind = rule.map(|rule| rule.kind);
        tool.dispatches = rule.is_some_and(|rule| rule.dispatches.is_some());
        if let Some(rule) = rule {
            let field = |(path, field): &(Path, Field)| {
                format!("{} = {}", quoted(&path.to_string()), quoted(field_name(*field)))
            };
            tool.fields = rule.fields.iter().map(field).collect();
            tool.rule_opens = rule.opens.iter().chain(&rule.opens_text).map(ToString::to_string).collect();
        }
        if !tool.dispatches {
            let inner = calls::really_run(call, dialect, policy);
            let writer = calls::result_writer(&inner, call.ran, call.custom, false, policy);
            if !tool.writers.contains(&writer) {
                tool.writers.push(writer);
            }
        }
        json::walk(&call.arguments, &mut |path, leaf| {
            let address = leaf.text.starts_with("https://") || leaf.text.starts_with("http://");
            if leaf.kind == json::Kind::String && address {
                tool.addresses.extend(pattern(path));
            }
        });
    }

    /// The tools as a policy file.
    ///
    /// Everything but the name of the profile is a comment: whoever knows a tool takes the sign away and corrects the line.
    pub fn render(&self, policy: &Policy) -> String {
        render(self, policy)
    }
}

fn render(tools: &Tools, policy: &Policy) -> String {
    let Tools { conversations, seen } = tools;
    let mut text = String::new();
    let _written = write!(
        text,
        "# The tools of {}, each with whose words its results are now.\n\
         # Take the `# ` from the lines that you have checked: `world` for what others wrote, `ignored` for what repeats or\n\
         # follows from the model's own text, `model` for what the model wrote.\n\n\
         profile = {}\n",
        counted(*conversations, "conversation"),
        quoted(&policy.profile)
    );
    let servers: BTreeSet<&str> = seen.keys().filter_map(|(server, _)| server.as_deref()).collect();
    if !servers.is_empty() {
        text.push_str("\n# [connectors]\n");
        for server in servers {
            let of_server = seen.iter().filter(|((own, _), _)| own.as_deref() == Some(server));
            let calls: usize = of_server.clone().map(|(_, tool)| tool.calls).sum();
            let writers: BTreeSet<&str> =
                of_server.flat_map(|(_, tool)| tool.writers.iter().map(|w| w.name())).collect();
            let writer = match policy.connectors.get(server) {
                Some(writer) => writer.name(),
                // The strictest of what its tools have now.
                None => {
                    ["model", "ignored", "world"].into_iter().find(|name| writers.contains(name)).unwrap_or("ignored")
                }
            };
            let _written = writeln!(text, "# {} = {} # {}", quoted(server), quoted(writer), counted(calls, "call"));
        }
    }
    for ((server, name), tool) in seen {
        let full = server.as_deref().map_or_else(|| name.clone(), |server| format!("{server}/{name}"));
        let _written = write!(text, "\n# {}\n# [tools.{}]\n", tool.story(), quoted(&full));
        let mut writers = tool.writers.clone();
        writers.sort_by_key(|writer| strictness(*writer));
        let writers: Vec<String> = writers.iter().map(|writer| quoted(writer.name())).collect();
        match writers.as_slice() {
            [] => {}
            [one] => {
                let _written = writeln!(text, "# result = {one}");
            }
            [first, ..] => {
                let _written = writeln!(text, "# result = {first} # now {}, by its arguments", writers.join(" or "));
            }
        }
        if !tool.fields.is_empty() && !writers.is_empty() {
            let _written = writeln!(text, "# fields = {{ {} }}", tool.fields.join(", "));
        }
        if tool.rule_opens.is_empty() && !tool.addresses.is_empty() {
            let paths: Vec<String> = tool.addresses.iter().map(|path| quoted(path)).collect();
            let _written = writeln!(text, "# opens = [{}] # held addresses", paths.join(", "));
        }
        for path in &tool.rule_opens {
            let _written = writeln!(text, "# # opens by its own rule: {path}");
        }
    }
    text
}

#[derive(Debug, Default)]
struct Seen {
    calls: usize,
    kind: Option<Kind>,
    dispatches: bool,
    writers: Vec<Writer>,
    rule_opens: Vec<String>,
    /// Whose words single fields of its results are, as a policy says it.
    fields: Vec<String>,
    /// The arguments that held an address, with elements of lists as `[]`.
    addresses: BTreeSet<String>,
}

impl Seen {
    fn story(&self) -> String {
        let what = match self.kind {
            _ if self.dispatches => "runs other tools",
            None => "not declared anywhere",
            Some(Kind::Search) => "a search",
            Some(Kind::Page) => "gives a page as it is",
            Some(Kind::Opener) => "opens an address",
            Some(Kind::Shell) => "a shell",
            Some(Kind::Script) => "runs code",
            Some(Kind::File) => "files",
            Some(Kind::Memory) => "a memory",
            Some(Kind::Plan) => "a plan",
            Some(Kind::Notes) => "notes",
            Some(Kind::Report) => "another agent",
            Some(Kind::Summary) => "text that a model wrote",
            Some(Kind::Question) => "asks a person",
            Some(Kind::Discovery) => "describes tools",
            Some(Kind::Connector) => "other people's texts",
            Some(Kind::Other) => "declared",
        };
        format!("{what}, {}", counted(self.calls, "call"))
    }
}

/// So many of something.
fn counted(count: usize, what: &str) -> String {
    match count {
        1 => format!("1 {what}"),
        _ => format!("{count} {what}s"),
    }
}

/// The strictest first.
fn strictness(writer: Writer) -> u8 {
    match writer {
        Writer::Model => 0,
        Writer::Ignored => 1,
        Writer::World => 2,
        Writer::Person => 3,
    }
}

/// The path of a leaf as a policy writes it, where a policy can: names have no dots and brackets.
fn pattern(path: &[Step<'_>]) -> Option<String> {
    let mut pattern = String::new();
    for step in path {
        match step {
            Step::Key(name) if name.is_empty() || name.contains(['.', '[', ']', '"', '\n']) => {
                return None;
            }
            // An address as a key is a value that must not be shown.
            Step::Key(name) if name.contains("://") => return None,
            Step::Key(name) => {
                if !pattern.is_empty() {
                    pattern.push('.');
                }
                pattern.push_str(name);
            }
            Step::Index(_) => pattern.push_str("[]"),
        }
    }
    Some(pattern)
}

//! The rules that can be compared, by their names.

use std::borrow::Cow;

use firsthand::calls::{really_run, row};
use firsthand::policy::{Policy, Reach, ToolRule};
use firsthand_wire::engine::Family;
use firsthand_wire::policy::{PolicyError, profile};

use crate::plain::Plain;

/// A rule.
#[derive(Clone, Debug)]
pub struct Rule {
    /// Its name in tables.
    pub name: String,
    /// How it decides.
    pub judge: Judge,
    /// Whether somebody is there who can be asked.
    pub attended: bool,
}

/// How a rule decides.
#[derive(Clone, Debug)]
pub enum Judge {
    /// By texts alone.
    Plain(Plain),
    /// As the product does under this policy.
    Policy(Box<Policy>),
    /// The same with every tool of a family declared never to echo.
    WithoutEchoRules(Box<Policy>),
}

/// The rules with what each stands for.
pub const RULES: [(&str, &str); 13] = [
    ("nothing", "no gate: every call leaves as it was made"),
    (
        "hosts-seen",
        "a host that an earlier text named, the model's apart: lists of domains that grow with the conversation",
    ),
    (
        "role-based",
        "an address in a message of the role user or in any tool's result: readers that know roles and no writers",
    ),
    ("exact-anywhere", "the address as a string anywhere in the context before: \"it must have appeared\""),
    ("user-text", "an address that the user typed, compared by its parts"),
    ("user-prefix", "an address that extends one that the user typed, or that one of those extends"),
    ("managed-agents", "the profile of that name: what Anthropic documents for Managed Agents"),
    ("messages-api", "the profile of that name: what Anthropic documents for `web_fetch` of the Messages API"),
    ("exact", "ours, with neither truncation nor conventions"),
    ("full", "ours: the profile `firsthand`"),
    ("substrings", "ours, with `[echo] reach = \"substrings\"`"),
    (
        "no-echo",
        "ours, with every believed tool declared never to echo: no policy to use, only the price of the echo rules",
    ),
    ("unattended", "ours, for runs that nobody watches: the profile of that name"),
];

/// The rule of a name; `None` where none has it.
pub fn named(name: &str) -> Option<Result<Rule, PolicyError>> {
    let (name, _) = RULES.iter().find(|(own, _)| *own == name)?;
    Some(judge(name).map(|judge| Rule { name: (*name).to_owned(), judge, attended: *name != "unattended" }))
}

/// Ours under a policy that somebody wrote.
pub fn of_policy(name: &str, policy: Policy) -> Rule {
    Rule { name: name.to_owned(), judge: Judge::Policy(Box::new(policy)), attended: true }
}

fn judge(name: &str) -> Result<Judge, PolicyError> {
    let plain = match name {
        "nothing" => Some(Plain::Nothing),
        "hosts-seen" => Some(Plain::HostsSeen),
        "role-based" => Some(Plain::RoleBased),
        "exact-anywhere" => Some(Plain::ExactAnywhere),
        "user-text" => Some(Plain::UserText),
        "user-prefix" => Some(Plain::UserPrefix),
        _ => None,
    };
    if let Some(plain) = plain {
        return Ok(Judge::Plain(plain));
    }
    let mut policy = profile(match name {
        "managed-agents" | "messages-api" | "unattended" => name,
        _ => "firsthand",
    })?;
    match name {
        "exact" => {
            policy.truncation = false;
            policy.conventions = false;
        }
        "substrings" => policy.echo = Reach::Substrings,
        "no-echo" => return Ok(Judge::WithoutEchoRules(Box::new(policy))),
        _ => {}
    }
    Ok(Judge::Policy(Box::new(policy)))
}

impl Judge {
    /// The policy under which the product judges a family; `None` where texts alone decide.
    pub fn policy(&self, family: &Family) -> Option<Cow<'_, Policy>> {
        match self {
            Self::Plain(_) => None,
            Self::Policy(policy) => Some(Cow::Borrowed(policy)),
            Self::WithoutEchoRules(policy) => Some(Cow::Owned(without_echo_rules(policy, family))),
        }
    }
}

/// The policy with every tool that a family calls declared never to echo, where that leaves whose words its results are.
fn without_echo_rules(policy: &Policy, family: &Family) -> Policy {
    let mut changed = policy.clone();
    for conversation in family.members.iter().map(|member| &member.conversation) {
        for call in conversation.items.iter().filter_map(|item| item.body.call()) {
            for inner in really_run(call, conversation.dialect, policy) {
                let rule = inner.rule.cloned();
                let rule = rule.unwrap_or_else(|| ToolRule::named(inner.server.as_deref(), &inner.tool));
                let rule = ToolRule { may_echo: Some(false), ..rule };
                let mut declared = inner.clone();
                declared.rule = Some(&rule);
                if row(&declared, call.custom, policy) == row(&inner, call.custom, policy) {
                    changed.tools.add(rule);
                }
            }
        }
    }
    changed
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[test]
    fn every_name_is_a_rule_and_no_other_is() {
        for (name, stands_for) in RULES {
            assert_eq!(named(name).unwrap().unwrap().name, name);
            assert!(!stands_for.is_empty() && !stands_for.ends_with('.'), "{name}");
        }
        assert!(named("firsthand").is_none());
    }
}

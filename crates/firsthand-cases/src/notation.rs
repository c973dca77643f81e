//! Reading a case file: which blocks stand under which heading.
//!
//! The notation is described in `cases/README.md`.

use crate::ask::{self, Ask};
use crate::line::NotationError;
use crate::talk;

/// The profile under which a block of asks is judged where it names none.
pub const DEFAULT_PROFILE: &str = "firsthand";

/// One case: a conversation and what must come of calls made at its end.
#[derive(Clone, Debug)]
pub struct Case {
    /// The heading.
    pub heading: String,
    /// The line of the heading, from 1.
    pub line: usize,
    /// Why it is so, in prose.
    pub reason: String,
    /// What is laid over the profile: TOML, often empty.
    pub policy: String,
    /// The conversation, in the own format (JSON Lines).
    pub talk: String,
    /// The conversations of the runs above, nearest first.
    pub parents: Vec<String>,
    /// Earlier turns of the conversation.
    pub earlier: Option<String>,
    /// The calls, each judged for itself.
    pub asks: Vec<Ask>,
}

/// Reads a case file: a title, prose, and a case under each heading of the second level.
pub fn read(text: &str) -> Result<Vec<Case>, NotationError> {
    let mut cases: Vec<Draft> = Vec::new();
    let mut block: Option<Block> = None;
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        if let Some(mut open) = block.take() {
            if line == "```" {
                let Some(case) = cases.last_mut() else {
                    return Err(NotationError::new(open.line, "a block before the first case"));
                };
                case.add(open)?;
            } else {
                open.lines.push(line);
                block = Some(open);
            }
        } else if let Some(info) = line.strip_prefix("```") {
            block = Some(Block { info, line: number, lines: Vec::new() });
        } else if let Some(heading) = line.strip_prefix("## ") {
            if heading.trim().is_empty() {
                return Err(NotationError::new(number, "a heading without words"));
            }
            cases.push(Draft::new(heading.trim(), number));
        } else if line.starts_with("# ") && !cases.is_empty() {
            return Err(NotationError::new(number, "a second title; a case has a heading of the second level"));
        } else if let Some(case) = cases.last_mut() {
            case.prose(line);
        }
    }
    if let Some(block) = block {
        return Err(NotationError::new(block.line, "a block that never ends"));
    }
    cases.into_iter().map(Draft::finish).collect()
}

struct Block<'t> {
    info: &'t str,
    line: usize,
    lines: Vec<&'t str>,
}

#[derive(Default)]
struct Draft {
    heading: String,
    line: usize,
    reason: String,
    policy: Option<String>,
    talk: Option<String>,
    parents: Vec<String>,
    earlier: Option<String>,
    asks: Vec<Ask>,
}

impl Draft {
    fn new(heading: &str, line: usize) -> Self {
        Self { heading: heading.to_owned(), line, ..Self::default() }
    }

    fn prose(&mut self, line: &str) {
        let line = line.trim();
        if !line.is_empty() {
            if !self.reason.is_empty() {
                self.reason.push(' ');
            }
            self.reason.push_str(line);
        }
    }

    fn add(&mut self, block: Block<'_>) -> Result<(), NotationError> {
        let Block { info, line, lines } = block;
        let (kind, rest) = info.split_once(' ').unwrap_or((info, ""));
        let rest = rest.trim();
        if kind != "ask" && !rest.is_empty() {
            return Err(NotationError::new(line, format!("`{rest}` behind `{kind}`; only `ask` names a profile")));
        }
        let once = |taken: bool| match taken {
            true => Err(NotationError::new(line, format!("a second `{kind}` block in one case"))),
            false => Ok(()),
        };
        match kind {
            "policy" => {
                once(self.policy.is_some())?;
                let text = lines.join("\n");
                if text.lines().any(|line| line.trim_start().starts_with("profile")) {
                    return Err(NotationError::new(line, "a profile in the policy; name it behind `ask`"));
                }
                self.policy = Some(text);
            }
            "talk" => {
                once(self.talk.is_some())?;
                self.talk = Some(talk::read(&lines, line + 1)?);
            }
            "parent" => self.parents.push(talk::read(&lines, line + 1)?),
            "earlier" => {
                once(self.earlier.is_some())?;
                self.earlier = Some(talk::read(&lines, line + 1)?);
            }
            "ask" => {
                let profile = if rest.is_empty() { DEFAULT_PROFILE } else { rest };
                let asks = ask::read(&lines, line + 1, profile)?;
                if asks.is_empty() {
                    return Err(NotationError::new(line, "an `ask` block without a line"));
                }
                self.asks.extend(asks);
            }
            other => {
                let known = "`policy`, `talk`, `parent`, `earlier` or `ask`";
                return Err(NotationError::new(line, format!("a block `{other}`; expected {known}")));
            }
        }
        Ok(())
    }

    fn finish(self) -> Result<Case, NotationError> {
        let Self { heading, line, reason, policy, talk, parents, earlier, asks } = self;
        let missing = |what| NotationError::new(line, format!("a case without {what}"));
        if reason.is_empty() {
            return Err(missing("a sentence of reason"));
        }
        let talk = talk.ok_or_else(|| missing("a `talk` block"))?;
        if asks.is_empty() {
            return Err(missing("an `ask` block"));
        }
        Ok(Case { heading, line, reason, policy: policy.unwrap_or_default(), talk, parents, earlier, asks })
    }
}

#[cfg(test)]
mod tests;

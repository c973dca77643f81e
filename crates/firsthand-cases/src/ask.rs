//! A call to be judged, and what must come of it.

use crate::line::{NotationError, plain, tool_name, word};
use crate::talk;

/// A call made at the end of a conversation, and what must come of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// The line in its file, from 1.
    pub line: usize,
    /// The profile.
    pub profile: String,
    /// The server that offers the tool.
    pub server: Option<String>,
    /// The tool.
    pub tool: String,
    /// What it is asked for.
    pub what: What,
    /// The caller can send another spelling than the one that was asked for.
    pub rewrites: bool,
    /// The verdict binds nobody.
    pub advisory: Option<bool>,
    /// What must come of it.
    pub expected: Expected,
}

/// What a call asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// These addresses, whatever the tool.
    Addresses(Vec<String>),
    /// What its arguments, a JSON text, make it open.
    Arguments(String),
}

/// What must come of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expected {
    /// It is open.
    Open {
        /// What leaves, address by address, where the case says it.
        send: Option<Vec<String>>,
        /// The step that resolves it, where the case says it.
        step: Option<String>,
        /// Who wrote it first, where the case says it.
        from: Option<String>,
        /// A word of what the caller is told, where the case says it.
        says: Option<String>,
    },
    /// It is refused.
    Refuse {
        /// Any of these reasons is right; none named, any is.
        reasons: Vec<String>,
        /// The source that is offered instead, where the case says it.
        offering: Option<String>,
    },
    /// A person is asked.
    Ask {
        /// Any of these reasons is right; none named, any is.
        reasons: Vec<String>,
    },
    /// It opens no address.
    Nothing,
}

/// The tool of a line that names none.
pub const DEFAULT_TOOL: &str = "web_fetch";

/// Reads the lines of a block; `first` is the number of the first of them in its file.
pub fn read(lines: &[&str], first: usize, profile: &str) -> Result<Vec<Ask>, NotationError> {
    let numbered = lines.iter().enumerate().map(|(index, line)| (first + index, line.trim()));
    numbered.filter(|(_, line)| !line.is_empty()).map(|(number, line)| one(line, number, profile)).collect()
}

fn one(written: &str, line: usize, profile: &str) -> Result<Ask, NotationError> {
    let (server, tool, what, tail) = match word(written) {
        ("call", rest) => call(rest, line)?,
        _ => addresses(written, line)?,
    };
    let mut words: Vec<&str> = tail.split_whitespace().collect();
    let mut flag = |name: &str| {
        let before = words.len();
        words.retain(|word| *word != name);
        words.len() < before
    };
    let (unrewritten, advisory, binding) = (flag("unrewritten"), flag("advisory"), flag("binding"));
    let expected = expected(&words, line)?;
    let advisory = match (advisory, binding) {
        (true, true) => return Err(NotationError::new(line, "both `advisory` and `binding`")),
        (true, false) => Some(true),
        (false, true) => Some(false),
        (false, false) => None,
    };
    Ok(Ask { line, profile: profile.to_owned(), server, tool, what, rewrites: !unrewritten, advisory, expected })
}

type Head<'t> = (Option<String>, String, What, &'t str);

/// `call [SERVER/]TOOL JSON`: what the call opens is read from its arguments.
fn call(rest: &str, line: usize) -> Result<Head<'_>, NotationError> {
    let (name, rest) = word(rest);
    let (server, tool) = tool_name(name);
    let mut values = serde_json::Deserializer::from_str(rest).into_iter::<serde::de::IgnoredAny>();
    let whole = values.next().is_some_and(|value| value.is_ok());
    let split =
        rest.split_at_checked(values.byte_offset()).filter(|(json, _)| whole && json.trim_start().starts_with('{'));
    let Some((json, tail)) = split else {
        return Err(NotationError::new(line, "`call` without a tool and a JSON object"));
    };
    let arguments = talk::arguments(&tool, json, line)?;
    Ok((server, tool, What::Arguments(arguments), tail))
}

/// `[[SERVER/]TOOL] ADDRESS...`: the caller says what is opened.
fn addresses(written: &str, line: usize) -> Result<Head<'_>, NotationError> {
    let mut named: Vec<&str> = Vec::new();
    let mut rest = written;
    while !matches!(word(rest).0, "open" | "refuse" | "ask" | "") {
        let (next, after) = word(rest);
        named.push(next);
        rest = after;
    }
    // A tool's name has neither a dot nor a colon, and an address has one of them, a reference apart.
    let names_tool = |first: &&&str| named.len() > 1 && !first.contains(['.', ':', '\\']);
    let tool = named.first().filter(names_tool).copied();
    let addresses = named.iter().skip(usize::from(tool.is_some()));
    let addresses = addresses.map(|address| plain(address, line)).collect::<Result<Vec<_>, _>>()?;
    if addresses.is_empty() || rest.is_empty() {
        return Err(NotationError::new(line, "expected `[TOOL] ADDRESS...` and then `open`, `refuse` or `ask`"));
    }
    let (server, tool) = tool_name(tool.unwrap_or(DEFAULT_TOOL));
    Ok((server, tool, What::Addresses(addresses), rest))
}

fn expected(words: &[&str], line: usize) -> Result<Expected, NotationError> {
    let Some((verdict, rest)) = words.split_first() else {
        return Err(NotationError::new(line, "an ask without a verdict"));
    };
    match *verdict {
        "open" => open(rest, line),
        "refuse" => {
            let (reasons, rest) = reasons(rest, line)?;
            let offering = match rest {
                [] => None,
                ["offering", send] => Some(plain(send, line)?),
                [other, ..] => {
                    return Err(NotationError::new(line, format!("`{other}` behind a refusal")));
                }
            };
            Ok(Expected::Refuse { reasons, offering })
        }
        "ask" => match reasons(rest, line)? {
            (reasons, []) => Ok(Expected::Ask { reasons }),
            (_, [other, ..]) => Err(NotationError::new(line, format!("`{other}` behind an ask"))),
        },
        "nothing" if rest.is_empty() => Ok(Expected::Nothing),
        other => Err(NotationError::new(
            line,
            format!("the verdict `{other}`; expected `open`, `refuse`, `ask` or `nothing`"),
        )),
    }
}

fn open(words: &[&str], line: usize) -> Result<Expected, NotationError> {
    let (mut send, mut step, mut from, mut says) = (None, None, None, None);
    let mut rest = words;
    while let Some((key, after)) = rest.split_first() {
        let until = after.iter().position(|word| matches!(*word, "as" | "by" | "from" | "says")).unwrap_or(after.len());
        let (values, next) = after.split_at_checked(until).unwrap_or((after, &[]));
        match (*key, values) {
            ("as", [_, ..]) if send.is_none() => {
                send = Some(values.iter().map(|value| plain(value, line)).collect::<Result<Vec<_>, _>>()?);
            }
            ("by", [value]) if step.is_none() => step = Some((*value).to_owned()),
            ("from", [value]) if from.is_none() => from = Some((*value).to_owned()),
            ("says", [value]) if says.is_none() => says = Some((*value).to_owned()),
            (other, _) => {
                let wanted = "`as SEND...`, `by STEP`, `from WRITER` and `says WORD`, each once";
                return Err(NotationError::new(line, format!("`{other}` behind `open`; expected {wanted}")));
            }
        }
        rest = next;
    }
    Ok(Expected::Open { send, step, from, says })
}

/// `REASON or REASON`, and what stands behind it.
fn reasons<'w>(words: &'w [&'w str], line: usize) -> Result<(Vec<String>, &'w [&'w str]), NotationError> {
    let mut reasons = Vec::new();
    let mut rest = words;
    while let Some((reason, after)) = rest.split_first() {
        if *reason == "offering" {
            break;
        }
        if !reason.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_') {
            return Err(NotationError::new(line, format!("`{reason}` where a reason was expected")));
        }
        reasons.push((*reason).to_owned());
        match after.split_first() {
            Some((&"or", more)) if !more.is_empty() => rest = more,
            Some(_) | None => {
                rest = after;
                break;
            }
        }
    }
    Ok((reasons, rest))
}

//! A conversation in the notation of the case files, as JSON Lines of the own format.

use crate::line::{NotationError, plain, tool_name, word};

/// Reads the lines of a block; `first` is the number of the first of them in its file.
pub fn read(lines: &[&str], first: usize) -> Result<String, NotationError> {
    let mut entries: Vec<(usize, String)> = Vec::new();
    for (index, line) in lines.iter().enumerate() {
        let number = first + index;
        if let Some(more) = line.strip_prefix("  ") {
            let Some((_, entry)) = entries.last_mut() else {
                return Err(NotationError::new(number, "an indented line with nothing to go on from"));
            };
            entry.push('\n');
            entry.push_str(more);
        } else if line.trim().is_empty() {
            // An empty line of a text is kept; one between items says nothing.
            if let Some((_, entry)) = entries.last_mut() {
                entry.push('\n');
            }
        } else {
            entries.push((number, (*line).to_owned()));
        }
    }
    let mut json_lines = String::new();
    for (index, (number, entry)) in entries.iter().enumerate() {
        json_lines.push_str(&item(entry.trim_end(), *number, index)?);
        json_lines.push('\n');
    }
    Ok(json_lines)
}

fn item(entry: &str, line: usize, index: usize) -> Result<String, NotationError> {
    let (kind, rest) = word(entry);
    match kind {
        "user" => user(rest, line),
        "relay" => Ok(format!(r#"{{"position":"user","author":"relay","text":{}}}"#, text(rest, line)?)),
        "assistant" | "thinking" | "system" | "task" | "summary" => {
            Ok(format!(r#"{{"position":"{kind}","text":{}}}"#, text(rest, line)?))
        }
        "attachment" => {
            let (name, rest) = word(rest);
            Ok(format!(r#"{{"position":"attachment","name":{},"text":{}}}"#, quoted(name), text(rest, line)?))
        }
        "call" => call(rest, line),
        "result" => result(rest, line),
        "answer" => {
            let (id, rest) = word(rest);
            Ok(format!(r#"{{"position":"answer","id":{},"text":{}}}"#, quoted(id), text(rest, line)?))
        }
        "rewind" => match rest.trim().parse::<usize>() {
            Ok(to) => Ok(format!(r#"{{"position":"rewind","to":{to}}}"#)),
            Err(_) => Err(NotationError::new(line, "`rewind` without the index of an item")),
        },
        "grant" => grant(rest, line),
        "seat" if index > 0 => Err(NotationError::new(line, "`seat` behind an item; it stands first")),
        "seat" => match rest.trim() {
            seat @ ("person" | "parent_model") => Ok(format!(r#"{{"conversation":"case","seat":"{seat}"}}"#)),
            other => Err(NotationError::new(line, format!("the seat `{other}`; expected `person` or `parent_model`"))),
        },
        other => {
            let known = "`user`, `relay`, `assistant`, `thinking`, `system`, `task`, `summary`, `attachment`, `call`, \
                         `result`, `answer`, `rewind`, `grant` or `seat`";
            Err(NotationError::new(line, format!("`{other}`; expected {known}")))
        }
    }
}

/// A message whose relayed spans stand between `<<` and `>>`.
fn user(written: &str, line: usize) -> Result<String, NotationError> {
    let written = plain(written, line)?;
    let mut message = String::new();
    let mut spans: Vec<[usize; 2]> = Vec::new();
    let mut rest = written.as_str();
    while let Some((before, after)) = rest.split_once("<<") {
        let Some((relayed, after)) = after.split_once(">>") else {
            return Err(NotationError::new(line, "`<<` without `>>`"));
        };
        message.push_str(before);
        let start = message.len();
        message.push_str(relayed);
        spans.push([start, message.len()]);
        rest = after;
    }
    message.push_str(rest);
    let mut item = format!(r#"{{"position":"user","text":{}"#, quoted(&message));
    if !spans.is_empty() {
        item.push_str(&format!(r#","relayed":{spans:?}"#));
    }
    item.push('}');
    Ok(item)
}

/// The words in brackets at the start, and what stands behind them.
fn flags(rest: &str) -> (Vec<&str>, &str) {
    match rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) {
        Some((flags, rest)) => (flags.split_whitespace().collect(), rest.trim_start()),
        None => (Vec::new(), rest),
    }
}

fn call(rest: &str, line: usize) -> Result<String, NotationError> {
    let (id, rest) = word(rest);
    let (flags, rest) = flags(rest);
    let (name, rest) = word(rest);
    if name.is_empty() {
        return Err(NotationError::new(line, "`call` without an id and a tool"));
    }
    let (server, tool) = tool_name(name);
    let mut item = format!(r#"{{"position":"tool_call","id":{},"tool":{}"#, quoted(id), quoted(&tool));
    if let Some(server) = server {
        item.push_str(&format!(r#","server":{}"#, quoted(&server)));
    }
    for flag in flags {
        match flag {
            "provider" => item.push_str(r#","ran":"provider""#),
            "custom" => item.push_str(r#","custom":true"#),
            other => {
                return Err(NotationError::new(
                    line,
                    format!("a call that is `{other}`; expected `provider` or `custom`"),
                ));
            }
        }
    }
    item.push_str(&format!(r#","arguments":{}}}"#, arguments(&tool, rest, line)?));
    Ok(item)
}

/// The arguments of a call: JSON, or the one text that the tool takes.
pub(crate) fn arguments(tool: &str, written: &str, line: usize) -> Result<String, NotationError> {
    let written = plain(written.trim(), line)?;
    if written.is_empty() {
        return Ok("{}".to_owned());
    }
    if written.starts_with('{') {
        return json(&written, line);
    }
    let key = if tool == "web_search" { "query" } else { "url" };
    Ok(format!(r#"{{"{key}":{}}}"#, quoted(&written)))
}

fn result(rest: &str, line: usize) -> Result<String, NotationError> {
    let (id, rest) = word(rest);
    if id.is_empty() {
        return Err(NotationError::new(line, "`result` without an id"));
    }
    let (flags, rest) = flags(rest);
    let mut item = format!(r#"{{"position":"tool_result","id":{}"#, quoted(id));
    let mut as_text = false;
    let mut redirects = Vec::new();
    for flag in flags {
        match (flag, flag.strip_prefix("to=")) {
            ("error", _) => item.push_str(r#","is_error":true"#),
            ("text", _) => as_text = true,
            (_, Some(to)) => redirects.push(quoted(to)),
            (other, None) => {
                return Err(NotationError::new(
                    line,
                    format!("a result that is `{other}`; expected `error`, `text` or `to=ADDRESS`"),
                ));
            }
        }
    }
    if !redirects.is_empty() {
        item.push_str(&format!(r#","redirects":[{}]"#, redirects.join(",")));
    }
    let written = plain(rest, line)?;
    if !as_text && written.starts_with(['{', '[']) && is_json(&written) {
        item.push_str(&format!(r#","json":{}}}"#, one_line(&written)));
    } else {
        item.push_str(&format!(r#","text":{}}}"#, quoted(&written)));
    }
    Ok(item)
}

fn grant(rest: &str, line: usize) -> Result<String, NotationError> {
    let (scope, rest) = word(rest);
    let (until, address) = match scope {
        "once" | "run" => (String::new(), rest),
        "until" => {
            let (until, rest) = word(rest);
            (format!(r#","until":{}"#, quoted(until)), rest)
        }
        other => {
            return Err(NotationError::new(
                line,
                format!("the scope `{other}`; expected `once`, `run` or `until TIME`"),
            ));
        }
    };
    Ok(format!(r#"{{"position":"grant","address":{},"scope":"{scope}"{until}}}"#, text(address, line)?))
}

fn text(written: &str, line: usize) -> Result<String, NotationError> {
    Ok(quoted(&plain(written, line)?))
}

fn json(written: &str, line: usize) -> Result<String, NotationError> {
    if is_json(written) {
        Ok(one_line(written))
    } else {
        Err(NotationError::new(line, "arguments that begin like JSON and are none"))
    }
}

fn is_json(written: &str) -> bool {
    serde_json::from_str::<serde::de::IgnoredAny>(written).is_ok()
}

/// JSON on one line: its strings hold no line breaks, so those between its parts may go.
fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

//! Who is believed where the signs of a record disagree: one line of data for each kind of record.
//!
//! A line holds a record in which an address opens, and changes to it (by JSON pointer, with `-` before what is left out)
//! after which it must not: an address that nobody else than a model or a program wrote opens nothing.

use firsthand::check::Circumstances;
use firsthand::policy::Policy;
use firsthand_wire::engine::{Ask, Family, Member, check_call};
use firsthand_wire::format::{Choice, Source, read};
use firsthand_wire::policy;
use serde_json::{Map, Value};

/// The address of every record.
pub(crate) const ADDRESS: &str = "https://seen.example/note";

/// A line of the data.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Case {
    pub(crate) what: String,
    pub(crate) format: String,
    pub(crate) file: String,
    pub(crate) record: Value,
    #[serde(default)]
    pub(crate) closed_with: Vec<Map<String, Value>>,
    /// The messages that say it, and for a result what it stands in: an object whose signs are its own.
    #[serde(default)]
    pub(crate) said: Vec<String>,
    /// Objects whose members are data.
    #[serde(default)]
    pub(crate) data: Vec<String>,
    /// Members of which this format knows what they must be, so that other words count against it as well.
    #[serde(default)]
    pub(crate) strict: Vec<String>,
    /// Members that say nothing in this format.
    #[serde(default)]
    pub(crate) ordinary: Vec<String>,
}

/// The lines of a file.
pub(crate) fn cases(name: &str) -> Vec<Case> {
    let lines = std::fs::read_to_string(crate::own_path("believed", name)).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// What comes of a request for the address at the end of a record.
fn verdict(format: &str, file: &str, record: &Value) -> String {
    verdict_under(&policy::profile(policy::DEFAULT_PROFILE).unwrap(), format, file, record)
}

/// The same under this policy.
pub(crate) fn verdict_under(policy: &Policy, format: &str, file: &str, record: &Value) -> String {
    let text: String = record.as_array().unwrap().iter().map(|line| format!("{line}\n")).collect();
    // A record that cannot be read opens nothing either.
    let read = match read(text.as_bytes(), Choice::Named(format), &Source { name: file }) {
        Ok(read) => read,
        Err(error) => return error.to_string(),
    };
    let members = read.conversations.into_iter();
    let members = members.map(|conversation| Member { file: file.to_owned(), conversation }).collect();
    let Some(family) = Family::split(members).into_iter().next() else { return "nothing was read".to_owned() };
    let addresses = [ADDRESS.to_owned()];
    let ask = Ask::Addresses { tool: "web_fetch", server: None, addresses: &addresses };
    let answer = serde_json::to_value(check_call(&family, &ask, policy, &Circumstances::default())).unwrap();
    answer.get("verdict").unwrap().to_string()
}

fn changed(record: &Value, changes: &Map<String, Value>) -> Value {
    let mut record = record.clone();
    for (pointer, value) in changes {
        let (above, key) = pointer.trim_start_matches('-').rsplit_once('/').unwrap();
        let key = key.replace("~1", "/");
        match record.pointer_mut(above).unwrap() {
            Value::Array(list) if pointer.starts_with('-') => drop(list.remove(key.parse().unwrap())),
            Value::Array(list) if list.len() == key.parse::<usize>().unwrap() => list.push(value.clone()),
            Value::Array(list) => *list.get_mut(key.parse::<usize>().unwrap()).unwrap() = value.clone(),
            Value::Object(members) if pointer.starts_with('-') => drop(members.remove(&key).unwrap()),
            Value::Object(members) => drop(members.insert(key, value.clone())),
            other @ (Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
                panic!("{pointer}: {other}")
            }
        }
    }
    record
}

fn check(name: &str, at_least: usize) {
    let mut count = 0;
    for case in cases(name) {
        let Case { what, format, file, record, closed_with, .. } = case;
        assert_eq!(verdict(&format, &file, &record), "\"open\"", "{format}: {what}");
        for changes in &closed_with {
            let verdict = verdict(&format, &file, &changed(&record, changes));
            assert_ne!(verdict, "\"open\"", "{format}: {what}: {changes:?}");
            count += 1;
        }
    }
    assert!(count >= at_least, "{count}");
}

#[test]
fn a_text_is_a_persons_only_where_every_sign_of_its_record_says_so() {
    check("persons.jsonl", 220);
}

#[test]
fn a_result_is_the_worlds_only_where_a_call_that_stands_brought_it() {
    check("results.jsonl", 70);
}

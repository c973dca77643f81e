//! Anthropic's `url_sources` object, as a policy over the profile `messages-api`.
//!
//! It says which texts count as sources of `web_fetch`: a person's, the results of the client's tools, the results of the
//! provider's. What is left out counts in full.

use firsthand::policy::{Cell, Policy, ToolRule};
use firsthand::writer::Writer;
use serde::{Deserialize, Deserializer, de};

use super::error::PolicyError;
use super::{Loaded, profile};

/// The provider's tools whose results can count at all.
const SERVER_TOOLS: [&str; 2] = ["web_search", "web_fetch"];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Raw {
    #[serde(default)]
    user_input: Input,
    #[serde(default)]
    client_tool_results: Choice,
    #[serde(default)]
    server_tool_results: Choice,
}

/// The object alone, or as the member of that name.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wrapped {
    url_sources: Raw,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(from = "InputForm")]
enum Input {
    #[default]
    All,
    None,
}

struct InputForm(Input);

impl From<InputForm> for Input {
    fn from(form: InputForm) -> Self {
        form.0
    }
}

impl<'de> Deserialize<'de> for InputForm {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match Choice::deserialize(deserializer)? {
            Choice::All => Ok(Self(Input::All)),
            Choice::None => Ok(Self(Input::None)),
            Choice::Only(_) | Choice::Except(_) => {
                Err(de::Error::custom("invalid value: a choice of tools, expected `all` or `none`"))
            }
        }
    }
}

/// Which tools' results count.
#[derive(Default)]
enum Choice {
    #[default]
    All,
    None,
    Only(Vec<String>),
    Except(Vec<String>),
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ChoiceObject {
    #[serde(rename = "type")]
    kind: ChoiceKind,
    tools: Option<Vec<Reference>>,
}

#[derive(Clone, Copy, Deserialize)]
#[serde(rename_all = "lowercase")]
enum ChoiceKind {
    All,
    None,
    Only,
    Except,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Reference {
    #[serde(rename = "type")]
    _kind: ReferenceKind,
    name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum ReferenceKind {
    ToolReference,
}

impl<'de> Deserialize<'de> for Choice {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ChoiceVisitor)
    }
}

struct ChoiceVisitor;

impl<'de> de::Visitor<'de> for ChoiceVisitor {
    type Value = Choice;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("`all`, `none` or an object with `type`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Choice, E> {
        match name {
            "all" => Ok(Choice::All),
            "none" => Ok(Choice::None),
            _ => Err(E::unknown_variant(name, &["all", "none"])),
        }
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Choice, A::Error> {
        let ChoiceObject { kind, tools } = ChoiceObject::deserialize(de::value::MapAccessDeserializer::new(map))?;
        let names = tools.map(|tools| tools.into_iter().map(|Reference { _kind: _, name }| name).collect());
        match (kind, names) {
            (ChoiceKind::All, None) => Ok(Choice::All),
            (ChoiceKind::None, None) => Ok(Choice::None),
            (ChoiceKind::Only, Some(names)) => Ok(Choice::Only(names)),
            (ChoiceKind::Except, Some(names)) => Ok(Choice::Except(names)),
            (ChoiceKind::All | ChoiceKind::None, Some(_)) => {
                Err(de::Error::custom("invalid value: `tools` beside `all` or `none`, expected `only` or `except`"))
            }
            (ChoiceKind::Only | ChoiceKind::Except, None) => Err(de::Error::missing_field("tools")),
        }
    }
}

/// Reads the object as JSON.
pub(super) fn load(text: &str) -> Result<Loaded, PolicyError> {
    let wrapped = serde_json::from_str::<serde_json::Value>(text)
        .map_err(|error| PolicyError::json(&error))?
        .get("url_sources")
        .is_some();
    let raw = match wrapped {
        true => serde_json::from_str(text).map(|Wrapped { url_sources }| url_sources),
        false => serde_json::from_str(text),
    };
    let Raw { user_input, client_tool_results, server_tool_results } =
        raw.map_err(|error| PolicyError::json(&error))?;
    let mut policy = profile("messages-api")?;
    let mut notes = Vec::new();
    match user_input {
        Input::All => {}
        Input::None => {
            policy.positions.user = Writer::Ignored;
            policy.positions.relay = Writer::Ignored;
            policy.positions.answer = Writer::Ignored;
        }
    }
    server_tools(&server_tool_results, &mut policy, &mut notes);
    client_tools(&client_tool_results, &mut policy, &mut notes);
    Ok(Loaded { policy, notes })
}

fn server_tools(choice: &Choice, policy: &mut Policy, notes: &mut Vec<String>) {
    let counts = |name: &str| match choice {
        Choice::All => true,
        Choice::None => false,
        Choice::Only(names) => names.iter().any(|own| own == name),
        Choice::Except(names) => !names.iter().any(|own| own == name),
    };
    if !counts("web_search") {
        policy.results.search.provider = Writer::Ignored;
    }
    if !counts("web_fetch") {
        policy.results.page.provider = Writer::Ignored;
    }
    if let Choice::Only(names) | Choice::Except(names) = choice {
        for name in names.iter().filter(|name| !SERVER_TOOLS.contains(&name.as_str())) {
            notes.push(format!(
                "`server_tool_results` names `{name}`: of the provider's tools only web_search and web_fetch count"
            ));
        }
    }
}

fn client_tools(choice: &Choice, policy: &mut Policy, notes: &mut Vec<String>) {
    let all = |policy: &mut Policy, writer: Writer| {
        let results = &mut policy.results;
        for cell in [
            &mut results.search,
            &mut results.page,
            &mut results.connector,
            &mut results.undeclared,
            &mut results.custom,
            &mut results.generated,
        ] {
            let Cell { client, provider: _ } = cell;
            *client = writer;
        }
    };
    let (names, writer) = match choice {
        Choice::All => return,
        Choice::None => return all(policy, Writer::Ignored),
        Choice::Only(names) => {
            all(policy, Writer::Ignored);
            (names, Writer::World)
        }
        Choice::Except(names) => (names, Writer::Ignored),
    };
    for name in names {
        let provider = match name.as_str() {
            "web_search" => Some(policy.results.search.provider),
            "web_fetch" => Some(policy.results.page.provider),
            _ => None,
        };
        // A name stands for the client's and the provider's tool; where they differ, neither counts.
        let result = if provider.is_some_and(|provider| provider != writer) { Writer::Ignored } else { writer };
        if result != writer || provider.is_some_and(|provider| provider != result) {
            notes.push(format!("`{name}` of the client and of the provider are one tool here: neither counts"));
        }
        let mut rule = policy.tools.rule("", None, name).cloned().unwrap_or_else(|| ToolRule::named(None, name));
        name.clone_into(&mut rule.name);
        rule.fields.clear();
        rule.result = Some(result);
        rule.declared = true;
        policy.tools.add(rule);
    }
}

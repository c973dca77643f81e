//! Policy files as they are written. Every struct refuses a key that it does not know.

use std::collections::BTreeMap;

use serde::{Deserialize, Deserializer, de};
use toml::Spanned;

use super::error::PolicyError;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Policy {
    pub(super) profile: Option<Spanned<String>>,
    pub(super) positions: Option<Positions>,
    pub(super) results: Option<Results>,
    pub(super) rule: Option<Rule>,
    #[serde(default)]
    pub(super) connectors: BTreeMap<String, Class>,
    #[serde(default)]
    pub(super) tools: BTreeMap<Spanned<String>, Tool>,
    pub(super) networking: Option<Networking>,
    pub(super) private: Option<Private>,
    pub(super) shell: Option<Shell>,
    pub(super) echo: Option<Echo>,
    pub(super) turns: Option<Turns>,
    pub(super) leak: Option<Leak>,
    pub(super) conventions: Option<Conventions>,
}

impl Policy {
    pub(super) fn parse(text: &str) -> Result<Self, PolicyError> {
        toml::from_str(text).map_err(|error| PolicyError::toml(&error, text))
    }
}

/// Whose words a position holds.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Writer {
    Person,
    World,
    Model,
    Ignored,
}

/// Whose words a result is. A tool's are never a person's.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Class {
    World,
    Model,
    Ignored,
}

/// Whose words a field of a result is.
#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Field {
    World,
    Model,
    Ignored,
    Index,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Positions {
    pub(super) user: Option<Writer>,
    pub(super) relay: Option<Writer>,
    pub(super) answer: Option<Writer>,
    pub(super) system: Option<Writer>,
    pub(super) attachment: Option<Writer>,
    pub(super) assistant: Option<Writer>,
    pub(super) thinking: Option<Writer>,
    pub(super) tool_call: Option<Writer>,
    pub(super) task: Option<Writer>,
    pub(super) summary: Option<Writer>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Results {
    pub(super) search: Option<Cell>,
    pub(super) page: Option<Cell>,
    pub(super) connector: Option<Cell>,
    pub(super) undeclared: Option<Cell>,
    pub(super) custom: Option<Cell>,
    pub(super) generated: Option<Cell>,
    pub(super) error: Option<Errors>,
}

/// One class, or one for each who may have run the tool.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) client: Class,
    pub(super) provider: Class,
}

impl<'de> Deserialize<'de> for Cell {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> de::Visitor<'de> for CellVisitor {
    type Value = Cell;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("`world`, `model`, `ignored` or a table of `client` and `provider`")
    }

    fn visit_str<E: de::Error>(self, name: &str) -> Result<Cell, E> {
        let class = Class::deserialize(de::value::StrDeserializer::new(name))?;
        Ok(Cell { client: class, provider: class })
    }

    fn visit_map<A: de::MapAccess<'de>>(self, map: A) -> Result<Cell, A::Error> {
        #[derive(Deserialize)]
        #[serde(deny_unknown_fields)]
        struct Both {
            client: Class,
            provider: Class,
        }
        let Both { client, provider } = Both::deserialize(de::value::MapAccessDeserializer::new(map))?;
        Ok(Cell { client, provider })
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Errors {
    Ignored,
    AsTheTool,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Rule {
    pub(super) order: Option<bool>,
    pub(super) longest_bytes: Option<std::num::NonZeroU32>,
    pub(super) credentials: Option<Credentials>,
    pub(super) truncation: Option<bool>,
    pub(super) conventions: Option<bool>,
    pub(super) index_fields: Option<bool>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Credentials {
    Off,
    Derived,
    Every,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Tool {
    pub(super) opens: Option<Vec<Spanned<String>>>,
    pub(super) opens_text: Option<Vec<Spanned<String>>>,
    pub(super) inert: Option<Vec<Spanned<String>>>,
    pub(super) prompted_by: Option<Vec<Spanned<String>>>,
    pub(super) result: Option<Class>,
    pub(super) fields: Option<BTreeMap<Spanned<String>, Field>>,
    pub(super) may_echo: Option<bool>,
    pub(super) dispatches: Option<Dispatch>,
    pub(super) permission: Option<Permission>,
    pub(super) allowed_domains: Option<Spanned<Vec<String>>>,
    pub(super) blocked_domains: Option<Spanned<Vec<String>>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Dispatch {
    #[serde(default)]
    pub(super) each: Paths,
    #[serde(default)]
    pub(super) server: Paths,
    #[serde(default)]
    pub(super) name: Paths,
    #[serde(default)]
    pub(super) resource: Paths,
    #[serde(default)]
    pub(super) arguments: Paths,
}

/// One path, or several of which the first that fits is taken.
#[derive(Debug, Default)]
pub(super) struct Paths(pub(super) Vec<String>);

impl<'de> Deserialize<'de> for Paths {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PathsVisitor)
    }
}

struct PathsVisitor;

impl<'de> de::Visitor<'de> for PathsVisitor {
    type Value = Paths;

    fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("a path or a list of paths")
    }

    fn visit_str<E: de::Error>(self, path: &str) -> Result<Paths, E> {
        Ok(Paths(vec![path.to_owned()]))
    }

    fn visit_seq<A: de::SeqAccess<'de>>(self, list: A) -> Result<Paths, A::Error> {
        Vec::deserialize(de::value::SeqAccessDeserializer::new(list)).map(Paths)
    }
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Permission {
    AlwaysAllow,
    AlwaysAsk,
    Auto,
    Deny,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Networking {
    #[serde(rename = "type")]
    pub(super) kind: NetworkingType,
    pub(super) allowed_hosts: Option<Spanned<Vec<String>>>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum NetworkingType {
    Unrestricted,
    Limited,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Private {
    #[serde(default)]
    pub(super) hosts: Vec<Spanned<String>>,
    #[serde(default)]
    pub(super) ranges: Vec<Spanned<String>>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Shell {
    pub(super) literal: Option<Literal>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Literal {
    Report,
    Ask,
    Refuse,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Echo {
    pub(super) reach: Option<Reach>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Reach {
    Parts,
    Substrings,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Turns {
    pub(super) earlier: Option<Earlier>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Earlier {
    First,
    OnMiss,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Leak {
    pub(super) per_site_bits: Option<Spanned<f64>>,
    pub(super) per_tree_bits: Option<Spanned<f64>>,
    pub(super) over: Option<Over>,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(super) enum Over {
    Ask,
    Refuse,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Conventions {
    pub(super) off: Option<Vec<Spanned<String>>>,
    pub(super) add: Option<Vec<Spanned<Convention>>>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Convention {
    pub(super) name: String,
    #[serde(default)]
    pub(super) opens: Vec<String>,
    #[serde(default)]
    pub(super) tokens: Vec<String>,
    #[serde(default)]
    pub(super) sources: Vec<String>,
    #[serde(default)]
    pub(super) choices: BTreeMap<String, Vec<String>>,
    #[serde(default)]
    pub(super) parameters: Vec<String>,
    #[serde(default)]
    pub(super) connectors: bool,
}

//! The table of providers, which is data.

use std::sync::OnceLock;

use serde::Deserialize;

use crate::glob::fits;

/// How an address of a provider is told.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Rule {
    pub(crate) provider: String,
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    paths: Vec<String>,
    #[serde(default)]
    all: Vec<String>,
    #[serde(default)]
    any: Vec<String>,
    begins_with_time: Option<String>,
    pub(crate) expires: Option<Expires>,
}

/// Where the end of its time stands.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Expires {
    pub(crate) date: Option<String>,
    pub(crate) seconds: Option<String>,
    pub(crate) at: Option<String>,
    #[serde(rename = "as", default)]
    pub(crate) form: Form,
}

/// How a time is written.
#[derive(Clone, Copy, Debug, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Form {
    #[default]
    Epoch,
    Iso,
    Hex,
    Range,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    keys: Vec<String>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Generic {
    parameters: Vec<String>,
}

/// All of it.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Table {
    #[serde(rename = "rule")]
    pub(crate) rules: Vec<Rule>,
    json: Keys,
    generic: Generic,
}

/// The parts of an address that rules look at.
#[derive(Debug)]
pub(crate) struct Parts<'a> {
    pub(crate) host: &'a str,
    pub(crate) path: &'a str,
    /// Names in lower case, values decoded.
    pub(crate) parameters: Vec<(String, String)>,
}

impl Parts<'_> {
    pub(crate) fn parameter(&self, name: &str) -> Option<&str> {
        self.parameters.iter().find(|(own, _)| own == name).map(|(_, value)| value.as_str())
    }
}

impl Rule {
    pub(crate) fn fits(&self, parts: &Parts<'_>) -> bool {
        let host = |pattern: &String| match pattern.strip_prefix("*.") {
            Some(domain) => parts.host.strip_suffix(domain).is_some_and(|labels| labels.ends_with('.')),
            None => fits(pattern, parts.host, '/'),
        };
        let is_there = |name: &String| parts.parameter(name).is_some_and(|value| !value.is_empty());
        let begins_with_time = |name: &String| {
            let time = parts.parameter(name).and_then(|value| value.split_once('-')).map(|(time, _)| time);
            time.is_some_and(|time| (9..=13).contains(&time.len()) && time.bytes().all(|byte| byte.is_ascii_digit()))
        };
        (self.hosts.is_empty() || self.hosts.iter().any(host))
            && (self.paths.is_empty() || self.paths.iter().any(|path| fits(path, parts.path, '/')))
            && self.all.iter().all(is_there)
            && (self.any.is_empty() || self.any.iter().any(is_there))
            && self.begins_with_time.as_ref().is_none_or(begins_with_time)
    }
}

impl Table {
    /// Whether the value of this key of JSON is such an address, whoever serves it.
    pub(crate) fn is_key(&self, key: &str) -> bool {
        self.json.keys.iter().any(|own| own == key)
    }

    pub(crate) fn is_generic(&self, parameter: &str) -> bool {
        let named = |own: &String| own == parameter;
        self.generic.parameters.iter().any(named) || parameter.starts_with("x-") && parameter.ends_with("-signature")
    }
}

/// The table that comes with the program.
pub(crate) fn table() -> &'static Table {
    static TABLE: OnceLock<Table> = OnceLock::new();
    // A table that cannot be read would mask nothing; a test reads it.
    TABLE.get_or_init(|| toml::from_str(include_str!("../data/signed.toml")).unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_read_and_every_rule_asks_for_something() {
        assert!(table().rules.len() > 40 && table().is_key("uploadUrl") && table().is_generic("x-foo-signature"));
        for rule in &table().rules {
            assert!(!(rule.paths.is_empty() && rule.all.is_empty() && rule.any.is_empty()), "{rule:?}");
            let names = rule.all.iter().chain(&rule.any);
            assert!(names.into_iter().all(|name| *name == name.to_lowercase()), "{rule:?}");
        }
    }
}

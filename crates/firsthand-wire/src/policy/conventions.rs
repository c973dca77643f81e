//! The rules of the site conventions: those that are built in, and what a policy file changes of them.

use std::sync::LazyLock;

use firsthand::convention::{Draft, Rule, Rules};
use serde::Deserialize;

use super::error::PolicyError;
use super::raw;

/// The rules that are built in, as they stand in the repository.
pub const TEXT: &str = include_str!("../../data/conventions.toml");

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    rule: Vec<raw::Convention>,
}

/// The rules that are built in.
pub fn rules() -> Result<&'static Rules, PolicyError> {
    static RULES: LazyLock<Result<Rules, PolicyError>> = LazyLock::new(|| parse(TEXT));
    RULES.as_ref().map_err(Clone::clone)
}

fn parse(text: &str) -> Result<Rules, PolicyError> {
    let File { rule } = toml::from_str(text).map_err(|error| PolicyError::toml(&error, text))?;
    let mut rules = Rules::default();
    for raw in rule {
        if raw.connectors {
            return Err(PolicyError::new(
                "`connectors` in a rule that is built in",
                "a template of the operator's own",
            ));
        }
        let rule = Rule::new(draft(raw), false).and_then(|rule| rules.add(rule));
        rule.map_err(|error| PolicyError::new(error.0, ""))?;
    }
    Ok(rules)
}

/// Adds what a policy file adds and switches off what it switches off.
pub(super) fn change(rules: &mut Rules, said: raw::Conventions, text: &str) -> Result<(), PolicyError> {
    let raw::Conventions { off, add } = said;
    for raw in add.into_iter().flatten() {
        let span = raw.span();
        let added = Rule::new(draft(raw.into_inner()), true).and_then(|rule| rules.add(rule));
        added.map_err(|error| PolicyError::new(error.0, "").at(text, span, "conventions.add"))?;
    }
    for name in off.into_iter().flatten() {
        if !rules.switch_off(name.get_ref()) {
            let error = PolicyError::new(format!("no rule `{}`", name.get_ref()), "the name of a rule");
            return Err(error.at(text, name.span(), "conventions.off"));
        }
    }
    Ok(())
}

fn draft(raw: raw::Convention) -> Draft {
    let raw::Convention { name, opens, tokens, sources, choices, parameters, connectors } = raw;
    Draft { name, opens, tokens, sources, choices, parameters, connectors }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rules_that_are_built_in_hold_and_are_many() {
        let many = rules().is_ok_and(|rules| {
            rules.all().len() >= 25 && rules.all().iter().all(|rule| !rule.is_declared() && rule.freedom() >= 1)
        });
        assert!(many);
    }
}

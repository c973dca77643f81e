//! Policy files: what a deployment believes and allows, as people write it.
//!
//! A file starts from a profile and changes single cells. Everything in it is checked when it is read: a key that is not
//! known, a value that does not fit or a list entry that could not mean what its author thinks is an error with its place.

pub mod error;
mod raw;
mod convert;
pub mod conventions;
mod print;
pub mod suggest;
pub mod tools;
pub mod url_sources;
#[cfg(test)]
mod tests;

use firsthand::policy::Policy;

pub use error::PolicyError;
pub use print::print;

/// The profiles by name, with their files. The first is the default.
pub const PROFILES: &[(&str, &str)] = &[
    ("firsthand", include_str!("../../profiles/firsthand.toml")),
    ("managed-agents", include_str!("../../profiles/managed-agents.toml")),
    ("messages-api", include_str!("../../profiles/messages-api.toml")),
    ("person-only", include_str!("../../profiles/person-only.toml")),
    ("unattended", include_str!("../../profiles/unattended.toml")),
];

/// The JSON Schema of policy files.
pub const SCHEMA: &str = include_str!("../../policy.schema.json");

/// The name of the profile that a file starts from where it names none.
pub const DEFAULT_PROFILE: &str = "firsthand";

/// A policy that was read.
#[derive(Clone, Debug)]
pub struct Loaded {
    /// What it means.
    pub policy: Policy,
    /// What stands in the file and has no effect, a sentence each, for people.
    pub notes: Vec<String>,
}

/// The file of a profile, as it stands in the repository.
pub fn profile_text(name: &str) -> Option<&'static str> {
    PROFILES.iter().find(|(own, _)| *own == name).map(|(_, text)| *text)
}

/// A profile as a file in which every cell stands: its own, with its comments, or one written out where it only changes cells of
/// another.
pub fn profile_file(name: &str) -> Result<String, PolicyError> {
    let Some(text) = profile_text(name) else {
        return Err(PolicyError::unknown_profile(name));
    };
    if raw::Policy::parse(text)?.profile.is_none() {
        return Ok(text.to_owned());
    }
    let comment: String =
        text.lines().take_while(|line| line.starts_with('#')).map(|line| format!("{line}\n")).collect();
    Ok(format!("{comment}\n{}", print(&profile(name)?)))
}

/// The profile of this name.
pub fn profile(name: &str) -> Result<Policy, PolicyError> {
    let Some(text) = profile_text(name) else {
        return Err(PolicyError::unknown_profile(name));
    };
    let raw = raw::Policy::parse(text)?;
    let mut policy = match &raw.profile {
        Some(base) if base.get_ref() != name => profile(base.get_ref())?,
        Some(_) | None => convert::closed()?,
    };
    policy = convert::apply(raw, policy, text)?.policy;
    policy.profile = name.to_owned();
    Ok(policy)
}

/// Reads a policy file: TOML, or the JSON object `url_sources` of Anthropic's `web_fetch`.
pub fn load(text: &str) -> Result<Loaded, PolicyError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.trim_start().starts_with('{') {
        return url_sources::load(text);
    }
    let raw = raw::Policy::parse(text)?;
    let base = match &raw.profile {
        Some(name) => profile(name.get_ref()).map_err(|error| error.at(text, name.span(), "profile"))?,
        None => profile(DEFAULT_PROFILE)?,
    };
    convert::apply(raw, base, text)
}

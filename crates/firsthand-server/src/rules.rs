//! What holds for a session: its policy and its networking, as they were said.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use firsthand::lists::{Hosts, ListError, Networking};
use firsthand::policy::Policy;
use firsthand_wire::call::{self, CallError};
use serde::{Deserialize, Serialize};

/// How many policies are kept ready.
const KEPT: usize = 256;

/// What is said of a session's policy.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rules {
    /// The name of a profile, or the text of a policy file. The default profile where it is not said.
    pub policy: Option<String>,
    /// Which hosts may be reached. Where it is not said the policy file says it.
    pub networking: Option<Said>,
}

/// What is said of networking.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "lowercase", deny_unknown_fields)]
pub enum Said {
    /// Every host.
    Unrestricted {},
    /// Only the hosts of a list.
    Limited {
        /// Exact hosts, and `*.example.com` for the subdomains of one. None means that nothing is reached.
        allowed_hosts: Vec<String>,
    },
}

/// Why a session cannot have these rules.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RulesError {
    /// The policy.
    #[error(transparent)]
    Policy(#[from] CallError),
    /// Neither the request nor the policy file says which hosts may be reached.
    #[error("expected the key `networking`, or a policy file that has it")]
    NoNetworking,
    /// An entry of `allowed_hosts`, or one of a tool that is not within them.
    #[error("{place}: {error}")]
    Entry {
        /// Where it stands.
        place: String,
        /// Which entry, and why.
        error: ListError,
    },
}

impl Rules {
    /// What the rules mean.
    pub fn policy(&self) -> Result<Policy, RulesError> {
        let mut policy = call::policy(self.policy.as_deref())?;
        policy.networking = match &self.networking {
            None if self.policy.as_deref().is_some_and(|file| says(file, "networking")) => policy.networking,
            None => return Err(RulesError::NoNetworking),
            Some(Said::Unrestricted {}) => Networking::Unrestricted,
            Some(Said::Limited { allowed_hosts }) => Networking::Limited(
                Hosts::parse(allowed_hosts)
                    .map_err(|error| RulesError::Entry { place: "networking.allowed_hosts".to_owned(), error })?,
            ),
        };
        for rule in policy.tools.rules() {
            if let Some(domains) = &rule.allowed_domains {
                let place = || format!("tools.{:?}.allowed_domains", rule.name);
                policy.networking.admits(domains).map_err(|error| RulesError::Entry { place: place(), error })?;
            }
        }
        Ok(policy)
    }
}

/// Whether a policy file has a table of this name.
pub fn says(policy: &str, table: &str) -> bool {
    toml::from_str::<toml::Table>(policy).is_ok_and(|file| file.contains_key(table))
}

/// Policies that were read, so that sessions with the same rules share one.
#[derive(Default)]
pub struct Policies(Mutex<HashMap<[u8; 32], Arc<Policy>>>);

impl Policies {
    /// The policy of these rules.
    pub fn policy(&self, rules: &Rules) -> Result<Arc<Policy>, RulesError> {
        let text = serde_json::to_vec(rules).unwrap_or_default();
        let key = *blake3::hash(&text).as_bytes();
        let lock = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(policy) = lock().get(&key) {
            return Ok(Arc::clone(policy));
        }
        let policy = Arc::new(rules.policy()?);
        let mut kept = lock();
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.insert(key, Arc::clone(&policy));
        Ok(policy)
    }
}

impl fmt::Debug for Policies {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Policies")
    }
}

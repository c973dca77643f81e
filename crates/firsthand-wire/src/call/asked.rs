//! A call that somebody asks about, as JSON names it.

use firsthand::check::{Circumstances, Decision, check, check_addresses};
use firsthand::conversation::{Call, Ran, Text};
use firsthand::ledger::{Ledger, RunId};
use firsthand::policy::Policy;
use serde::Deserialize;
use serde_json::value::RawValue;

use super::CallError;
use crate::engine::Ask;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CallRequest<'r> {
    #[serde(default)]
    id: String,
    tool: String,
    server: Option<String>,
    urls: Option<Vec<String>>,
    #[serde(borrow)]
    arguments: Option<&'r RawValue>,
}

/// A call that somebody asks about.
#[derive(Clone, Debug)]
pub struct Asked {
    call: Call,
    /// The addresses that are opened, whatever the tool; none where they are read from the arguments.
    urls: Option<Vec<String>>,
}

impl Asked {
    /// Reads `CALL`.
    pub fn read(json: &str) -> Result<Self, CallError> {
        super::parse::<CallRequest<'_>>(json)?.asked()
    }

    /// A call of these addresses.
    pub fn addresses(tool: &str, server: Option<&str>, urls: Vec<String>) -> Self {
        let arguments = serde_json::json!({ "urls": urls }).to_string();
        Self { call: call(String::new(), tool.to_owned(), server.map(str::to_owned), &arguments), urls: Some(urls) }
    }

    /// The call. Where only its addresses are known, they stand in the argument `urls`.
    pub fn call(&self) -> &Call {
        &self.call
    }

    /// The addresses that were named as such; none where they stand in the arguments.
    pub fn urls(&self) -> Option<&[String]> {
        self.urls.as_deref()
    }

    /// The same for a family of conversations.
    pub fn ask(&self) -> Ask<'_> {
        match &self.urls {
            Some(addresses) => Ask::Addresses { tool: &self.call.tool, server: self.call.server.as_deref(), addresses },
            None => Ask::Call(&self.call),
        }
    }

    /// What is decided of the call if a run makes it now. None where it opens nothing.
    pub fn judge(&self, ledger: &Ledger, run: RunId, policy: &Policy, now: &Circumstances) -> Option<Decision> {
        let Call { server, tool, .. } = &self.call;
        match &self.urls {
            Some(addresses) => Some(check_addresses(ledger, run, server.as_deref(), tool, addresses, policy, now)),
            None => check(ledger, run, &self.call, policy, now),
        }
    }
}

impl CallRequest<'_> {
    pub(super) fn asked(self) -> Result<Asked, CallError> {
        let Self { id, tool, server, urls, arguments } = self;
        if server.as_deref().is_some_and(|server| server.trim().is_empty()) {
            let why = "`call`: found a `server` without a name; expected the name of a server, or no such key";
            return Err(CallError::Request(why.to_owned()));
        }
        match (urls, arguments) {
            (Some(urls), None) => {
                let asked = Asked::addresses(&tool, server.as_deref(), urls);
                Ok(Asked { call: Call { id, ..asked.call }, ..asked })
            }
            (None, Some(arguments)) => Ok(Asked { call: call(id, tool, server, arguments.get()), urls: None }),
            (Some(_), Some(_)) | (None, None) => {
                Err(CallError::Request("`call`: expected either `urls` or `arguments`".to_owned()))
            }
        }
    }

    pub(super) fn into_urls(self) -> Vec<String> {
        self.urls.unwrap_or_default()
    }
}

fn call(id: String, tool: String, server: Option<String>, arguments: &str) -> Call {
    Call { id, server, tool, arguments: Text::from(arguments), ran: Ran::Client, custom: false }
}

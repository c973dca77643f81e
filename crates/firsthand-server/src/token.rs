//! Who may: tokens, what they may do, and whose they are.

use std::collections::{BTreeSet, HashMap};
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use data_encoding::HEXLOWER;
use subtle::ConstantTimeEq as _;

use crate::key::{NoRandom, random};
use crate::store::{Millis, Store, StoreError, Token};

/// What every token begins with, so that scanners of leaked secrets know one.
const PREFIX: &str = "fh_";

/// How long a token that was looked up is believed without looking again. So long a removed one may still work.
const BELIEVED: Duration = Duration::from_secs(5);

/// How many looked-up tokens are remembered.
const REMEMBERED: usize = 10_000;

/// What a token may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Scope {
    /// What an agent's loop does: append, check, fetch, sources.
    Loop,
    /// What a person does: grants, answers to questions, a person's words.
    Person,
    /// What an administrator does: rules, refusals, shortcuts, documents, metrics.
    Admin,
}

impl Scope {
    /// All scopes.
    pub const ALL: [Self; 3] = [Self::Loop, Self::Person, Self::Admin];

    /// The name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Loop => "loop",
            Self::Person => "person",
            Self::Admin => "admin",
        }
    }

    /// The scope of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|scope| scope.name() == name)
    }
}

/// Who calls.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Caller {
    /// The tenant.
    pub tenant: String,
    /// The token's id.
    pub token: String,
    /// What the caller may do.
    pub scopes: BTreeSet<Scope>,
}

/// A new token: what is kept of it, and what proves it, which is told once.
pub struct Issued {
    /// What is kept.
    pub token: Token,
    /// The whole token. Whoever holds it may do what it says.
    pub secret: String,
}

impl fmt::Debug for Issued {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Issued").field("token", &self.token.id).finish_non_exhaustive()
    }
}

/// Makes a token.
pub fn issue(
    tenant: &str,
    name: &str,
    scopes: &[Scope],
    now: Millis,
    expires: Option<Millis>,
) -> Result<Issued, NoRandom> {
    let id = HEXLOWER.encode(&random::<8>()?);
    let secret = HEXLOWER.encode(&random::<32>()?);
    let scopes: BTreeSet<Scope> = scopes.iter().copied().collect();
    let token = Token {
        id: id.clone(),
        tenant: tenant.to_owned(),
        name: name.to_owned(),
        digest: digest(&secret),
        scopes: scopes.iter().map(|scope| scope.name()).collect::<Vec<_>>().join(" "),
        created: now,
        expires,
    };
    Ok(Issued { token, secret: format!("{PREFIX}{id}_{secret}") })
}

/// The secret has 256 random bits: a fast digest is enough.
fn digest(secret: &str) -> [u8; 32] {
    *blake3::hash(secret.as_bytes()).as_bytes()
}

/// The tokens of a database.
#[derive(Debug)]
pub struct Tokens {
    store: Arc<dyn Store>,
    remembered: Mutex<HashMap<String, (Instant, Option<Token>)>>,
}

impl Tokens {
    /// The tokens that a database keeps.
    pub fn new(store: Arc<dyn Store>) -> Self {
        Self { store, remembered: Mutex::default() }
    }

    /// Who holds this token. None of one that is not there, whose time is over, or whose secret is another.
    pub async fn caller(&self, token: &str, now: Millis) -> Result<Option<Caller>, StoreError> {
        let Some((id, secret)) = token.strip_prefix(PREFIX).and_then(|rest| rest.split_once('_')) else {
            return Ok(None);
        };
        // An id that no token has is asked of nobody.
        if id.len() != 16 || secret.len() != 64 || !id.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Ok(None);
        }
        let Some(kept) = self.token(id).await? else { return Ok(None) };
        let same: bool = digest(secret).ct_eq(&kept.digest).into();
        if !same || kept.expires.is_some_and(|expires| expires <= now) {
            return Ok(None);
        }
        let scopes = kept.scopes.split(' ').filter_map(Scope::named).collect();
        Ok(Some(Caller { tenant: kept.tenant, token: kept.id, scopes }))
    }

    async fn token(&self, id: &str) -> Result<Option<Token>, StoreError> {
        let lock = || self.remembered.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, token)) = lock().get(id)
            && at.elapsed() < BELIEVED
        {
            return Ok(token.clone());
        }
        let token = self.store.token(id).await?;
        let mut remembered = lock();
        if remembered.len() >= REMEMBERED {
            remembered.clear();
        }
        remembered.insert(id.to_owned(), (Instant::now(), token.clone()));
        Ok(token)
    }

    /// Forgets what was looked up, so that a token that was removed works no longer here.
    pub fn forget(&self) {
        self.remembered.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

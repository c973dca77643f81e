//! The server's key, and what is made of it.
//!
//! It is in no database: who has the database alone can open no reference, and can tell of no digest what it is of.

use std::fmt;

use chacha20poly1305::aead::{Aead as _, KeyInit as _, Payload};
use chacha20poly1305::{XChaCha20Poly1305, XNonce};
use data_encoding::BASE64;
use firsthand::address::{Address, Form};
use firsthand::reference::Reference;

/// How many bytes a nonce has: so many that random ones do not meet.
const NONCE: usize = 24;

/// The system gives no random numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random numbers")]
pub struct NoRandom;

/// The server's key: 32 random bytes that all servers of one database share.
#[derive(Clone)]
pub struct Key {
    ledgers: [u8; 32],
    digests: [u8; 32],
    references: [u8; 32],
}

impl Key {
    /// Derives what is needed of the key.
    pub fn new(key: &[u8; 32]) -> Self {
        let derived = |what: &str| *blake3::keyed_hash(key, what.as_bytes()).as_bytes();
        Self {
            ledgers: derived("firsthand ledgers v1"),
            digests: derived("firsthand log digests v1"),
            references: derived("firsthand references v1"),
        }
    }

    /// The key of a tree's ledger.
    pub fn ledger(&self, tree: &str) -> [u8; 32] {
        *blake3::keyed_hash(&self.ledgers, tree.as_bytes()).as_bytes()
    }

    /// The key of the digests in logs.
    pub fn digests(&self) -> &[u8; 32] {
        &self.digests
    }

    /// Seals what a reference of a session stands for. It opens under no other session, reference or time.
    pub fn seal(
        &self,
        session: &str,
        reference: &Reference,
        expires: i64,
        address: &Address,
    ) -> Result<String, NoRandom> {
        let nonce: [u8; NONCE] = random()?;
        let bound = bound(session, reference, expires);
        let payload = Payload { msg: address.reveal().as_bytes(), aad: bound.as_bytes() };
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), payload).map_err(|_| NoRandom)?;
        Ok(BASE64.encode(&[&nonce[..], &sealed].concat()))
    }

    /// Opens what [`seal`](Self::seal) sealed. None where another key sealed it or somebody changed it.
    pub fn open(&self, session: &str, reference: &Reference, expires: i64, sealed: &str) -> Option<Address> {
        let sealed = BASE64.decode(sealed.as_bytes()).ok()?;
        let (nonce, sealed) = sealed.split_first_chunk::<NONCE>()?;
        let bound = bound(session, reference, expires);
        let payload = Payload { msg: sealed, aad: bound.as_bytes() };
        let opened = self.cipher().decrypt(&XNonce::from(*nonce), payload).ok()?;
        Address::written(std::str::from_utf8(&opened).ok()?, Form::Absolute)
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.references.into())
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key")
    }
}

/// Random bytes of the system.
pub fn random<const N: usize>() -> Result<[u8; N], NoRandom> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes).map_err(|_| NoRandom)?;
    Ok(bytes)
}

/// A new id: a prefix and 128 random bits.
pub fn new_id(prefix: &str) -> Result<String, NoRandom> {
    Ok(format!("{prefix}{}", data_encoding::HEXLOWER.encode(&random::<16>()?)))
}

fn bound(session: &str, reference: &Reference, expires: i64) -> String {
    format!("{}:{session}{}{expires}", session.len(), reference.reveal())
}

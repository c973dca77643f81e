//! Why a request has no answer. Whoever gets one opens nothing.

use firsthand_wire::call::CallError;

use crate::event::Unreadable;
use crate::key::NoRandom;
use crate::store::StoreError;
use crate::tree::TreeError;

/// Why a request has no answer. No message holds text of a conversation.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Failure {
    /// There is no such session, question or thing of this tenant.
    #[error("there is nothing of this id")]
    NotFound,
    /// The request is not what it should be.
    #[error("{0}")]
    Malformed(String),
    /// The caller may not do this.
    #[error("{0}")]
    Forbidden(String),
    /// The session is longer or shorter than the caller says, or an id came with another body.
    #[error("{why}")]
    Conflict {
        /// Why.
        why: &'static str,
        /// How many items the session has.
        length: usize,
    },
    /// More than is taken.
    #[error("too many {0}")]
    TooMany(&'static str),
    /// Other servers append to the same tree all the time.
    #[error("others append to this session at the same time")]
    Busy,
    /// The database gives no answer.
    #[error("the database gives no answer")]
    Store(#[source] StoreError),
    /// What the database holds cannot be read.
    #[error("the record of the session cannot be read")]
    Broken(#[source] TreeError),
    /// A task of the server ended before it answered.
    #[error("the server failed")]
    Lost,
}

impl From<StoreError> for Failure {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl From<TreeError> for Failure {
    fn from(error: TreeError) -> Self {
        Self::Broken(error)
    }
}

impl From<Unreadable> for Failure {
    fn from(error: Unreadable) -> Self {
        Self::Broken(error.into())
    }
}

impl From<NoRandom> for Failure {
    fn from(_: NoRandom) -> Self {
        Self::Lost
    }
}

impl From<CallError> for Failure {
    fn from(error: CallError) -> Self {
        Self::Malformed(error.to_string())
    }
}

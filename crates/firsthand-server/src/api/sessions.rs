//! Sessions: begin, look at, change, end; what is appended to them.

use std::sync::PoisonError;

use axum::Json;
use axum::extract::{Path, Query, State as Shared};
use axum::http::StatusCode;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::{IntoParams, ToSchema};

use super::input::{self, Body, Known};
use super::problem::Problem;
use super::shape::Networking;
use super::state::State;
use crate::clock;
use crate::event::Began;
use crate::failure::Failure;
use crate::rules::{Rules, says};
use crate::sessions::{At, Sent};
use crate::store::Kept;
use crate::token::Scope;

/// How a session begins.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Begin {
    /// The name of a profile, or the text of a policy file. The default profile where it is not said.
    policy: Option<String>,
    /// Which hosts may be reached. It has to be said here or in the policy file.
    networking: Option<Networking>,
    /// The session above it, whose sources it has and in whose tree marks hold.
    parent: Option<String>,
    /// Who fills the user's place: `person` (one who can be asked), `presumed` (one of whom nobody vouches that she can be
    /// asked) or `parent_model`. Where it is not said it is `parent_model` below another session, else `presumed`.
    seat: Option<String>,
    /// The format whose names the tools have, such as `claude-code`.
    dialect: Option<String>,
}

/// A session that began.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Begun {
    /// Its id.
    id: String,
    /// How many items it has.
    length: usize,
}

/// Begins a session.
#[utoipa::path(post, path = "/v1/sessions", tag = "sessions", request_body = Begin, responses(
    (status = 201, description = "The session began", body = Begun),
    (status = 400, description = "An entry is not taken; the problem names it", body = Problem, content_type = "application/problem+json"),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn begin(
    Shared(state): Shared<State>,
    caller: Known,
    Body(begin): Body<Begin>,
) -> Result<(StatusCode, Json<Begun>), Problem> {
    let caller = caller.with(&[Scope::Loop, Scope::Admin])?;
    let Begin { policy, networking, parent, seat, dialect } = begin;
    if !caller.scopes.contains(&Scope::Admin) && policy.as_deref().is_some_and(|file| says(file, "private")) {
        let why = "a policy that opens private networks needs a token of the scope `admin`, or the server's `--policy`";
        return Err(Problem::forbidden(why));
    }
    let seat = match (seat.as_deref(), &parent) {
        (None, None) => None,
        (None, Some(_)) => Some("parent_model".to_owned()),
        (Some("person" | "presumed" | "parent_model"), _) => seat,
        (Some(_), _) => return Err(Problem::malformed("`seat`: expected `person`, `presumed` or `parent_model`")),
    };
    let dialect = dialect.unwrap_or_else(|| "firsthand".to_owned());
    if firsthand_wire::format::named(&dialect).is_err() {
        return Err(Problem::malformed("`dialect`: expected the name of a format"));
    }
    let default = || state.policy.read().unwrap_or_else(PoisonError::into_inner).clone();
    let rules = Rules { policy: policy.or_else(default), networking: networking.map(Into::into) };
    let began = Began { parent, seat, dialect, rules };
    let held = state.sessions.begin(&caller.tenant, began).await.map_err(|failure| state.problem(failure))?;
    Ok((StatusCode::CREATED, Json(Begun { id: held.id().to_owned(), length: 0 })))
}

/// Which sessions are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Page {
    /// How many at most, 100 where it is not said, 1,000 at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u64>,
    /// The `next` of the page before.
    after: Option<String>,
}

/// A session in a list.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Listed {
    /// Its id.
    id: String,
    /// The id of the session at the top of its tree.
    top: String,
    /// When it began, in milliseconds since 1970 (UTC).
    created: i64,
    /// When its time is over.
    expires: i64,
}

/// A page of sessions.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Sessions {
    /// The sessions, the youngest first.
    sessions: Vec<Listed>,
    /// What to ask for the next page with; none where there is none.
    next: Option<String>,
}

/// The sessions of the tenant, the youngest first.
#[utoipa::path(get, path = "/v1/sessions", tag = "sessions", params(Page), responses(
    (status = 200, description = "A page of sessions", body = Sessions),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn list(
    Shared(state): Shared<State>,
    caller: Known,
    page: Result<Query<Page>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Sessions>, Problem> {
    let caller = caller.with(&[Scope::Person, Scope::Admin])?;
    let Query(Page { limit, after }) =
        page.map_err(|_| Problem::malformed("found a query that is not known; expected `limit` and `after`"))?;
    let limit = input::page(limit)?;
    let before = after.as_deref().map(|after| {
        let (created, id) = after.split_once(':').ok_or(())?;
        Ok((created.parse().map_err(|_| ())?, id.to_owned()))
    });
    let before = before.transpose().map_err(|()| Problem::malformed("`after`: expected the `next` of a page"))?;
    let store = state.sessions.store();
    let kept = store.sessions(&caller.tenant, before, limit, clock::now()).await;
    let kept = kept.map_err(|error| state.problem(error.into()))?;
    let is_full = u64::try_from(kept.len()).unwrap_or(u64::MAX) >= limit;
    let next = kept.last().filter(|_| is_full).map(|last| format!("{}:{}", last.created, last.id));
    let listed = |Kept { id, tree, created, expires, .. }: Kept| Listed { id, top: tree, created, expires };
    Ok(Json(Sessions { sessions: kept.into_iter().map(listed).collect(), next }))
}

/// What changes of a session.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Change {
    /// The name of a profile, or the text of a policy file. As it was where it is not said.
    policy: Option<String>,
    /// Which hosts may be reached. As it was where it is not said.
    networking: Option<Networking>,
}

/// Changes what holds for later items and calls of a session. What was read before is not read anew.
#[utoipa::path(patch, path = "/v1/sessions/{id}", tag = "sessions", params(("id" = String, Path, description = "The session")), request_body = Change, responses(
    (status = 200, description = "The change holds", body = Begun),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn change(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(change): Body<Change>,
) -> Result<Json<Begun>, Problem> {
    let caller = caller.with(&[Scope::Admin])?;
    let held = state.held(&caller, &id).await?;
    let mut rules = {
        let tree = held.tree().map_err(|failure| state.problem(failure))?;
        tree.session(&id).ok_or(Failure::NotFound)?.rules().clone()
    };
    let Change { policy, networking } = change;
    rules.policy = policy.or(rules.policy);
    rules.networking = networking.map(Into::into).or(rules.networking);
    state.sessions.rule(&held, rules).await.map_err(|failure| state.problem(failure))?;
    let length = held.length()?;
    Ok(Json(Begun { id, length }))
}

/// Removes a session at the top of its tree, with the tree and all that is kept of it.
#[utoipa::path(delete, path = "/v1/sessions/{id}", tag = "sessions", params(("id" = String, Path, description = "The session")), responses(
    (status = 204, description = "It is gone"),
    (status = 409, description = "It stands below another", body = Problem, content_type = "application/problem+json"),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn delete(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    let caller = caller.with(&[Scope::Admin])?;
    let held = state.held(&caller, &id).await?;
    state.sessions.delete(&held).await.map_err(|failure| state.problem(failure))?;
    Ok(StatusCode::NO_CONTENT)
}

/// Entries of a conversation.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Append {
    /// How many items the session has, as the caller knows it.
    expected: usize,
    /// The format of the entries: `firsthand`, or another's name.
    format: String,
    /// The entries in order: all of them are appended or none.
    items: Vec<Entry>,
}

/// An entry.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Entry {
    /// An id of the caller's choice that no other entry of the session has: one that comes twice is appended once.
    id: String,
    /// The item in the format: a line of a log, or what stands in the list of a request.
    #[schema(value_type = Object)]
    item: Box<RawValue>,
}

/// What an append came to.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Appended {
    /// How many items the session has.
    length: usize,
    /// How many of them are new.
    added: usize,
}

/// Appends entries. They are durable when this answers.
#[utoipa::path(post, path = "/v1/sessions/{id}/items", tag = "sessions", params(("id" = String, Path, description = "The session")), request_body = Append, responses(
    (status = 200, description = "The entries are durable", body = Appended),
    (status = 409, description = "The session has another length, or an id came with another body", body = Problem, content_type = "application/problem+json"),
    (status = "default", description = "No answer: whether they are durable is told by sending them again", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn append(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(append): Body<Append>,
) -> Result<Json<Appended>, Problem> {
    let caller = caller.with(&[Scope::Loop, Scope::Person])?;
    let held = state.held(&caller, &id).await?;
    let Append { expected, format, items } = append;
    let entries = items.into_iter().map(|Entry { id, item }| Sent { id, item }).collect();
    let person = caller.scopes.contains(&Scope::Person);
    let grown = state.sessions.append(&held, At::Behind(expected), &format, entries, person).await;
    let grown = grown.map_err(|failure| state.problem(failure))?;
    state.metrics.appended(grown.added);
    Ok(Json(Appended { length: grown.length, added: grown.added }))
}

/// What is known of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Ledger {
    /// The session.
    id: String,
    /// The session above it.
    parent: Option<String>,
    /// Who fills the user's place, where somebody said.
    seat: Option<String>,
    /// The format whose names the tools have.
    dialect: String,
    /// The profile or the policy file, as it was said.
    policy: Option<String>,
    /// Which hosts may be reached, where it was said; else the policy file says it.
    networking: Option<Networking>,
    /// How many items the session has.
    length: usize,
    /// The addresses that may be opened because of who wrote them first, in the order in which they were recorded.
    sources: Vec<String>,
    /// How many sources there are, those of the sessions above counted.
    sources_in_view: usize,
    /// How many addresses the models of the tree wrote first.
    marks: usize,
    /// What opening addresses told in the tree, in bits.
    told: f64,
}

/// What is known of a session. It holds addresses.
#[utoipa::path(get, path = "/v1/sessions/{id}/ledger", tag = "sessions", params(("id" = String, Path, description = "The session")), responses(
    (status = 200, description = "The ledger", body = Ledger),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn ledger(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
) -> Result<Json<Ledger>, Problem> {
    let caller = caller.with(&[Scope::Loop, Scope::Person, Scope::Admin])?;
    let held = state.held(&caller, &id).await?;
    let tree = held.tree()?;
    let session = tree.session(&id).ok_or(Failure::NotFound)?;
    let (ledger, run, began, rules) = (tree.ledger(), session.run(), session.began(), session.rules());
    Ok(Json(Ledger {
        parent: began.parent.clone(),
        seat: began.seat.clone(),
        dialect: began.dialect.clone(),
        policy: rules.policy.clone(),
        networking: rules.networking.clone().map(Into::into),
        length: ledger.len(run),
        sources: ledger.sources(run).map(str::to_owned).collect(),
        sources_in_view: ledger.sources_in_view(run),
        marks: ledger.mark_count(),
        told: ledger.told().to_f64(),
        id,
    }))
}

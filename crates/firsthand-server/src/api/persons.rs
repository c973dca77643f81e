//! What a person says: grants, and answers to questions.

use axum::Json;
use axum::extract::{Path, State as Shared};
use axum::http::StatusCode;
use firsthand::address::Asked as Address;
use firsthand::conversation::{Body as ItemBody, Item, Scope as GrantScope};
use firsthand_wire::format::own;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use utoipa::ToSchema;

use super::input::{Body, Known};
use super::problem::Problem;
use super::state::State;
use crate::clock;
use crate::decide::state as state_of;
use crate::failure::Failure;
use crate::key::new_id;
use crate::sessions::{At, Sent};
use crate::token::Scope;

/// A person's yes to exactly one address.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Grant {
    /// The address.
    address: String,
    /// `once`, `run` or `until`.
    scope: String,
    /// When its time is over, in seconds since 1970 (UTC), where the scope is `until`.
    until: Option<i64>,
}

/// A grant that was recorded.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Granted {
    /// How many items the session has.
    length: usize,
}

/// Records a person's yes to one address. It opens that address and nothing derived of it.
#[utoipa::path(post, path = "/v1/sessions/{id}/grants", tag = "persons", params(("id" = String, Path, description = "The session")), request_body = Grant, responses(
    (status = 201, description = "The yes is durable", body = Granted),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn grant(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(grant): Body<Grant>,
) -> Result<(StatusCode, Json<Granted>), Problem> {
    let caller = caller.with(&[Scope::Person])?;
    let held = state.held(&caller, &id).await?;
    let Grant { address, scope, until } = grant;
    let scope = match (scope.as_str(), until) {
        ("once", None) => GrantScope::Once,
        ("run", None) => GrantScope::Run,
        ("until", Some(until)) => GrantScope::Until(until),
        ("until", None) => {
            return Err(Problem::malformed("`until`: expected seconds since 1970 with the scope `until`"));
        }
        ("once" | "run", Some(_)) => return Err(Problem::malformed("found `until` with another scope than `until`")),
        (_, _) => return Err(Problem::malformed("`scope`: expected `once`, `run` or `until`")),
    };
    let Ok(asked) = Address::parse(&address) else {
        return Err(Problem::malformed("`address`: expected an address of the web in its plain spelling"));
    };
    let body = ItemBody::Grant { address: asked.address().reveal().into(), scope };
    let line = own::write_items(&[Item::new("", body)]).map_err(|error| Problem::malformed(error.to_string()))?;
    let item = RawValue::from_string(line.trim_end().to_owned()).map_err(|_| state.problem(Failure::Lost))?;
    let entry = Sent { id: new_id("own_").map_err(Failure::from)?, item };
    let grown = state.sessions.append(&held, At::TheEnd, own::FORMAT.name, vec![entry], true).await;
    let grown = grown.map_err(|failure| state.problem(failure))?;
    Ok((StatusCode::CREATED, Json(Granted { length: grown.length })))
}

/// A question to a person.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Question {
    /// Its id.
    ask: String,
    /// `waiting`, `yes`, `no`, `spent` (a yes that was used) or `expired`, which counts as no.
    state: &'static str,
    /// When it was asked, in milliseconds since 1970 (UTC).
    created: i64,
    /// Until when it waits, and a yes counts.
    expires: i64,
    /// The call: its id, tool, server and arguments. It holds addresses.
    #[schema(value_type = Object)]
    call: Box<RawValue>,
    /// The verdict: the object of `check`.
    #[schema(value_type = Object)]
    verdict: Box<RawValue>,
}

/// The questions of a session.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Questions {
    /// The questions, the oldest first.
    asks: Vec<Question>,
}

/// The questions of a session to a person, the oldest first.
#[utoipa::path(get, path = "/v1/sessions/{id}/asks", tag = "persons", params(("id" = String, Path, description = "The session")), responses(
    (status = 200, description = "The questions", body = Questions),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn asks(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
) -> Result<Json<Questions>, Problem> {
    let caller = caller.with(&[Scope::Loop, Scope::Person, Scope::Admin])?;
    let held = state.held(&caller, &id).await?;
    let tree = held.tree()?;
    let now = tree.now(clock::now());
    let asks = tree.asks(&id).map(|ask| Question {
        ask: ask.question.ask.clone(),
        state: state_of(ask, now),
        created: ask.created,
        expires: ask.question.expires,
        call: ask.question.call.clone(),
        verdict: ask.question.verdict.clone(),
    });
    Ok(Json(Questions { asks: asks.collect() }))
}

/// A person's answer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct PersonsAnswer {
    /// Whether the call may be made: the whole call, once.
    yes: bool,
}

/// What came of a question.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Answered {
    /// `yes` or `no`.
    state: &'static str,
}

/// Answers a question. A yes holds for the very call that was asked about, once: the loop asks again and gets `open`.
#[utoipa::path(post, path = "/v1/sessions/{id}/asks/{ask}", tag = "persons", params(("id" = String, Path, description = "The session"), ("ask" = String, Path, description = "The question")), request_body = PersonsAnswer, responses(
    (status = 200, description = "The answer is durable", body = Answered),
    (status = 409, description = "It has its answer, or its time is over", body = Problem, content_type = "application/problem+json"),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn answer(
    Shared(state): Shared<State>,
    caller: Known,
    Path((id, ask)): Path<(String, String)>,
    Body(PersonsAnswer { yes }): Body<PersonsAnswer>,
) -> Result<Json<Answered>, Problem> {
    let caller = caller.with(&[Scope::Person])?;
    let held = state.held(&caller, &id).await?;
    state.sessions.answer(&held, &ask, yes).await.map_err(|failure| state.problem(failure))?;
    Ok(Json(Answered { state: if yes { "yes" } else { "no" } }))
}

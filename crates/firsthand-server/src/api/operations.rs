//! What operators look at.

use axum::Json;
use axum::extract::{Query, State as Shared};
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse as _, Response};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::atomic::Ordering;
use utoipa::{IntoParams, ToSchema};

use super::input::{self, Known};
use super::problem::Problem;
use super::state::State;
use crate::store::{By, Wanted};
use crate::token::Scope;

/// Which refusals are wanted.
#[derive(Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
pub(super) struct Filter {
    /// Not before, in milliseconds since 1970 (UTC).
    from: Option<i64>,
    /// Before.
    to: Option<i64>,
    /// The reason's code.
    reason: Option<String>,
    /// The tool by its name in the policy.
    tool: Option<String>,
    /// The session.
    session: Option<String>,
    /// How many to pass over.
    skip: Option<u64>,
    /// How many at most, 100 where it is not said, 1,000 at most.
    #[param(minimum = 1, maximum = 1000)]
    limit: Option<u64>,
}

/// A line of the log.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Line {
    /// When, in milliseconds since 1970 (UTC).
    time: i64,
    /// The session.
    session: String,
    /// The line: what a log may know of the decision, without the address.
    #[schema(value_type = Object)]
    line: Box<RawValue>,
}

/// How often.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Count {
    /// Of what; empty where the line has none.
    of: String,
    /// How many lines.
    count: u64,
}

/// What did not open.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Refusals {
    /// The lines, the youngest first.
    refusals: Vec<Line>,
    /// How many there are of each reason.
    by_reason: Vec<Count>,
    /// How many there are of each tool.
    by_tool: Vec<Count>,
    /// How many there are of each host, as far as a log may know it.
    by_host: Vec<Count>,
}

/// The decisions that did not open, the youngest first, with counts.
#[utoipa::path(get, path = "/v1/refusals", tag = "operations", params(Filter), responses(
    (status = 200, description = "The refusals", body = Refusals),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn refusals(
    Shared(state): Shared<State>,
    caller: Known,
    filter: Result<Query<Filter>, axum::extract::rejection::QueryRejection>,
) -> Result<Json<Refusals>, Problem> {
    let caller = caller.with(&[Scope::Admin])?;
    let Query(filter) = filter.map_err(|_| Problem::malformed("found a query that is not taken"))?;
    let Filter { from, to, reason, tool, session, skip, limit } = filter;
    let wanted = Wanted { from, to, reason, tool, host: None, session };
    let (store, tenant) = (state.sessions.store(), caller.tenant.as_str());
    let lines = store.refusals(tenant, &wanted, skip.unwrap_or(0), input::page(limit)?).await;
    let lines = lines.map_err(|error| state.problem(error.into()))?;
    let counts = async |by| {
        let counts = store.counts(tenant, &wanted, by, 100).await.map_err(|error| state.problem(error.into()))?;
        Ok::<_, Problem>(counts.into_iter().map(|(of, count)| Count { of, count }).collect())
    };
    let refusals = lines.into_iter().filter_map(|refusal| {
        let line = RawValue::from_string(refusal.line).ok()?;
        Some(Line { time: refusal.time, session: refusal.session, line })
    });
    Ok(Json(Refusals {
        refusals: refusals.collect(),
        by_reason: counts(By::Reason).await?,
        by_tool: counts(By::Tool).await?,
        by_host: counts(By::Host).await?,
    }))
}

/// What the server counts, for Prometheus (OpenMetrics 1.0).
#[utoipa::path(get, path = "/metrics", tag = "operations", responses(
    (status = 200, description = "The counts", body = String, content_type = "application/openmetrics-text"),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn metrics(Shared(state): Shared<State>, caller: Known) -> Result<Response, Problem> {
    caller.with(&[Scope::Admin])?;
    let text = state.metrics.text(state.sessions.in_memory());
    let kind = HeaderValue::from_static("application/openmetrics-text; version=1.0.0; charset=utf-8");
    Ok(([(header::CONTENT_TYPE, kind)], text).into_response())
}

/// How the server does.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Health {
    /// `ok`.
    status: &'static str,
}

/// Whether the process answers.
#[utoipa::path(get, path = "/healthz", tag = "operations", security(()), responses((status = 200, description = "It does", body = Health)))]
pub(super) async fn healthz() -> Json<Health> {
    Json(Health { status: "ok" })
}

/// Whether the server takes requests: its database can be used and its tables are those of this program.
#[utoipa::path(get, path = "/readyz", tag = "operations", security(()), responses(
    (status = 200, description = "It does", body = Health),
    (status = 503, description = "It does not", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn readyz(Shared(state): Shared<State>) -> Result<Json<Health>, Problem> {
    if state.ending.load(Ordering::Relaxed) {
        return Err(Problem::new(StatusCode::SERVICE_UNAVAILABLE, "ending", "the server ends"));
    }
    state.sessions.store().ready().await.map_err(|error| state.problem(error.into()))?;
    Ok(Json(Health { status: "ok" }))
}

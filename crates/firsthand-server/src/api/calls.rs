//! Calls: the verdict, and what comes of those that open.

use axum::Json;
use axum::body::Body as Stream;
use axum::extract::{Path, State as Shared};
use axum::http::{HeaderValue, header};
use axum::response::{IntoResponse as _, Response};
use firsthand::conversation::{Content, Producer, Ran, ToolResult};
use firsthand_log::{Entry, Surface};
use firsthand_mask::signed::Setting;
use firsthand_wire::call::{Asked, check_once};
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use tokio_util::io::ReaderStream;
use utoipa::ToSchema;

use super::input::{Body, Known};
use super::problem::Problem;
use super::shape::{Call, CheckTold, FetchTold};
use super::state::State;
use crate::clock;
use crate::decide::{Decided, Said};
use crate::failure::Failure;
use crate::leave::Part;
use crate::sessions::Held;
use crate::token::{Caller, Scope};

/// How much of a page is given where nobody says, in bytes.
const PART: usize = 100_000;

/// A call that is asked about.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Check {
    /// How many items of the session the caller knows of. A ledger with fewer refuses.
    length: usize,
    /// The call.
    #[schema(value_type = Call)]
    call: Box<RawValue>,
    /// Whether the caller sends the `send` of the verdict in the place of its own spelling. It does where nothing is said.
    rewrites: Option<bool>,
    /// Whether a person can be asked, although the session's seat does not say so.
    person: Option<bool>,
}

/// The verdict on a call made now. A refusal is an answer like any other.
#[utoipa::path(post, path = "/v1/sessions/{id}/check", tag = "calls", params(("id" = String, Path, description = "The session")), request_body = Check, responses(
    (status = 200, description = "The verdict", body = CheckTold),
    (status = "default", description = "No answer: nothing opens", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn check(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(check): Body<Check>,
) -> Result<Json<CheckTold>, Problem> {
    let caller = caller.with(&[Scope::Loop])?;
    let held = state.held(&caller, &id).await?;
    let Check { length, call, rewrites, person } = check;
    let call = asked(&call)?;
    let said =
        Said { length, rewrites: rewrites.unwrap_or(true), person: person.unwrap_or(false), surface: Surface::Check };
    let decided = decide(&state, &caller, &held, &call, &said).await?;
    Ok(Json(CheckTold::of(decided.answer, decided.length, decided.ask)))
}

fn asked(call: &RawValue) -> Result<Asked, Problem> {
    Asked::read(call.get()).map_err(|error| Problem::malformed(format!("`call`: {error}")))
}

async fn decide(state: &State, caller: &Caller, held: &Held, call: &Asked, said: &Said) -> Result<Decided, Problem> {
    let decided = state.sessions.decide(held, call, said).await.map_err(|failure| state.problem(failure))?;
    state.decided(caller, held, &decided, said.surface.name()).await;
    Ok(decided)
}

/// The verdict on a call of a conversation that the request holds.
#[utoipa::path(post, path = "/v1/check", tag = "calls", request_body(content = Object, description = "What the library's `check_once` reads: `policy`, `format`, `conversation`, `parents`, `earlier`, `call`, `rewrites`, `person`, `now`"), responses(
    (status = 200, description = "The verdict: the object of `firsthand check`", body = Object),
    (status = "default", description = "No answer: nothing opens", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn check_alone(
    Shared(state): Shared<State>,
    caller: Known,
    Body(request): Body<Box<RawValue>>,
) -> Result<Response, Problem> {
    caller.with(&[Scope::Loop])?;
    let answer = tokio::task::spawn_blocking(move || check_once(request.get())).await;
    let answer = answer.map_err(|_| state.problem(Failure::Lost))?;
    #[derive(Deserialize)]
    struct Told {
        error: Option<Error>,
        verdict: Option<String>,
        reason: Option<String>,
    }
    #[derive(Deserialize)]
    struct Error {
        message: String,
    }
    let Ok(Told { error, verdict, reason }) = serde_json::from_str(&answer) else {
        return Err(state.problem(Failure::Lost));
    };
    if let Some(Error { message }) = error {
        return Err(Problem::malformed(message));
    }
    let verdict = match verdict.as_deref() {
        Some("open") => "open",
        Some("ask") => "ask",
        Some(_) | None => "refuse",
    };
    state.metrics.decided(verdict, reason.as_deref(), Surface::Check.name());
    Ok(([(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))], answer).into_response())
}

/// A call that is to be opened.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Fetch {
    /// How many items of the session the caller knows of. A ledger with fewer refuses.
    length: usize,
    /// The call, with its arguments. It and its result are appended to the session.
    #[schema(value_type = Call)]
    call: Box<RawValue>,
    /// Whether a person can be asked, although the session's seat does not say so.
    person: Option<bool>,
    /// Where the part of the text begins, in bytes.
    offset: Option<usize>,
    /// How long the part is at most, in bytes.
    limit: Option<usize>,
}

/// What came of a call.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Fetched {
    /// The verdict; `length` is how many items the session has, with the call and its result.
    #[serde(flatten)]
    verdict: CheckTold,
    /// What came of each address; empty where the call stays closed.
    results: Vec<FetchTold>,
}

/// Opens what a call names, if it may be opened: all its addresses or none. The call and its result are appended.
#[utoipa::path(post, path = "/v1/sessions/{id}/fetch", tag = "calls", params(("id" = String, Path, description = "The session")), request_body = Fetch, responses(
    (status = 200, description = "The verdict, and what came", body = Fetched),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn fetch(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(fetch): Body<Fetch>,
) -> Result<Json<Fetched>, Problem> {
    let caller = caller.with(&[Scope::Loop])?;
    let held = state.held(&caller, &id).await?;
    let Fetch { length, call, person, offset, limit } = fetch;
    let call = with_arguments(&call)?;
    let said = Said { length, rewrites: true, person: person.unwrap_or(false), surface: Surface::Fetch };
    let mut decided = decide(&state, &caller, &held, &call, &said).await?;
    let Some(permit) = decided.permit.take() else {
        let verdict = CheckTold::of(decided.answer, decided.length, decided.ask);
        return Ok(Json(Fetched { verdict, results: Vec::new() }));
    };
    let part = Part { offset: offset.unwrap_or(0), limit: limit.unwrap_or(PART).max(1) };
    // What was begun is finished and recorded, whether or not anybody waits for it.
    let (shared, session, asked) = (state.clone(), held.clone(), call);
    let answer = decided.answer.clone();
    let fetched =
        tokio::spawn(
            async move { shared.sessions.fetch(&session, &asked, (permit, &answer), &shared.way, part).await },
        );
    let fetched = fetched.await.unwrap_or(Err(Failure::Lost)).map_err(|failure| state.problem(failure))?;
    keep(&state, &caller, &held, &fetched.lines).await;
    let verdict = CheckTold::of(decided.answer, fetched.length, None);
    Ok(Json(Fetched { verdict, results: fetched.results.into_iter().map(FetchTold::from).collect() }))
}

fn with_arguments(call: &RawValue) -> Result<Asked, Problem> {
    let call = asked(call)?;
    match call.urls() {
        None => Ok(call),
        Some(_) => Err(Problem::malformed("`call`: found `urls`; expected `arguments`, which the record keeps")),
    }
}

async fn keep(state: &State, caller: &Caller, held: &Held, lines: &[Entry]) {
    for line in lines {
        state.refusals.keep(&caller.tenant, held.id(), clock::now(), line).await;
    }
}

/// Saves what a call names, if it may be opened, and gives its bytes. The call, and that it was saved, are appended.
#[utoipa::path(post, path = "/v1/sessions/{id}/download", tag = "calls", params(("id" = String, Path, description = "The session")), request_body = Fetch, responses(
    (status = 200, description = "The bytes (`application/octet-stream`); or, as JSON, why there are none", body = Fetched),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn download(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(fetch): Body<Fetch>,
) -> Result<Response, Problem> {
    let caller = caller.with(&[Scope::Loop])?;
    let held = state.held(&caller, &id).await?;
    let Fetch { length, call, person, offset: _, limit: _ } = fetch;
    let call = with_arguments(&call)?;
    let said = Said { length, rewrites: true, person: person.unwrap_or(false), surface: Surface::Download };
    let mut decided = decide(&state, &caller, &held, &call, &said).await?;
    let permit = match decided.permit.take() {
        Some(permit) if permit.addresses().len() == 1 => permit,
        Some(_) => return Err(Problem::malformed("`call`: found several addresses; expected one to download")),
        None => {
            let verdict = CheckTold::of(decided.answer, decided.length, decided.ask);
            return Ok(Json(Fetched { verdict, results: Vec::new() }).into_response());
        }
    };
    let folder = tempfile::tempdir().map_err(|_| state.problem(Failure::Lost))?;
    let (shared, session, answer) = (state.clone(), held.clone(), decided.answer.clone());
    let path = folder.path().to_owned();
    let saved =
        tokio::spawn(
            async move { shared.sessions.download(&session, &call, (permit, &answer), &shared.way, &path).await },
        );
    let saved = saved.await.unwrap_or(Err(Failure::Lost)).map_err(|failure| state.problem(failure))?;
    keep(&state, &caller, &held, &saved.lines).await;
    let Some(file) = saved.answer.path.clone() else {
        let verdict = CheckTold::of(decided.answer, saved.length, None);
        return Ok(Json(Fetched { verdict, results: vec![saved.answer.into()] }).into_response());
    };
    let opened = tokio::fs::File::open(&file).await.map_err(|_| state.problem(Failure::Lost))?;
    // The open file outlives its name.
    drop(folder);
    let name = std::path::Path::new(&file).file_name().map(|name| name.to_string_lossy().into_owned());
    let name = firsthand_fetch::save::safe_name(&name.unwrap_or_default());
    let ascii: String = name.chars().filter(|one| one.is_ascii_graphic() && !matches!(one, '"' | '\\')).collect();
    let disposition = format!("attachment; filename=\"{ascii}\"");
    let mut response = Stream::from_stream(ReaderStream::new(opened)).into_response();
    let headers = response.headers_mut();
    headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/octet-stream"));
    headers.insert(header::CONTENT_LENGTH, HeaderValue::from(saved.answer.bytes));
    if let Ok(value) = HeaderValue::from_str(&disposition) {
        headers.insert(header::CONTENT_DISPOSITION, value);
    }
    headers.insert("firsthand-length", HeaderValue::from(saved.length));
    Ok(response)
}

/// A result that is about to be appended.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Mask {
    /// The call that it is the result of, by its id in the session.
    call: Option<String>,
    /// The tool, where there is no such call.
    tool: Option<String>,
    /// The server that offers the tool.
    server: Option<String>,
    /// The result as text.
    text: Option<String>,
    /// The result as JSON.
    #[schema(value_type = Option<serde_json::Value>)]
    json: Option<Box<RawValue>>,
    /// Parameters whose names and values look like credentials are masked whoever serves them. It has false hits.
    generic: Option<bool>,
}

/// A masked result.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Masked {
    /// How many places were masked.
    masked: usize,
    /// How many of them by who serves the address.
    by_provider: std::collections::BTreeMap<String, usize>,
    /// The references that can be opened, in the order in which they were made.
    references: Vec<String>,
    /// How many of the references can never be opened.
    dead: usize,
    /// The masked result, where it is text.
    text: Option<String>,
    /// The masked result, where it is JSON.
    #[schema(value_type = Option<serde_json::Value>)]
    json: Option<Box<RawValue>>,
}

/// Masks the addresses of a result that carry their own permission. The caller appends what comes back.
#[utoipa::path(post, path = "/v1/sessions/{id}/mask", tag = "calls", params(("id" = String, Path, description = "The session")), request_body = Mask, responses(
    (status = 200, description = "The masked result", body = Masked),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn mask(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(mask): Body<Mask>,
) -> Result<Json<Masked>, Problem> {
    let caller = caller.with(&[Scope::Loop])?;
    let held = state.held(&caller, &id).await?;
    let Mask { call, tool, server, text, json, generic } = mask;
    let from = match (call, tool) {
        (Some(call), None) => Producer::Call(call),
        (None, Some(tool)) => Producer::Named { server, tool, ran: Ran::Client },
        (Some(_), Some(_)) | (None, None) => return Err(Problem::malformed("expected either `call` or `tool`")),
    };
    let is_json = json.is_some();
    let content = match (text, json) {
        (Some(text), None) => Content::Text(text.into()),
        (None, Some(json)) => Content::Json(json.get().into()),
        (Some(_), Some(_)) | (None, None) => return Err(Problem::malformed("expected either `text` or `json`")),
    };
    let result = ToolResult { from, content, is_error: false, mime: None, redirects: Vec::new() };
    let setting = Setting { generic: generic.unwrap_or(false) };
    let done = state.sessions.mask(&held, result, Vec::new(), setting).await;
    let done = done.map_err(|failure| state.problem(failure))?;
    let Some(masked) = done.texts.into_iter().next() else { return Err(state.problem(Failure::Lost)) };
    let by_provider = masked.by_provider.iter().map(|(name, count)| ((*name).to_owned(), *count)).collect();
    let places = masked.by_provider.values().sum();
    let (text, json) = match is_json {
        true => (None, Some(RawValue::from_string(masked.text).map_err(|_| state.problem(Failure::Lost))?)),
        false => (Some(masked.text), None),
    };
    let (references, dead) = (done.references, done.dead);
    Ok(Json(Masked { masked: places, by_provider, references, dead, text, json }))
}

//! What comes in: who calls, and the body.

use axum::body::Bytes;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, StatusCode, header};
use serde::de::DeserializeOwned;

use super::problem::Problem;
use super::state::State;
use crate::clock;
use crate::failure::Failure;
use crate::token::{Caller, Scope};

/// A caller with a token that may do at least one thing.
#[derive(Clone, Debug)]
pub(super) struct Known(pub(super) Caller);

impl Known {
    /// The caller, where one of the scopes is hers.
    pub(super) fn with(self, any: &[Scope]) -> Result<Caller, Problem> {
        let Self(caller) = self;
        if any.iter().any(|scope| caller.scopes.contains(scope)) {
            return Ok(caller);
        }
        let names: Vec<String> = any.iter().map(|scope| format!("`{}`", scope.name())).collect();
        Err(Problem::forbidden(format!("this needs a token of the scope {}", names.join(" or "))))
    }
}

impl FromRequestParts<State> for Known {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &State) -> Result<Self, Problem> {
        let unknown = |why: &str| Problem::new(StatusCode::UNAUTHORIZED, "unauthorized", why);
        let token = bearer(&parts.headers).ok_or_else(|| unknown("expected a token in `Authorization: Bearer`"))?;
        let caller = state.tokens.caller(token, clock::now()).await.map_err(Failure::from);
        let caller = caller.inspect_err(|_| state.metrics.store_failed())?;
        let caller = caller.ok_or_else(|| unknown("the token is unknown, or its time is over"))?;
        if state.rate.as_ref().is_some_and(|rate| rate.check_key(&caller.token).is_err()) {
            return Err(Failure::TooMany("requests of this token in a second").into());
        }
        Ok(Self(caller))
    }
}

fn bearer(headers: &HeaderMap) -> Option<&str> {
    let mut values = headers.get_all(header::AUTHORIZATION).iter();
    let (Some(value), None) = (values.next(), values.next()) else { return None };
    let (scheme, token) = value.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// How many entries a page of a list has: 100 where nobody says, 1,000 at most.
pub(super) fn page(limit: Option<u64>) -> Result<u64, Problem> {
    match limit.unwrap_or(100) {
        limit @ 1..=1000 => Ok(limit),
        _ => Err(Problem::malformed("`limit`: expected 1 to 1000")),
    }
}

/// A JSON body. Keys that are not known are errors.
#[derive(Debug)]
pub(super) struct Body<T>(pub(super) T);

impl<T: DeserializeOwned> FromRequest<State> for Body<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, state: &State) -> Result<Self, Problem> {
        let kind = request.headers().get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
        let is_json = kind.is_some_and(|kind| {
            let essence = kind.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
            essence == "application/json" || essence.starts_with("application/") && essence.ends_with("+json")
        });
        if !is_json {
            let why = "expected a body of the type `application/json`";
            return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", why));
        }
        let bytes = Bytes::from_request(request, state).await.map_err(|error| {
            let status = error.status();
            let code = if status == StatusCode::PAYLOAD_TOO_LARGE { "too_large" } else { "malformed" };
            Problem::new(status, code, "the body is too long, or it ended early")
        })?;
        let Ok(text) = std::str::from_utf8(&bytes) else {
            return Err(Problem::malformed("found bytes that are not UTF-8; expected JSON in UTF-8"));
        };
        // A list would be taken for an object whose keys were left out.
        if !text.trim_start().starts_with('{') {
            return Err(Problem::malformed("line 1 column 1: expected a JSON object"));
        }
        serde_json::from_str(text).map(Self).map_err(|error| Problem::malformed(told(&error)))
    }
}

/// What is wrong with a body, by its place. What stands there is not repeated.
fn told(error: &serde_json::Error) -> String {
    let (line, column) = (error.line(), error.column());
    let what = match error.classify() {
        serde_json::error::Category::Eof => "the JSON ends early".to_owned(),
        serde_json::error::Category::Syntax | serde_json::error::Category::Io => "found no JSON".to_owned(),
        serde_json::error::Category::Data => data(&error.to_string()),
    };
    format!("line {line} column {column}: {what}")
}

/// What kind of data is wrong, without what stood there.
fn data(error: &str) -> String {
    let expected = |from: &str| error.find(from).and_then(|at| error.get(at..)).map(str::to_owned);
    let without_place = |text: String| text.split(" at line ").next().unwrap_or_default().to_owned();
    if let Some(field) = error.strip_prefix("missing field ") {
        return format!("expected the key {}", without_place(field.to_owned()));
    }
    if error.starts_with("unknown field") {
        return format!(
            "found a key that is not known; {}",
            expected("expected").map(without_place).unwrap_or_default()
        );
    }
    expected("expected").map(without_place).unwrap_or_else(|| "found a value that is not taken here".to_owned())
}

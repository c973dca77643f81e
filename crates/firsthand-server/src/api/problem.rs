//! Errors as HTTP tells them: the only place with status codes.

use axum::Json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use serde::Serialize;
use utoipa::ToSchema;

use crate::failure::Failure;
use crate::store::StoreError;

/// Why a request has no answer (RFC 9457). Whoever gets one opens nothing.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Problem {
    /// Always `about:blank`: `code` tells problems apart.
    #[serde(rename = "type")]
    kind: &'static str,
    /// What the status means.
    title: String,
    /// The status.
    status: u16,
    /// The kind of problem, for programs.
    code: &'static str,
    /// What was found and what was expected. It holds no text of a conversation.
    detail: String,
    /// How many items the session has, where that is the problem.
    #[serde(skip_serializing_if = "Option::is_none")]
    length: Option<usize>,
}

impl Problem {
    /// A problem of a kind.
    pub(crate) fn new(status: StatusCode, code: &'static str, detail: impl Into<String>) -> Self {
        let title = status.canonical_reason().unwrap_or_default().to_owned();
        Self { kind: "about:blank", title, status: status.as_u16(), code, detail: detail.into(), length: None }
    }

    /// The body is not what it should be.
    pub(super) fn malformed(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::BAD_REQUEST, "malformed", detail)
    }

    /// The caller may not do this.
    pub(super) fn forbidden(detail: impl Into<String>) -> Self {
        Self::new(StatusCode::FORBIDDEN, "forbidden", detail)
    }
}

impl From<Failure> for Problem {
    fn from(failure: Failure) -> Self {
        let detail = failure.to_string();
        match failure {
            Failure::NotFound => Self::new(StatusCode::NOT_FOUND, "not_found", detail),
            Failure::Malformed(_) => Self::malformed(detail),
            Failure::Forbidden(_) => Self::forbidden(detail),
            Failure::Conflict { length, .. } => {
                Self { length: Some(length), ..Self::new(StatusCode::CONFLICT, "conflict", detail) }
            }
            Failure::TooMany(_) => Self::new(StatusCode::TOO_MANY_REQUESTS, "too_many", detail),
            Failure::Busy => Self::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail),
            Failure::Store(StoreError::Unsupported(why)) => Self::malformed(why),
            Failure::Store(_) => Self::new(StatusCode::SERVICE_UNAVAILABLE, "database", detail),
            Failure::Broken(_) => Self::new(StatusCode::SERVICE_UNAVAILABLE, "unreadable", detail),
            Failure::Lost => Self::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", detail),
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let status = StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
        let mut response = (status, Json(self)).into_response();
        let headers = response.headers_mut();
        headers.insert(header::CONTENT_TYPE, HeaderValue::from_static("application/problem+json"));
        if status == StatusCode::UNAUTHORIZED {
            headers.insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer"));
        }
        if status == StatusCode::SERVICE_UNAVAILABLE || status == StatusCode::TOO_MANY_REQUESTS {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}

//! What a tenant keeps: shortcuts and documents.

use axum::Json;
use axum::extract::{Path, State as Shared};
use axum::http::StatusCode;
use firsthand_answer::shortcut::Shortcuts;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::collections::BTreeMap;
use utoipa::ToSchema;

use super::input::{Body, Known};
use super::problem::Problem;
use super::state::State;
use crate::failure::Failure;
use crate::store::Shelf;
use crate::token::Scope;

/// The longest name, in bytes.
const LONGEST_NAME: usize = 256;

/// A template of detail pages.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Shortcut {
    /// Its name.
    name: String,
    /// The address with its slots, as `https://erp.example/orders/{order_no}`.
    template: String,
    /// When to use it, for the model.
    description: String,
    /// Values of which an example is made.
    #[serde(default)]
    example: Option<BTreeMap<String, String>>,
    /// Regular expressions that whole values must match.
    #[serde(default)]
    patterns: Option<BTreeMap<String, String>>,
    /// Where it stands among the others: lower ones are tried first.
    #[serde(default)]
    order: i64,
    /// Whether it is used.
    #[serde(default = "yes")]
    enabled: bool,
}

fn yes() -> bool {
    true
}

/// The shortcuts of a tenant.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ShortcutList {
    /// In their order.
    shortcuts: Vec<Shortcut>,
}

/// The shortcuts of the tenant, in their order.
#[utoipa::path(get, path = "/v1/shortcuts", tag = "kept", responses(
    (status = 200, description = "The shortcuts", body = ShortcutList),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn shortcuts(Shared(state): Shared<State>, caller: Known) -> Result<Json<ShortcutList>, Problem> {
    let caller = caller.with(&[Scope::Loop, Scope::Person, Scope::Admin])?;
    Ok(Json(ShortcutList { shortcuts: all(&state, &caller.tenant).await? }))
}

/// Registers a shortcut, in the place of the one of its name.
#[utoipa::path(post, path = "/v1/shortcuts", tag = "kept", request_body = Shortcut, responses(
    (status = 201, description = "It is registered", body = Shortcut),
    (status = 400, description = "The rule is not taken; the problem says why", body = Problem, content_type = "application/problem+json"),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn register(
    Shared(state): Shared<State>,
    caller: Known,
    Body(shortcut): Body<Shortcut>,
) -> Result<(StatusCode, Json<Shortcut>), Problem> {
    let caller = caller.with(&[Scope::Admin])?;
    named(&shortcut.name)?;
    let mut enabled = shortcut.clone();
    enabled.enabled = true;
    rules(std::slice::from_ref(&enabled)).map_err(Problem::malformed)?;
    let there = all(&state, &caller.tenant).await?;
    if there.len() >= state.sessions.limits().shelf && there.iter().all(|known| known.name != shortcut.name) {
        return Err(state.problem(Failure::TooMany("shortcuts")));
    }
    let body = serde_json::to_string(&shortcut).map_err(|_| state.problem(Failure::Lost))?;
    let put = state.sessions.store().put(&caller.tenant, Shelf::Shortcuts, &shortcut.name, &body).await;
    put.map_err(|error| state.problem(error.into()))?;
    Ok((StatusCode::CREATED, Json(shortcut)))
}

/// Takes a shortcut away.
#[utoipa::path(delete, path = "/v1/shortcuts/{name}", tag = "kept", params(("name" = String, Path, description = "The shortcut")), responses(
    (status = 204, description = "It is gone"),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn unregister(
    Shared(state): Shared<State>,
    caller: Known,
    Path(name): Path<String>,
) -> Result<StatusCode, Problem> {
    removed(&state, caller, Shelf::Shortcuts, &name).await
}

/// A document that answers link to as `/documents/<id>`.
#[derive(Clone, Debug, Deserialize, Serialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Document {
    /// Its id.
    id: String,
    /// What it is called.
    name: String,
    /// Its text, for a preview.
    #[serde(default)]
    text: Option<String>,
}

/// The documents of a tenant.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DocumentList {
    /// By their ids, without their texts.
    documents: Vec<Document>,
}

/// The documents of the tenant, without their texts.
#[utoipa::path(get, path = "/v1/documents", tag = "kept", responses(
    (status = 200, description = "The documents", body = DocumentList),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn documents(Shared(state): Shared<State>, caller: Known) -> Result<Json<DocumentList>, Problem> {
    let caller = caller.with(&[Scope::Loop, Scope::Person, Scope::Admin])?;
    let kept = state.sessions.store().all(&caller.tenant, Shelf::Documents).await;
    let kept = kept.map_err(|error| state.problem(error.into()))?;
    let documents = kept.into_iter().filter_map(|(_, body)| serde_json::from_str::<Document>(&body).ok());
    Ok(Json(DocumentList { documents: documents.map(|document| Document { text: None, ..document }).collect() }))
}

/// Keeps a document, in the place of the one of its id.
#[utoipa::path(post, path = "/v1/documents", tag = "kept", request_body = Document, responses(
    (status = 201, description = "It is kept", body = Document),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn keep(
    Shared(state): Shared<State>,
    caller: Known,
    Body(document): Body<Document>,
) -> Result<(StatusCode, Json<Document>), Problem> {
    let caller = caller.with(&[Scope::Admin])?;
    named(&document.id)?;
    let store = state.sessions.store();
    let there = store.all(&caller.tenant, Shelf::Documents).await.map_err(|error| state.problem(error.into()))?;
    if there.len() >= state.sessions.limits().shelf && there.iter().all(|(id, _)| *id != document.id) {
        return Err(state.problem(Failure::TooMany("documents")));
    }
    let body = serde_json::to_string(&document).map_err(|_| state.problem(Failure::Lost))?;
    let put = store.put(&caller.tenant, Shelf::Documents, &document.id, &body).await;
    put.map_err(|error| state.problem(error.into()))?;
    Ok((StatusCode::CREATED, Json(document)))
}

/// A document with its text.
#[utoipa::path(get, path = "/v1/documents/{id}", tag = "kept", params(("id" = String, Path, description = "The document")), responses(
    (status = 200, description = "The document", body = Document),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn document(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
) -> Result<Json<Document>, Problem> {
    let caller = caller.with(&[Scope::Loop, Scope::Person, Scope::Admin])?;
    let kept = state.sessions.store().get(&caller.tenant, Shelf::Documents, &id).await;
    let kept = kept.map_err(|error| state.problem(error.into()))?.ok_or(Failure::NotFound)?;
    serde_json::from_str(&kept).map(Json).map_err(|_| state.problem(Failure::Lost))
}

/// Takes a document away.
#[utoipa::path(delete, path = "/v1/documents/{id}", tag = "kept", params(("id" = String, Path, description = "The document")), responses(
    (status = 204, description = "It is gone"),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn forget(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
) -> Result<StatusCode, Problem> {
    removed(&state, caller, Shelf::Documents, &id).await
}

async fn removed(state: &State, caller: Known, shelf: Shelf, name: &str) -> Result<StatusCode, Problem> {
    let caller = caller.with(&[Scope::Admin])?;
    let removed = state.sessions.store().remove(&caller.tenant, shelf, name).await;
    match removed.map_err(|error| state.problem(error.into()))? {
        true => Ok(StatusCode::NO_CONTENT),
        false => Err(state.problem(Failure::NotFound)),
    }
}

fn named(name: &str) -> Result<(), Problem> {
    let is_plain = !name.is_empty()
        && name.len() <= LONGEST_NAME
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'));
    match is_plain {
        true => Ok(()),
        false => Err(Problem::malformed("expected a name of 1 to 256 letters, digits, `-`, `_` and `.`")),
    }
}

async fn all(state: &State, tenant: &str) -> Result<Vec<Shortcut>, Problem> {
    let kept = state.sessions.store().all(tenant, Shelf::Shortcuts).await;
    let kept = kept.map_err(|error| state.problem(error.into()))?;
    let mut all: Vec<Shortcut> = kept.into_iter().filter_map(|(_, body)| serde_json::from_str(&body).ok()).collect();
    all.sort_by(|one, other| (one.order, &one.name).cmp(&(other.order, &other.name)));
    Ok(all)
}

/// The shortcuts of a tenant that are used, as answers are finished with them.
pub(super) async fn shortcuts_of(state: &State, tenant: &str) -> Result<Shortcuts, Problem> {
    rules(&all(state, tenant).await?).map_err(Problem::malformed)
}

/// The rules of shortcuts, read from a file of them.
fn rules(shortcuts: &[Shortcut]) -> Result<Shortcuts, String> {
    let rules: Vec<Value> = shortcuts
        .iter()
        .filter(|shortcut| shortcut.enabled)
        .map(|shortcut| {
            let mut rule = serde_json::json!({
                "name": shortcut.name, "template": shortcut.template, "description": shortcut.description,
            });
            for (key, values) in [("example", &shortcut.example), ("patterns", &shortcut.patterns)] {
                if let (Some(values), Some(rule)) = (values, rule.as_object_mut()) {
                    rule.insert(key.to_owned(), serde_json::json!(values));
                }
            }
            rule
        })
        .collect();
    let file = toml::to_string(&serde_json::json!({ "shortcut": rules })).map_err(|error| error.to_string())?;
    Shortcuts::read(&file).map_err(|error| error.to_string())
}

//! What is told of addresses: the sources of an answer, and the story of one address.

use axum::Json;
use axum::extract::{Path, State as Shared};
use firsthand::conversation::Conversation;
use firsthand_answer::carried::{Report, carry_over};
use firsthand_answer::emit::{Emitted, Shape, emit};
use firsthand_answer::seen::known;
use firsthand_answer::shortcut::Shortcuts;
use firsthand_answer::{Given, finish, finish_with_html, html};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use utoipa::ToSchema;

use super::input::{Body, Known};
use super::problem::Problem;
use super::shape::SightingTold;
use super::shelf;
use super::state::State;
use crate::failure::Failure;
use crate::token::Scope;
use crate::tree::Tree;

/// A finished answer.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Answer {
    /// The answer as the model wrote it.
    markdown: String,
    /// The reports of the researchers whose links it should carry over.
    #[serde(default)]
    reports: Vec<ReportSent>,
    /// A shape of others besides the record: `openai`, `openai_chat`, `anthropic`, `gemini`, `ai_sdk`, `perplexity`,
    /// `langchain`, `langchain_js`, `markdown`, `csv`, `csl_json`, `bibtex` or `ris`.
    emit: Option<String>,
    /// Whether the answer is wanted as HTML too.
    html: Option<bool>,
}

/// A report of a researcher.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ReportSent {
    /// What it is called.
    name: String,
    /// Its text.
    markdown: String,
}

/// The sources of an answer.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Sources {
    /// The record: the finished text, and every source with its places.
    #[schema(value_type = Object)]
    record: Value,
    /// The record in the shape that was asked for.
    emitted: Option<Value>,
    /// The answer and its list as HTML that is safe to show, where it was asked for.
    html: Option<String>,
    /// Which links of the reports the answer leaves out, where there are reports.
    carried: Option<Value>,
    /// What is broken in the text, a sentence each.
    problems: Vec<String>,
}

/// The finished answer and its sources, with the titles of this turn's results.
#[utoipa::path(post, path = "/v1/sessions/{id}/sources", tag = "answers", params(("id" = String, Path, description = "The session")), request_body = Answer, responses(
    (status = 200, description = "The sources", body = Sources),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn sources(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(answer): Body<Answer>,
) -> Result<Json<Sources>, Problem> {
    let caller = caller.with(&[Scope::Loop])?;
    let held = state.held(&caller, &id).await?;
    let shape = answer.emit.as_deref().map(|name| {
        let known = SHAPES.iter().find(|(known, _)| *known == name);
        known.map(|(_, shape)| *shape).ok_or_else(|| Problem::malformed("`emit`: expected the name of a shape"))
    });
    let shape = shape.transpose()?;
    let shortcuts = shelf::shortcuts_of(&state, &caller.tenant).await?;
    let events = state.sessions.events(&held).await.map_err(|failure| state.problem(failure))?;
    let policy = {
        let tree = held.tree()?;
        std::sync::Arc::clone(tree.session(&id).ok_or(Failure::NotFound)?.policy())
    };
    let session = id.clone();
    let told = tokio::task::spawn_blocking(move || {
        let all = Tree::conversations(&session, &events)?;
        Ok::<_, Failure>(told(&answer, shape, &all, &shortcuts, &policy))
    });
    let told = told.await.unwrap_or(Err(Failure::Lost)).map_err(|failure| state.problem(failure))?;
    if let Some(missing) = told.carried.as_ref().and_then(|carried| carried.get("not_carried_over")) {
        let (missing, total) = (missing.as_array().map_or(0, Vec::len), told.carried.as_ref());
        let total = total.and_then(|carried| carried.get("total")).and_then(Value::as_u64).unwrap_or_default();
        tracing::info!(target: "firsthand::carried", session = id, total, missing);
    }
    Ok(Json(told))
}

const SHAPES: [(&str, Shape); 14] = [
    ("native", Shape::Native),
    ("openai", Shape::OpenAi),
    ("openai_chat", Shape::OpenAiChat),
    ("anthropic", Shape::Anthropic),
    ("gemini", Shape::Gemini),
    ("ai_sdk", Shape::AiSdk),
    ("perplexity", Shape::Perplexity),
    ("langchain", Shape::LangChain),
    ("langchain_js", Shape::LangChainJs),
    ("markdown", Shape::Markdown),
    ("csv", Shape::Csv),
    ("csl_json", Shape::CslJson),
    ("bibtex", Shape::BibTex),
    ("ris", Shape::Ris),
];

fn told(
    answer: &Answer,
    shape: Option<Shape>,
    family: &[Conversation],
    shortcuts: &Shortcuts,
    policy: &firsthand::policy::Policy,
) -> Sources {
    let shortcuts = Some(shortcuts);
    let markdown = answer.markdown.as_str();
    let first = finish(markdown, &Given { shortcuts, ..Given::default() });
    let family: Vec<&Conversation> = family.iter().collect();
    let known = known(&family, markdown, &first.links, policy);
    let reports: Vec<Report<'_>> =
        answer.reports.iter().map(|report| Report { name: &report.name, markdown: &report.markdown }).collect();
    let carried = (!reports.is_empty()).then(|| carry_over(&first.links, &reports));
    let not_carried_over =
        carried.as_ref().map(|carried| u64::try_from(carried.not_carried_over.len()).unwrap_or(u64::MAX));
    let given = Given { known: &known, shortcuts, not_carried_over };
    let (finished, page) = match answer.html.unwrap_or(false) {
        true => {
            let (finished, page) = finish_with_html(markdown, &given);
            let list = html::sources(&finished.record, "Sources");
            (finished, Some(page + &list))
        }
        false => (finish(markdown, &given), None),
    };
    let emitted = shape.map(|shape| match emit(&finished.record, shape) {
        Emitted::Json(value) => value,
        Emitted::Text(text) => Value::String(text),
    });
    Sources {
        record: serde_json::to_value(&finished.record).unwrap_or_default(),
        emitted,
        html: page,
        carried: carried.and_then(|carried| serde_json::to_value(carried).ok()),
        problems: finished.problems,
    }
}

/// An address that is asked about.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct Explain {
    /// The address.
    url: String,
}

/// The story of an address.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Explained {
    /// The address asked about.
    url: String,
    /// Where it stands in the tree, in the order in which it was appended.
    sightings: Vec<SightingTold>,
}

/// Every place of the tree where an address stands, whose text it is there, and what it did.
#[utoipa::path(post, path = "/v1/sessions/{id}/explain", tag = "answers", params(("id" = String, Path, description = "The session")), request_body = Explain, responses(
    (status = 200, description = "The story", body = Explained),
    (status = "default", description = "No answer", body = Problem, content_type = "application/problem+json")))]
pub(super) async fn explain(
    Shared(state): Shared<State>,
    caller: Known,
    Path(id): Path<String>,
    Body(Explain { url }): Body<Explain>,
) -> Result<Json<Explained>, Problem> {
    let caller = caller.with(&[Scope::Loop, Scope::Person, Scope::Admin])?;
    let held = state.held(&caller, &id).await?;
    let events = state.sessions.events(&held).await.map_err(|failure| state.problem(failure))?;
    let (sessions, top, asked) = (std::sync::Arc::clone(&state.sessions), held.top().to_owned(), url.clone());
    let story = tokio::task::spawn_blocking(move || sessions.story(&top, &events, &asked));
    let story = story.await.unwrap_or(Err(Failure::Lost)).map_err(|failure| state.problem(failure))?;
    Ok(Json(Explained { url, sightings: story.into_iter().map(SightingTold::from).collect() }))
}

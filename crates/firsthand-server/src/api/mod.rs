//! The routes. Each file has a part of them: what comes in, what goes out, the handler.

pub mod problem;
pub mod state;
mod input;
mod shape;
mod sessions;
mod calls;
mod persons;
mod shelf;
mod answers;
mod operations;

use std::time::Instant;

use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State as Shared};
use axum::http::{HeaderName, HeaderValue, StatusCode, header};
use axum::middleware::{Next, from_fn_with_state};
use axum::response::{IntoResponse as _, Response};
use axum::{Router, routing::get};
use utoipa::OpenApi as _;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{OpenApi, SecurityRequirement};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use problem::Problem;
use state::State;

#[derive(utoipa::OpenApi)]
#[openapi(info(
    title = "firsthand",
    description = "Who wrote each address first, and what may be opened because of it. A refusal is an answer with \
                   `\"verdict\":\"refuse\"`; whoever gets a problem opens nothing.",
    license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
))]
struct About;

/// The routes with their description.
fn described() -> OpenApiRouter<State> {
    OpenApiRouter::with_openapi(About::openapi())
        .routes(routes!(sessions::begin, sessions::list))
        .routes(routes!(sessions::change, sessions::delete))
        .routes(routes!(sessions::append))
        .routes(routes!(sessions::ledger))
        .routes(routes!(calls::check))
        .routes(routes!(calls::fetch))
        .routes(routes!(calls::download))
        .routes(routes!(calls::mask))
        .routes(routes!(answers::sources))
        .routes(routes!(answers::explain))
        .routes(routes!(persons::grant))
        .routes(routes!(persons::asks))
        .routes(routes!(persons::answer))
        .routes(routes!(calls::check_alone))
        .routes(routes!(shelf::shortcuts, shelf::register))
        .routes(routes!(shelf::unregister))
        .routes(routes!(shelf::documents, shelf::keep))
        .routes(routes!(shelf::document, shelf::forget))
        .routes(routes!(operations::refusals))
        .routes(routes!(operations::metrics))
        .routes(routes!(operations::healthz))
        .routes(routes!(operations::readyz))
}

/// The description of the routes (OpenAPI 3.1).
pub fn openapi() -> OpenApi {
    let mut api = described().into_openapi();
    let bearer = HttpBuilder::new().scheme(HttpAuthScheme::Bearer).description(Some("A token of `firsthand token`"));
    let components = api.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(bearer.build()));
    api.security = Some(vec![SecurityRequirement::new::<_, [&str; 0], &str>("token", [])]);
    api
}

/// All routes.
pub fn router(state: State) -> Router {
    let (routes, _) = described().split_for_parts();
    let description = openapi().to_json().unwrap_or_default();
    let document = move || {
        let kind = [(header::CONTENT_TYPE, HeaderValue::from_static("application/json"))];
        let answer = (kind, description.clone()).into_response();
        async move { answer }
    };
    routes
        .route("/openapi.json", get(document))
        .fallback(|| async { Problem::new(StatusCode::NOT_FOUND, "not_found", "there is no such route") })
        .method_not_allowed_fallback(|| async {
            Problem::new(StatusCode::METHOD_NOT_ALLOWED, "method_not_allowed", "the route has no such method")
        })
        .layer(DefaultBodyLimit::max(state.sessions.limits().body))
        .layer(from_fn_with_state(state.clone(), measured))
        .with_state(state)
}

/// Counts each answer by its route, and keeps answers out of caches.
async fn measured(Shared(state): Shared<State>, request: Request, next: Next) -> Response {
    let begun = Instant::now();
    let route = request.extensions().get::<MatchedPath>().map_or("none", MatchedPath::as_str).to_owned();
    let method = request.method().clone();
    let mut response = next.run(request).await;
    let status = response.status();
    state.metrics.answered(&route, status.as_u16(), begun.elapsed());
    let headers = response.headers_mut();
    headers.insert(header::CACHE_CONTROL, HeaderValue::from_static("no-store"));
    headers.insert(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff"));
    headers.insert(HeaderName::from_static("referrer-policy"), HeaderValue::from_static("no-referrer"));
    // A route is a pattern: no id and nothing of a body stands in it.
    tracing::info!(target: "firsthand::request", %method, route, status = status.as_u16());
    response
}

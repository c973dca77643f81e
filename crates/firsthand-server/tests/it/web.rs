//! A server without a socket, and what asks it.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::http::{Request, StatusCode, header};
use firsthand_server::clock;
use firsthand_server::leave::Way;
use firsthand_server::limits::Limits;
use firsthand_server::serve::{Server, Settings};
use firsthand_server::store::Store;
use firsthand_server::token::{Scope, issue};
use serde_json::{Value, json};
use tower::ServiceExt as _;

use crate::databases::Database;

/// The key of all servers of a test.
pub(crate) const KEY: [u8; 32] = [7; 32];

pub(crate) fn settings(limits: Limits) -> Settings {
    Settings {
        listen: SocketAddr::from((Ipv4Addr::LOCALHOST, 0)),
        tls: None,
        plain: false,
        key: KEY,
        limits,
        way: Way::default(),
        policy: None,
    }
}

/// A server, and a token for each scope and for all.
pub(crate) struct Web {
    routes: Router,
    pub(crate) store: Arc<dyn Store>,
    /// A token with all scopes.
    pub(crate) token: String,
    _server: Server,
    /// Its folder is there as long as the server.
    _database: Option<Database>,
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) body: Value,
    pub(crate) kind: String,
}

impl Web {
    /// A server with an SQLite database of its own.
    pub(crate) async fn alone(limits: Limits) -> Self {
        let database = Database::sqlite().await;
        let web = Self::with(Arc::clone(&database.store), limits).await;
        Self { _database: Some(database), ..web }
    }

    pub(crate) async fn over(store: Arc<dyn Store>) -> Self {
        Self::with(store, Limits::default()).await
    }

    pub(crate) async fn with(store: Arc<dyn Store>, limits: Limits) -> Self {
        let server = Server::begin(settings(limits), Arc::clone(&store)).await.unwrap();
        let routes = server.routes();
        let web = Self { routes, store, token: String::new(), _server: server, _database: None };
        let token = web.token("t", &Scope::ALL).await;
        Self { token, ..web }
    }

    /// A new token of a tenant.
    pub(crate) async fn token(&self, tenant: &str, scopes: &[Scope]) -> String {
        let issued = issue(tenant, "test", scopes, clock::now(), None).unwrap();
        assert!(self.store.add_token(&issued.token).await.unwrap());
        issued.secret
    }

    pub(crate) async fn send(&self, token: Option<&str>, method: &str, path: &str, body: Body) -> Answer {
        let mut request = Request::builder().method(method).uri(path).header(header::CONTENT_TYPE, "application/json");
        if let Some(token) = token {
            request = request.header(header::AUTHORIZATION, format!("Bearer {token}"));
        }
        let response = self.routes.clone().oneshot(request.body(body).unwrap()).await.unwrap();
        let status = response.status();
        let kind = response.headers().get(header::CONTENT_TYPE).map(|kind| kind.to_str().unwrap().to_owned());
        let bytes = to_bytes(response.into_body(), usize::MAX).await.unwrap();
        let body = serde_json::from_slice(&bytes).unwrap_or(Value::String(String::from_utf8_lossy(&bytes).into()));
        Answer { status, body, kind: kind.unwrap_or_default() }
    }

    pub(crate) async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Some(&self.token), "POST", path, Body::from(body.to_string())).await
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        self.send(Some(&self.token), "GET", path, Body::empty()).await
    }

    /// Begins a session.
    pub(crate) async fn session(&self, how: Value) -> String {
        let mut begin = json!({"networking": {"type": "unrestricted"}});
        for (key, value) in how.as_object().unwrap() {
            begin[key] = value.clone();
        }
        let answer = self.post("/v1/sessions", begin).await;
        assert_eq!(answer.status, StatusCode::CREATED, "{}", answer.body);
        answer.body["id"].as_str().unwrap().to_owned()
    }

    /// Appends items of the own format at the end of a session that has so many.
    pub(crate) async fn append(&self, session: &str, expected: usize, items: &[Value]) -> Answer {
        let entries: Vec<Value> =
            (expected..).zip(items).map(|(n, item)| json!({"id": format!("i{n}"), "item": item})).collect();
        let body = json!({"expected": expected, "format": "firsthand", "items": entries});
        self.post(&format!("/v1/sessions/{session}/items"), body).await
    }

    /// The verdict on opening one address.
    pub(crate) async fn check(&self, session: &str, length: usize, url: &str) -> Value {
        let call = json!({"tool": "web_fetch", "arguments": {"url": url}});
        let answer = self.post(&format!("/v1/sessions/{session}/check"), json!({"length": length, "call": call})).await;
        assert_eq!(answer.status, StatusCode::OK, "{}", answer.body);
        answer.body
    }
}

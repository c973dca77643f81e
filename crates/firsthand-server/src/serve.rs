//! A server that listens, from its start to its end.

use std::net::{SocketAddr, TcpListener};
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Duration;

use axum::Router;
use axum::http::StatusCode;
use axum::response::IntoResponse as _;
use axum_server::Handle;
use axum_server::tls_rustls::RustlsConfig;
use governor::{Quota, RateLimiter};
use hyper_util::rt::TokioTimer;
use tokio::task::JoinHandle;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::timeout::{RequestBodyTimeoutLayer, TimeoutLayer};

use crate::api::problem::Problem;
use crate::api::router;
use crate::api::state::{Shared, State};
use crate::clock;
use crate::key::{Key, NoRandom};
use crate::leave::{Way, WayOut};
use crate::limits::Limits;
use crate::metrics::Metrics;
use crate::refusals::Refusals;
use crate::sessions::Sessions;
use crate::store::{Store, StoreError};
use crate::token::{Issued, Scope, Tokens, issue};

/// The tenant of the first token.
const FIRST_TENANT: &str = "default";

/// How long an answer may take, downloads apart from their bodies.
const LONGEST: Duration = Duration::from_secs(120);

/// How long requests may go on after the server was told to end.
const GRACE: Duration = Duration::from_secs(20);

/// How often what is over is removed.
const SWEEP: Duration = Duration::from_secs(60);

/// How long lines of refusals are kept, in milliseconds: 90 days.
const REFUSALS_KEPT: i64 = 90 * 24 * 60 * 60 * 1000;

/// What a server needs.
#[derive(Debug)]
pub struct Settings {
    /// Where it listens.
    pub listen: SocketAddr,
    /// The certificate and its key, in PEM.
    pub tls: Option<Tls>,
    /// Plain HTTP is meant although others than this machine can reach it.
    pub plain: bool,
    /// The server's key.
    pub key: [u8; 32],
    /// How much is taken.
    pub limits: Limits,
    /// How requests leave.
    pub way: Way,
    /// The profile's name, or the policy file's text, of sessions that name none.
    pub policy: Option<String>,
}

/// Gives the policy of sessions that name none anew.
pub type Reload = Box<dyn Fn() -> Result<Option<String>, String> + Send + Sync>;

/// A certificate with its key.
#[derive(Clone, Debug)]
pub struct Tls {
    /// The certificate and those above it, in PEM.
    pub certificate: PathBuf,
    /// Its key, in PEM.
    pub key: PathBuf,
}

/// Why a server does not serve.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServeError {
    /// Others could listen.
    #[error(
        "found an address that other machines can reach, without TLS; expected `--tls-cert` and `--tls-key`, \
         or `--plain-http` where something before it speaks TLS"
    )]
    Plain,
    /// It cannot listen there.
    #[error("cannot listen: {0}")]
    Listen(#[source] std::io::Error),
    /// The certificate or its key cannot be used.
    #[error("the certificate or its key cannot be used: {0}")]
    Certificate(#[source] std::io::Error),
    /// The way out cannot be used.
    #[error("the way out cannot be used: {0}")]
    Way(String),
    /// The database.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The system.
    #[error(transparent)]
    Random(#[from] NoRandom),
}

/// A server that listens.
pub struct Server {
    state: State,
    listener: TcpListener,
    tls: Option<RustlsConfig>,
    files: Option<Tls>,
    writer: JoinHandle<()>,
    /// Where it listens.
    pub address: SocketAddr,
    /// The first token, where the database had none: told once.
    pub first: Option<Issued>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("address", &self.address).finish_non_exhaustive()
    }
}

impl Server {
    /// Opens everything and begins to listen. A database that is new or older is brought up to date.
    pub async fn begin(settings: Settings, store: Arc<dyn Store>) -> Result<Self, ServeError> {
        let Settings { listen, tls, plain, key, limits, way, policy } = settings;
        if tls.is_none() && !plain && !listen.ip().is_loopback() {
            return Err(ServeError::Plain);
        }
        store.migrate().await?;
        store.ready().await?;
        let first = first_token(&*store).await?;
        let files = tls;
        let tls = match &files {
            Some(Tls { certificate, key }) => {
                // Whoever installed one before installed the same.
                drop(rustls::crypto::ring::default_provider().install_default());
                Some(RustlsConfig::from_pem_file(certificate, key).await.map_err(ServeError::Certificate)?)
            }
            None => None,
        };
        let listener = TcpListener::bind(listen).map_err(ServeError::Listen)?;
        listener.set_nonblocking(true).map_err(ServeError::Listen)?;
        let address = listener.local_addr().map_err(ServeError::Listen)?;
        let metrics = Arc::new(Metrics::default());
        let rate = limits.rate;
        let (refusals, writer) = Refusals::begin(Arc::clone(&store), Arc::clone(&metrics));
        let state = State::new(Shared {
            sessions: Arc::new(Sessions::new(Arc::clone(&store), Key::new(&key), limits)),
            tokens: Tokens::new(store),
            refusals,
            metrics,
            way: WayOut::new(way).map_err(ServeError::Way)?,
            rate: rate.map(|rate| RateLimiter::keyed(Quota::per_second(rate))),
            ending: AtomicBool::new(false),
            policy: RwLock::new(policy),
        });
        Ok(Self { state, listener, tls, files, writer, address, first })
    }

    /// Serves until the process is told to end (SIGTERM, or an interrupt from the terminal): then nothing new is taken, what
    /// was begun is finished, and the database is closed. SIGHUP reads what `reload` gives, and the certificate, anew.
    pub async fn serve(self, reload: Reload) -> Result<(), ServeError> {
        let hung_up = tokio::spawn(reloaded(self.state.clone(), self.tls.clone().zip(self.files.clone()), reload));
        let served = self.serve_until(told_to_end()).await;
        hung_up.abort();
        served
    }

    /// Serves until `end` comes.
    pub async fn serve_until(self, end: impl Future<Output = ()> + Send + 'static) -> Result<(), ServeError> {
        let Self { state, listener, tls, writer, .. } = self;
        let handle = Handle::new();
        let (ending, shared) = (handle.clone(), state.clone());
        tokio::spawn(async move {
            end.await;
            shared.ending.store(true, Ordering::Relaxed);
            ending.graceful_shutdown(Some(GRACE));
        });
        let sweep = tokio::spawn(sweep(state.clone()));
        let patience = state.sessions.limits().patience;
        let routes = layered(&state).into_make_service();
        let served = match tls {
            None => {
                let mut server = axum_server::from_tcp(listener).map_err(ServeError::Listen)?.handle(handle);
                server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(patience);
                server.http_builder().http2().timer(TokioTimer::new()).keep_alive_interval(patience);
                server.serve(routes).await
            }
            Some(tls) => {
                let server = axum_server::from_tcp_rustls(listener, tls).map_err(ServeError::Listen)?;
                let mut server = server.handle(handle);
                server.http_builder().http1().timer(TokioTimer::new()).header_read_timeout(patience);
                server.http_builder().http2().timer(TokioTimer::new()).keep_alive_interval(patience);
                server.serve(routes).await
            }
        };
        sweep.abort();
        let store = Arc::clone(state.sessions.store());
        state.refusals.end();
        drop(tokio::time::timeout(GRACE, writer).await);
        store.close().await;
        served.map_err(ServeError::Listen)
    }

    /// All routes, for tests that need no socket.
    pub fn routes(&self) -> Router {
        layered(&self.state)
    }
}

fn layered(state: &State) -> Router {
    let panicked = |_: Box<dyn std::any::Any + Send>| {
        Problem::new(StatusCode::INTERNAL_SERVER_ERROR, "internal", "the server failed").into_response()
    };
    router(state.clone())
        .layer(TimeoutLayer::with_status_code(StatusCode::SERVICE_UNAVAILABLE, LONGEST))
        .layer(RequestBodyTimeoutLayer::new(state.sessions.limits().patience))
        .layer(CatchPanicLayer::custom(panicked))
}

async fn first_token(store: &dyn Store) -> Result<Option<Issued>, ServeError> {
    if !store.tokens(None).await?.is_empty() {
        return Ok(None);
    }
    let issued = issue(FIRST_TENANT, "first", &Scope::ALL, clock::now(), None)?;
    store.add_token(&issued.token).await?;
    Ok(Some(issued))
}

/// Waits until the process is told to end.
async fn told_to_end() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = tokio::signal::ctrl_c() => {}
            }
            return;
        }
    }
    // Without signals it serves until it is killed.
    if tokio::signal::ctrl_c().await.is_err() {
        std::future::pending::<()>().await;
    }
}

/// Reads the settings anew whenever the process is told to. What cannot be read leaves them as they are.
#[cfg(unix)]
async fn reloaded(state: State, tls: Option<(RustlsConfig, Tls)>, reload: Reload) {
    use tokio::signal::unix::{SignalKind, signal};
    let Ok(mut hung_up) = signal(SignalKind::hangup()) else { return };
    while hung_up.recv().await.is_some() {
        let policy = reload();
        let mut failed = policy.is_err();
        match policy {
            Ok(policy) => *state.policy.write().unwrap_or_else(PoisonError::into_inner) = policy,
            Err(why) => tracing::error!(target: "firsthand::settings", why, "the policy stays as it was"),
        }
        if let Some((config, Tls { certificate, key })) = &tls
            && let Err(error) = config.reload_from_pem_file(certificate, key).await
        {
            failed = true;
            tracing::error!(target: "firsthand::settings", %error, "the certificate stays as it was");
        }
        state.metrics.settings_read(failed);
        if !failed {
            tracing::info!(target: "firsthand::settings", "the settings were read anew");
        }
    }
}

/// There is no such signal.
#[cfg(not(unix))]
async fn reloaded(_: State, _: Option<(RustlsConfig, Tls)>, _: Reload) {}

/// Removes what is over, again and again.
async fn sweep(state: State) {
    let mut ticks = tokio::time::interval(SWEEP);
    loop {
        ticks.tick().await;
        // What could not be removed now is removed later.
        while state.sessions.expire().await.is_ok_and(|gone| gone > 0) {}
        drop(state.sessions.store().forget_refusals(clock::now().saturating_sub(REFUSALS_KEPT)).await);
    }
}

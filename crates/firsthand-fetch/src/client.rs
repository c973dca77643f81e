//! One request at a time: a GET with fixed headers over http/1.1 or h2, to what was surveyed.
//!
//! No cookies, no referrer, no credentials, no redirect that nobody decided, no retry, and no proxy but one that the settings
//! name. Nothing of a call can add to what leaves besides the address.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use reqwest::header::{ACCEPT, ACCEPT_ENCODING, HeaderMap, HeaderValue};
use reqwest::redirect::Policy;
use reqwest::{Response, retry};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject as _;
use rustls::{ClientConfig, RootCertStore};
use tokio::time::Instant;
use url::Url;

use crate::dial::{Closed, Guard, Unresolved};
use crate::error::{FetchError, Phase, SettingError, Size};
use crate::limits::Limits;
use crate::reach::{Reach, Way};
use crate::resolve::{Resolve, System};

/// The name under which requests leave, and the one to which a `robots.txt` speaks.
pub const AGENT: &str = "firsthand";

const USER_AGENT: &str = concat!("firsthand/", env!("CARGO_PKG_VERSION"));
const ACCEPTED: &str =
    "text/html,application/xhtml+xml,text/markdown,application/json;q=0.9,text/plain;q=0.9,*/*;q=0.8";
const ACCEPTED_ENCODINGS: &str = "gzip, br, zstd, deflate";

/// What a deployment says of the way out.
pub struct Settings {
    /// How long and how large.
    pub limits: Limits,
    /// What is open of networks that are not public.
    pub reach: Reach,
    /// Who resolves names.
    pub resolver: Arc<dyn Resolve>,
    /// The proxy through which everything leaves, such as `http://proxy.example:3128`.
    ///
    /// Names go to the proxy, which resolves and dials them: of a name only what it says itself is classified here.
    pub proxy: Option<String>,
    /// Certificates in PEM that are believed besides the system's.
    pub extra_roots: Option<Vec<u8>>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            limits: Limits::default(),
            reach: Reach::default(),
            resolver: Arc::new(System),
            proxy: None,
            extra_roots: None,
        }
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Settings").field("limits", &self.limits).field("reach", &self.reach).finish_non_exhaustive()
    }
}

/// Two clients with one configuration: hosts that were opened by their names have one of their own, so that no other
/// connection is ever made by their rule.
pub(crate) struct Client {
    by_address: reqwest::Client,
    by_name: reqwest::Client,
    pub(crate) limits: Limits,
    pub(crate) reach: Arc<Reach>,
}

impl Client {
    pub(crate) fn new(settings: Settings) -> Result<Self, SettingError> {
        let Settings { limits, reach, resolver, proxy, extra_roots } = settings;
        let reach = Arc::new(reach);
        let tls = tls(extra_roots.as_deref())?;
        let proxy = proxy.as_deref().map(read_proxy).transpose()?;
        let make = |way| {
            let proxy_host = proxy.as_ref().map(|(_, host)| host.clone());
            let guard = Guard { resolver: Arc::clone(&resolver), reach: Arc::clone(&reach), way, proxy: proxy_host };
            let builder = reqwest::Client::builder()
                .user_agent(USER_AGENT)
                .default_headers(fixed_headers())
                .redirect(Policy::none())
                .referer(false)
                .retry(retry::never())
                // Also keeps out what the environment says of proxies.
                .no_proxy()
                .connect_timeout(limits.connect)
                .http1_max_headers(limits.headers)
                .http2_max_header_list_size(u32::try_from(limits.header_bytes).unwrap_or(u32::MAX))
                .tls_backend_preconfigured(tls.clone())
                .dns_resolver(guard);
            let builder = match &proxy {
                Some((proxy, _)) => builder.proxy(proxy.clone()),
                None => builder,
            };
            builder.build().map_err(|_| SettingError::Client)
        };
        Ok(Self { by_address: make(Way::Address)?, by_name: make(Way::Name)?, limits, reach })
    }

    /// Sends one GET and waits for the head of the answer.
    pub(crate) async fn get(&self, url: Url, way: Way, until: Instant) -> Result<Response, FetchError> {
        let client = match way {
            Way::Address => &self.by_address,
            Way::Name => &self.by_name,
        };
        let left = left(until)?;
        let (wait, phase) = if left < self.limits.first_byte {
            (left, Phase::Whole)
        } else {
            (self.limits.first_byte, Phase::FirstByte)
        };
        let answer = tokio::time::timeout(wait, client.get(url).send());
        let response = answer.await.map_err(|_| FetchError::TimedOut(phase))?.map_err(|error| meant(&error))?;
        // Nobody asked for another protocol, or for a part.
        match response.status().as_u16() {
            100..=199 => return Err(FetchError::BadResponse),
            206 => return Err(FetchError::CutOff),
            _ => {}
        }
        let headers = response.headers();
        let bytes: usize = headers.iter().map(|(name, value)| name.as_str().len() + value.len()).sum();
        if headers.len() > self.limits.headers || bytes > self.limits.header_bytes {
            return Err(FetchError::TooLarge(Size::Headers));
        }
        Ok(response)
    }
}

/// What is left of the time for all.
pub(crate) fn left(until: Instant) -> Result<Duration, FetchError> {
    let left = until.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(FetchError::TimedOut(Phase::Whole)) } else { Ok(left) }
}

fn fixed_headers() -> HeaderMap {
    HeaderMap::from_iter([
        (ACCEPT, HeaderValue::from_static(ACCEPTED)),
        (ACCEPT_ENCODING, HeaderValue::from_static(ACCEPTED_ENCODINGS)),
    ])
}

fn read_proxy(address: &str) -> Result<(reqwest::Proxy, String), SettingError> {
    let url = Url::parse(address).map_err(|_| SettingError::Proxy)?;
    let host = url.host_str().filter(|_| matches!(url.scheme(), "http" | "https")).ok_or(SettingError::Proxy)?;
    let proxy = reqwest::Proxy::all(address).map_err(|_| SettingError::Proxy)?;
    Ok((proxy, host.to_owned()))
}

/// The system's roots, or a set that comes with the program where the system has none; and those of the settings.
fn tls(extra: Option<&[u8]>) -> Result<ClientConfig, SettingError> {
    let mut roots = RootCertStore::empty();
    // A root that cannot be read is one root less, never one more.
    roots.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
    if roots.is_empty() {
        roots.extend(webpki_roots::TLS_SERVER_ROOTS.iter().cloned());
    }
    if let Some(pem) = extra {
        let certificates: Vec<CertificateDer<'_>> =
            CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(|_| SettingError::Certificates)?;
        if certificates.is_empty() {
            return Err(SettingError::Certificates);
        }
        for certificate in certificates {
            roots.add(certificate).map_err(|_| SettingError::Certificates)?;
        }
    }
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .map_err(|_| SettingError::Client)?
        .with_root_certificates(roots)
        .with_no_client_auth();
    config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(config)
}

/// What a failure of the client means. Its own text may hold the address and is dropped.
pub(crate) fn meant(error: &reqwest::Error) -> FetchError {
    let causes = || std::iter::successors(std::error::Error::source(error), |cause| deeper(*cause));
    let told = causes().find_map(|cause| {
        if let Some(Closed(class)) = cause.downcast_ref() {
            Some(FetchError::PrivateAddress(*class))
        } else if cause.is::<Unresolved>() {
            Some(FetchError::DnsFailed)
        } else if cause.is::<rustls::Error>() {
            Some(FetchError::TlsFailed)
        } else {
            cause.downcast_ref().and_then(of_hyper)
        }
    });
    if let Some(told) = told {
        return told;
    }
    if error.is_timeout() {
        return FetchError::TimedOut(if error.is_connect() { Phase::Connect } else { Phase::Idle });
    }
    if error.is_connect() {
        return FetchError::ConnectFailed;
    }
    FetchError::CutOff
}

/// The cause of a cause; what an error of input and output wraps is one too.
fn deeper<'a>(cause: &'a (dyn std::error::Error + 'static)) -> Option<&'a (dyn std::error::Error + 'static)> {
    let wrapped = cause.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
    wrapped.map(|inner| inner as &(dyn std::error::Error + 'static)).or_else(|| cause.source())
}

fn of_hyper(error: &hyper::Error) -> Option<FetchError> {
    if error.is_parse_too_large() {
        Some(FetchError::TooLarge(Size::Headers))
    } else if error.is_parse() {
        Some(FetchError::BadResponse)
    } else if error.is_incomplete_message() {
        Some(FetchError::CutOff)
    } else {
        None
    }
}

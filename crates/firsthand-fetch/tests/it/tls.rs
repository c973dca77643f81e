//! Servers that cannot prove who they are, and both versions of HTTP over a connection that is secured.

use std::sync::{Arc, Mutex};

use firsthand_fetch::client::Settings;
use firsthand_fetch::open::Door;
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair, date_time_ymd};
use rustls::ServerConfig;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::server::TlsStream;

use crate::play::{Names, code_by, fetch_by, settings};
use crate::server::{Server, ok};

/// What a certificate says.
pub(crate) enum Paper {
    Good,
    WrongName,
    Expired,
    OfNobody,
}

struct Secured {
    port: u16,
    root: String,
    requests: Arc<Mutex<usize>>,
}

/// How a connection ends.
#[derive(Clone, Copy)]
enum Ending {
    Proper,
    Abrupt,
}

/// What secures the connections of `a.example`, and the root that vouches for it.
pub(crate) fn secures(paper: Paper, versions: &[&str]) -> (TlsAcceptor, String) {
    let key = KeyPair::generate().unwrap();
    let mut authority = CertificateParams::new(Vec::new()).unwrap();
    authority.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    let authority = CertifiedIssuer::self_signed(authority, KeyPair::generate().unwrap()).unwrap();
    let name = if matches!(paper, Paper::WrongName) { "b.example" } else { "a.example" };
    let mut leaf = CertificateParams::new(vec![name.to_owned()]).unwrap();
    if matches!(paper, Paper::Expired) {
        leaf.not_before = date_time_ymd(2020, 1, 1);
        leaf.not_after = date_time_ymd(2021, 1, 1);
    }
    let leaf = match paper {
        Paper::OfNobody => leaf.self_signed(&key).unwrap(),
        Paper::Good | Paper::WrongName | Paper::Expired => leaf.signed_by(&key, &authority).unwrap(),
    };
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(key.serialize_der()));
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ServerConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_no_client_auth()
        .with_single_cert(vec![leaf.der().clone()], key)
        .unwrap();
    config.alpn_protocols = versions.iter().map(|version| version.as_bytes().to_vec()).collect();
    (TlsAcceptor::from(Arc::new(config)), authority.pem())
}

async fn secured(paper: Paper, versions: &[&str], answer: &'static str, ending: Ending) -> Secured {
    let (acceptor, root) = secures(paper, versions);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let requests = Arc::<Mutex<usize>>::default();
    let counted = Arc::clone(&requests);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            *counted.lock().unwrap() += 1;
            if stream.get_ref().1.alpn_protocol() == Some(b"h2") {
                tokio::spawn(over_h2(stream, answer));
            } else {
                over_h1(stream, answer, ending).await;
            }
        }
    });
    Secured { port, root, requests }
}

async fn over_h1(mut stream: TlsStream<TcpStream>, answer: &str, ending: Ending) {
    let mut head = [0; 4096];
    assert!(stream.read(&mut head).await.unwrap() > 0);
    stream.write_all(answer.as_bytes()).await.unwrap();
    stream.flush().await.unwrap();
    match ending {
        Ending::Proper => stream.shutdown().await.unwrap(),
        Ending::Abrupt => drop(stream),
    }
}

async fn over_h2(stream: TlsStream<TcpStream>, answer: &'static str) {
    let mut connection = h2::server::handshake(stream).await.unwrap();
    while let Some(Ok((request, mut respond))) = connection.accept().await {
        assert_eq!(request.method(), "GET");
        let mut response = h2::server::SendResponse::send_response(&mut respond, Default::default(), false).unwrap();
        response.send_data(bytes::Bytes::from_static(answer.as_bytes()), true).unwrap();
    }
}

impl Secured {
    fn door(&self, names: &Names) -> Door {
        let extra_roots = Some(self.root.clone().into_bytes());
        Door::new(Settings { extra_roots, ..settings(names) }).unwrap()
    }

    fn url(&self) -> String {
        format!("https://a.example:{}/", self.port)
    }

    async fn code(&self) -> &'static str {
        code_by(&self.door(&Names::of(&[&["127.0.0.1"]])), &self.url()).await
    }

    fn requests(&self) -> usize {
        *self.requests.lock().unwrap()
    }
}

const WHOLE: &str = "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello";

#[tokio::test]
async fn a_server_that_proves_who_it_is_is_opened_over_both_versions() {
    for (versions, answer) in [(&["http/1.1"][..], WHOLE), (&["h2", "http/1.1"], "hello"), (&[], WHOLE)] {
        let server = secured(Paper::Good, versions, answer, Ending::Proper).await;
        let door = server.door(&Names::of(&[&["127.0.0.1"]]));
        let opened = fetch_by(&door, &server.url()).await.unwrap().end.unwrap();
        assert_eq!(&*opened.body, b"hello", "{versions:?}");
    }
}

#[tokio::test]
async fn a_server_that_cannot_prove_who_it_is_is_sent_nothing() {
    for paper in [Paper::WrongName, Paper::Expired, Paper::OfNobody] {
        let server = secured(paper, &["http/1.1"], WHOLE, Ending::Proper).await;
        assert_eq!(server.code().await, "tls_failed");
        assert_eq!(server.requests(), 0);
    }
    // A root that nobody named is not believed.
    let server = secured(Paper::Good, &["http/1.1"], WHOLE, Ending::Proper).await;
    let names = Names::of(&[&["127.0.0.1"]]);
    assert_eq!(code_by(&Door::new(settings(&names)).unwrap(), &server.url()).await, "tls_failed");
}

#[tokio::test]
async fn a_server_that_does_not_speak_tls_fails_as_such() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.ok();
            stream.shutdown().await.ok();
        }
    });
    let door = Door::new(settings(&Names::of(&[&["127.0.0.1"]]))).unwrap();
    assert_eq!(code_by(&door, &format!("https://a.example:{port}/")).await, "tls_failed");
}

#[tokio::test]
async fn an_end_that_nobody_signed_is_no_end() {
    let open_ended = "HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello";
    let server = secured(Paper::Good, &["http/1.1"], open_ended, Ending::Proper).await;
    assert_eq!(server.code().await, "");
    let server = secured(Paper::Good, &["http/1.1"], open_ended, Ending::Abrupt).await;
    assert_eq!(server.code().await, "cut_off");
}

#[tokio::test]
async fn a_redirect_from_https_to_http_is_not_followed() {
    let plain = Server::always(ok("")).await;
    let to = format!("HTTP/1.1 302 Found\r\nlocation: {}\r\ncontent-length: 0\r\n\r\n", plain.url("/"));
    let server = secured(Paper::Good, &["http/1.1"], to.leak(), Ending::Proper).await;
    assert_eq!(server.code().await, "insecure_redirect");
    assert_eq!(plain.connections(), 0);
}

//! Clients that do not do as HTTP says, over real sockets.

use std::time::Duration;

use firsthand_server::limits::Limits;
use firsthand_server::serve::Server;
use firsthand_server::token::{Scope, issue};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio::sync::oneshot;

use crate::databases::Database;
use crate::web::settings;

/// Longer than the server's patience, and far shorter than a test's.
const ENOUGH: Duration = Duration::from_secs(20);

/// Sends pieces with a pause before each, and gives what comes back until the end.
async fn talk(address: std::net::SocketAddr, pieces: &[&[u8]], pause: Duration) -> String {
    let mut stream = TcpStream::connect(address).await.unwrap();
    for piece in pieces {
        tokio::time::sleep(pause).await;
        // A server that had enough closes; what it said before is read below.
        if stream.write_all(piece).await.is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    let read = tokio::time::timeout(ENOUGH, stream.read_to_end(&mut answer)).await;
    assert!(read.is_ok(), "the server keeps a connection that says nothing more");
    String::from_utf8_lossy(&answer).into_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn slow_and_lying_clients_are_ended_and_others_are_answered() {
    let database = Database::sqlite().await;
    let limits = Limits { patience: Duration::from_millis(300), body: 1_000, ..Limits::default() };
    let server = Server::begin(settings(limits), database.store.clone()).await.unwrap();
    let address = server.address;
    let token = issue("t", "test", &Scope::ALL, 0, None).unwrap();
    database.store.add_token(&token.token).await.unwrap();
    let (end, ended) = oneshot::channel::<()>();
    let serving = tokio::spawn(server.serve_until(async { drop(ended.await) }));
    let head = |length: &str| {
        format!(
            "POST /v1/check HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n{length}\r\n\r\n",
            token.secret
        )
    };
    // One byte after the other: the head is never whole.
    let bytes: Vec<&[u8]> = b"GET /healthz HTTP/1.1\r\nhost: x\r\nx: ".chunks(1).collect();
    talk(address, &bytes, Duration::from_millis(100)).await;
    let says = async |request: String, status: &str| {
        let answer = talk(address, &[request.as_bytes()], Duration::ZERO).await;
        assert!(answer.starts_with(&format!("HTTP/1.1 {status}")), "{status}: {answer}");
    };
    // A body that is shorter than it says, one that is longer, and one that is longer than is taken.
    let short = talk(address, &[head("content-length: 900").as_bytes(), b"{"], Duration::ZERO).await;
    assert!(short.is_empty() || short.contains("HTTP/1.1 4"), "{short}");
    says(head("content-length: 2") + "{}garbage", "400").await;
    says(head("content-length: 5000") + &" ".repeat(5_000), "413").await;
    says(head("transfer-encoding: chunked") + "7d1\r\n" + &" ".repeat(2_001) + "\r\n0\r\n\r\n", "413").await;
    says(head("transfer-encoding: chunked") + "zz\r\n", "400").await;
    says(format!("GET /healthz HTTP/1.1\r\nhost: x\r\nx: {}\r\n\r\n", "y".repeat(2 << 20)), "431").await;
    says("GET /healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n".to_owned(), "200").await;
    end.send(()).unwrap();
    tokio::time::timeout(ENOUGH, serving).await.unwrap().unwrap().unwrap();
    assert!(TcpStream::connect(address).await.is_err(), "it has ended");
    assert!(
        database.store.length("x").await.is_err() || database.store.add_token(&token.token).await.is_err(),
        "and closed its database"
    );
}

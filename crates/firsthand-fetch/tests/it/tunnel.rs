//! Tunnels through a proxy that lies.

use std::time::Duration;

use firsthand_fetch::client::Settings;
use firsthand_fetch::limits::Limits;
use firsthand_fetch::open::Door;
use firsthand_fetch::reach::Reach;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};

use crate::play::{LIMITS, Names, code_by, fetch_by, settings};
use crate::server::{Server, ok};
use crate::tls::{Paper, secures};

fn door(proxy: &Server, root: Option<String>) -> Door {
    let limits = Limits { connect: Duration::from_secs(2), ..LIMITS };
    let (proxy, extra_roots) = (Some(proxy.url("")), root.map(String::into_bytes));
    Door::new(Settings { proxy, extra_roots, limits, reach: Reach::default(), ..settings(&Names::default()) }).unwrap()
}

#[tokio::test]
async fn a_tunnel_is_asked_for_by_host_and_port_alone() {
    let (acceptor, root) = secures(Paper::Good, &["http/1.1"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let far = listener.local_addr().unwrap();
    tokio::spawn(async move {
        let mut stream = acceptor.accept(listener.accept().await.unwrap().0).await.unwrap();
        assert!(stream.read(&mut [0; 4096]).await.unwrap() > 0);
        stream.write_all(&ok("hello")).await.unwrap();
        stream.shutdown().await.unwrap();
    });
    let proxy = Server::doing(move |mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await?;
            copy_bidirectional(&mut stream, &mut TcpStream::connect(far).await?).await.map(drop)
        })
    })
    .await;
    let answer = fetch_by(&door(&proxy, Some(root)), "https://a.example/canary?q=canary").await.unwrap().end.unwrap();
    assert_eq!(&*answer.body, b"hello");
    let heads = proxy.heads();
    assert_eq!(heads.len(), 1);
    let head = &heads[0];
    assert!(head.starts_with("CONNECT a.example:443 HTTP/1.1\r\n") && !head.contains("canary"), "{head}");
}

#[tokio::test]
async fn a_proxy_that_makes_no_tunnel_answers_for_nobody() {
    for (answer, code) in [
        ("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", "tls_failed"),
        ("HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nhi", "tls_failed"),
        ("HTTP/1.1 302 Found\r\nlocation: http://127.0.0.1:1/\r\ncontent-length: 0\r\n\r\n", "connect_failed"),
        ("HTTP/1.1 407 Proxy Authentication Required\r\nproxy-authenticate: Basic realm=x\r\n\r\n", "connect_failed"),
        ("HTTP/1.1 404 Not Found\r\ncontent-length: 0\r\n\r\n", "connect_failed"),
        ("no HTTP\r\n\r\n", "connect_failed"),
        ("", "connect_failed"),
    ] {
        let proxy = Server::always(answer).await;
        let ended = code_by(&door(&proxy, None), "https://a.example/").await;
        // What comes along with the tunnel's head is no part of a tunnel.
        assert!(ended == code || code == "tls_failed" && ended == "connect_failed", "{answer}: {ended}");
        assert_eq!(proxy.connections(), 1, "{answer}");
    }
}

#[tokio::test]
async fn a_proxy_that_never_comes_to_an_end_runs_into_a_limit() {
    let silent = Server::doing(|stream, _| {
        Box::pin(async move {
            std::future::pending::<()>().await;
            drop(stream);
            Ok(())
        })
    })
    .await;
    assert_eq!(code_by(&door(&silent, None), "https://a.example/").await, "timed_out");
    let endless = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
            loop {
                stream.write_all(&b"x: y\r\n".repeat(1000)).await?;
            }
        })
    })
    .await;
    assert_eq!(code_by(&door(&endless, None), "https://a.example/").await, "connect_failed");
}

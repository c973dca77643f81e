//! What leaves for one address, and what comes back.

use firsthand_fetch::open::{Progress, Wish};

use crate::play::{Names, Play, code, door, fetch, fetch_by};
use crate::server::{Server, ok, with};

#[tokio::test]
async fn a_permit_opens_its_address_with_fixed_headers_and_nothing_else() {
    let server = Server::always(ok("hello")).await;
    let answer = fetch(&server.url("/a?b=c#fragment")).await.end.unwrap();
    assert_eq!(
        (answer.status, &*answer.body, answer.content_type.as_deref()),
        (200, &b"hello"[..], Some("text/plain"))
    );
    assert_eq!(answer.address.reveal(), server.url("/a?b=c"));
    let head = server.heads().pop().unwrap();
    let mut lines: Vec<&str> = head.trim_end().split("\r\n").collect();
    assert_eq!(lines.remove(0), "GET /a?b=c HTTP/1.1");
    let mut names: Vec<&str> = lines.iter().map(|line| line.split(':').next().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["accept", "accept-encoding", "host", "user-agent"]);
}

#[tokio::test]
async fn the_sources_own_spelling_leaves_where_the_url_standard_keeps_it() {
    let server = Server::always(ok("")).await;
    for (asked, left) in [
        ("/A%2fb/%7euser?x=%20+y&&=", "/A%2fb/%7euser?x=%20+y&&="),
        ("/a//b/;p=1/", "/a//b/;p=1/"),
        ("", "/"),
        ("/ü?q=ü", "/%C3%BC?q=%C3%BC"),
    ] {
        assert!(fetch(&server.url(asked)).await.end.is_ok(), "{asked}");
        assert_eq!(server.paths().pop().unwrap(), left, "{asked}");
    }
}

#[tokio::test]
async fn an_error_of_the_server_is_an_answer() {
    let server = Server::always(with("404 Not Found", "", "no such page")).await;
    let answer = fetch(&server.url("/")).await.end.unwrap();
    assert_eq!((answer.status, &*answer.body), (404, &b"no such page"[..]));
}

#[tokio::test]
async fn a_body_of_no_bytes_is_whole() {
    for headers in ["", "content-encoding: gzip\r\n", "content-encoding: br\r\n"] {
        let server = Server::always(with("200 OK", headers, "")).await;
        assert!(fetch(&server.url("/")).await.end.unwrap().body.is_empty());
    }
}

#[tokio::test]
async fn progress_is_told_with_the_bytes_so_far() {
    let server = Server::always(ok(vec![b'x'; 300_000])).await;
    let address = server.url("/");
    let mut play = Play::of(&[&address]);
    let permit = play.ask(&[&address]).unwrap();
    let mut told = Vec::new();
    let mut tell = |progress: Progress| told.push(progress);
    let wish = Wish { progress: Some(&mut tell), ..Wish::default() };
    let opened = door(&Names::default()).fetch(permit, &mut play, wish).await.unwrap();
    assert!(opened[0].end.is_ok() && told.is_sorted_by_key(|progress| progress.so_far));
    assert_eq!(told.last(), Some(&Progress { address: 0, so_far: 300_000, total: Some(300_000) }));
}

#[tokio::test]
async fn content_that_is_not_taken_is_not_read() {
    let server = Server::always(with("200 OK", "content-type: video/mp4\r\n", vec![0; 1000])).await;
    let address = server.url("/");
    let mut play = Play::of(&[&address]);
    let permit = play.ask(&[&address]).unwrap();
    let takes = |kind: Option<&str>| !kind.is_some_and(|kind| kind.starts_with("video/"));
    let wish = Wish { takes: Some(takes), ..Wish::default() };
    let opened = door(&Names::default()).fetch(permit, &mut play, wish).await.unwrap();
    assert_eq!(opened[0].end.as_ref().unwrap_err().code(), "unsupported_content_type");
}

#[tokio::test]
async fn nothing_is_kept_of_cookies_and_no_connection_is_no_answer() {
    let server = Server::always(with("200 OK", "set-cookie: a=b; path=/\r\n", "")).await;
    let door = door(&Names::default());
    for _ in 0..2 {
        fetch_by(&door, &server.url("/")).await.unwrap().end.unwrap();
    }
    assert!(server.heads().iter().all(|head| !head.to_lowercase().contains("cookie")));
    let port = server.port;
    drop(server);
    tokio::task::yield_now().await;
    assert_eq!(code(&format!("http://127.0.0.1:{port}/")).await, "connect_failed");
}

#[test]
fn what_opens_may_run_on_any_thread() {
    fn is_send<T: Send>(_: &T) {}
    let address = "https://a.example/";
    let mut play = Play::of(&[address]);
    let permit = play.ask(&[address]).unwrap();
    let door = door(&Names::default());
    is_send(&door.fetch(permit, &mut play, Wish::default()));
}

//! Answers of before, and what sites say in their `robots.txt`.

use std::time::{Duration, SystemTime};

use firsthand_fetch::cache::Freshness;
use firsthand_fetch::error::FetchError;
use firsthand_fetch::open::{Answer, Door, Wish};
use firsthand_fetch::robots::Robots;

use crate::play::{Names, Play, door};
use crate::server::{Server, moved, ok, with};

async fn open(door: &Door, address: &str, wish: Wish<'_>) -> Result<Answer, FetchError> {
    let mut play = Play::of(&[address]);
    let permit = play.ask(&[address]).unwrap();
    door.fetch(permit, &mut play, wish).await.unwrap().pop().unwrap().end
}

fn fresh(second: u64) -> Wish<'static> {
    let now = SystemTime::UNIX_EPOCH + Duration::from_secs(second);
    Wish { fresh: Some(Freshness { now, most: Duration::from_secs(60) }), ..Wish::default() }
}

#[tokio::test]
async fn an_answer_is_taken_again_while_it_is_young() {
    let server = Server::saying(|path| ok(path)).await;
    let door = door(&Names::default());
    let address = server.url("/a?b");
    assert!(!open(&door, &address, fresh(100)).await.unwrap().was_kept);
    let again = open(&door, &address, fresh(160)).await.unwrap();
    assert!(again.was_kept);
    assert_eq!((&*again.body, again.content_type.as_deref()), (&b"/a?b"[..], Some("text/plain")));
    assert_eq!(server.connections(), 1);
    // What was sent is the key, and only the caller's wish takes from it.
    assert!(!open(&door, &server.url("/a?c"), fresh(160)).await.unwrap().was_kept);
    assert!(!open(&door, &address, Wish::default()).await.unwrap().was_kept);
    assert!(!open(&door, &address, fresh(161)).await.unwrap().was_kept);
    assert_eq!(server.connections(), 4);
}

#[tokio::test]
async fn errors_redirects_parts_and_what_forbids_it_are_not_kept() {
    for answer in [
        with("404 Not Found", "", "none"),
        with("200 OK", "cache-control: no-store\r\n", "x"),
        with("200 OK", "vary: *\r\n", "x"),
        with("200 OK", "set-cookie: a=b\r\n", "x"),
        b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nshort".to_vec(),
    ] {
        let server = Server::always(answer).await;
        let door = door(&Names::default());
        for _ in 0..2 {
            open(&door, &server.url("/"), fresh(100)).await.ok();
        }
        assert_eq!(server.connections(), 2);
    }
    let server = Server::saying(|path| if path == "/" { moved("/x") } else { ok("there") }).await;
    let door = door(&Names::default());
    for _ in 0..2 {
        open(&door, &server.url("/"), fresh(100)).await.unwrap();
    }
    assert_eq!(server.paths(), ["/", "/x", "/"], "the redirect is decided again, its end is kept");
}

/// Rules that close what stands behind `Disallow: `.
fn rules(text: &str, agent: &str, path: &str) -> bool {
    assert_eq!(agent, "firsthand");
    !text.lines().filter_map(|line| line.strip_prefix("Disallow: ")).any(|closed| path.starts_with(closed))
}

fn asking() -> Wish<'static> {
    Wish { robots: Robots::Ask(rules), ..Wish::default() }
}

#[tokio::test]
async fn a_site_is_asked_once_before_its_first_address() {
    let server = Server::saying(|path| match path {
        "/robots.txt" => ok("Disallow: /private\n"),
        "/moved" => moved("/private/x"),
        _ => ok("page"),
    })
    .await;
    let door = door(&Names::default());
    assert!(open(&door, &server.url("/a"), asking()).await.is_ok());
    assert_eq!(open(&door, &server.url("/private?x"), asking()).await.unwrap_err(), FetchError::RobotsDisallowed);
    assert_eq!(open(&door, &server.url("/moved"), asking()).await.unwrap_err(), FetchError::RobotsDisallowed);
    assert!(open(&door, &server.url("/private?x"), Wish::default()).await.is_ok());
    assert_eq!(server.paths(), ["/robots.txt", "/a", "/moved", "/private?x"]);
}

#[tokio::test]
async fn a_site_without_rules_allows_and_one_that_cannot_say_does_not() {
    for (answer, opens) in [
        (with("404 Not Found", "", "Disallow: /"), true),
        (with("403 Forbidden", "", ""), true),
        (moved("http://10.0.0.1/robots.txt"), true),
        (with("500 Oops", "", ""), false),
        (with("429 Slow", "", ""), false),
        (b"HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\n".to_vec(), false),
        (with("200 OK", "", format!("{}\nDisallow: /\n", "#".repeat(600 << 10))), true),
    ] {
        let shown = String::from_utf8_lossy(answer.get(..20).unwrap()).into_owned();
        let server = Server::saying(move |path| if path == "/robots.txt" { answer.clone() } else { ok("") }).await;
        let end = open(&door(&Names::default()), &server.url("/page"), asking()).await;
        assert_eq!(end.is_ok(), opens, "{shown}");
        let paths = server.paths();
        assert_eq!(paths[0], "/robots.txt");
        assert_eq!(paths.len(), if opens { 2 } else { 1 });
    }
}

#[tokio::test]
async fn a_site_is_asked_through_the_same_guard() {
    let server = Server::always(ok("")).await;
    let names = Names::of(&[&["10.0.0.1"], &["127.0.0.1"]]);
    let end = open(&door(&names), &format!("http://a.example:{}/", server.port), asking()).await;
    assert_eq!(end.unwrap_err().code(), "private_address");
    assert_eq!((server.connections(), names.asked().len()), (0, 1));
}

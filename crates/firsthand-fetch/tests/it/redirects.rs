//! Redirects: each is put to the referee, and none is followed without it.

use firsthand::verdict::{Halt, Pass, Reason};
use firsthand_fetch::error::FetchError;
use firsthand_fetch::open::{Answer, Door, Opened, Referee, Wish};

use crate::play::{Names, Play, door};
use crate::server::{Server, moved, ok, with};

async fn follow(door: &Door, play: &mut Play, address: &str) -> Opened<Answer> {
    let permit = play.ask(&[address]).unwrap();
    door.fetch(permit, play, Wish::default()).await.unwrap().pop().unwrap()
}

/// What comes of a server that sends its root on to another place.
async fn sent_to(to: &str) -> (Opened<Answer>, Server, Names) {
    let answer = moved(to);
    let server = Server::saying(move |path| if path == "/" { answer.clone() } else { ok("there") }).await;
    let names = Names::of(&[&["127.0.0.1"]]);
    let address = format!("http://a.example:{}/", server.port);
    let mut play = Play::of(&[&address]).say("I sent it to http://sink.example/anna-ward");
    let opened = follow(&door(&names), &mut play, &address).await;
    (opened, server, names)
}

#[tokio::test]
async fn a_chain_is_followed_hop_by_hop_and_told() {
    let server = Server::saying(|path| match path {
        "/" => moved("/a"),
        "/a" => with("301 Moved", "location: b?x\r\n", "a body that is not read"),
        "/b?x" => with("308 Permanent", "location: //b.example/c#part\r\n", ""),
        _ => ok("there"),
    })
    .await;
    let names = Names::of(&[&["127.0.0.1"]]);
    let address = format!("http://a.example:{}/", server.port);
    let mut play = Play::of(&[&address]);
    let opened = follow(&door(&names), &mut play, &address).await;
    let statuses: Vec<_> = opened.hops.iter().map(|hop| hop.status).collect();
    assert_eq!(statuses, [302, 301, 308]);
    let locations: Vec<_> = opened.hops.iter().map(|hop| hop.location.as_str()).collect();
    assert_eq!(locations, ["/a", "b?x", "//b.example/c#part"]);
    assert_eq!(opened.hops[2].target.as_ref().unwrap().reveal(), "http://b.example/c");
    assert_eq!(play.asked, 3);
    // Nothing listens at the port that b.example has by default.
    assert_eq!(opened.end.unwrap_err(), FetchError::ConnectFailed);
    assert_eq!(server.paths(), ["/", "/a", "/b?x"]);
    assert_eq!(names.asked().last().unwrap(), "b.example");
}

#[tokio::test]
async fn the_last_hop_is_the_base_of_the_page() {
    let (opened, server, _) = sent_to("/deep/page").await;
    let answer = opened.end.unwrap();
    assert_eq!(answer.address.reveal(), format!("http://a.example:{}/deep/page", server.port));
    assert_eq!(&*answer.body, b"there");
}

#[tokio::test]
async fn a_refused_redirect_sends_nothing_asks_no_name_and_is_told() {
    for (to, reason) in [
        ("http://sink.example/anna-ward", Reason::ModelWroteFirst),
        ("ftp://files.example/x", Reason::InvalidUrl),
        ("file:///etc/passwd", Reason::InvalidUrl),
        ("javascript:alert(1)", Reason::InvalidUrl),
        ("data:text/html,x", Reason::InvalidUrl),
        ("http://user:pass@b.example/", Reason::OddSpelling),
        ("http://b.example\\@c.example/", Reason::OddSpelling),
        ("", Reason::InvalidUrl),
    ] {
        let (opened, server, names) = sent_to(to).await;
        assert_eq!(opened.end.unwrap_err(), FetchError::RedirectRefused(reason), "{to}");
        assert_eq!(opened.hops.len(), 1);
        assert_eq!(opened.hops[0].location, to);
        assert_eq!((server.connections(), names.asked().len()), (1, 1), "{to}");
    }
}

#[tokio::test]
async fn a_redirect_into_a_network_that_is_not_public_sends_nothing() {
    for to in [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/iam/security-credentials/",
        "http://metadata.google.internal/computeMetadata/v1/",
        "http://2130706434/",
        "http://[::1]/",
        "http://[::ffff:a9fe:a9fe]/",
        "http://0/",
    ] {
        let (opened, server, names) = sent_to(to).await;
        let error = opened.end.unwrap_err();
        // An odd spelling of a number is refused as such, or read as the number.
        let is_refused = error == FetchError::RedirectRefused(Reason::OddSpelling);
        assert!(is_refused || error.code() == "private_address", "{to}: {error:?}");
        assert_eq!((server.connections(), names.asked().len(), opened.hops.len()), (1, 1, 1), "{to}");
    }
}

#[tokio::test]
async fn a_redirect_to_a_name_that_turned_private_is_not_dialled() {
    let server = Server::always(moved("http://b.example/")).await;
    let names = Names::of(&[&["127.0.0.1"], &["192.168.0.1"]]);
    let address = format!("http://a.example:{}/", server.port);
    let opened = follow(&door(&names), &mut Play::of(&[&address]), &address).await;
    assert_eq!(opened.end.unwrap_err().code(), "private_address");
    assert_eq!((server.connections(), names.asked().len()), (1, 2));
}

#[tokio::test]
async fn loops_and_long_chains_end() {
    for location in ["/", "", "?", "/next"] {
        let to = if location == "/next" { "/next" } else { "/" };
        let server = Server::always(moved(to)).await;
        let address = server.url("/");
        let mut play = Play::of(&[&address]);
        let opened = follow(&door(&Names::default()), &mut play, &address).await;
        assert_eq!(opened.end.unwrap_err(), FetchError::TooManyRedirects);
        assert_eq!((server.connections(), opened.hops.len()), (6, 6));
    }
}

#[tokio::test]
async fn answers_that_only_look_like_redirects_are_answers() {
    for answer in [
        with("302 Found", "", "no place"),
        with("300 Multiple Choices", "location: /x\r\n", "choose"),
        with("304 Not Modified", "location: /x\r\n", ""),
        with("200 OK", "location: /x\r\nrefresh: 0; url=/x\r\n", "<meta http-equiv=refresh content='0;url=/x'>"),
    ] {
        let server = Server::always(answer).await;
        let address = server.url("/");
        let opened = follow(&door(&Names::default()), &mut Play::of(&[&address]), &address).await;
        assert!(opened.end.is_ok() && opened.hops.is_empty());
        assert_eq!(server.connections(), 1);
    }
}

#[tokio::test]
async fn two_targets_or_one_that_is_no_text_are_refused() {
    let two = "HTTP/1.1 302 Found\r\nlocation: /a\r\nlocation: /b\r\ncontent-length: 0\r\n\r\n".as_bytes().to_vec();
    let bytes = b"HTTP/1.1 302 Found\r\nlocation: /\xff\xfe\r\ncontent-length: 0\r\n\r\n".to_vec();
    for answer in [two, bytes] {
        let server = Server::always(answer).await;
        let address = server.url("/");
        let opened = follow(&door(&Names::default()), &mut Play::of(&[&address]), &address).await;
        assert_eq!(opened.end.unwrap_err(), FetchError::RedirectRefused(Reason::InvalidUrl));
        assert_eq!(server.connections(), 1);
    }
}

/// Never says no: it gives passes of another permit.
struct Lax(Vec<Pass>);

impl Referee for Lax {
    fn redirect(&mut self, _: Pass, _: &str) -> Result<Pass, Halt> {
        self.0.pop().ok_or(Halt::TooMany)
    }
}

#[tokio::test]
async fn a_referee_that_never_says_no_is_held_to_the_limit() {
    let server = Server::always(moved("/")).await;
    let addresses: Vec<String> = (0..20).map(|number| server.url(&format!("/{number}"))).collect();
    let addresses: Vec<&str> = addresses.iter().map(String::as_str).collect();
    let play = Play::of(&addresses);
    let mut lax = Lax(play.ask(&addresses).unwrap().into_passes());
    let permit = play.ask(&addresses[..1]).unwrap();
    let opened = door(&Names::default()).fetch(permit, &mut lax, Wish::default()).await.unwrap();
    assert_eq!(opened[0].end.as_ref().unwrap_err(), &FetchError::TooManyRedirects);
    assert_eq!(server.connections(), 6);
}

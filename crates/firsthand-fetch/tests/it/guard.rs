//! Where connections are made, and where none is: names, numbers, and what is opened.

use std::sync::Arc;
use std::time::Duration;

use firsthand::private::Private;
use firsthand::verdict::Reason;
use firsthand_fetch::client::Settings;
use firsthand_fetch::error::{FetchError, Phase};
use firsthand_fetch::limits::Limits;
use firsthand_fetch::open::{Door, Wish};
use firsthand_fetch::reach::Reach;
use firsthand_fetch::resolve::{Answers, Resolve};

use crate::play::{LIMITS, Names, Play, code_by, door, fetch_by, settings};
use crate::server::{Server, ok};

#[tokio::test]
async fn a_refused_call_sends_nothing_and_asks_no_name() {
    let server = Server::always(ok("")).await;
    let names = Names::of(&[&["127.0.0.1"]]);
    let named = format!("http://a.example:{}/", server.port);
    let unnamed = format!("http://b.example:{}/?secret", server.port);
    let play = Play::of(&[&named]);
    // Without a permit there is no way in.
    assert_eq!(play.ask(&[&unnamed]).unwrap_err(), Reason::NeverWritten);
    assert_eq!(play.ask(&[&named, &unnamed]).unwrap_err(), Reason::NeverWritten);
    assert_eq!((server.connections(), names.asked().len()), (0, 0));
}

#[tokio::test]
async fn one_closed_number_or_known_name_closes_the_whole_call_before_any_query() {
    let server = Server::always(ok("")).await;
    let names = Names::of(&[&["127.0.0.1"]]);
    let door = door(&names);
    let good = format!("http://a.example:{}/", server.port);
    for closed in [
        "http://10.0.0.1/",
        "http://169.254.169.254/latest/meta-data/",
        "http://metadata.google.internal/",
        "http://[fd00::1]/",
        "http://127.0.0.2/",
    ] {
        let mut play = Play::of(&[&good, closed]);
        let permit = play.ask(&[&good, closed]).unwrap();
        let error = door.fetch(permit, &mut play, Wish::default()).await.unwrap_err();
        assert_eq!((error.code(), error.reason()), ("private_address", Some(Reason::PrivateAddress)), "{closed}");
    }
    assert_eq!((server.connections(), names.asked().len()), (0, 0));
}

#[tokio::test]
async fn the_addresses_of_one_call_are_opened_in_their_order() {
    let server = Server::saying(|path| ok(path)).await;
    let (one, other) = (server.url("/1"), server.url("/2"));
    let mut play = Play::of(&[&one, &other]);
    let permit = play.ask(&[&other, &one]).unwrap();
    let opened = door(&Names::default()).fetch(permit, &mut play, Wish::default()).await.unwrap();
    let bodies: Vec<_> = opened.into_iter().map(|opened| opened.end.unwrap().body.to_vec()).collect();
    assert_eq!(bodies, [b"/2", b"/1"]);
}

#[tokio::test]
async fn every_answer_of_a_name_is_classified_and_one_closed_answer_closes_it() {
    let server = Server::always(ok("")).await;
    let url = format!("http://a.example:{}/", server.port);
    for answers in [
        &["10.0.0.1"][..],
        &["127.0.0.1", "10.0.0.1"],
        &["127.0.0.1", "::ffff:10.0.0.1"],
        &["127.0.0.1", "127.0.0.2"],
        &["127.0.0.1", "169.254.169.254"],
        &["0.0.0.0"],
        &["::1"],
        &["64:ff9b::7f00:1"],
        &["2002:7f00:1::"],
        &["224.0.0.1"],
        &["100.64.0.1"],
        &["192.0.2.1"],
    ] {
        let names = Names::of(&[answers]);
        assert_eq!(code_by(&door(&names), &url).await, "private_address", "{answers:?}");
        assert_eq!(names.asked(), ["a.example"]);
    }
    assert_eq!(server.connections(), 0);
    let names = Names::of(&[&["127.0.0.1", "127.0.0.1"]]);
    assert_eq!(code_by(&door(&names), &url).await, "");
    assert_eq!(code_by(&door(&Names::default()), &url).await, "dns_failed");
}

#[tokio::test]
async fn a_name_that_answers_differently_the_second_time_is_judged_a_second_time() {
    let server = Server::always(ok("")).await;
    let url = format!("http://a.example:{}/", server.port);
    let names = Names::of(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let door = door(&names);
    assert_eq!(code_by(&door, &url).await, "");
    assert_eq!(code_by(&door, &url).await, "private_address");
    assert_eq!((names.asked().len(), server.connections()), (2, 1));
}

#[tokio::test]
async fn a_host_is_opened_by_its_name_and_port_and_no_other_with_it() {
    let server = Server::always(ok("")).await;
    let port = server.port;
    let names = Names::of(&[&["127.0.0.1"]]);
    let opening = |host: &str| {
        let reach = Reach::new(Private::parse([host], []).unwrap());
        Door::new(Settings { reach, ..settings(&names) }).unwrap()
    };
    let wiki = format!("http://wiki.example:{port}/");
    assert_eq!(code_by(&opening("wiki.example"), &wiki).await, "");
    assert_eq!(code_by(&opening(&format!("wiki.example:{port}")), &wiki).await, "");
    for (host, url) in [
        ("wiki.example:1", wiki.clone()),
        ("wiki.example", format!("http://a.wiki.example:{port}/")),
        ("wiki.example", format!("http://b.example:{port}/")),
        ("wiki.example", server.url("/")),
    ] {
        assert_eq!(code_by(&opening(host), &url).await, "private_address", "{host}");
    }
    assert_eq!(server.connections(), 2);
}

#[tokio::test]
async fn nothing_is_opened_unless_the_settings_say_so() {
    let server = Server::always(ok("")).await;
    let names = Names::of(&[&["127.0.0.1"]]);
    let closed = Door::new(Settings { resolver: Arc::new(names.clone()), ..Settings::default() }).unwrap();
    for url in [server.url("/"), format!("http://a.example:{}/", server.port)] {
        assert_eq!(code_by(&closed, &url).await, "private_address");
    }
    assert_eq!(server.connections(), 0);
}

#[tokio::test]
async fn the_systems_resolver_is_asked_through_the_same_guard() {
    let server = Server::always(ok("")).await;
    let url = format!("http://localhost:{}/", server.port);
    let reach = Reach::new(Private::parse([], ["127.0.0.0/8", "::1"]).unwrap());
    let opened = Door::new(Settings { reach, ..Settings::default() }).unwrap();
    assert_eq!(code_by(&opened, &url).await, "");
    assert_eq!(code_by(&Door::new(Settings::default()).unwrap(), &url).await, "private_address");
}

#[tokio::test]
async fn through_a_proxy_names_are_the_proxys_and_numbers_are_still_classified() {
    let proxy = Server::always(ok("from the proxy")).await;
    let names = Names::of(&[&["127.0.0.1"]]);
    let address = format!("http://proxy.example:{}", proxy.port);
    let through = Door::new(Settings { proxy: Some(address), reach: Reach::default(), ..settings(&names) }).unwrap();
    let answer = fetch_by(&through, "http://far.example/x").await.unwrap().end.unwrap();
    assert_eq!(&*answer.body, b"from the proxy");
    assert!(proxy.heads()[0].starts_with("GET http://far.example/x HTTP/1.1\r\n"));
    assert_eq!(names.asked(), ["proxy.example"]);
    for closed in ["http://10.0.0.1/", "http://metadata.google.internal/", "http://localhost/"] {
        assert!(matches!(fetch_by(&through, closed).await, Err(FetchError::PrivateAddress(_))), "{closed}");
    }
    assert_eq!(proxy.connections(), 1);
}

#[tokio::test]
async fn settings_that_cannot_be_read_make_no_door() {
    for bad in ["", "proxy.example:3128", "socks5://proxy.example", "ftp://proxy.example"] {
        let settings = Settings { proxy: Some(bad.to_owned()), ..Settings::default() };
        assert!(Door::new(settings).is_err(), "{bad}");
    }
    for bad in ["", "no certificate", "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"] {
        let settings = Settings { extra_roots: Some(bad.as_bytes().to_vec()), ..Settings::default() };
        assert!(Door::new(settings).is_err(), "{bad}");
    }
}

#[tokio::test]
async fn the_environment_names_no_proxy() {
    // Another process of this program, because the environment is one for all tests.
    let program = std::env::current_exe().unwrap();
    let mut alone = std::process::Command::new(program);
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "all_proxy"] {
        alone.env(name, "http://127.0.0.1:1");
    }
    let ran = alone.args(["--exact", "plain::an_error_of_the_server_is_an_answer"]).output().unwrap();
    let told = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success() && told.contains("1 passed"), "{told}");
}

#[tokio::test]
async fn of_both_kinds_of_addresses_the_one_that_answers_is_taken() {
    let server = Server::always(ok("")).await;
    let url = format!("http://a.example:{}/", server.port);
    let reach = Reach::new(Private::parse([], ["127.0.0.1", "::1", "100::/64"]).unwrap());
    // Nothing listens at the first, and nothing answers at the last.
    for answers in [&["::1", "127.0.0.1"][..], &["127.0.0.1", "::1"], &["100::1", "127.0.0.1"]] {
        let settings = Settings { reach: reach.clone(), ..settings(&Names::of(&[answers])) };
        assert_eq!(code_by(&Door::new(settings).unwrap(), &url).await, "", "{answers:?}");
    }
}

/// Never answers.
struct Mute;

impl Resolve for Mute {
    fn resolve(&self, _: &str) -> Answers {
        Box::pin(std::future::pending())
    }
}

#[tokio::test]
async fn a_resolver_that_does_not_answer_runs_into_the_deadline() {
    let limits = Limits { connect: Duration::from_millis(200), ..LIMITS };
    let door = Door::new(Settings { limits, resolver: Arc::new(Mute), ..Settings::default() }).unwrap();
    let end = fetch_by(&door, "http://a.example/").await.unwrap().end;
    assert_eq!(end.unwrap_err(), FetchError::TimedOut(Phase::Connect));
}

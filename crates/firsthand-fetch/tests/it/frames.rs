//! Servers of h2 that mean no good: they write frames as they like.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use firsthand_fetch::client::Settings;
use firsthand_fetch::limits::Limits;
use firsthand_fetch::open::Door;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpListener;

use crate::play::{LIMITS, Names, code_by, settings};
use crate::tls::{Paper, secures};

const DATA: u8 = 0;
const HEADERS: u8 = 1;
const RESET: u8 = 3;
const SETTINGS: u8 = 4;
const PUSH: u8 = 5;
const PING: u8 = 6;
const GO_AWAY: u8 = 7;
const CONTINUATION: u8 = 9;

const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// `:status: 200` in HPACK.
const OK: &[u8] = &[0x88];

fn frame(kind: u8, flags: u8, stream: u8, payload: &[u8]) -> Vec<u8> {
    let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
    [&length[1..], &[kind, flags, 0, 0, 0, stream], payload].concat()
}

/// A header in HPACK, as it is.
fn header(name: &str, value: &str) -> Vec<u8> {
    let text = |text: &str| [&[u8::try_from(text.len()).unwrap()], text.as_bytes()].concat();
    [vec![0], text(name), text(value)].concat()
}

/// How a connection goes on behind its first frames.
#[derive(Clone)]
enum Then {
    /// It stays open, and nothing comes.
    Nothing,
    /// These come without end.
    Again(Vec<u8>),
}

/// The code with which an address of such a server ends, and how many connections were made.
async fn served(first: Vec<u8>, then: Then) -> (&'static str, usize) {
    let (acceptor, root) = secures(Paper::Good, &["h2"]);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("https://a.example:{}/", listener.local_addr().unwrap().port());
    let connections = Arc::<Mutex<usize>>::default();
    let counted = Arc::clone(&connections);
    let task = tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let Ok(stream) = acceptor.accept(stream).await else { continue };
            *counted.lock().unwrap() += 1;
            let (mut from, mut to) = tokio::io::split(stream);
            let (first, then) = (first.clone(), then.clone());
            tokio::spawn(async move {
                // Whoever does not read is not written to for long.
                let read = async { while from.read(&mut [0; 4096]).await.is_ok_and(|count| count > 0) {} };
                let write = async {
                    to.write_all(&[frame(SETTINGS, 0, 0, &[]), first].concat()).await?;
                    loop {
                        match &then {
                            Then::Nothing => std::future::pending().await,
                            Then::Again(frames) => to.write_all(frames).await?,
                        }
                    }
                };
                tokio::select! {
                    () = read => {}
                    ended = write => drop::<std::io::Result<()>>(ended),
                }
            });
        }
    });
    let limits = Limits { first_byte: Duration::from_secs(2), idle: Duration::from_secs(2), ..LIMITS };
    let names = Names::of(&[&["127.0.0.1"]]);
    let door = Door::new(Settings { extra_roots: Some(root.into_bytes()), limits, ..settings(&names) }).unwrap();
    let code = code_by(&door, &url).await;
    task.abort();
    let connections = *connections.lock().unwrap();
    (code, connections)
}

fn headed(flags: u8, headers: &[u8]) -> Vec<u8> {
    frame(HEADERS, END_HEADERS | flags, 1, &[OK, headers].concat())
}

fn code_of(error: u8) -> [u8; 4] {
    [0, 0, 0, error]
}

#[tokio::test]
async fn a_stream_that_is_given_up_is_no_whole_answer_whatever_its_server_says_of_it() {
    let half = [headed(0, &[]), frame(DATA, 0, 1, b"half")].concat();
    // No error, internal, refused, given up, calm down.
    for error in [0, 2, 7, 8, 11] {
        let reset = [half.clone(), frame(RESET, 0, 1, &code_of(error))].concat();
        assert_eq!(served(reset, Then::Nothing).await, ("cut_off", 1), "{error}");
        let packed = [
            headed(0, &header("content-encoding", "gzip")),
            frame(DATA, 0, 1, b"\x1f\x8b\x08\0\0\0\0\0\0\xff"),
            frame(RESET, 0, 1, &code_of(error)),
        ];
        assert_eq!(served(packed.concat(), Then::Nothing).await, ("cut_off", 1), "{error}");
    }
    let whole = [half.clone(), frame(DATA, END_STREAM, 1, b""), frame(RESET, 0, 1, &code_of(0))].concat();
    assert_eq!(served(whole, Then::Nothing).await, ("", 1));
    let with_trailers = [half, frame(HEADERS, END_STREAM | END_HEADERS, 1, &header("x", "y"))].concat();
    assert_eq!(served(with_trailers, Then::Nothing).await, ("", 1));
}

#[tokio::test]
async fn frames_that_no_answer_is_made_of_end_it_and_nothing_is_asked_twice() {
    let pushed = [&[0, 0, 0, 2, 0x82, 0x87, 0x84], &*header(":authority", "sink.example")].concat();
    for (what, frames, code) in [
        ("refused", frame(RESET, 0, 1, &code_of(7)), "cut_off"),
        ("gone", frame(GO_AWAY, 0, 0, &[0; 8]), "cut_off"),
        ("asked for http/1.1", frame(GO_AWAY, 0, 0, &[code_of(0), code_of(13)].concat()), "cut_off"),
        ("pushed", frame(PUSH, END_HEADERS, 1, &pushed), "cut_off"),
        ("no status", frame(HEADERS, END_HEADERS | END_STREAM, 1, &header("x", "y")), "cut_off"),
        ("capitals", headed(END_STREAM, &header("X-Y", "z")), "cut_off"),
        (
            "too short",
            [headed(0, &header("content-length", "9")), frame(DATA, END_STREAM, 1, b"x")].concat(),
            "cut_off",
        ),
        (
            "too long",
            [headed(0, &header("content-length", "1")), frame(DATA, END_STREAM, 1, b"xyz")].concat(),
            "cut_off",
        ),
        ("longer than a frame", [&headed(0, &[])[..], &[0xff, 0xff, 0xff, 0, 0, 0, 0, 0, 1]].concat(), "cut_off"),
        ("no stream", [headed(END_STREAM, &[]), frame(DATA, 0, 3, b"x")].concat(), ""),
    ] {
        let (ended, connections) = served(frames, Then::Nothing).await;
        assert!(ended == code || code.is_empty() && ended == "cut_off", "{what}: {ended}");
        assert_eq!(connections, 1, "{what}");
    }
}

#[tokio::test]
async fn floods_of_frames_end() {
    let many = header("x", &"y".repeat(100)).repeat(20);
    let begun = frame(HEADERS, 0, 1, OK);
    for (what, first, again, codes) in [
        ("headers that go on", begun, frame(CONTINUATION, 0, 1, &many), &["cut_off", "too_large"][..]),
        (
            "trailers that go on",
            [headed(0, &[]), frame(HEADERS, 0, 1, &many)].concat(),
            frame(CONTINUATION, 0, 1, &many),
            &["cut_off", "too_large"],
        ),
        ("data of no bytes", headed(0, &[]), frame(DATA, 0, 1, &[]), &["cut_off", "timed_out"]),
        (
            "interim answers",
            Vec::new(),
            frame(HEADERS, END_HEADERS, 1, &[8, 3, b'1', b'0', b'3']),
            &["cut_off", "timed_out"],
        ),
        ("pings", Vec::new(), frame(PING, 0, 0, &[0; 8]), &["cut_off", "timed_out"]),
        ("settings", Vec::new(), frame(SETTINGS, 0, 0, &[]), &["cut_off", "timed_out"]),
        ("unknown frames", Vec::new(), frame(99, 0, 0, &[0; 1000]), &["cut_off", "timed_out"]),
    ] {
        let (ended, connections) = served(first, Then::Again(again)).await;
        assert!(codes.contains(&ended), "{what}: {ended:?}");
        assert_eq!(connections, 1, "{what}");
    }
}

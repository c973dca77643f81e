//! Heads that never end, lie, or are none.

use std::time::Duration;

use firsthand_fetch::client::Settings;
use firsthand_fetch::error::{FetchError, Phase};
use firsthand_fetch::limits::Limits;
use firsthand_fetch::open::Door;
use tokio::io::AsyncWriteExt as _;

use crate::play::{LIMITS, Names, code, code_by, fetch_by, settings};
use crate::server::{Server, ok, with};

fn hasty() -> Door {
    let short = Duration::from_millis(300);
    let limits = Limits { connect: short, first_byte: short, idle: short, whole: Duration::from_secs(2), ..LIMITS };
    Door::new(Settings { limits, ..settings(&Names::default()) }).unwrap()
}

#[tokio::test]
async fn endless_headers_are_too_large_in_number_and_in_bytes() {
    let endless = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\n").await?;
            for number in 0_u64.. {
                stream.write_all(format!("x-{number}: {}\r\n", "y".repeat(500)).as_bytes()).await?;
            }
            Ok(())
        })
    })
    .await;
    assert_eq!(code(&endless.url("/")).await, "too_large");
    let one = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\nx: ").await?;
            loop {
                stream.write_all(&[b'y'; 4096]).await?;
            }
        })
    })
    .await;
    assert_eq!(code(&one.url("/")).await, "too_large");
    let many = Server::always(with("200 OK", &"x: y\r\n".repeat(60), "")).await;
    assert_eq!(code(&many.url("/")).await, "too_large");
    let long = Server::always(with("200 OK", &format!("x: {}\r\n", "y".repeat(9 << 10)), "")).await;
    assert_eq!(code(&long.url("/")).await, "too_large");
}

#[tokio::test]
async fn what_is_no_head_of_http_1_is_a_bad_response() {
    for nonsense in [
        "hello, this is version 0.9\r\n",
        "<html>no head</html>",
        "HTTP/1.1 abc OK\r\n\r\n",
        "HTTP/9.9 200 OK\r\n\r\n",
        "HTTP/1.1 200 OK\r\nbad header\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: -1\r\n\r\n",
        "HTTP/1.1 200 OK\r\ncontent-length: 5\r\ncontent-length: 6\r\n\r\nhello!",
        "HTTP/1.1 101 Switching Protocols\r\nconnection: upgrade\r\nupgrade: x\r\n\r\nhello",
        "SSH-2.0-OpenSSH_9.2\r\n",
        "220 mail.example ESMTP\r\n",
        "\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0",
    ] {
        let server = Server::always(nonsense).await;
        assert_eq!(code(&server.url("/")).await, "bad_response", "{nonsense:?}");
    }
}

#[tokio::test]
async fn a_head_that_is_cut_off_is_cut_off() {
    for part in ["", "HTTP/1.1", "HTTP/1.1 200 OK\r\n", "HTTP/1.1 200 OK\r\ncontent-length: 5\r\n"] {
        let server = Server::always(part).await;
        assert_eq!(code(&server.url("/")).await, "cut_off", "{part:?}");
        // Nothing is sent a second time.
        assert_eq!(server.connections(), 1, "{part:?}");
    }
}

#[tokio::test]
async fn a_flood_of_interim_answers_runs_into_the_deadline() {
    let flood = Server::doing(|mut stream, _| {
        Box::pin(async move {
            loop {
                stream.write_all(&b"HTTP/1.1 103 Early Hints\r\nlink: </x>\r\n\r\n".repeat(50)).await?;
            }
        })
    })
    .await;
    assert_eq!(code_by(&hasty(), &flood.url("/")).await, "timed_out");
    let mut some = b"HTTP/1.1 100 Continue\r\n\r\n".repeat(3);
    some.extend(ok("there"));
    assert_eq!(code(&Server::always(some).await.url("/")).await, "");
}

#[tokio::test]
async fn silence_and_slowness_run_into_their_deadlines() {
    let silent = Server::doing(|stream, _| {
        Box::pin(async move {
            tokio::time::sleep(Duration::from_secs(60)).await;
            drop(stream);
            Ok(())
        })
    })
    .await;
    let end = fetch_by(&hasty(), &silent.url("/")).await.unwrap().end;
    assert_eq!(end.unwrap_err(), FetchError::TimedOut(Phase::FirstByte));
    let slow_head = Server::doing(|mut stream, _| {
        Box::pin(async move {
            for byte in b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n" {
                stream.write_all(&[*byte]).await?;
                tokio::time::sleep(Duration::from_millis(50)).await;
            }
            Ok(())
        })
    })
    .await;
    assert_eq!(code_by(&hasty(), &slow_head.url("/")).await, "timed_out");
    // Each byte comes in time, all of them do not.
    let slow_body = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n").await?;
            loop {
                stream.write_all(b"x").await?;
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        })
    })
    .await;
    let end = fetch_by(&hasty(), &slow_body.url("/")).await.unwrap().end;
    assert_eq!(end.unwrap_err(), FetchError::TimedOut(Phase::Whole));
    let stuck_body = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\nx").await?;
            tokio::time::sleep(Duration::from_secs(60)).await;
            Ok(())
        })
    })
    .await;
    let end = fetch_by(&hasty(), &stuck_body.url("/")).await.unwrap().end;
    assert_eq!(end.unwrap_err(), FetchError::TimedOut(Phase::Idle));
}

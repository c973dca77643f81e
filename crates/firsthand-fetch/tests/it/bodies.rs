//! Bodies that are too large, cut off, or not what their heads say.

use async_compression::Level;
use async_compression::tokio::write::{BrotliEncoder, DeflateEncoder, GzipEncoder, ZlibEncoder, ZstdEncoder};
use async_compression::zstd::CParameter;
use firsthand_fetch::error::{FetchError, Size};
use tokio::io::AsyncWriteExt as _;

use crate::play::{code, fetch};
use crate::server::{Server, with};

macro_rules! packed {
    ($encoder:ident, $bytes:expr) => {{
        let mut encoder = $encoder::with_quality(Vec::new(), Level::Fastest);
        encoder.write_all($bytes).await.unwrap();
        encoder.shutdown().await.unwrap();
        encoder.into_inner()
    }};
}

/// A body packed in every way, with the value of the header.
async fn in_every_way(bytes: &[u8]) -> Vec<(&'static str, Vec<u8>)> {
    let gzip = packed!(GzipEncoder, bytes);
    let twice = packed!(GzipEncoder, &gzip);
    vec![
        ("gzip, x-gzip", twice),
        ("gzip", gzip),
        ("br", packed!(BrotliEncoder, bytes)),
        ("zstd", packed!(ZstdEncoder, bytes)),
        ("deflate", packed!(ZlibEncoder, bytes)),
        ("deflate", packed!(DeflateEncoder, bytes)),
    ]
}

async fn serving(encoding: &str, body: &[u8]) -> Server {
    Server::always(with("200 OK", &format!("content-encoding: {encoding}\r\n"), body)).await
}

#[tokio::test]
async fn bodies_are_unpacked_in_every_way_they_may_be_packed() {
    let text = "Das Schiff fährt am 14. Mai. ".repeat(5000);
    for (encoding, body) in in_every_way(text.as_bytes()).await {
        let server = serving(encoding, &body).await;
        let answer = fetch(&server.url("/")).await.end.unwrap();
        assert_eq!(&*answer.body, text.as_bytes(), "{encoding}");
    }
    let server = serving("identity", text.as_bytes()).await;
    assert_eq!(&*fetch(&server.url("/")).await.end.unwrap().body, text.as_bytes());
    let mut members = packed!(GzipEncoder, b"one ");
    members.extend(packed!(GzipEncoder, b"two"));
    assert_eq!(&*fetch(&serving("gzip", &members).await.url("/")).await.end.unwrap().body, b"one two");
}

#[tokio::test]
async fn bombs_end_at_the_ceiling() {
    let zeros = vec![0; 64 << 20];
    for (encoding, body) in in_every_way(&zeros).await {
        assert!(body.len() < 1 << 20);
        assert_eq!(code(&serving(encoding, &body).await.url("/")).await, "too_large", "{encoding}");
    }
}

#[tokio::test]
async fn what_is_packed_too_often_or_in_an_unknown_way_is_not_unpacked() {
    for encoding in ["gzip, gzip, gzip", "compress", "exi", "aes128gcm", "dcz", "gzip;q=1", "br, unknown"] {
        let server = serving(encoding, b"x").await;
        assert_eq!(code(&server.url("/")).await, "unsupported_content_encoding", "{encoding}");
    }
}

#[tokio::test]
async fn what_is_not_packed_as_it_says_is_an_error() {
    for encoding in ["gzip", "br", "zstd", "deflate"] {
        let server = serving(encoding, b"<html>this was never packed at all, whatever the head says</html>").await;
        let code = code(&server.url("/")).await;
        assert!(["broken_content_encoding", "cut_off"].contains(&code), "{encoding}: {code}");
    }
    let text = "Das Schiff fährt am 14. Mai. ".repeat(500);
    for (encoding, body) in in_every_way(text.as_bytes()).await {
        let half = body.get(..body.len() / 2).unwrap();
        let code = code(&serving(encoding, half).await.url("/")).await;
        assert!(["broken_content_encoding", "cut_off"].contains(&code), "half of {encoding}: {code:?}");
    }
}

#[tokio::test]
async fn a_zstd_frame_that_asks_for_a_great_window_is_refused() {
    let wide = [CParameter::window_log(27), CParameter::enable_long_distance_matching(true)];
    let mut encoder = ZstdEncoder::with_quality_and_params(Vec::new(), Level::Fastest, &wide);
    // Two pieces, so that the frame does not know its length and cannot ask for less.
    encoder.write_all(&[b'x'; 200_000]).await.unwrap();
    encoder.flush().await.unwrap();
    encoder.write_all(&[b'y'; 200_000]).await.unwrap();
    encoder.shutdown().await.unwrap();
    let server = serving("zstd", &encoder.into_inner()).await;
    assert_eq!(code(&server.url("/")).await, "broken_content_encoding");
}

#[tokio::test]
async fn a_body_that_says_or_shows_that_it_is_too_large_is_not_read_on() {
    let says = Server::always("HTTP/1.1 200 OK\r\ncontent-length: 4294967296\r\n\r\nx").await;
    assert_eq!(code(&says.url("/")).await, "too_large");
    for head in ["HTTP/1.1 200 OK\r\n\r\n", "HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"] {
        let endless = Server::doing(move |mut stream, _| {
            Box::pin(async move {
                stream.write_all(head.as_bytes()).await?;
                let piece = [&b"4000\r\n"[..], &[b'x'; 0x4000], b"\r\n"].concat();
                loop {
                    stream.write_all(&piece).await?;
                }
            })
        })
        .await;
        assert_eq!(code(&endless.url("/")).await, "too_large");
    }
}

#[tokio::test]
async fn each_ceiling_holds_where_the_other_does_not() {
    let mut state = 1_u64;
    let mut noise = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state.to_be_bytes()[0]
    };
    let noise: Vec<u8> = (0..3 << 19).map(|_| noise()).collect();
    for (encoding, body) in in_every_way(&noise).await.into_iter().chain([("identity", noise.clone())]) {
        let head = format!("HTTP/1.1 200 OK\r\ncontent-encoding: {encoding}\r\n\r\n");
        let server = Server::always([head.as_bytes(), &body].concat()).await;
        let end = fetch(&server.url("/")).await.end;
        assert_eq!(end.unwrap_err(), FetchError::TooLarge(Size::Sent), "{encoding}");
    }
}

#[tokio::test]
async fn wrong_lengths_and_chunks_are_cut_off_or_bad() {
    for (answer, code) in [
        ("content-length: 100\r\n\r\nshort", "cut_off"),
        ("transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n", "cut_off"),
        ("transfer-encoding: chunked\r\n\r\n5\r\nhel", "cut_off"),
        ("transfer-encoding: chunked\r\n\r\nffffffffffffffffff\r\nx", "cut_off"),
        ("transfer-encoding: chunked\r\n\r\nzz\r\nhello\r\n0\r\n\r\n", "cut_off"),
        ("transfer-encoding: chunked\r\n\r\n5\r\nhelloworld\r\n0\r\n\r\n", "cut_off"),
    ] {
        let server = Server::always(format!("HTTP/1.1 200 OK\r\n{answer}")).await;
        assert_eq!(self::code(&server.url("/")).await, code, "{answer:?}");
    }
    // What comes behind the stated length belongs to nobody.
    let long = Server::always("HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nhello and more").await;
    assert_eq!(&*fetch(&long.url("/")).await.end.unwrap().body, b"hello");
    let trailer = "transfer-encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nx: y\r\n\r\n";
    let server = Server::always(format!("HTTP/1.1 200 OK\r\n{trailer}")).await;
    assert_eq!(&*fetch(&server.url("/")).await.end.unwrap().body, b"hello");
}

#[tokio::test]
async fn chunk_extensions_and_trailers_have_an_end() {
    for start in ["5;", "0\r\nx: "] {
        let endless = Server::doing(move |mut stream, _| {
            Box::pin(async move {
                stream.write_all(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n").await?;
                stream.write_all(start.as_bytes()).await?;
                loop {
                    stream.write_all(&[b'x'; 4096]).await?;
                }
            })
        })
        .await;
        let code = code(&endless.url("/")).await;
        assert!(["cut_off", "too_large", "bad_response"].contains(&code), "{start}: {code}");
    }
}

#[tokio::test]
async fn a_reset_in_the_middle_is_cut_off() {
    let server = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\nhello").await?;
            // Closing with nothing lingering sends a reset.
            stream.set_zero_linger()?;
            Ok(())
        })
    })
    .await;
    assert_eq!(code(&server.url("/")).await, "cut_off");
}

#[tokio::test]
async fn ten_thousand_links_come_through_as_they_are() {
    let page: String = (0..10_000).map(|number| format!("<a href=\"/{number}\">{number}</a>")).collect();
    let server = Server::always(with("200 OK", "content-type: text/html\r\n", &page)).await;
    assert_eq!(&*fetch(&server.url("/")).await.end.unwrap().body, page.as_bytes());
    assert_eq!(server.connections(), 1);
}

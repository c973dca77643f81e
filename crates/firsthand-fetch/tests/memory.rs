//! Memory stays flat whatever a server sends. One test in a program of its own, because it looks at the whole program.
#![cfg(target_os = "linux")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

#[path = "it/play.rs"]
#[expect(dead_code, reason = "the other tests use the rest")]
mod play;
#[path = "it/server.rs"]
#[expect(dead_code, reason = "the other tests use the rest")]
mod server;

use async_compression::Level;
use async_compression::tokio::write::{BrotliEncoder, GzipEncoder, ZstdEncoder};
use firsthand_fetch::client::Settings;
use firsthand_fetch::limits::Limits;
use firsthand_fetch::open::{Door, Wish};
use firsthand_fetch::save::{Existing, Place};
use tokio::io::AsyncWriteExt as _;

use play::{Names, Play, code, settings};
use server::{Server, with};

/// The most that the program ever held, in kilobytes.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).unwrap();
    line.split_whitespace().nth(1).unwrap().parse().unwrap()
}

/// A gigabyte of zeros, packed.
macro_rules! bomb {
    ($encoder:ident) => {{
        let mut encoder = $encoder::with_quality(Vec::new(), Level::Fastest);
        let zeros = vec![0; 1 << 20];
        for _ in 0..1024 {
            encoder.write_all(&zeros).await.unwrap();
        }
        encoder.shutdown().await.unwrap();
        encoder.into_inner()
    }};
}

/// Sends four gibibytes without end in sight.
async fn sparse(head: &'static str) -> Server {
    Server::doing(move |mut stream, _| {
        Box::pin(async move {
            stream.write_all(head.as_bytes()).await?;
            let piece = vec![b'y'; 1 << 18];
            for _ in 0..1 << 14 {
                stream.write_all(&piece).await?;
            }
            Ok(())
        })
    })
    .await
}

const MEGABYTES: u64 = 1 << 10;

#[tokio::test]
async fn memory_stays_flat() {
    let (gzip, brotli, zstd) = (bomb!(GzipEncoder), bomb!(BrotliEncoder), bomb!(ZstdEncoder));
    let mut twice = GzipEncoder::with_quality(Vec::new(), Level::Best);
    twice.write_all(&gzip).await.unwrap();
    twice.shutdown().await.unwrap();
    let bombs = [("gzip", gzip), ("br", brotli), ("zstd", zstd), ("gzip, gzip", twice.into_inner())];
    let mut servers = vec![sparse("HTTP/1.1 200 OK\r\n\r\n").await];
    servers.push(sparse("HTTP/1.1 200 OK\r\nx: ").await);
    for (encoding, body) in bombs {
        let headers = format!("content-encoding: {encoding}\r\n");
        // Cut off where the ceiling of what is sent would otherwise be reached first.
        let body = body.get(..body.len().min(1 << 20)).unwrap();
        servers.push(Server::always(with("200 OK", &headers, body)).await);
    }
    // One answer first, so that what every program holds is held already.
    code(&servers[0].url("/")).await;
    let before = peak();
    for server in &servers {
        assert_eq!(code(&server.url("/")).await, "too_large");
    }
    let grown = peak() - before;
    // The ceilings of the tests are one and two megabytes; a window of zstd is eight.
    assert!(grown < 24 * MEGABYTES, "memory grew by {grown} kB");

    // A file may be far larger than what is held.
    let file = Server::doing(|mut stream, _| {
        Box::pin(async move {
            stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-length: 268435456\r\n\r\n").await?;
            let piece = vec![0; 1 << 18];
            for _ in 0..1 << 10 {
                stream.write_all(&piece).await?;
            }
            Ok(())
        })
    })
    .await;
    let folder = tempfile::tempdir().unwrap();
    let address = file.url("/large");
    let mut play = Play::of(&[&address]);
    let permit = play.ask(&[&address]).unwrap();
    let limits = Limits::DOWNLOAD;
    let door = Door::new(Settings { limits, ..settings(&Names::default()) }).unwrap();
    let before = peak();
    let place = Place::folder(folder.path(), Existing::Keep);
    let saved = door.download(permit, &mut play, &place, Wish::default()).await.unwrap().pop().unwrap().end.unwrap();
    assert_eq!(saved.bytes, 1 << 28);
    let grown = peak() - before;
    assert!(grown < 16 * MEGABYTES, "memory grew by {grown} kB while a file was written");
}

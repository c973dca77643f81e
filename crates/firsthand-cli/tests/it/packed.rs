//! gzip, zstd, standard input, and very long lines.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use crate::tool::Folder;

const PAGE: &str = "see https://a.example/one and https://b.example/two\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

#[test]
fn packed_input_is_read_like_plain_input_whatever_its_name() {
    let folder = Folder::new();
    folder.file("plain", PAGE).file("one", gzip(PAGE.as_bytes()));
    folder.file("two", compress_to_vec(PAGE.as_bytes(), CompressionLevel::Fastest));
    let plain = folder.run(&["urls", "plain", "--json"]);
    plain.exits(0);
    for name in ["one", "two"] {
        let done = folder.run(&["urls", name, "--json"]);
        assert_eq!(done.exits(0).out, plain.out);
    }
    let done = folder.run_with(&["urls", "-", "--json"], &gzip(PAGE.as_bytes()), &[]);
    assert_eq!(done.exits(0).out, plain.out);
}

#[test]
fn packed_data_that_end_early_are_bad_input() {
    let folder = Folder::new();
    let packed = gzip(PAGE.as_bytes());
    folder.file("cut.jsonl.gz", packed.get(..packed.len() / 2).unwrap());
    folder.run(&["trace", "cut.jsonl.gz"]).exits(2).complains(&["cut.jsonl.gz: broken gzip data", "expected whole"]);
}

#[test]
fn a_decompression_bomb_is_told_and_costs_little() {
    let folder = Folder::new();
    for level in [Compression::fast(), Compression::best()] {
        let mut packer = GzEncoder::new(Vec::new(), level);
        for _ in 0..300 {
            packer.write_all(&[b' '; 1 << 20]).unwrap();
        }
        folder.file("bomb.jsonl.gz", packer.finish().unwrap());
        folder.run(&["items", "bomb.jsonl.gz"]).exits(2).complains(&["bomb.jsonl.gz", "decompression bomb"]);
    }
}

#[test]
fn a_line_of_two_hundred_megabytes_is_a_line() {
    if std::env::var_os("FIRSTHAND_BIG_TESTS").is_none() {
        println!("not run: set FIRSTHAND_BIG_TESTS=1 to write and read a file of 200 MB");
        return;
    }
    let folder = Folder::new();
    let mut line = Vec::with_capacity(210 << 20);
    line.extend_from_slice(b"{\"position\":\"user\",\"text\":\"");
    while line.len() < 200 << 20 {
        line.extend_from_slice(b"one more sentence without an address, and then another one; ");
    }
    line.extend_from_slice(b"https://a.example/last\"}\n");
    folder.file("long.jsonl", &line);
    folder.run(&["urls", "long.jsonl", "--as", "json", "--count"]).exits(0);
    let done = folder.run(&["check", "long.jsonl", "--tool", "web_fetch", "--url", "https://a.example/last"]);
    done.exits(0).says(&["Open."]);
}

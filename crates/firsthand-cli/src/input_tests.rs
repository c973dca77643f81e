#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use ruzstd::encoding::{CompressionLevel, compress_to_vec};

use super::*;

const WORDS: &[u8] = b"{\"position\":\"user\",\"text\":\"hello\"}\n";

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::best());
    packer.write_all(bytes).unwrap();
    packer.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    compress_to_vec(bytes, CompressionLevel::Fastest)
}

fn read_bytes(bytes: &[u8]) -> Result<Vec<u8>, String> {
    read_from(bytes, 0).map_err(|error| error.to_string())
}

#[test]
fn packed_data_are_known_by_their_first_bytes() {
    assert_eq!(read_bytes(WORDS).unwrap(), WORDS);
    assert_eq!(read_bytes(&gzip(WORDS)).unwrap(), WORDS);
    assert_eq!(read_bytes(&zstd(WORDS)).unwrap(), WORDS);
    assert_eq!(read_bytes(b"").unwrap(), b"");
}

#[test]
fn several_members_or_frames_are_one_text() {
    let twice = [WORDS, WORDS].concat();
    assert_eq!(read_bytes(&[gzip(WORDS), gzip(WORDS)].concat()).unwrap(), twice);
    let skipped = [0x51, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3].to_vec();
    assert_eq!(read_bytes(&[skipped, zstd(WORDS), zstd(WORDS)].concat()).unwrap(), twice);
}

#[test]
fn data_that_are_cut_off_are_no_shorter_text() {
    let long: Vec<u8> = (0..20_000_u32).flat_map(|number| number.to_string().into_bytes()).collect();
    for (packed, name) in [(gzip(&long), "gzip"), (zstd(&long), "zstd")] {
        let error = read_bytes(&packed[..packed.len() / 2]).unwrap_err();
        assert!(error.contains(&format!("broken {name} data")), "{error}");
    }
}

#[test]
fn a_changed_byte_is_noticed() {
    let mut packed = gzip(WORDS);
    let middle = packed.len() - 6;
    packed[middle] ^= 0x55;
    assert!(read_bytes(&packed).unwrap_err().contains("broken gzip data"));
}

#[test]
fn a_decompression_bomb_is_stopped() {
    for level in [Compression::fast(), Compression::best()] {
        let mut packer = GzEncoder::new(Vec::new(), level);
        // Lines, so that it is not a long one that stops it.
        (0..40).for_each(|_| packer.write_all(&[&[0; (1 << 20) - 1][..], b"\n"].concat()).unwrap());
        let packed = packer.finish().unwrap();
        let error = read_bytes(&packed).map(|text| text.len()).unwrap_err();
        assert!(error.contains("100 times"), "{error}");
    }
}

#[test]
fn a_line_has_an_end_before_there_is_no_memory_for_it() {
    struct Line(u64);
    impl Read for Line {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let room = buffer.len().min(usize::try_from(self.0).unwrap());
            buffer[..room].fill(b'a');
            self.0 -= u64::try_from(room).unwrap();
            Ok(room)
        }
    }
    let error = read_from(Line(MAX_LINE + 1), 0).map(|text| text.len()).unwrap_err();
    assert!(error.to_string().contains("a line of more than"), "{error}");
    let lines = (&b"{}\n"[..]).chain(Line(1 << 20)).chain(&b"\n"[..]).chain(Line(1 << 20));
    assert!(read_from(lines, 0).is_ok());
}

#[test]
fn a_beginning_is_unpacked_without_the_rest() {
    let folder = std::env::temp_dir().join(format!("firsthand-head-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (name, bytes) in [("plain", WORDS.to_vec()), ("gzip", gzip(WORDS)), ("zstd", zstd(WORDS))] {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        assert_eq!(head(&path, 9).unwrap(), &WORDS[..9]);
    }
    fs::remove_dir_all(&folder).unwrap();
}

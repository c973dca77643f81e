//! Bytes that a recorder kept as base64, and what compression they came in.

use std::io::Read as _;

use data_encoding::BASE64;
use flate2::read::MultiGzDecoder;

use crate::format::recorded::node::Node;

/// How much a packed body may unpack to, in bytes, and how many times its own size where that is more.
const FREE: usize = 16 << 20;
const MAX_RATIO: usize = 250;

/// The text that base64 holds, unpacked where it is gzip. `None` where there is none.
pub(super) fn text_of(base64: &str) -> Option<String> {
    let letters: Vec<u8> = base64.bytes().filter(|byte| !byte.is_ascii_whitespace()).collect();
    text(BASE64.decode(&letters).ok()?)
}

fn text(bytes: Vec<u8>) -> Option<String> {
    if !bytes.starts_with(b"\x1f\x8b") {
        return String::from_utf8(bytes).ok();
    }
    let most = bytes.len().saturating_mul(MAX_RATIO).max(FREE);
    let mut unpacked = Vec::new();
    let limit = u64::try_from(most).ok()?.saturating_add(1);
    MultiGzDecoder::new(bytes.as_slice()).take(limit).read_to_end(&mut unpacked).ok()?;
    if unpacked.len() > most { None } else { String::from_utf8(unpacked).ok() }
}

/// What stands for bytes that hold no text.
pub(super) fn unreadable() -> Node<'static> {
    Node::Map(vec![("unreadable".into(), Node::Bool(true))])
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn packed(text: &[u8]) -> String {
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(text).unwrap();
        BASE64.encode(&packer.finish().unwrap())
    }

    #[test]
    fn a_body_is_unpacked_unless_it_unpacks_to_far_more_than_it_is() {
        assert_eq!(text_of(&packed(b"{\"a\":1}")).unwrap(), "{\"a\":1}");
        assert_eq!(text_of(&packed(&vec![b' '; FREE])).map(|text| text.len()), Some(FREE));
        assert_eq!(text_of(&packed(&vec![b' '; FREE + 1])), None);
        assert_eq!(text_of("H4sI"), None);
    }
}

//! Addresses that the parser gives back byte for byte, which are most.
//!
//! This is only faster: what is not recognised here goes the long way.

use std::ops::Range;

/// May stand behind a plain host.
const REST: u8 = 1;
/// May stand there, but not where a segment begins.
const INSIDE: u8 = 2;
/// A small letter or a digit.
const WORD: u8 = 4;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = b'!';
    #[expect(clippy::indexing_slicing, reason = "the index is below 127 and the table is built by the compiler")]
    while byte <= b'~' {
        classes[byte as usize] = match byte {
            b'"' | b'\'' | b'<' | b'>' | b'[' | b'\\' | b']' | b'^' | b'`' | b'{' | b'|' | b'}' => 0,
            b'.' | b'%' => INSIDE,
            b'a'..=b'z' | b'0'..=b'9' => REST | WORD,
            _ => REST,
        };
        byte += 1;
    }
    classes
}

fn class(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(0)
}

/// Where the host stands of a plain address; `None` for any other spelling.
///
/// Plain is: a lower-case scheme and host, whose last label begins with a letter and none of whose labels is encoded; no
/// port; a path that has no segment beginning with a dot or an encoded one.
pub(super) fn host(address: &str) -> Option<Range<usize>> {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
    let host = plain_host(rest.as_bytes())?;
    let path = rest.as_bytes().get(host..)?;
    let mut met = 0;
    for &byte in path {
        let class = class(byte);
        if class == 0 {
            return None;
        }
        met |= class;
    }
    if met & INSIDE != 0 && path.windows(2).any(|pair| matches!(pair, b"/." | b"/%")) {
        return None;
    }
    let start = address.len() - rest.len();
    Some(start..start + host)
}

/// How long the host is that an address begins with behind its scheme, where that is plain and a slash follows.
fn plain_host(bytes: &[u8]) -> Option<usize> {
    let (mut label, mut word) = (0, 0);
    loop {
        let length =
            bytes.get(word..)?.iter().position(|&byte| class(byte) & WORD == 0).filter(|&length| length > 0)?;
        let at = word + length;
        match bytes.get(at)? {
            // A label with hyphens at its third and fourth place is one in another writing, or wants to be.
            b'-' => {}
            b'.' if at - label <= 63 => label = at + 1,
            b'/' if at - label <= 63 && at <= 253 => {
                return bytes.get(label).is_some_and(u8::is_ascii_lowercase).then_some(at);
            }
            _ => return None,
        }
        word = at + 1;
    }
}

#[cfg(test)]
#[expect(clippy::panic, reason = "a panic is the report of a test")]
mod tests {
    use proptest::prelude::*;
    use url::Url;

    use super::host;

    fn holds(address: &str) {
        if let Some(range) = host(address) {
            let url = Url::parse(address).unwrap_or_else(|error| panic!("{address}: {error}"));
            assert_eq!(url.as_str(), address);
            assert_eq!(url.host_str(), address.get(range));
            assert!(url.username().is_empty() && url.port().is_none(), "{address}");
        }
    }

    #[test]
    fn most_addresses_are_plain() {
        for address in ["https://a.example/", "http://docs.a-b.example.com/x/y?q=a%20b&c=(d)#e:f", "https://intranet/c"]
        {
            assert!(host(address).is_some(), "{address}");
            holds(address);
        }
        for address in
            ["https://a.example", "https://A.example/", "https://u@a.example/", "https://a.example:1/", "https://1.2/"]
        {
            assert_eq!(host(address), None, "{address}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn the_parser_gives_back_what_is_plain(tail in "[a-z0-9.%/?#@:;=&(-]{0,24}", first in "[a-z0-9.-]{1,12}") {
            holds(&format!("https://{first}/{tail}"));
            holds(&format!("http://{first}{tail}"));
        }
    }
}

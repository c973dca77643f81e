//! Addresses that the parser gives back byte for byte, which are most.
//!
//! This is only faster: what is not recognised here goes the long way.

use std::ops::Range;

/// May stand in a host.
const HOST: u8 = 1;
/// May stand behind it.
const REST: u8 = 2;

static CLASSES: [u8; 256] = classes();

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    #[expect(
        clippy::indexing_slicing,
        clippy::cast_possible_truncation,
        reason = "the index is below 256 and the table is built by the compiler"
    )]
    while byte < 128 {
        classes[byte] = match byte as u8 {
            b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' => HOST | REST,
            b'A'..=b'Z' | b'/' | b'?' | b'#' | b'_' | b'~' | b'!' | b'$' | b'&' | b'(' | b')' | b'*' | b'+' | b',' => {
                REST
            }
            b'=' | b':' | b'@' | b';' | b'%' => REST,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

fn is(byte: u8, class: u8) -> bool {
    CLASSES.get(usize::from(byte)).is_some_and(|&classes| classes & class != 0)
}

/// Where the host stands of a plain address; `None` for any other spelling.
///
/// Plain is: a lower-case scheme and host, whose last label begins with a letter and none of whose labels is encoded; no
/// port; a path that has no segment beginning with a dot or an encoded one.
pub(super) fn host(address: &str) -> Option<Range<usize>> {
    let rest = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"))?;
    let start = address.len() - rest.len();
    let bytes = rest.as_bytes();
    let end = bytes.iter().position(|&byte| !is(byte, HOST))?;
    if bytes.get(end) != Some(&b'/') || !is_plain_host(bytes.get(..end)?) {
        return None;
    }
    let mut before = b'/';
    for &byte in bytes.get(end + 1..)? {
        if !is(byte, REST) || before == b'/' && matches!(byte, b'.' | b'%') {
            return None;
        }
        before = byte;
    }
    Some(start..start + end)
}

fn is_plain_host(host: &[u8]) -> bool {
    let last = host.iter().rposition(|&byte| byte == b'.').map_or(0, |dot| dot + 1);
    // A label with hyphens at its third and fourth place is one in another writing, or wants to be.
    host.len() <= 253
        && host.get(last).is_some_and(u8::is_ascii_lowercase)
        && !host.windows(2).any(|pair| pair == b".." || pair == b"--")
        && host
            .split(|&byte| byte == b'.')
            .all(|label| (1..=63).contains(&label.len()) && label.first() != Some(&b'-') && label.last() != Some(&b'-'))
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

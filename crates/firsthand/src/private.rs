//! What of private networks may be reached.
//!
//! Where a name leads is known only when it is dialled; the decision comes before. So this is kept for whoever dials: an
//! address in numbers that is not public is closed unless it stands here, or the name that led to it does.

use std::net::IpAddr;

/// The hosts and ranges of private networks that a policy opens.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Private {
    hosts: Vec<Host>,
    ranges: Vec<Range>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    written: String,
    name: String,
    port: Option<u16>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Range {
    written: String,
    first: IpAddr,
    bits: u32,
}

/// Why an entry is refused. It is named; entries are the operator's own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("found `{entry}`; expected {expected}")]
pub struct PrivateError {
    /// The entry as it was written.
    pub entry: String,
    /// What may stand there.
    pub expected: &'static str,
}

impl Private {
    /// Reads hosts (`name`, `name:port`, an address in numbers, one of IPv6 in brackets) and ranges (`10.0.0.0/8`).
    pub fn parse<'e>(
        hosts: impl IntoIterator<Item = &'e str>,
        ranges: impl IntoIterator<Item = &'e str>,
    ) -> Result<Self, PrivateError> {
        Ok(Self {
            hosts: hosts.into_iter().map(host).collect::<Result<_, _>>()?,
            ranges: ranges.into_iter().map(range).collect::<Result<_, _>>()?,
        })
    }

    /// Whether whatever this host leads to may be reached, at this port. The host is in A-label form, without brackets.
    pub fn opens_host(&self, host: &str, port: u16) -> bool {
        let host = host.strip_suffix('.').unwrap_or(host);
        self.hosts.iter().any(|entry| entry.name == host && entry.port.is_none_or(|own| own == port))
    }

    /// Whether an address in numbers lies in a range that is opened.
    pub fn opens_number(&self, address: IpAddr) -> bool {
        self.ranges.iter().any(|range| match (range.first, address) {
            (IpAddr::V4(first), IpAddr::V4(other)) => {
                same(first.to_bits().into(), other.to_bits().into(), 32, range.bits)
            }
            (IpAddr::V6(first), IpAddr::V6(other)) => same(first.to_bits(), other.to_bits(), 128, range.bits),
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => false,
        })
    }

    /// Nothing is opened.
    pub fn is_empty(&self) -> bool {
        self.hosts.is_empty() && self.ranges.is_empty()
    }

    /// The hosts as they were written.
    pub fn hosts(&self) -> impl Iterator<Item = &str> {
        self.hosts.iter().map(|host| host.written.as_str())
    }

    /// The ranges as they were written.
    pub fn ranges(&self) -> impl Iterator<Item = &str> {
        self.ranges.iter().map(|range| range.written.as_str())
    }
}

/// Whether two addresses of so many bits begin with the same bits.
fn same(one: u128, other: u128, of: u32, bits: u32) -> bool {
    bits == 0 || (one ^ other) >> (of - bits) == 0
}

fn host(entry: &str) -> Result<Host, PrivateError> {
    let error = || PrivateError {
        entry: entry.to_owned(),
        expected: "a host or an address in numbers, with a port or without",
    };
    let (name, port) = match entry.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
        Some((name, port)) => (name, port.strip_prefix(':').or_else(|| port.is_empty().then_some(""))),
        None => entry.split_once(':').map_or((entry, Some("")), |(name, port)| (name, Some(port))),
    };
    let port = match port.ok_or_else(error)? {
        "" if !entry.ends_with(':') => None,
        port => Some(port.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(error)?),
    };
    let name = match name.parse::<IpAddr>() {
        Ok(number) => number.to_string(),
        Err(_) => idna::domain_to_ascii_strict(name.strip_suffix('.').unwrap_or(name)).map_err(|_| error())?,
    };
    if name.is_empty() || entry.starts_with('[') != name.contains(':') {
        return Err(error());
    }
    Ok(Host { written: entry.to_owned(), name, port })
}

fn range(entry: &str) -> Result<Range, PrivateError> {
    let error = || PrivateError {
        entry: entry.to_owned(),
        expected: "a range such as `10.0.0.0/8` whose bits behind it are 0",
    };
    let (first, bits) = entry.split_once('/').ok_or_else(error)?;
    let first: IpAddr = first.parse().map_err(|_| error())?;
    let bits: u32 = bits.parse().map_err(|_| error())?;
    let (number, of) = match first {
        IpAddr::V4(first) => (first.to_bits().into(), 32),
        IpAddr::V6(first) => (first.to_bits(), 128),
    };
    let has_rest = bits < of && number << (128 - of + bits) != 0;
    if bits > of || has_rest {
        return Err(error());
    }
    Ok(Range { written: entry.to_owned(), first, bits })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    #[test]
    fn a_host_opens_by_its_name_and_port_alone() {
        let hosts = ["wiki", "Build.Corp.Example:8443", "10.1.2.3", "[fd00::7]:80", "bücher.intern"];
        let private = Private::parse(hosts, []).unwrap();
        assert!(private.opens_host("wiki", 80) && private.opens_host("wiki.", 8080));
        assert!(private.opens_host("build.corp.example", 8443) && !private.opens_host("build.corp.example", 443));
        assert!(!private.opens_host("a.wiki", 80) && !private.opens_host("corp.example", 8443));
        assert!(private.opens_host("10.1.2.3", 80) && private.opens_host("fd00::7", 80));
        assert!(!private.opens_host("fd00::7", 443) && private.opens_host("xn--bcher-kva.intern", 443));
        assert!(!private.opens_number("10.1.2.3".parse().unwrap()), "a name that leads there is another host");
    }

    #[test]
    fn a_range_opens_what_begins_with_its_bits() {
        let private = Private::parse([], ["10.20.0.0/16", "fd00::/8", "192.168.7.9/32"]).unwrap();
        let opens = |address: &str| private.opens_number(address.parse().unwrap());
        assert!(opens("10.20.255.1") && !opens("10.21.0.1") && opens("192.168.7.9") && !opens("192.168.7.8"));
        assert!(opens("fd12::1") && !opens("fe80::1") && !opens("::ffff:10.20.0.1"));
        assert!(Private::parse([], ["0.0.0.0/0"]).unwrap().opens_number("203.0.113.9".parse().unwrap()));
    }

    #[test]
    fn what_is_no_entry_is_named() {
        for host in
            ["", "https://wiki", "wiki/x", "wiki:", "wiki:0", "wiki:99999", "fd00::7", "[wiki]", "[fd00::7]x", "*.corp"]
        {
            assert_eq!(Private::parse([host], []).unwrap_err().entry, host, "{host}");
        }
        for range in ["10.0.0.0", "10.0.0.1/8", "10.0.0.0/33", "fd00::1/8", "wiki/8", "10.0.0.0/-1"] {
            assert_eq!(Private::parse([], [range]).unwrap_err().entry, range, "{range}");
        }
    }
}

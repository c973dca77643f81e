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
    /// Reads hosts (`name` or `name:port`) and ranges (`10.0.0.0/8`, or one address).
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
        self.ranges.iter().any(|range| range.holds(address))
    }

    /// Whether exactly this address is opened, by a range of nothing else.
    pub fn opens_exactly(&self, address: IpAddr) -> bool {
        self.ranges.iter().any(|range| range.first == address && range.bits == width(address))
    }

    /// Whether a range begins in this machine itself, so that its name may be resolved.
    pub fn opens_loopback(&self) -> bool {
        self.ranges.iter().any(|range| range.first.is_loopback())
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

impl Range {
    fn holds(&self, address: IpAddr) -> bool {
        let differ = match (self.first, address) {
            (IpAddr::V4(first), IpAddr::V4(other)) => u128::from(first.to_bits() ^ other.to_bits()),
            (IpAddr::V6(first), IpAddr::V6(other)) => first.to_bits() ^ other.to_bits(),
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => return false,
        };
        self.bits == 0 || differ >> (width(address) - self.bits) == 0
    }
}

/// How many bits an address has.
fn width(address: IpAddr) -> u32 {
    match address {
        IpAddr::V4(_) => 32,
        IpAddr::V6(_) => 128,
    }
}

fn host(entry: &str) -> Result<Host, PrivateError> {
    let error = || PrivateError { entry: entry.to_owned(), expected: "the name of a host, with a port or without" };
    let (name, port) = match entry.split_once(':') {
        Some((name, port)) => (name, Some(port.parse::<u16>().ok().filter(|port| *port > 0).ok_or_else(error)?)),
        None => (entry, None),
    };
    let name = idna::domain_to_ascii_strict(name.strip_suffix('.').unwrap_or(name)).map_err(|_| error())?;
    // An address in numbers is opened as a range, which says how much of it is meant.
    let last = name.rsplit('.').next().unwrap_or_default();
    if name.is_empty() || last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x") {
        return Err(error());
    }
    Ok(Host { written: entry.to_owned(), name, port })
}

fn range(entry: &str) -> Result<Range, PrivateError> {
    let expected = "one address, or a range such as `10.0.0.0/8` whose bits behind it are 0";
    let error = || PrivateError { entry: entry.to_owned(), expected };
    let (first, bits) = entry.split_once('/').map_or((entry, None), |(first, bits)| (first, Some(bits)));
    let first: IpAddr = first.parse().map_err(|_| error())?;
    let of = width(first);
    let bits = bits.map_or(Ok(of), str::parse).ok().filter(|bits| *bits <= of).ok_or_else(error)?;
    let number = match first {
        IpAddr::V4(first) => first.to_bits().into(),
        IpAddr::V6(first) => first.to_bits(),
    };
    if bits < of && number << (128 - of + bits) != 0 {
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
        let hosts = ["wiki", "Build.Corp.Example:8443", "bücher.intern"];
        let private = Private::parse(hosts, []).unwrap();
        assert!(private.opens_host("wiki", 80) && private.opens_host("wiki.", 8080));
        assert!(private.opens_host("build.corp.example", 8443) && !private.opens_host("build.corp.example", 443));
        assert!(!private.opens_host("a.wiki", 80) && !private.opens_host("corp.example", 8443));
        assert!(private.opens_host("xn--bcher-kva.intern", 443));
    }

    #[test]
    fn a_range_opens_what_begins_with_its_bits() {
        let private = Private::parse([], ["10.20.0.0/16", "fd00::/8", "192.168.7.9"]).unwrap();
        let opens = |address: &str| private.opens_number(address.parse().unwrap());
        assert!(opens("10.20.255.1") && !opens("10.21.0.1") && opens("192.168.7.9") && !opens("192.168.7.8"));
        let exactly = |address: &str| private.opens_exactly(address.parse().unwrap());
        assert!(exactly("192.168.7.9") && !exactly("10.20.0.0") && !private.opens_loopback());
        assert!(Private::parse([], ["127.0.0.1"]).unwrap().opens_loopback());
        assert!(opens("fd12::1") && !opens("fe80::1") && !opens("::ffff:10.20.0.1"));
        assert!(Private::parse([], ["0.0.0.0/0"]).unwrap().opens_number("203.0.113.9".parse().unwrap()));
    }

    #[test]
    fn what_is_no_entry_is_named() {
        for host in [
            "",
            "https://wiki",
            "wiki/x",
            "wiki:",
            "wiki:0",
            "wiki:99999",
            "fd00::7",
            "[fd00::7]:80",
            "*.corp",
            "10.1.2.3",
            "10.1",
            "0x7f.1",
        ] {
            assert_eq!(Private::parse([host], []).unwrap_err().entry, host, "{host}");
        }
        for range in ["wiki", "10.0.0.1/8", "10.0.0.0/33", "fd00::1/8", "wiki/8", "10.0.0.0/-1"] {
            assert_eq!(Private::parse([], [range]).unwrap_err().entry, range, "{range}");
        }
    }
}

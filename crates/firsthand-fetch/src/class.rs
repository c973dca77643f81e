//! What kind of network an address of the internet protocol belongs to.
//!
//! The ranges are those of the IANA special-purpose registries (RFC 6890 and its updates). An IPv6 address that carries an
//! IPv4 address is judged by the carried one too, because a gateway may deliver to it.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// The kind of network that an address leads to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Class {
    /// Global unicast: the public internet.
    Public,
    /// The machine itself.
    Loopback,
    /// "This network": on some systems it leads to the machine itself.
    Unspecified,
    /// A private network.
    Private,
    /// The shared space between a provider and its customers.
    SharedCgnat,
    /// The link alone.
    LinkLocal,
    /// Where a cloud tells its machines their names and keys.
    Metadata,
    /// A group of machines.
    Multicast,
    /// All machines of the link.
    Broadcast,
    /// Reserved for examples.
    Documentation,
    /// Reserved for measuring.
    Benchmarking,
    /// Reserved, or not given out.
    Reserved,
}

/// Addresses at which clouds tell their machines what they are: AWS and most others, ECS, EKS, Tencent, Scaleway, Azure's
/// wire server, Alibaba, Oracle.
const METADATA_V4: [Ipv4Addr; 8] = [
    Ipv4Addr::new(169, 254, 169, 254),
    Ipv4Addr::new(169, 254, 170, 2),
    Ipv4Addr::new(169, 254, 170, 23),
    Ipv4Addr::new(169, 254, 0, 23),
    Ipv4Addr::new(169, 254, 42, 42),
    Ipv4Addr::new(168, 63, 129, 16),
    Ipv4Addr::new(100, 100, 100, 200),
    Ipv4Addr::new(192, 0, 0, 192),
];

/// The same in IPv6: AWS, EKS, Google, Scaleway, OpenStack.
const METADATA_V6: [Ipv6Addr; 5] = [
    Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0254),
    Ipv6Addr::new(0xfd00, 0x0ec2, 0, 0, 0, 0, 0, 0x0023),
    Ipv6Addr::new(0xfd20, 0x00ce, 0, 0, 0, 0, 0, 0x0254),
    Ipv6Addr::new(0xfd00, 0x0042, 0, 0, 0, 0, 0, 0x0042),
    Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0xa9fe, 0xa9fe),
];

/// Names under which clouds tell their machines what they are.
const METADATA_NAMES: [&str; 6] = [
    "metadata",
    "metadata.google.internal",
    "metadata.goog",
    "instance-data",
    "instance-data.ec2.internal",
    "metadata.tencentyun.com",
];

/// The kind of network that an address leads to.
pub fn of(address: IpAddr) -> Class {
    match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => of_v6(address),
    }
}

/// The kind of network that a name leads to whatever it resolves to; `None` where the resolver has to tell.
pub fn of_name(host: &str) -> Option<Class> {
    let host = host.strip_suffix('.').unwrap_or(host).to_ascii_lowercase();
    if METADATA_NAMES.contains(&host.as_str()) {
        Some(Class::Metadata)
    } else if host == "localhost" || host.ends_with(".localhost") {
        Some(Class::Loopback)
    } else {
        None
    }
}

fn of_v4(address: Ipv4Addr) -> Class {
    // Metadata beats link-local: whoever opens the link has not opened the keys of the machine.
    if METADATA_V4.contains(&address) {
        return Class::Metadata;
    }
    match address.octets() {
        [0, ..] => Class::Unspecified,
        [10, ..] | [172, 16..=31, ..] | [192, 168, ..] => Class::Private,
        [100, 64..=127, ..] => Class::SharedCgnat,
        [127, ..] => Class::Loopback,
        [169, 254, ..] => Class::LinkLocal,
        [192, 0, 2, _] | [198, 51, 100, _] | [203, 0, 113, _] => Class::Documentation,
        // Protocol assignments, and the relays of 6to4, which are given up.
        [192, 0, 0, _] | [192, 88, 99, _] => Class::Reserved,
        [198, 18 | 19, ..] => Class::Benchmarking,
        [224..=239, ..] => Class::Multicast,
        [255, 255, 255, 255] => Class::Broadcast,
        [240..=255, ..] => Class::Reserved,
        _ => Class::Public,
    }
}

fn of_v6(address: Ipv6Addr) -> Class {
    if METADATA_V6.contains(&address) {
        return Class::Metadata;
    }
    let [.., w, x, y, z] = address.octets();
    let last = Ipv4Addr::new(w, x, y, z);
    match address.segments() {
        [0, 0, 0, 0, 0, 0, 0, 0] => Class::Unspecified,
        [0, 0, 0, 0, 0, 0, 0, 1] => Class::Loopback,
        // Mapped, compatible, translatable, and the known prefix of NAT64.
        [0, 0, 0, 0, 0, 0xffff | 0, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => of_v4(last),
        [0x64, 0xff9b, 1, ..] => of_local_nat64(address),
        [0x2001, 0, server_high, server_low, _, _, high, low] => {
            worse(of_v4(joined(server_high, server_low)), of_v4(joined(!high, !low)))
        }
        [0x2002, high, low, ..] => of_v4(joined(high, low)),
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Class::Private,
        [0xfe80..=0xfebf, ..] => Class::LinkLocal,
        [0xff00..=0xffff, ..] => Class::Multicast,
        [0x2001, 0x0db8, ..] | [0x3fff, 0..=0x0fff, ..] => Class::Documentation,
        [0x2001, 2, 0, ..] => Class::Benchmarking,
        [0x2001, 0..=0x01ff, ..] => Class::Reserved,
        // ISATAP: the interface carries the IPv4 address.
        [0x2000..=0x3fff, _, _, _, 0 | 0x0200, 0x5efe, ..] => of_v4(last),
        [0x2000..=0x3fff, ..] => Class::Public,
        _ => Class::Reserved,
    }
}

/// A network chooses how long its own NAT64 prefix is (RFC 8215, RFC 6052), so each place in which the IPv4 address may
/// stand has to be public. No gateway delivers to `0.0.0.0/8`: there nothing stands.
fn of_local_nat64(address: Ipv6Addr) -> Class {
    let [_, _, _, _, _, _, a, b, _, c, d, e, f, g, h, i] = address.octets();
    let places = [[a, b, c, d], [b, c, d, e], [c, d, e, f], [f, g, h, i]];
    let filled = places.into_iter().filter(|place| place.first().is_some_and(|first| *first != 0));
    filled.map(|place| of_v4(place.into())).reduce(worse).unwrap_or(Class::Unspecified)
}

fn joined(high: u16, low: u16) -> Ipv4Addr {
    let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
    Ipv4Addr::new(a, b, c, d)
}

/// Of two readings the one that is not public.
fn worse(one: Class, other: Class) -> Class {
    if one == Class::Public { other } else { one }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    /// Each row: the class, and addresses of it with the registry entry or the report from which they come.
    const TABLE: &[(Class, &[&str])] = &[
        (
            Class::Public,
            &["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.1", "172.15.255.255", "172.32.0.1", "192.0.1.1"],
        ),
        (
            Class::Public,
            &["192.169.0.1", "198.17.255.255", "198.20.0.1", "223.255.255.255", "11.0.0.0", "9.255.255.255"],
        ),
        (Class::Public, &["2606:4700:4700::1111", "2001:4860:4860::8888", "2a00::1"]),
        // RFC 1122: loopback, this network.
        (Class::Loopback, &["127.0.0.1", "127.255.255.254", "127.1.2.3", "::1"]),
        (Class::Unspecified, &["0.0.0.0", "0.1.2.3", "::"]),
        // RFC 1918, RFC 4193, RFC 3879.
        (
            Class::Private,
            &["10.0.0.1", "10.255.255.255", "172.16.0.1", "172.31.255.255", "192.168.0.1", "fc00::1", "fd12::1"],
        ),
        (Class::Private, &["fec0::1"]),
        // RFC 6598.
        (Class::SharedCgnat, &["100.64.0.1", "100.127.255.255"]),
        // RFC 3927, RFC 4291.
        (Class::LinkLocal, &["169.254.0.1", "169.254.255.255", "fe80::1", "febf::1"]),
        // What clouds document.
        (Class::Metadata, &["169.254.169.254", "169.254.170.2", "100.100.100.200", "168.63.129.16", "fd00:ec2::254"]),
        (Class::Metadata, &["fd20:ce::254", "fe80::a9fe:a9fe", "192.0.0.192"]),
        // RFC 5771, RFC 4291, RFC 919, RFC 1112.
        (Class::Multicast, &["224.0.0.1", "239.255.255.255", "ff02::1"]),
        (Class::Broadcast, &["255.255.255.255"]),
        (
            Class::Reserved,
            &["240.0.0.1", "192.0.0.1", "192.88.99.1", "100::1", "2001:10::1", "2001:20::1", "4000::1", "5f00::1"],
        ),
        // RFC 5737, RFC 3849, RFC 9637, RFC 2544, RFC 5180.
        (Class::Documentation, &["192.0.2.1", "198.51.100.1", "203.0.113.1", "2001:db8::1", "3fff:fff::1"]),
        (Class::Benchmarking, &["198.18.0.1", "198.19.255.255", "2001:2::1"]),
        // RFC 4291: mapped and compatible; RFC 2765: translatable.
        (Class::Loopback, &["::ffff:127.0.0.1", "::127.0.0.1", "::7f00:1", "::ffff:0:127.0.0.1"]),
        (Class::Metadata, &["::ffff:169.254.169.254", "::a9fe:a9fe", "::ffff:0:a9fe:a9fe"]),
        (Class::Private, &["::ffff:10.0.0.1", "::ffff:0:192.168.1.1", "::172.16.0.1"]),
        (Class::Public, &["::ffff:8.8.8.8", "::ffff:0:8.8.8.8"]),
        // RFC 6052 and RFC 8215: both prefixes of NAT64, the second in every length.
        (Class::Private, &["64:ff9b::10.0.0.1", "64:ff9b:1::10.0.0.1", "64:ff9b:1:a00:0:100::", "64:ff9b:1:a:0:1::"]),
        (Class::Loopback, &["64:ff9b::7f00:1", "64:ff9b:1::127.0.0.1", "64:ff9b:1:7f00:0:100:808:808"]),
        (Class::Metadata, &["64:ff9b::a9fe:a9fe", "64:ff9b:1::a9fe:a9fe", "64:ff9b:1:a9fe:a9:fe00::"]),
        (Class::Public, &["64:ff9b::8.8.8.8", "64:ff9b:1::8.8.8.8"]),
        (Class::Reserved, &["64:ff9b:2::8.8.8.8"]),
        // RFC 3056: 6to4.
        (Class::Private, &["2002:a00:1::1", "2002:c0a8:101::"]),
        (Class::Loopback, &["2002:7f00:1::"]),
        (Class::Metadata, &["2002:a9fe:a9fe::1"]),
        (Class::Public, &["2002:808:808::1"]),
        // RFC 4380: Teredo, the client's address inverted, the server's as it is.
        (Class::Loopback, &["2001:0:808:808::80ff:fffe"]),
        (Class::Metadata, &["2001:0:808:808::5601:5601"]),
        (Class::Private, &["2001:0:a00:1::f7f7:f7f7"]),
        (Class::Public, &["2001:0:808:808::f7f7:f7f7"]),
        // RFC 5214: ISATAP.
        (Class::Private, &["2606:4700::5efe:10.0.0.1", "2606:4700::200:5efe:192.168.0.1"]),
        (Class::Metadata, &["2606:4700::5efe:169.254.169.254"]),
        (Class::LinkLocal, &["fe80::5efe:8.8.8.8"]),
        (Class::Public, &["2606:4700::5efe:8.8.8.8"]),
    ];

    #[test]
    fn every_range_has_its_class() {
        for (class, addresses) in TABLE {
            for address in *addresses {
                assert_eq!(of(address.parse().unwrap()), *class, "{address}");
            }
        }
    }

    #[test]
    fn names_of_clouds_and_of_the_machine_itself_need_no_resolver() {
        for name in ["metadata.google.internal", "METADATA.google.internal.", "metadata", "instance-data"] {
            assert_eq!(of_name(name), Some(Class::Metadata), "{name}");
        }
        for name in ["localhost", "LocalHost.", "a.b.localhost"] {
            assert_eq!(of_name(name), Some(Class::Loopback), "{name}");
        }
        for name in ["localhost.example", "metadata.example", "notlocalhost"] {
            assert_eq!(of_name(name), None, "{name}");
        }
    }
}

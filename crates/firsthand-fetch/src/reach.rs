//! What is opened of networks that are not public: nothing, unless a policy names it.

use std::net::IpAddr;

use firsthand::private::Private;

use crate::class::{self, Class};

/// What a policy opens although it is not public, as the classes of addresses let it.
#[derive(Clone, Default)]
pub struct Reach(Private);

/// How a request came to be let through to its host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Way {
    /// By the class of its address.
    Address,
    /// The host was opened by its name.
    Name,
}

impl From<Private> for Reach {
    fn from(private: Private) -> Self {
        Self(private)
    }
}

impl Reach {
    /// What these hosts and ranges open.
    pub fn new(private: Private) -> Self {
        Self(private)
    }

    /// Whether a host is opened by its name.
    pub(crate) fn opens_name(&self, host: &str, port: u16) -> bool {
        self.0.opens_host(host, port)
    }

    /// Whether the machine itself is opened by its address, so that its name may be resolved.
    pub(crate) fn opens_loopback(&self) -> bool {
        self.0.opens_loopback()
    }

    /// Whether an address may be dialled, or its class.
    pub(crate) fn admit(&self, address: IpAddr, way: Way) -> Result<(), Class> {
        // A mapped address is dialled as the IPv4 address that it is; every other form needs a range of its own.
        let dialled = address.to_canonical();
        let class = class::of(address);
        let is_open = match class {
            Class::Public => true,
            // A range that happens to hold it does not mean it.
            Class::Metadata => self.0.opens_exactly(dialled),
            Class::Loopback
            | Class::Private
            | Class::SharedCgnat
            | Class::LinkLocal
            | Class::Documentation
            | Class::Benchmarking
            | Class::Reserved => way == Way::Name || self.0.opens_number(dialled),
            Class::Unspecified | Class::Multicast | Class::Broadcast => false,
        };
        if is_open { Ok(()) } else { Err(class) }
    }
}

impl std::fmt::Debug for Reach {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (hosts, ranges) = (self.0.hosts().count(), self.0.ranges().count());
        f.debug_struct("Reach").field("hosts", &hosts).field("ranges", &ranges).finish()
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;

    fn reach(hosts: &[&str], ranges: &[&str]) -> Reach {
        Reach::new(Private::parse(hosts.iter().copied(), ranges.iter().copied()).unwrap())
    }

    fn admit(reach: &Reach, address: &str, way: Way) -> Result<(), Class> {
        reach.admit(address.parse().unwrap(), way)
    }

    #[test]
    fn nothing_is_open_unless_it_is_named() {
        let none = Reach::default();
        assert_eq!(admit(&none, "1.1.1.1", Way::Address), Ok(()));
        assert_eq!(admit(&none, "10.0.0.1", Way::Address), Err(Class::Private));
        let reach = reach(&[], &["10.0.0.0/8", "127.0.0.1"]);
        assert_eq!(admit(&reach, "10.2.3.4", Way::Address), Ok(()));
        assert_eq!(admit(&reach, "::ffff:10.2.3.4", Way::Address), Ok(()));
        assert_eq!(admit(&reach, "127.0.0.1", Way::Address), Ok(()));
        assert_eq!(admit(&reach, "127.0.0.2", Way::Address), Err(Class::Loopback));
        assert_eq!(admit(&reach, "192.168.0.1", Way::Address), Err(Class::Private));
        assert_eq!(admit(&reach, "2002:a00:1::1", Way::Address), Err(Class::Private), "no range of IPv6 was named");
        assert!(reach.opens_loopback() && !none.opens_loopback());
    }

    #[test]
    fn metadata_is_opened_by_its_own_address_alone() {
        let wide = reach(&["wiki.corp.example"], &["169.254.0.0/16", "0.0.0.0/0"]);
        assert_eq!(admit(&wide, "169.254.169.254", Way::Address), Err(Class::Metadata));
        assert_eq!(admit(&wide, "169.254.169.254", Way::Name), Err(Class::Metadata));
        assert_eq!(admit(&wide, "169.254.1.1", Way::Address), Ok(()));
        let exact = reach(&[], &["169.254.169.254", "fd00:ec2::254"]);
        assert_eq!(admit(&exact, "169.254.169.254", Way::Address), Ok(()));
        assert_eq!(admit(&exact, "fd00:ec2:0::254", Way::Address), Ok(()));
        assert_eq!(admit(&wide, "224.0.0.1", Way::Name), Err(Class::Multicast));
        assert_eq!(admit(&wide, "0.0.0.0", Way::Address), Err(Class::Unspecified));
    }
}

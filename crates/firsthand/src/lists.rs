//! Host lists, in two readings that never mix.
//!
//! An entry of a session's `allowed_hosts` is one exact host, or the subdomains of one where it starts with `*.`
//! ([`Hosts`]). An entry of a tool's `allowed_domains` or `blocked_domains` is a domain with everything below it
//! ([`Domains`]). Entries are validated as the vendor of these two lists documents it.

use crate::address::Address;

/// The most entries that a tool's list may have.
pub const MAX_DOMAINS: usize = 64;

/// What the network of a session lets through.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Networking {
    /// No list applies.
    #[default]
    Unrestricted,
    /// Only these hosts.
    Limited(Hosts),
}

/// Exact hosts, and subdomains where an entry starts with `*.`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hosts {
    entries: Vec<Host>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Host {
    written: String,
    name: String,
    below_only: bool,
    port: Option<u16>,
}

/// Domains, each with everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    entries: Vec<Domain>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Domain {
    written: String,
    name: String,
}

/// Why an entry of a list is refused. The entry is named; entries are the operator's own words.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{problem}: `{entry}`")]
pub struct ListError {
    /// The entry as it was written; empty where the list as a whole is meant.
    pub entry: String,
    /// What is wrong with it.
    pub problem: ListProblem,
}

/// What is wrong with an entry.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListProblem {
    /// The list is empty; leave it out where nothing is meant.
    #[error("found an empty list, which lets nothing through; expected an entry, or no list at all")]
    Empty,
    /// The list is longer than [`MAX_DOMAINS`].
    #[error("found more than 64 entries; expected that many at most")]
    TooMany,
    /// The entry stands twice.
    #[error("found an entry twice; expected each once")]
    Repeated,
    /// The entry holds a scheme.
    #[error("found an entry with a scheme; expected a host alone")]
    Scheme,
    /// The entry holds a path, query or fragment.
    #[error("found an entry with a path, query or fragment; expected a host alone")]
    Path,
    /// The entry holds a user name or password.
    #[error("found an entry with a user name; expected a host alone")]
    Userinfo,
    /// The entry holds a port where none may stand, or a port that is no number from 1 to 65535.
    #[error(
        "found an entry with a port that cannot stand there; expected none, or in allowed_hosts one from 1 to 65535"
    )]
    Port,
    /// The entry holds a `*` elsewhere than as `*.` at the start of a host entry.
    #[error("found a `*` that means nothing there; expected none, or in allowed_hosts `*.` before a host")]
    Wildcard,
    /// The entry is an IP address, in whatever spelling.
    #[error("found an IP address; expected a host name")]
    Ip,
    /// The entry has one label, or is local by its name.
    #[error("found a name of one label or a local one; expected a public name of two labels or more")]
    SingleLabel,
    /// The entry is a public suffix.
    #[error("found a public suffix; expected a name below one")]
    PublicSuffix,
    /// The entry is no host name.
    #[error("found no host name; expected letters, digits, hyphens and dots (A-labels for others)")]
    Malformed,
    /// The entry of a tool lies outside `allowed_hosts`.
    #[error(
        "found a domain outside allowed_hosts; expected one within (an entry there is that one host, `*.` means its subdomains)"
    )]
    OutsideAllowedHosts,
}

impl Hosts {
    /// Reads the entries of `allowed_hosts`. An empty list is a list: nothing is let through.
    pub fn parse<I, S>(entries: I) -> Result<Self, ListError>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let mut hosts: Vec<Host> = Vec::new();
        for entry in entries {
            let host = Host::parse(entry.as_ref())?;
            let same = |other: &Host| {
                other.name == host.name && other.below_only == host.below_only && other.port == host.port
            };
            if hosts.iter().any(same) {
                return Err(refused(&host.written, ListProblem::Repeated));
            }
            hosts.push(host);
        }
        Ok(Self { entries: hosts })
    }

    /// Whether the list lets this address through.
    pub fn admit(&self, address: &Address) -> bool {
        self.entries.iter().any(|entry| entry.admits(address))
    }

    /// The entries as they were written.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|entry| entry.written.as_str())
    }

    /// The entries that let every subdomain of a host through, for a warning: data can stand in a label.
    pub fn wildcards(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| entry.below_only).map(|entry| entry.written.as_str())
    }

    /// The entries in A-label form that hold letters outside ASCII, for a warning: they may look like another name.
    pub fn confusable(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| is_international(&entry.name)).map(|entry| entry.written.as_str())
    }
}

impl Host {
    fn parse(written: &str) -> Result<Self, ListError> {
        let entry = written.trim();
        let (below_only, rest) = match entry.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, entry),
        };
        let (host, port) = match rest.rsplit_once(':') {
            Some((host, port)) if !port.contains('/') && !host.contains(':') => {
                let number = port.parse::<u16>().ok().filter(|number| *number > 0 && !port.starts_with(['0', '+']));
                (host, Some(number.ok_or_else(|| refused(entry, ListProblem::Port))?))
            }
            _ => (rest, None),
        };
        let name = host_name(entry, host)?;
        Ok(Self { written: entry.to_owned(), name, below_only, port })
    }

    fn admits(&self, address: &Address) -> bool {
        let host = canonical(address.host());
        let named = match self.below_only {
            true => is_below(host, &self.name),
            false => host == self.name,
        };
        // An entry without a port means the port of the scheme.
        let port = match self.port {
            Some(port) => port == address.port(),
            None => address.has_default_port(),
        };
        named && port
    }
}

impl Domains {
    /// Reads the entries of `allowed_domains` or `blocked_domains`.
    pub fn parse<I, S>(entries: I) -> Result<Self, ListError>
    where
        I: IntoIterator<Item = S>,
        S: AsRef<str>,
    {
        let mut domains: Vec<Domain> = Vec::new();
        for entry in entries {
            let written = entry.as_ref().trim().to_owned();
            let name = host_name(&written, written.strip_suffix('/').unwrap_or(&written))?;
            if domains.iter().any(|domain| domain.name == name) {
                return Err(refused(&written, ListProblem::Repeated));
            }
            domains.push(Domain { written, name });
        }
        match domains.len() {
            0 => Err(refused("", ListProblem::Empty)),
            1..=MAX_DOMAINS => Ok(Self { entries: domains }),
            _ => Err(refused("", ListProblem::TooMany)),
        }
    }

    /// Whether an entry covers this address's host.
    pub fn cover(&self, address: &Address) -> bool {
        let host = canonical(address.host());
        self.entries.iter().any(|domain| host == domain.name || is_below(host, &domain.name))
    }

    /// The entries as they were written.
    pub fn entries(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().map(|domain| domain.written.as_str())
    }

    /// The entries in A-label form that hold letters outside ASCII, for a warning: they may look like another name.
    pub fn confusable(&self) -> impl Iterator<Item = &str> {
        self.entries.iter().filter(|entry| is_international(&entry.name)).map(|entry| entry.written.as_str())
    }
}

impl Networking {
    /// Whether this address's host may be reached.
    pub fn admit(&self, address: &Address) -> bool {
        match self {
            Self::Unrestricted => true,
            Self::Limited(hosts) => hosts.admit(address),
        }
    }

    /// Refuses a tool's `allowed_domains` with an entry that is not within `allowed_hosts`.
    ///
    /// An entry is within when its host is let through by itself, or when it stands below a `*.` entry: the host
    /// `docs.example.com` is not within `["example.com"]`.
    pub fn admits(&self, domains: &Domains) -> Result<(), ListError> {
        let Self::Limited(hosts) = self else { return Ok(()) };
        let within = |domain: &&Domain| {
            hosts.entries.iter().any(|host| match host.below_only {
                true => is_below(&domain.name, &host.name),
                false => domain.name == host.name,
            })
        };
        match domains.entries.iter().find(|domain| !within(domain)) {
            Some(domain) => Err(refused(&domain.written, ListProblem::OutsideAllowedHosts)),
            None => Ok(()),
        }
    }
}

fn refused(entry: &str, problem: ListProblem) -> ListError {
    ListError { entry: entry.to_owned(), problem }
}

/// One dot at the end means the same name.
fn canonical(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

fn is_below(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|labels| labels.len() > 1 && labels.ends_with('.'))
}

fn is_international(name: &str) -> bool {
    name.split('.').any(|label| label.starts_with("xn--"))
}

/// Names that never leave the machine or the local network.
const LOCAL: [&str; 5] = ["localhost", "local", "internal", "localdomain", "invalid"];

fn host_name(entry: &str, host: &str) -> Result<String, ListError> {
    let problem = |problem| Err(refused(entry, problem));
    if host.contains("://") || host.contains("//") {
        return problem(ListProblem::Scheme);
    }
    if host.contains(['/', '?', '#', '\\']) {
        return problem(ListProblem::Path);
    }
    if host.contains('@') {
        return problem(ListProblem::Userinfo);
    }
    if host.contains('*') {
        return problem(ListProblem::Wildcard);
    }
    if host.starts_with('[') || host.matches(':').count() > 1 {
        return problem(ListProblem::Ip);
    }
    if host.contains(':') {
        return problem(ListProblem::Port);
    }
    let Ok(name) = idna::domain_to_ascii_strict(canonical(host)) else {
        return problem(ListProblem::Malformed);
    };
    // A name whose last label is numeric is read as an IPv4 address by the WHATWG parser.
    let last = name.rsplit('.').next().unwrap_or_default();
    if !last.is_empty() && (last.bytes().all(|byte| byte.is_ascii_digit()) || last.starts_with("0x")) {
        return problem(ListProblem::Ip);
    }
    if !name.contains('.') || LOCAL.contains(&last) {
        return problem(ListProblem::SingleLabel);
    }
    if psl::suffix(name.as_bytes()).is_some_and(|suffix| suffix.is_known() && suffix.as_bytes() == name.as_bytes()) {
        return problem(ListProblem::PublicSuffix);
    }
    Ok(name)
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use super::*;
    use crate::address::Form;

    fn address(spelling: &str) -> Address {
        Address::written(spelling, Form::Absolute).unwrap()
    }

    #[track_caller]
    fn refuses(entry: &str, problem: ListProblem) {
        assert_eq!(Hosts::parse([entry]).unwrap_err().problem, problem, "{entry}");
    }

    #[test]
    fn a_host_entry_is_one_host_and_a_wildcard_is_its_subdomains() {
        let hosts = Hosts::parse(["ir.example.com", "*.example.net", "build.example.org:8443"]).unwrap();
        assert!(hosts.admit(&address("https://IR.example.com/results")));
        assert!(!hosts.admit(&address("https://files.ir.example.com/")));
        assert!(!hosts.admit(&address("https://ir.example.com:8443/")));
        assert!(hosts.admit(&address("https://a.b.example.net/x")));
        assert!(!hosts.admit(&address("https://example.net/y")) && !hosts.admit(&address("https://notexample.net/x")));
        assert!(hosts.admit(&address("https://build.example.org:8443/log")));
        assert!(!hosts.admit(&address("https://build.example.org/log")));
    }

    #[test]
    fn a_domain_entry_covers_everything_below_it() {
        let domains = Domains::parse(["example.org", "xn--bcherei-n2a.example"]).unwrap();
        assert!(domains.cover(&address("https://deep.docs.example.org/b")));
        assert!(domains.cover(&address("https://bücherei.example/neu")));
        assert!(!domains.cover(&address("https://example.org.evil.example/")));
    }

    #[test]
    fn an_entry_that_the_vendor_would_refuse_is_refused_by_name() {
        refuses("https://example.com", ListProblem::Scheme);
        refuses("example.com/docs", ListProblem::Path);
        refuses("a@example.com", ListProblem::Userinfo);
        refuses("example.com:0", ListProblem::Port);
        refuses("exa*mple.com", ListProblem::Wildcard);
        refuses("127.1", ListProblem::Ip);
        refuses("[::1]", ListProblem::Ip);
        refuses("intranet", ListProblem::SingleLabel);
        refuses("printer.local", ListProblem::SingleLabel);
        refuses("co.uk", ListProblem::PublicSuffix);
        refuses("*.github.io", ListProblem::PublicSuffix);
        refuses("-a.example.com", ListProblem::Malformed);
        refuses("", ListProblem::Malformed);
        assert_eq!(Hosts::parse(["a.example.com", "A.example.com"]).unwrap_err().entry, "A.example.com");
        assert_eq!(Domains::parse([""; 0]).unwrap_err().problem, ListProblem::Empty);
        assert_eq!(Domains::parse(["*.example.com"]).unwrap_err().problem, ListProblem::Wildcard);
    }

    #[test]
    fn a_domain_outside_the_hosts_is_named() {
        let limited = Networking::Limited(Hosts::parse(["example.com", "*.example.net"]).unwrap());
        let docs = Domains::parse(["example.com", "docs.example.com"]).unwrap();
        assert_eq!(limited.admits(&docs).unwrap_err().entry, "docs.example.com");
        assert!(limited.admits(&Domains::parse(["a.example.net"]).unwrap()).is_ok());
        assert!(limited.admits(&Domains::parse(["example.net"]).unwrap()).is_err());
    }
}

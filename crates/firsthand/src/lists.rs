//! Host lists, in two readings that never mix.
//!
//! An entry of a session's `allowed_hosts` is one exact host, or the subdomains of one where it starts with `*.`
//! ([`Hosts`]). An entry of a tool's `allowed_domains` or `blocked_domains` is a domain with everything below it
//! ([`Domains`]). Entries are validated as the vendor of these two lists documents it.

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
    #[error("an empty list lets nothing through; leave the key out instead")]
    Empty,
    /// The list is longer than [`MAX_DOMAINS`].
    #[error("more than 64 entries")]
    TooMany,
    /// The entry stands twice.
    #[error("the entry stands twice")]
    Repeated,
    /// The entry holds a scheme.
    #[error("an entry has no scheme")]
    Scheme,
    /// The entry holds a path, query or fragment.
    #[error("an entry has no path")]
    Path,
    /// The entry holds a user name or password.
    #[error("an entry has no user name")]
    Userinfo,
    /// The entry holds a port where none may stand, or a port that is no number from 1 to 65535.
    #[error("an entry has no such port")]
    Port,
    /// The entry holds a `*` elsewhere than as `*.` at the start of a host entry.
    #[error("a wildcard stands only as `*.` before a host of allowed_hosts")]
    Wildcard,
    /// The entry is an IP address, in whatever spelling.
    #[error("an entry is a name, not an IP address")]
    Ip,
    /// The entry has one label, or is local by its name.
    #[error("an entry is a public name of two labels or more")]
    SingleLabel,
    /// The entry is a public suffix.
    #[error("an entry is more than a public suffix")]
    PublicSuffix,
    /// The entry is no host name.
    #[error("an entry is a host name of letters, digits, hyphens and dots (A-labels for others)")]
    Malformed,
    /// The entry of a tool lies outside `allowed_hosts`.
    #[error("the domain is not within allowed_hosts (an entry there is that one host; `*.` means its subdomains)")]
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
            Some((host, port)) if !host.contains("//") && !host.contains(':') => {
                let number = port.parse::<u16>().ok().filter(|number| *number > 0 && !port.starts_with(['0', '+']));
                (host, Some(number.ok_or_else(|| refused(entry, ListProblem::Port))?))
            }
            _ => (rest, None),
        };
        let name = host_name(entry, host)?;
        Ok(Self { written: entry.to_owned(), name, below_only, port })
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

//! Host lists, in two readings that never mix.
//!
//! An entry of a session's `allowed_hosts` is one exact host ([`Hosts`]); an entry of a tool's `allowed_domains` or
//! `blocked_domains` is a domain with everything below it ([`Domains`]).

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
    entries: Vec<String>,
}

/// Domains, each with everything below it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Domains {
    entries: Vec<String>,
}

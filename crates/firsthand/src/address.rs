//! One web address: its spelling, and the keys under which spellings are one.
//!
//! Three keys, from narrow to wide. The *identity* (WHATWG serialisation without fragment) says that two spellings are one
//! source. The *loose key* says that a call means a source, whose own spelling is then sent. The *wide key* says that an
//! outside text may only repeat what the model wrote; it folds all that some tool may fold.

use std::fmt;

/// A web address as somebody wrote it, without its fragment.
///
/// It has no `Display`: an address may carry what must not be logged. `Debug` prints its outline.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    spelling: Box<str>,
    identity: Box<str>,
    odd: bool,
}

/// Why a text is no address that could be opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, thiserror::Error)]
pub enum AddressError {
    /// It does not parse, or its scheme is not http or https.
    #[error("not a web address")]
    Invalid,
    /// Parsers read it differently, or it carries bytes that vanish.
    #[error("an odd spelling")]
    Odd,
}

/// What a call asks for: the argument, trimmed, and the addresses it may mean.
#[derive(Clone)]
pub struct Asked {
    raw: Box<str>,
    address: Address,
}

/// How a text wrote an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Form {
    /// With its scheme.
    Absolute,
    /// A host without a scheme; `https://` is sent before it.
    Bare,
    /// A link of a page, to be resolved against the page's own address.
    Relative,
}

impl Address {
    /// The address that a text wrote: `https://` stands before a bare one, the fragment is cut.
    ///
    /// An odd spelling is an address too (found as it stands, refused when it is asked for); `None` where the text is no
    /// web address at all or the form is relative.
    pub fn written(spelling: &str, form: Form) -> Option<Self> {
        let _ = (spelling, form);
        None
    }

    /// The address that a link of a page leads to, or `None`.
    pub fn joined(&self, link: &str) -> Option<Self> {
        let _ = link;
        None
    }

    /// The spelling, fragment cut: what is sent. Reveals the address.
    pub fn reveal(&self) -> &str {
        &self.spelling
    }

    /// The WHATWG serialisation without fragment; for an odd spelling the spelling itself. Reveals the address.
    pub fn identity(&self) -> &str {
        &self.identity
    }

    /// Whether parsers may read it differently, so that it is never opened.
    pub fn is_odd(&self) -> bool {
        self.odd
    }

    /// The host in A-label form, lower case, without brackets or port; empty for an odd spelling that has none.
    pub fn host(&self) -> &str {
        ""
    }

    /// The port, with the scheme's default where none is written.
    pub fn port(&self) -> u16 {
        443
    }

    /// Whether the port is the scheme's default.
    pub fn has_default_port(&self) -> bool {
        true
    }

    /// The site: the registrable domain by the public suffix list (private part included), else the host.
    pub fn site(&self) -> &str {
        ""
    }

    /// Whether it is `scheme://host[:port]` and nothing more than a slash.
    pub fn is_root(&self) -> bool {
        false
    }

    /// Whether it has a query that is not empty.
    pub fn has_query(&self) -> bool {
        false
    }

    /// The joint key of the step `loose`.
    pub fn loose(&self) -> String {
        String::new()
    }

    /// The joint key without the query: what the step `query_dropped` compares.
    pub fn loose_without_query(&self) -> String {
        String::new()
    }

    /// The wide key.
    pub fn wide(&self) -> String {
        wide_key(&self.spelling)
    }

    /// What a log may hold.
    pub fn outline(&self) -> Outline {
        Outline { host: String::new(), bytes: self.spelling.len(), parameters: 0 }
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Address({:?})", self.outline())
    }
}

/// What a log may hold of an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outline {
    /// The host, or only its site and the number of further labels.
    pub host: String,
    /// The length in bytes.
    pub bytes: usize,
    /// How many query parameters it has.
    pub parameters: usize,
}

impl Asked {
    /// Reads an argument: trims outer spaces, undoes at most one JSON or HTML escape, refuses what is odd.
    pub fn parse(argument: &str) -> Result<Self, AddressError> {
        let _ = argument;
        Err(AddressError::Invalid)
    }

    /// The argument, trimmed, fragment cut. Reveals the address.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// The address that it means.
    pub fn address(&self) -> &Address {
        &self.address
    }
}

impl fmt::Debug for Asked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.address, f)
    }
}

/// The wide key of any text that may be an address: see the module.
pub fn wide_key(spelling: &str) -> String {
    spelling.to_lowercase()
}

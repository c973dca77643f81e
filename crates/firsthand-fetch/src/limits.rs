//! How long and how large a request and its answer may be.

use std::time::Duration;

/// How long and how large a request and its answer may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// For resolving, connecting and the handshake.
    pub connect: Duration,
    /// From the request to the head of the answer, the connection included.
    pub first_byte: Duration,
    /// Between two pieces of the body.
    pub idle: Duration,
    /// For one address with its redirects, its body and what asks for its `robots.txt`.
    pub whole: Duration,
    /// Bytes of a body as it is sent.
    pub sent: u64,
    /// Bytes of a body once it is unpacked.
    pub unpacked: u64,
    /// How many headers an answer may have.
    pub headers: usize,
    /// Bytes of their names and values.
    pub header_bytes: usize,
    /// How many redirects are followed, whatever the referee says.
    pub redirects: u8,
}

impl Limits {
    /// For what a model reads.
    pub const PAGE: Self = Self {
        connect: Duration::from_secs(10),
        first_byte: Duration::from_secs(30),
        idle: Duration::from_secs(20),
        whole: Duration::from_secs(60),
        sent: 10 << 20,
        unpacked: 20 << 20,
        headers: 100,
        header_bytes: 64 << 10,
        redirects: firsthand::check::MAX_HOPS,
    };

    /// For files.
    pub const DOWNLOAD: Self =
        Self { whole: Duration::from_secs(60 * 60), sent: 4 << 30, unpacked: 4 << 30, ..Self::PAGE };
}

impl Default for Limits {
    fn default() -> Self {
        Self::PAGE
    }
}

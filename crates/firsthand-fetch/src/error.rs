//! Why nothing came back.

use firsthand::verdict::{Halt, Reason};

use crate::class::Class;

/// What took too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Resolving, connecting and the handshake.
    Connect,
    /// The head of the answer.
    FirstByte,
    /// The next piece of the body.
    Idle,
    /// All of it.
    Whole,
}

/// What was larger than it may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Size {
    /// The headers, in number or in bytes.
    Headers,
    /// The body as it is sent.
    Sent,
    /// The body once it is unpacked.
    Unpacked,
}

/// Why nothing came back. It holds no address, no host and no path, so it may be logged and shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum FetchError {
    /// One redirect more than are followed.
    #[error("there were more redirects than are followed")]
    TooManyRedirects,
    /// A redirect leads from https to http.
    #[error("a redirect leads from https to http")]
    InsecureRedirect,
    /// The target of a redirect may not be opened.
    #[error("a redirect leads to an address that may not be opened ({})", .0.code())]
    RedirectRefused(Reason),
    /// Parsers read the address differently, or it carries a user.
    #[error("the address is spelled in a way that programs read differently")]
    OddSpelling,
    /// The address leads into a network that is not public and was not opened.
    #[error("the address leads into a network that is not public")]
    PrivateAddress(Class),
    /// The name has no address.
    #[error("the name could not be resolved")]
    DnsFailed,
    /// No connection.
    #[error("no connection could be made")]
    ConnectFailed,
    /// The handshake failed, or the certificate is not one of the host's.
    #[error("the server could not prove who it is")]
    TlsFailed,
    /// A deadline passed.
    #[error("it took too long")]
    TimedOut(Phase),
    /// Larger than a ceiling.
    #[error("the answer is larger than is allowed")]
    TooLarge(Size),
    /// The connection ended before the answer did.
    #[error("the answer was cut off")]
    CutOff,
    /// What came is no answer of HTTP.
    #[error("the server's answer is not valid HTTP")]
    BadResponse,
    /// The caller takes no such content.
    #[error("content of this type cannot be read")]
    UnsupportedContentType,
    /// The body is packed in a way that is not known, or too often.
    #[error("the answer is packed in a way that cannot be unpacked")]
    UnsupportedContentEncoding,
    /// The body is not what its encoding says.
    #[error("the answer could not be unpacked")]
    BrokenContentEncoding,
    /// The status says that there is nothing to save.
    #[error("the server answered with status {0}")]
    HttpStatus(u16),
    /// The site asks programs not to open the address.
    #[error("the site's robots.txt asks programs not to open this address")]
    RobotsDisallowed,
    /// The file could not be written.
    #[error("the file could not be written")]
    WriteFailed(std::io::ErrorKind),
    /// A file of that name exists, and it is not to be replaced.
    #[error("there is a file of that name already")]
    FileExists,
}

impl FetchError {
    /// The code in JSON and logs. It never changes.
    pub fn code(self) -> &'static str {
        match self {
            Self::TooManyRedirects => "too_many_redirects",
            Self::InsecureRedirect => "insecure_redirect",
            Self::RedirectRefused(_) => "redirect_refused",
            Self::OddSpelling => "odd_spelling",
            Self::PrivateAddress(_) => "private_address",
            Self::DnsFailed => "dns_failed",
            Self::ConnectFailed => "connect_failed",
            Self::TlsFailed => "tls_failed",
            Self::TimedOut(_) => "timed_out",
            Self::TooLarge(_) => "too_large",
            Self::CutOff => "cut_off",
            Self::BadResponse => "bad_response",
            Self::UnsupportedContentType => "unsupported_content_type",
            Self::UnsupportedContentEncoding => "unsupported_content_encoding",
            Self::BrokenContentEncoding => "broken_content_encoding",
            Self::HttpStatus(_) => "http_status",
            Self::RobotsDisallowed => "robots_disallowed",
            Self::WriteFailed(_) => "write_failed",
            Self::FileExists => "file_exists",
        }
    }

    /// The reason of a refusal, where it is one.
    pub fn reason(self) -> Option<Reason> {
        match self {
            Self::RedirectRefused(reason) => Some(reason),
            Self::PrivateAddress(_) => Some(Reason::PrivateAddress),
            Self::OddSpelling => Some(Reason::OddSpelling),
            Self::TooManyRedirects
            | Self::InsecureRedirect
            | Self::DnsFailed
            | Self::ConnectFailed
            | Self::TlsFailed
            | Self::TimedOut(_)
            | Self::TooLarge(_)
            | Self::CutOff
            | Self::BadResponse
            | Self::UnsupportedContentType
            | Self::UnsupportedContentEncoding
            | Self::BrokenContentEncoding
            | Self::HttpStatus(_)
            | Self::RobotsDisallowed
            | Self::WriteFailed(_)
            | Self::FileExists => None,
        }
    }
}

impl From<Halt> for FetchError {
    fn from(halt: Halt) -> Self {
        match halt {
            Halt::Refused(reason) => Self::RedirectRefused(reason),
            Halt::Insecure => Self::InsecureRedirect,
            Halt::TooMany => Self::TooManyRedirects,
        }
    }
}

/// Why a client cannot be made of its settings. It does not repeat them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The text holds no certificate.
    #[error("the additional certificates are not PEM, or none stands in them")]
    Certificates,
    /// The proxy's address cannot be read.
    #[error("the proxy is not an address of http or https")]
    Proxy,
    /// The client cannot be made.
    #[error("the client cannot be made with these settings")]
    Client,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_is_documented() {
        use FetchError as E;
        let all = [
            E::TooManyRedirects,
            E::InsecureRedirect,
            E::RedirectRefused(Reason::NeverWritten),
            E::OddSpelling,
            E::PrivateAddress(Class::Private),
            E::DnsFailed,
            E::ConnectFailed,
            E::TlsFailed,
            E::TimedOut(Phase::Whole),
            E::TooLarge(Size::Sent),
            E::CutOff,
            E::BadResponse,
            E::UnsupportedContentType,
            E::UnsupportedContentEncoding,
            E::BrokenContentEncoding,
            E::HttpStatus(404),
            E::RobotsDisallowed,
            E::WriteFailed(std::io::ErrorKind::NotFound),
            E::FileExists,
        ];
        let document = include_str!("../../../docs/fetch.md");
        let (_, table) = document.split_once("## Codes").unwrap_or_default();
        for error in all {
            assert!(table.contains(&format!("| `{}` |", error.code())), "{}", error.code());
        }
        assert_eq!(table.matches("\n| `").count(), all.len());
    }
}

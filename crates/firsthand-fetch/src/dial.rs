//! Only what was classified is dialled.
//!
//! [`survey`] looks at an address before anything is sent: numbers and known names need no query. [`Guard`] stands between
//! the client and the resolver: it is asked at every connection, classifies every answer, and gives exactly the answers that
//! it classified to the client, which connects to those and to no others. So a name that answers differently the second time
//! is judged a second time.
//!
//! One closed answer closes the name. Dropping it instead would be as safe, but public and private answers in one are not
//! what a public page has; they are how a name is turned from one into the other.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use firsthand::address::Address;
use reqwest::dns::{Addrs, Name, Resolve as Hook, Resolving};
use url::{Host, Url};

use crate::class::{self, Class};
use crate::error::FetchError;
use crate::reach::{Reach, Way};
use crate::resolve::Resolve;

/// What leaves for an address, and how its host is let through. Nothing is sent or asked for this.
pub(crate) fn survey(address: &Address, reach: &Reach) -> Result<(Url, Way), FetchError> {
    if address.is_odd() {
        return Err(FetchError::OddSpelling);
    }
    let url = Url::parse(address.identity()).map_err(|_| FetchError::OddSpelling)?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(FetchError::OddSpelling);
    }
    let port = url.port_or_known_default().unwrap_or_default();
    let way = match url.host() {
        Some(Host::Ipv4(number)) => of_number(number.into(), reach),
        Some(Host::Ipv6(number)) => of_number(number.into(), reach),
        Some(Host::Domain(name)) => of_name(name, port, reach),
        None => Err(FetchError::OddSpelling),
    }?;
    Ok((url, way))
}

fn of_number(number: IpAddr, reach: &Reach) -> Result<Way, FetchError> {
    reach.admit(number, Way::Address).map(|()| Way::Address).map_err(FetchError::PrivateAddress)
}

fn of_name(name: &str, port: u16, reach: &Reach) -> Result<Way, FetchError> {
    let known = class::of_name(name);
    if known == Some(Class::Metadata) {
        return Err(FetchError::PrivateAddress(Class::Metadata));
    }
    if reach.opens_name(name, port) {
        return Ok(Way::Name);
    }
    match known {
        Some(Class::Loopback) if reach.opens_loopback() => Ok(Way::Address),
        Some(class) => Err(FetchError::PrivateAddress(class)),
        None => Ok(Way::Address),
    }
}

/// What stands between the client and the resolver.
pub(crate) struct Guard {
    pub(crate) resolver: Arc<dyn Resolve>,
    pub(crate) reach: Arc<Reach>,
    pub(crate) way: Way,
    /// The proxy that the settings name. Where it is, it alone is dialled, wherever it stands.
    pub(crate) proxy: Option<String>,
}

/// An answer leads into a network that is not open.
#[derive(Debug, thiserror::Error)]
#[error("an answer leads into a network that is not public")]
pub(crate) struct Closed(pub(crate) Class);

/// The name has no answer.
#[derive(Debug, thiserror::Error)]
#[error("the name could not be resolved")]
pub(crate) struct Unresolved;

impl Hook for Guard {
    fn resolve(&self, name: Name) -> Resolving {
        let answers = self.resolver.resolve(name.as_str());
        let reach = Arc::clone(&self.reach);
        let way = self.way;
        let is_proxy = self.proxy.as_deref() == Some(name.as_str());
        Box::pin(async move {
            let answers = answers.await.map_err(|_| Unresolved)?;
            if answers.is_empty() {
                return Err(Unresolved.into());
            }
            if !is_proxy {
                for answer in &answers {
                    reach.admit(*answer, way).map_err(Closed)?;
                }
            }
            let dialled: Addrs = Box::new(answers.into_iter().map(|answer| SocketAddr::new(answer, 0)));
            Ok(dialled)
        })
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

    use firsthand::address::Form;
    use firsthand::private::Private;

    use super::*;

    fn surveyed(spelling: &str, reach: &Reach) -> Result<Way, FetchError> {
        survey(&Address::written(spelling, Form::Absolute).unwrap(), reach).map(|(_, way)| way)
    }

    #[test]
    fn odd_spellings_of_numbers_are_read_as_numbers_or_not_at_all() {
        for spelling in [
            "http://127.0.0.1/",
            "http://127.1/",
            "http://0x7f000001/",
            "http://0177.0.0.1/",
            "http://2130706433/",
            "http://0x7f.1/",
            "http://127.0.0.1./",
            "http://[::1]/",
            "http://[::ffff:127.0.0.1]/",
            "http://[::ffff:7f00:1]/",
            "http://[::127.0.0.1]/",
            "http://[64:ff9b::127.0.0.1]/",
            "http://0/",
            "http://0.0.0.0/",
            "http://169.254.169.254/latest/meta-data/",
            "http://2852039166/",
            "http://metadata.google.internal/computeMetadata/v1/",
            "http://metadata.google.internal./",
            "http://localhost/",
            "http://LOCALHOST:8080/",
            "http://x.localhost/",
            "http://①②⑦.0.0.1/",
            "http://127。0。0。1/",
            "http://user@example.com/",
        ] {
            let error = surveyed(spelling, &Reach::default()).unwrap_err();
            assert!(matches!(error, FetchError::PrivateAddress(_) | FetchError::OddSpelling), "{spelling}: {error:?}");
        }
        assert_eq!(surveyed("http://example.com/", &Reach::default()), Ok(Way::Address));
        assert_eq!(surveyed("http://1.1.1.1/", &Reach::default()), Ok(Way::Address));
    }

    #[test]
    fn what_is_opened_passes_by_the_way_it_was_opened() {
        let reach =
            Reach::new(Private::parse(["wiki.corp.example:8080", "metadata.google.internal"], ["127.0.0.1"]).unwrap());
        assert_eq!(surveyed("http://wiki.corp.example:8080/", &reach), Ok(Way::Name));
        assert_eq!(surveyed("http://wiki.corp.example/", &reach), Ok(Way::Address));
        assert_eq!(surveyed("http://127.0.0.1:9/", &reach), Ok(Way::Address));
        assert_eq!(surveyed("http://localhost/", &reach), Ok(Way::Address));
        let closed = Err(FetchError::PrivateAddress(Class::Metadata));
        assert_eq!(surveyed("http://metadata.google.internal/", &reach), closed);
    }

    #[test]
    fn the_url_standard_changes_what_the_document_says_and_nothing_else() {
        for (spelling, left) in [
            ("HTTP://Example.COM:80", "http://example.com/"),
            ("https://bücher.example:443/x", "https://xn--bcher-kva.example/x"),
            ("https://a.example/b/./c/../d", "https://a.example/b/d"),
            ("https://a.example/b/%2e%2E/d", "https://a.example/d"),
            ("https://a.example/ü ^?ü\"<>'", "https://a.example/%C3%BC%20%5E?%C3%BC%22%3C%3E%27"),
            ("https://a.example/\"<>`{}?`{}^|", "https://a.example/%22%3C%3E%60%7B%7D?`{}^|"),
            (
                "https://a.example/%7e%2F//;a,b+c|[]!$&'()*=:@~_-.?x=%20+&&=;/?",
                "https://a.example/%7e%2F//;a,b+c|[]!$&'()*=:@~_-.?x=%20+&&=;/?",
            ),
        ] {
            let address = Address::written(spelling, Form::Absolute).unwrap();
            let sent = survey(&address, &Reach::default()).map(|(url, _)| String::from(url));
            assert!(sent.as_deref() == Ok(left) || address.is_odd(), "{spelling}: {sent:?}");
        }
    }
}

//! From a name to its addresses.

use std::future::Future;
use std::io;
use std::net::{IpAddr, ToSocketAddrs as _};
use std::pin::Pin;

/// The answers to come.
pub type Answers = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send>>;

/// Who tells the addresses of a name.
///
/// It is asked for names of permits and of decided redirects alone, each time that a connection is made.
pub trait Resolve: Send + Sync + 'static {
    /// All addresses of a name.
    fn resolve(&self, host: &str) -> Answers;
}

/// The system's own resolver, hosts file and search list included.
#[derive(Clone, Copy, Debug, Default)]
pub struct System;

impl Resolve for System {
    fn resolve(&self, host: &str) -> Answers {
        let host = host.to_owned();
        Box::pin(async move {
            let ask = move || (host.as_str(), 0).to_socket_addrs();
            let found = tokio::task::spawn_blocking(ask).await.map_err(io::Error::other)??;
            Ok(found.map(|socket| socket.ip()).collect())
        })
    }
}

//! The way out: what a permit opens, brought by the client.

use std::io;

use firsthand::verdict::{Halt, Pass, Permit};
use firsthand_fetch::client::Settings;
use firsthand_fetch::error::{FetchError, SettingError};
use firsthand_fetch::limits::Limits;
use firsthand_fetch::open::{Answer, Door, Opened, Progress, Referee, Saved, Wish};
use firsthand_fetch::reach::Reach;
use firsthand_fetch::robots::Robots;
use firsthand_fetch::save::Place;

use super::Leaving;

/// What a deployment says of the way out.
#[derive(Debug, Default)]
pub(crate) struct WayOut {
    /// Whether sites are asked by their `robots.txt`.
    pub(crate) robots: bool,
    /// The proxy through which everything leaves.
    pub(crate) proxy: Option<String>,
    /// Certificates that are believed besides the system's, in PEM.
    pub(crate) roots: Option<Vec<u8>>,
}

/// Why nothing was opened at all.
#[derive(Debug)]
pub(crate) enum NotOpened {
    /// The settings do not make a client.
    Settings(SettingError),
    /// An address of the call may not be opened, or its file exists: nothing was sent.
    Call(FetchError),
    /// The operating system gives no runtime to work in.
    Runtime(io::Error),
}

/// Told whenever a piece has come.
pub(crate) type Tell<'t> = &'t mut (dyn FnMut(Progress) + Send);

/// Opens the addresses of a permit into memory.
pub(crate) fn fetch(
    leaving: &Leaving<'_>,
    permit: Permit,
    way: &WayOut,
    tell: Tell<'_>,
) -> Result<Vec<Opened<Answer>>, NotOpened> {
    let door = door(leaving, way, Limits::PAGE)?;
    in_time(door.fetch(permit, &mut Decides(leaving), wish(way, tell)))
}

/// Opens the addresses of a permit, each into a file.
pub(crate) fn download(
    leaving: &Leaving<'_>,
    permit: Permit,
    way: &WayOut,
    place: &Place,
    tell: Tell<'_>,
) -> Result<Vec<Opened<Saved>>, NotOpened> {
    let door = door(leaving, way, Limits::DOWNLOAD)?;
    in_time(door.download(permit, &mut Decides(leaving), place, wish(way, tell)))
}

/// Redirects are decided by the ledger that decided the call.
struct Decides<'l>(&'l Leaving<'l>);

impl Referee for Decides<'_> {
    fn redirect(&mut self, from: Pass, location: &str) -> Result<Pass, Halt> {
        self.0.redirect(from, location)
    }
}

fn door(leaving: &Leaving<'_>, way: &WayOut, limits: Limits) -> Result<Door, NotOpened> {
    let reach = Reach::new(leaving.private().clone());
    let (proxy, extra_roots) = (way.proxy.clone(), way.roots.clone());
    Door::new(Settings { limits, reach, proxy, extra_roots, ..Settings::default() }).map_err(NotOpened::Settings)
}

fn wish<'t>(way: &WayOut, tell: Tell<'t>) -> Wish<'t> {
    let robots = if way.robots { Robots::Ask(firsthand_page::robots) } else { Robots::Ignore };
    Wish { robots, progress: Some(tell), ..Wish::default() }
}

fn in_time<T>(work: impl Future<Output = Result<T, FetchError>>) -> Result<T, NotOpened> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(NotOpened::Runtime)?;
    let done = runtime.block_on(work);
    // The system's resolver cannot be told to stop, and is not waited for when a deadline has passed.
    runtime.shutdown_background();
    done.map_err(NotOpened::Call)
}

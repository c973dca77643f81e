//! Faults of this program: caught, told without any content, never taken for an open door.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook};

thread_local! {
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Where this program went wrong.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The line of our own source.
    pub(crate) place: String,
}

/// Keeps a panic from printing itself.
///
/// SECURITY: the text of a panic may quote the string it failed on, and that may be an address.
pub(crate) fn keep_panics_quiet() {
    set_hook(Box::new(|panic| {
        let place = panic.location().map(|place| format!("{}:{}", place.file(), place.line()));
        PLACE.with(|last| {
            if let Ok(mut last) = last.try_borrow_mut() {
                *last = place;
            }
        });
    }));
}

/// Runs `work`, and gives the place of its panic if it panics.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    // What `work` leaves half done is dropped with it: each piece of work owns what it changes.
    catch_unwind(AssertUnwindSafe(work)).map_err(|_| {
        let place = PLACE.with(|last| last.try_borrow_mut().ok().and_then(|mut last| last.take()));
        Fault { place: place.unwrap_or_else(|| "an unknown place".to_owned()) }
    })
}

#[cfg(test)]
mod tests {
    #![expect(clippy::panic, clippy::unwrap_used, reason = "a panic is what is tested")]

    use super::*;

    #[test]
    fn a_panic_is_told_by_its_place_and_never_by_its_text() {
        keep_panics_quiet();
        let fault = caught(|| {
            if true {
                panic!("https://secret.example/")
            }
        })
        .unwrap_err();
        assert!(fault.place.contains("fault.rs:"), "{}", fault.place);
        assert!(!fault.place.contains("secret"));
    }
}

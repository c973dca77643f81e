//! Faults of this program: caught, told without any content, never taken for an open door.

use std::cell::{Cell, RefCell};
use std::panic::{AssertUnwindSafe, catch_unwind, set_hook, take_hook};

thread_local! {
    static CATCHING: Cell<bool> = const { Cell::new(false) };
    static PLACE: RefCell<Option<String>> = const { RefCell::new(None) };
}

/// Where this program went wrong.
#[derive(Clone, Debug)]
pub(crate) struct Fault {
    /// The line of our own source.
    pub(crate) place: String,
}

/// Keeps a panic that will be caught from printing itself.
///
/// SECURITY: the text of a panic may quote the string it failed on, and that may be an address.
pub(crate) fn keep_panics_quiet() {
    let loud = take_hook();
    set_hook(Box::new(move |panic| {
        if CATCHING.get() {
            PLACE.set(panic.location().map(|place| format!("{}:{}", place.file(), place.line())));
        } else {
            loud(panic);
        }
    }));
}

/// Runs `work`, and gives the place of its panic if it panics.
pub(crate) fn caught<T>(work: impl FnOnce() -> T) -> Result<T, Fault> {
    let outer = CATCHING.replace(true);
    // What `work` leaves half done is dropped with it: each piece of work owns what it changes.
    let result = catch_unwind(AssertUnwindSafe(work));
    CATCHING.set(outer);
    result.map_err(|_| Fault { place: PLACE.take().unwrap_or_else(|| "an unknown place".to_owned()) })
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

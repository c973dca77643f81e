//! Pages in, texts out.
#![expect(clippy::unwrap_used, reason = "in a test a panic is the report")]
#![expect(clippy::disallowed_methods, reason = "tests read their cases and look at the clock")]

mod cases;
mod formats;
mod hostile;
mod parts;
mod properties;
mod robots;

use firsthand::address::{Address, Form};
use firsthand_page::{Limits, Page, read};

/// The address that every page of the tests has.
const PAGE: &str = "https://shop.example/docs/guide?lang=en";

fn address() -> Address {
    Address::written(PAGE, Form::Absolute).unwrap()
}

fn page(html: &str) -> Page {
    read(html.as_bytes(), Some("text/html; charset=utf-8"), &address(), Limits::default()).unwrap()
}

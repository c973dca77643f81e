//! Addresses in running text that must not stay, though they are no links here.
//!
//! Renderers that make links of such addresses would open them all the same: of one with a user before its host, that host.
//! Where something that is not seen stands behind the scheme, none does.

use std::borrow::Cow;
use std::ops::Range;

use super::apply;
use super::edit::NOTHING;
use crate::bare::scheme_before;
use crate::find::find;
use crate::link::{Link, Syntax};
use crate::record::Unwrapped;

/// The text in which no such address is left; `None` where there is none. What is told of one is only that it was there.
pub(super) fn as_text(text: &str, unwrapped: &mut Vec<Unwrapped>) -> Option<String> {
    memchr::memmem::find(text.as_bytes(), b"://")?;
    let is_doomed = |link: &Link<'_>| link.syntax == Syntax::Bare && link.target.is_err();
    let doomed: Vec<Link<'_>> = find(text).into_iter().filter(is_doomed).collect();
    if doomed.is_empty() {
        return None;
    }
    // An address within it would be the next to stand alone.
    let schemes = doomed.iter().flat_map(|link| schemes(text, &link.range));
    let (text, _) = apply(text, schemes.map(|place| (place..place, Cow::Borrowed(NOTHING))));
    let told = doomed.into_iter().filter_map(|link| link.target.err());
    unwrapped.extend(told.map(|reason| Unwrapped { reason, text: String::new() }));
    Some(text)
}

/// Where each scheme ends in a range.
fn schemes<'t>(text: &'t str, range: &Range<usize>) -> impl Iterator<Item = usize> + use<'t> {
    let start = range.start;
    let shown = text.as_bytes().get(range.clone()).unwrap_or_default();
    let colons = memchr::memmem::find_iter(shown, b"://").map(move |at| start + at);
    colons.filter(move |colon| scheme_before(text, *colon, start).is_some())
}

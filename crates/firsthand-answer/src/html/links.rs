//! Links, chips and images on the page.

use std::ops::Range;

use super::Page;
use super::escape::escape;
use crate::link::{Link, Syntax};
use crate::record::Form;
use crate::target::Target;

/// How the tag of a link begins that has a text of its own.
const LINK: &str = "<a href=\"";

/// The same for an address alone.
const CHIP: &str = "<a class=\"chip\" href=\"";

/// The same for what was an image.
const IMAGE: &str = "<a class=\"image\" href=\"";

/// What stands in a link's tag besides its address: the site behind it is told nothing, and lent nothing.
const GUARDS: &str = "\" rel=\"noopener noreferrer nofollow\" referrerpolicy=\"no-referrer\">";

/// The same for a page that is not the application's.
const GUARDS_OUTSIDE: &str =
    "\" rel=\"noopener noreferrer nofollow\" referrerpolicy=\"no-referrer\" target=\"_blank\">";

fn open(html: &mut String, begin: &str, target: &Target<'_>) {
    html.push_str(begin);
    escape(html, target.key());
    html.push_str(if target.is_document() { GUARDS } else { GUARDS_OUTSIDE });
}

/// A whole link.
pub(super) fn link(html: &mut String, target: &Target<'_>, text: &str) {
    open(html, LINK, target);
    escape(html, text);
    html.push_str("</a>");
}

impl Page<'_, '_> {
    /// Whether a link is shown as one: it may stay, and all of it has been written.
    fn is_live(&self, link: &Link<'_>) -> bool {
        link.target.is_ok() && self.partial.is_none_or(|partial| partial.settles(&link.range, link.syntax))
    }

    pub(super) fn begin_link(&mut self, link: &Link<'_>) {
        let at = self.html.len();
        let is_live = self.is_live(link);
        if let (true, Ok(target)) = (is_live && link.syntax != Syntax::Bare, &link.target) {
            open(&mut self.html, LINK, target);
        }
        self.link = Some((at, is_live));
    }

    pub(super) fn finish_link(&mut self, link: &Link<'_>) {
        let Some((at, is_live)) = self.link.take() else { return };
        if link.form() == Form::Chip {
            self.html.truncate(at);
            self.chip(link);
        } else if is_live {
            self.html.push_str("</a>");
        }
    }

    /// A link that has no text of its own.
    pub(super) fn chip(&mut self, link: &Link<'_>) {
        let Ok(target) = &link.target else {
            if link.syntax != Syntax::Inline {
                escape(&mut self.html, link.destination());
            }
            return;
        };
        if !self.is_live(link) {
            self.html.push_str("<span data-pending=\"\">");
            escape(&mut self.html, link.destination());
            self.html.push_str("</span>");
            return;
        }
        if link.in_table || self.partial.is_some() {
            open(&mut self.html, LINK, target);
            escape(&mut self.html, link.destination());
        } else {
            open(&mut self.html, CHIP, target);
            // A page chooses its title; what a reader is to go by is where the chip leads.
            let name = if target.is_document() { self.known.title(target) } else { None };
            let label = name.as_deref().or(target.host()).unwrap_or(&target.spelling);
            escape(&mut self.html, label);
        }
        self.html.push_str("</a>");
    }

    /// The link of a widget's cell that has a text.
    pub(super) fn cell_link(&mut self, cell: &Link<'_>) {
        match &cell.target {
            Ok(target) if self.is_live(cell) => link(&mut self.html, target, &cell.text),
            Ok(_) | Err(_) => escape(&mut self.html, &cell.text),
        }
    }

    pub(super) fn begin_image(&mut self, destination: &str, range: &Range<usize>, syntax: Syntax) {
        self.images += 1;
        if self.images > 1 {
            return;
        }
        let settled = self.partial.is_none_or(|partial| partial.settles_image(range, syntax));
        let target = Target::read(destination).ok().filter(|_| self.link.is_none() && settled);
        if let Some(target) = &target {
            open(&mut self.html, IMAGE, target);
        }
        self.image = Some((self.html.len(), target.is_some()));
    }

    pub(super) fn finish_image(&mut self) {
        self.images = self.images.saturating_sub(1);
        if self.images > 0 {
            return;
        }
        if let Some((content, true)) = self.image.take() {
            if self.html.len() == content {
                self.html.push_str("image");
            }
            self.html.push_str("</a>");
        }
    }
}

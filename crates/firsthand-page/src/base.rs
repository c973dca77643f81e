//! Where the relative links of a page lead from.

use firsthand::address::Address;

/// What stands for the address of a page that nobody may see: no name ends so.
const NOWHERE: &str = "nowhere.invalid";

/// Where the relative links of a page lead from.
#[derive(Clone, Debug)]
pub(crate) struct Base {
    page: Option<Address>,
    is_shown: bool,
}

impl Base {
    /// The page's own address.
    pub(crate) fn of(page: &Address) -> Self {
        Self { page: Some(page.clone()), is_shown: true }
    }

    /// Nowhere: only links that stand whole lead anywhere.
    pub(crate) fn hidden() -> Self {
        let page = Address::written(&format!("https://{NOWHERE}/"), firsthand::address::Form::Absolute);
        Self { page, is_shown: false }
    }

    /// The address that a link leads to.
    pub(crate) fn joined(&self, link: &str) -> Option<Address> {
        let leads_away = |address: &Address| self.is_shown || address.host() != NOWHERE;
        self.page.as_ref()?.joined(link).filter(leads_away)
    }

    /// What a page calls its own address, if that is of its site.
    pub(crate) fn own(&self, link: &str) -> Option<String> {
        let canonical = self.joined(link)?;
        let is_of_its_site = self.is_shown && self.page.as_ref()?.site() == canonical.site();
        (is_of_its_site && !canonical.is_odd()).then(|| canonical.reveal().to_owned())
    }
}

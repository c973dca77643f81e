//! What is known of addresses besides the text of the answer.

use hashbrown::HashMap;

use crate::record::First;
use crate::target::Target;
use crate::title;

/// What is known of an address from the tool results of this turn, and from the conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    /// The address, of the web or of a document.
    pub url: String,
    /// The page's title or the document's name, as the tool result says it.
    pub title: Option<String>,
    /// What returned it.
    pub kind: KnownKind,
    /// Where it stood first.
    pub first: Option<First>,
}

/// What returned an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum KnownKind {
    /// A search, a page, a person.
    Web,
    /// A connected service.
    Connector,
}

/// What is known, by address.
#[derive(Debug, Default)]
pub(crate) struct Index<'a> {
    by_key: HashMap<String, Vec<&'a Known>>,
}

impl<'a> Index<'a> {
    pub(crate) fn new(known: &'a [Known]) -> Self {
        let mut by_key: HashMap<String, Vec<&Known>> = HashMap::new();
        for one in known {
            if let Ok(target) = Target::read(one.url.as_str()) {
                by_key.entry(target.key().to_owned()).or_default().push(one);
            }
        }
        Self { by_key }
    }

    /// The entries of an address; of the page as a whole where only that is known.
    fn entries(&self, target: &Target<'_>) -> &[&'a Known] {
        if self.by_key.is_empty() {
            return &[];
        }
        let page = || target.key().split_once('#').and_then(|(page, _)| self.by_key.get(page));
        self.by_key.get(target.key()).or_else(page).map_or(&[], Vec::as_slice)
    }

    /// The first title that a tool result gives it and that may be shown.
    pub(crate) fn title(&self, target: &Target<'_>) -> Option<String> {
        self.entries(target).iter().find_map(|known| title::title(known.title.as_deref()?, target))
    }

    /// Whether a connected service returned it.
    pub(crate) fn is_of_connector(&self, target: &Target<'_>) -> bool {
        self.entries(target).iter().any(|known| known.kind == KnownKind::Connector)
    }

    /// Where it stood first.
    pub(crate) fn first(&self, target: &Target<'_>) -> Option<First> {
        self.entries(target).iter().find_map(|known| known.first.clone())
    }
}

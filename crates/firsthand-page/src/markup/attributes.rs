//! The attributes of a start tag that a text needs.

/// An attribute that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Name {
    Alt,
    AriaHidden,
    AriaLabel,
    Class,
    Colspan,
    Content,
    Height,
    Hidden,
    Href,
    Subject,
    Open,
    Property,
    Rel,
    Role,
    Rowspan,
    Source,
    Start,
    Style,
    Title,
    Value,
    Width,
}

impl Name {
    fn of(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"alt" => Self::Alt,
            b"aria-hidden" => Self::AriaHidden,
            b"aria-label" => Self::AriaLabel,
            b"class" => Self::Class,
            b"colspan" => Self::Colspan,
            b"content" => Self::Content,
            b"height" => Self::Height,
            b"hidden" => Self::Hidden,
            b"href" => Self::Href,
            b"name" => Self::Subject,
            b"open" => Self::Open,
            b"property" => Self::Property,
            b"rel" => Self::Rel,
            b"role" => Self::Role,
            b"rowspan" => Self::Rowspan,
            b"src" => Self::Source,
            b"start" => Self::Start,
            b"style" => Self::Style,
            b"title" => Self::Title,
            b"value" => Self::Value,
            b"width" => Self::Width,
            _ => return None,
        })
    }
}

/// The kept attributes of one start tag.
#[derive(Debug, Default)]
pub(super) struct Attributes {
    values: Vec<(Name, String)>,
    /// Whether the last of them is the one whose value comes.
    is_open: bool,
}

impl Attributes {
    pub(super) fn clear(&mut self) {
        self.values.clear();
        self.is_open = false;
    }

    /// An attribute begins. Of two with one name the first counts.
    pub(super) fn begin(&mut self, name: &[u8]) {
        let new = Name::of(name).filter(|name| self.get(*name).is_none());
        self.is_open = new.is_some();
        self.values.extend(new.map(|name| (name, String::new())));
    }

    /// The value of the attribute that began.
    pub(super) fn value(&mut self, value: &[u8]) {
        if let Some((_, kept)) = self.values.last_mut().filter(|_| self.is_open) {
            kept.push_str(&String::from_utf8_lossy(value));
        }
    }

    pub(super) fn get(&self, wanted: Name) -> Option<&str> {
        self.values.iter().find(|(name, _)| *name == wanted).map(|(_, value)| value.as_str())
    }

    pub(super) fn number(&self, wanted: Name) -> Option<u32> {
        self.get(wanted)?.trim_ascii().parse().ok()
    }

    /// Whether a value is a word, whatever its case.
    pub(super) fn is(&self, wanted: Name, word: &str) -> bool {
        self.get(wanted).is_some_and(|value| value.trim_ascii().eq_ignore_ascii_case(word))
    }

    /// Whether the element is not shown, as far as it says so itself.
    pub(super) fn is_hidden(&self) -> bool {
        self.get(Name::Hidden).is_some()
            || self.is(Name::AriaHidden, "true")
            || self.get(Name::Style).is_some_and(|style| {
                let plain: String = style.chars().filter(|character| !character.is_whitespace()).collect();
                let plain = plain.to_ascii_lowercase();
                plain.contains("display:none") || plain.contains("visibility:hidden")
            })
    }

    /// Whether it is a picture that counts visits and shows nothing.
    pub(super) fn is_pixel(&self) -> bool {
        [Name::Width, Name::Height].into_iter().any(|side| self.number(side).is_some_and(|pixels| pixels <= 1))
    }

    /// The language that a class names, as highlighters write it.
    pub(super) fn language(&self) -> Option<&str> {
        const MARKS: [&str; 5] = ["language-", "lang-", "highlight-source-", "highlight-", "brush:"];
        let mut classes = self.get(Name::Class)?.split_ascii_whitespace();
        let named = classes.find_map(|class| MARKS.iter().find_map(|mark| class.strip_prefix(mark)))?;
        if matches!(named, "default" | "none" | "text") {
            return None;
        }
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'#' | b'-' | b'_' | b'.');
        (!named.is_empty() && named.len() <= 20 && named.bytes().all(is_name)).then_some(named)
    }
}

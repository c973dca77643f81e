//! Titles of sources: plain text that says no more than it may.
//!
//! The text of a link is the model's and the title of a page is its author's, so both are cleaned, and neither may show
//! the address of somewhere else.

use std::borrow::Cow;

use url::Url;

use crate::target::{Target, is_unseen, joins};

/// How many characters a title has at most.
const LONGEST: usize = 200;

/// Texts of links that name nothing, in other scripts than Latin.
const GENERIC: [&str; 12] =
    ["来源", "來源", "链接", "連結", "出典", "リンク", "こちら", "링크", "출처", "여기", "바로가기", "원문"];

/// A text as one line that is all seen: white space is a space, what is not seen is gone.
pub fn clean(text: &str) -> String {
    cleaned(Cow::Borrowed(text)).into_owned()
}

/// The same for a text that may be one already.
pub(crate) fn cleaned(text: Cow<'_, str>) -> Cow<'_, str> {
    if is_clean(&text) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    for word in text.split(char::is_whitespace) {
        let before = out.len();
        if before > 0 {
            out.push(' ');
        }
        let from = out.len();
        let mut before_it = None;
        let mut characters = word.chars().peekable();
        while let Some(character) = characters.next() {
            // A joiner is part of a word or sign only between two of its characters.
            let is_between = joins(character)
                && before_it.is_some_and(is_joined)
                && characters.peek().is_some_and(|&next| is_joined(next));
            if !is_unseen(character) || is_between {
                out.push(character);
            }
            before_it = Some(character);
        }
        if out.len() == from {
            out.truncate(before);
        }
    }
    Cow::Owned(out)
}

/// Whether a joiner beside a character may change how it is written: letters beyond ASCII, and signs.
fn is_joined(character: char) -> bool {
    !character.is_ascii() && (!is_unseen(character) || character == '\u{fe0f}')
}

/// Whether a text is one line of visible ASCII with single spaces, as most are.
fn is_clean(text: &str) -> bool {
    let mut before = b' ';
    for byte in text.bytes() {
        if !matches!(byte, b' '..=b'~') || byte == b' ' && before == b' ' {
            return false;
        }
        before = byte;
    }
    before != b' ' || text.is_empty()
}

/// The title that a text makes for an address; `None` where it names nothing, or another place.
pub(crate) fn title(text: &str, target: &Target<'_>) -> Option<String> {
    title_of_clean(&cleaned(Cow::Borrowed(text)), target).map(Cow::into_owned)
}

/// The same for a clean text.
pub(crate) fn title_of_clean<'t>(text: &Cow<'t, str>, target: &Target<'_>) -> Option<Cow<'t, str>> {
    let bare = text.trim_matches(|character: char| matches!(character, '[' | ']' | '(' | ')' | '.' | ':'));
    let names_nothing = bare.is_empty()
        || bare.chars().all(|character| character.is_numeric() || matches!(character, ',' | '-' | ' ' | '^'))
        || is_generic(bare);
    let may_be_address = shows_address(text) || target.host().is_some_and(|host| host.eq_ignore_ascii_case(text));
    if names_nothing || may_be_address && (is_address(text, target) || names_other_site(bare, target)) {
        return None;
    }
    Some(short(text.clone()))
}

/// Whether a text may show an address: without any of these it is at most a name of one label.
fn shows_address(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'.' | b':' | b'/' | b'?' | b'#') || !byte.is_ascii())
}

fn is_generic(text: &str) -> bool {
    if !text.is_ascii() {
        return GENERIC.contains(&text);
    }
    let same_length: &[&str] = match text.len() {
        3 => &["url", "ref"],
        4 => &["link", "here", "more", "page"],
        6 => &["source"],
        7 => &["sources", "website"],
        8 => &["citation"],
        9 => &["read more"],
        10 => &["click here"],
        _ => &[],
    };
    same_length.iter().any(|generic| text.eq_ignore_ascii_case(generic))
}

/// No more of a clean text than a title may have.
pub(crate) fn short(text: Cow<'_, str>) -> Cow<'_, str> {
    let end = if text.len() <= LONGEST { None } else { text.char_indices().nth(LONGEST) };
    match end {
        Some((end, _)) => Cow::Owned(text.get(..end).unwrap_or_default().trim_end().to_owned()),
        None => text,
    }
}

/// Whether a text is the address itself, with or without its scheme.
fn is_address(text: &str, target: &Target<'_>) -> bool {
    let text = without_scheme(text);
    [&target.spelling, target.key()].into_iter().any(|address| without_scheme(address) == text)
}

fn without_scheme(address: &str) -> &str {
    let behind = address.strip_prefix("https://").or_else(|| address.strip_prefix("http://"));
    behind.unwrap_or(address).trim_end_matches('/')
}

/// Whether a text is a domain of another site than the one it stands for, or holds an address of one.
///
/// A title may be about a site: what stands among other words is only taken for an address where it looks like one.
fn names_other_site(text: &str, target: &Target<'_>) -> bool {
    let text = text.replace(is_dot, ".");
    let file = target.key().split(['?', '#']).next().and_then(|path| path.rsplit('/').next()).unwrap_or_default();
    let words = text.split(|character: char| character.is_whitespace() || character == '|');
    let words = words.map(|word| word.trim_matches(|character: char| !character.is_alphanumeric()));
    let words: Vec<&str> = words.filter(|word| !word.is_empty() && *word != file).collect();
    let site = |host: &str| psl::domain_str(host).unwrap_or(host).to_owned();
    words.iter().any(|word| {
        let host = if words.len() == 1 || word.contains('/') || has_scheme(word) { shown_host(word) } else { None };
        host.is_some_and(|host| target.host().is_none_or(|own| site(own) != site(&host)))
    })
}

/// What is read as the dot of a host name (UTS 46), and the one dot leader that looks like it.
fn is_dot(character: char) -> bool {
    matches!(character, '\u{3002}' | '\u{ff0e}' | '\u{ff61}' | '\u{2024}')
}

fn has_scheme(word: &str) -> bool {
    let starts = |scheme: &str| word.get(..scheme.len()).is_some_and(|start| start.eq_ignore_ascii_case(scheme));
    word.contains("://") || starts("http:") || starts("https:")
}

/// The host that a word shows, where it is an address or a domain.
fn shown_host(word: &str) -> Option<String> {
    if !word.contains(['.', ':']) {
        return None;
    }
    let has_scheme = has_scheme(word);
    let url = if has_scheme { Url::parse(word) } else { Url::parse(&format!("https://{word}")) };
    let url = url.ok()?;
    let host = url.host_str()?;
    let is_known = psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known())
        && psl::domain_str(host).is_some()
        // A number may be read as an address of four; only one that is written so shows it.
        || matches!(url.host(), Some(url::Host::Ipv4(_))) && word.starts_with(host);
    (is_known || has_scheme).then(|| host.to_owned())
}

#[cfg(test)]
#[expect(clippy::unwrap_used, reason = "a panic is the report of a test")]
mod tests {
    use super::{clean, title};
    use crate::target::Target;

    #[track_caller]
    fn check(text: &str, wanted: Option<&str>) {
        let target = Target::read("https://docs.acme.example.com/x").unwrap();
        assert_eq!(title(text, &target).as_deref(), wanted, "{text:?}");
    }

    #[test]
    fn a_title_is_one_line_of_what_is_seen() {
        assert_eq!(clean(" a\n b\u{200b}c \u{202e} d\u{0}"), "a bc d");
        for kept in ["👨\u{200d}👩\u{200d}👧", "می\u{200c}خواهم"] {
            assert_eq!(clean(kept), kept);
        }
        assert_eq!(clean("a\u{200d}b\u{200c}é\u{200d}"), "abé");
        check("Invoice\u{202e}gpj", Some("Invoicegpj"));
        check(&"x".repeat(300), Some(&"x".repeat(200)));
    }

    #[test]
    fn what_names_nothing_is_no_title() {
        for text in ["", " ", "[1]", "12", "source", "Here", "click here", "来源", "링크", "[3, 4]"] {
            check(text, None);
        }
        check("12 ways", Some("12 ways"));
    }

    #[test]
    fn an_address_is_no_title_and_another_site_never_is() {
        check("https://docs.acme.example.com/x", None);
        check("docs.acme.example.com/x", None);
        check("other.com", None);
        check("https://other.com/page", None);
        check("example.com", Some("example.com"));
        check("notes.txt", Some("notes.txt"));
        check("Other.com explained", Some("Other.com explained"));
        for text in [
            "other。com",
            "other．com",
            "other․com",
            "“other.com”",
            "\"other.com\"",
            "other.com!",
            "other.com,",
            "other.com»",
            "→ other.com",
            "www.other.com|x",
            "other.com/a b",
            "http:other.com",
            "127.0.0.1",
            "https://other.com/login please",
        ] {
            check(text, None);
        }
        for text in ["Node.js", "3.14", "TCP/IP", "and/or", "1.2.3"] {
            check(text, Some(text));
        }
        let target = Target::read("https://docs.acme.example.com/src/README.md").unwrap();
        assert_eq!(title("README.md", &target).as_deref(), Some("README.md"));
    }
}

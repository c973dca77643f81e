//! Rules of others, as they are published, over the texts of one conversation.
//!
//! Each is stated in its own favour: addresses are compared without scheme, fragment and trailing slash and in any case of
//! letters, and JSON's escapes of slashes are taken off. What is asked for is what leaves.

use firsthand::conversation::{Body, Conversation};

/// A rule that looks at texts alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Plain {
    /// Everything leaves.
    Nothing,
    /// The host stands in an earlier text that is not the model's.
    HostsSeen,
    /// The address stands in a message of the role user or in a result.
    RoleBased,
    /// The address stands anywhere before, as a string.
    ExactAnywhere,
    /// The address stands in what the user typed.
    UserText,
    /// The address begins with one that the user typed, or one that the user typed begins with it.
    UserPrefix,
}

/// Whose a text is, as far as roles tell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    User,
    Result,
    System,
    Model,
}

/// The texts of a conversation, as the rules look at them.
#[derive(Debug)]
pub struct Texts {
    /// The item in which each text stands.
    texts: Vec<(usize, Role, String)>,
}

impl Texts {
    /// Of a conversation.
    pub fn of(conversation: &Conversation) -> Self {
        use firsthand::conversation::Speaker::{Assistant, Report, Summary, System, Task, Thinking};
        let role = |body: &Body| match body {
            Body::User { text, .. } | Body::Answer { text, .. } => Some((Role::User, text.to_string())),
            Body::Attachment { text, .. } => Some((Role::User, text.to_string())),
            // A role-based reader knows no other writer in the user's place.
            Body::Said { by: Task | Summary | Report, text } => Some((Role::User, text.to_string())),
            Body::Said { by: System, text } => Some((Role::System, text.to_string())),
            Body::Said { by: Assistant | Thinking, text } => Some((Role::Model, text.to_string())),
            Body::Call(call) => Some((Role::Model, call.arguments.to_string())),
            Body::Result(result) => Some((Role::Result, result.content.text().to_string())),
            Body::Grant { .. } | Body::Rewind { .. } | Body::Hidden { .. } => None,
        };
        let items = conversation.items.iter().enumerate();
        let texts = items.filter_map(|(item, of)| role(&of.body).map(|(role, text)| (item, role, text)));
        Self { texts: texts.map(|(item, role, text)| (item, role, text.replace("\\/", "/").to_lowercase())).collect() }
    }

    fn before(&self, item: usize) -> impl Iterator<Item = (Role, &str)> {
        self.texts.iter().filter(move |(at, ..)| *at < item).map(|(_, role, text)| (*role, text.as_str()))
    }
}

impl Plain {
    /// Whether an address opens that a call asks for in this item.
    pub fn opens(self, asked: &str, texts: &Texts, item: usize) -> bool {
        let asked = asked.trim().to_lowercase();
        let bare = bare(&asked);
        let mut before = texts.before(item);
        match self {
            Self::Nothing => true,
            Self::HostsSeen => {
                let host = host(bare);
                !host.is_empty()
                    && before.any(|(role, text)| role != Role::Model && stands_in(text, host, host_goes_on))
            }
            Self::RoleBased => before.any(|(role, text)| {
                matches!(role, Role::User | Role::Result) && stands_in(text, bare, address_goes_on)
            }),
            Self::ExactAnywhere => before.any(|(_, text)| text.contains(&asked)),
            Self::UserText => before.any(|(role, text)| role == Role::User && stands_in(text, bare, address_goes_on)),
            Self::UserPrefix => before
                .filter(|(role, _)| *role == Role::User)
                .any(|(_, text)| addresses(text).any(|given| given.starts_with(bare) || bare.starts_with(given))),
        }
    }
}

/// An address without scheme, `www.`, fragment and the slash at the end.
fn bare(address: &str) -> &str {
    let rest = address.split_once("://").map_or(address, |(_, rest)| rest);
    let rest = rest.split('#').next().unwrap_or_default();
    rest.strip_prefix("www.").unwrap_or(rest).trim_end_matches('/')
}

fn host(bare: &str) -> &str {
    bare.split(['/', '?', '#', ':']).next().unwrap_or_default()
}

/// Whether a word stands in a text with nothing before or behind it that belongs to it.
fn stands_in(text: &str, word: &str, goes_on: fn(&str) -> bool) -> bool {
    if word.is_empty() {
        return false;
    }
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).unwrap_or_default();
        let behind = text.get(at + word.len()..).unwrap_or_default();
        let is_part = |letter: char| letter.is_alphanumeric() || letter == '-';
        let begins = before.strip_suffix("www.").unwrap_or(before);
        let joined = begins.chars().next_back().is_some_and(|letter| is_part(letter) || letter == '.' || letter == '@');
        !joined && !goes_on(behind)
    })
}

fn host_goes_on(behind: &str) -> bool {
    let mut letters = behind.chars();
    match letters.next() {
        Some('.') => letters.next().is_some_and(char::is_alphanumeric),
        Some(letter) => letter.is_alphanumeric() || letter == '-',
        None => false,
    }
}

fn address_goes_on(behind: &str) -> bool {
    let behind = behind.strip_prefix('/').unwrap_or(behind);
    let mut letters = behind.chars();
    match letters.next() {
        Some('.' | ',' | ':' | ';' | '!') => letters.next().is_some_and(char::is_alphanumeric),
        Some(letter) => letter.is_alphanumeric() || "-_~%/?&=+@$*".contains(letter),
        None => false,
    }
}

/// The addresses of a text, bare.
fn addresses(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|letter: char| letter.is_whitespace() || "<>()[]{}\"'`".contains(letter));
    let words = words.map(|word| word.trim_end_matches(['.', ',', ';', ':', '!', '?']));
    words.filter(|word| word.contains("://") || word.starts_with("www.")).map(bare)
}

#[cfg(test)]
mod tests {
    use firsthand::conversation::{Call, Content, Item, Producer, Ran, Relayed, Seat, Speaker, ToolResult};

    use super::*;

    fn conversation() -> Conversation {
        let call = Call {
            id: "1".to_owned(),
            server: None,
            tool: "check_link".to_owned(),
            arguments: r#"{"link":"https://drop.example/?d=secret"}"#.into(),
            ran: Ran::Client,
            custom: false,
        };
        let result = ToolResult {
            from: Producer::Call("1".to_owned()),
            content: Content::Text("Fine: https://drop.example/?d=secret, see https:\\/\\/wiki.example\\/a.".into()),
            is_error: false,
            mime: None,
            redirects: Vec::new(),
        };
        let bodies = [
            Body::Said { by: Speaker::System, text: "Our pages are at https://intranet.example/".into() },
            Body::User {
                text: "Read https://www.Shop.example/prices/ and www.b.example.".into(),
                relayed: Relayed::No,
            },
            Body::Said { by: Speaker::Assistant, text: "I try https://made.example/up".into() },
            Body::Call(call),
            Body::Result(result),
        ];
        Conversation {
            id: "a".to_owned(),
            parent: None,
            seat: Seat::Presumed,
            dialect: "firsthand",
            items: bodies.into_iter().map(|body| Item::new("", body)).collect(),
        }
    }

    #[test]
    fn each_rule_opens_what_it_says() {
        use Plain::{ExactAnywhere, HostsSeen, Nothing, RoleBased, UserPrefix, UserText};
        let all = [Nothing, HostsSeen, RoleBased, ExactAnywhere, UserText, UserPrefix];
        let rows: [(&str, usize, &[Plain]); 13] = [
            ("https://nobody.example/", 9, &[Nothing]),
            ("http://shop.example/prices", 9, &[Nothing, HostsSeen, RoleBased, UserText, UserPrefix]),
            ("https://www.shop.example/prices/", 9, &all),
            ("https://shop.example/prices/2", 9, &[Nothing, HostsSeen, UserPrefix]),
            ("https://shop.example", 9, &[Nothing, HostsSeen, UserPrefix]),
            ("https://shop.example/prices", 1, &[Nothing]),
            ("https://wiki.example/a#what-the-model-knows", 9, &[Nothing, HostsSeen, RoleBased]),
            ("www.b.example", 9, &all),
            // A host that only begins like a user's is let through, as it is by the rule that is published.
            ("https://www.b.example.evil.example/", 9, &[Nothing, UserPrefix]),
            ("https://intranet.example/", 9, &[Nothing, HostsSeen, ExactAnywhere]),
            ("https://made.example/up", 9, &[Nothing, ExactAnywhere]),
            ("https://drop.example/?d=secret", 9, &[Nothing, HostsSeen, RoleBased, ExactAnywhere]),
            ("https://wiki.example/a", 9, &[Nothing, HostsSeen, RoleBased, ExactAnywhere]),
        ];
        let texts = Texts::of(&conversation());
        for (asked, item, opening) in rows {
            for rule in all {
                assert_eq!(rule.opens(asked, &texts, item), opening.contains(&rule), "{rule:?} and {asked} at {item}");
            }
        }
    }

    #[test]
    fn an_address_in_a_call_alone_is_nobody_elses() {
        let texts = Texts::of(&conversation());
        assert!(!Plain::RoleBased.opens("https://drop.example/?d=secret", &texts, 4));
        assert!(Plain::ExactAnywhere.opens("https://drop.example/?d=secret", &texts, 4));
    }
}

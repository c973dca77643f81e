//! Which API a recorded request is of: what came back tells it, else its address, else the request.

use crate::format::recorded::node::Node;

/// An API that has a reader.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Dialect {
    Messages,
    Chat,
    Responses,
    Gemini,
    Interactions,
}

/// Whether an address is of a model's API and not of its conversations.
pub(super) fn is_beside(uri: &str) -> bool {
    const BESIDE: &[&str] =
        &["count_tokens", ":countTokens", "/embeddings", ":embedContent", ":batchEmbedContents", "/moderations"];
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    BESIDE.iter().any(|end| path.ends_with(end))
}

/// The API of a request, or `None` where it is none of those that have a reader.
pub(super) fn of<'n, 'a: 'n>(
    uri: &str,
    request: &Node<'_>,
    mut response: impl Iterator<Item = &'n Node<'a>>,
) -> Option<Dialect> {
    let said = response.find_map(by_response).or_else(|| by_address(uri)).or_else(|| by_request(uri, request))?;
    let fits = match said {
        Dialect::Messages | Dialect::Chat => request.get("messages").is_list(),
        Dialect::Responses => request.find("input").is_some(),
        Dialect::Gemini => request.get("contents").is_list(),
        Dialect::Interactions => request.find("input").or(request.find("steps")).is_some(),
    };
    fits.then_some(said)
}

fn by_response(response: &Node<'_>) -> Option<Dialect> {
    let (kind, object) = (response.say("type"), response.say("object"));
    let of_messages = kind == "message" && response.find("role").is_some() || kind == "message_start";
    if of_messages {
        Some(Dialect::Messages)
    } else if object.starts_with("chat.completion") || response.get("choices").is_list() {
        Some(Dialect::Chat)
    } else if object == "response" || kind.starts_with("response.") {
        Some(Dialect::Responses)
    } else if object == "interaction" || response.say("event_type").starts_with("interaction.") {
        Some(Dialect::Interactions)
    } else if response.get("candidates").is_list() || response.list().iter().any(|one| one.get("candidates").is_list())
    {
        Some(Dialect::Gemini)
    } else {
        None
    }
}

fn by_address(uri: &str) -> Option<Dialect> {
    let path = uri.split(['?', '#']).next().unwrap_or_default().trim_end_matches('/');
    let ends = |end: &str| path.ends_with(end);
    if ends("/chat/completions") {
        Some(Dialect::Chat)
    } else if ends("/messages") {
        Some(Dialect::Messages)
    } else if ends("/responses") {
        Some(Dialect::Responses)
    } else if ends("/interactions") {
        Some(Dialect::Interactions)
    } else if ends(":generateContent") || ends(":streamGenerateContent") {
        Some(Dialect::Gemini)
    } else {
        None
    }
}

/// Recorders may strike out addresses; then the request itself must say it.
fn by_request(uri: &str, request: &Node<'_>) -> Option<Dialect> {
    if uri.contains("://") || request.find("model").is_none() {
        return None;
    }
    let messages = request.get("messages").list();
    let own = |message: &Node<'_>| {
        message
            .get("content")
            .list()
            .iter()
            .any(|block| block.say("type").ends_with("tool_result") || block.say("type").ends_with("tool_use"))
    };
    if messages.iter().any(|message| message.find("role").is_some()) {
        let is_anthropic = request.find("system").is_some() || messages.iter().any(own);
        Some(if is_anthropic { Dialect::Messages } else { Dialect::Chat })
    } else if request.get("input").list().iter().any(Node::is_map) {
        Some(Dialect::Responses)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn is(uri: &str, request: &str, response: &[&str], wanted: Option<Dialect>) {
        let node = |text| serde_json::from_str::<Node<'_>>(text).unwrap_or(Node::Null);
        let response: Vec<Node<'_>> = response.iter().map(|text| node(text)).collect();
        assert_eq!(of(uri, &node(request), response.iter()), wanted);
    }

    #[test]
    fn what_came_back_tells_the_api_whatever_the_address_is() {
        let messages = r#"{"model":"m","messages":[{"role":"user","content":"a"}]}"#;
        is("REDACTED", messages, &[r#"{"type":"message_start"}"#], Some(Dialect::Messages));
        is(
            "https://x.example/v1/rawPredict",
            messages,
            &[r#"{"type":"message","role":"assistant"}"#],
            Some(Dialect::Messages),
        );
        is("REDACTED", messages, &[r#"{"object":"chat.completion.chunk"}"#], Some(Dialect::Chat));
        is("REDACTED", messages, &[], Some(Dialect::Chat));
        is("https://x.example/v1/messages?beta=true", messages, &[], Some(Dialect::Messages));
        is("https://x.example/v2/other", messages, &[], None);
        is("", r#"{"model":"m","input":["a","b"]}"#, &[r#"{"object":"list"}"#], None);
    }

    #[test]
    fn counts_and_embeddings_are_no_conversation() {
        assert!(is_beside("https://x.example/v1/messages/count_tokens?beta=true"));
        assert!(is_beside("https://x.example/v1/embeddings"));
        assert!(!is_beside("https://x.example/v1/messages"));
    }
}

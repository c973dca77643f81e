//! Where the links of answers came from.
#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use firsthand::conversation::{Call, Content, Producer, Ran, Relayed, ToolResult};
use firsthand_wire::policy::profile;

use super::*;

fn conversation(bodies: Vec<Body>) -> Conversation {
    let items = bodies.into_iter().map(|body| Item::new("", body)).collect();
    Conversation { id: "one".to_owned(), parent: None, seat: Seat::Presumed, dialect: "own", items }
}

fn person(text: &str) -> Body {
    Body::User { text: text.into(), relayed: Relayed::No }
}

fn model(text: &str) -> Body {
    Body::Said { by: Speaker::Assistant, text: text.into() }
}

fn result(text: &str) -> [Body; 2] {
    let call = Call { id: "1".to_owned(), ..Call::named(None, "web_search", Ran::Client) };
    let content = Content::Text(text.into());
    let result = ToolResult {
        from: Producer::Call("1".to_owned()),
        content,
        is_error: false,
        mime: None,
        redirects: Vec::new(),
    };
    [Body::Call(call), Body::Result(result)]
}

fn told(bodies: Vec<Body>, shortcuts: Option<&Shortcuts>) -> Vec<Vec<(String, &'static str)>> {
    let conversation = conversation(bodies);
    let answers = origins(&[&conversation], shortcuts, &profile("firsthand").unwrap());
    let links = |answer: Answer| answer.links.into_iter().map(|link| (link.url, link.origin.name())).collect();
    answers.into_iter().map(links).collect()
}

#[test]
fn each_link_is_told_by_the_nearest_thing_that_explains_it() {
    let rules = Shortcuts::read(
        "[[shortcut]]\nname = \"order\"\ntemplate = \"https://erp.example/orders/{no}\"\ndescription = \"An order.\"",
    )
    .unwrap();
    let mut bodies = vec![person("Look at https://given.example/list and INC-17")];
    bodies.extend(result(
        "Hit https://docs.example/guide and https://t.example/browse/INC-1, file /documents/17, arXiv 2401.00001",
    ));
    bodies.push(model(
        "[a](https://docs.example/guide#part) <https://given.example/list> [o](https://erp.example/orders/7) \
         [i](https://t.example/browse/INC-17) [j](https://t.example/browse/INC-99) [p](https://arxiv.org/abs/2401.00001) \
         [d](/documents/17) [e](/documents/1) [u](https://nowhere.example/) `https://code.example/`",
    ));
    let wanted = [
        ("https://docs.example/guide#part", "tool_result"),
        ("https://given.example/list", "person"),
        ("https://erp.example/orders/7", "shortcut"),
        ("https://t.example/browse/INC-17", "convention"),
        ("https://t.example/browse/INC-99", "same_host"),
        ("https://arxiv.org/abs/2401.00001", "convention"),
        ("/documents/17", "tool_result"),
        ("/documents/1", "unseen"),
        ("https://nowhere.example/", "unseen"),
    ];
    let wanted: Vec<(String, &str)> = wanted.into_iter().map(|(url, origin)| (url.to_owned(), origin)).collect();
    assert_eq!(told(bodies, Some(&rules)), [wanted]);
}

#[test]
fn the_last_text_of_each_turn_is_its_answer_and_what_comes_later_explains_nothing() {
    let mut bodies = vec![person("One"), model("I shall look at https://first.example/")];
    bodies.extend(result("nothing"));
    bodies.push(model("[x](https://a.example/)"));
    bodies.push(person("Two https://a.example/"));
    bodies.extend(result("nothing"));
    bodies.push(model("[x](https://a.example/) [y](https://a.example/) <https://a.example/z>"));
    let unseen = vec![("https://a.example/".to_owned(), "unseen")];
    let second = vec![("https://a.example/".to_owned(), "person"), ("https://a.example/z".to_owned(), "same_host")];
    assert_eq!(told(bodies, None), [unseen, second]);
}

#[test]
fn what_a_model_wrote_explains_no_link_of_its_own() {
    let mut bodies = vec![person("One"), model("Perhaps https://made.example/up")];
    bodies.extend(result("nothing"));
    bodies.push(model("[x](https://made.example/up)"));
    assert_eq!(told(bodies, None), [vec![("https://made.example/up".to_owned(), "unseen")]]);
}

#[test]
fn what_an_error_or_an_echo_repeats_explains_no_link() {
    let mut bodies = vec![person("One")];
    bodies.extend(result("404: https://made.example/up"));
    if let Some(Body::Result(result)) = bodies.last_mut() {
        result.is_error = true;
    }
    for tool in ["Bash", "TodoWrite", "Task"] {
        let [mut call, result] = result("https://made.example/up");
        if let Body::Call(call) = &mut call {
            call.tool = tool.to_owned();
        }
        bodies.extend([call, result]);
    }
    bodies.push(model("[x](https://made.example/up)"));
    let mut conversation = conversation(bodies);
    conversation.dialect = "claude-code";
    let answers = origins(&[&conversation], None, &profile("firsthand").unwrap());
    assert_eq!(answers.first().unwrap().links.first().unwrap().origin, Origin::Unseen);
}

#[test]
fn a_subagents_report_is_no_answer() {
    let mut child = conversation(vec![person("Look"), model("[x](https://a.example/)")]);
    child.seat = Seat::ParentModel;
    assert!(origins(&[&child], None, &profile("firsthand").unwrap()).is_empty());
}

#[test]
fn an_answer_in_several_texts_is_one_and_its_citations_are_the_providers_search() {
    let named = Producer::Named { server: None, tool: "web_search".to_owned(), ran: Ran::Provider };
    let citation = |url: &str| {
        let content = Content::Text(url.into());
        Body::Result(ToolResult { from: named.clone(), content, is_error: false, mime: None, redirects: Vec::new() })
    };
    let mut bodies = vec![
        person("One"),
        model("See [a](https://a.example/)"),
        citation("https://a.example/"),
        model(", [b](https://b.example/) and [c](https://c.example/)."),
        citation("https://b.example/"),
    ];
    bodies.extend(result("https://c.example/"));
    bodies.push(citation("https://c.example/"));
    let wanted = [
        ("https://a.example/", "tool_result"),
        ("https://b.example/", "tool_result"),
        ("https://c.example/", "unseen"),
    ];
    let wanted: Vec<(String, &str)> = wanted.into_iter().map(|(url, origin)| (url.to_owned(), origin)).collect();
    assert_eq!(told(bodies, None), [wanted]);
}

#[test]
fn a_convention_is_filled_by_what_somebody_else_wrote_before_the_answer() {
    let answer = || model("[p](https://arxiv.org/abs/2401.00001)");
    let origin = |bodies: Vec<Body>| told(bodies, None).remove(0).remove(0).1;
    let mut failed = result("no paper 2401.00001");
    if let Body::Result(result) = &mut failed[1] {
        result.is_error = true;
    }
    let mut bodies = vec![person("Find it")];
    bodies.extend(failed);
    bodies.push(answer());
    bodies.extend(result("2401.00001"));
    assert_eq!(origin(bodies), "unseen", "an error and what came later fill nothing");
    let mut bodies = vec![person("Find it")];
    bodies.extend(result("2401.00001"));
    bodies.push(answer());
    assert_eq!(origin(bodies), "convention");
}

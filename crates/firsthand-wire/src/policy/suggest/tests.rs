#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use firsthand::conversation::Conversation;
use firsthand::policy::Policy;

use super::Tools;
use crate::format::{Choice, Source, read};
use crate::policy::{load, profile};

fn suggest(conversations: &[Conversation], policy: &Policy) -> String {
    let mut tools = Tools::default();
    for conversation in conversations {
        tools.look(conversation, policy);
    }
    tools.render(policy)
}

#[test]
fn a_skeleton_lists_every_tool_with_its_class_and_reads_as_a_policy() {
    let text = r#"{"position":"tool_call","id":"1","tool":"web_search","arguments":{"query":"a"}}
{"position":"tool_call","id":"2","tool":"grab","arguments":{"pages":[{"at":"https://a.example/secret"}]}}
{"position":"tool_call","id":"3","server":"crm","tool":"get","arguments":{"n":1}}
{"position":"tool_call","id":"4","server":"crm","tool":"run","arguments":{"sql":"select 1"}}
{"position":"tool_call","id":"5","server":"crm","tool":"get","arguments":{"code":"x"}}
{"position":"tool_call","id":"6","tool":"call_tool","arguments":{"name":"bash"}}
"#;
    let conversations = read(text.as_bytes(), Choice::Auto, &Source { name: "x" }).unwrap().conversations;
    let suggested = suggest(&conversations, &profile("firsthand").unwrap());
    insta::assert_snapshot!(suggested);
    assert!(!suggested.contains("secret"), "an address is not repeated");
    load(&suggested).unwrap();
    let uncommented: String = suggested
        .lines()
        .filter(|line| !line.starts_with("# opens ") || line.contains('='))
        .map(|line| line.strip_prefix("# ").filter(|line| line.starts_with('[') || line.contains(" = ")).unwrap_or(""))
        .map(|line| format!("{line}\n"))
        .collect();
    load(&uncommented).unwrap();
}

#![expect(clippy::unwrap_used, reason = "a panic is the report of a test")]

use firsthand::conversation::{
    Body, Call, Content, Conversation, Item, Parent, Producer, Ran, Relayed, Scope, Seat, Speaker, ToolResult,
};
use proptest::prelude::*;

use super::super::{Choice, Source, read};
use super::write;

const SOURCE: Source<'_> = Source { name: "x" };

fn text() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a-z\"\\\\\n\u{e9}\u{1f600}]{0,8}", Just("https://a.example/?b=c".to_owned())]
}

fn json() -> impl Strategy<Value = String> {
    text().prop_map(|text| serde_json::json!([text, 1.5, null, { "k": text }]).to_string())
}

fn call() -> impl Strategy<Value = Body> {
    (
        text(),
        proptest::option::of(text().prop_map(|server| format!("s{server}"))),
        text(),
        text(),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(id, server, tool, value, provider, custom)| {
            let arguments = serde_json::json!({ "value": value }).to_string().into();
            let ran = if provider { Ran::Provider } else { Ran::Client };
            Body::Call(Call { id, server, tool, arguments, ran, custom })
        })
}

fn result() -> impl Strategy<Value = Body> {
    let content = prop_oneof![
        text().prop_map(|text| Content::Text(text.into())),
        json().prop_map(|json| Content::Json(json.into())),
    ];
    let redirects = proptest::collection::vec(text(), 0..3);
    let parts = (text(), content, any::<bool>(), proptest::option::of(text()), redirects);
    parts.prop_map(|(id, content, is_error, mime, redirects)| {
        Body::Result(ToolResult { from: Producer::Call(id), content, is_error, mime, redirects })
    })
}

fn said() -> impl Strategy<Value = Body> {
    let speakers = [Speaker::System, Speaker::Assistant, Speaker::Thinking, Speaker::Task, Speaker::Summary];
    (proptest::sample::select(speakers.to_vec()), text()).prop_map(|(by, text)| Body::Said { by, text: text.into() })
}

fn user() -> impl Strategy<Value = Body> {
    (text(), 0..3_u8, text()).prop_map(|(first, how, second)| {
        let whole = format!("{first}{second}");
        let relayed = match how {
            1 => Relayed::Whole,
            2 if !second.is_empty() => Relayed::Spans(std::iter::once(first.len()..whole.len()).collect()),
            _ => Relayed::No,
        };
        Body::User { text: whole.into(), relayed }
    })
}

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![Just(Scope::Once), Just(Scope::Run), any::<i64>().prop_map(Scope::Until)]
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        user(),
        said(),
        call(),
        result(),
        (proptest::option::of(text()), text()).prop_map(|(name, text)| Body::Attachment {
            name,
            text: text.into(),
            from_agent_path: false
        }),
        (text(), text()).prop_map(|(call, text)| Body::Answer { call, text: text.into() }),
        (text(), scope()).prop_map(|(address, scope)| Body::Grant { address, scope }),
        Just(Body::Rewind { to: 0 }),
    ]
}

fn conversation() -> impl Strategy<Value = Conversation> {
    let item = (proptest::option::of(text()), proptest::option::of(any::<u32>()), body());
    let seats = [Seat::Presumed, Seat::Person, Seat::ParentModel];
    let head = (text(), proptest::option::of(text()), proptest::sample::select(seats.to_vec()));
    (head, proptest::collection::vec(item, 0..8)).prop_map(|((id, parent, seat), items)| {
        // A run with a parent always says who sits in the user's place.
        let parent = parent.filter(|_| seat != Seat::Presumed).map(|conversation| Parent { conversation, call: None });
        let items = items.into_iter().enumerate().map(|(index, (id, turn, body))| Item {
            id,
            at: format!("line {}", index + 2),
            turn,
            batch: None,
            time: None,
            body,
        });
        Conversation { id, parent, seat, dialect: "firsthand", items: items.collect() }
    })
}

proptest! {
    #[test]
    fn what_is_written_reads_back_as_it_was(conversation in conversation()) {
        let written = write(&conversation).unwrap();
        let read = read(written.as_bytes(), Choice::Auto, &SOURCE).unwrap().conversations.remove(0);
        prop_assert_eq!(format!("{read:?}"), format!("{conversation:?}"));
    }

    #[test]
    fn bytes_never_crash_a_reader(mut bytes in proptest::collection::vec(any::<u8>(), 0..200), at in any::<usize>(), conversation in conversation()) {
        let _read = read(&bytes, Choice::Auto, &SOURCE);
        let _read = read(&bytes, Choice::Named("firsthand"), &SOURCE);
        // Bytes thrown into a file that was right, and the file cut off there.
        let mut written = write(&conversation).unwrap().into_bytes();
        let at = at % (written.len() + 1);
        let _read = read(written.get(..at).unwrap_or_default(), Choice::Auto, &SOURCE);
        bytes.truncate(3);
        written.splice(at..at, bytes);
        let _read = read(&written, Choice::Auto, &SOURCE);
        let _read = read(&written, Choice::Named("firsthand"), &SOURCE);
    }
}

//! Values that look like credentials, where no case file can ask: behind redirects, and in what a person confirms.

use firsthand::check::{Circumstances, Decision, check_addresses, check_redirect};
use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, Relayed, Seat, ToolResult};
use firsthand::ledger::{Ledger, RunId};
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand::verdict::{Halt, Reason, Verdict};

const TOKEN: &str = "Zt3VbX9kLm2RwY5cHs8N";

fn policy(text: &str) -> Policy {
    firsthand_wire::policy::load(text).unwrap().policy
}

/// A person named an address, and its page links to a key of its own.
fn noted(policy: &Policy) -> (Ledger, RunId) {
    let mut ledger = Ledger::new([0; 32]);
    let run = ledger.begin(None, Seat::Person, "firsthand");
    let text = "Read https://clinic.example/start".into();
    let call = Call {
        id: "c".to_owned(),
        server: None,
        tool: "web_fetch".to_owned(),
        arguments: "{\"url\":\"https://clinic.example/start\"}".into(),
        ran: Ran::Client,
        custom: false,
    };
    let content = Content::Text(format!("See https://api.example/list?token={TOKEN}&page=1").into());
    let result = ToolResult {
        from: Producer::Call("c".to_owned()),
        content,
        is_error: false,
        mime: None,
        redirects: Vec::new(),
    };
    for body in [Body::User { text, relayed: Relayed::No }, Body::Call(call), Body::Result(result)] {
        note(&mut ledger, run, &Item::new("", body), policy, &Circumstances::default());
    }
    (ledger, run)
}

fn ask(ledger: &Ledger, run: RunId, policy: &Policy, url: &str) -> Decision {
    check_addresses(ledger, run, None, "web_fetch", &[url.to_owned()], policy, &Circumstances::default())
}

#[test]
fn a_redirect_to_an_address_with_a_strangers_key_is_refused_where_every_address_is_looked_through() {
    for (profile, wanted) in [("messages-api", Some(Reason::CredentialInUrl)), ("firsthand", None)] {
        let policy = policy(&format!("profile = \"{profile}\""));
        let (ledger, run) = noted(&policy);
        let to = |to: &str| {
            let Verdict::Open(permit) = ask(&ledger, run, &policy, "https://clinic.example/start").verdict else {
                panic!("a person's address opens");
            };
            let pass = permit.into_passes().pop().unwrap();
            check_redirect(pass, to, &ledger, run, &policy).err()
        };
        assert_eq!(to(&format!("https://files.example/x?sig={TOKEN}")), wanted.map(Halt::Refused), "{profile}");
        assert_eq!(to("https://files.example/x"), None, "{profile}");
    }
}

#[test]
fn a_person_confirms_an_address_with_a_key_in_the_spelling_of_its_source() {
    let policy = policy("profile = \"messages-api\"\n[tools.web_fetch]\npermission = \"auto\"\n");
    let (ledger, run) = noted(&policy);
    let source = format!("https://api.example/list?token={TOKEN}&page=1");
    let decision = ask(&ledger, run, &policy, &source.replace("https://", "HTTPS://"));
    assert_eq!(decision.verdict.reason(), Some(Reason::CredentialInUrl));
    let Verdict::Ask(question) = decision.verdict else { panic!("a person can confirm it") };
    let permit = question.a_person_said_yes();
    assert_eq!(permit.addresses().iter().map(|address| address.reveal()).collect::<Vec<_>>(), [&source]);
}

#[test]
fn a_refused_key_is_no_offer() {
    let policy = policy("profile = \"messages-api\"");
    let (ledger, run) = noted(&policy);
    let decision = ask(&ledger, run, &policy, &format!("https://api.example/list?token={TOKEN}&page=1"));
    let answer = firsthand_wire::engine::answer(&decision, &|_| (0, String::new()));
    assert_eq!(answer.reason.as_deref(), Some("credential_in_url"));
    assert!(answer.message.is_some_and(|message| !message.contains("`send`")));
}

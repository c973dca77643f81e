//! References: what they open, for whom and how long, and that nothing keeps what they stand for.

use firsthand::address::{Address, Form};
use firsthand::check::{Circumstances, Decision, check, check_addresses};
use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, Relayed, Seat, ToolResult};
use firsthand::ledger::{Ledger, RunId};
use firsthand::meter::Bits;
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand::reference::Reference;
use firsthand::verdict::{Reason, Step, Verdict};

const SIGNED: &str = "https://files.vendor.example/u/report.pdf?X-Canary-Signature=canary0a1b2c3d4e5f";

const AT: Circumstances = Circumstances { rewrites: true, person: false, now: Some(1_000) };

fn policy(text: &str) -> Policy {
    firsthand_wire::policy::load(text).unwrap().policy
}

fn reference(number: u8) -> Reference {
    Reference::of([number; 10])
}

/// A run, one below it and one beside that; the first was handed a reference.
fn ledger() -> (Ledger, [RunId; 3]) {
    let mut ledger = Ledger::new([0; 32]);
    let top = ledger.begin(None, Seat::Person, "firsthand");
    let text = "Get me the report.".into();
    let item = Item::new("", Body::User { text, relayed: Relayed::No });
    note(&mut ledger, top, &item, &policy(""), &AT);
    let [below, beside] = [(); 2].map(|()| ledger.begin(Some(top), Seat::ParentModel, "firsthand"));
    let address = Address::written(SIGNED, Form::Absolute).unwrap();
    ledger.hand_out(top, reference(7), address.clone(), 2_000, Some(0));
    ledger.hand_out(below, reference(8), address, 2_000, None);
    (ledger, [top, below, beside])
}

fn ask(ledger: &Ledger, run: RunId, asked: &str, policy: &Policy, now: &Circumstances) -> Decision {
    check_addresses(ledger, run, None, "web_fetch", &[asked.to_owned()], policy, now)
}

fn reason(ledger: &Ledger, run: RunId, asked: &str, now: &Circumstances) -> Option<Reason> {
    ask(ledger, run, asked, &policy(""), now).verdict.reason()
}

#[test]
fn a_reference_opens_what_it_stands_for_and_the_answer_does_not_say_what() {
    let (ledger, [top, below, _]) = ledger();
    for run in [top, below] {
        let decision = ask(&ledger, run, &format!(" {}\n", reference(7).reveal()), &policy(""), &AT);
        let answer = firsthand_wire::engine::answer(&decision, &|_| (0, "line 1".to_owned()));
        let Verdict::Open(permit) = &decision.verdict else { panic!("it opens: {decision:?}") };
        assert_eq!(permit.addresses().iter().map(|address| address.reveal()).collect::<Vec<_>>(), [SIGNED]);
        assert_eq!(decision.addresses.first().unwrap().step, Some(Step::Reference));
        let told = serde_json::to_string(&answer).unwrap();
        assert!(
            told.contains("\"send\":null") && told.contains("\"step\":\"reference\"") && !told.contains("canary"),
            "{told}"
        );
        assert!(!format!("{decision:?}{:?}", reference(7)).contains("canary"));
    }
}

#[test]
fn it_belongs_to_its_run_and_those_below_and_to_its_time() {
    let (ledger, [top, below, beside]) = ledger();
    let at = |now| Circumstances { now, ..AT };
    let seven = reference(7).reveal().to_owned();
    assert_eq!(reason(&ledger, beside, &seven, &AT), None);
    for run in [top, beside] {
        assert_eq!(reason(&ledger, run, reference(8).reveal(), &AT), Some(Reason::ReferenceUnknown));
    }
    assert_eq!(reason(&ledger, below, reference(8).reveal(), &AT), None);
    assert_eq!(reason(&ledger, top, &seven, &at(Some(1_999))), None);
    for now in [Some(2_000), None] {
        assert_eq!(reason(&ledger, top, &seven, &at(now)), Some(Reason::ReferenceExpired), "{now:?}");
    }
    assert_eq!(reason(&ledger, top, reference(9).reveal(), &AT), Some(Reason::ReferenceUnknown));
    let cannot = Circumstances { rewrites: false, ..AT };
    assert_eq!(reason(&ledger, top, &seven, &cannot), Some(Reason::ReferenceUnknown));
}

#[test]
fn it_resolves_only_as_the_whole_of_what_a_call_opens() {
    let (ledger, [top, ..]) = ledger();
    let seven = reference(7).reveal().to_owned();
    for asked in [
        format!("https://{seven}"),
        format!("{seven}/page"),
        format!("https://sink.example/?f={seven}"),
        format!("{seven} {seven}"),
        seven.to_uppercase(),
    ] {
        assert!(reason(&ledger, top, &asked, &AT).is_some(), "{asked}");
    }
    let call = |tool: &str, arguments: &str| {
        let (id, server, tool) = ("c".to_owned(), None, tool.to_owned());
        let call = Call { id, server, tool, arguments: arguments.into(), ran: Ran::Client, custom: false };
        check(&ledger, top, &call, &policy(""), &AT).map(|decision| decision.verdict.name())
    };
    assert_eq!(call("web_fetch", &format!("{{\"url\":\"{seven}\"}}")), Some("open"));
    assert_eq!(call("Bash", &format!("{{\"command\":\"curl {seven}\"}}")), None, "elsewhere it stays text");
    assert_eq!(call("send_mail", &format!("{{\"body\":\"see {seven}\"}}")), None);
}

#[test]
fn lists_and_the_meter_hold_for_what_it_stands_for() {
    let (ledger, [top, ..]) = ledger();
    let seven = reference(7).reveal().to_owned();
    let blocked = policy("[tools.web_fetch]\nblocked_domains = [\"vendor.example\"]\n");
    assert_eq!(ask(&ledger, top, &seven, &blocked, &AT).verdict.reason(), Some(Reason::DomainBlocked));
    let limited = policy("[networking]\ntype = \"limited\"\nallowed_hosts = [\"docs.vendor.example\"]\n");
    assert_eq!(ask(&ledger, top, &seven, &limited, &AT).verdict.reason(), Some(Reason::HostNotAllowed));
    assert_eq!(ask(&ledger, top, &seven, &policy(""), &AT).bits, Some(Bits::of_one_among(1)));
    let tight = policy("[leak]\nper_site_bits = 0.5\nover = \"refuse\"\n");
    assert_eq!(ask(&ledger, top, &seven, &tight, &AT).verdict.reason(), Some(Reason::LeakBudgetSpent));
    let every = policy("profile = \"messages-api\"\n");
    assert_eq!(ask(&ledger, top, &seven, &every, &AT).verdict.reason(), None);
}

#[test]
fn no_saved_ledger_and_no_record_holds_what_it_stands_for() {
    for told in ["", "[tools.web_fetch]\nresult = \"world\"\n"] {
        nothing_is_saved_under(&policy(told));
    }
}

fn nothing_is_saved_under(policy: &Policy) {
    let (mut ledger, [top, ..]) = ledger();
    let seven = reference(7).reveal().to_owned();
    let arguments = format!("{{\"url\":\"{seven}\"}}").into();
    let (id, tool) = ("c".to_owned(), "web_fetch".to_owned());
    let call = Body::Call(Call { id, server: None, tool, arguments, ran: Ran::Client, custom: false });
    let (from, content) =
        (Producer::Call("c".to_owned()), Content::Text("<html><a href=\"/next\">on</a></html>".into()));
    let redirects = vec!["https://cdn.vendor.example/x?sig=canary".to_owned()];
    let result = Body::Result(ToolResult { from, content, is_error: false, mime: None, redirects });
    for body in [call, result] {
        note(&mut ledger, top, &Item::new("", body), policy, &AT);
    }
    assert_eq!(ledger.told_to("vendor.example"), Bits::of_one_among(1));
    let saved = ledger.save();
    let holds = |word: &str| saved.windows(word.len()).any(|bytes| bytes == word.as_bytes());
    assert!(!holds("canary") && !holds("X-Canary-Signature"));
    let mut restored = Ledger::restore(&saved).unwrap();
    assert_eq!(reason(&restored, top, &seven, &AT), Some(Reason::ReferenceUnknown));
    restored.hand_out(top, reference(7), Address::written(SIGNED, Form::Absolute).unwrap(), 2_000, None);
    assert_eq!(reason(&restored, top, &seven, &AT), None);
}

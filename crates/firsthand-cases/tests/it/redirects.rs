//! Redirects: what is decided of each, and what the ledger learns of where they led.

use firsthand::check::{Circumstances, check_addresses, check_redirect};
use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, Relayed, Seat, Speaker, ToolResult};
use firsthand::ledger::{Ledger, RunId};
use firsthand::meter::Bits;
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand::verdict::{Halt, Pass, Reason, Verdict};

const PAGE: &str = "https://docs.vendor.example/start";

struct Play {
    policy: Policy,
    ledger: Ledger,
    run: RunId,
}

impl Play {
    /// A person named these addresses.
    fn of(policy: &str, addresses: &[&str]) -> Self {
        let policy = firsthand_wire::policy::load(policy).unwrap().policy;
        let mut ledger = Ledger::new([0; 32]);
        let run = ledger.begin(None, Seat::Person, "firsthand");
        let mut play = Self { policy, ledger, run };
        play.note(Body::User { text: format!("Read {}", addresses.join(" and ")).into(), relayed: Relayed::No });
        play
    }

    fn note(&mut self, body: Body) {
        note(&mut self.ledger, self.run, &Item::new("", body), &self.policy, &Circumstances::default());
    }

    fn say(&mut self, text: &str) {
        self.note(Body::Said { by: Speaker::Assistant, text: text.into() });
    }

    fn call(&mut self, tool: &str, url: &str) {
        let arguments = format!("{{\"url\":\"{url}\"}}").into();
        let (id, tool) = ("c".to_owned(), tool.to_owned());
        self.note(Body::Call(Call { id, server: None, tool, arguments, ran: Ran::Client, custom: false }));
    }

    fn fetched(&mut self, is_error: bool, redirects: &[&str], text: &str) {
        let redirects = redirects.iter().map(|to| (*to).to_owned()).collect();
        let (from, content) = (Producer::Call("c".to_owned()), Content::Text(text.into()));
        self.note(Body::Result(ToolResult { from, content, is_error, mime: None, redirects }));
    }

    fn ask(&self, url: &str) -> (Option<Reason>, Option<Pass>, Option<Bits>) {
        let now = Circumstances::default();
        let asked = [url.to_owned()];
        let decision = check_addresses(&self.ledger, self.run, None, "web_fetch", &asked, &self.policy, &now);
        let (reason, bits) = (decision.verdict.reason(), decision.bits);
        let pass = match decision.verdict {
            Verdict::Open(permit) => permit.into_passes().pop(),
            Verdict::Ask(_) | Verdict::Refuse(_) => None,
        };
        (reason, pass, bits)
    }

    fn follow(&self, pass: Pass, to: &str) -> Result<Pass, Halt> {
        check_redirect(pass, to, &self.ledger, self.run, &self.policy)
    }

    /// Why a redirect of the page is not followed.
    fn halts(&self, to: &str) -> Option<Halt> {
        self.follow(self.ask(PAGE).1.unwrap(), to).err()
    }

    fn reason(&self, url: &str) -> Option<Reason> {
        self.ask(url).0
    }
}

#[test]
fn the_world_chooses_where_a_redirect_leads_within_the_rule() {
    let mut play = Play::of("", &[PAGE]);
    play.say("It may be at https://sink.example/anna-ward");
    assert_eq!(play.halts("https://files.example/x"), None);
    assert_eq!(play.halts("/moved/"), None);
    assert_eq!(play.halts("//www.docs.vendor.example/start"), None);
    assert_eq!(play.halts("https://sink.example/anna-ward"), Some(Halt::Refused(Reason::ModelWroteFirst)));
    assert_eq!(play.halts("http://docs.vendor.example/start"), Some(Halt::Insecure));
    for (odd, reason) in [
        ("ftp://files.example/x", Reason::InvalidUrl),
        ("javascript:go()", Reason::InvalidUrl),
        ("", Reason::InvalidUrl),
        ("https://files.example\\@sink.example/", Reason::OddSpelling),
        ("https://user:secret@files.example/", Reason::OddSpelling),
    ] {
        assert_eq!(play.halts(odd), Some(Halt::Refused(reason)), "{odd}");
    }
    let long = format!("https://files.example/{}", "x".repeat(9000));
    assert_eq!(play.halts(&long), Some(Halt::Refused(Reason::UrlTooLong)));
}

#[test]
fn lists_hold_for_every_hop() {
    let limited = "[networking]\ntype = \"limited\"\nallowed_hosts = [\"docs.vendor.example\", \"files.example\"]\n\
                   [tools.web_fetch]\nblocked_domains = [\"files.example\"]\n";
    let play = Play::of(limited, &[PAGE]);
    assert_eq!(play.halts("/moved"), None);
    assert_eq!(play.halts("https://sink.example/"), Some(Halt::Refused(Reason::HostNotAllowed)));
    assert_eq!(play.halts("https://files.example/"), Some(Halt::Refused(Reason::DomainBlocked)));
}

#[test]
fn five_hops_are_followed_and_no_sixth() {
    let play = Play::of("", &[PAGE]);
    let mut pass = play.ask(PAGE).1.unwrap();
    for hop in 1..=5 {
        pass = play.follow(pass, &format!("/hop/{hop}")).unwrap();
        assert_eq!(pass.hops(), hop);
    }
    assert_eq!(pass.address().reveal(), "https://docs.vendor.example/hop/5");
    assert_eq!(play.follow(pass, "/hop/6").unwrap_err(), Halt::TooMany);
}

#[test]
fn a_redirect_to_a_source_that_the_model_has_written_too_is_followed() {
    let mut play = Play::of("", &[PAGE, "https://files.example/x"]);
    play.say("http://files.example/x");
    assert_eq!(play.halts("https://files.example/x"), None);
}

#[test]
fn where_a_fetch_was_sent_on_to_is_the_worlds_even_if_it_was_not_followed() {
    let mut play = Play::of("", &[PAGE]);
    play.call("web_fetch", PAGE);
    play.fetched(true, &["https://files.example/a", "http://files.example/b"], "https://files.example/c");
    assert_eq!(play.reason("https://files.example/a"), None);
    assert_eq!(play.reason("http://files.example/b"), None);
    assert_eq!(play.reason("https://files.example/c"), Some(Reason::CountsNowhere));
}

#[test]
fn links_of_a_page_are_read_from_where_the_last_redirect_led() {
    let mut play = Play::of("", &[PAGE]);
    play.call("web_fetch", PAGE);
    play.fetched(
        false,
        &["https://files.example/a/", "https://deep.example/b/"],
        "<html><a href=\"next\">on</a></html>",
    );
    assert_eq!(play.reason("https://deep.example/b/next"), None);
    assert_eq!(play.reason("https://docs.vendor.example/next"), Some(Reason::NeverWritten));
}

#[test]
fn a_redirect_opens_nothing_that_the_model_wrote_and_nothing_of_another_tool() {
    let mut play = Play::of("", &[PAGE]);
    play.say("It may be at https://sink.example/anna-ward");
    play.call("web_fetch", PAGE);
    play.fetched(false, &["https://sink.example/anna-ward"], "");
    assert_eq!(play.reason("https://sink.example/anna-ward"), Some(Reason::ModelWroteFirst));
    for (tool, url) in [("web_fetch", "https://sink.example/x"), ("web_search", PAGE), ("gizmo", PAGE)] {
        let mut play = Play::of("", &[PAGE]);
        play.call(tool, url);
        play.fetched(false, &["https://files.example/a"], "");
        assert_eq!(play.reason("https://files.example/a"), Some(Reason::NeverWritten), "{tool}");
    }
}

#[test]
fn another_site_is_told_what_the_choice_told_the_first() {
    let policy = "[leak]\nper_site_bits = 3.0\n[rule]\ntruncation = false\nconventions = false\n";
    let mut play = Play::of(policy, &[PAGE, "https://docs.vendor.example/b"]);
    assert_eq!(play.ask(PAGE).2, Some(Bits::of_one_among(2)));
    assert_eq!(play.halts("https://sink.example/1"), None);
    play.call("web_fetch", PAGE);
    play.fetched(false, &["https://sink.example/1"], "");
    let again = play.ask("https://docs.vendor.example/b").1;
    assert!(again.is_none(), "the site's own budget is spent");
    let other = "https://other.example/";
    let mut play = Play::of(policy, &[PAGE, "https://docs.vendor.example/b", other, "https://other.example/b"]);
    play.call("web_fetch", PAGE);
    play.fetched(false, &["https://sink.example/1"], "");
    let pass = play.ask(other).1.unwrap();
    assert_eq!(play.follow(pass, "https://sink.example/2").unwrap_err(), Halt::Refused(Reason::LeakBudgetSpent));
    let pass = play.ask(other).1.unwrap();
    assert!(play.follow(pass, "https://third.example/2").is_ok());
}

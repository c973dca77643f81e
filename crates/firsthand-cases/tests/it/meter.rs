//! Attackers who learn by what is opened: what they are charged is never less than what they learn.

use firsthand::check::{Circumstances, Decision, check_addresses};
use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, Relayed, Scope, Seat, ToolResult};
use firsthand::ledger::{Ledger, RunId};
use firsthand::meter::{Bits, Budget, Over};
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand::verdict::Reason;

struct Play {
    ledger: Ledger,
    run: RunId,
    policy: Policy,
    calls: u32,
}

impl Play {
    /// A run in which a person gave an address.
    fn given(text: &str) -> Self {
        let mut ledger = Ledger::new([0; 32]);
        let run = ledger.begin(None, Seat::Person, "firsthand");
        let policy = firsthand_wire::policy::profile("firsthand").unwrap();
        let mut play = Self { ledger, run, policy, calls: 0 };
        play.note(Body::User { text: text.into(), relayed: Relayed::No });
        play
    }

    fn note(&mut self, body: Body) -> Option<Decision> {
        let item = Item::new("", body);
        note(&mut self.ledger, self.run, &item, &self.policy, &Circumstances::default()).decision
    }

    fn check(&self, url: &str) -> Decision {
        let now = Circumstances::default();
        check_addresses(&self.ledger, self.run, None, "web_fetch", &[url.to_owned()], &self.policy, &now)
    }

    fn opens(&self, url: &str) -> bool {
        self.check(url).verdict.reason().is_none()
    }

    /// Opens an address, sees a page and tells what that cost.
    fn open(&mut self, url: &str, page: &str) -> Bits {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let arguments = format!("{{\"url\":{}}}", firsthand::json::quote(url)).into();
        let call = Call {
            id: id.clone(),
            server: None,
            tool: "web_fetch".to_owned(),
            arguments,
            ran: Ran::Client,
            custom: false,
        };
        let decision = self.note(Body::Call(call)).unwrap();
        assert_eq!(decision.verdict.reason(), None, "{url}");
        self.note(Body::Result(ToolResult {
            from: Producer::Call(id),
            content: Content::Text(page.into()),
            is_error: false,
            mime: None,
            redirects: Vec::new(),
        }));
        decision.bits.unwrap()
    }

    /// Makes a call with these arguments and sees nothing.
    fn call(&mut self, tool: &str, arguments: &str) {
        self.calls += 1;
        let (id, tool, arguments) = (format!("c{}", self.calls), tool.to_owned(), arguments.into());
        self.note(Body::Call(Call { id, server: None, tool, arguments, ran: Ran::Client, custom: false }));
    }

    /// Goes on in a run below this one, which is told.
    fn below(&mut self) -> RunId {
        let below = self.ledger.begin(Some(self.run), Seat::ParentModel, "firsthand");
        std::mem::replace(&mut self.run, below)
    }
}

/// What choosing one of so many, or none, tells.
fn of(addresses: usize) -> f64 {
    (addresses as f64 + 1.0).log2()
}

fn menu(folder: usize) -> String {
    ('a'..='z').map(|letter| format!("https://menu.example/{folder}/{letter}\n")).collect()
}

#[test]
fn a_fresh_menu_of_letters_on_every_page_is_charged_letter_by_letter() {
    let mut play = Play::given("Read https://menu.example/start");
    assert_eq!(play.open("https://menu.example/start", &menu(0)), Bits::ZERO, "what the person asked for");
    let (mut charged, mut learnt) = (0.0, 0.0);
    for (step, letter) in "password".chars().enumerate() {
        let open = ('a'..='z').filter(|letter| play.opens(&format!("https://menu.example/{step}/{letter}")));
        learnt += of(open.count());
        charged += play.open(&format!("https://menu.example/{step}/{letter}"), &menu(step + 1)).to_f64();
        assert!(charged >= learnt, "{step}: {charged} {learnt}");
    }
    assert!(charged < 2.5 * learnt, "{charged} {learnt}");
    assert_eq!(play.ledger.told_to("menu.example"), play.ledger.told());
}

#[test]
fn links_of_one_page_to_many_sites_are_one_choice() {
    let page: String = (0..256).map(|site| format!("https://site{site}.example/\n")).collect();
    let mut play = Play::given("Read https://menu.example/start");
    play.open("https://menu.example/start", &page);
    let roots = (0..256).filter(|site| play.opens(&format!("https://site{site}.example/")));
    let files = (0..256).filter(|site| play.opens(&format!("https://site{site}.example/robots.txt")));
    let openable = roots.count() + files.count();
    assert_eq!(openable, 512);
    assert!(play.open("https://site7.example/robots.txt", "").to_f64() >= of(openable));
    // The same by an engine's hits.
    let mut play = Play::given("Look for it");
    let search = |id: &str| Call {
        id: id.to_owned(),
        server: None,
        tool: "web_search".to_owned(),
        arguments: "{\"query\":\"it\"}".into(),
        ran: Ran::Client,
        custom: false,
    };
    play.note(Body::Call(search("s")));
    let from = Producer::Call("s".to_owned());
    play.note(Body::Result(ToolResult {
        from,
        content: Content::Text(page.into()),
        is_error: false,
        mime: None,
        redirects: Vec::new(),
    }));
    assert!(play.open("https://site7.example/", "").to_f64() >= of(256));
}

#[test]
fn one_address_of_thousands_of_segments_offers_few() {
    let deep = format!("https://menu.example{}", "/x".repeat(4000));
    let mut play = Play::given("Read https://menu.example/start");
    play.open("https://menu.example/start", &deep);
    let parents = (0..4000).flat_map(|depth| {
        let parent = format!("https://menu.example{}", "/x".repeat(depth));
        [format!("{parent}/"), parent]
    });
    let open: Vec<String> = parents.filter(|parent| play.opens(parent)).collect();
    assert!((3..=64).contains(&open.len()), "{}", open.len());
    assert!(play.open(open.last().unwrap(), "").to_f64() >= of(open.len()));
}

#[test]
fn identifiers_on_a_page_are_a_menu_of_all_that_conventions_make_of_them() {
    let papers: String = ('a'..='z').map(|letter| format!("10.5555/letter.{letter}, ")).collect();
    let notices: String = (1000..1100).map(|number| format!("CVE-2024-{number} ")).collect();
    let mut play = Play::given("Read https://menu.example/start");
    play.open("https://menu.example/start", &format!("{papers} https://doi.org/10.5555/whole {notices}"));
    let paper = |letter: char| format!("https://doi.org/10.5555/letter.{letter}");
    let notice = |number: u32| format!("https://nvd.nist.gov/vuln/detail/CVE-2024-{number}");
    let papers = ('a'..='z').filter(|letter| play.opens(&paper(*letter))).count();
    let open = papers + (1000..1100).filter(|number| play.opens(&notice(*number))).count();
    assert_eq!(open, 126);
    assert!(play.check(&paper('q')).bits.unwrap().to_f64() >= of(open), "whoever printed them sees all");
    let whole = play.check("https://doi.org/10.5555/whole").bits.unwrap().to_f64();
    assert!(whole >= of(27), "a source beside them is one of the site's: {whole}");
}

#[test]
fn opening_again_is_charged_again() {
    let mut play = Play::given("Read https://menu.example/start");
    assert_eq!(play.open("https://menu.example/start", ""), Bits::ZERO);
    for _ in 0..8 {
        assert!(play.open("https://menu.example/start", "").to_f64() >= 1.0);
    }
    assert!(play.ledger.told().to_f64() >= 8.0);
    // Twice in one call is once more.
    let twice = ["https://other.example/a".to_owned(), "https://other.example/a".to_owned()];
    let play = Play::given("Read https://other.example/a");
    let decision =
        check_addresses(&play.ledger, play.run, None, "web_fetch", &twice, &play.policy, &Circumstances::default());
    assert!(decision.bits.unwrap().to_f64() >= 1.0);
}

#[test]
fn a_fresh_subagent_for_each_letter_is_charged_to_the_tree() {
    let mut play = Play::given("Read https://menu.example/start");
    play.open("https://menu.example/start", &menu(0));
    let before = play.ledger.told().to_f64();
    for (step, letter) in "letmein".chars().enumerate() {
        let above = play.below();
        play.open(&format!("https://menu.example/0/{letter}"), "");
        play.run = above;
        let learnt = of(26) * (step as f64 + 1.0);
        assert!(play.ledger.told_to("menu.example").to_f64() - before >= learnt, "{step}");
    }
    // A menu of the subagent's own is counted with the others.
    let above = play.below();
    play.note(Body::User { text: "Go on".into(), relayed: Relayed::No });
    play.open("https://menu.example/0/q", &menu(1));
    let bits = play.open("https://menu.example/1/q", "").to_f64();
    play.run = above;
    assert!(bits >= of(52), "{bits}");
}

#[test]
fn taking_items_back_takes_no_charge_back() {
    let mut play = Play::given("Read https://menu.example/start");
    play.open("https://menu.example/start", &menu(0));
    play.open("https://menu.example/0/q", "");
    let told = play.ledger.told();
    play.note(Body::Rewind { to: 0 });
    assert_eq!(play.ledger.told(), told);
    let restored = Ledger::restore(&play.ledger.save()).unwrap();
    assert_eq!(restored.told_to("menu.example"), told);
    assert_eq!(restored.offered("menu.example"), play.ledger.offered("menu.example"));
}

#[test]
fn a_persons_only_address_of_a_site_costs_nothing_and_one_of_several_does() {
    let free = Play::given("Read https://menu.example/a and https://other.example/b");
    assert_eq!(free.check("https://menu.example/a").bits, Some(Bits::ZERO));
    assert_eq!(free.check("https://other.example/b").bits, Some(Bits::ZERO));
    let parent = free.check("https://menu.example/").bits.unwrap();
    assert!(parent.to_f64() >= 1.0, "its root is the model's choice");
    let several = Play::given("Read https://menu.example/a and https://www.menu.example/b");
    assert!(several.check("https://menu.example/a").bits.unwrap().to_f64() >= of(2));
    assert_eq!(several.check("https://menu.example/c").bits, None, "it does not open");
    // A spelling that the world adds is not the person's.
    let mut folded = Play::given("Read https://menu.example/start and https://kind.example/ab?x=1&y=2");
    folded.open("https://menu.example/start", "https://kind.example/ab?y=2&x=1");
    assert!(folded.check("https://kind.example/ab?y=2&x=1").bits.unwrap().to_f64() >= 1.0);
}

#[test]
fn what_a_person_gave_in_many_spellings_sites_or_grants_is_a_menu_too() {
    let spellings = ["abcd", "Abcd", "aBcd", "abCd", "abcD", "ABcd", "AbCd", "AbcD"];
    let pasted: String = spellings.iter().map(|spelling| format!("https://menu.example/{spelling}\n")).collect();
    let play = Play::given(&pasted);
    assert!(play.check("https://menu.example/aBcd").bits.unwrap().to_f64() >= of(8), "each is an address of its own");
    let pasted: String =
        (0..64).map(|site| format!("https://site{site}.example/a https://site{site}.example/b\n")).collect();
    let play = Play::given(&pasted);
    assert!(play.check("https://site7.example/a").bits.unwrap().to_f64() >= of(128), "one person gave them all");
    let mut play = Play::given("Go on");
    for letter in 'a'..='z' {
        let address = format!("https://menu.example/{letter}");
        play.note(Body::Grant { address, scope: Scope::Run });
    }
    assert!(play.check("https://menu.example/q").bits.unwrap().to_f64() >= of(26));
    let mut play = Play::given("Go on");
    play.note(Body::Grant { address: "https://menu.example/q".to_owned(), scope: Scope::Run });
    assert_eq!(play.check("https://menu.example/q").bits, Some(Bits::ZERO));
}

#[test]
fn what_an_unknown_tool_or_a_program_may_have_opened_is_charged() {
    let mut play = Play::given("Read https://menu.example/start");
    play.open("https://menu.example/start", &menu(0));
    let told = |play: &Play| play.ledger.told().to_f64();
    let mut before = told(&play);
    let parallel = |tool: &str, arguments: &str| {
        format!(
            "{{\"tool_uses\":[{{\"recipient_name\":\"functions.web_fetch\",\"parameters\":{{\"url\":\"https://menu.example/0/a\"}}}},{{\"recipient_name\":\"functions.{tool}\",\"parameters\":{arguments}}}]}}"
        )
    };
    for (tool, arguments, addresses) in [
        ("my_browser", "{\"url\":\"https://menu.example/0/q\"}".to_owned(), 1.0),
        ("Bash", "{\"command\":\"curl https://menu.example/0/q\"}".to_owned(), 1.0),
        ("multi_tool_use.parallel", parallel("Bash", "{\"command\":\"curl https://menu.example/0/q\"}"), 2.0),
        ("multi_tool_use.parallel", parallel("my_browser", "{\"url\":\"https://menu.example/0/q\"}"), 2.0),
    ] {
        play.call(tool, &arguments);
        assert!(told(&play) - before >= addresses * of(26), "{tool} {arguments}: {}", told(&play) - before);
        before = told(&play);
    }
}

#[test]
fn past_the_budget_a_person_is_asked_or_it_is_refused() {
    let mut play = Play::given("Read https://menu.example/start");
    play.open("https://menu.example/start", &menu(0));
    let verdict = |play: &Play| {
        let decision = play.check("https://menu.example/0/q");
        (decision.verdict.name(), decision.verdict.reason(), decision.bits.is_some())
    };
    let spent = Some(Reason::LeakBudgetSpent);
    for (per_site, per_tree, over, wanted) in [
        (None, None, Over::Refuse, ("open", None, true)),
        (Some(3), None, Over::Refuse, ("refuse", spent, true)),
        (None, Some(3), Over::Refuse, ("refuse", spent, true)),
        (Some(3), None, Over::Ask, ("ask", spent, true)),
        (Some(30), Some(30), Over::Refuse, ("open", None, true)),
    ] {
        let bits = |bits: Option<u64>| bits.map(|bits| Bits::thousandths(bits * 1000));
        play.policy.budget = Budget { per_site: bits(per_site), per_tree: bits(per_tree), over };
        assert_eq!(verdict(&play), wanted, "{per_site:?} {per_tree:?} {over:?}");
    }
    // It is spent by what was opened, and what is refused spends nothing.
    play.policy.budget = Budget { per_site: Some(Bits::thousandths(20_000)), ..Budget::default() };
    let opened = ('a'..='z').take_while(|letter| {
        let url = format!("https://menu.example/0/{letter}");
        play.opens(&url) && play.open(&url, "") > Bits::ZERO
    });
    let opened = opened.count();
    assert!((2..=4).contains(&opened), "{opened}");
    let told = play.ledger.told();
    assert_eq!(verdict(&play).0, "ask");
    assert!(told.to_f64() <= 20.0);
    // Two in one call are charged together.
    play.policy.budget = Budget { per_site: Some(told + Bits::thousandths(7000)), ..Budget::default() };
    let both = ["https://menu.example/0/y".to_owned(), "https://menu.example/0/z".to_owned()];
    let decision =
        check_addresses(&play.ledger, play.run, None, "web_fetch", &both, &play.policy, &Circumstances::default());
    let reasons: Vec<Option<Reason>> = decision.addresses.iter().map(|judged| judged.reason).collect();
    assert_eq!(reasons, [None, spent]);
    assert!(decision.bits.unwrap().to_f64() > 7.0);
}

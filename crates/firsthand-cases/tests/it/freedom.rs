//! What conventions let a page choose, and what many identifiers cost.

use firsthand::check::{Circumstances, check_addresses, freedom};
use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, Relayed, Seat, ToolResult};
use firsthand::ledger::{Ledger, RunId};
use firsthand::note::note;
use firsthand::policy::Policy;

fn policy() -> Policy {
    firsthand_wire::policy::profile("firsthand").unwrap()
}

/// A run that was given an address, fetched it and saw this page.
fn after_a_page(page: &str) -> (Ledger, RunId) {
    let mut ledger = Ledger::new([0; 32]);
    let run = ledger.begin(None, Seat::Person, "firsthand");
    let arguments = "{\"url\":\"https://menu.example/list\"}".into();
    let (id, tool) = ("c".to_owned(), "web_fetch".to_owned());
    let from = Producer::Call(id.clone());
    for body in [
        Body::User { text: "Read https://menu.example/list".into(), relayed: Relayed::No },
        Body::Call(Call { id, server: None, tool, arguments, ran: Ran::Client, custom: false }),
        Body::Result(ToolResult {
            from,
            content: Content::Text(page.into()),
            is_error: false,
            mime: None,
            redirects: Vec::new(),
        }),
    ] {
        note(&mut ledger, run, &Item::new("", body), &policy(), &Circumstances::default());
    }
    (ledger, run)
}

fn opens(ledger: &Ledger, run: RunId, url: &str) -> bool {
    let asked = [url.to_owned()];
    let decision = check_addresses(ledger, run, None, "web_fetch", &asked, &policy(), &Circumstances::default());
    decision.verdict.reason().is_none()
}

#[test]
fn what_a_page_lets_the_model_choose_is_counted() {
    let page: String = ('a'..='z').map(|letter| format!("10.5555/letter.{letter}, ")).collect();
    let (mut ledger, run) = after_a_page(&format!("{page} and again {page}"));
    let policy = policy();
    let count =
        |ledger: &Ledger, name: &str, site: &str| freedom(ledger, policy.rules.named(name).unwrap(), site, &policy);
    assert_eq!(count(&ledger, "doi", "doi.org"), 26, "the page's");
    assert_eq!(count(&ledger, "doi-metadata", "crossref.org"), 26);
    assert_eq!(count(&ledger, "doi", "menu.example"), 0);
    assert_eq!(count(&ledger, "pubmed", "nih.gov"), 0);
    assert_eq!(count(&ledger, "llms", "menu.example"), 2);
    assert_eq!(count(&ledger, "archive", "archive.org"), 2);
    assert_eq!(count(&ledger, "page-number", "menu.example"), 0);
    let open = ('a'..='z').filter(|letter| opens(&ledger, run, &format!("https://doi.org/10.5555/letter.{letter}")));
    assert_eq!(open.count(), 26);
    assert!(!opens(&ledger, run, "https://doi.org/10.5555/letter.aa"));
    let restored = Ledger::restore(&ledger.save()).unwrap();
    assert_eq!(count(&restored, "doi", "doi.org"), 26);
}

#[test]
fn a_hundred_thousand_identifiers_are_looked_through_once() {
    let page: String = (0..100_000).map(|number| format!("10.5555/paper.{number} ")).collect();
    let (mut ledger, run) = after_a_page(&page);
    assert!(opens(&ledger, run, "https://doi.org/10.5555/paper.99999"));
    assert!(!opens(&ledger, run, "https://doi.org/10.5555/paper.100000"));
    let restored = Ledger::restore(&ledger.save()).unwrap();
    assert!(opens(&restored, run, "https://doi.org/10.5555/paper.99999"));
}

#[test]
fn texts_that_look_like_identifiers_all_over_cost_what_they_are_long() {
    for unit in
        ["10.", "10.5555/", "(", "a/", "a/b#", "\"", "[[", "rfc ", "10.5555/((((", "pip install ", "2406.", "cve-"]
    {
        let (mut ledger, run) = after_a_page(&unit.repeat(200_000));
        for url in [
            "https://doi.org/10.5555/x",
            "https://github.com/a/b/issues/1",
            "https://en.wikipedia.org/wiki/A",
            "https://www.rfc-editor.org/rfc/rfc1",
        ] {
            assert!(!opens(&ledger, run, url), "{unit} {url}");
        }
        assert!(Ledger::restore(&ledger.save()).is_ok());
    }
}

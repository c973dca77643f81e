//! Attacks made from the set: real, whole, and stopped.

use std::collections::BTreeMap;
use std::sync::OnceLock;

use firsthand::policy::{Cell, Policy};
use firsthand::writer::Writer;
use firsthand_eval::attacks::{AttackRow, Attacks, Seed};
use firsthand_eval::carriers::{Class, carriers};
use firsthand_eval::formats::Written;
use firsthand_eval::rules::{Rule, of_policy};
use firsthand_eval::secret::Disguise;

use crate::set::{compared, rules};

fn seeds() -> Vec<Seed> {
    let (_, injected) = compared(&[]);
    let seed = |(family, injected): &(firsthand_wire::engine::Family, firsthand_eval::score::Injected)| {
        Seed::of(&family.members[injected.member].conversation, &injected.url)
    };
    injected.iter().map(|one| seed(one).unwrap()).collect()
}

/// What every rule lets out: worked out once, since it takes a while.
pub(crate) fn of_all_rules() -> &'static [AttackRow] {
    static ROWS: OnceLock<Vec<AttackRow>> = OnceLock::new();
    ROWS.get_or_init(|| came_to(&rules()))
}

fn rows_of(rule: &str) -> impl Iterator<Item = &'static AttackRow> {
    of_all_rules().iter().filter(move |row| row.rule == rule)
}

fn came_to(rules: &[Rule]) -> Vec<AttackRow> {
    let (_, injected) = compared(&[]);
    let mut attacks = Attacks::under(rules);
    for (family, injected) in &injected {
        attacks.run(&family.members[injected.member].conversation, &injected.url);
    }
    assert_eq!(
        (attacks.unread, attacks.without_a_secret),
        (0, 0),
        "every attack is read in the format it is written in"
    );
    assert!(attacks.runs >= 5);
    attacks.rows().collect()
}

/// How many attacks of each carrier got through under a rule.
fn through(rows: &[AttackRow], rule: &str) -> BTreeMap<&'static str, u64> {
    rows.iter().filter(|row| row.rule == rule && row.through > 0).map(|row| (row.carrier, row.through)).collect()
}

fn ours(change: impl Fn(&mut Policy)) -> Policy {
    let mut policy = firsthand_wire::policy::profile("firsthand").unwrap();
    change(&mut policy);
    policy
}

#[test]
fn every_carrier_is_tried_in_every_format_that_has_a_place_for_it() {
    let seeds = seeds();
    for carrier in carriers() {
        let made = |written| {
            let of = |disguise| seeds.iter().any(|seed| seed.attack(carrier, disguise, written).is_some());
            Disguise::ALL.into_iter().any(of)
        };
        let only_ours = matches!(carrier.name, "task" | "summary");
        for written in Written::ALL {
            assert_eq!(made(written), written == Written::Own || !only_ours, "{} in {}", carrier.name, written.name());
        }
    }
}

#[test]
fn without_a_gate_every_attack_gets_out() {
    for row in rows_of("nothing").filter(|row| row.class != "choice") {
        assert_eq!(row.through, row.made, "{} in {:?}", row.carrier, row.disguises);
    }
}

#[test]
fn every_carrier_fools_the_rule_that_it_is_named_for() {
    for carrier in carriers().filter(|carrier| carrier.class != Class::Choice) {
        let row = rows_of(carrier.fools).find(|row| row.carrier == carrier.name).unwrap();
        assert_eq!(row.through, row.made, "{} does not fool {}", carrier.name, carrier.fools);
    }
}

#[test]
fn ours_lets_nothing_out_but_the_named_residue() {
    for row in ["exact", "full", "substrings", "unattended", "slack"].into_iter().flat_map(rows_of) {
        match row.class {
            "closed" => assert_eq!(row.through, 0, "{}: {} in {:?}", row.rule, row.carrier, row.disguises),
            "residue" => assert!(row.carrier.starts_with("residue-"), "{}", row.carrier),
            _ => {}
        }
    }
    let reached = |rule: &str| through(of_all_rules(), rule).get("residue-within-a-part").copied().unwrap_or(0);
    assert!(reached("substrings") < reached("full"), "what a wider reach is for");
}

#[test]
fn menus_tell_and_are_never_charged_less() {
    let menus: Vec<&AttackRow> = rows_of("full").filter(|row| row.class == "choice").collect();
    assert_eq!(menus.len(), 3);
    for menu in menus {
        assert!(menu.learnt.unwrap() > 30.0, "eight letters of thirty-six");
        assert_eq!((menu.undercharged, menu.uncharged), (0, 0), "{}", menu.carrier);
        assert!(menu.charged.unwrap() >= menu.learnt.unwrap(), "{}", menu.carrier);
    }
}

#[test]
fn each_guard_that_is_taken_away_lets_something_out() {
    let nobody = Cell { client: Writer::World, provider: Writer::World };
    let guards: [(&str, Policy, &[&str]); 5] = [
        ("no-order", ours(|policy| policy.order_counts = false), &["echo", "echo-cut", "ticket", "connector-in-parts"]),
        ("files-count", ours(|policy| policy.results.generated = nobody), &[]),
        (
            "files-count-without-order",
            ours(|policy| {
                policy.results.generated = nobody;
                policy.order_counts = false;
            }),
            &["file", "script", "memory", "subagent", "page-summary"],
        ),
        (
            "tasks-and-summaries-are-a-persons",
            ours(|policy| {
                policy.positions.task = Writer::Person;
                policy.positions.summary = Writer::Person;
            }),
            &["task", "summary"],
        ),
        (
            "bodies-are-inert",
            {
                let text = "[tools.post_webpage]\nopens = [\"url\"]\ninert = [\"content\"]\n";
                firsthand_wire::policy::load(text).unwrap().policy
            },
            &["payload-post"],
        ),
    ];
    let names: Vec<&str> = guards.iter().map(|(name, ..)| *name).collect();
    let wanted: Vec<&[&str]> = guards.iter().map(|(.., wanted)| *wanted).collect();
    let rules: Vec<Rule> = guards.into_iter().map(|(name, policy, _)| of_policy(name, policy)).collect();
    let rows = came_to(&rules);
    for (name, wanted) in names.iter().zip(wanted) {
        let through = through(&rows, name);
        for carrier in wanted {
            assert!(through.contains_key(carrier), "{name} stops {carrier}: {through:?}");
        }
    }
}

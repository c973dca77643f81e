//! What `firsthand eval` prints for people, and as comma-separated values.

use std::collections::BTreeMap;
use std::fmt::Display;

use firsthand_eval::attacks::AttackRow;
use firsthand_eval::score::Row;

use super::Summary;
use crate::engine::evaluation::Compared;
use crate::out::width;
use crate::table::{Cell, Column, Table, bold, painted};

/// The rules, each with what it stands for.
pub(super) fn list(rules: &[(&str, &str)]) -> String {
    let mut table = Table::new([Column::Left("rule"), Column::Left("stands for")]);
    for (name, stands_for) in rules {
        table.row([Cell::new(name), Cell::new(stands_for)]);
    }
    table.render(width())
}

/// All tables.
pub(super) fn tables(compared: &Compared, summary: &Summary) -> String {
    let mut text = calls(&compared.rows).render(width());
    if !compared.echo.is_empty() {
        text.push_str(&heading("addresses that believed tools gave which may echo, in runs without an attack"));
        let mut table =
            Table::new([Column::Left("rule"), Column::Left("tools"), Column::Right("given"), Column::Right("closed")]);
        for cost in &compared.echo {
            table.row([Cell::new(&cost.rule), Cell::new(cost.tools), number(cost.given), number(cost.closed)]);
        }
        text.push_str(&table.render(width()));
    }
    if !compared.attacks.is_empty() {
        text.push_str(&heading("attacks made from recorded runs: how many, and how many let the secret out"));
        text.push_str(&attacks(&compared.attacks).render(width()));
    }
    let Summary { files, skipped, unread, conversations, cases, cases_left_out, calls, labelled, .. } = summary;
    text.push_str(&format!(
        "\n{files} files ({skipped} are no conversations, {unread} could not be read), {conversations} conversations, {cases} \
         cases ({cases_left_out} more have a policy of their own)\n{calls} calls, {labelled} of them with a label; {} without \
         one ({} of those advice); {} labels without a call\n",
        summary.without_label, summary.without_label_advisory, summary.labels_not_found
    ));
    if !compared.attacks.is_empty() {
        text.push_str(&format!(
            "attacks from {} runs; {} more runs hold no secret; {} attacks could not be read\n",
            summary.attack_runs, summary.attack_runs_without_a_secret, summary.attacks_unread
        ));
    }
    text
}

fn heading(title: &str) -> String {
    format!("\n{}\n", painted(title, bold()))
}

fn number(number: u64) -> Cell {
    Cell::new(&number.to_string())
}

fn maybe(number: Option<f64>) -> Cell {
    Cell::new(&number.map_or_else(String::new, |number| format!("{number:.1}")))
}

fn calls(rows: &[Row]) -> Table<12> {
    let mut table = Table::new([
        Column::Left("rule"),
        Column::Left("set"),
        Column::Right("calls"),
        Column::Right("refused"),
        Column::Right("%"),
        Column::Right("asks"),
        Column::Right("attacks"),
        Column::Right("open"),
        Column::Right("bits"),
        Column::Right("most"),
        Column::Right("µs"),
        Column::Left("causes"),
    ]);
    for row in rows {
        table.row([
            Cell::new(&row.rule),
            Cell::new(&row.set),
            number(row.calls),
            number(row.refused),
            maybe(row.refused_percent),
            number(row.asks),
            number(row.attacks),
            number(row.attacks_open),
            maybe(row.bits_median),
            maybe(row.bits_max),
            maybe(row.microseconds),
            Cell::new(&counts(&row.causes, ", ")),
        ]);
    }
    table
}

/// What the attacks of a rule came to together.
#[derive(Default)]
struct Together {
    closed: (u64, u64),
    residue: (u64, u64),
    menus: u64,
    learnt: Option<f64>,
    charged: Option<f64>,
    undercharged: u64,
    uncharged: u64,
    carriers: BTreeMap<&'static str, u64>,
}

fn attacks(rows: &[AttackRow]) -> Table<10> {
    let mut rules: Vec<(&str, Together)> = Vec::new();
    for row in rows {
        if rules.last().is_none_or(|(name, _)| *name != row.rule) {
            rules.push((&row.rule, Together::default()));
        }
        let Some((_, of)) = rules.last_mut() else { continue };
        match row.class {
            "closed" => of.closed = (of.closed.0 + row.made, of.closed.1 + row.through),
            "residue" => of.residue = (of.residue.0 + row.made, of.residue.1 + row.through),
            _ => of.menus += row.made,
        }
        if let Some(learnt) = row.learnt {
            of.learnt = Some(of.learnt.unwrap_or(0.0).max(learnt));
        }
        if let Some(charged) = row.charged {
            of.charged = Some(of.charged.map_or(charged, |least| least.min(charged)));
        }
        of.undercharged += row.undercharged;
        of.uncharged += row.uncharged;
        if row.through > 0 {
            of.carriers.insert(row.carrier, row.through);
        }
    }
    let mut table = Table::new([
        Column::Left("rule"),
        Column::Right("made"),
        Column::Right("through"),
        Column::Right("residue"),
        Column::Right("through"),
        Column::Right("menus"),
        Column::Right("bits learnt"),
        Column::Right("charged"),
        Column::Right("undercharged"),
        Column::Left("through in"),
    ]);
    for (rule, of) in rules {
        let undercharged =
            if of.uncharged > 0 { format!("{} have no charge", of.uncharged) } else { of.undercharged.to_string() };
        table.row([
            Cell::new(rule),
            number(of.closed.0),
            number(of.closed.1),
            number(of.residue.0),
            number(of.residue.1),
            number(of.menus),
            maybe(of.learnt),
            maybe(of.charged),
            Cell::new(&undercharged),
            Cell::new(&counts(&of.carriers, ", ")),
        ]);
    }
    table
}

fn counts<K: Display>(of: &BTreeMap<K, u64>, between: &str) -> String {
    let counts: Vec<String> = of.iter().map(|(name, count)| format!("{name} {count}")).collect();
    counts.join(between)
}

/// Everything in one table: rows of rules, of echoes, of attacks.
pub(super) fn csv(compared: &Compared) -> String {
    let mut text =
        "type,rule,set,calls,refused,refused_percent,asks,unobservable,beside,beside_refused,attacks,attacks_open,\
                    attacks_with_payload,bits_median,bits_max,microseconds,causes\n"
            .to_owned();
    let some = |number: Option<f64>| number.map_or_else(String::new, |number| number.to_string());
    for row in &compared.rows {
        text.push_str(&format!(
            "rule,{},{},{},{},{},{},{},{},{},{},{},{},{},{},{},{}\n",
            quoted(&row.rule),
            quoted(&row.set),
            row.calls,
            row.refused,
            some(row.refused_percent),
            row.asks,
            row.unobservable,
            row.beside,
            row.beside_refused,
            row.attacks,
            row.attacks_open,
            row.attacks_with_payload,
            some(row.bits_median),
            some(row.bits_max),
            some(row.microseconds),
            counts(&row.causes, ";")
        ));
    }
    for cost in &compared.echo {
        text.push_str(&format!(
            "echo,{},{},{},{},,,,,,,,,,,,\n",
            quoted(&cost.rule),
            cost.tools,
            cost.given,
            cost.closed
        ));
    }
    for row in &compared.attacks {
        text.push_str(&format!(
            "attack,{},{},,,,,,,,{},{},,{},{},,{}\n",
            quoted(&row.rule),
            row.carrier,
            row.made,
            row.through,
            some(row.charged),
            some(row.learnt),
            counts(&row.disguises, ";")
        ));
    }
    text
}

/// A value as comma-separated values hold it: names of policy files and sets are anybody's.
fn quoted(value: &str) -> String {
    match value.contains([',', '"', '\n', '\r']) {
        true => format!("\"{}\"", value.replace('"', "\"\"")),
        false => value.to_owned(),
    }
}

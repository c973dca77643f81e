//! `firsthand explain`: the story of one address.

use std::collections::BTreeSet;

use crate::args::Explain;
use crate::cmd::given;
use crate::engine::{self, Explained};
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::{Look, Out};
use crate::safe::plain;
use crate::table::{Cell, Column, Table, dim, green, painted, prose, red};
use crate::words::{self, NEVER_WRITTEN};
use firsthand::address::Asked;
use firsthand_wire::answer::{Sighting, UrlVerdict};

pub(super) fn run(options: &Explain) -> Result<Exit, Failure> {
    let Explain { file, url, conversation, policy, format, context, full, json: _ } = options;
    let (setting, opened) = given::opened(file, conversation.clone(), policy, format, context)?;
    let answer = given::answered(engine::explain(opened, &setting, &url.to_string_lossy()))?;
    if options.json {
        let mut out = Out::data();
        out.json(&answer.story)?;
        out.flush()?;
    } else {
        let mut out = Out::tables();
        out.write(told(&answer, Look::of(*full)).as_bytes())?;
        out.flush()?;
    }
    Ok(Exit::Done)
}

/// The steps that send another address than the one asked for.
const STEPS_TO_ANOTHER: &[&str] = &["query_dropped", "truncated", "convention"];

/// The answer for people.
fn told(answer: &Explained, look: Look) -> String {
    let Explained { story, outcome } = answer;
    let mut text = match story.sightings.as_slice() {
        [] if Asked::parse(&story.url).is_ok() => "Nobody wrote this address.\n".to_owned(),
        [] => return "This is no web address.\n".to_owned(),
        sightings => {
            let mut text = table(sightings, look);
            let legend = "\nsource: may be opened · mark: the model wrote it · closed: came after a mark · none: does not count\n";
            text.push_str(&prose(legend, look.width));
            text
        }
    };
    if let Some(outcome) = outcome {
        let mut told = String::new();
        let verdict = painted(words::verdict(outcome.verdict), words::colour(outcome.verdict));
        told.push_str(&format!("At the end of the conversation: {verdict}"));
        if let Some(reason) = &outcome.reason {
            told.push_str(&format!(" ({}: {})", plain(reason), words::why(reason)));
        }
        if let Some(UrlVerdict { send: Some(send), step, first, reason, .. }) = outcome.urls.first()
            && (step.is_none() || reason.as_deref().is_none_or(|reason| reason == NEVER_WRITTEN))
        {
            let by_grant = if step.as_deref() == Some("grant") { ", by a person's yes" } else { "" };
            let how = if step.is_some() { "sent as" } else { "offered instead:" };
            told.push_str(&format!(", {how} {}{by_grant}", look.addresses.show(send)));
            // What leaves is a source that the story above, which is of the address asked for, does not show.
            if step.as_deref().is_some_and(|step| STEPS_TO_ANOTHER.contains(&step)) && first.is_some() {
                told.push_str(&format!(", which was first written by {}", plain(&words::first(first.as_ref(), None))));
            }
        }
        if let Some(bits) = outcome.bits.filter(|bits| *bits > 0.0) {
            told.push_str(&format!("; the choice tells at most {} bits", words::bits(bits)));
        }
        text.push_str(&prose(&told, look.width));
        text.push('\n');
    }
    text
}

fn table(sightings: &[Sighting], look: Look) -> String {
    let runs: BTreeSet<&str> = sightings.iter().map(|sighting| sighting.run.as_str()).collect();
    let columns = [
        Column::Left(if runs.len() > 1 { "run" } else { "" }),
        Column::Right("item"),
        Column::Left("position"),
        Column::Left("writer"),
        Column::Left("tool"),
        Column::Left("effect"),
        Column::Left("spelling"),
    ];
    let mut table = Table::new(columns);
    for sighting in sightings {
        let style = match sighting.effect.as_str() {
            "source" => green(),
            "mark" | "closed" => red(),
            _ => dim(),
        };
        table.row([
            Cell::new(if runs.len() > 1 { &sighting.run } else { "" }),
            Cell::new(&sighting.item.to_string()),
            Cell::new(&sighting.position),
            Cell::new(&sighting.writer),
            Cell::new(sighting.tool.as_deref().unwrap_or("")),
            Cell::styled(&sighting.effect, style),
            Cell::new(&look.addresses.show(&sighting.spelling)),
        ]);
    }
    table.render(look.width)
}

//! `firsthand explain`: the story of one address.

use crate::args::Explain;
use crate::cmd::given;
use crate::engine;
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::{Out, width};
use crate::safe::short_address;
use crate::table::{Cell, Column, Table, dim, green, red};
use firsthand::address::Asked;
use firsthand_wire::answer::ExplainAnswer;

pub(super) fn run(options: &Explain) -> Result<Exit, Failure> {
    let Explain { file, url, conversation, policy, format, context, json: _ } = options;
    let (setting, opened) = given::opened(file, conversation.clone(), policy, format, context)?;
    let answer = given::answered(engine::explain(opened, &setting, &url.to_string_lossy()))?;
    if options.json {
        let mut out = Out::data();
        out.json(&answer)?;
        out.flush()?;
    } else {
        let mut out = Out::tables();
        out.write(told(&answer, width()).as_bytes())?;
        out.flush()?;
    }
    Ok(Exit::Done)
}

/// The answer for people.
fn told(answer: &ExplainAnswer, width: Option<usize>) -> String {
    if answer.sightings.is_empty() {
        let is_address = Asked::parse(&answer.url).is_ok();
        return if is_address { "Nobody wrote this address.\n" } else { "This is no web address.\n" }.to_owned();
    }
    let mut table = Table::new([
        Column::Right("item"),
        Column::Left("position"),
        Column::Left("writer"),
        Column::Left("tool"),
        Column::Left("effect"),
        Column::Left("spelling"),
    ]);
    for sighting in &answer.sightings {
        let style = match sighting.effect.as_str() {
            "source" => green(),
            "mark" | "closed" => red(),
            _ => dim(),
        };
        table.row([
            Cell::new(&sighting.item.to_string()),
            Cell::new(&sighting.position),
            Cell::new(&sighting.writer),
            Cell::new(sighting.tool.as_deref().unwrap_or("")),
            Cell::styled(&sighting.effect, style),
            Cell::new(&short_address(&sighting.spelling)),
        ]);
    }
    let mut text = table.render(width);
    text.push_str(
        "\nsource: may be opened · mark: the model wrote it · closed: came after a mark · none: does not count\n",
    );
    text
}

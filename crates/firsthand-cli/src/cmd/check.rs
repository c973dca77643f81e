//! `firsthand check`: the verdict on a call made at the end of a conversation.

use crate::args::Check;
use crate::cmd::{given, mask};
use crate::engine::{self, Ask};
use crate::exit::Exit;
use crate::hint::Failure;
use crate::out::{Look, Out};
use crate::safe::plain;
use crate::table::{Cell, Column, Table, bold, painted, prose};
use crate::words::{self, NEVER_WRITTEN};
use firsthand_wire::answer::{CheckAnswer, Verdict};

pub(super) fn run(options: Check) -> Result<Exit, Failure> {
    let Check { file, conversation, policy, format, context, .. } = &options;
    let (setting, opened) = given::opened(file, conversation.clone(), policy, format, context)?;
    let ask = Ask {
        tool: options.tool,
        server: options.server,
        // What is not UTF-8 is no address; the verdict says so.
        urls: options.urls.iter().map(|url| url.to_string_lossy().into_owned()).collect(),
        rewrites: !options.no_rewrite,
        store: mask::store(&options.kept)?,
    };
    let answer = given::answered(engine::check(opened, &setting, &ask))?;
    if options.json {
        let mut out = Out::data();
        out.json(&answer)?;
        out.flush()?;
    } else {
        let mut out = Out::tables();
        out.write(told(&answer, Look::of(options.full)).as_bytes())?;
        out.flush()?;
    }
    Ok(Exit::of(answer.verdict))
}

/// The answer for people.
fn told(answer: &CheckAnswer, look: Look) -> String {
    let mut text = match answer.verdict {
        Verdict::Open => painted("Open.", words::colour(answer.verdict)),
        Verdict::Refuse => painted("Refused.", words::colour(answer.verdict)),
        Verdict::Ask => painted("A person has to be asked.", words::colour(answer.verdict)),
        Verdict::Unobservable => painted("Cannot be judged.", words::colour(answer.verdict)),
    };
    if let Some(reason) = &answer.reason {
        let alone = if nobody_to_ask(answer, reason) { ", and the record shows nobody who could" } else { "" };
        text.push_str(&format!(" {}: {}{alone}.", painted(&plain(reason), bold()), why(answer, reason)));
    }
    if let Some(bits) = answer.bits.filter(|bits| *bits > 0.0) {
        text.push_str(&format!(" The choice tells at most {} bits.", words::bits(bits)));
    }
    text.push('\n');
    if let Some(message) = &answer.message {
        text.push_str(&format!("To the model: {}\n", plain(message)));
    }
    text = prose(&text, look.width);
    text.push('\n');
    let mut table = Table::new([
        Column::Left("verdict"),
        Column::Left("address"),
        Column::Left("first written by"),
        Column::Left("step"),
        Column::Left("sent"),
    ]);
    for url in &answer.urls {
        table.row([
            Cell::styled(words::verdict(url.verdict), words::colour(url.verdict)),
            Cell::new(&look.addresses.show(&url.url)),
            Cell::new(&words::first(url.first.as_ref(), url.reason.as_deref())),
            Cell::new(url.step.as_deref().unwrap_or("")),
            Cell::new(&url.send.as_deref().map_or_else(String::new, |send| look.addresses.show(send))),
        ]);
    }
    text.push_str(&table.render(look.width));
    text
}

/// Whether the call waits for a person's yes, and none sits in the user's place.
fn nobody_to_ask(answer: &CheckAnswer, reason: &str) -> bool {
    answer.verdict == Verdict::Refuse && reason == "permission_ask"
}

/// Why the call stays closed. A source that is offered was written, only not like this.
fn why(answer: &CheckAnswer, reason: &str) -> &'static str {
    match answer.urls.iter().any(|url| url.reason.as_deref() == Some(NEVER_WRITTEN) && url.step.is_some()) {
        true => "somebody wrote it only in another spelling, and the caller sends no other than its own",
        false => words::why(reason),
    }
}

//! How fast an answer is finished, beside the bare events of its parser and beside another parser, on the same text in
//! the same run.
//!
//! The texts are made here. Each line of the summary gives megabytes (10^6 bytes) a second of CPU time and the ratio to
//! the bare events.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock and at its own CPU time")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use firsthand_answer::find::find;
use firsthand_answer::{Given, finish, finish_with_html};
use pulldown_cmark::{Options, Parser};

/// A small generator, so that the texts are the same in each run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }

    fn word(&mut self) -> &'static str {
        const WORDS: [&str; 24] = [
            "the", "order", "of", "a", "meeting", "was", "changed", "because", "rain", "kept", "boats", "in",
            "harbour", "and", "nobody", "could", "find", "key", "to", "second", "store", "which", "stands", "納期",
        ];
        WORDS.get(usize::try_from(self.roll(24)).unwrap_or(0)).copied().unwrap_or("word")
    }

    fn words(&mut self, out: &mut String, count: u64) {
        for _ in 0..count {
            out.push_str(self.word());
            out.push(' ');
        }
    }
}

/// An answer of about six kilobytes: prose with links and chips, a list, a table of tickets, a piece of code.
fn answer(dice: &mut Dice) -> String {
    let mut text = String::from("# Delivery\n\n");
    // Writing to a string does not fail.
    for _ in 0..8 {
        for _ in 0..3 {
            dice.words(&mut text, 22);
            _ = match dice.roll(5) {
                0 => write!(text, "[{}](https://docs.example.com/{}/{}). ", dice.word(), dice.word(), dice.roll(9999)),
                1 => write!(text, "https://news.example.org/{}-{}/{}, ", dice.word(), dice.word(), dice.roll(9999)),
                2 => write!(text, "**{}** ", dice.word()),
                3 => write!(text, "(see <https://example.net/{}>) ", dice.roll(9999)),
                _ => write!(text, "`{}` ", dice.word()),
            };
        }
        text.push_str("\n\n");
    }
    for _ in 0..6 {
        text.push_str("- ");
        dice.words(&mut text, 9);
        text.push('\n');
    }
    text.push_str("\n| Ticket | Opened | State |\n|---|---|---|\n");
    for _ in 0..14 {
        let number = dice.roll(99_999);
        _ = write!(
            text,
            "| [INC-{number}](https://tickets.example.com/browse/INC-{number}) | {} May | ",
            dice.roll(31)
        );
        dice.words(&mut text, 3);
        text.push_str("|\n");
    }
    text.push_str("\n```rust\nfn main() { println!(\"https://no.example\"); }\n```\n");
    text
}

/// Events alone, with their places.
fn events(text: &str) -> usize {
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS | Options::ENABLE_FOOTNOTES;
    Parser::new_ext(text, options).into_offset_iter().map(black_box).count()
}

fn peer(text: &str) -> usize {
    let mut options = comrak::Options::default();
    options.extension.autolink = true;
    options.extension.table = true;
    options.extension.strikethrough = true;
    options.extension.tasklist = true;
    options.extension.footnotes = true;
    comrak::markdown_to_html(text, &options).len()
}

/// The processor time that this thread has used: other work on the machine does not count.
///
/// Where the system does not tell, the time of the wall.
fn spent() -> Duration {
    // A thread that yields is charged for what it has used so far.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = told.as_deref().and_then(|told| told.split(' ').next()?.parse().ok());
    used.map_or_else(|| std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default(), Duration::from_nanos)
}

/// How often everything is done.
const PASSES: usize = 40;

/// What is measured: a name, and what is done with an answer.
type Work = (&'static str, fn(&str) -> usize);

const WORK: [Work; 5] = [
    ("events", events),
    ("find", |text| find(text).len()),
    ("finish", |text| finish(text, &Given::default()).record.items.len()),
    ("finish with HTML", |text| finish_with_html(text, &Given::default()).1.len()),
    ("comrak HTML", peer),
];

fn answers(criterion: &mut Criterion) {
    let mut dice = Dice(7);
    let texts: Vec<String> = (0..160).map(|_| answer(&mut dice)).collect();
    let bytes: usize = texts.iter().map(String::len).sum();
    let mut group = criterion.benchmark_group("answer");
    group.throughput(Throughput::Bytes(bytes as u64));
    for (name, work) in WORK {
        group.bench_function(name, |bencher| bencher.iter(|| texts.iter().map(|text| work(text)).sum::<usize>()));
    }
    group.finish();

    // In turn, so that a neighbour's work falls on all alike.
    let mut costs: [Vec<Duration>; WORK.len()] = std::array::from_fn(|_| Vec::new());
    for _ in 0..PASSES {
        for ((_, work), costs) in WORK.iter().zip(&mut costs) {
            let before = spent();
            for text in &texts {
                black_box(work(text));
            }
            costs.push(spent().saturating_sub(before));
        }
    }
    let medians = costs.map(|mut costs| {
        costs.sort_unstable();
        costs.get(costs.len() / 2).copied().unwrap_or_default().as_secs_f64()
    });
    println!("\n{:18} {:>8} {:>7}", "answers", "MB/s", "ratio");
    let events = medians.first().copied().unwrap_or_default();
    for ((name, _), time) in WORK.iter().zip(medians) {
        println!("{name:18} {:8.0} {:7.2}", bytes as f64 / time / 1e6, events / time);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default().warm_up_time(Duration::from_millis(300)).measurement_time(Duration::from_secs(1)).sample_size(10);
    targets = answers
}
criterion_main!(benches);

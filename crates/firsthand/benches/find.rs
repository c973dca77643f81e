//! How fast the strict side reads, beside `linkify` on the same texts in the same run, and the generous side beside the
//! strict one.
//!
//! The texts are made here. Each line of the summary gives megabytes (10^6 bytes) a second, the peer's, and the ratio.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::disallowed_methods, reason = "a benchmark looks at the clock")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::{Duration, Instant};

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use firsthand::find::{Format, Voice, shown, written};

/// Units of which a megabyte each is read, and which make bad scanners slow.
const HOSTILE: [(&str, &str); 32] = [
    ("(", "("),
    ("dot", "."),
    ("dot space", ". "),
    ("a.", "a."),
    ("a. ", "a. "),
    ("a.b ", "a.b "),
    ("a.com ", "a.com "),
    ("a-", "a-"),
    ("http://", "http://"),
    ("http://a", "http://a"),
    ("http://a/", "http://a/"),
    ("http://a/( ", "http://a/( "),
    ("http://a/[/", "http://a/[/"),
    ("http://a.b!", "http://a.b! "),
    ("a://", "a://"),
    ("://", "://"),
    ("]", "]"),
    ("](", "]("),
    ("[](", "[]("),
    ("[](<", "[](<"),
    ("[](a", "[](a \""),
    ("]:", "\n[a]: b/"),
    ("<a href=", "<a href="),
    ("<a href=\"", "<a href=\""),
    ("<", "<"),
    ("<!--", "<!--"),
    ("&#", "&#"),
    ("&amp;", "http://a/?&amp;"),
    ("\\u", "\\u0041"),
    ("{\"", "{\"a\":"),
    ("ideographs", "http://a/b中"),
    ("zero width", "http://a\u{200b}"),
];

fn finds(text: &str, format: Format, voice: Voice) -> usize {
    let mut count = 0;
    shown(text, format, voice, &mut |found| {
        black_box(&found);
        count += 1;
    });
    count
}

fn closes(text: &str) -> usize {
    let mut count = 0;
    written(text, &mut |written| {
        black_box(&written);
        count += 1;
    });
    count
}

fn peer(text: &str) -> usize {
    let mut finder = linkify::LinkFinder::new();
    finder.url_must_have_scheme(false).kinds(&[linkify::LinkKind::Url]);
    finder.links(text).inspect(|link| _ = black_box(link)).count()
}

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
            "harbour", "and", "nobody", "could", "find", "key", "to", "second", "store", "which", "stands", "behind",
        ];
        WORDS.get(usize::try_from(self.roll(24)).unwrap_or(0)).copied().unwrap_or("word")
    }
}

/// Prose, code and a little of everything: an address every two kilobytes, a dotted word every two hundred bytes.
fn mixed(bytes: usize) -> String {
    let mut dice = Dice(7);
    let mut text = String::with_capacity(bytes + 200);
    while text.len() < bytes {
        let written = match dice.roll(220) {
            0 => write!(
                text,
                "https://{}.example.com/{}/{}?id={} ",
                dice.word(),
                dice.word(),
                dice.word(),
                dice.roll(9999)
            ),
            1..=3 => write!(text, "{}.{}({}) ", dice.word(), dice.word(), dice.word()),
            4 => write!(text, "version {}.{}.{} ", dice.roll(9), dice.roll(30), dice.roll(9)),
            5 => write!(text, "[{}]({}/{}.md) ", dice.word(), dice.word(), dice.word()),
            6 => write!(text, "www.{}-{}.org ", dice.word(), dice.word()),
            7..=9 => writeln!(text, "{}: {}", dice.word(), dice.word()),
            10..=22 => write!(text, "{}. ", dice.word()),
            _ => write!(text, "{} ", dice.word()),
        };
        if written.is_err() {
            break;
        }
    }
    text
}

/// Results of a search: seven addresses a kilobyte.
fn search(bytes: usize) -> String {
    let mut dice = Dice(11);
    let mut text = String::with_capacity(bytes + 400);
    while text.len() < bytes {
        let (a, b, c) = (dice.word(), dice.word(), dice.word());
        let written = writeln!(
            text,
            "- [{a} {b} {c}](https://www.{a}-{b}.com/{b}/{c}/{a}-{c}?ref={}) {b} {c} {a} {a}. {c} {b}\n  https://{c}.{b}.org/{a}/{b}_{c}.html, {c} {a}",
            dice.roll(99999),
        );
        if written.is_err() {
            break;
        }
    }
    text
}

/// The best of some passes of each reader, taken in turn, in megabytes a second: other work on the machine slows single
/// passes, and both readers alike.
fn speeds<const N: usize>(text: &str, readers: [&dyn Fn(&str) -> usize; N]) -> [f64; N] {
    let mut best = [Duration::MAX; N];
    let begun = Instant::now();
    let mut passes = 0;
    while passes < 7 || begun.elapsed() < Duration::from_millis(300) && passes < 300 {
        for (reader, best) in readers.iter().zip(&mut best) {
            let start = Instant::now();
            black_box(reader(text));
            *best = start.elapsed().min(*best);
        }
        passes += 1;
    }
    let bytes = f64::from(u32::try_from(text.len()).unwrap_or(u32::MAX));
    best.map(|best| bytes / best.as_secs_f64() / 1e6)
}

fn summary(_: &mut Criterion) {
    println!("{:<28}{:>12}{:>12}{:>8}", "text", "MB/s", "linkify", "ratio");
    let line = |name: &str, text: &str, format, voice| {
        let [own, other] = speeds(text, [&|text| finds(text, format, voice), &peer]);
        println!("{name:<28}{own:>12.0}{other:>12.0}{:>8.2}", own / other);
    };
    let (mixed, search) = (mixed(4 << 20), search(4 << 20));
    line("mixed, plain", &mixed, Format::Plain, Voice::World);
    line("mixed, auto", &mixed, Format::Auto, Voice::World);
    line("mixed, a person's", &mixed, Format::Auto, Voice::Person);
    line("search, plain", &search, Format::Plain, Voice::World);
    line("search, auto", &search, Format::Auto, Voice::World);
    println!("{:<28}{:>12}{:>12}{:>8}", "generous side", "MB/s", "strict", "ratio");
    let generous = |name: &str, text: &str| {
        let strict: &dyn Fn(&str) -> usize = &|text| finds(text, Format::Auto, Voice::World);
        let [own, other] = speeds(text, [&closes, strict]);
        println!("{name:<28}{own:>12.0}{other:>12.0}{:>8.2}", own / other);
    };
    generous("mixed", &mixed);
    generous("search", &search);
    generous("prose without addresses", &mixed.replace(['.', ':', '/'], " "));
    println!("{:<28}{:>12}{:>12}{:>8}", "hostile unit, slowest", "64 KB", "4 MB", "format");
    for (name, unit) in HOSTILE {
        let formats = [Format::Plain, Format::Markdown, Format::Html, Format::Json, Format::Auto];
        let measured = formats.map(|format| {
            let at = |bytes: usize| {
                let start = if format == Format::Json { "[\"" } else { "" };
                let text = start.to_owned() + &unit.repeat(bytes / unit.len());
                let [speed] = speeds(&text, [&|text| finds(text, format, Voice::Person)]);
                speed
            };
            (at(4 << 20), format, at(64 << 10))
        });
        let slowest = measured.into_iter().min_by(|one, other| one.0.total_cmp(&other.0));
        if let Some((large, format, small)) = slowest {
            println!("{name:<28}{small:>12.0}{large:>12.0}  {format:?}");
        }
    }
}

fn texts(criterion: &mut Criterion) {
    for (name, text) in [("mixed", mixed(1 << 20)), ("search", search(1 << 20))] {
        let mut group = criterion.benchmark_group("find");
        group.throughput(Throughput::Bytes(u64::try_from(text.len()).unwrap_or(0)));
        group.bench_with_input(BenchmarkId::new("shown", name), &text, |bench, text| {
            bench.iter(|| finds(text, Format::Auto, Voice::World));
        });
        group.bench_with_input(BenchmarkId::new("linkify", name), &text, |bench, text| bench.iter(|| peer(text)));
        group.finish();
    }
}

criterion_group!(benches, summary, texts);
criterion_main!(benches);

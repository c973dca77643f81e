//! What a ledger costs: noting one more item, deciding a call, memory, and conversations made to be slow.
//!
//! Times are medians of processor time.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::panic, reason = "a benchmark without a policy measures nothing")]
#![expect(dead_code, reason = "each benchmark uses a part of what they share")]
#![expect(unsafe_code, reason = "an allocator that counts is an unsafe trait's implementation")]

mod measure;

use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use firsthand::check::{Circumstances, check};
use firsthand::conversation::{Item, Seat};
use firsthand::ledger::{Ledger, RunId};
use firsthand::note::note;
use firsthand::policy::Policy;
use measure::{
    Dice, address, addresses, call, called, medians, number, policy, prose, returned, said, speed, spent, user,
};

/// How many bytes are held.
static HELD: AtomicUsize = AtomicUsize::new(0);

struct Counting;

// SAFETY: every call is handed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        HELD.fetch_add(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the system's condition.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the system's condition.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        HELD.fetch_add(size, Ordering::Relaxed);
        HELD.fetch_sub(layout.size(), Ordering::Relaxed);
        // SAFETY: the caller's promise is the system's condition.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn now() -> Circumstances {
    Circumstances::default()
}

fn noted(items: &[Item], policy: &Policy) -> (Ledger, RunId) {
    let mut ledger = Ledger::new([0; 32]);
    let run = ledger.begin(None, Seat::Person, "firsthand");
    for item in items {
        note(&mut ledger, run, item, policy, &now());
    }
    (ledger, run)
}

/// Items of about a million tokens: a person's, the model's and results in turn.
fn a_million_tokens() -> Vec<Item> {
    let mut dice = Dice(3);
    let round = |index: usize, dice: &mut Dice| {
        let id = format!("c{index}");
        let command = format!(r#"{{"command":"grep harbour {index}"}}"#);
        [
            user(&prose(dice, 500)),
            said(&prose(dice, 1500)),
            called(&id, None, "Bash", &command),
            returned(&id, &prose(dice, 6000)),
        ]
    };
    (0..500).flat_map(|index| round(index, &mut dice)).collect()
}

/// Noting a round at the end of a short and of a long ledger.
fn appending(policy: &Policy) {
    let long = a_million_tokens();
    let bytes: usize = 500 * 8000;
    let mut costs = Vec::new();
    println!("{:<56}{:>12}", "noting a text of 2 KB and a result of 20 KB, behind", "microseconds");
    for (name, items) in [("nothing", &[][..]), ("a million tokens", &long[..])] {
        let (mut ledger, run) = noted(items, policy);
        let mut dice = Dice(99);
        let mut rounds: Vec<Duration> = (0..101)
            .map(|index| {
                let id = format!("late{index}");
                let round = [
                    said(&prose(&mut dice, 2000)),
                    called(&id, Some("tracker"), "get", r#"{"key":"OPS-1"}"#),
                    returned(&id, &prose(&mut dice, 20_000)),
                ];
                let start = spent();
                for item in &round {
                    note(&mut ledger, run, item, policy, &now());
                }
                spent().saturating_sub(start)
            })
            .collect();
        rounds.sort_unstable();
        let cost = rounds.get(50).copied().unwrap_or_default();
        println!("{:<56}{:>12.1}", format!("{name} ({} items)", items.len()), cost.as_secs_f64() * 1e6);
        costs.push(cost.as_secs_f64());
    }
    if let [short, long] = costs[..] {
        println!("{:<56}{:>12.2}", format!("ratio ({} MB before)", bytes / 1_000_000), long / short);
    }
}

/// Deciding a call against 100,000 sources.
fn checking(policy: &Policy) {
    const COUNT: usize = 100_000;
    let text = user(&addresses(0..COUNT));
    let (ledger, run) = noted(std::slice::from_ref(&text), policy);
    let mut family = Ledger::new([0; 32]);
    let mut below = family.begin(None, Seat::Person, "firsthand");
    note(&mut family, below, &text, policy, &now());
    for level in 1..=3 {
        below = family.begin(Some(below), Seat::ParentModel, "firsthand");
        note(&mut family, below, &user(&addresses(COUNT * level..COUNT * level + 100)), policy, &now());
    }
    println!("{:<56}{:>12}", "check against 100,000 sources", "microseconds");
    let asked = |index: usize, change: &dyn Fn(String) -> String| {
        let url = change(address(index * 7919 % COUNT));
        call("c", None, "web_fetch", &format!(r#"{{"url":"{url}"}}"#))
    };
    let spellings: [(&str, &dyn Fn(String) -> String); 4] = [
        ("the source's own spelling", &|url| url),
        ("another spelling of it", &|url| url.replace("https://", "HTTPS://WWW.")),
        ("without its query", &|url| url.split('?').next().unwrap_or_default().to_owned()),
        ("an address that nobody wrote", &|url| url.replace("section", "other")),
    ];
    for (name, change) in spellings {
        let calls: Vec<_> = (0..1000).map(|index| asked(index, change)).collect();
        let decided = |ledger: &Ledger, run| {
            for call in &calls {
                black_box(check(ledger, run, call, policy, &now()));
            }
        };
        let alone = || decided(&ledger, run);
        let with_parents = || decided(&family, below);
        let costs = medians(21, [&alone, &with_parents]).map(|cost| cost.as_secs_f64() * 1e3);
        println!("{:<56}{:>12.2}", name, costs[0]);
        println!("{:<56}{:>12.2}", format!("{name}, three runs below it"), costs[1]);
    }
}

/// What a ledger of distinct addresses holds, beyond their bytes.
fn memory(policy: &Policy) {
    const COUNT: usize = 100_000;
    println!("{:<56}{:>12}{:>12}", "memory", "bytes each", "beyond own");
    let text = addresses(0..COUNT);
    let own = number(text.len() - COUNT) / number(COUNT);
    let long = |item: Item, name: &str, before: &[Item]| {
        let (mut ledger, run) = noted(before, policy);
        let start = HELD.load(Ordering::Relaxed);
        note(&mut ledger, run, &item, policy, &now());
        let held = HELD.load(Ordering::Relaxed).saturating_sub(start);
        let each = number(held) / number(COUNT);
        println!("{name:<56}{each:>12.0}{:>12.0}", each - own);
        black_box(&ledger);
    };
    long(user(&text), "sources of a person", &[]);
    long(said(&text), "marks", &[]);
    long(returned("c1", &text), "sources of a tool", &[called("c1", None, "web_search", r#"{"query":"rain"}"#)]);
    long(returned("none", &text), "addresses that count nowhere", &[]);
}

/// Conversations made to be slow, at growing sizes: the cost of a unit must stay the same.
fn hostile(policy: &Policy) {
    println!("{:<56}{:>12}{:>12}{:>12}", "hostile", "1", "2", "4");
    let line = |name: &str, unit: &str, make: &dyn Fn(usize) -> (Vec<Item>, f64)| {
        let costs = [1, 2, 4].map(|size| {
            let (items, units) = make(size);
            let [cost] = medians(3, [&|| _ = black_box(noted(&items, policy))]);
            cost.as_secs_f64() * 1e6 / units
        });
        let [one, two, four] = costs;
        println!("{:<56}{one:>12.2}{two:>12.2}{four:>12.2}", format!("{name}, microseconds a {unit}"));
    };
    let per_address = 70;
    line("1, 2, 4 MB of a model's addresses", "address", &|size| {
        let count = size * 1_000_000 / per_address;
        (vec![said(&addresses(0..count))], number(count))
    });
    line("results with 12,500, 25,000, 50,000 addresses", "address", &|size| {
        let count = size * 12_500;
        let call = called("c1", Some("tracker"), "get", r#"{"key":"OPS-1"}"#);
        (vec![call, returned("c1", &addresses(0..count))], number(count))
    });
    line("the same under 10,000 marks of one path", "address", &|size| {
        let count = size * 12_500;
        let marks: String = (0..10_000).map(|mark| format!("https://c.example/in?d={mark}&z=1\n")).collect();
        let results: String = (0..count).map(|page| format!("https://c.example/in?e={page}\n")).collect();
        let call = called("c1", Some("tracker"), "get", r#"{"key":"OPS-1"}"#);
        (vec![said(&marks), call, returned("c1", &results)], number(count))
    });
    line("the same, cuts of 10,000 marks that copy sources", "address", &|size| {
        let count = size * 12_500;
        let sources: String = (0..10_000).map(|page| format!("https://c.example/in/p{page}\n")).collect();
        let results: String =
            (0..count).map(|page| format!("https://c.example/in/p{}/{page}\n", page % 10_000)).collect();
        let call = called("c1", Some("tracker"), "get", r#"{"key":"OPS-1"}"#);
        (vec![user(&sources), said(&sources), call, returned("c1", &results)], number(count))
    });
    line("5,000, 10,000, 20,000 calls with results", "call", &|size| {
        let count = size * 5_000;
        let round = |index: usize| {
            let id = format!("c{index}");
            let arguments = format!(r#"{{"url":"https://host{index}.example/a/{index}"}}"#);
            let result = format!("stored at https://host{index}.example/b/{index}");
            [called(&id, None, "web_fetch", &arguments), returned(&id, &result)]
        };
        ((0..count).flat_map(round).collect(), number(count))
    });
    line("one call with 5,000, 10,000, 20,000 addresses", "address", &|size| {
        let count = size * 5_000;
        let urls: Vec<String> = (0..count).map(|index| format!("\"{}\"", address(index))).collect();
        let arguments = format!(r#"{{"urls":[{}]}}"#, urls.join(","));
        (vec![called("c1", None, "web_fetch", &arguments)], number(count))
    });
    let plain = prose(&mut Dice(4), 4_000_000);
    let [mine, worlds] = medians(
        5,
        [&|| _ = black_box(noted(&[said(&plain)], policy)), &|| {
            _ = black_box(noted(&[called("c", Some("tracker"), "get", "{}"), returned("c", &plain)], policy))
        }],
    )
    .map(|cost| speed(plain.len(), cost));
    println!("{:<56}{mine:>12.0}", "prose of the model, MB/s");
    println!("{:<56}{worlds:>12.0}", "prose of a connector, MB/s");
}

fn summary(_: &mut Criterion) {
    let policy = policy();
    appending(&policy);
    checking(&policy);
    memory(&policy);
    hostile(&policy);
}

fn decisions(criterion: &mut Criterion) {
    let policy = policy();
    let (ledger, run) = noted(&[user(&addresses(0..100_000))], &policy);
    let url = address(4711);
    let call = call("c", None, "web_fetch", &format!(r#"{{"url":"{url}"}}"#));
    criterion.bench_function("check", |bench| bench.iter(|| check(&ledger, run, &call, &policy, &now())));
}

criterion_group!(benches, summary, decisions);
criterion_main!(benches);

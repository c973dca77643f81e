//! The bodies of the fuzz targets, run on their corpora, on changed files of them and on bytes of no meaning.

use std::fs;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use firsthand::check::Circumstances;
use firsthand::conversation::Seat;
use firsthand::ledger::Ledger;
use firsthand::note::note;
use firsthand_cases::probes::{PROBES, Probe};
use firsthand_wire::format::{Choice, Source, read};

/// How long changed files of one corpus are tried. What is tried is the same each time; a slow machine tries less of it.
const ENOUGH: Duration = Duration::from_millis(1500);

/// How many changed files of one corpus are tried at most.
const ROUNDS: usize = 1500;

/// The longest that one file of a corpus may take without optimisation. They are small: whatever takes longer hangs.
const TOO_LONG: Duration = Duration::from_secs(10);

/// What stands between meanings in some format.
const PIECES: &[&[u8]] = &[
    b"",
    b"null",
    b"[]",
    b"{}",
    b"\"",
    b"\\",
    b"\n",
    b"\xff",
    b"\x00\x00\x00\x00",
    b"\xff\xff\xff\xff",
    b"0",
    b"true",
    b"[[",
    b"https://docs.example/guide",
    b"http://",
    b"docs.example",
    b"www.",
    b"%2e",
    b"&amp;",
    b"\\u002f",
    b"<a href=",
    b"://",
    b"(",
    b")",
    b"#",
    b"?",
    b"=",
    b".",
    b" ",
    b"\xe3\x80\x82",
    b"\xe2\x80\x8b",
    b"[tools.x]\n",
    b"---",
    b"aHR0cHM6Ly9h",
];

fn fuzz() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../fuzz"))
}

/// The names in a folder, in order, without those that begin with a dot.
fn names(folder: PathBuf) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = entries.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

/// The files of a probe's corpus by their names.
fn corpus(probe: &Probe) -> Vec<(String, Vec<u8>)> {
    let folder = fuzz().join("corpus").join(probe.name);
    names(folder.clone()).into_iter().map(|name| (name.clone(), fs::read(folder.join(name)).unwrap())).collect()
}

/// The probe holds of these bytes, or the test shows them.
fn try_on(probe: &Probe, bytes: &[u8], what: &str) {
    let began = Instant::now();
    let outcome = catch_unwind(AssertUnwindSafe(|| (probe.run)(bytes)));
    assert!(outcome.is_ok(), "{} on {what}: b\"{}\"", probe.name, bytes.escape_ascii());
    assert!(began.elapsed() < TOO_LONG, "{} takes {:?} on {what}", probe.name, began.elapsed());
}

/// A fixed walk over numbers, so that a failure can be repeated.
struct Walk(u64);

impl Walk {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap() % bound.max(1)
    }

    fn byte(&mut self) -> u8 {
        u8::try_from(self.below(256)).unwrap()
    }

    /// Changes a few places: a bit, a byte, a piece that is put in, taken out, doubled or borrowed from another file.
    fn change(&mut self, bytes: &mut Vec<u8>, other: &[u8]) {
        for _ in 0..=self.below(3) {
            let at = self.below(bytes.len());
            let end = (at + self.below(9)).min(bytes.len());
            match self.below(6) {
                0 if at < bytes.len() => bytes[at] ^= 1 << self.below(8),
                1 if at < bytes.len() => bytes[at] = self.byte(),
                2 => bytes.truncate(at),
                3 => {
                    let doubled = bytes[at..(at + self.below(64)).min(bytes.len())].to_vec();
                    bytes.splice(at..at, doubled);
                }
                4 => {
                    let from = self.below(other.len());
                    let borrowed = &other[from..(from + self.below(64)).min(other.len())];
                    bytes.splice(at..end, borrowed.iter().copied());
                }
                _ => {
                    let piece = PIECES[self.below(PIECES.len())];
                    bytes.splice(at..end, piece.iter().copied());
                }
            }
        }
    }
}

#[test]
fn each_probe_has_a_target_and_a_corpus_and_each_of_these_a_probe() {
    let mut probes: Vec<String> = PROBES.iter().map(|probe| probe.name.to_owned()).collect();
    probes.sort();
    assert_eq!(names(fuzz().join("corpus")), probes);
    let targets: Vec<String> = probes.iter().map(|probe| format!("{probe}.rs")).collect();
    assert_eq!(names(fuzz().join("fuzz_targets")), targets);
    let manifest = fs::read_to_string(fuzz().join("Cargo.toml")).unwrap();
    for probe in PROBES {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{}.rs\"", probe.name)), "{}", probe.name);
        assert!(!corpus(probe).is_empty(), "{} has nothing to begin with", probe.name);
    }
}

#[test]
fn each_probe_holds_of_its_corpus() {
    for probe in PROBES {
        for (name, bytes) in corpus(probe) {
            try_on(probe, &bytes, &name);
        }
    }
}

#[test]
fn each_probe_holds_of_changed_files() {
    for probe in PROBES {
        let (corpus, began, mut walk) = (corpus(probe), Instant::now(), Walk(0x9e37_79b9));
        for round in 0..ROUNDS {
            if began.elapsed() > ENOUGH {
                break;
            }
            let (name, bytes) = &corpus[walk.below(corpus.len())];
            let mut changed = bytes.clone();
            let other = walk.below(corpus.len());
            walk.change(&mut changed, &corpus[other].1);
            try_on(probe, &changed, &format!("{name}, changed in round {round}"));
        }
    }
}

#[test]
fn each_probe_holds_of_bytes_of_no_meaning() {
    let mut walk = Walk(0x1234_5678);
    for probe in PROBES {
        for round in 0..100 {
            let length = walk.below(200);
            let noise: Vec<u8> = (0..length).map(|_| walk.byte()).collect();
            let pieces: Vec<u8> =
                (0..length / 8).flat_map(|_| PIECES[walk.below(PIECES.len())].iter().copied()).collect();
            try_on(probe, &noise, &format!("noise of round {round}"));
            try_on(probe, &pieces, &format!("pieces of round {round}"));
        }
    }
}

/// With `FIRSTHAND_WRITE_CORPUS` in the environment the saved ledger is written anew.
#[test]
fn a_saved_ledger_of_the_corpus_restores() {
    let corpus = fuzz().join("corpus");
    if std::env::var_os("FIRSTHAND_WRITE_CORPUS").is_some() {
        let file = fs::read(corpus.join("read/own.jsonl")).unwrap();
        let policy = firsthand_wire::policy::profile("firsthand").unwrap();
        let mut ledger = Ledger::new([7; 32]);
        for conversation in read(&file[1..], Choice::Auto, &Source { name: "own.jsonl" }).unwrap().conversations {
            for seat in [conversation.seat, Seat::ParentModel] {
                let run = ledger.begin(None, seat, conversation.dialect);
                for item in &conversation.items {
                    note(&mut ledger, run, item, &policy, &Circumstances::default());
                }
            }
        }
        fs::write(corpus.join("restore/conversation"), ledger.save()).unwrap();
    }
    let saved = fs::read(corpus.join("restore/conversation")).unwrap();
    let restored = Ledger::restore(&saved);
    assert!(restored.is_ok_and(|ledger| ledger.mark_count() > 0), "the saved form has changed; write the file anew");
}

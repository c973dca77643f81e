//! What must hold of any bytes.
//!
//! Each probe is the body of a fuzz target of the same name, and the tests run it on the target's corpus. A probe that
//! fails panics; one that returns has nothing to report.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use firsthand::address::{Address, Asked, Form, wide_key, wide_key_extends};
use firsthand::check::{Circumstances, check_addresses};
use firsthand::conversation::{Body, Item, Relayed, Seat};
use firsthand::find::{Format, Found, Voice, Written, shown, shown_in_json, written, written_in_json};
use firsthand::ledger::{Ledger, RestoreError, RunId, SavedLedger};
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand_answer::stream::Stream;
use firsthand_answer::{Given, find as links, finish_with_html};
use firsthand_wire::call::{Session, check_once};
use firsthand_wire::format::{self, Choice, FORMATS, Source};
use firsthand_wire::items;
use firsthand_wire::policy::{self, suggest};

/// Something that must hold of any bytes.
#[derive(Clone, Copy, Debug)]
pub struct Probe {
    /// The name of its fuzz target and of the folder of its corpus.
    pub name: &'static str,
    /// Panics where it does not hold.
    pub run: fn(&[u8]),
}

/// Every probe.
pub const PROBES: &[Probe] = &[
    Probe { name: "find", run: find },
    Probe { name: "read", run: read },
    Probe { name: "policy", run: load_policy },
    Probe { name: "restore", run: restore },
    Probe { name: "call", run: call },
    Probe { name: "address", run: address },
    Probe { name: "answer", run: answer },
];

/// The key of the ledgers that probes make: any constant will do.
const KEY: [u8; 32] = [7; 32];

/// How many colons and dots a text may have in which each address is marked whole.
const FEW_STARTS: usize = 8;

/// Finding, in a text: each address found lies in the text, and what the strict side finds the generous side finds too.
///
/// Bytes that are not UTF-8 are replaced.
pub fn find(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (plain, json) = (marked(&text, written), marked(&text, written_in_json));
    for format in [Format::Auto, Format::Plain, Format::Markdown, Format::Html, Format::Json] {
        for voice in [Voice::Person, Voice::World] {
            shown(&text, format, voice, &mut |found| is_found(&text, &found, &plain));
        }
    }
    shown_in_json(&text, Voice::Person, &mut |_, found| is_found(&text, &found, &json));
}

/// Either way of reading generously.
type Reader = fn(&str, &mut dyn FnMut(Written<'_>));

/// The keys under which the generous side marks.
fn marked(text: &str, reader: Reader) -> BTreeSet<String> {
    let mut keys = BTreeSet::new();
    reader(text, &mut |written| {
        keys.insert(written.key.to_owned());
    });
    assert!(!keys.contains(""), "an empty key");
    keys
}

fn is_found(text: &str, found: &Found<'_>, keys: &BTreeSet<String>) {
    assert!(text.get(found.start..found.end).is_some(), "{}..{} is no part of the text", found.start, found.end);
    // What does not parse becomes no source.
    let Some(address) = Address::written(&found.spelling, found.form) else { return };
    let key = address.wide();
    // Behind many starts without a space between them only the beginning of a long address is marked; what extends a mark
    // is closed with it.
    let beginning = || {
        text.bytes().filter(|byte| matches!(byte, b':' | b'.')).count() > FEW_STARTS
            && keys.iter().any(|mark| mark.contains(['/', '?']) && wide_key_extends(&key, mark))
    };
    assert!(keys.contains(&key) || beginning(), "shown but not marked: {}", found.spelling);
}

/// Reading a recorded conversation: what is read can be listed, noted, saved and restored.
///
/// The first byte says the format: `0` is `auto`, `1` to `8` are [`FORMATS`] in their order, and so on in turns. The rest
/// is the file.
pub fn read(bytes: &[u8]) {
    let Some((which, file)) = bytes.split_first() else { return };
    let which = usize::from(which.wrapping_sub(b'0')) % (FORMATS.len() + 1);
    let choice = match which.checked_sub(1).and_then(|number| FORMATS.get(number)) {
        Some(format) => Choice::Named(format.name),
        None => Choice::Auto,
    };
    let read = match format::read(file, choice, &Source { name: "probe.jsonl" }) {
        Ok(read) => read,
        Err(error) => {
            assert!(!error.to_string().is_empty(), "an error without words");
            return;
        }
    };
    let policy = default_policy();
    let mut tools = suggest::Tools::default();
    for conversation in &read.conversations {
        tools.look(conversation, policy);
    }
    let suggested = tools.render(policy);
    assert!(policy::load(&suggested).is_ok(), "no policy: {suggested}");
    for conversation in &read.conversations {
        let lines = items::lines(conversation, |_, _| None);
        assert!(lines.len() == conversation.items.len(), "{} lines", lines.len());
        let mut ledger = Ledger::new(KEY);
        let run = ledger.begin(None, conversation.seat, conversation.dialect);
        for item in &conversation.items {
            note(&mut ledger, run, item, policy, &Circumstances::default());
        }
        restores_whole(&ledger.save(), "a ledger of a conversation");
    }
}

/// Loading a policy: one that loads is printed as a policy that prints the same.
///
/// Bytes that are not UTF-8 are replaced.
pub fn load_policy(bytes: &[u8]) {
    let Ok(loaded) = policy::load(&String::from_utf8_lossy(bytes)) else { return };
    let printed = policy::print(&loaded.policy);
    let again = policy::load(&printed).map(|again| policy::print(&again.policy));
    assert!(again.is_ok_and(|again| again == printed), "printed otherwise once it is loaded: {printed}");
}

/// Restoring a ledger: what restores is saved as it was, can be gone on with, and is found by looking into the file.
///
/// The bytes are tried as they are, and again with digests that agree with them, so that what is behind those is tried too.
pub fn restore(bytes: &[u8]) {
    restore_as_it_is(bytes);
    if let Some(sealed) = sealed(bytes) {
        restore_as_it_is(&sealed);
    }
}

/// A saved ledger with the digests that its sections have.
fn sealed(bytes: &[u8]) -> Option<Vec<u8>> {
    let number = |at: usize| {
        let bytes = bytes.get(at..at.checked_add(8)?)?;
        usize::try_from(u64::from_le_bytes(bytes.try_into().ok()?)).ok()
    };
    let count = usize::try_from(u32::from_le_bytes(bytes.get(12..16)?.try_into().ok()?)).ok()?;
    let digests_at = count.checked_mul(24)?.checked_add(32)?;
    let mut length = 0_usize;
    for entry in 0..count {
        length = length.checked_add(number(32 + entry * 24 + 16)?)?;
    }
    let body = digests_at.checked_add(length.div_ceil(4096).checked_mul(16)?)?;
    let sections = bytes.get(body..body.checked_add(length)?)?;
    let digest = |bytes: &[u8]| blake3::hash(bytes).as_bytes().iter().copied().take(16).collect::<Vec<u8>>();
    let digests: Vec<u8> = sections.chunks(4096).flat_map(digest).collect();
    let (head, table) = (bytes.get(..16)?, bytes.get(32..digests_at)?);
    let of_tables = digest(&[head, table, &digests].concat());
    Some([head, &of_tables, table, &digests, bytes.get(body..)?].concat())
}

fn restore_as_it_is(bytes: &[u8]) {
    let Ok(mut ledger) = Ledger::restore(bytes) else {
        look_into(bytes);
        return;
    };
    assert!(ledger.save() == bytes, "saved otherwise than it was");
    agrees(&ledger, bytes);
    let (run, policy) = (first_run(), default_policy());
    let text = "Read https://docs.example/guide and https://docs.example/guide/2.";
    let item = Item::new("", Body::User { text: text.into(), relayed: Relayed::No });
    for _ in 0..3 {
        note(&mut ledger, run, &item, policy, &Circumstances::default());
        let asked = ["https://docs.example/guide".to_owned()];
        check_addresses(&ledger, run, None, "web_fetch", &asked, policy, &Circumstances::default());
    }
    restores_whole(&ledger.save(), "a restored ledger");
}

/// What is saved is restored to what is saved, and looking into it gives the same.
fn restores_whole(saved: &[u8], what: &str) {
    let again = Ledger::restore(saved);
    assert!(again.is_ok(), "{what} does not restore: {:?}", again.err());
    let Ok(mut again) = again else { return };
    assert!(again.save() == saved, "{what} is saved otherwise once it is restored");
    agrees(&again, saved);
}

/// The id of the first run of any ledger.
fn first_run() -> RunId {
    Ledger::new(KEY).begin(None, Seat::Presumed, "")
}

/// Looking into the saved form says what the ledger says.
fn agrees(ledger: &Ledger, bytes: &[u8]) {
    let saved = SavedLedger::open(bytes);
    assert!(saved.is_ok(), "restores, but cannot be looked into: {:?}", saved.err());
    let Ok(saved) = saved else { return };
    for mark in ledger.marks().take(64) {
        assert!(saved.has_mark(mark) == Ok(true), "a mark is not found");
    }
    for source in ledger.sources(first_run()).take(64) {
        let Some(address) = Address::written(source, Form::Absolute) else { continue };
        let found = saved.source(first_run(), &address);
        // Only a spelling that is cut as it is read may be another address.
        let same = address.reveal() != source || found.as_ref().is_ok_and(|found| found.as_deref() == Some(source));
        assert!(same, "a source is not found");
    }
}

fn look_into(bytes: &[u8]) {
    let Ok(saved) = SavedLedger::open(bytes) else { return };
    for key in ["", "docs.example", "sink.example/?d=secret", "zz"] {
        assert!(saved.has_mark(key) != Err(RestoreError::NotALedger), "opened, but no ledger");
    }
    if let Some(address) = Address::written("https://docs.example/guide", Form::Absolute) {
        let found = saved.source(first_run(), &address);
        assert!(found != Err(RestoreError::NotALedger), "opened, but no ledger");
    }
}

/// The JSON layer: every request has an answer, one JSON object with a verdict or an error.
///
/// Bytes that are not UTF-8 are replaced.
pub fn call(bytes: &[u8]) {
    let request = String::from_utf8_lossy(bytes);
    answers(&check_once(&request), &["verdict", "error"]);
    let mut session = match Session::open(&request, KEY).or_else(|_| Session::open("{}", KEY)) {
        Ok(session) => session,
        Err(error) => {
            answers(&error.to_json(), &["error"]);
            return;
        }
    };
    answers(&session.append(&request), &["length", "error"]);
    answers(&session.ask(&request), &["verdict", "error"]);
    restores_whole(&session.save(), "a session");
}

fn answers(answer: &str, keys: &[&str]) {
    let read = serde_json::from_str::<serde_json::Value>(answer);
    let is_one = read.is_ok_and(|answer| keys.iter().any(|key| answer.get(key).is_some()));
    assert!(is_one, "no answer: {answer}");
}

/// An address: a wide key's own wide key is itself, and an address is restored from what it reveals.
///
/// Bytes that are not UTF-8 are replaced.
pub fn address(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    is_folded(&wide_key(&text));
    let asked = Asked::parse(&text).ok().map(|asked| asked.address().clone());
    let written = [Form::Absolute, Form::Bare].into_iter().map(|form| Address::written(&text, form));
    let page = Address::written("https://docs.example/guide/start?page=2", Form::Absolute);
    let joined = page.and_then(|page| page.joined(&text));
    for address in written.chain([asked, joined]).flatten() {
        is_folded(&address.wide());
        // The site of a host that ends in a dot may be without it.
        let host = address.host();
        let within = [host, host.trim_end_matches('.')].iter().any(|host| host.ends_with(address.site()));
        assert!(within || address.is_odd(), "the site is no end of the host");
        let (loose, path) = (address.loose(), address.loose_without_query());
        assert!(loose.starts_with(&*path) || address.is_odd(), "`{path}` is no beginning of `{loose}`");
        let outlines = [address.outline(), address.outline_with_host()];
        assert!(outlines.iter().all(|outline| outline.bytes == address.reveal().len()), "another length");
        let Some(again) = Address::written(address.identity(), Form::Absolute) else {
            assert!(address.is_odd(), "an identity that is no address");
            continue;
        };
        if !address.is_odd() {
            assert!(again.identity() == address.identity(), "the identity of an identity");
            assert!(again.wide() == address.wide(), "one address, two wide keys");
        }
    }
}

fn is_folded(key: &str) {
    let again = wide_key(key);
    assert!(again == key, "the key of `{key}` is `{again}`");
}

#[expect(clippy::panic, reason = "the profile is part of the build, and a probe reports by a panic")]
fn default_policy() -> &'static Policy {
    static POLICY: LazyLock<Policy> = LazyLock::new(|| match policy::profile(policy::DEFAULT_PROFILE) {
        Ok(policy) => policy,
        Err(error) => std::panic::panic_any(error.to_string()),
    });
    &POLICY
}

/// Finishing, of an answer: no link is left that must not stay, the same again changes nothing, and an answer that comes
/// in two parts is the same in the end.
///
/// Bytes that are not UTF-8 are replaced.
pub fn answer(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let (finished, html) = finish_with_html(&text, &Given::default());
    let record = finished.record;
    for link in links::find(&record.markdown) {
        assert!(link.target.is_ok(), "a link is left: {text:?}");
        assert!(record.markdown.get(link.range.clone()).is_some_and(|written| !written.is_empty()), "{text:?}");
    }
    let (again, same) = finish_with_html(&record.markdown, &Given::default());
    assert_eq!(again.record.unwrapped, [], "{text:?}");
    assert_eq!((&again.record.markdown, &again.record.items, &same), (&record.markdown, &record.items, &html));
    let (head, tail) = text.as_bytes().split_at(text.len() / 2);
    let mut stream = Stream::new();
    for part in [head, tail] {
        assert!(stream.push(part).is_ok());
        stream.flush();
    }
    assert!(stream.finish(&Given::default()).is_ok_and(|(_, whole)| whole == html), "{text:?}");
}

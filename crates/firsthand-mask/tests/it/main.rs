//! What is told, what is masked, and what a store keeps.
#![expect(
    clippy::unwrap_used,
    clippy::unreachable,
    clippy::print_stdout,
    reason = "a panic is the report of a test; a test that is not run says why"
)]

use std::collections::{BTreeSet, HashSet};

use firsthand::address::{Address, Form};
use firsthand_mask::signed::Setting;
use firsthand_mask::{Store, StoreError, mask, signed};
use serde_json::Value;

const S3: &str = "https://bucket.s3.eu-west-1.amazonaws.com/a%20b.pdf?X-Amz-Algorithm=AWS4-HMAC-SHA256&X-Amz-Date=20261102T100000Z&X-Amz-Expires=900&X-Amz-Signature=canary00";

fn provider(url: &str) -> Option<&'static str> {
    signed(url, Setting::default()).map(|signed| signed.provider)
}

fn masked(text: &str) -> String {
    let mut number = 0;
    let masked = mask(text, Setting::default(), &mut |_, _| {
        number += 1;
        format!("ref-{number:015}")
    });
    masked.text
}

const ONE: &str = "ref-000000000000001";

#[test]
fn every_example_is_told() {
    let folder = std::env::var("FIRSTHAND_SHARED").unwrap_or_default();
    let Ok(text) = std::fs::read_to_string(format!("{folder}/examples/presigned/urls.jsonl")) else {
        return println!("skipped: FIRSTHAND_SHARED names no folder with the examples");
    };
    let mut missed = Vec::new();
    for line in text.lines() {
        let example: Value = serde_json::from_str(line).unwrap();
        let url = example.get("url").unwrap().as_str().unwrap();
        let kind = example.get("kind").unwrap().as_str().unwrap();
        let spellings = [
            url.to_owned(),
            url.replace('&', "&amp;"),
            url.replace('&', "\\u0026").replace('/', "\\/"),
            format!("https://go.example/out?u={}", percent(url)),
            format!("{} {kind}", masked(url)),
        ];
        let told = spellings.iter().take(4).filter(|spelling| provider(spelling).is_some()).count();
        if told < 4 || masked(url) != ONE {
            missed.push((kind.to_owned(), told, masked(url)));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

fn percent(url: &str) -> String {
    url.bytes()
        .map(|byte| if byte.is_ascii_alphanumeric() { char::from(byte).to_string() } else { format!("%{byte:02X}") })
        .collect()
}

/// As converters to Markdown write an address in a text.
fn escaped(url: &str) -> String {
    url.chars()
        .map(|letter| if "_-&=?.~".contains(letter) { format!("\\{letter}") } else { letter.to_string() })
        .collect()
}

#[test]
fn what_real_conversations_hold_is_counted() {
    let folder = std::env::var("FIRSTHAND_SHARED").unwrap_or_default();
    let mut folders = vec![std::path::PathBuf::from(format!("{folder}/transcripts"))];
    if folder.is_empty() || !folders.iter().all(|folder| folder.is_dir()) {
        return println!("skipped: FIRSTHAND_SHARED names no folder with transcripts");
    }
    let (mut files, mut addresses, mut generic_alone) = (0, HashSet::new(), BTreeSet::new());
    let mut by_provider = std::collections::BTreeMap::new();
    while let Some(folder) = folders.pop() {
        for path in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let Ok(text) = std::fs::read_to_string(&path) else { continue };
            files += 1;
            for line in text.lines() {
                firsthand::find::shown(
                    line,
                    firsthand::find::Format::Auto,
                    firsthand::find::Voice::World,
                    &mut |found| {
                        let is_new = found.form != Form::Relative && addresses.insert(found.spelling.to_string());
                        let told = |generic| signed(&found.spelling, Setting { generic });
                        match (told(false), told(true)) {
                            (Some(told), _) if is_new => *by_provider.entry(told.provider).or_insert(0) += 1,
                            (None, Some(_)) => drop(generic_alone.insert(found.spelling.to_string())),
                            _ => {}
                        }
                    },
                );
            }
        }
    }
    println!(
        "{files} files, {} addresses, masked {by_provider:?}, by the generic rule alone {}",
        addresses.len(),
        generic_alone.len()
    );
    for one in generic_alone {
        println!("  {}", one.split('?').next().unwrap_or_default());
    }
    assert!(!by_provider.is_empty());
}

#[test]
fn ordinary_addresses_are_left_alone() {
    for url in [
        "https://example.org/",
        "https://example.org/search?q=signature&page=2",
        "https://api.example.org/v1/items?token=abc&key=1",
        "https://github.com/o/r/blob/main/a.rs?plain=1#L3",
        "https://raw.githubusercontent.com/o/r/main/a.txt",
        "https://www.dropbox.com/home",
        "https://docs.google.com/document/d/1abc/edit",
        "https://bucket.s3.amazonaws.com/a.pdf",
        "https://www.youtube.com/watch?v=abc&t=30s",
        "https://example.org/a@b",
        "mailto:a@b.example",
    ] {
        assert_eq!(provider(url), None, "{url}");
        assert_eq!(masked(&format!("See {url} now.")), format!("See {url} now."));
    }
    let generic = Setting { generic: true };
    assert!(signed("https://api.example.org/v1?token=abcDEF0123456789xyz", generic).is_some());
    assert!(signed("https://api.example.org/v1?token=abc", generic).is_none());
}

#[test]
fn the_end_of_its_time_is_read() {
    let end = |url: &str| signed(url, Setting::default()).unwrap().expires;
    assert_eq!(end(S3), Some(1_793_613_600 + 900));
    assert_eq!(end("https://a.example/x?Key-Pair-Id=k&Signature=s&Expires=1793613600"), Some(1_793_613_600));
    assert_eq!(end("https://a.blob.core.windows.net/x?sv=1&sig=s&se=2026-11-02T11%3A00%3A00Z"), Some(1_793_617_200));
    assert_eq!(end("https://cdn.discordapp.com/attachments/1/2/a?ex=69000000&is=1&hm=0"), Some(0x6900_0000));
    assert_eq!(end("https://b.cos.ap.myqcloud.com/a?q-sign-time=1%3B1793613600&q-signature=0"), Some(1_793_613_600));
    assert_eq!(end("https://file.notion.so/f/a?expirationTimestamp=1793613600000&signature=s"), Some(1_793_613_600));
    assert_eq!(end("https://www.dropbox.com/scl/fi/a?rlkey=x"), None);
    assert_eq!(end("https://a.example/x?X-Amz-Signature=s&X-Amz-Date=soon&X-Amz-Expires=9"), None);
}

#[test]
fn every_copy_in_every_spelling_of_a_format_gets_one_stand_in() {
    let amp = S3.replace('&', "&amp;");
    let json = S3.replace('&', "\\u0026").replace('/', "\\/");
    let nested = serde_json::to_string(&format!("{{\"url\":\"{S3}\"}}")).unwrap();
    for (text, wanted) in [
        (format!("Get {S3}, or {S3}."), format!("Get {ONE}, or {ONE}.")),
        (format!("[file]({S3}) <{S3}>"), format!("[file]({ONE}) <{ONE}>")),
        (
            format!("<p>\n<a href=\"{amp}\">x</a> <img src='{amp}'></p>"),
            format!("<p>\n<a href=\"{ONE}\">x</a> <img src='{ONE}'></p>"),
        ),
        (
            format!("{{\"a\": \"{json}\",  \"b\":[\"see {S3} ok\"]}}"),
            format!("{{\"a\": \"{ONE}\",  \"b\":[\"see {ONE} ok\"]}}"),
        ),
        (
            format!("{{\"inner\":{nested}, \"n\":1.50}}"),
            format!("{{\"inner\":\"{{\\\"url\\\":\\\"{ONE}\\\"}}\", \"n\":1.50}}"),
        ),
        (format!("Result: {{\"url\":\"{json}\"}} done"), format!("Result: {{\"url\":\"{ONE}\"}} done")),
        (
            format!("name,link\na,{S3}\nb,https://example.org/\n"),
            format!("name,link\na,{ONE}\nb,https://example.org/\n"),
        ),
        (
            format!(
                "{{\"content\":[{{\"type\":\"resource_link\",\"uri\":\"{S3}\"}}],\"structuredContent\":{{\"u\":\"{S3}\"}}}}"
            ),
            format!(
                "{{\"content\":[{{\"type\":\"resource_link\",\"uri\":\"{ONE}\"}}],\"structuredContent\":{{\"u\":\"{ONE}\"}}}}"
            ),
        ),
        (
            "{\"@microsoft.graph.downloadUrl\":\"https://x.example/y\",\"webUrl\":\"https://x.example/y2\"}".to_owned(),
            format!("{{\"@microsoft.graph.downloadUrl\":\"{ONE}\",\"webUrl\":\"https://x.example/y2\"}}"),
        ),
        (format!("go https://go.example/out?u={} now", percent(S3)), format!("go {ONE} now")),
        (format!("go https://go.example/out?u={} now", percent(&percent(S3))), format!("go {ONE} now")),
        (format!("as Markdown {} end", escaped(S3)), format!("as Markdown {ONE} end")),
        (format!("[file]({}) and {S3}, a\\_b", escaped(S3)), format!("[file]({ONE}) and {ONE}, a\\_b")),
        ("ftp https://user:pw@host.example/x".to_owned(), format!("ftp {ONE}")),
        (format!("no scheme {} end", S3.strip_prefix("https://").unwrap()), format!("no scheme {ONE} end")),
    ] {
        assert_eq!(masked(&text), wanted);
        assert_eq!(masked(&wanted), wanted, "masking again changes nothing");
    }
    let (start, end) = S3.split_at(100);
    let mail = S3.replace('=', "=3D").replace("X-Amz-Sig", "X-Amz=\r\n-Sig");
    assert_eq!(masked(&format!("Mail: {mail} end=\r\nof line")), format!("Mail: {ONE} end=\r\nof line"));
    assert_eq!(masked(&format!("{start}\n{end}\nnext line")), format!("{ONE}\nnext line"), "a terminal broke the line");
    let long = S3.replace("canary00", &"canary00".repeat(20));
    for width in [60, 72, 80, 100, 120, 200] {
        for end in ["\n", "\r\n"] {
            let lines: Vec<&str> =
                long.as_bytes().chunks(width).map(|line| std::str::from_utf8(line).unwrap()).collect();
            let text = format!("See it:{end}{}{end}and go on.", lines.join(end));
            assert_eq!(masked(&text), format!("See it:{end}{ONE}{end}and go on."), "{width}");
        }
    }
    let soft: Vec<&str> = long.as_bytes().chunks(75).map(|line| std::str::from_utf8(line).unwrap()).collect();
    assert_eq!(masked(&soft.join("=\n")), ONE);
    assert_eq!(masked(&format!("{S3}\nnext line")), format!("{ONE}\nnext line"));
    let two = S3.replace("a%20b", "c");
    assert_eq!(masked(&format!("{S3} {two} {S3}")), format!("{ONE} ref-000000000000002 {ONE}"));
}

#[test]
fn hostile_texts_are_masked_in_proportion() {
    let deep = (0..60).fold(format!("{{\"u\":\"{S3}\"}}"), |inner, _| {
        if inner.len() > 200_000 { inner } else { format!("{{\"u\":{}}}", serde_json::to_string(&inner).unwrap()) }
    });
    for text in [
        "X-Amz-Signature=".repeat(100_000),
        "%25".repeat(300_000),
        "\\u0026".repeat(200_000),
        format!("https://a.example/?{}X-Amz-Signature=canary1", "a=b&".repeat(250_000)),
        "http://".repeat(150_000),
        "https://a.example/?u=".repeat(50_000),
        "https%3A%2F%2F".repeat(70_000),
        "@".repeat(1_000_000),
        "/s--".repeat(200_000),
        "\"\\u0026X-Amz-Signature=a\",".repeat(40_000),
        "https://a.example/x?X-Amz=\n-Signature=canary1 ".repeat(20_000),
        "https://a.example/x?X-Amz\\-Signature=canary1 ".repeat(20_000),
        "\\_".repeat(500_000),
        deep,
    ] {
        let masked = masked(&text);
        assert!(masked.len() <= text.len() + 100 && !masked.contains("canary1"));
    }
}

#[test]
fn a_store_keeps_nothing_in_clear_and_opens_in_its_conversation_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("references");
    let (store, address) = (Store::new(&path, [7; 32]), Address::written(S3, Form::Absolute).unwrap());
    assert!(store.all("run-canary").unwrap().is_empty());
    let reference = store.put("run-canary", &address, 2_000, Some(3), 1_000).unwrap();
    assert_eq!(store.put("run-canary", &address, 9_000, Some(4), 1_000).unwrap(), reference, "one for an address");
    let other = store.put("other", &address, 2_000, None, 1_000).unwrap();
    assert_ne!(other, reference);
    let kept = store.all("run-canary").unwrap();
    assert_eq!(kept.len(), 1);
    let one = kept.first().unwrap();
    assert_eq!((&one.reference, &one.address, one.expires, one.item), (&reference, &address, 2_000, Some(3)));
    assert!(!format!("{one:?}{store:?}").contains("canary"));
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("canary") && !text.contains("amazonaws") && !text.contains("Amz"));
    assert!(
        matches!(Store::new(&path, [8; 32]).all("run-canary").map(|all| all.len()), Ok(0)),
        "another key knows no such run"
    );
    // A line that is moved or changed does not open.
    let digests: Vec<String> = text
        .lines()
        .map(|line| {
            serde_json::from_str::<Value>(line).unwrap().get("conversation").unwrap().as_str().unwrap().to_owned()
        })
        .collect();
    let [own, others] = digests.as_slice() else { unreachable!("two conversations") };
    let moved = text.lines().next().unwrap().replace(own, others);
    for changed in [
        moved,
        text.lines().next().unwrap().replace("2000", "9999"),
        text.lines().next().unwrap().replace(reference.reveal(), other.reveal()),
    ] {
        std::fs::write(&path, format!("{changed}\n")).unwrap();
        let which = if changed.contains(others) { "other" } else { "run-canary" };
        assert!(matches!(store.all(which), Err(StoreError::Sealed { line: 1 })), "{which}");
    }
}

#[test]
fn a_store_survives_cut_lines_many_writers_and_the_end_of_times() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("references");
    let address = |number: usize| {
        Address::written(&format!("https://a.example/{number}?X-Amz-Signature=x"), Form::Absolute).unwrap()
    };
    let references: Vec<_> = std::thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let (path, address) = (&path, &address);
                scope.spawn(move || {
                    let store = Store::new(path, [7; 32]);
                    (0..10)
                        .map(|number| store.put("run", &address(10 * writer + number), 2_000, None, 1_000).unwrap())
                        .collect::<Vec<_>>()
                })
            })
            .collect();
        writers.into_iter().flat_map(|writer| writer.join().unwrap()).collect()
    });
    assert_eq!(references.iter().collect::<HashSet<_>>().len(), 40);
    let store = Store::new(&path, [7; 32]);
    assert_eq!(store.all("run").unwrap().len(), 40);
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.get(..text.len() - 30).unwrap()).unwrap();
    assert_eq!(store.all("run").unwrap().len(), 39, "the last line is cut");
    store.put("run", &address(99), 5_000, None, 1_000).unwrap();
    assert_eq!(store.all("run").unwrap().len(), 40);
    store.put("run", &address(98), 5_000, None, 3_000).unwrap();
    let left = store.all("run").unwrap();
    assert!(left.len() == 2 && left.iter().all(|kept| kept.expires == 5_000), "the others' time was over");
    std::fs::write(&path, "not a store\n").unwrap();
    assert!(matches!(store.all("run"), Err(StoreError::Malformed { line: 1 })));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        std::fs::remove_file(&path).unwrap();
        store.put("run", &address(1), 2_000, None, 1_000).unwrap();
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn references_of_one_result_are_written_together() {
    let folder = tempfile::tempdir().unwrap();
    let store = Store::new(folder.path().join("references"), [7; 32]);
    let address = |number: usize| {
        Address::written(&format!("https://a.example/{number}?X-Amz-Signature=x"), Form::Absolute).unwrap()
    };
    let before = store.put("run", &address(0), 2_000, None, 1_000).unwrap();
    let mut batch = store.begin("run", 1_000).unwrap();
    // Reading the store anew for each would take as long as all of them together, for each.
    let added: Vec<_> = (0..20_000).map(|number| batch.put(&address(number), 2_000, Some(1)).unwrap()).collect();
    assert_eq!(added.first(), Some(&before));
    assert_eq!(Some(&batch.put(&address(7), 2_000, None).unwrap()), added.get(7));
    let text = || std::fs::read_to_string(folder.path().join("references")).unwrap();
    assert_eq!(text().lines().count(), 1, "nothing is written before the end");
    assert!(!format!("{batch:?}").contains("example"));
    batch.keep().unwrap();
    assert_eq!(text().lines().count(), 20_000);
    let kept: HashSet<_> = store.all("run").unwrap().into_iter().map(|kept| kept.reference).collect();
    assert_eq!(kept, added.into_iter().collect());
    drop(store.begin("run", 1_000).unwrap());
    assert_eq!(text().lines().count(), 20_000, "one that is given up writes nothing");
}

proptest::proptest! {
    #[test]
    fn masking_twice_is_masking_once_and_leaves_no_signed_address(parts in proptest::collection::vec(piece(), 0..8)) {
        let text = parts.concat();
        let once = masked(&text);
        proptest::prop_assert!(!once.contains("canary00"), "{once}");
        proptest::prop_assert_eq!(masked(&once), once.clone());
    }
}

fn piece() -> impl proptest::strategy::Strategy<Value = String> {
    use proptest::prelude::*;
    prop_oneof![
        "[ a-z,.:;()\\[\\]{}<>\"'\\\\\n&%=/-]{0,12}",
        Just(S3.to_owned()),
        Just(S3.replace('&', "&amp;")),
        Just(S3.replace('&', "\\u0026")),
        Just(S3.replace('/', "\\/")),
        Just(serde_json::to_string(S3).unwrap()),
        Just(format!("https://go.example/?u={}", percent(S3))),
    ]
}

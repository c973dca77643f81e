//! Results are masked, and references open what they stand for in their conversation alone.

use serde_json::Value;

use crate::leaving::Server;
use crate::tool::Folder;

const SIGNED: &str = "https://files.harbour.example/r.pdf?X-Amz-Date=20260101T000000Z&X-Amz-Signature=kanarienvogel";

fn talk(folder: &Folder) {
    folder.file(
        "run.jsonl",
        "{\"conversation\":\"run-7\"}\n{\"position\":\"user\",\"text\":\"Get the report.\"}\n\
         {\"position\":\"assistant\",\"text\":\"It may be https://files.harbour.example/own?X-Amz-Signature=kanarienvogel2\"}\n\
         {\"position\":\"tool_call\",\"id\":\"c1\",\"server\":\"desk\",\"tool\":\"get_file\",\"arguments\":{\"key\":\"now\"}}\n\
         {\"position\":\"tool_call\",\"id\":\"c2\",\"tool\":\"Bash\",\"arguments\":{\"command\":\"cat x\"}}\n",
    );
    folder.file("store.key", [7; 32]);
    folder.file("result.json", format!("{{\"file\": \"{SIGNED}\",  \"again\":\"see {SIGNED} ok\"}}\n"));
}

const STORE: [&str; 4] = ["--store", "references", "--key-file", "store.key"];

fn mask(folder: &Folder, more: &[&str]) -> Value {
    let done = folder.run(&[&["mask", "result.json", "--json"], more].concat());
    assert!(!done.out.contains("kanarienvogel") && !done.err.contains("kanarienvogel"), "{} {}", done.out, done.err);
    done.exits(0).json().remove(0)
}

#[test]
fn a_result_is_masked_and_its_reference_opens_in_its_conversation() {
    let folder = Folder::new();
    talk(&folder);
    let of_call = [&["--conversation", "run.jsonl", "--call", "c1"][..], &STORE].concat();
    let answer = mask(&folder, &of_call);
    let reference = answer.pointer("/references/0").unwrap().as_str().unwrap().to_owned();
    assert_eq!(answer.get("masked"), Some(&2.into()));
    assert_eq!(answer.pointer("/by_provider/aws"), Some(&2.into()));
    assert_eq!(answer.get("dead"), Some(&0.into()));
    let text = format!("{{\"file\": \"{reference}\",  \"again\":\"see {reference} ok\"}}\n");
    assert_eq!(answer.get("text"), Some(&text.clone().into()));
    let plain = folder.run(&[&["mask", "result.json"], &of_call[..]].concat());
    assert_eq!(plain.exits(0).out, text, "the same address has the same reference");
    let kept = std::fs::read_to_string(folder.path().join("references")).unwrap();
    assert!(!kept.contains("kanarienvogel") && !kept.contains("harbour"), "{kept}");

    let check = ["check", "run.jsonl", "--tool", "web_fetch", "--json", "--url"];
    let ask = |url: &str, more: &[&str]| {
        let done = folder.run(&[&check[..], &[url], more].concat());
        assert!(!done.out.contains("kanarienvogel"), "{}", done.out);
        done.json().remove(0)
    };
    let open = ask(&reference, &STORE);
    assert_eq!((open.get("verdict"), open.pointer("/urls/0/send")), (Some(&"open".into()), Some(&Value::Null)));
    assert_eq!(open.pointer("/urls/0/step"), Some(&"reference".into()));
    assert_eq!(ask(&reference, &[]).get("reason"), Some(&"reference_unknown".into()));
    assert_eq!(ask(&format!("https://{reference}"), &STORE).get("verdict"), Some(&"refuse".into()));
    folder.file("other.jsonl", "{\"conversation\":\"run-8\"}\n{\"position\":\"user\",\"text\":\"Hello.\"}\n");
    let other =
        folder.run(&[&["check", "other.jsonl", "--tool", "web_fetch", "--url", &reference], &STORE[..]].concat());
    other.exits(1).says(&["reference_unknown"]);
}

#[test]
fn what_no_world_wrote_is_masked_and_dead() {
    let folder = Folder::new();
    talk(&folder);
    // No store, a script's result, what the model wrote first, an address whose time was over.
    let none = mask(&folder, &[]);
    assert_eq!((none.get("dead"), none.get("masked")), (Some(&1.into()), Some(&2.into())));
    let call = ["mask", "result.json", "--conversation", "run.jsonl", "--call"];
    folder.run(&[&call[..], &["c99"], &STORE].concat()).exits(0).complains(&["no call of the id that `--call` names"]);
    folder.run(&[&call[..], &["c2"], &STORE].concat()).exits(0).complains(&["not the world's words"]);
    let script = mask(&folder, &[&["--conversation", "run.jsonl", "--call", "c2"][..], &STORE].concat());
    assert_eq!(script.get("dead"), Some(&1.into()));
    folder.file(
        "result.json",
        "https://files.harbour.example/own?X-Amz-Signature=kanarienvogel2 and https://docs.example/x",
    );
    let own = mask(&folder, &[&["--conversation", "run.jsonl", "--call", "c1"][..], &STORE].concat());
    assert_eq!((own.get("dead"), own.get("references").unwrap().as_array().unwrap().len()), (Some(&1.into()), 0));
    assert!(own.get("text").unwrap().as_str().unwrap().ends_with(" and https://docs.example/x"));
    let talk =
        std::fs::read_to_string(folder.path().join("run.jsonl")).unwrap().replace("{\"conversation\":\"run-7\"}\n", "");
    let unnamed = [&["mask", "result.json", "--json", "--conversation", "-", "--call", "c1"][..], &STORE].concat();
    folder.file("result.json", SIGNED);
    assert_eq!(folder.run_with(&unnamed, talk.as_bytes(), &[]).exits(0).json().remove(0).get("dead"), Some(&1.into()));
    let talk = format!("{{\"conversation\":\"run-7\"}}\n{{\"position\":\"user\",\"text\":\"Get {SIGNED}\"}}\n{talk}");
    folder.file("named.jsonl", talk);
    for (call, dead) in [("c2", 1), ("c1", 0)] {
        let named = mask(&folder, &[&["--conversation", "named.jsonl", "--call", call][..], &STORE].concat());
        assert_eq!(named.get("dead"), Some(&dead.into()), "a person named it, and {call} returned it");
    }
    folder.file("result.json", SIGNED.replace("&X-Amz-S", "&X-Amz-Expires=900&X-Amz-S"));
    let old = mask(&folder, &[&["--conversation", "run.jsonl", "--call", "c1"][..], &STORE].concat());
    let reference = old.pointer("/references/0").unwrap().as_str().unwrap();
    folder
        .run(&[&["check", "run.jsonl", "--tool", "web_fetch", "--url", reference], &STORE[..]].concat())
        .exits(1)
        .says(&["reference_expired"]);
}

#[test]
fn wrong_stores_and_keys_are_errors_that_name_their_file() {
    let folder = Folder::new();
    talk(&folder);
    let call = ["mask", "result.json", "--conversation", "run.jsonl", "--call", "c1"];
    let run = |more: &[&str]| folder.run(&[&call[..], more].concat());
    folder.file("short.key", "abc").file("hex.key", "07".repeat(32) + "\n").file("bad", "not a store\n");
    run(&["--store", "references", "--key-file", "short.key"]).exits(2).complains(&["short.key: found no key"]);
    run(&["--store", "references"]).exits(2).complains(&["--key-file"]);
    run(&["--store", "bad", "--key-file", "store.key"]).exits(2).complains(&["bad: line 1 of the store"]);
    run(&STORE).exits(0);
    run(&["--store", "references", "--key-file", "hex.key"]).exits(0);
    folder
        .run(&["mask", "result.json", "--store", "references", "--key-file", "store.key"])
        .exits(2)
        .complains(&["--conversation"]);
    folder.run(&["mask", "result.json", "--conversation", "run.jsonl"]).exits(2);
    let changed =
        std::fs::read_to_string(folder.path().join("references")).unwrap().replace("\"item\":4", "\"item\":5");
    folder.file("references", changed);
    run(&STORE).exits(2).complains(&["references: line 1 of the store: found an entry that this key does not open"]);
    let check = [&["check", "run.jsonl", "--tool", "web_fetch", "--url", "ref-000000000000000"], &STORE[..]].concat();
    folder.run(&check).exits(2).complains(&["line 1 of the store"]);
    folder.file("latin", b"\xff\xfe");
    folder.run(&["mask", "latin"]).exits(2).complains(&["latin: found bytes that are not UTF-8"]);
}

#[test]
fn a_reference_is_fetched_and_what_it_stands_for_is_written_nowhere() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder);
    folder.file(
        "result.json",
        "http://docs.harbour.example/moved?X-Amz-Date=20260101T000000Z&X-Amz-Signature=kanarienvogel",
    );
    let answer = mask(&folder, &[&["--conversation", "run.jsonl", "--call", "c1"][..], &STORE].concat());
    let reference = answer.pointer("/references/0").unwrap().as_str().unwrap();
    let common = ["--conversation", "run.jsonl", "--proxy", &server.proxy, "--log", "log.jsonl"];
    let fetch = folder.run(&[&["fetch", reference, "--append", "--json"][..], &common, &STORE].concat());
    assert!(!fetch.exits(4).out.contains("kanarienvogel") && !fetch.err.contains("kanarienvogel"), "{}", fetch.err);
    let wanted =
        "GET http://docs.harbour.example/moved?X-Amz-Date=20260101T000000Z&X-Amz-Signature=kanarienvogel HTTP/1.1";
    assert_eq!(server.requests(), [wanted]);
    for file in ["log.jsonl", "references"] {
        let text = std::fs::read_to_string(folder.path().join(file)).unwrap();
        assert!(!text.contains("kanarienvogel") && !text.contains("moved"), "{file}: {text}");
    }
    let run = std::fs::read_to_string(folder.path().join("run.jsonl")).unwrap();
    assert!(run.contains(reference) && !run.contains("X-Amz-Signature=kanarienvogel\""), "{run}");
}

#[test]
fn neither_a_page_nor_a_file_tells_what_a_reference_stands_for() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder);
    folder.file("result.json", "http://zoom.us/rec/download/kanarienvogel");
    let answer = mask(&folder, &[&["--conversation", "run.jsonl", "--call", "c1"][..], &STORE].concat());
    let reference = answer.pointer("/references/0").unwrap().as_str().unwrap();
    let common = [&["--conversation", "run.jsonl", "--proxy", &server.proxy][..], &STORE].concat();
    let is_silent = |text: &str| assert!(!text.contains("kanarienvogel") && !text.contains("zoom.us"), "{text}");
    for more in [&[][..], &["--json"]] {
        let page = folder.run(&[&["fetch", reference][..], &common, more].concat());
        page.exits(0).says(&["more", "still", "https://docs.harbour.example/help"]);
        is_silent(&page.out);
        let file = folder.run(&[&["download", reference, "--into", "."][..], &common, more].concat());
        file.exits(0).says(&["download"]);
        is_silent(&file.out);
        std::fs::remove_file(folder.path().join("download")).unwrap();
    }
    assert!(std::fs::read_dir(folder.path()).unwrap().all(|entry| entry.unwrap().file_name() != "kanarienvogel"));
}

#[test]
fn a_result_of_ten_thousand_signed_addresses_is_masked() {
    let folder = Folder::new();
    talk(&folder);
    let all: Vec<String> = (0..10_000)
        .map(|number| format!("https://files.harbour.example/{number}?X-Amz-Signature=kanarienvogel"))
        .collect();
    folder.file("result.json", all.join("\n"));
    let answer = mask(&folder, &[&["--conversation", "run.jsonl", "--call", "c1"][..], &STORE].concat());
    assert_eq!(answer.get("references").unwrap().as_array().unwrap().len(), 10_000);
    assert_eq!(std::fs::read_to_string(folder.path().join("references")).unwrap().lines().count(), 10_000);
}

#[test]
fn the_log_does_not_tell_where_a_reference_led() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder);
    folder.file("result.json", "http://zoom.us/rec/play/kanarienvogel");
    let answer = mask(&folder, &[&["--conversation", "run.jsonl", "--call", "c1"][..], &STORE].concat());
    let reference = answer.pointer("/references/0").unwrap().as_str().unwrap();
    let common =
        [&["--conversation", "run.jsonl", "--proxy", &server.proxy, "--log", "log.jsonl"][..], &STORE].concat();
    folder.run(&[&["fetch", reference][..], &common].concat()).exits(1).complains(&["private_address"]);
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    assert_eq!(log.lines().count(), 2);
    assert!(!["169.254", "zoom", "kanarienvogel", reference].iter().any(|word| log.contains(word)), "{log}");
}

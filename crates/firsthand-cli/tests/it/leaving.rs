//! What leaves by `fetch` and `download`, and what does not. A server on this machine stands for the network: it is the
//! proxy through which everything goes, so that any host can be asked for and every request is counted.

use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::sync::{Arc, Mutex, mpsc};
use std::thread;

use serde_json::Value;

use crate::tool::{Done, Folder};

const PAGE: &str = "<!doctype html><html><head><title>Harbour</title></head>\
                    <body><h1>Tides</h1><p>See the <a href=\"/tables?y=2026\">tables</a>.</p></body></html>";

/// A server with the requests that it saw.
pub(crate) struct Server {
    pub(crate) proxy: String,
    seen: Arc<Mutex<Vec<String>>>,
    /// Told when an answer has begun that does not end.
    holds: Mutex<mpsc::Receiver<()>>,
}

impl Server {
    pub(crate) fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = format!("http://{}", listener.local_addr().unwrap());
        let seen = Arc::new(Mutex::new(Vec::new()));
        let log = Arc::clone(&seen);
        let (tells, holds) = mpsc::channel();
        thread::spawn(move || {
            for stream in listener.incoming() {
                let mut stream = stream.unwrap();
                let lines: Vec<String> = BufReader::new(stream.try_clone().unwrap())
                    .lines()
                    .map_while(Result::ok)
                    .take_while(|line| !line.is_empty())
                    .collect();
                let target = lines.first().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_owned();
                log.lock().unwrap().push(lines.join("\n"));
                let path =
                    target.split_once("://").and_then(|(_, rest)| rest.split_once('/')).map_or("", |(_, path)| path);
                drop(stream.write_all(answer(path).as_bytes()));
                if path == "held" {
                    let tells = tells.clone();
                    thread::spawn(move || hold(&mut stream, &tells));
                }
            }
        });
        Self { proxy, seen, holds: Mutex::new(holds) }
    }

    /// The first lines of the requests that came.
    pub(crate) fn requests(&self) -> Vec<String> {
        let seen = self.seen.lock().unwrap();
        seen.iter().map(|request| request.lines().next().unwrap_or_default().to_owned()).collect()
    }
}

/// Sends on until nobody reads, and tells when more is on its way than connections hold back.
fn hold(stream: &mut std::net::TcpStream, tells: &mpsc::Sender<()>) {
    let mut sent = 0_usize;
    while stream.write_all(&[b'x'; 0x10000]).is_ok() {
        sent += 0x10000;
        if sent == 0x0200_0000 {
            tells.send(()).ok();
        }
    }
}

fn answer(path: &str) -> String {
    let large = "x".repeat(100_000);
    let (status, headers, body): (&str, &str, &str) = match path {
        "page" => ("200 OK", "Content-Type: text/html\r\n", PAGE),
        "title" => (
            "200 OK",
            "Content-Type: text/html\r\n",
            "<title>![x](http://sink.example/p) [y](http://sink.example/q) &lt;b&gt; Tides &amp; more</title><p>Text.</p>",
        ),
        "moved" => ("302 Found", "Location: /page\r\n", ""),
        "inward" => ("302 Found", "Location: http://169.254.169.254/kanarienvogel\r\n", ""),
        "away" => ("302 Found", "Location: http://sink.example/anna-ward\r\n", ""),
        "report" => (
            "200 OK",
            "Content-Type: application/octet-stream\r\nContent-Disposition: attachment; filename=\"../../.tide.bin\"\r\n",
            "0123456789",
        ),
        "short" => return "HTTP/1.1 200 OK\r\nContent-Length: 100\r\nConnection: close\r\n\r\nhalf".to_owned(),
        path if path.starts_with("rec/play/") => {
            ("302 Found", "Location: http://169.254.169.254/kanarienvogel\r\n", "")
        }
        path if path.starts_with("rec/") => (
            "200 OK",
            "Content-Type: text/html\r\n",
            "<title>Call</title><link rel=canonical href=''><p><a href='?part=2'>on</a> <a href='more'>more</a> \
             <a href='#end'>end</a> <img alt=still src='?still=1'> <a href='http:?x=1'>odd</a> \
             <a href='//docs.harbour.example/help'>help</a></p>",
        ),
        "held" => return "HTTP/1.1 200 OK\r\nContent-Length: 4000000000\r\n\r\n".to_owned(),
        "large" => ("200 OK", "Content-Type: text/plain\r\n", &large),
        "picture" => ("200 OK", "Content-Type: image/png\r\n", "\u{89}PNG"),
        "headers" => (
            "200 kanarienvogel",
            "Content-Type: kanarienvogel/kanarienvogel\r\nX-K: kanarienvogel\r\n",
            "\0\u{1}kanarienvogel",
        ),
        _ => ("404 Not Found", "", "kanarienvogel"),
    };
    let length = body.len();
    format!("HTTP/1.1 {status}\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n{body}")
}

/// A conversation in which a person named some pages of a server.
fn talk(folder: &Folder, seat: &str) {
    let urls = ["page", "title", "moved", "away", "report", "short", "picture", "none"]
        .map(|path| format!("http://docs.harbour.example/{path}"))
        .join(" and ");
    folder.file(
        "run.jsonl",
        format!(
            "{{\"conversation\":\"run-7\",\"seat\":\"{seat}\"}}\n{{\"position\":\"user\",\"text\":\"Read {urls}\"}}\n\
             {{\"position\":\"assistant\",\"text\":\"Perhaps http://sink.example/anna-ward\"}}"
        ),
    );
}

fn run(server: &Server, folder: &Folder, command: &str, paths: &[&str], more: &[&str]) -> Done {
    let urls: Vec<String> = paths
        .iter()
        .map(
            |path| {
                if path.contains("://") { (*path).to_owned() } else { format!("http://docs.harbour.example/{path}") }
            },
        )
        .collect();
    let urls: Vec<&str> = urls.iter().map(String::as_str).collect();
    folder.run(&[&[command][..], &urls, &["--conversation", "run.jsonl", "--proxy", &server.proxy], more].concat())
}

#[test]
fn a_page_that_a_person_named_is_fetched_as_text() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    let done = run(&server, &folder, "fetch", &["moved"], &[]);
    done.exits(0).says(&["Tides", "http://docs.harbour.example/tables?y=2026"]);
    assert_eq!(done.err, "");
    let requests = ["GET http://docs.harbour.example/moved HTTP/1.1", "GET http://docs.harbour.example/page HTTP/1.1"];
    assert_eq!(server.requests(), requests);
    let sent = server.seen.lock().unwrap().join("\n").to_lowercase();
    assert!(!["cookie", "referer", "authorization", "anna"].iter().any(|word| sent.contains(word)), "{sent}");
    let line = run(&server, &folder, "fetch", &["moved"], &["--json"]).exits(0).json().remove(0);
    let wanted = [
        ("verdict", "open".into()),
        ("reason", Value::Null),
        ("error", Value::Null),
        ("status", 200.into()),
        ("hops", 1.into()),
        ("bytes", PAGE.len().into()),
        ("type", "text/html".into()),
        ("path", Value::Null),
        ("title", "Harbour".into()),
        ("next", Value::Null),
    ];
    for (key, value) in wanted {
        assert_eq!(line.get(key), Some(&value), "{key} of {line}");
    }
}

#[test]
fn a_title_is_text_like_any_other_of_its_page() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    let done = run(&server, &folder, "fetch", &["title"], &[]);
    let first = done.exits(0).out.lines().next().unwrap_or_default().to_owned();
    assert!(first.starts_with("# !\\[x]") && first.contains("\\[y]") && first.contains("\\<b>"), "{first}");
    assert!(first.ends_with("Tides & more"), "{first}");
}

#[test]
fn what_is_refused_sends_nothing_and_makes_no_file() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    for url in ["http://sink.example/anna-ward", "http://secret.sink.example/", "ftp://docs.harbour.example/page"] {
        let done = run(&server, &folder, "fetch", &["page", url], &["--json"]);
        let lines = done.exits(1).json();
        assert!(
            lines.len() == 2 && lines.iter().all(|line| line.get("verdict") == Some(&"refuse".into())),
            "{lines:?}"
        );
        assert!(!done.err.contains("anna") && !done.err.contains("secret"), "{}", done.err);
        run(&server, &folder, "download", &[url], &["-o", "out.bin"]).exits(1);
        run(&server, &folder, "fetch", &[url], &["-o", "out.md", "--append"]).exits(1);
    }
    for private in ["http://127.0.0.1/", "http://[fd00::1]/", "http://metadata.google.internal/"] {
        folder.file(
            "run.jsonl",
            format!("{{\"position\":\"user\",\"text\":\"Read {private} http://docs.harbour.example/page\"}}\n"),
        );
        let done = run(&server, &folder, "fetch", &["page", private], &["--json"]);
        let done = done.exits(1);
        assert!(done.json().iter().all(|line| line.get("reason") == Some(&"private_address".into())));
        // A metadata name never opens, so nothing is said of how.
        assert_eq!(done.err.contains("`[private]` in a policy"), !private.contains("metadata"), "{}", done.err);
    }
    assert_eq!(server.requests(), Vec::<String>::new());
    let files: Vec<_> = std::fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(files, ["run.jsonl"]);
}

#[test]
fn a_redirect_that_may_not_be_followed_is_told_and_never_asked() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    let done = run(&server, &folder, "fetch", &["away"], &["--json", "--log", "log.jsonl"]);
    let line = done.exits(1).json().remove(0);
    assert_eq!(line.get("reason"), Some(&"model_wrote_first".into()));
    assert_eq!(line.get("error"), Some(&"redirect_refused".into()));
    assert_eq!(server.requests(), ["GET http://docs.harbour.example/away HTTP/1.1"]);
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    let lines: Vec<Value> = log.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said = |key: &str| lines.iter().map(|line| line.get(key).cloned().unwrap_or_default()).collect::<Vec<_>>();
    assert_eq!(said("verdict"), ["open", "refuse"]);
    assert_eq!(said("host"), ["docs.harbour.example", "sink.example"]);
    assert!(!log.contains("anna") && !log.contains("away"), "{log}");
}

#[test]
fn what_a_fetch_returned_goes_into_the_conversation() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    run(&server, &folder, "fetch", &["moved", "away"], &["--append"]).exits(1);
    let check = |url: &str| folder.run(&["check", "run.jsonl", "--tool", "web_fetch", "--url", url]);
    check("http://docs.harbour.example/tables?y=2026").exits(0);
    check("http://sink.example/anna-ward").exits(1).says(&["model_wrote_first"]);
    check("http://docs.harbour.example/other").exits(1);
    run(&server, &folder, "fetch", &["tables?y=2026"], &["--append"]).exits(4);
    folder.run(&["trace", "run.jsonl", "--fail-on", "refuse"]).exits(0).says(&["3 calls"]);
    folder.file("chat.json", r#"{"messages":[{"role":"user","content":"Read http://docs.harbour.example/page"}]}"#);
    let other = ["fetch", "http://docs.harbour.example/page", "--conversation", "chat.json", "--append"];
    folder
        .run(&other)
        .exits(2)
        .complains(&["chat.json: found another format with `--append`; expected firsthand's own"]);
}

#[test]
fn a_file_appears_when_it_is_whole_and_under_a_safe_name() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    std::fs::create_dir(folder.path().join("in")).unwrap();
    run(&server, &folder, "download", &["report"], &["--into", "in"]).exits(0).says(&["tide.bin (10 bytes)"]);
    run(&server, &folder, "download", &["report"], &["--into", "in"]).exits(2).complains(&["file_exists"]);
    let line = run(&server, &folder, "download", &["page"], &["-o", "in/own.html", "--json"]).exits(0).json().remove(0);
    assert_eq!(line.get("path"), Some(&"in/own.html".into()));
    assert_eq!(std::fs::read_to_string(folder.path().join("in/own.html")).unwrap(), PAGE);
    run(&server, &folder, "download", &["short"], &["-o", "in/short"]).exits(4).complains(&["cut_off"]);
    run(&server, &folder, "download", &["none"], &["-o", "in/none"]).exits(4).complains(&["http_status", "404"]);
    run(&server, &folder, "download", &["page"], &["-o", "no/x"]).exits(2).complains(&["folder does not exist"]);
    let mut files: Vec<_> =
        std::fs::read_dir(folder.path().join("in")).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["own.html", "tide.bin"]);
    run(&server, &folder, "download", &["page", "report"], &["-o", "x"]).exits(2).complains(&["expected one"]);
}

#[test]
fn what_fails_on_the_other_side_says_how() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    for (path, code) in [("none", "http_status"), ("short", "cut_off"), ("picture", "unsupported_content_type")] {
        let done = run(&server, &folder, "fetch", &[path], &["--json", "-o", "out.md"]);
        let line = done.exits(4).complains(&[code]).json().remove(0);
        assert_eq!((line.get("verdict"), line.get("error")), (Some(&"open".into()), Some(&code.into())));
        assert_eq!((line.get("text"), line.get("path")), (Some(&Value::Null), Some(&Value::Null)));
    }
    assert!(!folder.path().join("out.md").exists());
    let nobody =
        ["fetch", "http://docs.harbour.example/page", "--conversation", "run.jsonl", "--proxy", "http://127.0.0.1:9"];
    folder.run(&nobody).exits(4).complains(&["connect_failed"]);
    folder.run(&[&nobody[..4], &["--proxy", "not a proxy"]].concat()).exits(2).complains(&["proxy"]);
    folder.file("ca.pem", "no certificate");
    folder.run(&[&nobody[..], &["--ca", "ca.pem"]].concat()).exits(2).complains(&["PEM"]);
}

#[test]
fn whoever_is_no_person_at_a_terminal_says_no() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    folder.file("ask.toml", "[tools.web_fetch]\npermission = \"always_ask\"\n");
    for input in ["", "y\n", "yes\n"] {
        let url = "http://docs.harbour.example/page";
        let ask =
            ["fetch", url, "--conversation", "run.jsonl", "--policy", "ask.toml", "--proxy", &server.proxy, "--json"];
        let done = folder.run_with(&ask, input.as_bytes(), &[]);
        let line = done.exits(3).complains(&["a person has to confirm it"]).json().remove(0);
        assert_eq!((line.get("verdict"), line.get("reason")), (Some(&"ask".into()), Some(&"permission_ask".into())));
    }
    assert_eq!(server.requests(), Vec::<String>::new());
}

#[test]
fn what_is_refused_on_the_way_out_has_a_line_of_its_own() {
    let (server, folder) = (Server::new(), Folder::new());
    let addresses = "http://docs.harbour.example/inward http://metadata.google.internal/kanarienvogel";
    folder.file("run.jsonl", format!("{{\"position\":\"user\",\"text\":\"Read {addresses}\"}}\n"));
    let inward = ["inward"];
    let inner = ["http://metadata.google.internal/kanarienvogel"];
    for command in ["fetch", "download"] {
        for (address, host) in [(&inward, "169.254.169.254"), (&inner, "metadata.google.internal")] {
            let log = folder.path().join("log.jsonl");
            drop(std::fs::remove_file(&log));
            run(&server, &folder, command, address, &["--log", "log.jsonl"]).exits(1).complains(&["private_address"]);
            let text = std::fs::read_to_string(&log).unwrap();
            let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
            let of = |key: &str| lines.iter().map(|line| line.get(key).unwrap().clone()).collect::<Vec<_>>();
            assert_eq!(of("verdict"), ["open", "refuse"]);
            assert_eq!((of("reason").pop(), of("host").pop()), (Some("private_address".into()), Some(host.into())));
            assert!(!text.contains(CANARY));
        }
    }
}

#[test]
fn calls_that_are_appended_at_once_have_ids_of_their_own() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    std::thread::scope(|scope| {
        for _ in 0..6 {
            scope.spawn(|| run(&server, &folder, "fetch", &["page"], &["--append"]).exits(0).status);
        }
    });
    let lines: Vec<Value> = std::fs::read_to_string(folder.path().join("run.jsonl"))
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ids: Vec<&Value> = lines
        .iter()
        .filter(|line| line.get("position") == Some(&"tool_call".into()))
        .map(|line| line.get("id").unwrap())
        .collect();
    let different: std::collections::HashSet<&str> = ids.iter().map(|id| id.as_str().unwrap()).collect();
    assert_eq!((ids.len(), different.len()), (6, 6), "{ids:?}");
}

/// The command with files that may not grow beyond this: what a full disk does to it.
#[cfg(unix)]
fn with_room(folder: &Folder, bytes: usize, arguments: &[&str]) -> std::process::Output {
    // A shell counts in blocks of 512 bytes; without the trap the system ends whoever writes beyond them.
    let limited = format!("trap '' XFSZ; ulimit -f {}; exec \"$0\" \"$@\"", bytes / 512);
    let firsthand = env!("CARGO_BIN_EXE_firsthand");
    let mut shell = std::process::Command::new("sh");
    shell.args(["-c", &limited, firsthand]).args(arguments).current_dir(folder.path()).output().unwrap()
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_no_half_of_anything() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    let url = "http://docs.harbour.example/large";
    let common = ["--conversation", "run.jsonl", "--proxy", &server.proxy];
    let talk = std::fs::read_to_string(folder.path().join("run.jsonl")).unwrap().replace("/none", "/none and /large");
    let talk = talk.replace("and /large", "and http://docs.harbour.example/large");
    // The conversation has room for a part of what is appended.
    let filled =
        talk.clone() + "\n{\"position\":\"system\",\"text\":\"" + &"x".repeat(4096 - talk.len() - 300) + "\"}\n";
    folder.file("run.jsonl", &filled);
    let of = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();

    let appended = with_room(&folder, 4096, &[&["fetch", url, "--append"], &common[..]].concat());
    assert_eq!(appended.status.code(), Some(2), "{}", String::from_utf8_lossy(&appended.stderr));
    assert!(of("run.jsonl") == filled, "half a call would make the conversation unreadable");

    folder.file("log.jsonl", "x".repeat(4000) + "\n");
    let logged = with_room(&folder, 4096, &[&["fetch", url, "--log", "log.jsonl"], &common[..]].concat());
    assert_eq!(logged.status.code(), Some(2), "{}", String::from_utf8_lossy(&logged.stderr));
    assert_eq!(of("log.jsonl").len(), 4001, "half a line would join with the next one");

    for into in [&["-o", "in/x"][..], &["--into", "in"]] {
        std::fs::create_dir_all(folder.path().join("in")).unwrap();
        let saved = with_room(&folder, 4096, &[&["download", url], &common[..], into].concat());
        assert_eq!(saved.status.code(), Some(2), "{}", String::from_utf8_lossy(&saved.stderr));
        assert_eq!(std::fs::read_dir(folder.path().join("in")).unwrap().count(), 0);
    }
}

/// No code of the command runs when it is killed.
#[cfg(target_os = "linux")]
#[test]
fn a_download_that_is_killed_leaves_nothing() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    std::fs::create_dir(folder.path().join("in")).unwrap();
    let held = ["download", "http://docs.harbour.example/held", "--conversation", "run.jsonl", "--into", "in"];
    let text = std::fs::read_to_string(folder.path().join("run.jsonl")).unwrap().replace("/none", "/held");
    folder.file("run.jsonl", text);
    let mut child = crate::tool::command(&[&held[..], &["--proxy", &server.proxy]].concat())
        .current_dir(folder.path())
        .spawn()
        .unwrap();
    server.holds.lock().unwrap().recv().unwrap();
    child.kill().unwrap();
    child.wait().unwrap();
    assert_eq!(std::fs::read_dir(folder.path().join("in")).unwrap().count(), 0);
}

#[cfg(unix)]
#[test]
fn what_is_no_file_is_not_written_over() {
    let (server, folder) = (Server::new(), Folder::new());
    talk(&folder, "person");
    std::os::unix::fs::symlink("/dev/null", folder.path().join("null")).unwrap();
    for command in ["fetch", "download"] {
        for output in ["null", "."] {
            run(&server, &folder, command, &["page"], &["-o", output]).exits(2).complains(&["written"]);
        }
    }
    assert!(folder.path().join("null").symlink_metadata().unwrap().is_symlink());
    assert_eq!(server.requests(), Vec::<String>::new());
}

/// Where the word stands in what is asked for, and in what comes back.
const CANARY: &str = "kanarienvogel";

#[test]
fn whatever_happens_nothing_of_an_address_or_an_answer_is_printed_or_logged() {
    let (server, folder) = (Server::new(), Folder::new());
    let hosts = ["docs.harbour.example", "kanarienvogel.docs.harbour.example"];
    let paths =
        ["page", "moved", "away", "short", "picture", "none", "x?q=kanarienvogel", "kanarienvogel/x", "headers"];
    let urls: Vec<String> =
        hosts.iter().flat_map(|host| paths.iter().map(move |path| format!("http://{host}/{path}"))).collect();
    let told = [
        "http://kanarienvogel:kanarienvogel@docs.harbour.example/",
        "http://127.0.0.1/kanarienvogel",
        "http://kanarienvogel.localhost/",
        "gopher://kanarienvogel.example/",
        "kanarienvogel",
        "http://never.example/kanarienvogel",
        "http://kanarienvogel.never.example/",
    ];
    folder.file(
        "run.jsonl",
        format!(
            "{{\"position\":\"user\",\"text\":\"Read {} {}\"}}\n",
            urls.join(" "),
            told.get(..3).unwrap().join(" ")
        ),
    );
    let mut printed = String::new();
    for url in urls.iter().map(String::as_str).chain(told) {
        for command in ["fetch", "download"] {
            let more = ["--log", "log.jsonl", "-o", "out", "--policy", "messages-api"];
            let done =
                run(&server, &folder, command, &[url], more.get(..if command == "fetch" { 4 } else { 6 }).unwrap());
            printed.push_str(&done.err);
            if command == "download" {
                printed.push_str(&done.out);
            }
        }
        let done = run(
            &server,
            &folder,
            "fetch",
            &[url],
            &["--ca", "kanarienvogel.pem", "--proxy", "http://kanarienvogel:x@[::"],
        );
        printed.push_str(&done.err.replace("kanarienvogel.pem", ""));
    }
    let log = std::fs::read_to_string(folder.path().join("log.jsonl")).unwrap();
    // What a person wrote is a source, and the host of a source may be told.
    let log = log.replace("\"kanarienvogel.docs.harbour.example\"", "").replace("\"kanarienvogel.localhost\"", "");
    for text in [&printed, &log] {
        assert!(text.len() > 2_000);
        let with_it: Vec<&str> = text.lines().filter(|line| line.to_lowercase().contains(CANARY)).collect();
        assert!(with_it.is_empty(), "{with_it:#?}");
    }
}

//! What the guard costs: a decision, a guarded fetch and its body, beside the bare client, over connections that are kept,
//! on this machine and in the same run.
//!
//! Each line gives the medians of CPU time of the thread that asks, a request, and the median of the ratios of rounds; what
//! of it the decision takes; and the same by the wall, where the server's part and the way there count too.
//! The server runs on a thread of its own.
#![expect(clippy::print_stdout, reason = "a benchmark prints what it measured")]
#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a benchmark")]

use std::hint::black_box;
use std::io::{Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::{Duration, Instant};

use firsthand::check::{Circumstances, check_addresses, check_redirect};
use firsthand::conversation::{Body, Item, Relayed, Seat};
use firsthand::ledger::{Ledger, RunId};
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand::private::Private;
use firsthand::verdict::{Halt, Pass, Permit, Verdict};
use firsthand_fetch::client::Settings;
use firsthand_fetch::open::{Door, Referee, Wish};
use firsthand_fetch::reach::Reach;

/// How many rounds, and how many requests of each kind in one: so many that the steps of the clock of threads do not count.
const ROUNDS: usize = 40;
const REQUESTS: u32 = 3000;

/// How many other addresses the record has.
const SOURCES: usize = 10_000;

struct Record {
    policy: Policy,
    ledger: Ledger,
    run: RunId,
}

impl Record {
    fn of(address: &str) -> Self {
        let policy = firsthand_wire::policy::load("").unwrap().policy;
        let mut ledger = Ledger::new([0; 32]);
        let run = ledger.begin(None, Seat::Person, "firsthand");
        let others: String = (0..SOURCES).map(|number| format!(" https://docs.example/{number}/page")).collect();
        let text = format!("Read {address} and{others}").into();
        let item = Item::new("", Body::User { text, relayed: Relayed::No });
        note(&mut ledger, run, &item, &policy, &Circumstances::default());
        Self { policy, ledger, run }
    }
}

impl Referee for Record {
    fn redirect(&mut self, from: Pass, location: &str) -> Result<Pass, Halt> {
        check_redirect(from, location, &self.ledger, self.run, &self.policy)
    }
}

fn decided(record: &Record, address: &str) -> Option<Permit> {
    let now = Circumstances::default();
    let asked = [address.to_owned()];
    let decision = check_addresses(&record.ledger, record.run, None, "web_fetch", &asked, &record.policy, &now);
    match decision.verdict {
        Verdict::Open(permit) => Some(permit),
        Verdict::Ask(_) | Verdict::Refuse(_) => None,
    }
}

async fn guarded(door: &Door, record: &mut Record, address: &str) -> usize {
    let permit = decided(record, address).unwrap();
    let opened = door.fetch(permit, record, Wish::default()).await.unwrap();
    opened[0].end.as_ref().unwrap().body.len()
}

async fn bare(client: &reqwest::Client, address: &str) -> usize {
    client.get(address).send().await.unwrap().bytes().await.unwrap().len()
}

/// Answers each request with a body of this length; returns the port.
fn serve(length: usize) -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let head = format!("HTTP/1.1 200 OK\r\ncontent-length: {length}\r\ncontent-type: text/plain\r\n\r\n");
    let mut answer = head.into_bytes();
    answer.resize(answer.len() + length, b'x');
    std::thread::spawn(move || {
        while let Ok((stream, _)) = listener.accept() {
            let answer = answer.clone();
            std::thread::spawn(move || answer_all(stream, &answer));
        }
    });
    port
}

fn answer_all(mut stream: TcpStream, answer: &[u8]) {
    stream.set_nodelay(true).unwrap();
    let mut head = [0; 4096];
    let mut filled = 0;
    while let Ok(count) = stream.read(&mut head[filled..]) {
        filled += count;
        if count == 0 {
            return;
        }
        if head[..filled].ends_with(b"\r\n\r\n") {
            filled = 0;
            if stream.write_all(answer).is_err() {
                return;
            }
        }
    }
}

/// The processor time that this thread has used, or the time of the wall where the system does not tell.
fn spent() -> Duration {
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = told.as_deref().and_then(|told| told.split(' ').next()?.parse().ok());
    used.map_or_else(|| std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default(), Duration::from_nanos)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

fn micros(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6 / f64::from(REQUESTS)
}

fn main() {
    // The bare client takes the same library for its keys, though nothing here is secured.
    rustls::crypto::ring::default_provider().install_default().unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for length in [1 << 10, 100 << 10] {
        let address = format!("http://127.0.0.1:{}/page", serve(length));
        let mut record = Record::of(&address);
        let reach = Reach::new(Private::parse([], ["127.0.0.1"]).unwrap());
        let door = Door::new(Settings { reach, ..Settings::default() }).unwrap();
        let client = reqwest::Client::builder().no_proxy().build().unwrap();
        let mut rounds = Vec::new();
        for _ in 0..=ROUNDS {
            let bare = time(|| runtime.block_on(repeat(async || bare(&client, &address).await)));
            let guarded = time(|| runtime.block_on(repeat(async || guarded(&door, &mut record, &address).await)));
            let decision = time(|| (0..REQUESTS).for_each(|_| drop(black_box(decided(&record, &address)))));
            rounds.push((bare, guarded, decision));
        }
        // The first round connects.
        rounds.remove(0);
        let over = |told: fn(&(Spent, Spent, Spent)) -> f64| median(rounds.iter().map(told).collect());
        println!(
            "{:>4} KiB: guarded {:.1} µs, bare {:.1} µs, ratio {:.2}; the decision {:.1} µs; by the wall {:.1} and {:.1} µs, ratio {:.2}",
            length >> 10,
            over(|(_, guarded, _)| guarded.thread),
            over(|(bare, ..)| bare.thread),
            over(|(bare, guarded, _)| bare.thread / guarded.thread),
            over(|(.., decision)| decision.thread),
            over(|(_, guarded, _)| guarded.wall),
            over(|(bare, ..)| bare.wall),
            over(|(bare, guarded, _)| bare.wall / guarded.wall),
        );
    }
}

/// Microseconds of a request.
struct Spent {
    thread: f64,
    wall: f64,
}

fn time(work: impl FnOnce()) -> Spent {
    let (wall, thread) = (Instant::now(), spent());
    work();
    Spent { thread: micros(spent() - thread), wall: micros(wall.elapsed()) }
}

async fn repeat(mut request: impl AsyncFnMut() -> usize) {
    for _ in 0..REQUESTS {
        assert!(black_box(request().await) > 0);
    }
}

//! Two servers and a database in a network that loses what it carries: each item is there once, and both servers agree.
//!
//! The network, its failures and the order of everything are drawn from a seed, so that what fails fails again.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use firsthand_server::event::Began;
use firsthand_server::failure::Failure;
use firsthand_server::key::Key;
use firsthand_server::limits::Limits;
use firsthand_server::rules::{Rules, Said};
use firsthand_server::sessions::{At, Held, Sent, Sessions};
use firsthand_server::store::{Appended, By, Event, Kept, Millis, Refusal, Shelf, Store, StoreError, Token, Wanted};
use serde_json::value::RawValue;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use turmoil::net::{TcpListener, TcpStream};

const SEEDS: u64 = 60;
const ITEMS: usize = 12;
const PORT: u16 = 5432;

/// What the database keeps: it outlives the machine that it runs on.
#[derive(Debug, Default)]
struct Disk {
    sessions: BTreeMap<String, Kept>,
    trees: BTreeMap<String, Vec<Event>>,
}

impl Disk {
    /// One request, as the protocol of this test has it.
    fn answer(&mut self, request: &Value) -> Value {
        let text = |key: &str| request[key].as_str().unwrap_or_default().to_owned();
        match request["what"].as_str().unwrap() {
            "begin" => {
                let id = text("session");
                if self.sessions.contains_key(&id) {
                    return json!("known");
                }
                let tree = text("tree");
                self.sessions.insert(
                    id.clone(),
                    Kept { id, tenant: text("tenant"), tree: tree.clone(), created: 1, expires: Millis::MAX },
                );
                self.trees.entry(tree).or_default();
                self.append(request)
            }
            "append" => self.append(request),
            "length" => self.trees.get(&text("tree")).map_or(Value::Null, |tree| json!(tree.len())),
            "events" => {
                let from = usize::try_from(request["from"].as_u64().unwrap()).unwrap();
                let events = self.trees.get(&text("tree")).into_iter().flat_map(|tree| tree.iter().skip(from));
                events.map(to_json).collect()
            }
            "items" => {
                let ids = request["ids"].as_array().unwrap();
                let events = self.trees.values().flatten().filter(|event| event.session == text("session"));
                events
                    .filter(|event| event.item.as_ref().is_some_and(|item| ids.contains(&json!(item))))
                    .map(to_json)
                    .collect()
            }
            "session" => self.sessions.get(&text("session")).map_or(Value::Null, |kept| json!(kept.tree)),
            other => panic!("{other}"),
        }
    }

    fn append(&mut self, request: &Value) -> Value {
        let events: Vec<Event> = request["events"].as_array().unwrap().iter().map(from_json).collect();
        let Some(tree) = self.trees.get_mut(request["tree"].as_str().unwrap()) else { return json!("gone") };
        if request["at"] != json!(tree.len()) {
            return json!("moved");
        }
        let is_there = |new: &Event| {
            new.item.is_some() && tree.iter().any(|old| (&old.session, &old.item) == (&new.session, &new.item))
        };
        if events.iter().any(is_there) {
            return json!("known");
        }
        tree.extend(events);
        json!("done")
    }
}

fn to_json(event: &Event) -> Value {
    json!({"session": event.session, "item": event.item, "kind": event.kind, "time": event.time, "body": event.body})
}

fn from_json(value: &Value) -> Event {
    let text = |key: &str| value[key].as_str().map(str::to_owned);
    let (session, kind, body) = (text("session").unwrap(), text("kind").unwrap(), text("body").unwrap());
    Event { session, item: text("item"), kind, time: value["time"].as_i64().unwrap(), body }
}

/// A database that is asked over the network.
#[derive(Debug)]
struct Remote;

impl Remote {
    async fn ask(&self, request: Value) -> Result<Value, StoreError> {
        let lost = |_| StoreError::Unavailable("the network lost it".to_owned());
        let asked = async {
            let mut stream = TcpStream::connect(("database", PORT)).await?;
            let bytes = request.to_string().into_bytes();
            stream.write_u32(u32::try_from(bytes.len()).unwrap()).await?;
            stream.write_all(&bytes).await?;
            let mut answer = vec![0; usize::try_from(stream.read_u32().await?).unwrap()];
            stream.read_exact(&mut answer).await?;
            Ok::<_, std::io::Error>(serde_json::from_slice(&answer).unwrap())
        };
        let answered = tokio::time::timeout(Duration::from_millis(500), asked).await;
        answered.map_err(|_| StoreError::Unavailable("no answer in time".to_owned()))?.map_err(lost)
    }
}

fn appended(answer: &Value) -> Appended {
    match answer.as_str().unwrap() {
        "done" => Appended::Done,
        "moved" => Appended::Moved,
        "known" => Appended::Known,
        _ => Appended::Gone,
    }
}

fn events(answer: &Value) -> Vec<Event> {
    answer.as_array().unwrap().iter().map(from_json).collect()
}

const ELSEWHERE: StoreError = StoreError::Unsupported("nothing asks for it here");

#[async_trait]
impl Store for Remote {
    fn is_shared(&self) -> bool {
        true
    }

    async fn begin(&self, session: &Kept, at: u64, event: &Event) -> Result<Appended, StoreError> {
        let Kept { id, tenant, tree, .. } = session;
        let request = json!({"what": "begin", "session": id, "tenant": tenant, "tree": tree, "at": at, "events": [to_json(event)]});
        Ok(appended(&self.ask(request).await?))
    }

    async fn append(&self, tree: &str, at: u64, new: &[Event], _: Millis) -> Result<Appended, StoreError> {
        let new: Vec<Value> = new.iter().map(to_json).collect();
        Ok(appended(&self.ask(json!({"what": "append", "tree": tree, "at": at, "events": new})).await?))
    }

    async fn length(&self, tree: &str) -> Result<Option<u64>, StoreError> {
        Ok(self.ask(json!({"what": "length", "tree": tree})).await?.as_u64())
    }

    async fn events(&self, tree: &str, from: u64, _: u64) -> Result<Vec<Event>, StoreError> {
        Ok(events(&self.ask(json!({"what": "events", "tree": tree, "from": from})).await?))
    }

    async fn items(&self, session: &str, ids: &[String]) -> Result<Vec<Event>, StoreError> {
        Ok(events(&self.ask(json!({"what": "items", "session": session, "ids": ids})).await?))
    }

    async fn session(&self, tenant: &str, id: &str, _: Millis) -> Result<Option<Kept>, StoreError> {
        let tree = self.ask(json!({"what": "session", "session": id})).await?;
        let kept = |tree: &str| Kept {
            id: id.to_owned(),
            tenant: tenant.to_owned(),
            tree: tree.to_owned(),
            created: 1,
            expires: Millis::MAX,
        };
        Ok(tree.as_str().map(kept))
    }

    async fn session_count(&self, _: &str, _: Millis) -> Result<u64, StoreError> {
        Ok(0)
    }

    async fn snapshot(&self, _: &str) -> Result<Option<(u64, Vec<u8>)>, StoreError> {
        Ok(None)
    }

    async fn keep_snapshot(&self, _: &str, _: u64, _: &[u8]) -> Result<(), StoreError> {
        Ok(())
    }

    async fn migrate(&self) -> Result<(i64, i64), StoreError> {
        Err(ELSEWHERE)
    }

    async fn ready(&self) -> Result<(), StoreError> {
        Err(ELSEWHERE)
    }

    async fn sessions(&self, _: &str, _: Option<(Millis, String)>, _: u64, _: Millis) -> Result<Vec<Kept>, StoreError> {
        Err(ELSEWHERE)
    }

    async fn delete(&self, _: &str, _: &str) -> Result<bool, StoreError> {
        Err(ELSEWHERE)
    }

    async fn expire(&self, _: Millis, _: u64) -> Result<Vec<String>, StoreError> {
        Err(ELSEWHERE)
    }

    async fn add_token(&self, _: &Token) -> Result<bool, StoreError> {
        Err(ELSEWHERE)
    }

    async fn token(&self, _: &str) -> Result<Option<Token>, StoreError> {
        Err(ELSEWHERE)
    }

    async fn tokens(&self, _: Option<&str>) -> Result<Vec<Token>, StoreError> {
        Err(ELSEWHERE)
    }

    async fn remove_token(&self, _: Option<&str>, _: &str) -> Result<bool, StoreError> {
        Err(ELSEWHERE)
    }

    async fn put(&self, _: &str, _: Shelf, _: &str, _: &str) -> Result<(), StoreError> {
        Err(ELSEWHERE)
    }

    async fn get(&self, _: &str, _: Shelf, _: &str) -> Result<Option<String>, StoreError> {
        Err(ELSEWHERE)
    }

    async fn all(&self, _: &str, _: Shelf) -> Result<Vec<(String, String)>, StoreError> {
        Err(ELSEWHERE)
    }

    async fn remove(&self, _: &str, _: Shelf, _: &str) -> Result<bool, StoreError> {
        Err(ELSEWHERE)
    }

    async fn log(&self, _: &str, _: &[Refusal]) -> Result<(), StoreError> {
        Err(ELSEWHERE)
    }

    async fn refusals(&self, _: &str, _: &Wanted, _: u64, _: u64) -> Result<Vec<Refusal>, StoreError> {
        Err(ELSEWHERE)
    }

    async fn counts(&self, _: &str, _: &Wanted, _: By, _: u64) -> Result<Vec<(String, u64)>, StoreError> {
        Err(ELSEWHERE)
    }

    async fn forget_refusals(&self, _: Millis) -> Result<u64, StoreError> {
        Err(ELSEWHERE)
    }

    async fn back_up(&self, _: &Path) -> Result<(), StoreError> {
        Err(ELSEWHERE)
    }

    async fn close(&self) {}
}

fn server() -> Arc<Sessions> {
    Arc::new(Sessions::new(Arc::new(Remote), Key::new(&[7; 32]), Limits::default()))
}

/// Asks until there is an answer.
async fn held(sessions: &Arc<Sessions>, id: &str) -> Held {
    loop {
        match sessions.held("t", id).await {
            Ok(held) => return held,
            Err(_) => tokio::time::sleep(Duration::from_millis(50)).await,
        }
    }
}

fn entry(writer: &str, number: usize) -> Sent {
    let text = format!("https://{writer}{number}.example/");
    let item = json!({"position": "assistant", "text": text}).to_string();
    Sent { id: format!("{writer}-{number}"), item: RawValue::from_string(item).unwrap() }
}

/// A loop that appends its items through its server, and sends again what was not answered, as loops do.
async fn appends(name: &'static str, id: Arc<Mutex<Option<String>>>) {
    let sessions = server();
    let session = match name {
        "a" => loop {
            let rules = Rules { policy: None, networking: Some(Said::Unrestricted {}) };
            let began = Began { parent: None, seat: None, dialect: "firsthand".to_owned(), rules };
            // A session whose beginning was not answered is nobody's; another begins.
            if let Ok(held) = sessions.begin("t", began).await {
                *id.lock().unwrap() = Some(held.id().to_owned());
                break held.id().to_owned();
            }
        },
        _ => loop {
            if let Some(id) = id.lock().unwrap().clone() {
                break id;
            }
            tokio::time::sleep(Duration::from_millis(50)).await;
        },
    };
    for number in 0..ITEMS {
        // The length as the loop knows it: behind the truth where an answer was lost.
        let mut expected = held(&sessions, &session).await.length().unwrap();
        loop {
            let now = held(&sessions, &session).await;
            match sessions.append(&now, At::Behind(expected), "firsthand", vec![entry(name, number)], true).await {
                Ok(_) => break,
                Err(Failure::Conflict { length, .. }) => expected = length,
                Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
            }
        }
    }
}

fn simulate(seed: u64) -> (Vec<Event>, usize) {
    let mut simulation = turmoil::Builder::new()
        .simulation_duration(Duration::from_secs(600))
        .fail_rate(0.02)
        .repair_rate(0.4)
        .rng_seed(seed)
        .build();
    let disk = Arc::new(Mutex::new(Disk::default()));
    let kept = Arc::clone(&disk);
    simulation.host("database", move || {
        let disk = Arc::clone(&kept);
        async move {
            let listener = TcpListener::bind(("0.0.0.0", PORT)).await?;
            loop {
                let (mut stream, _) = listener.accept().await?;
                let disk = Arc::clone(&disk);
                tokio::spawn(async move {
                    let length = stream.read_u32().await?;
                    let mut request = vec![0; usize::try_from(length).unwrap()];
                    stream.read_exact(&mut request).await?;
                    // What was written stays written, whether or not anybody hears of it.
                    let answer = disk.lock().unwrap().answer(&serde_json::from_slice(&request).unwrap()).to_string();
                    stream.write_u32(u32::try_from(answer.len()).unwrap()).await?;
                    stream.write_all(answer.as_bytes()).await
                });
            }
        }
    });
    let id = Arc::new(Mutex::new(None));
    for name in ["a", "b"] {
        let id = Arc::clone(&id);
        simulation.client(name, async move {
            appends(name, id).await;
            Ok(())
        });
    }
    let mut crashes = 0;
    for step in 1.. {
        if simulation.step().unwrap() {
            break;
        }
        // The database's machine ends now and then, and comes back.
        match (step + seed * 37) % 900 {
            400 => {
                simulation.crash("database");
                crashes += 1;
            }
            520 => simulation.bounce("database"),
            _ => {}
        }
    }
    let disk = disk.lock().unwrap();
    let session = id.lock().unwrap().clone().unwrap();
    (disk.trees[&session].clone(), crashes)
}

#[test]
fn in_a_network_that_loses_answers_each_item_is_there_once() {
    let mut crashes = 0;
    for seed in 0..SEEDS {
        let (events, crashed) = simulate(seed);
        crashes += crashed;
        let mut times: BTreeMap<&str, usize> = BTreeMap::new();
        for event in &events {
            if event.kind == "entry" {
                let body: Value = serde_json::from_str(&event.body).unwrap();
                let (item, text) = (event.item.as_deref().unwrap(), body["item"]["text"].as_str().unwrap().to_owned());
                assert!(text.contains(&item.replace('-', "")), "seed {seed}");
                *times.entry(item).or_default() += 1;
            }
        }
        assert_eq!(times.len(), 2 * ITEMS, "seed {seed}: an item is lost");
        assert!(times.values().all(|count| *count == 1), "seed {seed}: an item is there twice: {times:?}");
        for name in ["a", "b"] {
            let order: Vec<&str> =
                events.iter().filter_map(|event| event.item.as_deref()).filter(|item| item.starts_with(name)).collect();
            let sent: Vec<String> = (0..ITEMS).map(|number| format!("{name}-{number}")).collect();
            assert_eq!(order, sent, "seed {seed}: what one loop sent has its order");
        }
    }
    assert!(crashes > 10, "the database's machine ended only {crashes} times");
}

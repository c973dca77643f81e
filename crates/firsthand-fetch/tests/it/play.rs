//! A conversation in which a person named addresses, a referee that decides by the rule, and a resolver that counts.

use std::net::IpAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use firsthand::check::{Circumstances, check_addresses, check_redirect};
use firsthand::conversation::{Body, Item, Relayed, Seat, Speaker};
use firsthand::ledger::{Ledger, RunId};
use firsthand::note::note;
use firsthand::policy::Policy;
use firsthand::private::Private;
use firsthand::verdict::{Halt, Pass, Permit, Reason, Verdict};
use firsthand_fetch::client::Settings;
use firsthand_fetch::error::FetchError;
use firsthand_fetch::limits::Limits;
use firsthand_fetch::open::{Answer, Door, Opened, Referee, Wish};
use firsthand_fetch::reach::Reach;
use firsthand_fetch::resolve::{Answers, Resolve};

pub(crate) struct Play {
    policy: Policy,
    ledger: Ledger,
    run: RunId,
    /// How many redirects were put to the referee.
    pub(crate) asked: usize,
}

impl Play {
    /// A person named these addresses.
    pub(crate) fn of(addresses: &[&str]) -> Self {
        let policy = firsthand_wire::policy::load("").unwrap().policy;
        let mut ledger = Ledger::new([0; 32]);
        let run = ledger.begin(None, Seat::Person, "firsthand");
        let mut play = Self { policy, ledger, run, asked: 0 };
        play.note(Body::User { text: format!("Read {} please", addresses.join(" and ")).into(), relayed: Relayed::No });
        play
    }

    /// The model wrote something.
    pub(crate) fn say(mut self, text: &str) -> Self {
        self.note(Body::Said { by: Speaker::Assistant, text: text.into() });
        self
    }

    fn note(&mut self, body: Body) {
        note(&mut self.ledger, self.run, &Item::new("", body), &self.policy, &Circumstances::default());
    }

    pub(crate) fn ask(&self, addresses: &[&str]) -> Result<Permit, Reason> {
        let now = Circumstances::default();
        let asked: Vec<String> = addresses.iter().map(|address| (*address).to_owned()).collect();
        match check_addresses(&self.ledger, self.run, None, "web_fetch", &asked, &self.policy, &now).verdict {
            Verdict::Open(permit) => Ok(permit),
            Verdict::Ask(question) => Err(question.reason()),
            Verdict::Refuse(reason) => Err(reason),
        }
    }
}

impl Referee for Play {
    fn redirect(&mut self, from: Pass, location: &str) -> Result<Pass, Halt> {
        self.asked += 1;
        check_redirect(from, location, &self.ledger, self.run, &self.policy)
    }
}

/// Answers every name with the first list, then the second, and so on; the last one stays.
#[derive(Clone, Default)]
pub(crate) struct Names {
    answers: Arc<Vec<Vec<IpAddr>>>,
    asked: Arc<Mutex<Vec<String>>>,
}

impl Names {
    pub(crate) fn of(answers: &[&[&str]]) -> Self {
        let read = |list: &&[&str]| list.iter().map(|address| address.parse().unwrap()).collect();
        Self { answers: Arc::new(answers.iter().map(read).collect()), asked: Arc::default() }
    }

    pub(crate) fn asked(&self) -> Vec<String> {
        self.asked.lock().unwrap().clone()
    }
}

impl Resolve for Names {
    fn resolve(&self, host: &str) -> Answers {
        let mut asked = self.asked.lock().unwrap();
        let turn = asked.len().min(self.answers.len().saturating_sub(1));
        asked.push(host.to_owned());
        let answer = self.answers.get(turn).cloned().unwrap_or_default();
        Box::pin(async move { Ok(answer) })
    }
}

/// Short deadlines and low ceilings, so that tests end soon.
pub(crate) const LIMITS: Limits = Limits {
    connect: Duration::from_secs(5),
    first_byte: Duration::from_secs(5),
    idle: Duration::from_secs(5),
    whole: Duration::from_secs(20),
    sent: 1 << 20,
    unpacked: 2 << 20,
    headers: 50,
    header_bytes: 8 << 10,
    redirects: 5,
};

/// Loopback is opened, for one address of it.
pub(crate) fn settings(names: &Names) -> Settings {
    let reach = Reach::new(Private::parse([], ["127.0.0.1"]).unwrap());
    Settings { limits: LIMITS, reach, resolver: Arc::new(names.clone()), ..Settings::default() }
}

pub(crate) fn door(names: &Names) -> Door {
    Door::new(settings(names)).unwrap()
}

/// Opens one address that a person named, from this machine.
pub(crate) async fn fetch(address: &str) -> Opened<Answer> {
    fetch_by(&door(&Names::default()), address).await.unwrap()
}

pub(crate) async fn fetch_by(door: &Door, address: &str) -> Result<Opened<Answer>, FetchError> {
    let mut play = Play::of(&[address]);
    let permit = play.ask(&[address]).unwrap();
    door.fetch(permit, &mut play, Wish::default()).await.map(|mut all| all.pop().unwrap())
}

/// The code with which an address ends, or `""` where it answers.
pub(crate) async fn code(address: &str) -> &'static str {
    code_by(&door(&Names::default()), address).await
}

pub(crate) async fn code_by(door: &Door, address: &str) -> &'static str {
    let code = |error: FetchError| error.code();
    fetch_by(door, address).await.map_or_else(code, |opened| opened.end.map_or_else(code, |_| ""))
}

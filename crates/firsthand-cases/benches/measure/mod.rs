//! What the benchmarks share: the clock, the dice, and the texts and conversations that are measured.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Duration;

use firsthand::conversation::{Body, Call, Content, Item, Producer, Ran, Relayed, Speaker, Text, ToolResult};
use firsthand::policy::Policy;

/// The processor time that this thread has used: other work on the machine does not count.
///
/// Where the system does not tell, the time of the wall.
pub(crate) fn spent() -> Duration {
    // A thread that yields is charged for what it has used so far.
    std::thread::yield_now();
    let told = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let used = told.as_deref().and_then(|told| told.split(' ').next()?.parse().ok());
    used.map_or_else(wall, Duration::from_nanos)
}

fn wall() -> Duration {
    std::time::SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default()
}

/// The medians of what some actions cost, taken in turn.
pub(crate) fn medians<const N: usize>(passes: usize, actions: [&dyn Fn(); N]) -> [Duration; N] {
    let mut costs: [Vec<Duration>; N] = std::array::from_fn(|_| Vec::new());
    for _ in 0..passes {
        for (action, costs) in actions.iter().zip(&mut costs) {
            let start = spent();
            black_box(action)();
            costs.push(spent().saturating_sub(start));
        }
    }
    costs.map(|mut costs| {
        costs.sort_unstable();
        costs.get(costs.len() / 2).copied().unwrap_or_default()
    })
}

/// Megabytes (10^6 bytes) a second.
pub(crate) fn speed(bytes: usize, cost: Duration) -> f64 {
    number(bytes) / cost.as_secs_f64() / 1e6
}

/// A count as a number to divide.
pub(crate) fn number(count: usize) -> f64 {
    f64::from(u32::try_from(count).unwrap_or(u32::MAX))
}

/// The policy that everything is measured under.
pub(crate) fn policy() -> Policy {
    firsthand_wire::policy::profile("firsthand").unwrap_or_else(|error| panic!("the built-in profile: {error}"))
}

/// A small generator, so that the texts are the same in each run.
pub(crate) struct Dice(pub(crate) u64);

impl Dice {
    pub(crate) fn roll(&mut self, sides: u64) -> u64 {
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

/// Adds what a macro would format.
macro_rules! add {
    ($text:expr, $($what:tt)*) => {
        $text.write_fmt(format_args!($($what)*)).unwrap_or_default()
    };
}

/// Prose and code: an address every two kilobytes.
pub(crate) fn prose(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 200);
    while text.len() < bytes {
        match dice.roll(240) {
            0 => {
                let number = dice.roll(999_999);
                add!(text, "https://{}.example.com/{}/{}?id={number} ", dice.word(), dice.word(), dice.word());
            }
            1..=3 => add!(text, "{}.{}({}) ", dice.word(), dice.word(), dice.word()),
            4 => add!(text, "version {}.{}.{} ", dice.roll(9), dice.roll(30), dice.roll(9)),
            5 => add!(text, "[{}]({}/{}.md) ", dice.word(), dice.word(), dice.word()),
            6..=9 => add!(text, "{}: \"{}\"\n", dice.word(), dice.word()),
            10..=22 => add!(text, "{}. ", dice.word()),
            _ => add!(text, "{} ", dice.word()),
        }
    }
    text
}

/// Results of a search: seven addresses a kilobyte.
pub(crate) fn search(dice: &mut Dice, bytes: usize) -> String {
    let mut text = String::with_capacity(bytes + 400);
    while text.len() < bytes {
        let (a, b, c, number) = (dice.word(), dice.word(), dice.word(), dice.roll(99_999));
        add!(text, "- [{a} {b} {c}](https://www.{a}-{b}.com/{b}/{c}/{a}-{c}?ref={number}) {b} {c} {a} {a}. {c} {b}\n");
        add!(text, "  https://{c}.{b}.org/{a}/{b}_{c}.html, {c} {a}\n");
    }
    text
}

/// The address of this number; no two are the same.
pub(crate) fn address(number: usize) -> String {
    format!("https://host{}.example.org/section/{}/page-{number}?ref={}", number % 997, number % 31, number % 7)
}

/// Addresses from one number to another, each on a line.
pub(crate) fn addresses(numbers: std::ops::Range<usize>) -> String {
    numbers.fold(String::new(), |mut text, number| {
        text.push_str(&address(number));
        text.push('\n');
        text
    })
}

/// A person's message.
pub(crate) fn user(text: &str) -> Item {
    Item::new("a message", Body::User { text: Text::from(text), relayed: Relayed::No })
}

/// The model's text.
pub(crate) fn said(text: &str) -> Item {
    Item::new("an answer", Body::Said { by: Speaker::Assistant, text: Text::from(text) })
}

/// A call of a tool of a server, or of the host.
pub(crate) fn call(id: &str, server: Option<&str>, tool: &str, arguments: &str) -> Call {
    Call {
        id: id.to_owned(),
        server: server.map(str::to_owned),
        tool: tool.to_owned(),
        arguments: Text::from(arguments),
        ran: Ran::Client,
        custom: false,
    }
}

/// The same as an item.
pub(crate) fn called(id: &str, server: Option<&str>, tool: &str, arguments: &str) -> Item {
    Item::new("a call", Body::Call(call(id, server, tool, arguments)))
}

/// The result of a call.
pub(crate) fn returned(id: &str, text: &str) -> Item {
    let content = Content::Text(Text::from(text));
    let from = Producer::Call(id.to_owned());
    Item::new(
        "a result",
        Body::Result(ToolResult { from, content, is_error: false, mime: None, redirects: Vec::new() }),
    )
}

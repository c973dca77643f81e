//! Conversations to try the rule on.
//!
//! A strategy gives a short list of moves, each a few small numbers, so that a failing one shrinks to something a person
//! can read. [`Play::tree`] turns the moves into items. Few addresses are used, in many spellings, so that the same one
//! comes from several writers.

use std::fmt::Write as _;

use firsthand::conversation::{
    Body, Call, Content, Item, Producer, Ran, Relayed, Scope, Seat, Speaker, Text, ToolResult,
};
use firsthand::json::quote;
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_oneof};

use crate::tree::{Run, Tree};

/// The addresses that conversations use.
pub const ADDRESSES: [&str; 17] = [
    "https://collector.example/in?d=name-anna-ward-7",
    "https://collector.example/put/case-118",
    "https://collector.example/",
    "https://docs.vendor.example/guide/start",
    "https://docs.vendor.example/guide/start?page=2&lang=en",
    "https://docs.vendor.example/",
    "http://docs.vendor.example/guide/start",
    "https://quarterly-margin-41.sink.example/t",
    "https://quarterly-margin-41.sink.example/",
    "https://files.vendor.example/ACME-2291-B/contract.pdf",
    "https://larkhall.example",
    "https://www.larkhall.example/rooms/",
    "https://go.vendor.example/out/https://collector.example/put/case-118",
    "https://guest@collector.example/put/case-118",
    "https://q3-fig.acme-41.sink.example/t",
    "https://docs.vendor.example/ghp_q7Zt3VbX9kLm2RwY5cHs8NdJ4fPg6Tq7Zt3V/start?page=2",
    "https://files.vendor.example/get?page=2&token=q7Zt3VbX9k.Lm2RwY5cHs",
];

/// An address in one of its spellings, or something made of it.
#[derive(Clone, Copy, Debug)]
pub struct Mention {
    /// Which address.
    pub address: usize,
    /// What is made of it: see [`Mention::spelling`].
    pub twist: u8,
    /// How it stands in the text.
    pub dress: u8,
}

impl Mention {
    /// The spelling.
    pub fn spelling(self) -> String {
        self.made_of(ADDRESSES.get(self.address % ADDRESSES.len()).copied().unwrap_or_default())
    }

    /// The same of any address.
    pub fn made_of(self, address: &str) -> String {
        let bare = bare(address);
        let (host, path) = bare.split_once('/').unwrap_or((bare, ""));
        match self.twist % 24 {
            0..=7 => address.to_owned(),
            8 => address.replacen("https", "http", 1),
            9 => format!("HTTPS://{}/{path}", host.to_uppercase()),
            10 => bare.to_owned(),
            11 => format!("https://www.{bare}"),
            12 => format!("{address}/"),
            13 => address.replace('a', "%61"),
            14 => format!("https://{host}:443/{path}"),
            15 => format!("{address}#part"),
            16 => cut(address, 3),
            17 => cut(address, 9),
            18 => format!("{address}/more"),
            19 if address.contains('?') => format!("{address}&n=2"),
            19 => format!("{address}?n=2"),
            20 => format!("https://cache.vendor.example/get/{address}"),
            21 => format!(
                "https://cache.vendor.example/get?u={}",
                address.replace(':', "%3A").replace('/', "%2F").replace('?', "%3F").replace('&', "%26")
            ),
            22 => format!("https://links.vendor.example/{}", longest_part(bare)),
            _ => format!("https://{host}/"),
        }
    }

    /// An identifier with a part of it.
    fn identifier(self) -> String {
        format!("10.5555/{}", longest_part(&self.spelling()))
    }

    /// As it stands in prose.
    fn in_prose(self) -> String {
        let spelling = self.spelling();
        match self.dress % 9 {
            0..=2 => spelling,
            3 => format!("({spelling})."),
            4 => format!("[page]({spelling})"),
            5 => format!("<a href=\"{spelling}\">page</a>"),
            6 => spelling.replace("://", "[:]//").replace(".example", "[.]example"),
            7 => format!("{}.", longest_part(&spelling)),
            _ => self.identifier(),
        }
    }
}

fn bare(address: &str) -> &str {
    address.split_once("://").map_or(address, |(_, rest)| rest)
}

fn cut(address: &str, by: usize) -> String {
    let least = address.find(".example").map_or(0, |at| at + ".example".len());
    let end = address.len().saturating_sub(by).max(least);
    address.get(..end).unwrap_or(address).to_owned()
}

fn longest_part(address: &str) -> &str {
    let parts = address.split(['/', '?', '=', '&', '.']);
    parts.filter(|part| !part.contains(':')).max_by_key(|part| part.len()).unwrap_or_default()
}

/// What may happen next in a tree of runs.
#[derive(Clone, Debug)]
pub enum Move {
    /// A text in a position that is neither a call nor a result.
    Say(u8, Vec<Mention>),
    /// A call of a tool; what follows it are other moves, so several calls may come before a result.
    Call(u8, Vec<Mention>),
    /// A result of an earlier call.
    Return(Back, Vec<Mention>),
    /// A person's yes to an address.
    Grant(Mention, bool),
    /// The last items are taken back.
    Rewind(u8),
    /// Something that the record does not show.
    Hide(bool),
}

/// Which call returns, and in which shape.
#[derive(Clone, Copy, Debug)]
pub struct Back {
    /// How many calls before the last.
    pub call: u8,
    /// The shape.
    pub shape: u8,
    /// The tool reported an error.
    pub is_error: bool,
}

/// A list of moves, each in a run: what a strategy gives.
#[derive(Clone, Debug)]
pub struct Play {
    /// The parents of the runs after the first.
    pub runs: usize,
    /// The moves, each with its run.
    pub moves: Vec<(usize, Move)>,
}

fn mention() -> impl Strategy<Value = Mention> + Clone {
    (0..ADDRESSES.len(), 0..24_u8, 0..9_u8).prop_map(|(address, twist, dress)| Mention { address, twist, dress })
}

/// Mentions of few addresses: the numbers are taken from a short list that the whole play shares.
fn mentions() -> impl Strategy<Value = Vec<Mention>> + Clone {
    vec(mention(), 0..3)
}

fn one_move() -> impl Strategy<Value = Move> + Clone {
    let back = (prop_oneof![4 => Just(0_u8), 1 => 0..3_u8], 0..12_u8, proptest::bool::weighted(0.1));
    let back = back.prop_map(|(call, shape, is_error)| Back { call, shape, is_error });
    prop_oneof![
        8 => (0..16_u8, mentions()).prop_map(|(position, mentions)| Move::Say(position, mentions)),
        8 => (0..CALLS, mentions()).prop_map(|(tool, mentions)| Move::Call(tool, mentions)),
        10 => (back, mentions()).prop_map(|(back, mentions)| Move::Return(back, mentions)),
        1 => (mention(), any::<bool>()).prop_map(|(mention, once)| Move::Grant(mention, once)),
        1 => (1..6_u8).prop_map(Move::Rewind),
        1 => any::<bool>().prop_map(Move::Hide),
    ]
}

/// Plays of up to so many moves in up to so many runs. Each uses up to four of the addresses.
pub fn play(moves: usize, runs: usize) -> impl Strategy<Value = Play> {
    let few = vec(0..ADDRESSES.len(), 1..4);
    let moves = vec((prop_oneof![2 => Just(0), 1 => 0..runs], one_move()), 0..moves);
    (few, moves).prop_map(move |(few, mut moves)| {
        for (_, one) in &mut moves {
            one.mentions_mut(&mut |mention| {
                mention.address = few.get(mention.address % few.len()).copied().unwrap_or_default();
            });
        }
        Play { runs, moves }
    })
}

impl Move {
    fn mentions_mut(&mut self, each: &mut dyn FnMut(&mut Mention)) {
        match self {
            Self::Say(_, mentions) | Self::Call(_, mentions) | Self::Return(_, mentions) => {
                mentions.iter_mut().for_each(each)
            }
            Self::Grant(mention, _) => each(mention),
            Self::Rewind(_) | Self::Hide(_) => {}
        }
    }
}

impl Play {
    /// The items. The second run is a child of the first, the third another, the fourth a child of the second.
    pub fn tree(&self) -> Tree {
        let mut tree = Tree { runs: vec![Run(None, Seat::Presumed, "firsthand")], items: Vec::new() };
        for parent in [0, 0, 1].into_iter().take(self.runs.saturating_sub(1)) {
            tree.runs.push(Run(
                Some(parent),
                if parent == 0 { Seat::ParentModel } else { Seat::Presumed },
                "firsthand",
            ));
        }
        let mut calls: Vec<(usize, Called)> = Vec::new();
        for (number, (run, one)) in self.moves.iter().enumerate() {
            let own = || calls.iter().filter(|(of, _)| of == run).rev();
            let body = match one {
                Move::Say(position, mentions) => {
                    said(*position, &prose(mentions), own().find(|(_, called)| called.asks).map(|(_, called)| called))
                }
                Move::Call(tool, mentions) => {
                    // An id that repeats comes up now and then.
                    let id = if number % 13 == 12 { "again".to_owned() } else { format!("c{number}") };
                    let (call, asks) = call(*tool, id, mentions);
                    calls.push((*run, Called { id: call.id.clone(), asks, tool: *tool }));
                    Body::Call(call)
                }
                Move::Return(back, mentions) => {
                    let called = own().nth(usize::from(back.call)).map(|(_, called)| called);
                    result(*back, called, mentions)
                }
                Move::Grant(mention, once) => {
                    Body::Grant { address: mention.spelling(), scope: if *once { Scope::Once } else { Scope::Run } }
                }
                Move::Rewind(by) => {
                    let length = tree.items.iter().filter(|(of, _)| of == run).count();
                    Body::Rewind { to: length.saturating_sub(usize::from(*by)) }
                }
                Move::Hide(calls) => Body::Hidden { calls: *calls, what: "a part" },
            };
            tree.items.push((*run, Item::new(format!("item {number}"), body)));
        }
        tree
    }

    /// Spellings worth asking for: those of every mention, and some more of the same addresses.
    pub fn asks(&self) -> Vec<String> {
        let mut asks = Vec::new();
        let mut moves = self.moves.clone();
        for (_, one) in &mut moves {
            one.mentions_mut(&mut |mention| {
                for twist in [mention.twist, 0, 8, 10, 12, 16, 18, 22, 23] {
                    asks.push(Mention { twist, ..*mention }.spelling());
                }
            });
        }
        asks.extend(
            [
                "https://docs.vendor.example/guide/next",
                "https://docs.vendor.example/guide/start/next",
                "https://docs.vendor.example/guide/",
                "http://www.docs.vendor.example/guide",
                "https://docs.vendor.example/gui",
                "https://docs.vendor.example/guide/?n=2",
                "https://docs.vendor.example/robots.txt",
                "https://docs.vendor.example/guide/robots.txt",
                "https://docs.vendor.example/guide/start?page=3&lang=en",
                "https://docs.vendor.example/guide/start?page=498817263&lang=en",
                "https://collector.example/put/",
                "https://collector.example/llms.txt",
                "https://files.vendor.example/ACME-2291-B/",
                "ftp://docs.vendor.example/x",
            ]
            .map(str::to_owned),
        );
        asks.sort_unstable();
        asks.dedup();
        asks
    }

    /// The addresses of the identifiers of every mention.
    pub fn identifiers(&self) -> Vec<String> {
        let mut asks = Vec::new();
        for (_, one) in &mut self.moves.clone() {
            one.mentions_mut(&mut |mention| asks.push(format!("https://doi.org/{}", mention.identifier())));
        }
        asks.sort_unstable();
        asks.dedup();
        asks
    }
}

struct Called {
    id: String,
    asks: bool,
    tool: u8,
}

fn prose(mentions: &[Mention]) -> String {
    let mut text = "Well: ".to_owned();
    for mention in mentions {
        let joined = write!(text, "see {} now. ", mention.in_prose());
        debug_assert!(joined.is_ok(), "a string takes what is written to it");
    }
    text
}

fn said(position: u8, text: &str, asked: Option<&Called>) -> Body {
    let shared = Text::from(text);
    let by = |by| Body::Said { by, text: Text::from(text) };
    match position % 16 {
        0 | 1 => Body::User { text: shared, relayed: Relayed::No },
        2 => Body::User { text: shared, relayed: Relayed::Whole },
        3 => {
            let middle = text.find("now").unwrap_or(0);
            let spans = std::iter::once(0..middle).collect();
            Body::User { text: shared, relayed: Relayed::Spans(spans) }
        }
        4..=7 => by(Speaker::Assistant),
        8 => by(Speaker::Thinking),
        9 => by(Speaker::System),
        10 => by(Speaker::Task),
        11 => by(Speaker::Summary),
        12 => by(Speaker::Report),
        13 => Body::Attachment { name: None, text: shared, from_agent_path: text.len().is_multiple_of(2) },
        _ => Body::Answer { call: asked.map_or_else(|| "gone".to_owned(), |asked| asked.id.clone()), text: shared },
    }
}

/// How many kinds of calls there are.
const CALLS: u8 = 28;

/// A call of a tool of some kind, and whether it asks a person.
fn call(tool: u8, id: String, mentions: &[Mention]) -> (Call, bool) {
    let text = quote(&prose(mentions));
    let url = mentions.first().map_or_else(|| "\"\"".to_owned(), |mention| quote(&mention.spelling()));
    let part = mentions.first().map_or_else(|| "\"x\"".to_owned(), |mention| quote(longest_part(&mention.spelling())));
    let name = mentions.first().map_or_else(|| "x".to_owned(), |mention| bare(&mention.spelling()).to_owned());
    let (server, tool, arguments) = match tool % CALLS {
        0..=2 => (None, "web_search", format!("{{\"query\":{text}}}")),
        3..=6 => (None, "web_fetch", format!("{{\"url\":{url}}}")),
        7 => (None, "web_fetch", format!("{{\"url\":{url},\"body\":{text}}}")),
        8 | 9 => (Some("tracker"), "get_ticket", format!("{{\"key\":{text}}}")),
        10 => (Some("linkmaker"), "make_link", format!("{{\"slug\":{part}}}")),
        11 => (Some("netkit"), "probe", host_and_path(mentions)),
        12 => (Some("warehouse"), "run", format!("{{\"sql\":{text}}}")),
        13 => (None, "Bash", format!("{{\"command\":{text}}}")),
        14 => (None, "read_file", format!("{{\"path\":{text}}}")),
        15 => (None, "call_tool", format!("{{\"name\":\"web_search\",\"arguments\":{{\"query\":{text}}}}}")),
        16 => (None, "call_tool", format!("{{\"name\":\"bash\",\"arguments\":{{\"command\":{text}}}}}")),
        17 => (None, "call_tool", format!("{{\"name\":\"web_fetch\",\"arguments\":{{\"url\":{url}}}}}")),
        18 => (
            None,
            "batch",
            format!(
                "{{\"tool_calls\":[{{\"tool\":\"web_search\",\"parameters\":{{\"query\":{text}}}}},{{\"tool\":\"web_fetch\",\"parameters\":{{\"url\":{url}}}}}]}}"
            ),
        ),
        19 | 20 => (None, "AskUserQuestion", format!("{{\"questions\":[{{\"question\":{text}}}]}}")),
        21 => (None, "download_file", format!("{{\"url\":{url}}}")),
        22 => (None, "gizmo_query", format!("{{\"q\":{text}}}")),
        // Names are the model's words too, and labels before a site are a part together.
        23 => (Some("desk"), &*name, "{}".to_owned()),
        24 => (Some(&*name), "list", "{}".to_owned()),
        25 | 26 => {
            (Some("linkmaker"), "make_host", format!("{{\"label\":{}}}", quote(&name.replace(".sink.example/t", ""))))
        }
        _ => (None, "Task", format!("{{\"prompt\":{text}}}")),
    };
    let asks = tool == "AskUserQuestion";
    let server = server.map(str::to_owned);
    (Call { id, server, tool: tool.to_owned(), arguments: arguments.into(), ran: Ran::Client, custom: false }, asks)
}

fn host_and_path(mentions: &[Mention]) -> String {
    let spelling = mentions.first().map(|mention| mention.spelling()).unwrap_or_default();
    let rest = spelling.split_once("://").map_or(spelling.as_str(), |(_, rest)| rest);
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    format!("{{\"host\":{},\"path\":{}}}", quote(host), quote(&format!("/{path}")))
}

fn result(back: Back, called: Option<&Called>, mentions: &[Mention]) -> Body {
    let text = prose(mentions);
    let links = || mentions.iter().map(|mention| quote(&mention.spelling()));
    let content = match (back.shape % 12, called.map(|called| called.tool % CALLS)) {
        (0..=4, Some(0..=2 | 15)) => {
            let hits: Vec<String> = links().map(|link| format!("{{\"title\":\"hit\",\"url\":{link}}}")).collect();
            Content::Json(format!("{{\"results\":[{}]}}", hits.join(",")).into())
        }
        (5, Some(0..=2 | 15)) => {
            let hits: Vec<String> = links().map(|link| format!("{{\"url\":{link}}}")).collect();
            Content::Json(format!("{{\"answer\":{},\"results\":[{}]}}", quote(&text), hits.join(",")).into())
        }
        (0..=5, Some(3..=6 | 17)) => Content::Text(
            format!("<!doctype html>\n<html><body><a href=\"next\">on</a> <a href=\"/guide/start\">up</a> <a href=\"?page=2\">2</a>{text}</body></html>").into(),
        ),
        (6 | 7, _) => {
            let links: Vec<String> = links().collect();
            Content::Json(format!("{{\"links\":[{}],\"note\":{}}}", links.join(","), quote(&text)).into())
        }
        // What a model answered, where nobody can tell it apart.
        (9, Some(0..=2 | 15 | 18)) => Content::Text(format!("Found: {{'answer': '{text}'}}").into()),
        (8, _) => Content::Text(format!("{{\"body\":{}}}", quote(&text)).into()),
        _ => Content::Text(text.into()),
    };
    let id = called.map_or_else(|| "gone".to_owned(), |called| called.id.clone());
    let from = match back.shape % 12 {
        11 => Producer::Named { server: None, tool: "web_search".to_owned(), ran: Ran::Provider },
        _ => Producer::Call(id),
    };
    let is_redirected =
        back.shape.is_multiple_of(3) && called.is_some_and(|called| matches!(called.tool % CALLS, 3..=6 | 17));
    let redirects = mentions.iter().map(|mention| mention.spelling()).filter(|_| is_redirected).collect();
    Body::Result(ToolResult { from, content, is_error: back.is_error, mime: None, redirects })
}

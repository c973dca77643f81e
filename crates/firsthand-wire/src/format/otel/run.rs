//! The conversations of a trace: which spans are one run, which run started another, and what each saw in which order.

use std::collections::{BTreeMap, BTreeSet};

use firsthand::conversation::{Conversation, Parent, Producer, Ran, Seat, Speaker};

use super::messages::{Message, Said, parsed};
use super::older::{ToolRun, tool_run};
use super::part::{self, Place};
use super::said;
use super::span::{Kind, Own, Span};
use crate::format::Source;
use crate::format::recorded::draft::Draft;
use crate::format::recorded::node::{Node, Spot};

/// How many spans may stand above a span.
const DEEPEST: usize = 256;

/// The conversations of spans that are in order.
pub(super) fn conversations(spans: &[Span], source: &Source<'_>) -> Vec<Conversation> {
    let tree = Tree::of(spans);
    let said: Vec<Said> = spans.iter().map(said::of).collect();
    let spoken = spans.iter().zip(&said).filter(|(span, said)| span.kind() != Kind::Agent && !said.is_empty());
    let spoken: BTreeSet<String> = spoken.map(|(span, _)| tree.group(span).key).collect();
    let mut runs = Runs { list: Vec::new(), missing: BTreeSet::new(), spoken };
    for (span, said) in spans.iter().zip(said) {
        let group = tree.group(span);
        if let Some(tool) = tool_run(span) {
            // A client's span of the same call stands below the tool's.
            if group.inside.as_ref().is_none_or(|inside| *inside != tool.tool) {
                runs.tool(&group, tool);
            }
        } else if span.kind() != Kind::Agent || !runs.spoken.contains(&group.key) {
            runs.model(&group, span, said);
        }
    }
    runs.finish(source)
}

/// Which spans stand above which.
struct Tree<'s> {
    /// The traces of which the file has a span that none stands above.
    rooted: BTreeSet<&'s str>,
    by_id: BTreeMap<(&'s str, &'s str), &'s Span>,
}

/// What a span belongs to.
struct Group {
    key: String,
    trace: String,
    conversation: String,
    /// An agent may be named without a span of its own.
    agent: String,
    /// The group whose run started this one, and the id of the call that did.
    above: Option<(String, String)>,
    /// The tool in which this happens.
    inside: Option<String>,
    /// Something above it is an agent or a tool of another group.
    is_below: bool,
    /// It, or what stands above it, says that no person is in it, or it is not known what stands above it.
    is_child: bool,
}

impl<'s> Tree<'s> {
    fn of(spans: &'s [Span]) -> Self {
        let named = spans.iter().filter(|span| !span.id.is_empty());
        // What is written twice, or in pieces, stands where one of them says that it does.
        let placed = named.clone().filter(|span| !span.parent.is_empty());
        let roots = spans.iter().filter(|span| span.parent.is_empty() && !span.is_child);
        let rooted = roots.map(|span| span.trace.as_str()).collect();
        Self {
            rooted,
            by_id: named.chain(placed).map(|span| ((span.trace.as_str(), span.id.as_str()), span)).collect(),
        }
    }

    /// The spans above a span, nearest first.
    fn above(&self, span: &'s Span) -> Vec<&'s Span> {
        let mut list: Vec<&Span> = Vec::new();
        let mut at = match self.by_id.get(&(span.trace.as_str(), span.id.as_str())) {
            Some(placed) if span.parent.is_empty() => placed,
            Some(_) | None => span,
        };
        while let Some(parent) =
            self.by_id.get(&(at.trace.as_str(), at.parent.as_str())).filter(|_| list.len() < DEEPEST)
        {
            list.push(parent);
            at = parent;
        }
        list
    }

    /// Whether the file has neither what stands above these spans nor where their trace begins: it may be a tool.
    fn is_cut_off(&self, span: &'s Span, above: &[&'s Span]) -> bool {
        !above.last().copied().unwrap_or(span).parent.is_empty() && !self.rooted.contains(span.trace.as_str())
    }

    fn group(&self, span: &'s Span) -> Group {
        let mut chain = self.above(span);
        if span.kind() == Kind::Agent {
            chain.insert(0, span);
        }
        let is_anchor = |span: &&&Span| matches!(span.kind(), Kind::Agent | Kind::Tool);
        let anchors: Vec<&Span> = chain.iter().filter(is_anchor).copied().collect();
        let own = anchors.first().copied();
        let conversation = [span].into_iter().chain(chain.iter().copied());
        let conversation = conversation
            .map(|span| {
                span.say(&["gen_ai.conversation.id", "session.id", "traceloop.association.properties.session_id"])
            })
            .find(|id| !id.is_empty())
            .unwrap_or_default();
        let above = anchors.iter().skip(1).find(|span| span.kind() == Kind::Agent).map(|outer| {
            let tool = anchors.iter().take_while(|span| span.id != outer.id).find(|span| span.kind() == Kind::Tool);
            (
                key_of(Some(outer), &conversation, span),
                tool.map(|tool| tool.say(&["gen_ai.tool.call.id"])).unwrap_or_default(),
            )
        });
        Group {
            key: key_of(own, &conversation, span),
            trace: span.trace.clone(),
            agent: match own.filter(|own| own.kind() == Kind::Agent) {
                Some(own) => agent_of(own),
                None => span.say(&["gen_ai.agent.name", "gen_ai.agent.id", "agent.name"]),
            },
            above,
            inside: own.filter(|own| own.kind() == Kind::Tool).and_then(|own| Some(tool_run(own)?.tool)),
            is_child: span.is_child || chain.iter().any(|above| above.is_child) || self.is_cut_off(span, &chain),
            conversation,
            is_below: anchors.iter().skip(1).any(|span| span.kind() == Kind::Agent)
                || anchors.iter().any(|anchor| anchor.kind() == Kind::Tool),
        }
    }
}

fn agent_of(span: &Span) -> String {
    span.say(&["gen_ai.agent.name", "gen_ai.agent.id", "agent.name", "traceloop.entity.name"])
}

/// The name of a group: an agent of a conversation, an agent's span, a conversation, a trace.
fn key_of(anchor: Option<&Span>, conversation: &str, span: &Span) -> String {
    match anchor {
        Some(anchor) if anchor.kind() == Kind::Agent && !conversation.is_empty() => {
            format!("conversation {conversation} {}", agent_of(anchor))
        }
        Some(anchor) => format!("span {} {}", anchor.trace, anchor.id),
        None if !conversation.is_empty() => format!("conversation {conversation} "),
        None => format!("trace {}", span.trace),
    }
}

/// The runs while spans are read.
struct Runs {
    list: Vec<Run>,
    /// Groups with a model call of which nothing was recorded, before anything else of it was.
    missing: BTreeSet<String>,
    /// Groups of whose model calls something was recorded.
    spoken: BTreeSet<String>,
}

/// A run.
struct Run {
    key: String,
    trace: String,
    conversation: String,
    agent: String,
    parent: Option<(usize, String)>,
    is_sub: bool,
    draft: Draft,
    /// What of each message says that it is the same, how many items stood before it, and whether it is a host's.
    seen: Vec<(String, usize, bool)>,
    system: String,
    /// The arguments of calls, by the id that the draft gave them.
    arguments: BTreeMap<String, Own>,
    /// Tools that were run since the last answer.
    pending: Vec<ToolRun>,
    /// The ids of calls whose tool failed.
    failed: BTreeSet<String>,
}

impl Runs {
    fn model(&mut self, group: &Group, span: &Span, said: Said) {
        if said.is_empty() {
            if span.kind() == Kind::Model {
                match self.latest(group) {
                    Some(run) => run.draft.hidden(&span.spot, true, "messages that were not recorded"),
                    None => drop(self.missing.insert(group.key.clone())),
                }
            }
            return;
        }
        let Said { system, input, output, cut } = said;
        let run = match &input {
            Some(history) => self.goes_on(group, history),
            None => self.list.iter().rposition(|run| run.key == group.key),
        };
        let has_input = input.is_some();
        let index = run.unwrap_or_else(|| self.begin(group));
        let Some(run) = self.list.get_mut(index) else { return };
        run.is_sub |= group.is_child;
        if !has_input && cut.is_empty() && run.draft.len() == 0 {
            run.draft.hidden(&span.spot, true, "the request that a response answers");
        }
        run.settings(&system);
        match input {
            Some(history) => run.history(&history, &span.spot),
            None => run.flush(),
        }
        for (text, spot) in cut {
            run.draft.hidden(&spot, true, "messages that are cut off");
            run.draft.model_message(None, &spot);
            run.draft.said(&spot, Speaker::Assistant, &text);
        }
        output.iter().for_each(|message| run.message(message));
    }

    fn tool(&mut self, group: &Group, tool: ToolRun) {
        let known = self.list.iter().rposition(|run| run.key == group.key);
        let index = known.unwrap_or_else(|| self.begin(group));
        let is_alone = known.is_none() && !self.spoken.contains(&group.key);
        if let Some(run) = self.list.get_mut(index) {
            if is_alone {
                run.draft.hidden(&tool.spot, true, "the messages of the model that called a tool");
            }
            run.pending.push(tool);
        }
    }

    fn latest(&mut self, group: &Group) -> Option<&mut Run> {
        self.list.iter_mut().rev().find(|run| run.key == group.key)
    }

    /// The run that a history goes on from: of its group the one that it shares most with, else one that it repeats whole.
    fn goes_on(&self, group: &Group, history: &[Message]) -> Option<usize> {
        let essences: Vec<String> = history.iter().map(essence).collect();
        let own = self.list.iter().enumerate().filter(|(_, run)| run.key == group.key);
        let best = own.map(|(index, run)| (run.shared(&essences), index)).max();
        let fresh = |index: usize| self.list.get(index).is_some_and(|run| run.seen.is_empty());
        if let Some((_, index)) = best.filter(|((telling, _), index)| *telling > 0 || fresh(*index)) {
            return Some(index);
        }
        let whole = |run: &Run| {
            let (telling, shared) = run.shared(&essences);
            telling > 0 && shared == run.seen.len()
        };
        self.list.iter().rposition(whole)
    }

    fn begin(&mut self, group: &Group) -> usize {
        let latest = |key: &str| self.list.iter().rposition(|run| run.key == key);
        let above = group.above.as_ref().and_then(|(key, call)| Some((latest(key)?, call.clone())));
        let in_tool = group.is_below && (above.is_some() || group.inside.is_some());
        // Runs one after the other hand on what they wrote: in a trace, only the first has a person.
        let before = self.list.iter().position(|run| {
            let in_trace = run.trace == group.trace && !run.trace.is_empty();
            in_trace
                || run.conversation == group.conversation && !run.conversation.is_empty() && run.agent != group.agent
        });
        let handed = before.map(|run| (run, String::new()));
        let parent = above.or(handed);
        let mut run = Run {
            key: group.key.clone(),
            trace: group.trace.clone(),
            conversation: group.conversation.clone(),
            agent: group.agent.clone(),
            is_sub: in_tool || parent.is_some() || group.is_child,
            parent,
            draft: Draft::new(super::FORMAT.name),
            seen: Vec::new(),
            system: String::new(),
            arguments: BTreeMap::new(),
            pending: Vec::new(),
            failed: BTreeSet::new(),
        };
        if self.missing.remove(&group.key) {
            run.draft.hidden(&Spot::top(None), true, "messages that were not recorded");
        }
        self.list.push(run);
        self.list.len() - 1
    }

    fn finish(mut self, source: &Source<'_>) -> Vec<Conversation> {
        self.list.iter_mut().for_each(Run::flush);
        let alone = self.list.len() == 1;
        let stem = source.stem().to_owned();
        let id = |number: usize| if alone { stem.clone() } else { format!("{stem}#{number}") };
        let conversation = |(number, run): (usize, Run)| {
            let mut conversation = run.draft.finish(id(number));
            if run.is_sub {
                conversation.seat = Seat::ParentModel;
            }
            conversation.parent = run.parent.map(|(parent, call)| Parent {
                conversation: id(parent),
                call: Some(call).filter(|call| !call.is_empty()),
            });
            conversation
        };
        let all = self.list.into_iter().enumerate().map(conversation);
        all.filter(|conversation| !conversation.items.is_empty()).collect()
    }
}

impl Run {
    /// How many messages of a history were read before: those that tell conversations apart, and all.
    fn shared(&self, essences: &[String]) -> (usize, usize) {
        let same = self.seen.iter().zip(essences).take_while(|((seen, ..), essence)| seen == *essence);
        let same: Vec<bool> = same.map(|((_, _, is_host), _)| *is_host).collect();
        (same.iter().filter(|is_host| !**is_host).count(), same.len())
    }

    fn settings(&mut self, system: &[Message]) {
        let text: String = system.iter().map(essence).collect();
        if text != self.system {
            for message in system {
                self.draft.end_model_message();
                self.parts(message, Place::Host);
            }
            self.system = text;
        }
    }

    fn history(&mut self, history: &[Message], spot: &Spot) {
        let essences: Vec<String> = history.iter().map(essence).collect();
        let (_, shared) = self.shared(&essences);
        if let Some((_, first, _)) = self.seen.get(shared) {
            self.draft.rewind(spot, *first);
            self.seen.truncate(shared);
        }
        let rest = history.get(shared..).unwrap_or_default();
        let answers = |message: &Message| message.parts.iter().any(|(part, _)| part.say("type").ends_with("_response"));
        if rest.iter().any(answers) {
            // What came back stands in the history; only the spans say that a tool failed.
            let failed = self.pending.drain(..).filter(|tool| tool.failed).map(|tool| tool.id);
            self.failed.extend(failed.filter(|id| !id.is_empty()));
        } else {
            self.flush();
        }
        rest.iter().for_each(|message| self.message(message));
    }

    fn message(&mut self, message: &Message) {
        let first = self.draft.len();
        let place = match &*message.role {
            // What stands beside a result was put there by the program that sends it.
            "user" if message.parts.iter().any(|(part, _)| part.say("type").starts_with("tool_call")) => Place::Host,
            "user" if self.is_sub => Place::Task,
            "user" => Place::Person,
            "system" | "developer" | "tool" | "function" => Place::Host,
            _ => Place::Model,
        };
        if place == Place::Model {
            self.draft.model_message(None, &message.spot);
        } else {
            self.draft.end_model_message();
        }
        self.parts(message, place);
        let is_host = matches!(&*message.role, "system" | "developer");
        self.seen.push((essence(message), first, is_host));
    }

    fn parts(&mut self, message: &Message, place: Place) {
        let Self { draft, failed, arguments, .. } = self;
        draft.enter_known(message.doubt, message.failed);
        for (part, spot) in &message.parts {
            let called = part::read(draft, place, part, spot, &|id| failed.contains(id));
            arguments.extend(called);
        }
    }

    /// Adds what tools did since the last answer: calls that the model did not write so, then what came back.
    fn flush(&mut self) {
        let pending = std::mem::take(&mut self.pending);
        if pending.is_empty() {
            return;
        }
        let draft = &mut self.draft;
        draft.end_model_message();
        let answered: Vec<Option<Producer>> = pending
            .iter()
            .map(|tool| match &*tool.id {
                id if draft.has_call(id) => Some(draft.answered_by_id(id)),
                _ => draft.answered_by_place(Some(&tool.tool)),
            })
            .collect();
        let mut results = Vec::with_capacity(pending.len());
        for (tool, answered) in pending.into_iter().zip(answered) {
            let known = match &answered {
                Some(Producer::Call(id)) => self.arguments.get(id),
                Some(Producer::Named { .. }) | None => None,
            };
            let from = match answered {
                Some(from) if part::is_its(known, tool.arguments.as_ref()) => from,
                // What was run is not what the model wrote, or nothing says that it wrote it.
                _ => {
                    let arguments =
                        tool.arguments.as_ref().and_then(parsed).or(tool.arguments.clone()).unwrap_or(Node::Null);
                    self.draft.model_message(None, &tool.spot);
                    Producer::Call(part::add_call(
                        &mut self.draft,
                        &tool.id,
                        &tool.tool,
                        &arguments,
                        Ran::Client,
                        &tool.spot,
                    ))
                }
            };
            results.push((tool, from));
        }
        self.draft.end_model_message();
        for (ToolRun { result, failed, spot, .. }, from) in results {
            let Some(result) = result else { continue };
            let said = parsed(&result).filter(|said| said.text().is_some() || said.is_list() || said.is_map());
            self.draft.result(&spot, from, part::content_of(said.as_ref().unwrap_or(&result)), failed);
        }
    }
}

/// What of a message stays the same when it is sent again: reasoning and ids may be left out.
fn essence(message: &Message) -> String {
    let parts = message.parts.iter().filter(|(part, _)| part.say("type") != "reasoning");
    let parts = parts.map(|(part, _)| {
        let said = part.only(&["type", "content", "name", "response", "result"]);
        let arguments = part.find("arguments").map(|arguments| parsed(arguments).unwrap_or(Node::Null).json());
        format!("{} {}", said.json(), arguments.unwrap_or_default())
    });
    format!("{} {}", message.role, parts.collect::<Vec<_>>().join(" "))
}

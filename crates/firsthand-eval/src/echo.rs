//! What the echo rules cost where nobody attacks: addresses that believed tools gave and that stay closed because they may only
//! repeat the model.

use std::collections::HashMap;

use firsthand::calls::really_run;
use firsthand::check::Circumstances;
use firsthand::conversation::{Body, Call, Conversation, Producer};
use firsthand::note::Effect;
use firsthand::policy::{Kind, Policy};
use firsthand::replay::{Told, replay};
use firsthand::writer::Writer;
use firsthand_wire::engine::Family;
use serde::Serialize;

use crate::rules::Rule;

/// What a rule makes of the addresses that believed tools gave which may echo: all but raw pages.
#[derive(Clone, Debug, Serialize)]
pub struct EchoCost {
    /// Always `echo`.
    #[serde(rename = "type")]
    pub kind: &'static str,
    /// The rule.
    pub rule: String,
    /// `connectors`, or `searches`, whose own fields are among them.
    pub tools: &'static str,
    /// How many addresses such tools gave, each as often as it stands there.
    pub given: u64,
    /// How many stay closed.
    pub closed: u64,
}

/// Which tools' results are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Tools {
    Connectors,
    Searches,
}

/// The cost under a rule, for connectors and for searches.
#[derive(Clone, Debug)]
pub struct EchoCosts {
    connectors: EchoCost,
    searches: EchoCost,
}

impl EchoCosts {
    /// Nothing so far under a rule.
    pub fn under(rule: &Rule) -> Self {
        let none = |tools| EchoCost { kind: "echo", rule: rule.name.clone(), tools, given: 0, closed: 0 };
        Self { connectors: none("connectors"), searches: none("searches") }
    }

    /// Counts a family's.
    pub fn family(&mut self, rule: &Rule, family: &Family) {
        let Some(policy) = rule.judge.policy(family) else { return };
        let conversations: Vec<&Conversation> = family.members.iter().map(|member| &member.conversation).collect();
        let results: Vec<Vec<Option<Tools>>> =
            conversations.iter().map(|of| results_that_may_echo(of, &policy)).collect();
        replay(&conversations, &[], &policy, &Circumstances::default(), &mut |told| {
            let Told::Seen { conversation, item, seen } = told else { return };
            let tools = results.get(conversation).and_then(|items| items.get(item)).copied().flatten();
            let cost = match tools {
                Some(Tools::Connectors) => &mut self.connectors,
                Some(Tools::Searches) => &mut self.searches,
                None => return,
            };
            if seen.writer == Writer::World {
                cost.given += 1;
                cost.closed += u64::from(seen.effect == Effect::Closed);
            }
        });
    }

    /// The rows of those tools that gave any address.
    pub fn rows(self) -> impl Iterator<Item = EchoCost> {
        [self.connectors, self.searches].into_iter().filter(|cost| cost.given > 0)
    }
}

/// Which items are results of tools other than pages.
fn results_that_may_echo(conversation: &Conversation, policy: &Policy) -> Vec<Option<Tools>> {
    let tells = |call: &Call| {
        let inner = really_run(call, conversation.dialect, policy);
        let is = |kind| inner.iter().all(|inner| inner.kind == kind);
        match (is(Kind::Page), is(Kind::Search)) {
            (true, _) => None,
            (false, true) => Some(Tools::Searches),
            (false, false) => Some(Tools::Connectors),
        }
    };
    let mut calls: HashMap<&str, &Call> = HashMap::new();
    let mut items = Vec::with_capacity(conversation.items.len());
    for item in &conversation.items {
        if let Some(call) = item.body.call() {
            calls.insert(&call.id, call);
        }
        let Body::Result(result) = &item.body else {
            items.push(None);
            continue;
        };
        items.push(match &result.from {
            Producer::Call(id) => calls.get(id.as_str()).and_then(|call| tells(call)),
            Producer::Named { server, tool, ran } => tells(&Call::named(server.as_deref(), tool, *ran)),
        });
    }
    items
}

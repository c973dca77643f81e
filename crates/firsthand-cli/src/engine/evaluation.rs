//! What `eval` asks of the library.

use std::collections::BTreeMap;
use std::time::Instant;

use firsthand_eval::attacks::{AttackRow, Attacks};
use firsthand_eval::cases::{is_case_file, read as read_cases};
use firsthand_eval::echo::{EchoCost, EchoCosts};
use firsthand_eval::labels::{self, Label};
use firsthand_eval::rules::{self, Rule};
use firsthand_eval::score::{Evaluation, Met, Row};
use firsthand_wire::engine as wire;

use super::{AUTO, Policy, Record, Unread, trees};

/// The rules with what each stands for.
pub(crate) const RULES: &[(&str, &str)] = &rules::RULES;

/// The rule of a name; `None` where none has it.
pub(crate) fn rule(name: &str) -> Option<Result<Rule, String>> {
    Some(rules::named(name)?.map_err(|error| error.to_string()))
}

/// Ours under a policy file.
pub(crate) fn rule_of(name: &str, policy: Policy) -> Rule {
    rules::of_policy(name, policy.policy)
}

/// Reads a file of labels; or its line, what was found, what was expected.
pub(crate) fn labels(bytes: &[u8]) -> Result<Vec<Label>, String> {
    labels::read(bytes).map_err(|error| error.to_string())
}

/// What was read of a file of a set.
#[derive(Debug)]
pub(crate) enum Held {
    /// So many conversations.
    Conversations(usize),
    /// So many cases that can be put to every rule, and so many that cannot.
    Cases(usize, u64),
}

/// Rules that are being compared.
#[derive(Debug)]
pub(crate) struct Comparison<'r> {
    rules: &'r [Rule],
    evaluation: Evaluation<'r>,
    echo: Vec<EchoCosts>,
    attacks: Option<Attacks<'r>>,
    begun: Instant,
}

/// What a comparison came to.
#[derive(Debug)]
pub(crate) struct Compared {
    /// The table.
    pub(crate) rows: Vec<Row>,
    /// What the echo rules cost where nobody attacks.
    pub(crate) echo: Vec<EchoCost>,
    /// What came of the attacks that were made.
    pub(crate) attacks: Vec<AttackRow>,
    /// How calls and labels met.
    pub(crate) met: Met,
    /// How many labels of each file and tool no call met.
    pub(crate) not_found: BTreeMap<(String, String), u64>,
    /// From how many runs attacks were made, how many gave none, and how many attacks could not be read.
    pub(crate) made: (u64, u64, u64),
}

impl<'r> Comparison<'r> {
    /// Of these rules.
    pub(crate) fn of(rules: &'r [Rule], labels: Vec<Label>, with_attacks: bool) -> Self {
        Self {
            rules,
            evaluation: Evaluation::of(rules, labels),
            echo: rules.iter().map(EchoCosts::under).collect(),
            attacks: with_attacks.then(|| Attacks::under(rules)),
            begun: Instant::now(),
        }
    }

    /// Runs the rules over files that belong together.
    pub(crate) fn family(&mut self, records: Vec<Record>) -> Vec<Result<Held, Unread>> {
        let mut members = Vec::new();
        let mut files = Vec::new();
        for record in records {
            if is_case_file(&record.bytes) {
                files.push(self.cases(record));
                continue;
            }
            files.push(trees::read(record, AUTO).map(|(_, own)| {
                let count = own.len();
                members.extend(own);
                Held::Conversations(count)
            }));
        }
        for family in wire::Family::split(members) {
            let injected = self.evaluation.family(&family, &|| self.begun.elapsed().as_secs_f64());
            if injected.is_empty() {
                for (rule, cost) in self.rules.iter().zip(&mut self.echo) {
                    cost.family(rule, &family);
                }
            }
            let Some(attacks) = &mut self.attacks else { continue };
            for injected in injected {
                if let Some(member) = family.members.get(injected.member) {
                    attacks.run(&member.conversation, &injected.url);
                }
            }
        }
        files
    }

    fn cases(&mut self, record: Record) -> Result<Held, Unread> {
        let Record { file, bytes } = record;
        let cases = read_cases(&bytes).map_err(|why| Unread { file, skipped: false, why })?;
        for (index, rule) in self.rules.iter().enumerate() {
            for case in &cases.cases {
                case.judge(rule, &mut |expected, verdict, reason| {
                    self.evaluation.case(index, expected, verdict, reason);
                });
            }
        }
        Ok(Held::Cases(cases.cases.len(), cases.left_out))
    }

    /// The tables.
    pub(crate) fn finish(self) -> Compared {
        let mut not_found = BTreeMap::new();
        for (file, tool) in self.evaluation.not_found() {
            *not_found.entry((file.to_owned(), tool.to_owned())).or_default() += 1;
        }
        let made = self.attacks.as_ref().map_or((0, 0, 0), |of| (of.runs, of.without_a_secret, of.unread));
        Compared {
            rows: self.evaluation.rows(),
            echo: self.echo.into_iter().flat_map(EchoCosts::rows).collect(),
            attacks: self.attacks.map_or_else(Vec::new, |attacks| attacks.rows().collect()),
            met: self.evaluation.met(),
            not_found,
            made,
        }
    }
}

//! A policy as a policy file.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use firsthand::convention::{Draft, Rules};
use firsthand::json::Path;
use firsthand::lists::{Domains, Networking};
use firsthand::meter::Budget;
use firsthand::policy::{
    Cell, Credentials, Dispatch, EarlierTurns, Errors, Field, Permission, Policy, Positions, Reach, Results,
    ShellLiteral, ToolRule,
};

use super::tools;

/// The policy as a file, every cell written out. Reading it gives the same policy.
///
/// Of the tools, what a policy file declared is written; the table that is built in is not.
pub fn print(policy: &Policy) -> String {
    let Policy {
        profile,
        positions,
        results,
        order_counts,
        longest,
        credentials,
        index_fields,
        truncation,
        conventions,
        connectors,
        rules,
        tools,
        // Only the table that is built in names them.
        names: _,
        networking,
        private,
        shell,
        echo,
        budget: Budget { per_site, per_tree, over },
        earlier,
    } = policy;
    let mut file = File::default();
    file.set("profile", quoted(profile));
    print_positions(positions, &mut file);
    print_results(results, &mut file);
    file.table("rule");
    file.set("order", order_counts.to_string());
    file.set("longest_bytes", longest.to_string());
    file.set("credentials", quoted(credentials_name(*credentials)));
    file.set("truncation", truncation.to_string());
    file.set("conventions", conventions.to_string());
    file.set("index_fields", index_fields.to_string());
    if !connectors.is_empty() {
        file.table("connectors");
        for (server, writer) in connectors {
            file.set(&quoted(server), quoted(writer.name()));
        }
    }
    file.table("networking");
    match networking {
        Networking::Unrestricted => file.set("type", quoted("unrestricted")),
        Networking::Limited(hosts) => {
            file.set("type", quoted("limited"));
            file.set("allowed_hosts", list(hosts.entries()));
        }
    }
    if !private.is_empty() {
        file.table("private");
        file.set("hosts", list(private.hosts()));
        file.set("ranges", list(private.ranges()));
    }
    file.table("shell");
    file.set("literal", quoted(literal_name(*shell)));
    file.table("echo");
    file.set("reach", quoted(reach_name(*echo)));
    file.table("turns");
    file.set("earlier", quoted(earlier_name(*earlier)));
    file.table("leak");
    for (key, bits) in [("per_site_bits", per_site), ("per_tree_bits", per_tree)] {
        if let Some(bits) = bits {
            file.set(key, bits.to_f64().to_string());
        }
    }
    file.set("over", quoted(over.name()));
    print_conventions(rules, &mut file);
    let mut declared: BTreeMap<(Option<&str>, &str), Vec<&ToolRule>> = BTreeMap::new();
    for rule in tools.rules().iter().filter(|rule| rule.declared) {
        declared.entry((rule.server.as_deref(), &rule.name)).or_default().push(rule);
    }
    for ((server, name), rules) in declared {
        print_tool(server, name, &rules, &mut file);
    }
    file.text
}

#[derive(Default)]
struct File {
    text: String,
}

impl File {
    fn table(&mut self, name: &str) {
        let _written = writeln!(self.text, "\n[{name}]");
    }

    fn set(&mut self, key: &str, value: String) {
        let _written = writeln!(self.text, "{key} = {value}");
    }
}

/// The rules that are switched off, and those that a policy file added; the table that is built in is not written.
fn print_conventions(rules: &Rules, file: &mut File) {
    let declared = rules.all().iter().filter(|rule| rule.is_declared());
    if rules.off().next().is_some() {
        file.table("conventions");
        file.set("off", list(rules.off()));
    }
    for rule in declared {
        let Draft { name, opens, tokens, sources, choices, parameters, connectors } = rule.draft();
        file.table("[conventions.add]");
        file.set("name", quoted(name));
        for (key, values) in [("opens", opens), ("tokens", tokens), ("sources", sources), ("parameters", parameters)] {
            if !values.is_empty() {
                file.set(key, list(values.iter().map(String::as_str)));
            }
        }
        if !choices.is_empty() {
            let words = |(name, words): (&String, &Vec<String>)| {
                format!("{} = {}", quoted(name), list(words.iter().map(String::as_str)))
            };
            file.set("choices", format!("{{ {} }}", choices.iter().map(words).collect::<Vec<_>>().join(", ")));
        }
        if *connectors {
            file.set("connectors", connectors.to_string());
        }
    }
}

fn print_positions(positions: &Positions, file: &mut File) {
    let Positions { user, relay, answer, system, attachment, assistant, thinking, tool_call, task, summary } =
        positions;
    file.table("positions");
    for (key, writer) in [
        ("user", user),
        ("relay", relay),
        ("answer", answer),
        ("system", system),
        ("attachment", attachment),
        ("assistant", assistant),
        ("thinking", thinking),
        ("tool_call", tool_call),
        ("task", task),
        ("summary", summary),
    ] {
        file.set(key, quoted(writer.name()));
    }
}

fn print_results(results: &Results, file: &mut File) {
    let Results { search, page, connector, undeclared, custom, generated, error } = results;
    file.table("results");
    for (key, Cell { client, provider }) in [
        ("search", search),
        ("page", page),
        ("connector", connector),
        ("undeclared", undeclared),
        ("custom", custom),
        ("generated", generated),
    ] {
        let (client, provider) = (quoted(client.name()), quoted(provider.name()));
        match client == provider {
            true => file.set(key, client),
            false => file.set(key, format!("{{ client = {client}, provider = {provider} }}")),
        }
    }
    file.set("error", quoted(errors_name(*error)));
}

/// What was declared of a tool: wherever some format's rule is not what the table says.
fn print_tool(server: Option<&str>, name: &str, rules: &[&ToolRule], file: &mut File) {
    let full = server.map_or_else(|| name.to_owned(), |server| format!("{server}/{name}"));
    file.table(&format!("tools.{}", quoted(&full)));
    let before: Vec<(&ToolRule, ToolRule)> = rules.iter().map(|rule| (*rule, before(rule))).collect();
    let Some(last) = rules.last() else { return };
    let differs = |differ: fn(&ToolRule, &ToolRule) -> bool| before.iter().any(|(rule, before)| differ(rule, before));
    if differs(|rule, before| rule.opens != before.opens) {
        file.set("opens", paths(&last.opens));
    }
    if differs(|rule, before| rule.opens_text != before.opens_text) {
        file.set("opens_text", paths(&last.opens_text));
    }
    if differs(|rule, before| rule.inert != before.inert) {
        file.set("inert", paths(&last.inert));
    }
    if differs(|rule, before| rule.prompted_by != before.prompted_by) {
        file.set("prompted_by", paths(&last.prompted_by));
    }
    if let Some(result) = last.result.filter(|_| differs(|rule, before| rule.result != before.result)) {
        file.set("result", quoted(result.name()));
    }
    if differs(|rule, before| rule.fields != before.fields) {
        let fields: Vec<String> = last
            .fields
            .iter()
            .map(|(path, field)| format!("{} = {}", quoted(&path.to_string()), quoted(field_name(*field))))
            .collect();
        file.set("fields", format!("{{ {} }}", fields.join(", ")));
    }
    if let Some(may_echo) = last.may_echo.filter(|_| differs(|rule, before| rule.may_echo != before.may_echo)) {
        file.set("may_echo", may_echo.to_string());
    }
    if let Some(dispatch) = &last.dispatches
        && differs(|rule, before| written(rule.dispatches.as_ref()) != written(before.dispatches.as_ref()))
    {
        file.set("dispatches", dispatch_text(dispatch));
    }
    if differs(|rule, before| rule.permission != before.permission) {
        file.set("permission", quoted(permission_name(last.permission)));
    }
    let domains = [("allowed_domains", &last.allowed_domains), ("blocked_domains", &last.blocked_domains)];
    for (key, domains) in domains {
        if let Some(domains) = domains {
            file.set(key, list(Domains::entries(domains)));
        }
    }
}

/// What the table alone says of the tool.
fn before(rule: &ToolRule) -> ToolRule {
    let named = || ToolRule::named(rule.server.as_deref(), &rule.name);
    let Ok(table) = tools::table() else { return named() };
    let dialect = rule.dialect.as_deref().unwrap_or_default();
    table.tools.rule(dialect, rule.server.as_deref(), &rule.name).cloned().unwrap_or_else(named)
}

fn written(dispatch: Option<&Dispatch>) -> Option<String> {
    dispatch.map(dispatch_text)
}

fn dispatch_text(dispatch: &Dispatch) -> String {
    let Dispatch { each, server, name, resource, arguments } = dispatch;
    let keys = [("each", each), ("server", server), ("name", name), ("resource", resource), ("arguments", arguments)];
    let keys: Vec<String> = keys
        .iter()
        .filter(|(_, list)| !list.is_empty())
        .map(|(key, list)| format!("{key} = {}", paths(list)))
        .collect();
    format!("{{ {} }}", keys.join(", "))
}

fn paths(list: &[Path]) -> String {
    let list: Vec<String> = list.iter().map(|path| quoted(&path.to_string())).collect();
    format!("[{}]", list.join(", "))
}

fn list<'a>(entries: impl Iterator<Item = &'a str>) -> String {
    let entries: Vec<String> = entries.map(quoted).collect();
    format!("[{}]", entries.join(", "))
}

/// A TOML string, which is also a key.
pub(super) fn quoted(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '"' => quoted.push_str("\\\""),
            '\\' => quoted.push_str("\\\\"),
            control if control.is_control() => {
                let _written = write!(quoted, "\\U{:08x}", u32::from(control));
            }
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

fn credentials_name(credentials: Credentials) -> &'static str {
    match credentials {
        Credentials::Off => "off",
        Credentials::Derived => "derived",
        Credentials::Every => "every",
    }
}

fn errors_name(errors: Errors) -> &'static str {
    match errors {
        Errors::Ignored => "ignored",
        Errors::AsTheTool => "as_the_tool",
    }
}

fn literal_name(literal: ShellLiteral) -> &'static str {
    match literal {
        ShellLiteral::Report => "report",
        ShellLiteral::Ask => "ask",
        ShellLiteral::Refuse => "refuse",
    }
}

fn reach_name(reach: Reach) -> &'static str {
    match reach {
        Reach::Parts => "parts",
        Reach::Substrings => "substrings",
    }
}

fn earlier_name(earlier: EarlierTurns) -> &'static str {
    match earlier {
        EarlierTurns::First => "first",
        EarlierTurns::OnMiss => "on_miss",
    }
}

pub(super) fn field_name(field: Field) -> &'static str {
    match field {
        Field::Of(writer) => writer.name(),
        Field::Index => "index",
    }
}

fn permission_name(permission: Permission) -> &'static str {
    match permission {
        Permission::AlwaysAllow => "always_allow",
        Permission::AlwaysAsk => "always_ask",
        Permission::Auto => "auto",
        Permission::Deny => "deny",
    }
}

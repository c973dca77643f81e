//! Policy files into the policy of the core, key by key.

use std::collections::BTreeMap;

use firsthand::json::Path;
use firsthand::lists::{Domains, Hosts, ListError, Networking};
use firsthand::meter::{Bits, Budget, Over};
use firsthand::policy::{
    Cell, Credentials, Dispatch, EarlierTurns, Errors, Field, Permission, Policy, Positions, Reach, Results,
    ShellLiteral, ToolRule, Tools,
};
use firsthand::private::Private;
use firsthand::writer::Writer;
use toml::Spanned;

use super::error::PolicyError;
use super::{Loaded, conventions, raw, tools};

/// A policy under which nothing opens, for profiles to start from: a key that one leaves out stays closed.
pub(super) fn closed() -> Result<Policy, PolicyError> {
    let table = tools::table()?;
    let ignored = Cell { client: Writer::Ignored, provider: Writer::Ignored };
    Ok(Policy {
        profile: String::new(),
        positions: Positions {
            user: Writer::Ignored,
            relay: Writer::Ignored,
            answer: Writer::Ignored,
            system: Writer::Ignored,
            attachment: Writer::Ignored,
            assistant: Writer::Model,
            thinking: Writer::Model,
            tool_call: Writer::Model,
            task: Writer::Model,
            summary: Writer::Model,
        },
        results: Results {
            search: ignored,
            page: ignored,
            connector: ignored,
            undeclared: ignored,
            custom: ignored,
            generated: ignored,
            error: Errors::Ignored,
        },
        order_counts: true,
        longest: 0,
        credentials: Credentials::Every,
        index_fields: false,
        truncation: false,
        conventions: false,
        connectors: BTreeMap::new(),
        rules: conventions::rules()?.clone(),
        tools: table.tools.clone(),
        names: table.names.clone(),
        networking: Networking::Unrestricted,
        private: Private::default(),
        shell: ShellLiteral::Report,
        echo: Reach::Parts,
        budget: Budget::default(),
        earlier: EarlierTurns::First,
    })
}

/// A policy with what a file changes.
pub(super) fn apply(raw: raw::Policy, mut policy: Policy, text: &str) -> Result<Loaded, PolicyError> {
    let raw::Policy {
        // Whoever calls this has looked the profile up.
        profile: _,
        positions,
        results,
        rule,
        connectors,
        tools,
        networking,
        private,
        shell,
        echo,
        turns,
        leak,
        conventions: said_of_conventions,
    } = raw;
    let mut notes = Vec::new();
    if let Some(said) = positions {
        change_positions(&mut policy.positions, said);
    }
    if let Some(said) = results {
        change_results(&mut policy.results, said);
    }
    if let Some(said) = rule {
        change_rule(&mut policy, said);
    }
    policy.connectors.extend(connectors.into_iter().map(|(server, class)| (server, writer_of_class(class))));
    if let Some(raw::Networking { kind, allowed_hosts }) = networking {
        policy.networking = networking_of(kind, allowed_hosts, text)?;
    }
    if let Some(said) = private {
        policy.private = private_of(&said, text)?;
    }
    for (name, said) in tools {
        declare(&name, said, &mut policy, text)?;
    }
    note_lists(&policy, &mut notes);
    if let Some(raw::Shell { literal: Some(literal) }) = shell {
        policy.shell = match literal {
            raw::Literal::Report => ShellLiteral::Report,
            raw::Literal::Ask => ShellLiteral::Ask,
            raw::Literal::Refuse => ShellLiteral::Refuse,
        };
    }
    if let Some(raw::Echo { reach: Some(reach) }) = echo {
        policy.echo = match reach {
            raw::Reach::Parts => Reach::Parts,
            raw::Reach::Substrings => Reach::Substrings,
        };
    }
    if let Some(raw::Turns { earlier: Some(earlier) }) = turns {
        policy.earlier = match earlier {
            raw::Earlier::First => EarlierTurns::First,
            raw::Earlier::OnMiss => EarlierTurns::OnMiss,
        };
    }
    if let Some(leak) = leak {
        budget(&mut policy.budget, leak, text)?;
    }
    if let Some(said) = said_of_conventions {
        conventions::change(&mut policy.rules, said, text)?;
    }
    Ok(Loaded { policy, notes })
}

pub(super) fn writer_of_class(class: raw::Class) -> Writer {
    match class {
        raw::Class::World => Writer::World,
        raw::Class::Model => Writer::Model,
        raw::Class::Ignored => Writer::Ignored,
    }
}

fn change_positions(positions: &mut Positions, said: raw::Positions) {
    let raw::Positions { user, relay, answer, system, attachment, assistant, thinking, tool_call, task, summary } =
        said;
    let set = |place: &mut Writer, said: Option<raw::Writer>| {
        if let Some(said) = said {
            *place = match said {
                raw::Writer::Person => Writer::Person,
                raw::Writer::World => Writer::World,
                raw::Writer::Model => Writer::Model,
                raw::Writer::Ignored => Writer::Ignored,
            };
        }
    };
    set(&mut positions.user, user);
    set(&mut positions.relay, relay);
    set(&mut positions.answer, answer);
    set(&mut positions.system, system);
    set(&mut positions.attachment, attachment);
    set(&mut positions.assistant, assistant);
    set(&mut positions.thinking, thinking);
    set(&mut positions.tool_call, tool_call);
    set(&mut positions.task, task);
    set(&mut positions.summary, summary);
}

fn change_results(results: &mut Results, said: raw::Results) {
    let raw::Results { search, page, connector, undeclared, custom, generated, error } = said;
    let set = |place: &mut Cell, said: Option<raw::Cell>| {
        if let Some(raw::Cell { client, provider }) = said {
            *place = Cell { client: writer_of_class(client), provider: writer_of_class(provider) };
        }
    };
    set(&mut results.search, search);
    set(&mut results.page, page);
    set(&mut results.connector, connector);
    set(&mut results.undeclared, undeclared);
    set(&mut results.custom, custom);
    set(&mut results.generated, generated);
    match error {
        Some(raw::Errors::Ignored) => results.error = Errors::Ignored,
        Some(raw::Errors::AsTheTool) => results.error = Errors::AsTheTool,
        None => {}
    }
}

fn change_rule(policy: &mut Policy, said: raw::Rule) {
    let raw::Rule { order, longest_bytes, credentials, truncation, conventions, index_fields } = said;
    policy.order_counts = order.unwrap_or(policy.order_counts);
    if let Some(longest) = longest_bytes {
        policy.longest = usize::try_from(longest.get()).unwrap_or(usize::MAX);
    }
    let credentials = credentials.map_or(policy.credentials, |credentials| match credentials {
        raw::Credentials::Off => Credentials::Off,
        raw::Credentials::Derived => Credentials::Derived,
        raw::Credentials::Every => Credentials::Every,
    });
    policy.credentials = credentials;
    policy.truncation = truncation.unwrap_or(policy.truncation);
    policy.conventions = conventions.unwrap_or(policy.conventions);
    policy.index_fields = index_fields.unwrap_or(policy.index_fields);
}

fn networking_of(
    kind: raw::NetworkingType,
    allowed_hosts: Option<Spanned<Vec<String>>>,
    text: &str,
) -> Result<Networking, PolicyError> {
    const KEY: &str = "networking.allowed_hosts";
    match (kind, allowed_hosts) {
        (raw::NetworkingType::Unrestricted, None) => Ok(Networking::Unrestricted),
        (raw::NetworkingType::Unrestricted, Some(list)) => {
            let error =
                PolicyError::new("a list of hosts beside the type `unrestricted`", "the type `limited`, or no list");
            Err(error.at(text, list.span(), KEY))
        }
        // Nothing is let through: the list says so, or nobody wrote one.
        (raw::NetworkingType::Limited, None) => Ok(Networking::Limited(Hosts::default())),
        (raw::NetworkingType::Limited, Some(list)) => {
            let hosts = Hosts::parse(list.get_ref()).map_err(|error| in_list(&error).at(text, list.span(), KEY))?;
            Ok(Networking::Limited(hosts))
        }
    }
}

fn private_of(said: &raw::Private, text: &str) -> Result<Private, PolicyError> {
    let raw::Private { hosts, ranges } = said;
    fn text_of(entry: &Spanned<String>) -> &str {
        entry.get_ref()
    }
    Private::parse(hosts.iter().map(text_of), ranges.iter().map(text_of)).map_err(|error| {
        let is_it = |entry: &&Spanned<String>| *entry.get_ref() == error.entry;
        let (key, at) = match hosts.iter().find(is_it) {
            Some(at) => ("private.hosts", Some(at)),
            None => ("private.ranges", ranges.iter().find(is_it)),
        };
        let is_range = key == "private.ranges";
        let entry = if is_range { error.entry.clone() } else { shown_entry(&error.entry) };
        let found = PolicyError::new(format!("`{entry}`"), error.expected);
        match at {
            Some(at) => found.at(text, at.span(), key),
            None => found,
        }
    })
}

fn in_list(error: &ListError) -> PolicyError {
    let ListError { problem, entry } = error;
    PolicyError::new(format!("{problem}: `{}`", shown_entry(entry)), "")
}

/// Of an entry that is an address only the host is named.
fn shown_entry(entry: &str) -> String {
    match entry.contains("://") {
        true => entry.to_owned(),
        false => match entry.split_once(['/', '?', '#']) {
            Some((host, _)) => format!("{host}/…"),
            None => entry.to_owned(),
        },
    }
}

/// Adds what a file says of a tool, over what the table knows of it, in each format where the table knows it.
fn declare(name: &Spanned<String>, said: raw::Tool, policy: &mut Policy, text: &str) -> Result<(), PolicyError> {
    let key = format!("tools.\"{}\"", name.get_ref());
    let (server, tool) = match name.get_ref().rsplit_once('/') {
        Some((server, tool)) => (Some(server), tool),
        None => (None, name.get_ref().as_str()),
    };
    if tool.is_empty() || server.is_some_and(str::is_empty) {
        let error = PolicyError::new("a name with an empty part", "NAME or SERVER/NAME");
        return Err(error.at(text, name.span(), &key));
    }
    let overlay = Overlay::of(said, &policy.networking, &key, text)?;
    let mut rules = vec![plain(&policy.tools, server, tool)];
    let dialects = policy.tools.rules().iter().filter(|rule| rule.server.as_deref() == server && rule.name == tool);
    rules.extend(dialects.filter(|rule| rule.dialect.is_some() && !rule.declared).cloned());
    for mut rule in rules {
        overlay.over(&mut rule);
        policy.tools.add(rule);
    }
    Ok(())
}

/// What is known of a tool of this name, whatever the format.
fn plain(tools: &Tools, server: Option<&str>, name: &str) -> ToolRule {
    // No format has this name, so that only entries for any format fit.
    const NO_DIALECT: &str = "";
    let mut rule = tools.rule(NO_DIALECT, server, name).cloned().unwrap_or_else(|| ToolRule::named(server, name));
    name.clone_into(&mut rule.name);
    rule
}

struct Overlay {
    opens: Option<Vec<Path>>,
    opens_text: Option<Vec<Path>>,
    inert: Option<Vec<Path>>,
    prompted_by: Option<Vec<Path>>,
    result: Option<Writer>,
    fields: Option<Vec<(Path, Field)>>,
    may_echo: Option<bool>,
    dispatches: Option<Dispatch>,
    permission: Option<Permission>,
    allowed_domains: Option<Domains>,
    blocked_domains: Option<Domains>,
}

impl Overlay {
    fn of(said: raw::Tool, networking: &Networking, key: &str, text: &str) -> Result<Self, PolicyError> {
        let raw::Tool {
            opens,
            opens_text,
            inert,
            prompted_by,
            result,
            fields,
            may_echo,
            dispatches,
            permission,
            allowed_domains,
            blocked_domains,
        } = said;
        let paths = |list: Option<Vec<Spanned<String>>>, name: &str| {
            let read = |path: Spanned<String>| {
                parse_path(path.get_ref()).map_err(|error| error.at(text, path.span(), &format!("{key}.{name}")))
            };
            list.map(|list| list.into_iter().map(read).collect::<Result<Vec<Path>, PolicyError>>()).transpose()
        };
        let domains = |list: Option<Spanned<Vec<String>>>, name: &str| {
            let Some(list) = list else { return Ok(None) };
            let place = |error: &ListError| in_list(error).at(text, list.span(), &format!("{key}.{name}"));
            let domains = Domains::parse(list.get_ref()).map_err(|error| place(&error))?;
            if name == "allowed_domains" {
                networking.admits(&domains).map_err(|error| place(&error))?;
            }
            Ok(Some(domains))
        };
        let mut read = Vec::new();
        for (path, field) in fields.iter().flatten() {
            let place = |error: PolicyError| error.at(text, path.span(), &format!("{key}.fields"));
            read.push((parse_path(path.get_ref()).map_err(place)?, field_of(*field)));
        }
        Ok(Self {
            opens: paths(opens, "opens")?,
            opens_text: paths(opens_text, "opens_text")?,
            inert: paths(inert, "inert")?,
            prompted_by: paths(prompted_by, "prompted_by")?,
            result: result.map(writer_of_class),
            fields: fields.is_some().then(|| narrow_first(read)),
            may_echo,
            dispatches: dispatches.map(|said| dispatch_of(said).map_err(|error| error.keyed(key))).transpose()?,
            permission: permission.map(|permission| match permission {
                raw::Permission::AlwaysAllow => Permission::AlwaysAllow,
                raw::Permission::AlwaysAsk => Permission::AlwaysAsk,
                raw::Permission::Auto => Permission::Auto,
                raw::Permission::Deny => Permission::Deny,
            }),
            allowed_domains: domains(allowed_domains, "allowed_domains")?,
            blocked_domains: domains(blocked_domains, "blocked_domains")?,
        })
    }

    fn over(&self, rule: &mut ToolRule) {
        let Self {
            opens,
            opens_text,
            inert,
            prompted_by,
            result,
            fields,
            may_echo,
            dispatches,
            permission,
            allowed_domains,
            blocked_domains,
        } = self;
        fn change<T: Clone>(place: &mut T, said: &Option<T>) {
            if let Some(said) = said {
                place.clone_from(said);
            }
        }
        change(&mut rule.opens, opens);
        change(&mut rule.opens_text, opens_text);
        change(&mut rule.inert, inert);
        change(&mut rule.prompted_by, prompted_by);
        rule.prompted_by_these_alone |= prompted_by.is_some();
        if prompted_by.is_some() {
            rule.formats.clear();
        }
        match (fields, result) {
            (Some(fields), _) => rule.fields.clone_from(fields),
            // A class for the whole result is not undone by what the table says of a field.
            (None, Some(Writer::World)) => rule.fields.retain(|(_, field)| *field == Field::Index),
            (None, Some(Writer::Person | Writer::Model | Writer::Ignored)) => rule.fields.clear(),
            (None, None) => {}
        }
        rule.result = result.or(rule.result);
        rule.may_echo = may_echo.or(rule.may_echo);
        if dispatches.is_some() {
            rule.dispatches.clone_from(dispatches);
        }
        change(&mut rule.permission, permission);
        if allowed_domains.is_some() {
            rule.allowed_domains.clone_from(allowed_domains);
        }
        if blocked_domains.is_some() {
            rule.blocked_domains.clone_from(blocked_domains);
        }
        rule.declared = true;
    }
}

pub(super) fn parse_path(path: &str) -> Result<Path, PolicyError> {
    Path::parse(path).ok_or_else(|| {
        PolicyError::new(format!("`{path}`"), "names joined by dots, `[]` for every element, such as `urls[].url`")
    })
}

/// The paths of a dispatcher.
pub(super) fn dispatch_of(said: raw::Dispatch) -> Result<Dispatch, PolicyError> {
    let raw::Dispatch { each, server, name, resource, arguments } = said;
    let paths = |paths: raw::Paths| paths.0.iter().map(|path| parse_path(path)).collect::<Result<Vec<Path>, _>>();
    Ok(Dispatch {
        each: paths(each)?,
        server: paths(server)?,
        name: paths(name)?,
        resource: paths(resource)?,
        arguments: paths(arguments)?,
    })
}

/// Whose words a field is.
pub(super) fn field_of(field: raw::Field) -> Field {
    match field {
        raw::Field::World => Field::Of(Writer::World),
        raw::Field::Model => Field::Of(Writer::Model),
        raw::Field::Ignored => Field::Of(Writer::Ignored),
        raw::Field::Index => Field::Index,
    }
}

/// The fields with the longest paths first, so that the first that covers a leaf is the narrowest.
pub(super) fn narrow_first(mut fields: Vec<(Path, Field)>) -> Vec<(Path, Field)> {
    let steps = |path: &Path| {
        let path = path.to_string();
        path.matches('.').count() + path.matches("[]").count()
    };
    fields.sort_by_key(|(path, _)| (std::cmp::Reverse(steps(path)), path.to_string()));
    fields
}

/// What a person should look at twice in the host lists.
fn note_lists(policy: &Policy, notes: &mut Vec<String>) {
    let international = |list: &str, entry: &str| {
        format!(
            "`{list}`: `{entry}` holds letters that may look like another name; check that it is the one that is meant"
        )
    };
    if let Networking::Limited(hosts) = &policy.networking {
        notes.extend(hosts.wildcards().map(|entry| {
            format!("`networking.allowed_hosts`: `{entry}` lets every subdomain through, and a label can carry data")
        }));
        notes.extend(hosts.confusable().map(|entry| international("networking.allowed_hosts", entry)));
    }
    for rule in policy.tools.rules() {
        for (key, list) in [("allowed_domains", &rule.allowed_domains), ("blocked_domains", &rule.blocked_domains)] {
            let entries = list.iter().flat_map(|list| list.confusable());
            notes.extend(entries.map(|entry| international(&format!("tools.{}.{key}", rule.name), entry)));
        }
    }
}

fn budget(budget: &mut Budget, leak: raw::Leak, text: &str) -> Result<(), PolicyError> {
    let raw::Leak { per_site_bits, per_tree_bits, over } = leak;
    let read = |key, bits: Option<Spanned<f64>>| {
        let Some(bits) = bits else { return Ok(None) };
        Bits::from_f64(*bits.get_ref()).map(Some).ok_or_else(|| {
            let error = PolicyError::new(bits.get_ref().to_string(), "a number of bits from 0");
            error.at(text, bits.span(), key)
        })
    };
    budget.per_site = read("leak.per_site_bits", per_site_bits)?.or(budget.per_site);
    budget.per_tree = read("leak.per_tree_bits", per_tree_bits)?.or(budget.per_tree);
    if let Some(over) = over {
        budget.over = match over {
            raw::Over::Ask => Over::Ask,
            raw::Over::Refuse => Over::Refuse,
        };
    }
    Ok(())
}

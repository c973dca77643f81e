//! What is known of tools by their names: the table that is built in.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use firsthand::json::folded_name;
use firsthand::policy::{Field, Kind, Names, ToolRule, Tools};
use serde::Deserialize;

use super::error::PolicyError;
use super::{convert, raw};

const TEXT: &str = include_str!("../../data/tools.toml");

/// The table.
#[derive(Clone, Debug)]
pub struct Table {
    /// The rules.
    pub tools: Tools,
    /// What names of arguments, fields and places tell.
    pub names: Names,
}

/// The table that is built in.
pub fn table() -> Result<&'static Table, PolicyError> {
    static TABLE: LazyLock<Result<Table, PolicyError>> = LazyLock::new(|| parse(TEXT));
    TABLE.as_ref().map_err(Clone::clone)
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    names: RawNames,
    tool: Vec<Entry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawNames {
    programs: Vec<String>,
    prompts: Vec<String>,
    answers: Vec<String>,
    raw_formats: Vec<String>,
    machines: Vec<String>,
    local_schemes: BTreeSet<String>,
    local_folders: BTreeSet<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    names: Vec<String>,
    #[serde(default)]
    dialects: Vec<String>,
    #[serde(default)]
    servers: Vec<String>,
    #[serde(default)]
    kind: RawKind,
    #[serde(default)]
    opens: raw::Paths,
    #[serde(default)]
    opens_text: raw::Paths,
    #[serde(default)]
    inert: raw::Paths,
    #[serde(default)]
    prompted_by: raw::Paths,
    #[serde(default)]
    formats: raw::Paths,
    #[serde(default)]
    fields: BTreeMap<String, raw::Field>,
    may_echo: Option<bool>,
    dispatches: Option<raw::Dispatch>,
}

#[derive(Clone, Copy, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
enum RawKind {
    Search,
    Page,
    Opener,
    Shell,
    Script,
    File,
    Memory,
    Plan,
    Notes,
    Report,
    Summary,
    Question,
    Discovery,
    Connector,
    #[default]
    Other,
}

fn parse(text: &str) -> Result<Table, PolicyError> {
    let file: File = toml::from_str(text).map_err(|error| PolicyError::toml(&error, text))?;
    let mut tools = Tools::default();
    for entry in file.tool {
        add(entry, &mut tools)?;
    }
    let RawNames { programs, prompts, answers, raw_formats, machines, local_schemes, local_folders } = file.names;
    let folded = |names: Vec<String>| names.iter().map(|name| folded_name(name).into_owned()).collect();
    let (programs, prompts, answers) = (folded(programs), folded(prompts), folded(answers));
    let (raw_formats, machines) = (folded(raw_formats), folded(machines));
    Ok(Table {
        tools,
        names: Names { programs, prompts, answers, raw_formats, machines, local_schemes, local_folders },
    })
}

fn add(entry: Entry, tools: &mut Tools) -> Result<(), PolicyError> {
    let Entry {
        names,
        dialects,
        servers,
        kind,
        opens,
        opens_text,
        inert,
        prompted_by,
        formats,
        fields,
        may_echo,
        dispatches,
    } = entry;
    let mut rule = ToolRule::named(None, "");
    rule.kind = kind_of(kind);
    rule.opens = paths(&opens)?;
    rule.opens_text = paths(&opens_text)?;
    rule.inert = paths(&inert)?;
    rule.prompted_by = paths(&prompted_by)?;
    rule.formats = paths(&formats)?;
    let mut read = Vec::new();
    for (path, field) in fields {
        read.push((convert::parse_path(&path)?, convert::field_of(field)));
    }
    rule.fields = convert::narrow_first(read);
    rule.may_echo = may_echo;
    rule.dispatches = dispatches.map(convert::dispatch_of).transpose()?;
    let dialects: Vec<Option<&str>> = match dialects.is_empty() {
        true => vec![None],
        false => dialects.iter().map(|dialect| Some(dialect.as_str())).collect(),
    };
    for name in &names {
        for dialect in &dialects {
            let mut own = rule.clone();
            name.clone_into(&mut own.name);
            own.dialect = dialect.map(str::to_owned);
            tools.add(own);
        }
        for server in &servers {
            let mut own = rule.clone();
            name.clone_into(&mut own.name);
            own.server = Some(server.clone());
            own.kind = offered_by_a_server(own.kind);
            // A profile that does not believe connectors does not believe their index fields either.
            own.fields.retain(|(_, field)| *field != Field::Index);
            tools.add(own);
        }
    }
    Ok(())
}

/// A server's tool is a connector, whatever the server calls it, unless its kind makes its results count for less.
fn offered_by_a_server(kind: Kind) -> Kind {
    match kind {
        Kind::Search | Kind::Page | Kind::Opener | Kind::Connector | Kind::Other => Kind::Opener,
        Kind::Question
        | Kind::Discovery
        | Kind::Shell
        | Kind::Script
        | Kind::File
        | Kind::Memory
        | Kind::Plan
        | Kind::Notes
        | Kind::Report
        | Kind::Summary => kind,
    }
}

fn paths(said: &raw::Paths) -> Result<Vec<firsthand::json::Path>, PolicyError> {
    said.0.iter().map(|path| convert::parse_path(path)).collect()
}

fn kind_of(kind: RawKind) -> Kind {
    match kind {
        RawKind::Search => Kind::Search,
        RawKind::Page => Kind::Page,
        RawKind::Opener => Kind::Opener,
        RawKind::Shell => Kind::Shell,
        RawKind::Script => Kind::Script,
        RawKind::File => Kind::File,
        RawKind::Memory => Kind::Memory,
        RawKind::Plan => Kind::Plan,
        RawKind::Notes => Kind::Notes,
        RawKind::Report => Kind::Report,
        RawKind::Summary => Kind::Summary,
        RawKind::Question => Kind::Question,
        RawKind::Discovery => Kind::Discovery,
        RawKind::Connector => Kind::Connector,
        RawKind::Other => Kind::Other,
    }
}

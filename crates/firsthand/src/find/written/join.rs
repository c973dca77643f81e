//! What a tool may join of its arguments: host and path, base and query, the parts of an address one by one.
//!
//! Every leaf is read for itself first. Then each value that may be the beginning of an address is put together with each
//! that may be a path and each that may be a query. The numbers are capped: a call with more such arguments than any
//! tool takes is not joined in full.

use std::borrow::Cow;

use super::encoded::{self, Glued};
use super::scan::first_spelling;
use super::sink::{Sink, Spelling};
use super::{grouped, layers, value};
use crate::json::{Kind, Step, looks_like_json, walk};

/// How deep JSON texts inside of JSON strings are joined.
const NESTED: usize = 4;

/// How many values are taken for each part of an address.
const VALUES: usize = 12;

/// How many joins are made of one call, shared evenly among the beginnings.
const JOINS: usize = 6000;

/// The longest value that is taken for a part of an address, in bytes.
const LONGEST: usize = 8192;

/// Names of arguments that hold the beginning of an address even where it has no dot.
const BASES: &[&str] = &[
    "host",
    "hostname",
    "domain",
    "server",
    "authority",
    "netloc",
    "base",
    "base_url",
    "baseurl",
    "origin",
    "url",
    "uri",
    "href",
    "site",
    "website",
    "address",
    "endpoint",
    "target",
    "root",
    "prefix",
];

/// Names of arguments that hold a path.
const PATHS: &[&str] = &[
    "path",
    "pathname",
    "route",
    "resource",
    "endpoint",
    "slug",
    "file",
    "page",
    "uri",
    "suffix",
    "object",
    "key",
    "id",
    "name",
    "segment",
    "segments",
    "parts",
    "path_params",
];

/// Names of arguments that hold a query or one value of it.
const QUERIES: &[&str] =
    &["query", "search", "params", "qs", "querystring", "query_string", "querystr", "args", "parameters"];

/// Names of arguments that hold a label in front of a host.
const LABELS: &[&str] =
    &["subdomain", "sub", "tenant", "account", "workspace", "bucket", "label", "region", "org", "prefix"];

/// Names of arguments that hold what follows a host name.
const ENDINGS: &[&str] = &["tld", "suffix", "zone", "extension"];

/// Reads the arguments of a call.
pub(super) fn read(text: &str, sink: &mut Sink<'_>, depth: usize) {
    let mut fields = Fields::default();
    let walked = walk(text, &mut |path, leaf| match leaf.kind {
        Kind::Key => layers::read(&leaf.text, sink),
        Kind::String => {
            layers::read(&leaf.text, sink);
            whole(&leaf.text, sink);
            value::read(&leaf.text, sink);
            grouped::each_decoded(&leaf.text, &mut |decoded| layers::read_nested(decoded, sink, 1));
            if depth < NESTED && looks_like_json(&leaf.text) {
                read(&leaf.text, sink, depth + 1);
            }
            fields.add(path, &leaf.text);
        }
        Kind::Scalar => fields.add(path, &leaf.text),
    });
    if !walked.whole {
        layers::read(text, sink);
    }
    fields.join(sink);
}

/// A value that is an address as a whole, whatever stands in it.
fn whole(value: &str, sink: &mut Sink<'_>) {
    let value = value.trim();
    if value.len() > LONGEST
        || !value.contains(|letter: char| letter.is_whitespace() || matches!(letter, '"' | '<' | '>'))
    {
        return;
    }
    if let Some((at, spelling)) = first_spelling(value)
        && at <= 1
    {
        sink.put(value, Some(&Spelling::new(&spelling)), true);
    }
}

/// The arguments, by the part of an address that each may be.
#[derive(Default)]
struct Fields {
    bases: Vec<String>,
    paths: Vec<String>,
    queries: Vec<String>,
    labels: Vec<String>,
    endings: Vec<String>,
    ports: Vec<String>,
    /// Every short value with its name: what may be put where a base is open, or where it names a slot.
    values: Vec<(String, String)>,
    /// Values of members that are called like the beginning of an address.
    named: Vec<(String, String)>,
    /// The objects that hold values, and those values as a query and as a path.
    groups: Vec<Group>,
}

/// The values of one object or array.
#[derive(Default)]
struct Group {
    place: String,
    query: String,
    path: String,
    /// The values without anything between them.
    glued: String,
}

impl Fields {
    fn add(&mut self, path: &[Step<'_>], value: &str) {
        let value = value.trim();
        if value.len() > LONGEST || value.is_empty() {
            return;
        }
        let name = path.iter().rev().find_map(|step| match step {
            Step::Key(name) => Some(name.to_ascii_lowercase().replace('-', "_")),
            Step::Index(_) => None,
        });
        let name = name.unwrap_or_default();
        let is = |names: &[&str]| names.contains(&name.as_str());
        let word = !value.contains(char::is_whitespace);
        let keep = |values: &mut Vec<String>| {
            if values.len() < VALUES && !values.iter().any(|kept| kept == value) {
                values.push(value.to_owned());
            }
        };

        let dotted =
            value.find(['/', '?', '#']).map_or(value, |end| value.get(..end).unwrap_or_default()).contains('.');
        let begins = word || value.starts_with("http") || value.starts_with("HTTP");
        if begins && (is(BASES) || value.contains("://") || dotted && !value.starts_with('.')) {
            keep(&mut self.bases);
        }
        if value.starts_with('/') || is(PATHS) {
            keep(&mut self.paths);
        }
        if value.starts_with(['?', '&']) || is(QUERIES) || value.contains('=') && !value.contains("://") {
            keep(&mut self.queries);
        }
        if word && is(LABELS) {
            keep(&mut self.labels);
        }
        if word && is(ENDINGS) {
            keep(&mut self.endings);
        }
        if value.len() <= 5 && value.bytes().all(|byte| byte.is_ascii_digit()) {
            keep(&mut self.ports);
        }
        if self.values.len() < VALUES * 2 {
            self.values.push((name.clone(), value.to_owned()));
        }
        if let Some(Step::Key(raw)) = path.last()
            && raw.contains('.')
            && self.named.len() < VALUES
        {
            self.named.push((raw.clone().into_owned(), value.to_owned()));
        }
        self.group(path, &name, value);
    }

    /// Puts a value into the group of its object, and where it stands in an array, into that of the array.
    fn group(&mut self, path: &[Step<'_>], name: &str, value: &str) {
        let Some((_, parents)) = path.split_last() else { return };
        let place = format!("{parents:?}");
        if self.groups.last().is_none_or(|group| group.place != place) {
            // Objects inside of each other come back to the outer one.
            match self.groups.iter().position(|group| group.place == place) {
                Some(at) => {
                    let group = self.groups.remove(at);
                    self.groups.push(group);
                }
                None if self.groups.len() < VALUES => {
                    self.groups.push(Group { place, ..Group::default() });
                }
                None => return,
            }
        }
        let Some(group) = self.groups.last_mut() else { return };
        if group.query.len() + group.path.len() > LONGEST {
            return;
        }
        let raw_name: Cow<'_, str> = match path.last() {
            Some(Step::Key(name)) => name.clone(),
            Some(Step::Index(_)) | None => name.into(),
        };
        // A list of pairs that already read `name=value` is a query as well.
        let pair = if value.contains('=') && matches!(path.last(), Some(Step::Index(_))) {
            value.to_owned()
        } else {
            format!("{raw_name}={value}")
        };
        for (text, sign, part) in [(&mut group.query, '&', pair.as_str()), (&mut group.path, '/', value)] {
            if !text.is_empty() {
                text.push(sign);
            }
            text.push_str(part);
        }
        group.glued.push_str(value);
    }

    fn join(mut self, sink: &mut Sink<'_>) {
        for group in &self.groups {
            self.glue(group, sink);
            // The object that holds the base is no query of its own; its other values are joined one by one.
            if !self.bases.iter().any(|base| group.path.contains(base.as_str())) {
                self.queries.push(group.query.clone());
                self.paths.push(group.path.clone());
            }
        }
        // A single value may be the value of its own name.
        for (name, value) in &self.values {
            if self.queries.len() < VALUES * 2 && !self.bases.contains(value) {
                self.queries.push(format!("{name}={value}"));
            }
        }
        for (base, value) in &self.named {
            let spelling = first_spelling(base).map(|(_, spelling)| spelling);
            let spelling = spelling.as_deref().map(Spelling::new);
            with_path(base, value).iter().for_each(|joined| sink.put(joined, spelling.as_ref(), true));
        }
        let bases = self.all_bases();
        let share = JOINS / bases.len().max(1);
        for base in bases {
            let mut left = share;
            let spelling = first_spelling(&base).map(|(_, spelling)| spelling);
            let spelling = spelling.as_deref().map(Spelling::new);
            let put = |sink: &mut Sink<'_>, joined: &str| sink.put(joined, spelling.as_ref(), true);
            // What stands behind it in its own object or array, in that order.
            for group in self.groups.iter().filter(|group| group.path.len() > base.len()) {
                if let Some(behind) = behind(&group.path, &base) {
                    with_path(&base, behind).iter().for_each(|joined| put(sink, joined));
                }
            }
            self.fill(&base, &mut |filled| put(sink, filled));
            for path in std::iter::once("").chain(self.paths.iter().map(String::as_str)) {
                for based in with_path(&base, path) {
                    if !path.is_empty() || !self.bases.contains(&base) {
                        put(sink, &based);
                    }
                    for query in &self.queries {
                        if left == 0 {
                            break;
                        }
                        left -= 1;
                        put(sink, &with_query(&based, query));
                    }
                }
            }
        }
    }

    /// Reads the values of a group as one text, which may be an address in pieces or an encoded one.
    fn glue(&self, group: &Group, sink: &mut Sink<'_>) {
        let glued = group.glued.as_str();
        if glued.len() == group.path.len() {
            return;
        }
        for base in self.bases.iter().chain(glued.contains("://").then_some(&group.glued)) {
            let Some(joined) = glued.find(base.as_str()).and_then(|at| glued.get(at..)) else { continue };
            let spelling = first_spelling(base).map(|(_, spelling)| spelling);
            sink.put(joined, spelling.as_deref().map(Spelling::new).as_ref(), true);
        }
        for text in [glued, &group.path] {
            grouped::each_decoded(text, &mut |decoded| layers::read_nested(decoded, sink, 1));
        }
        encoded::each_decoded(glued, Glued::Nowhere, &mut |decoded| layers::read_nested(decoded, sink, 1));
    }

    /// The beginnings: as they stand, with a label before them, with an ending or a port behind them.
    fn all_bases(&self) -> Vec<String> {
        let mut bases = self.bases.clone();
        for base in &self.bases {
            let (scheme, rest) = base.split_once("://").unwrap_or(("https", base));
            let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
            let (host, rest) = rest.split_at_checked(end).unwrap_or((rest, ""));
            for label in &self.labels {
                bases.push(format!("{scheme}://{label}.{host}{rest}"));
            }
            for ending in &self.endings {
                bases.push(format!("{scheme}://{host}.{}{rest}", ending.trim_start_matches('.')));
            }
            for port in self.ports.iter().filter(|_| !host.contains(':')) {
                bases.push(format!("{scheme}://{host}:{port}{rest}"));
            }
        }
        bases.truncate(VALUES * 3);
        bases
    }

    /// Fills the slots of a template, and appends values to a base that waits for one.
    fn fill(&self, base: &str, each: &mut dyn FnMut(&str)) {
        if base.contains(['{', '$', '<', '%', ':']) {
            let mut filled = base.to_owned();
            for (name, value) in self.values.iter().filter(|(name, value)| !name.is_empty() && value != base) {
                for slot in [
                    format!("{{{{{name}}}}}"),
                    format!("${{{name}}}"),
                    format!("{{{name}}}"),
                    format!("<{name}>"),
                    format!("${name}"),
                    format!("/:{name}"),
                ] {
                    let value = if slot.starts_with('/') { format!("/{value}") } else { value.clone() };
                    if filled.len() <= LONGEST && filled.contains(&slot) {
                        filled = filled.replacen(&slot, &value, 2);
                    }
                }
            }
            if filled != base {
                each(&filled);
            }
            for slot in ["%s", "{}", "{0}"].into_iter().filter(|slot| base.contains(slot)) {
                for (_, value) in self.values.iter().filter(|(_, value)| value != base) {
                    each(&base.replacen(slot, value, 1));
                }
            }
        }
        if base.ends_with(['=', '?', '&', '/', '-', '_', '.', '+']) {
            for (_, value) in self.values.iter().filter(|(_, value)| value != base) {
                each(&format!("{base}{value}"));
            }
        }
    }
}

/// What follows a base in the values of a group.
fn behind<'g>(group: &'g str, base: &str) -> Option<&'g str> {
    group.split_once(base)?.1.strip_prefix('/').filter(|behind| !behind.is_empty())
}

/// A base with a path: appended, from the root, and beside its last segment.
fn with_path(base: &str, path: &str) -> Vec<String> {
    let base = base.split('#').next().unwrap_or_default();
    if path.is_empty() {
        return vec![base.to_owned()];
    }
    let (head, query) = base.split_once('?').map_or((base, String::new()), |(head, query)| (head, format!("?{query}")));
    let authority = head.find("://").map_or(0, |at| at + 3);
    let root = head.get(authority..).and_then(|rest| rest.find('/')).map(|at| authority + at);
    let mut joined = vec![format!("{}/{}{query}", head.trim_end_matches('/'), path.trim_start_matches('/'))];
    if let Some(root) = root {
        let root = head.get(..root).unwrap_or_default();
        joined.push(format!("{root}/{}", path.trim_start_matches('/')));
        let folder = head.rfind('/').and_then(|at| head.get(..at)).unwrap_or_default();
        if folder.len() > root.len() {
            joined.push(format!("{folder}/{}", path.trim_start_matches('/')));
        }
    }
    joined
}

fn with_query(base: &str, query: &str) -> String {
    let query = query.trim_start_matches(['?', '&']);
    let sign = match (base.contains('?'), base.ends_with(['?', '&', '='])) {
        (_, true) => "",
        (true, false) => "&",
        (false, false) => "?",
    };
    format!("{base}{sign}{query}")
}

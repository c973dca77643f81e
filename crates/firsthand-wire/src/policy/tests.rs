#![expect(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stderr,
    reason = "a panic is the report of a test, and a skipped one says so"
)]
#![expect(clippy::disallowed_methods, reason = "a test reads the shared tables where they are")]

use std::collections::BTreeSet;

use firsthand::conversation::{Ran, Seat, Speaker};
use firsthand::meter::{Bits, Budget, Over};
use firsthand::policy::{Credentials, EarlierTurns, Field, Kind, Permission, Reach, ShellLiteral};
use firsthand::writer::{Origin, Row, Writer, writer_of};

use super::{PROFILES, SCHEMA, load, print, profile, profile_file, profile_text, tools};

fn result(row: Row, ran: Ran) -> Origin {
    Origin::Result { row, ran, is_error: false }
}

/// The four profiles of a row, in the order of the table.
#[track_caller]
fn row(origin: Origin, wanted: [&str; 4]) {
    let names = ["firsthand", "managed-agents", "messages-api", "person-only"];
    let got = names.map(|name| writer_of(origin, &profile(name).unwrap()).name());
    assert_eq!(got, wanted, "{origin:?}");
}

#[test]
fn positions_are_whose_the_table_says() {
    row(Origin::User(Seat::Presumed), ["person", "person", "person", "person"]);
    row(Origin::User(Seat::Person), ["person", "person", "person", "person"]);
    row(Origin::User(Seat::ParentModel), ["model", "ignored", "ignored", "ignored"]);
    row(Origin::Relay(Seat::Presumed), ["world", "person", "person", "ignored"]);
    row(Origin::Answer(Seat::Presumed), ["person", "ignored", "person", "person"]);
    row(Origin::Said(Speaker::System), ["ignored"; 4]);
    row(Origin::Attachment { from_agent_path: false }, ["world", "ignored", "ignored", "ignored"]);
    row(Origin::Attachment { from_agent_path: true }, ["ignored", "ignored", "world", "ignored"]);
    row(Origin::Said(Speaker::Assistant), ["model", "ignored", "ignored", "ignored"]);
    row(Origin::Said(Speaker::Thinking), ["model", "ignored", "ignored", "ignored"]);
    row(Origin::Arguments, ["model", "ignored", "ignored", "ignored"]);
    row(Origin::Said(Speaker::Task), ["model", "ignored", "ignored", "ignored"]);
    row(Origin::Said(Speaker::Summary), ["model", "ignored", "ignored", "ignored"]);
    row(Origin::Said(Speaker::Report), ["ignored"; 4]);
}

#[test]
fn results_are_whose_the_table_says() {
    for ran in [Ran::Client, Ran::Provider] {
        row(result(Row::Search, ran), ["world", "world", "world", "ignored"]);
        row(result(Row::Page, ran), ["world", "world", "world", "ignored"]);
        row(result(Row::Host, ran), ["ignored"; 4]);
        row(result(Row::Orphan, ran), ["ignored"; 4]);
    }
    row(result(Row::Connector, Ran::Client), ["world", "ignored", "world", "ignored"]);
    row(result(Row::Connector, Ran::Provider), ["world", "ignored", "ignored", "ignored"]);
    row(result(Row::Undeclared, Ran::Client), ["ignored", "ignored", "world", "ignored"]);
    row(result(Row::Custom, Ran::Client), ["ignored", "world", "world", "ignored"]);
    row(result(Row::Generated, Ran::Client), ["ignored", "ignored", "world", "ignored"]);
    row(result(Row::Generated, Ran::Provider), ["ignored"; 4]);
    let error = |row| Origin::Result { row, ran: Ran::Client, is_error: true };
    row(error(Row::Page), ["ignored", "ignored", "world", "ignored"]);
    row(error(Row::Generated), ["ignored", "ignored", "world", "ignored"]);
}

#[test]
fn the_rest_of_the_table_is_as_it_says() {
    let four = ["firsthand", "managed-agents", "messages-api", "person-only"].map(|name| profile(name).unwrap());
    assert_eq!(four.each_ref().map(|policy| policy.order_counts), [true, false, false, false]);
    assert_eq!(four.each_ref().map(|policy| policy.truncation), [true, false, false, false]);
    assert_eq!(four.each_ref().map(|policy| policy.conventions), [true, false, false, false]);
    assert_eq!(four.each_ref().map(|policy| policy.index_fields), [false; 4]);
    assert_eq!(
        four.each_ref().map(|policy| policy.credentials),
        [Credentials::Derived, Credentials::Off, Credentials::Every, Credentials::Off]
    );
    assert_eq!(four.each_ref().map(|policy| policy.longest), [8192, 8192, 250, 8192]);
    let unattended = profile("unattended").unwrap();
    assert!(unattended.index_fields && unattended.order_counts && unattended.profile == "unattended");
}

#[test]
fn a_profile_says_every_cell() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    for (name, text) in PROFILES.iter().filter(|(name, _)| *name != "unattended") {
        let file: toml::Table = toml::from_str(text).unwrap();
        for table in ["positions", "results", "rule", "shell", "echo", "turns"] {
            let wanted = schema.pointer(&format!("/properties/{table}/properties")).unwrap().as_object().unwrap();
            let wanted: BTreeSet<&str> = wanted.keys().map(String::as_str).collect();
            let said: BTreeSet<&str> =
                file.get(table).unwrap().as_table().unwrap().keys().map(String::as_str).collect();
            assert_eq!(said, wanted, "{name} {table}");
        }
    }
}

const SAMPLE: &str = r#"profile = "firsthand"

[positions]
attachment = "ignored"

[results]
connector = { client = "ignored", provider = "world" }

[rule]
longest_bytes = 2000
index_fields = true

[connectors]
scratchbox = "ignored"
"odd \"name\"\n" = "world"

[tools.asset_lookup]
result = "world"
opens = ["url", "urls[].url"]
inert = ["page"]

[tools."plm/get_note"]
result = "ignored"

[tools.sheet_finder]
result = "ignored"
fields = { "hits[].link" = "world", "hits[]" = "model", "top" = "index" }
may_echo = false

[tools.runner]
dispatches = { name = ["tool", "name"], arguments = "input", server = "on" }

[tools.web_fetch]
permission = "always_ask"
allowed_domains = ["a.example.net"]
blocked_domains = ["b.example.net"]

[tools.web_search]
result = "ignored"

[networking]
type = "limited"
allowed_hosts = ["ir.example.com", "*.example.net", "build.vendor.example:8443"]

[private]
hosts = ["wiki.corp.example:8080"]
ranges = ["10.20.0.0/16"]

[shell]
literal = "ask"

[echo]
reach = "substrings"

[turns]
earlier = "on_miss"

[leak]
per_site_bits = 12.5
over = "refuse"
"#;

#[test]
fn what_a_file_says_is_what_the_policy_means() {
    let loaded = load(SAMPLE).unwrap();
    let policy = &loaded.policy;
    assert!(loaded.notes.iter().all(|note| note.contains("lets every subdomain through")), "{:?}", loaded.notes);
    assert_eq!(policy.positions.attachment, Writer::Ignored);
    assert_eq!(policy.positions.relay, Writer::World);
    assert_eq!((policy.results.connector.client, policy.results.connector.provider), (Writer::Ignored, Writer::World));
    assert_eq!(policy.longest, 2000);
    assert_eq!(policy.connectors.get("scratchbox"), Some(&Writer::Ignored));
    assert_eq!(
        (policy.shell, policy.echo, policy.earlier),
        (ShellLiteral::Ask, Reach::Substrings, EarlierTurns::OnMiss)
    );
    let note = policy.tools.rule("firsthand", Some("plm"), "get_note").unwrap();
    assert!(note.declared && note.result == Some(Writer::Ignored));
    let finder = policy.tools.rule("firsthand", None, "sheet_finder").unwrap();
    let fields: Vec<(String, Field)> = finder.fields.iter().map(|(path, field)| (path.to_string(), *field)).collect();
    let wanted =
        [("hits[].link", Field::Of(Writer::World)), ("hits[]", Field::Of(Writer::Model)), ("top", Field::Index)];
    assert_eq!(fields, wanted.map(|(path, field)| (path.to_owned(), field)));
}

#[test]
fn what_a_file_says_of_a_known_tool_is_laid_over_what_is_known() {
    let policy = load(SAMPLE).unwrap().policy;
    let fetch = policy.tools.rule("firsthand", None, "web_fetch").unwrap();
    assert_eq!((fetch.kind, fetch.permission), (Kind::Page, Permission::AlwaysAsk));
    assert_eq!(fetch.opens.len(), 1);
    let in_gemini = policy.tools.rule("gemini-cli", None, "web_fetch").unwrap();
    assert_eq!((in_gemini.kind, in_gemini.permission), (Kind::Summary, Permission::AlwaysAsk));
    let search = policy.tools.rule("firsthand", None, "web_search").unwrap();
    assert!(search.fields.is_empty(), "a class for the whole result is not undone by the table's fields");
}

#[test]
fn a_printed_policy_reads_back_the_same() {
    let texts = PROFILES.iter().map(|(_, text)| *text).chain([SAMPLE, OWN_RULE, r#"{"client_tool_results":"none"}"#]);
    for text in texts {
        let policy = load(text).unwrap().policy;
        let printed = print(&policy);
        let again = load(&printed).unwrap_or_else(|error| panic!("{error}\n{printed}"));
        assert_eq!(format!("{:?}", again.policy), format!("{policy:?}"), "{printed}");
        assert_eq!(print(&again.policy), printed);
    }
}

#[test]
fn where_credentials_are_looked_for_is_read() {
    let loaded = load("[rule]\ntruncation = false\ncredentials = \"off\"\n").unwrap();
    assert_eq!(loaded.policy.credentials, Credentials::Off);
    assert!(loaded.notes.is_empty(), "{:?}", loaded.notes);
}

#[test]
fn a_budget_is_read() {
    let budget = |text: &str| load(text).unwrap().policy.budget;
    let (site, tree) = (Some(Bits::thousandths(1000)), Some(Bits::thousandths(2500)));
    let said = budget("[leak]\nper_site_bits = 1\nper_tree_bits = 2.5\nover = \"refuse\"\n");
    assert_eq!(said, Budget { per_site: site, per_tree: tree, over: Over::Refuse });
    assert_eq!(budget(""), Budget { per_site: None, per_tree: None, over: Over::Ask });
}

const OWN_RULE: &str = "[conventions]\noff = [\"doi\", \"tickets\"]\n[[conventions.add]]\nname = \"tickets\"\n\
    opens = [\"https://tickets.example/{view}/{cve}\"]\ntokens = [\"cve\"]\nchoices = { view = [\"show\", \"raw\"] }\nconnectors = true\n";

#[test]
fn rules_are_added_and_switched_off() {
    let loaded = load(OWN_RULE).unwrap();
    assert!(loaded.notes.is_empty());
    let rules = &loaded.policy.rules;
    assert_eq!(rules.off().collect::<Vec<_>>(), ["doi", "tickets"]);
    let own = rules.named("tickets").unwrap();
    assert!(own.is_declared() && own.takes_connectors() && own.freedom() == 2);
    let printed = print(&loaded.policy);
    assert_eq!(print(&load(&printed).unwrap().policy), printed);
}

#[test]
fn a_rule_that_does_not_hold_is_named_with_its_place() {
    fails(
        "[conventions]\noff = [\"doy\"]",
        "line 2 column 8: `conventions.off`: found no rule `doy`; expected the name of a rule",
    );
    fails(
        "[[conventions.add]]\nname = \"free\"\nopens = [\"https://a.example/{anything}\"]\ntokens = [\"doi\"]\n",
        "line 1 column 1: `conventions.add`: `free`: the slot `anything` has no grammar and no list of choices, so it could be \
         chosen freely",
    );
    fails(
        "[[conventions.add]]\nname = \"doi\"\nopens = [\"https://a.example/{doi}\"]\ntokens = [\"doi\"]\n",
        "line 1 column 1: `conventions.add`: there is a rule `doi` already",
    );
}

#[track_caller]
fn fails(text: &str, wanted: &str) {
    assert_eq!(load(text).unwrap_err().to_string(), wanted);
}

#[test]
fn a_mistake_is_named_with_its_place_its_key_and_what_should_stand_there() {
    fails(
        "profile = \"firsthnad\"",
        "line 1 column 11: `profile`: found no profile `firsthnad`; expected one of firsthand, managed-agents, \
         messages-api, person-only, unattended",
    );
    fails(
        "[positions]\nuser = \"person\"\nsytem = \"world\"\n",
        "line 3 column 1: `positions.sytem`: found the unknown key `sytem`; expected one of `user`, `relay`, `answer`, \
         `system`, `attachment`, `assistant`, `thinking`, `tool_call`, `task`, `summary`",
    );
    fails(
        "[positions]\nuser = \"persn\"\n",
        "line 2 column 8: `positions.user`: found the value `persn`; expected one of `person`, `world`, `model`, `ignored`",
    );
    fails("[tools.x]\nmay_echo = 1\n", "line 2 column 12: `tools.x.may_echo`: found integer `1`; expected a boolean");
    fails(
        "[tools.x]\nopens = [\"url\", \"a..b\"]\n",
        "line 2 column 17: `tools.\"x\".opens`: found `a..b`; expected names joined by dots, `[]` for every element, such as \
         `urls[].url`",
    );
    fails(
        "[connectors]\ncrm = \"person\"\n",
        "line 2 column 7: `connectors.crm`: found the value `person`; expected one of `world`, `model`, `ignored`",
    );
    fails(
        "[results]\npage = { client = \"world\" }\n",
        "line 2 column 8: `results.page`: found no key `provider`; expected the key",
    );
    fails(
        "[results]\npage = 3\n",
        "line 2 column 8: `results.page`: found integer `3`; expected `world`, `model`, `ignored` or a table of `client` and \
         `provider`",
    );
    fails(
        "[leak]\nper_site_bits = -1\n",
        "line 2 column 17: `leak.per_site_bits`: found -1; expected a number of bits from 0",
    );
    fails(
        "[networking]\ntype = \"unrestricted\"\nallowed_hosts = []\n",
        "line 3 column 17: `networking.allowed_hosts`: found a list of hosts beside the type `unrestricted`; expected the \
         type `limited`, or no list",
    );
}

#[test]
fn a_list_entry_that_cannot_be_meant_is_named() {
    let limited = "[networking]\ntype = \"limited\"\nallowed_hosts = [\"example.com\"]\n";
    let outside = load(&format!("{limited}[tools.web_fetch]\nallowed_domains = [\"docs.example.com\"]\n")).unwrap_err();
    assert!(outside.to_string().starts_with("line 5 column 19: `tools.\"web_fetch\".allowed_domains`: "), "{outside}");
    assert!(outside.to_string().contains("`docs.example.com`"), "{outside}");
    for (entry, key) in [("https://example.com", "allowed_hosts"), ("com", "allowed_hosts")] {
        let error =
            load(&format!("[networking]\ntype = \"limited\"\n{key} = [\"{entry}\"]\n")).unwrap_err().to_string();
        assert!(error.contains(&format!("`{entry}`")) && error.contains("line 3"), "{error}");
    }
}

#[test]
fn what_of_private_networks_is_opened_is_read_and_what_cannot_be_meant_is_named() {
    let private = load(SAMPLE).unwrap().policy.private;
    assert!(private.opens_host("wiki.corp.example", 8080) && !private.opens_host("wiki.corp.example", 443));
    assert!(private.opens_number("10.20.7.9".parse().unwrap()) && !private.opens_number("10.21.7.9".parse().unwrap()));
    let why = |text: &str| load(text).unwrap_err().to_string();
    assert_eq!(
        why("[private]\nhosts = [\"wiki\", \"wiki/x?token=1\"]\n"),
        "line 2 column 18: `private.hosts`: found `wiki/…`; expected the name of a host, with a port or without"
    );
    assert_eq!(
        why("[private]\nranges = [\"10.0.0.1/8\"]\n"),
        "line 2 column 11: `private.ranges`: found `10.0.0.1/8`; expected one address, or a range such as `10.0.0.0/8` \
         whose bits behind it are 0"
    );
}

#[test]
fn the_vendors_url_sources_are_a_policy() {
    let all = load(r#"{"url_sources":{"user_input":{"type":"all"},"client_tool_results":"all"}}"#).unwrap().policy;
    assert_eq!(format!("{all:?}"), format!("{:?}", profile("messages-api").unwrap()));

    let only = load(
        r#"{"user_input":"none",
            "client_tool_results":{"type":"only","tools":[{"type":"tool_reference","name":"crm_lookup"}]},
            "server_tool_results":{"type":"except","tools":[{"type":"tool_reference","name":"web_fetch"}]}}"#,
    );
    let only = only.unwrap().policy;
    assert_eq!(only.positions.user, Writer::Ignored);
    assert_eq!(only.results.undeclared.client, Writer::Ignored);
    assert_eq!((only.results.search.provider, only.results.page.provider), (Writer::World, Writer::Ignored));
    assert_eq!(only.tools.rule("", None, "crm_lookup").unwrap().result, Some(Writer::World));

    let except = load(r#"{"client_tool_results":{"type":"except","tools":[{"type":"tool_reference","name":"Bash"}]}}"#);
    let except = except.unwrap().policy;
    assert_eq!(except.results.undeclared.client, Writer::World);
    assert_eq!(except.tools.rule("", None, "Bash").unwrap().result, Some(Writer::Ignored));
}

#[test]
fn mistakes_in_url_sources_are_named() {
    for (text, wanted) in [
        (r#"{"user_input":"some"}"#, "found the value `some`; expected `all` or `none`"),
        (r#"{"user_inputs":"all"}"#, "found the unknown key `user_inputs`"),
        (r#"{"client_tool_results":{"type":"only"}}"#, "found no key `tools`; expected the key"),
        (r#"{"user_input":{"type":"only","tools":[]}}"#, "found a choice of tools; expected `all` or `none`"),
        (r#"{"user_input":"#, "EOF while parsing a value"),
    ] {
        let error = load(text).unwrap_err().to_string();
        assert!(error.starts_with("line 1 column ") && error.contains(wanted), "{error}");
    }
}

#[test]
fn the_schema_takes_what_is_read_and_nothing_else() {
    let schema: serde_json::Value = serde_json::from_str(SCHEMA).unwrap();
    let validator = jsonschema::validator_for(&schema).unwrap();
    let fits = |text: &str| {
        let table: toml::Table = toml::from_str(text).unwrap();
        validator.is_valid(&serde_json::to_value(table).unwrap())
    };
    for (name, text) in PROFILES {
        assert!(fits(text), "{name}");
        assert!(fits(&print(&profile(name).unwrap())), "{name}");
    }
    assert!(fits(SAMPLE));
    for wrong in [
        "profil = \"firsthand\"",
        "[positions]\nsytem = \"world\"",
        "[positions]\nsystem = \"wrld\"",
        "[tools.x]\nopen = [\"url\"]",
        "[tools.x]\nresult = \"person\"",
        "[networking]\ntype = \"unrestricted\"\nallowed_hosts = []",
        "[networking]\nallowed_hosts = []",
        "[leak]\nper_site_bits = -1",
        "[shell]\nliteral = \"maybe\"",
        "[results]\npage = { client = \"world\" }",
    ] {
        assert!(!fits(wrong) && load(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn no_two_entries_of_the_table_are_for_the_same_tool() {
    let mut seen = BTreeSet::new();
    for rule in tools::table().unwrap().tools.rules() {
        let key = (rule.dialect.clone(), rule.server.clone(), rule.name.clone());
        assert!(seen.insert(key.clone()), "{key:?}");
        let opens = !rule.opens.is_empty() || !rule.opens_text.is_empty();
        assert!(opens || rule.inert.is_empty(), "{key:?} has inert arguments and opens nothing");
    }
}

#[test]
fn a_server_does_not_raise_its_tools_by_their_names() {
    let policy = profile("managed-agents").unwrap();
    for rule in policy.tools.rules().iter().filter(|rule| rule.server.is_some()) {
        assert!(!matches!(rule.kind, Kind::Search | Kind::Page | Kind::Question), "{:?} {}", rule.server, rule.name);
    }
    assert!(policy.tools.rule("", Some("acme-tools"), "web_search").is_none());
    for rule in policy.tools.rules() {
        for (path, field) in &rule.fields {
            // Only a policy file makes a field the world's outright; an index's fields follow the profile's row for searches.
            let ignored = *field == Field::Of(Writer::Ignored);
            assert!(ignored || *field == Field::Index && rule.server.is_none(), "{} {path}", rule.name);
        }
    }
}

#[test]
fn a_name_that_means_two_things_is_the_stricter_one_in_its_format() {
    let tools = &tools::table().unwrap().tools;
    let kind = |dialect, name| tools.rule(dialect, None, name).unwrap().kind;
    assert_eq!(kind("firsthand", "web_fetch"), Kind::Page);
    assert_eq!(kind("gemini-cli", "web_fetch"), Kind::Summary);
    assert_eq!(kind("claude-code", "WebFetch"), Kind::Summary);
    assert_eq!(kind("firsthand", "transfer_to_billing"), Kind::Report);
}

#[test]
fn the_tools_of_the_collection_are_known() {
    let shared = std::env::var_os("FIRSTHAND_SHARED").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        std::path::PathBuf::from,
    );
    let Ok(text) = std::fs::read_to_string(shared.join("examples/tool-names/tools.json")) else {
        eprintln!("skipped: the collection of tool names is not beside the checkout");
        return;
    };
    let collection: serde_json::Value = serde_json::from_str(&text).unwrap();
    let tools = &tools::table().unwrap().tools;
    for tool in collection.get("tools").unwrap().as_array().unwrap() {
        let name = tool.get("name").unwrap().as_str().unwrap();
        // The collection notes two products under this name with a remark in it.
        let name = name.split(" (").next().unwrap();
        let rule = tools.rule("", None, name).unwrap_or_else(|| panic!("{name} is not in the table"));
        let classes: Vec<&str> =
            tool.get("class").unwrap().as_array().unwrap().iter().filter_map(|c| c.as_str()).collect();
        if classes.contains(&"opens_url") {
            assert!(!rule.opens.is_empty() || !rule.opens_text.is_empty(), "{name} opens nothing");
        }
        if classes.contains(&"model_text") && tool.get("in").unwrap().as_array().unwrap().len() == 1 {
            assert!(!matches!(rule.kind, Kind::Search) || name == "file_search", "{name}");
        }
    }
}

#[test]
fn the_policies_of_the_case_files_are_read() {
    let shared = std::env::var_os("FIRSTHAND_SHARED").map_or_else(
        || std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared"),
        std::path::PathBuf::from,
    );
    let Ok(text) = std::fs::read_to_string(shared.join("cases/decisions.jsonl")) else {
        eprintln!("skipped: the case files are not beside the checkout");
        return;
    };
    for line in text.lines() {
        let case: serde_json::Value = serde_json::from_str(line).unwrap();
        let said = case.get("policy").and_then(|policy| policy.as_str()).unwrap_or_default();
        let profile = case.get("profile").unwrap().as_str().unwrap();
        load(&format!("profile = \"{profile}\"\n{said}")).unwrap_or_else(|error| panic!("{line}: {error}"));
        for key in ["conversation", "earlier"] {
            let Some(items) = case.get(key).and_then(|items| items.as_array()) else { continue };
            let lines: Vec<String> = items.iter().map(ToString::to_string).collect();
            let read = crate::format::read(
                lines.join("\n").as_bytes(),
                crate::format::Choice::Auto,
                &crate::format::Source { name: "case" },
            );
            read.unwrap_or_else(|error| panic!("{line}: {error}"));
        }
    }
}

#[test]
fn a_profile_can_be_shown_as_it_is_written() {
    assert!(profile_text("firsthand").unwrap().starts_with("# Nothing counts that the model wrote"));
    assert!(profile_text("secondhand").is_none());
}

#[test]
fn a_profile_that_changes_cells_of_another_is_shown_with_all_of_them() {
    let file = profile_file("unattended").unwrap();
    assert!(file.starts_with("# For runs that nobody watches"), "{file}");
    assert!(file.contains("\nuser = \"person\"\n") && file.contains("\nindex_fields = true\n"), "{file}");
    assert_eq!(profile_file("firsthand").unwrap(), profile_text("firsthand").unwrap());
}

#[test]
fn a_wildcard_and_a_name_in_other_letters_are_reported() {
    let text = "[networking]\ntype = \"limited\"\nallowed_hosts = [\"*.example.net\", \"xn--bcherei-n2a.example\"]\n";
    let notes = load(text).unwrap().notes;
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert!(
        notes.first().unwrap().contains("*.example.net") && notes.last().unwrap().contains("xn--bcherei-n2a.example")
    );
}

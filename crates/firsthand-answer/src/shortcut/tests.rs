#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

use std::collections::BTreeMap;

use super::Shortcuts;

fn file(template: &str, more: &str) -> String {
    format!("[[shortcut]]\nname = \"r\"\ntemplate = \"{template}\"\ndescription = \"d\"\n{more}\n")
}

#[track_caller]
fn refused(template: &str, more: &str, reason: &str) {
    let error = Shortcuts::read(&file(template, more)).unwrap_err().to_string();
    assert!(error.contains(reason), "{template}: {error}");
}

#[test]
fn bad_templates_are_refused_with_the_reason() {
    refused("http://erp.example/{a}", "", "does not start with `https://`");
    refused("https://{a}.example/x", "", "`a` stands in the host");
    refused("https://erp.example:{a}/x", "", "`a` stands in the port");
    refused("https://{a}@erp.example/x", "", "`a` stands in the user");
    refused("https://u@erp.example/{a}", "", "names a user");
    refused("https://erp.example/{a}/{a}", "", "two slots have the name `a`");
    refused("https://erp.example/{a}{b}", "", "nothing stands between");
    refused("https://erp.example/x", "", "no slot");
    refused("https://erp.example/{a", "", "a brace stands alone");
    refused("https://erp.example/{A b}", "", "no name of a slot");
    refused("https://erp.example/{a}", "patterns = { a = \".+\" }", "could cross a `/`");
    refused("https://erp.example/{a}", "patterns = { a = \"[^x]\" }", "could cross a `/`");
    refused("https://erp.example/{a}", "patterns = { a = \"(\" }", "no regular expression");
    refused("https://erp.example/{a}", "patterns = { b = \"x\" }", "which is no slot");
    refused("https://erp.example/{a}", "example = { a = \"..\" }", "cannot stand in an address");
    refused("https://erp.example/{a}/../x", "", "makes no web address");
    refused("https://erp.example/{a}", "colour = 1", "unknown field");
    let twice = file("https://erp.example/{a}", "").repeat(2);
    assert!(Shortcuts::read(&twice).unwrap_err().to_string().contains("two rules have the name `r`"));
}

#[test]
fn a_value_is_encoded_and_read_back() {
    let text = file("https://ERP.example:443/orders/{no}?view={view}#x", "patterns = { no = \"[A-Z]+-[0-9 ]+\" }");
    let rules = Shortcuts::read(&text).unwrap();
    let rule = &rules.rules()[0];
    let values =
        |no: &str, view: &str| BTreeMap::from([("no".to_owned(), no.to_owned()), ("view".to_owned(), view.to_owned())]);
    let address = rule.build(&values("ORD-1 2", "a/b&c=d")).unwrap();
    assert_eq!(address, "https://erp.example/orders/ORD-1%202?view=a%2Fb%26c%3Dd#x");
    assert_eq!(rules.matching(&address).map(|rule| rule.name.as_str()), Some("r"));
    for other in [
        "https://erp.example/orders/ord-1?view=a#x",
        "https://erp.example/orders/ORD-1?view=a",
        "https://erp.example/orders/ORD-1/2?view=a#x",
    ] {
        assert!(rules.matching(other).is_none(), "{other}");
    }
    assert!(rule.build(&values("x", "y")).unwrap_err().to_string().contains("does not match its pattern"));
    assert!(rule.build(&BTreeMap::new()).unwrap_err().to_string().contains("no value for the slot `no`"));
}

#[test]
fn a_value_does_not_leave_its_segment() {
    let rules = Shortcuts::read(&file("https://erp.example/orders/{no}/view", "")).unwrap();
    for value in ["..", ".", "a/b", "a\\b", "", "a\nb"] {
        let values = BTreeMap::from([("no".to_owned(), value.to_owned())]);
        assert!(rules.rules()[0].build(&values).is_err(), "{value:?}");
    }
    assert!(rules.matching("https://erp.example/orders/a%2Fb/view").is_none());
}

#[test]
fn an_example_is_the_address_that_it_makes() {
    let rules = Shortcuts::read(&file("https://erp.example/{a}", "example = { a = \"é\" }")).unwrap();
    assert_eq!(rules.rules()[0].example.as_deref(), Some("https://erp.example/%C3%A9"));
    assert_eq!(rules.rules()[0].slots().collect::<Vec<_>>(), ["a"]);
}

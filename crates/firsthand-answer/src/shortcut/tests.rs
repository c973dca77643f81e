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
    refused(
        "https://erp.example/{a}",
        "example = { a = \"x\" }\npatterns = { a = \"[0-9]+\" }",
        "the example of `r`: the value for `a` does not match its pattern",
    );
    refused("https://erp.example/{a}", "example = { b = \"x\" }", "there is no slot `b`");
    refused("https://erp.example/{a}/{b}", "example = { a = \"x\" }", "no value for the slot `b`");
    refused("https://erp.example/{a}/../x", "", "makes no web address");
    refused("https://erp.example/{a}", "colour = 1", "unknown field");
    let twice = file("https://erp.example/{a}", "").repeat(2);
    assert_eq!(Shortcuts::read(&twice).unwrap_err().to_string(), "line 7: two rules have the name `r`");
}

#[test]
fn no_value_chooses_whom_the_request_goes_to() {
    refused("https:///{a}/x", "", "no host");
    refused("https:////{a}", "", "no host");
    refused("https:///a{a}.other.example/p/", "", "no host");
    refused("https://?{a}", "", "no host");
    for template in [
        r"https://\\{a}/x",
        r"https://e.example\\{a}",
        r"https://\t/{a}",
        r"https://\n/{a}/b",
        r"https://e.example/ {a}",
        r"https://e.example/\r{a}",
        r"https://e.example/\u00A0{a}",
        r"https://e.exa\tmple/{a}",
    ] {
        refused(template, "", "white space, a backslash");
    }
    refused("https://e.example%2F{a}", "", "stands in the host");
    refused("https://e.example／{a}", "", "stands in the host");
}

#[track_caller]
fn follows(template: &str, patterns: &str, address: &str, wanted: bool) {
    let rules = Shortcuts::read(&file(template, patterns)).unwrap();
    assert_eq!(rules.matching(address).is_some(), wanted, "{template} {address}");
}

#[test]
fn patterns_together_say_where_a_value_ends() {
    let patterns = "patterns = { key = \"^[A-Z]+$\", no = \"([0-9-]+)\" }\nexample = { key = \"INC\", no = \"1-2\" }";
    let rules = Shortcuts::read(&file("https://e.example/{key}-{no}", patterns)).unwrap();
    let example = rules.rules()[0].example.as_deref().unwrap();
    assert_eq!(example, "https://e.example/INC-1-2");
    assert!(rules.matching(example).is_some());
    follows("https://e.example/{key}-{no}", patterns, "https://e.example/inc-1", false);
    follows("https://e.example/{a}-{b}", "", "https://e.example/x--.", true);
    follows("https://e.example/{a}%20{b}", "", "https://e.example/x%20y", true);
    follows("https://e.example/{a}/x/{b}", "", "https://e.example/1/x/2/x/3", false);
    follows("https://e.example/{a}", "", "https://e.example/1/", false);
    follows("https://e.example/{a}/", "", "https://e.example/1", false);
    follows("https://e.example/?a={a}&b={b}", "", "https://e.example/?a=1%262&b=3", true);
    follows("https://e.example/?a={a}&b={b}", "", "https://e.example/?a=1?b=3", false);
}

#[test]
fn the_path_of_an_application_in_a_fragment_is_a_path() {
    const TEMPLATE: &str = "https://f.example/#/a/{x}";
    refused(TEMPLATE, "patterns = { x = \".+\" }", "could cross a `/`");
    refused(TEMPLATE, "example = { x = \"..\" }", "cannot stand in an address");
    follows(TEMPLATE, "", "https://f.example/#/a/..", false);
    follows(TEMPLATE, "", "https://f.example/#/a/b%2Fc", false);
    follows(TEMPLATE, "", "https://f.example/#/a/b", true);
    follows("https://f.example/?q=#{x}", "", "https://f.example/?q=#..", false);
}

#[test]
fn an_error_names_the_line_that_is_to_blame() {
    refused("http://erp.example/{a}", "", "line 3: the template of `r`: ");
    refused("https://erp.example/{a}", "\npatterns = { a = \"(\" }", "line 6: the template of `r`: the pattern");
    refused("https://erp.example/{a}", "example = { a = \"..\" }", "line 5: the example of `r`: ");
    let nameless = file("https://erp.example/{a}", "").replace("\"d\"", "\" \"");
    assert_eq!(Shortcuts::read(&nameless).unwrap_err().to_string(), "line 4: the description is empty");
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

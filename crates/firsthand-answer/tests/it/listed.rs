//! The list of sources.

use firsthand_answer::record::{Form, Kind, Reason, TitleFrom};
use firsthand_answer::shortcut::Shortcuts;
use firsthand_answer::{Given, Known, KnownKind, Record, finish};

fn record(text: &str) -> Record<'_> {
    finish(text, &Given::default()).record
}

fn titles(text: &str, known: &[Known]) -> Vec<(String, TitleFrom)> {
    let given = Given { known, ..Given::default() };
    finish(text, &given).record.items.into_iter().map(|item| (item.title.into_owned(), item.title_from)).collect()
}

fn known(url: &str, title: &str) -> Known {
    Known { url: url.to_owned(), title: Some(title.to_owned()), kind: KnownKind::Web, first: None }
}

#[test]
fn addresses_stand_in_the_order_in_which_they_come_and_once() {
    let record =
        record("[b](https://b.example/) a https://a.example/x [c](HTTPS://B.example:443) <https://a.example/x>");
    let urls: Vec<&str> = record.items.iter().map(|item| item.url.as_ref()).collect();
    assert_eq!(urls, ["https://b.example/", "https://a.example/x"]);
    let counts: Vec<usize> = record.items.iter().map(|item| item.occurrences.len()).collect();
    assert_eq!(counts, [2, 2]);
    assert_eq!((record.total, record.truncated), (2, false));
}

#[test]
fn fragments_queries_and_slashes_keep_addresses_apart() {
    let text = "https://a.example/x https://a.example/x#y https://a.example/x/ https://a.example/x?utm_source=z";
    assert_eq!(record(text).items.len(), 4);
}

#[test]
fn a_hundred_are_listed_and_all_are_counted() {
    let text: String = (0..150).map(|n| format!("[t{n}](https://a.example/{n}) ")).collect();
    let record = record(&text);
    assert_eq!((record.items.len(), record.total, record.truncated), (100, 150, true));
    assert_eq!(record.markdown, text, "the rest stays in the text");
}

#[test]
fn a_title_is_the_text_of_the_link_then_what_a_tool_said_then_the_host() {
    let pages = [known("https://a.example/x", "Page of A")];
    assert_eq!(titles("[ORD-1](https://a.example/x)", &pages), [("ORD-1".to_owned(), TitleFrom::LinkText)]);
    assert_eq!(titles("<https://a.example/x>", &pages), [("Page of A".to_owned(), TitleFrom::ToolResult)]);
    assert_eq!(titles("<https://a.example/y>", &pages), [("a.example".to_owned(), TitleFrom::Host)]);
    assert_eq!(titles("[](https://a.example/x#part)", &pages), [("Page of A".to_owned(), TitleFrom::ToolResult)]);
    let documents = [known("/documents/d1", "Plan.pdf")];
    assert_eq!(titles("[](/documents/d1)", &documents), [("Plan.pdf".to_owned(), TitleFrom::ToolResult)]);
    assert_eq!(titles("[](/documents/d2)", &documents), [("/documents/d2".to_owned(), TitleFrom::Host)]);
}

#[test]
fn where_an_address_is_a_chip_even_once_texts_of_links_are_no_titles() {
    let pages = [known("https://a.example/x", "Page of A")];
    let text = "[ORD-1](https://a.example/x) and https://a.example/x";
    assert_eq!(titles(text, &pages), [("Page of A".to_owned(), TitleFrom::ToolResult)]);
    assert_eq!(titles(text, &[]), [("a.example".to_owned(), TitleFrom::Host)]);
}

#[test]
fn a_title_shows_no_other_site() {
    assert_eq!(titles("[bank.com](https://evil.example/)", &[]), [("evil.example".to_owned(), TitleFrom::Host)]);
    let pages = [known("https://evil.example/", "https://bank.com/login")];
    assert_eq!(titles("<https://evil.example/>", &pages), [("evil.example".to_owned(), TitleFrom::Host)]);
}

#[test]
fn occurrences_stand_on_their_links_in_the_finished_text() {
    let record = record("[x](javascript:1) é [b](https://b.example/)\n\n| a |\n|---|\n| https://c.example |\n");
    assert_eq!(record.markdown, "x é [b](https://b.example/)\n\n| a |\n|---|\n| https://c.example |\n");
    let spans: Vec<_> = record
        .items
        .iter()
        .flat_map(|item| &item.occurrences)
        .map(|one| (&record.markdown[one.start..one.end], one.form, one.in_table, one.text.as_ref()))
        .collect();
    assert_eq!(
        spans,
        [("[b](https://b.example/)", Form::Link, false, "b"), ("https://c.example", Form::Chip, true, ""),]
    );
    let unwrapped: Vec<_> = record.unwrapped.iter().map(|one| (one.reason, one.text.as_str())).collect();
    assert_eq!(unwrapped, [(Reason::Scheme, "x")]);
}

#[test]
fn disguises_do_not_stay() {
    for destination in [
        "javascript:1",
        "JaVa&#x09;script:1",
        "java&#10;script:1",
        "&#106;avascript:1",
        "data:text/html,x",
        "vbscript:x",
        "//evil.example",
        "\\\\\\\\evil.example",
        "/\\\\evil.example",
        "https:evil.example",
        "https:/evil.example",
        "https:///evil.example",
        "https://user@evil.example/",
        "https://a.example\\\\@evil.example/",
        "https://a.example/&#8238;x",
        "/documents/../x",
        "/documents/a%2fb",
        "/documents/",
        "documents/1",
        "#x",
        "?q",
        "",
        "ref-0123456789abcde",
        "https://ref-0123456789abcde",
        "https://ref-0123456789abcde/x",
        "file:///etc/passwd",
        "blob:https://a.example/x",
        "view-source:https://a.example",
        "https://exa&#173;mple.com/",
        "https://",
    ] {
        let text = format!("a [text]({destination}) b");
        let record = record(&text);
        assert_eq!(record.markdown, "a text b", "{destination}");
        assert_eq!(record.items, [], "{destination}");
        assert_eq!(record.unwrapped.len(), 1, "{destination}");
    }
}

#[test]
fn a_widget_is_listed_where_it_stands() {
    let text = "https://a.example\n\n```table-widget\n{\"columns\":[\"T\",{\"name\":\"U\"}],\"rows\":[[{\"text\":\"INC-1\",\
                \"url\":\"https://t.example/1\"},\"https://t.example/2\"],[3,null]]}\n```\n\nhttps://b.example";
    let record = record(text);
    let urls: Vec<&str> = record.items.iter().map(|item| item.url.as_ref()).collect();
    assert_eq!(urls, ["https://a.example", "https://t.example/1", "https://t.example/2", "https://b.example"]);
    let one = &record.items[1].occurrences[0];
    assert_eq!(&text[one.start..one.end], "{\"text\":\"INC-1\",\"url\":\"https://t.example/1\"}");
    assert!(one.in_table);
    assert_eq!(record.items[1].title, "INC-1");
    assert_eq!(record.items[0].kind, Kind::Web);
}

#[test]
fn a_broken_widget_is_code_and_said_to_be_broken() {
    for (body, said) in [
        ("{\"columns\":[\"a\"],\"rows\":[[1,2]]}", "line 2, column 1: the table widget: row 1 has 2 cells"),
        ("{\"columns\":[\"a\"]", "line 4, column 1: the table widget: EOF"),
        ("{\"columns\":[\"a\"],\"rows\":[[{\"url\":\"\\ud800\"}]]}", "row 1, column 1: "),
        ("{\"columns\":[\"a\"],\"rows\":[[[]]]}", "line 3, column 27: the table widget: row 1, column 1: a list"),
        (
            "{\"columns\":[\"a\"],\n\"rows\":[[{\"url\":7}]]}",
            "line 4, column 17: the table widget: row 1, column 1: invalid type",
        ),
    ] {
        let text = format!("é\n```table-widget\n{body}\n```");
        let finished = finish(&text, &Given::default());
        assert_eq!(finished.problems.len(), 1, "{body}");
        assert!(finished.problems[0].contains(said), "{}", finished.problems[0]);
        assert_eq!(finished.record.items, []);
    }
}

#[test]
fn a_link_that_holds_the_mark_of_a_footnote_is_listed_with_its_title() {
    let text = "[see [^1]](https://e.example) and [a [^1]](/documents/17)\n\n[^1]: two words";
    let record = finish(text, &Given::default()).record;
    let items: Vec<_> = record.items.iter().map(|item| (item.url.as_ref(), item.title.as_ref())).collect();
    assert_eq!(items, [("https://e.example", "see [^1]"), ("/documents/17", "a [^1]")]);
}

#[test]
fn an_address_that_follows_a_shortcut_rule_is_a_record() {
    let rules =
        "[[shortcut]]\nname = \"order\"\ntemplate = \"https://erp.example/orders/{no}\"\ndescription = \"An order.\"";
    let rules = Shortcuts::read(rules).unwrap();
    let given = Given { shortcuts: Some(&rules), ..Given::default() };
    let text =
        "[ORD-7](https://erp.example/orders/ORD-7) https://erp.example/orders/ORD-7/x /documents/17 [d](/documents/17)";
    let kinds: Vec<_> = finish(text, &given).record.items.into_iter().map(|item| (item.kind, item.shortcut)).collect();
    assert_eq!(kinds, [(Kind::Record, Some("order".to_owned())), (Kind::Web, None), (Kind::Document, None)]);
    assert_eq!(finish(text, &Given::default()).record.items[0].kind, Kind::Web);
}

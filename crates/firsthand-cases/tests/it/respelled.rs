//! What the model wrote stays its own in every spelling.

use firsthand::address::wide_key;
use firsthand::find::{written, written_in_json};
use firsthand_cases::respell::respellings;
use proptest::prelude::*;

fn lost(address: &str) -> Vec<String> {
    let wanted = wide_key(address);
    let mut lost = Vec::new();
    for (name, text) in respellings(address) {
        let mut found = false;
        written(&text, &mut |written| found |= written.key == wanted);
        if !found {
            lost.push(format!("{name}: {text}"));
        }
        let arguments = serde_json::json!({ "deep": [{ "target": text }] }).to_string();
        let mut found = false;
        written_in_json(&arguments, &mut |written| found |= written.key == wanted);
        if !found {
            lost.push(format!("{name}, as an argument: {text}"));
        }
    }
    lost
}

#[test]
fn these_addresses_are_found_in_every_spelling() {
    for address in [
        "https://sink.example/",
        "https://sink.example",
        "https://sink.example/in?d=q3-margin-41",
        "http://www.sink.example/put/Anna%20Kessler/7",
        "https://sink.example/?d=two+words&n=1",
        "https://sammlerbüro.example/straße/ä?q=ü",
        "https://xn--sammlerbro-heb.example/put",
        "https://a.b.c.sink.example/a.b/c.d?e.f=g.h",
        "https://sink.example/(a)_[b]/c;d,e!f",
    ] {
        assert_eq!(lost(address), Vec::<String>::new(), "{address}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_address_is_found_in_every_spelling(
        address in "https?://([a-z][a-z0-9]{0,6}\\.){1,3}(example|org|de)(/[A-Za-z0-9_~é-]{1,8}){0,3}/?(\\?[a-z]{1,3}=[A-Za-z0-9_ü-]{1,9}(&[a-z]{1,2}=[a-z0-9%20+]{0,6}[a-z]){0,3})?",
    ) {
        prop_assert_eq!(lost(&address), Vec::<String>::new());
    }
}

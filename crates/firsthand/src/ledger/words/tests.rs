use super::*;

fn text(text: &str) -> Text {
    Text::from(text)
}

#[test]
fn a_part_is_the_models_when_arguments_held_it_before_anybody_else() {
    let mut words = Words::default();
    words.note(0, Voice::Person, &text("The account is ACME-2291-B."), false);
    words.note(1, Voice::Arguments, &text(r#"{"slug":"margin-41-percent","account":"ACME-2291-B"}"#), true);
    words.note(2, Voice::Private, &text("stored margin-41-percent"), false);
    words.settle();
    assert!(words.is_the_models("margin-41-percent"));
    assert!(words.is_the_models("Margin-41"), "a run of eight bytes or more inside a longer argument");
    assert!(!words.is_the_models("ACME-2291-B"));
    assert!(!words.is_the_models("contract.pdf"));
    assert!(!words.is_the_models("margin"), "shorter than can be told apart");
}

#[test]
fn a_part_with_spaces_and_a_label_with_a_hyphen_are_told_apart() {
    let mut words = Words::default();
    words.note(0, Voice::Public, &text("see https://north-harbour.tracker.example/a"), false);
    words.note(1, Voice::Arguments, &text(r#"{"note":"anna has ward 7","host":"north-harbour"}"#), true);
    words.settle();
    assert!(words.is_the_models("anna%20has%20ward%207") && words.is_the_models("anna+has+ward+7"));
    assert!(!words.is_the_models("north-harbour"));
}

#[test]
fn a_part_is_the_models_however_it_is_escaped() {
    let nested = r#"{"a": "{\"b\": \"{\\\"c\\\": \\\"from\\\\nwithin here\\\"}\"}"}"#;
    let mut words = Words::default();
    words.note(0, Voice::Arguments, &text(r#"{"slug":"straße 41 percent","more":"naïve plans"}"#), true);
    words.note(1, Voice::Arguments, &text(nested), true);
    for part in [
        "strasse%2041%20percent",
        "stra%25C3%259Fe+41+percent",
        "stra&szlig;e 41&#32;percent",
        "ｓｔｒａｓｓｅ-41-percent",
        "𝐒𝐭𝐫𝐚𝐬𝐬𝐞 41 percent",
        "stra\u{200b}sse 41 per\u{e0041}cent",
        "nai\u{308}ve plans",
        r"na\u{ef}ve plans",
        "from+within+here",
    ] {
        let part = part.replace("-41-", " 41 ");
        assert!(words.is_the_models(&part), "{part}");
    }
}

#[test]
fn words_keep_who_wrote_them_first() {
    let mut words = Words::default();
    words.note(0, Voice::Public, &text("see 2406.01234 here"), false);
    words.note(1, Voice::Model, &text("2406.01234 and 2406.98765"), false);
    words.note(2, Voice::Public, &text("2406.98765"), false);
    words.settle();
    assert_eq!(words.place("2406.01234"), Some(Place { clock: 0, offset: 4, voice: Voice::Public }));
    assert_eq!(words.place("2406.98765"), None);
}

/// Words of a person, the model and a page, one after the other.
fn three(person: &str, model: &str, page: &str) -> Words {
    let mut words = Words::default();
    words.note(0, Voice::Person, &text(person), false);
    words.note(1, Voice::Model, &text(model), false);
    words.note(2, Voice::Arguments, &text(r#"{"q":"kiln-draught and xsecretword"}"#), true);
    words.note(3, Voice::Public, &text(page), false);
    words
}

#[test]
fn words_of_an_identifier_are_the_models_alike_before_and_after_the_texts_go() {
    let pages =
        ["10.5555/secretnames", "10.5555/secretname", "10.5555/secret", "10.5555/s.e.c.r", "4711", "10.5555/4711"];
    let more = [
        "10.5555/pond.filter",
        "10.5555/kiln-draught",
        "10.7/nature14539",
        "10.5555/xsecretword",
        "secretword",
        "kiln",
        "draught-kiln",
    ];
    let strange = ["10.5555/stra\u{df}e", "a", "", "10.5555/secretnamesecretname", "10.5555/pondfilterling"];
    for person in ["", "kiln-draught", "10.5555 and pond", "secretname 4711", "xsecretword"] {
        for model in
            ["", "secretname", "see secretnamesake, 4711 and stra\u{df}e", "pond filter nature", "s e c r 10 5555"]
        {
            for page in pages.iter().chain(&more).chain(&strange) {
                for keeps_runs in [false, true] {
                    let mut words = three(person, model, page);
                    if keeps_runs {
                        words.keep_runs();
                    }
                    let ask =
                        |words: &Words| [1, 2, 3, 4].map(|before| words.are_the_models(&[(*page).to_owned()], before));
                    let kept = ask(&words);
                    words.settle_shown();
                    assert_eq!(ask(&words), kept, "half settled: {person}, {model}, {page}");
                    words.settle();
                    assert_eq!(ask(&words), kept, "settled: {person}, {model}, {page}");
                }
            }
        }
    }
}

#[test]
fn words_of_an_identifier_are_the_models_where_nobody_wrote_them_before() {
    let is_the_models = |person, model, page: &str| three(person, model, page).are_the_models(&[page.to_owned()], 3);
    assert!(is_the_models("", "about secretname", "10.5555/secretname"));
    assert!(is_the_models("", "about secretname", "10.5555/secretname-2"), "an extension");
    assert!(is_the_models("", "about secretnamesake", "10.5555/secretname"), "a beginning");
    assert!(is_the_models("", "about secretname", "10.5555/secretnames"), "an extension of a word");
    assert!(is_the_models("", "some secr and name", "10.5555/secr.name"), "a join");
    assert!(is_the_models("", "about 4711", "4711"), "nothing else");
    assert!(is_the_models("see 10.5555", "about anna", "10.5555/anna"), "nothing else that is new");
    assert!(!is_the_models("", "about anna", "10.5555/anna"), "a short word beside others is chance");
    assert!(!is_the_models("of secretname", "about secretname", "10.5555/secretname"));
    assert!(!is_the_models("", "about ponds", "10.5555/secretname"));
}

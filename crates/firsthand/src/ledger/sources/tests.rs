#![expect(clippy::unwrap_used, clippy::indexing_slicing, reason = "a panic is the report of a test")]

use proptest::prelude::*;

use super::*;
use crate::address::Form;

const SPELLINGS: [&str; 9] = [
    "https://a.example/x",
    "https://a.example/x?q=1",
    "https://a.example/x?q=2",
    "http://www.a.example/x/",
    "https://a.example/%78",
    "https://a.example/",
    "https://a.example:8443/x",
    "https://b.example/x?q=1",
    "https://b.example/./x",
];

/// Records spellings, one in an item or in the one before; what has a source is named again.
fn record(sources: &mut Sources, named: &[(usize, bool, bool)], items: &mut u32) {
    for (spelling, next, vouches) in named {
        let address = Address::written(SPELLINGS[*spelling], Form::Absolute).unwrap();
        *items += u32::from(*next);
        let vouched = vouches.then_some(*items);
        let keys = address.view().keys();
        let looked = sources.look(&keys);
        match looked.known {
            Some(index) => sources.name_again(index, vouched, false),
            None => {
                let (author, vouched) = (None.into(), vouched.into());
                let named = Named { item: *items, author, vouched, writer: Writer::World, hole: false };
                sources.add(&keys, looked, named).unwrap();
            }
        }
    }
}

/// All sources as they are saved.
fn all(sources: &Sources) -> Vec<(Address, Named)> {
    sources.all().map(|(source, view)| (view.address(), source.named)).collect()
}

/// All that can be found by a spelling.
fn found(sources: &mut Sources, spelling: &str) -> String {
    let Ok(asked) = Asked::parse(spelling) else {
        let address = Address::written(spelling, Form::Absolute).unwrap();
        return format!("{:?}", sources.of(address.view()));
    };
    let path = |only| match only {
        Only::Nothing => "none".to_owned(),
        Only::One(index) => index.to_string(),
        Only::Several => "several".to_owned(),
    };
    let keys = asked.address().view().keys();
    let steps = [Step::Identical, Step::Serialized, Step::Loose];
    format!(
        "{:?} {:?} {:?} {} {} {}",
        sources.of(asked.address().view()),
        steps.map(|step| sources.find(step, &asked, &keys)),
        steps.map(|step| sources.find_vouched(step, &asked, &keys)),
        path(sources.with_path(&keys)),
        path(sources.vouched_with_path(&keys)),
        sources.on_origin(asked.address().view()),
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_taken_back_leaves_no_trace(
        before in prop::collection::vec((0..SPELLINGS.len(), any::<bool>(), any::<bool>()), 0..12),
        gone in prop::collection::vec((0..SPELLINGS.len(), any::<bool>(), any::<bool>()), 0..12),
        after in prop::collection::vec((0..SPELLINGS.len(), any::<bool>(), any::<bool>()), 0..6),
    ) {
        let (mut kept, mut rewound) = (Sources::default(), Sources::default());
        let mut items = 0;
        record(&mut kept, &before, &mut items);
        items = 0;
        record(&mut rewound, &before, &mut items);
        let to = items + 1;
        items = to;
        record(&mut rewound, &gone, &mut items);
        rewound.rewind(to, &mut |_, _| {});
        let later = items;
        for sources in [&mut kept, &mut rewound] {
            items = later;
            record(sources, &after, &mut items);
        }
        for spelling in SPELLINGS {
            prop_assert_eq!(found(&mut kept, spelling), found(&mut rewound, spelling), "{}", spelling);
        }
    }

    #[test]
    fn what_is_restored_is_found_and_taken_back_alike(
        named in prop::collection::vec((0..SPELLINGS.len(), any::<bool>(), any::<bool>()), 0..16),
        to in 0..12_u32,
    ) {
        let mut kept = Sources::default();
        record(&mut kept, &named, &mut 0);
        let mut restored = Sources::restored(all(&kept)).unwrap();
        for to in [u32::MAX, to] {
            kept.rewind(to, &mut |_, _| {});
            restored.rewind(to, &mut |_, _| {});
            for spelling in SPELLINGS {
                prop_assert_eq!(found(&mut kept, spelling), found(&mut restored, spelling), "{}", spelling);
            }
        }
    }
}

#[test]
fn sources_of_falling_items_are_no_ledgers() {
    let mut sources = Sources::default();
    record(&mut sources, &[(0, true, true), (1, true, true)], &mut 0);
    let mut all = all(&sources);
    assert!(Sources::restored(all.clone()).is_some());
    all.reverse();
    assert!(Sources::restored(all).is_none());
}

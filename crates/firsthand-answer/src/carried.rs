//! Which links of researchers' reports the final report did not carry over.
//!
//! A source is what the text links to, so what a final report leaves out is in no list. That is not mended: whoever wrote
//! it may have left the finding out on purpose. It is counted, to show how well the rule to carry links over holds.

use std::collections::{HashMap, HashSet};

use serde::Serialize;

use crate::find::find;
use crate::link::Link;
use crate::title;
use crate::unwrap::unwrap;

/// A researcher's report.
#[derive(Clone, Copy, Debug)]
pub struct Report<'a> {
    /// Its name, such as that of its file.
    pub name: &'a str,
    /// Its text.
    pub markdown: &'a str,
}

/// What became of the links of the reports. Links with one address are one, in however many reports.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct CarryOver {
    /// Always `firsthand.carry_over`.
    pub object: &'static str,
    /// The version of this form.
    pub version: u32,
    /// How many different addresses the reports link to.
    pub total: u64,
    /// How many of them the final report links to.
    pub carried_over: u64,
    /// The others, in the order in which they appear first.
    pub not_carried_over: Vec<Missing>,
}

/// A link of a report that the final report does not carry.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Missing {
    /// The address as its first link spells it.
    pub url: String,
    /// The text of the first link that has one, else the host: plain text.
    pub title: String,
    /// The names of the reports that link to it.
    pub reports: Vec<String>,
}

/// Compares the links of a finished answer with those of the reports it rests on.
pub fn carry_over(links: &[Link<'_>], reports: &[Report<'_>]) -> CarryOver {
    let carried: HashSet<&str> = links.iter().filter_map(|link| Some(link.target.as_ref().ok()?.key())).collect();
    let mut places: HashMap<String, Option<usize>> = HashMap::new();
    let mut missing: Vec<Missing> = Vec::new();
    for report in reports {
        for link in find(&unwrap(report.markdown).0) {
            let Ok(target) = &link.target else { continue };
            let place = *places.entry(target.key().to_owned()).or_insert_with(|| {
                let host = || target.host().unwrap_or(&target.spelling).to_owned();
                let title = title::title(&link.text, target).unwrap_or_else(host);
                let place = missing.len();
                let url = target.spelling.clone().into_owned();
                (!carried.contains(target.key())).then(|| {
                    missing.push(Missing { url, title, reports: Vec::new() });
                    place
                })
            });
            if let Some(one) = place.and_then(|place| missing.get_mut(place))
                && one.reports.last().is_none_or(|last| last != report.name)
            {
                one.reports.push(report.name.to_owned());
            }
        }
    }
    let count = |length: usize| u64::try_from(length).unwrap_or(u64::MAX);
    CarryOver {
        object: "firsthand.carry_over",
        version: 1,
        total: count(places.len()),
        carried_over: count(places.len() - missing.len()),
        not_carried_over: missing,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::list::{Given, finish};

    #[test]
    fn a_link_is_carried_over_where_its_address_is_linked_to_in_any_spelling_and_form() {
        let answer = finish("[INC-17](https://T.example/INC-17) and `https://t.example/INC-19`", &Given::default());
        let reports = [
            Report {
                name: "a.md",
                markdown: "| k |\n|-|\n| [INC-17](https://t.example/INC-17) |\n| [INC-18](https://t.example/INC-18) |",
            },
            Report {
                name: "b.md",
                markdown: "<https://t.example/INC-18> https://t.example/INC-19 [[x](javascript:1)](https://t.example/INC-20) [18](https://t.example/INC-18)",
            },
        ];
        let told = carry_over(&answer.links, &reports);
        let missing = |key: &str, title: &str, reports: &[&str]| Missing {
            url: format!("https://t.example/{key}"),
            title: title.to_owned(),
            reports: reports.iter().map(|name| (*name).to_owned()).collect(),
        };
        assert_eq!((told.total, told.carried_over), (4, 1));
        assert_eq!(
            told.not_carried_over,
            [
                missing("INC-18", "INC-18", &["a.md", "b.md"]),
                missing("INC-19", "t.example", &["b.md"]),
                missing("INC-20", "x", &["b.md"])
            ]
        );
    }

    #[test]
    fn without_reports_there_is_nothing_to_carry() {
        let told = carry_over(&[], &[]);
        assert_eq!((told.total, told.not_carried_over.len()), (0, 0));
    }
}

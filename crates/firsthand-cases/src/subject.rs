//! A face of the product, and whether it answers as a case says.

use crate::ask::{Ask, Expected};
use crate::notation::Case;

/// One face of the product: the library, the command, later the server and the bindings.
pub trait Subject {
    /// Its name, for reports.
    fn name(&self) -> &str;

    /// What it answers when the call of an ask is made at the end of the case's conversation; `None` where this face has
    /// no way to be asked that. An error says in words what went wrong.
    fn answer(&self, case: &Case, ask: &Ask) -> Result<Option<Answer>, String>;
}

/// What a face answers, as far as cases look at it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// `open`, `refuse` or `ask`; `nothing` where the call opens no address.
    pub verdict: String,
    /// Why it is not open.
    pub reason: Option<String>,
    /// What the model is told.
    pub message: Option<String>,
    /// The verdict binds nobody, where the face says so.
    pub advisory: Option<bool>,
    /// Address by address.
    pub urls: Vec<UrlAnswer>,
}

/// What a face answers of one address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UrlAnswer {
    /// The address that was asked for.
    pub url: String,
    /// What leaves, or is offered.
    pub send: Option<String>,
    /// The step that found the source.
    pub step: Option<String>,
    /// Who wrote it first.
    pub first: Option<String>,
}

/// The policy file of an ask: its profile, and what the case lays over it.
pub fn policy_of(case: &Case, ask: &Ask) -> String {
    format!("profile = \"{}\"\n{}\n", ask.profile, case.policy)
}

/// What an answer got wrong, in words; `None` where it is right.
pub fn wrong(ask: &Ask, answer: &Answer) -> Option<String> {
    let reason_fits = |reasons: &[String]| {
        reasons.is_empty() || answer.reason.as_ref().is_some_and(|reason| reasons.contains(reason))
    };
    let (verdict, fits) = match &ask.expected {
        Expected::Open { send, step, from, says } => {
            let sent: Vec<&str> = answer.urls.iter().filter_map(|url| url.send.as_deref()).collect();
            let all = |wanted: &Option<String>, of: &dyn Fn(&UrlAnswer) -> Option<String>| {
                wanted.is_none() || answer.urls.iter().all(|url| of(url) == *wanted)
            };
            let fits = send.as_ref().is_none_or(|send| sent == *send)
                && answer.urls.iter().all(|url| url.send.is_some())
                && all(step, &|url| url.step.clone())
                && all(from, &|url| url.first.clone())
                && says
                    .as_ref()
                    .is_none_or(|word| answer.message.as_ref().is_some_and(|message| message.contains(word)));
            ("open", fits)
        }
        Expected::Refuse { reasons, offering } => {
            let offered = |send: &String| answer.urls.iter().any(|url| url.send.as_ref() == Some(send));
            ("refuse", reason_fits(reasons) && offering.as_ref().is_none_or(offered))
        }
        Expected::Ask { reasons } => ("ask", reason_fits(reasons)),
        Expected::Nothing => ("nothing", true),
    };
    let advisory = ask.advisory.is_none_or(|advisory| answer.advisory == Some(advisory));
    // A refusal goes to the model and into logs, so it never repeats what was asked.
    let repeats = answer
        .message
        .as_ref()
        .is_some_and(|message| answer.urls.iter().any(|url| !url.url.is_empty() && message.contains(url.url.as_str())));
    let right = answer.verdict == verdict && fits && advisory && !repeats;
    (!right).then(|| format!("expected {:?}, advisory {:?}; got {answer:?}", ask.expected, ask.advisory))
}

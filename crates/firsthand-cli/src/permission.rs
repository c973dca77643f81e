//! A person's yes, asked for on the terminal.
//!
//! Whoever is no person at a terminal says no.

use std::io::{self, BufRead as _, IsTerminal as _, Write as _};

use firsthand_wire::answer::CheckAnswer;

use crate::safe::plain;
use crate::words;

/// Whether somebody sits at the terminal who can be asked.
pub(crate) fn can_ask() -> bool {
    io::stdin().is_terminal() && io::stderr().is_terminal()
}

/// Asks whether a call may be made. Anything but a yes is a no.
pub(crate) fn asked(answer: &CheckAnswer) -> bool {
    if !can_ask() {
        return false;
    }
    let mut stream = anstream::stderr().lock();
    let shown = write!(stream, "{}Open it? [y/N] ", question(answer)).and_then(|()| stream.flush());
    let mut said = String::new();
    shown.is_ok() && io::stdin().lock().read_line(&mut said).is_ok() && is_yes(&said)
}

fn is_yes(said: &str) -> bool {
    matches!(said.trim().to_ascii_lowercase().as_str(), "y" | "yes")
}

/// What a person is told before the answer: hosts in both forms, who wrote each address, why, and what it tells.
fn question(answer: &CheckAnswer) -> String {
    let mut text = "A person has to confirm this call.\n".to_owned();
    for url in &answer.urls {
        let host = host_of(url.send.as_deref().unwrap_or(&url.url));
        text.push_str(&format!("  host        {}\n", plain(&host)));
        let first = words::first(url.first.as_ref(), url.reason.as_deref());
        let first = if first.is_empty() { "not looked up".to_owned() } else { first };
        text.push_str(&format!("  written by  {}\n", plain(&first)));
    }
    if let Some(reason) = &answer.reason {
        text.push_str(&format!("  reason      {}: {}\n", plain(reason), words::why(reason)));
    }
    if let Some(bits) = answer.bits {
        text.push_str(&format!("  tells       at most {} bits\n", words::bits(bits)));
    }
    text
}

/// The host in A-label form, with its Unicode form where that is another.
fn host_of(spelling: &str) -> String {
    let Some(address) = firsthand::address::Asked::parse(spelling).ok().map(|asked| asked.address().clone()) else {
        return "none".to_owned();
    };
    let host = address.host().to_owned();
    let (unicode, _) = idna::domain_to_unicode(&host);
    let port = if address.has_default_port() { String::new() } else { format!(":{}", address.port()) };
    if unicode == host { format!("{host}{port}") } else { format!("{host}{port} ({unicode})") }
}

#[cfg(test)]
mod tests {
    use super::*;
    use firsthand_wire::answer::{First, UrlVerdict, Verdict};

    fn answer(url: &str) -> CheckAnswer {
        CheckAnswer {
            verdict: Verdict::Ask,
            reason: Some("permission_ask".to_owned()),
            message: None,
            error_code: None,
            bits: Some(3.17),
            urls: vec![UrlVerdict {
                url: url.to_owned(),
                verdict: Verdict::Ask,
                reason: Some("permission_ask".to_owned()),
                send: Some(url.to_owned()),
                step: Some("identical".to_owned()),
                first: Some(First {
                    writer: "world".to_owned(),
                    position: "tool_result".to_owned(),
                    item: 3,
                    at: "line 4".to_owned(),
                    tool: Some("web_search".to_owned()),
                    from: "own".to_owned(),
                }),
            }],
        }
    }

    #[test]
    fn a_person_is_shown_host_writer_reason_and_bits_but_no_address() {
        let shown = question(&answer("https://bücher.example:8443/canary-path?d=canary"));
        assert_eq!(
            shown,
            "A person has to confirm this call.\n  host        xn--bcher-kva.example:8443 (bücher.example)\n  \
             written by  the world (tool result of web_search, item 3)\n  \
             reason      permission_ask: the policy wants a person to confirm it\n  tells       at most 3.2 bits\n"
        );
        assert!(question(&answer("https://a.example\u{202e}/")).lines().all(|line| !line.contains('\u{202e}')));
    }

    #[test]
    fn only_a_yes_is_a_yes() {
        assert!(is_yes("y\n") && is_yes("YES\r\n"));
        for said in ["", "\n", "n\n", "yep\n", "no\n", "y n\n", "j\n"] {
            assert!(!is_yes(said), "{said:?}");
        }
    }

    #[test]
    fn nobody_at_a_terminal_says_yes() {
        // Tests have no terminal.
        assert!(!asked(&answer("https://a.example/")));
    }
}

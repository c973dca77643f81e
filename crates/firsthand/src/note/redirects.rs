//! Where a guarded fetch was sent on to: the world's words, whatever became of the fetch.

use super::Reader;
use super::text::Context;
use crate::address::{Address, Form};
use crate::calls::Noted;
use crate::conversation::ToolResult;
use crate::find::Found;
use crate::ledger::Voice;

impl Reader<'_, '_> {
    /// Notes the targets of redirects; the last one where it is the page.
    ///
    /// They count only where this ledger let the page's address be opened: then the servers chose them. What the choice of
    /// that address told is told to each further site too.
    pub(super) fn redirects(&mut self, noted: &Noted, result: &ToolResult) -> Option<Address> {
        let told = noted.told?;
        let mut from = noted.base.clone();
        for to in &result.redirects {
            let Some(target) = Address::written(to, Form::Absolute) else { continue };
            let author = match &from {
                Some(from) => self.ledger.tool_number(&format!("@{}", from.site())),
                None => noted.tool,
            };
            let found = Found { start: 0, end: to.len(), spelling: target.reveal().into(), form: Form::Absolute };
            let context = Context {
                voice: Voice::Public,
                may_echo: noted.may_echo,
                author: Some(author),
                refused: &noted.refused,
                ..Context::plain()
            };
            self.one(noted.writer, &found, &context, false);
            if from.as_ref().is_none_or(|from| from.site() != target.site()) {
                self.ledger.offers.tell_on(target.host(), told);
            }
            from = Some(target);
        }
        from.filter(|last| noted.base.is_some() && !result.is_error && !last.is_odd())
    }
}

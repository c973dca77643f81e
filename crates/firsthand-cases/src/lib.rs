//! What the tests share: the rule stated a second time, and conversations to try it on.

pub mod oracle;
pub mod arbitrary;

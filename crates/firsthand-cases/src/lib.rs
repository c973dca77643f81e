//! Case files, the slow statement of the rule and the harness that holds every face of `firsthand` to them.

pub mod respell;

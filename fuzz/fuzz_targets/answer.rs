//! Finished answers.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| firsthand_cases::probes::answer(bytes));

//! Restoring a saved ledger, and looking into it.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| firsthand_cases::probes::restore(bytes));

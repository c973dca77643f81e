//! Finding addresses, on the strict side and on the generous one.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| firsthand_cases::probes::find(bytes));

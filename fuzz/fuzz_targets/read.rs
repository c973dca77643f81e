//! Reading a recorded conversation; the first byte says in which format.

#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| firsthand_cases::probes::read(bytes));

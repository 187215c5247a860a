//! Any bytes as a request line: see `check::request`.
#![no_main]

#[path = "../../tests/check/request.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::request(input));

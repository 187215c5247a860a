//! Any bytes, in any pieces, on a screen of any size: see `check::screen`.
#![no_main]

#[path = "../../tests/check/screen.rs"]
mod check;

libfuzzer_sys::fuzz_target!(|input: &[u8]| check::screen(input));

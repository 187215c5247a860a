//! The `bgproc` binary.
fn main() {}

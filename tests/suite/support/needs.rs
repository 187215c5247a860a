//! What a test needs of the machine, and what becomes of it where that is missing.

use std::io::Write;

/// Set to `1`, tests that need a missing program are skipped. Otherwise they fail.
/// `.cargo/config.toml` sets it for `cargo test`, and `.ci/run`, which installs the programs, sets it to `0`.
const SKIP: &str = "BGPROC_TESTS_SKIP";

/// Whether a program is installed. Without it the test fails, or is to be skipped if [`SKIP`] says so.
#[track_caller]
pub(crate) fn have(program: &str) -> bool {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let found = std::env::split_paths(&path).any(|dir| dir.join(program).is_file());
    if !found {
        missing(&format!("`{program}`"));
    }
    found
}

/// Something that `.ci/run` installs is missing: the test fails, or is skipped.
#[track_caller]
pub(crate) fn missing(what: &str) {
    let may_skip = std::env::var_os(SKIP).is_some_and(|value| value == "1");
    assert!(
        may_skip,
        "{what} is missing; .ci/run installs it, and {SKIP}=1 skips the tests that need it"
    );
    skipped(&format!("{what} is missing; .ci/run installs it"));
}

/// Whether the test runs as root; otherwise it is to be skipped.
pub(crate) fn is_root() -> bool {
    let is_root = rustix::process::geteuid().is_root();
    if !is_root {
        skipped("only root can set this up");
    }
    is_root
}

/// Says that a test, or a part of it, is skipped. Written to standard error itself, because the test runner
/// shows the output of a test only when it fails.
pub(crate) fn skipped(why: &str) {
    let thread = std::thread::current();
    let name = thread.name().unwrap_or("a test");
    // Without a standard error there is nobody to tell.
    let _ = writeln!(std::io::stderr(), "SKIPPED {name}: {why}");
}

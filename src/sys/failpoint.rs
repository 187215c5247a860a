//! Hooks by which tests kill a process at a named place or shorten a delay.
//!
//! `BGPROC_FAILPOINT=NAME:FILE` kills the first process that reaches the place NAME while FILE exists, and
//! removes FILE; several pairs are separated by commas. `BGPROC_PANIC=NAME:FILE` makes it panic. `BGPROC_HOLD=NAME:FILE` holds each thread that reaches the place
//! NAME up while FILE exists, and FILE.reached says that one is there. `BGPROC_REST_MS=N` puts screens to rest that were
//! not used for N milliseconds. `BGPROC_CLOCK=FILE` sets the wall clock of keeper and daemon ahead by the number of
//! milliseconds in FILE; what changes there is noticed at the next look. Release builds contain none of this.

use std::sync::OnceLock;

/// Kills this process if a test has armed the place `name`.
#[inline]
pub fn hit(name: &str) {
    static WANTED: OnceLock<Option<String>> = OnceLock::new();
    if cfg!(debug_assertions) && is_armed("BGPROC_FAILPOINT", &WANTED, name) {
        // Like `kill -9`: no destructor runs, no message is sent.
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// Panics, in the caller's place, if a test has armed the place `name` for that.
#[inline]
#[track_caller]
#[allow(clippy::panic, reason = "it stands for a fault")]
pub fn panic(name: &str) {
    static WANTED: OnceLock<Option<String>> = OnceLock::new();
    if cfg!(debug_assertions) && is_armed("BGPROC_PANIC", &WANTED, name) {
        panic!("a test wants it at {name}");
    }
}

/// Waits here while a test holds the place `name`.
pub fn hold(name: &str) {
    while let Some(file) = held(name) {
        let _ = std::fs::write(format!("{file}.reached"), "");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
}

/// Whether a test holds the place `name`.
pub fn is_held(name: &str) -> bool {
    held(name).is_some()
}

/// The file by which a test holds the place `name`.
fn held(name: &str) -> Option<String> {
    let wanted = cfg!(debug_assertions).then(|| std::env::var("BGPROC_HOLD").ok());
    let wanted = wanted.flatten()?;
    let (place, file) = wanted.split_once(':')?;
    (place == name && std::path::Path::new(file).exists()).then(|| file.to_owned())
}

/// The number that a test has set in the variable `name`, to replace a default.
pub fn number(name: &str) -> Option<u64> {
    let wanted = cfg!(debug_assertions).then(|| std::env::var(name).ok());
    wanted.flatten()?.parse().ok()
}

/// How far a test has set the wall clock ahead, in milliseconds.
pub fn clock_ahead() -> i64 {
    static CLOCK: OnceLock<Option<String>> = OnceLock::new();
    if !cfg!(debug_assertions) {
        return 0;
    }
    let file = CLOCK.get_or_init(|| std::env::var("BGPROC_CLOCK").ok());
    let text = file
        .as_ref()
        .and_then(|file| std::fs::read_to_string(file).ok());
    text.and_then(|text| text.trim().parse().ok())
        .unwrap_or_default()
}

/// Whether the variable names the place, and the file of it exists, which is then removed.
fn is_armed(variable: &str, value: &OnceLock<Option<String>>, name: &str) -> bool {
    let value = value.get_or_init(|| std::env::var(variable).ok());
    let traps = value.iter().flat_map(|value| value.split(','));
    traps
        .filter_map(|trap| trap.split_once(':'))
        .any(|(place, file)| place == name && std::fs::remove_file(file).is_ok())
}

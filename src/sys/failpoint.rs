//! Hooks by which tests kill a process at a named place or shorten a delay.
//!
//! `BGPROC_FAILPOINT=NAME:FILE` kills the first process that reaches the place NAME while FILE exists, and
//! removes FILE; several pairs are separated by commas. `BGPROC_REST_MS=N` puts screens to rest that were
//! not used for N milliseconds. Release builds contain none of this.

/// Kills this process if a test has armed the place `name`.
#[inline]
pub fn hit(name: &str) {
    if cfg!(debug_assertions) && is_wanted(name) {
        // Like `kill -9`: no destructor runs, no message is sent.
        let _ =
            rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL);
    }
}

/// The number that a test has set in the variable `name`, to replace a default.
pub fn number(name: &str) -> Option<u64> {
    let wanted = cfg!(debug_assertions).then(|| std::env::var(name).ok());
    wanted.flatten()?.parse().ok()
}

fn is_wanted(name: &str) -> bool {
    use std::sync::OnceLock;
    static WANTED: OnceLock<Option<String>> = OnceLock::new();
    let wanted = WANTED.get_or_init(|| std::env::var("BGPROC_FAILPOINT").ok());
    let traps = wanted.iter().flat_map(|wanted| wanted.split(','));
    traps
        .filter_map(|trap| trap.split_once(':'))
        .any(|(place, file)| place == name && std::fs::remove_file(file).is_ok())
}

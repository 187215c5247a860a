//! What keeper and daemon have to say about themselves, on stderr, which their
//! starter has pointed at `keeper.log` and `daemon.log`.

use std::fmt;
use std::io::Write;

use crate::sys::clock;

/// Writes one line with the time. A full disk is no reason to stop.
pub fn say(message: fmt::Arguments<'_>) {
    let line = format!("{} {message}\n", clock::wall());
    let _ = std::io::stderr().write_all(line.as_bytes());
}

//! Programs that are started for a person and left alone.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Starts a program that has nothing to do with our terminal, and waits for it elsewhere.
///
/// # Errors
/// When it cannot be started.
pub(super) fn start(command: &mut Command) -> io::Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // A Ctrl-C of the terminal is not for it.
        .process_group(0)
        .spawn()?;
    // One that nobody waits for stays as a zombie for as long as the view is open.
    let waiting = std::thread::Builder::new().name("wait".to_owned());
    waiting.spawn(move || drop(child.wait())).map(drop)
}

//! Programs that are started for a person and left running.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// Starts a program that does not use our terminal, and reaps it in another thread.
///
/// # Errors
/// If it cannot be started.
pub(super) fn start(command: &mut Command) -> io::Result<()> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        // Protect it from a Ctrl-C typed at the terminal.
        .process_group(0)
        .spawn()?;
    // Without a wait it would stay a zombie for as long as the view is open.
    let waiting = std::thread::Builder::new().name("wait".to_owned());
    waiting.spawn(move || drop(child.wait())).map(drop)
}

//! The end of what a shell line writes to its standard error.
//!
//! That is a terminal. A pipe would end what the line leaves in the background (SIGPIPE) when the daemon ends, and a file
//! would take room without bound. A terminal that is closed refuses to be written to (EIO), so it stays open as long as
//! the daemon runs and somebody has it.

use std::io;
use std::os::fd::OwnedFd;
use std::pin::pin;

use rustix::io::Errno;
use tokio::io::Interest;
use tokio::io::unix::AsyncFd;

use crate::sys::{pty, readiness};
use crate::term::sanitize::clean;

/// Bytes of the end that are kept.
const KEPT: usize = 4096;

/// Parts that the terminal may still have when the program has ended: the kernel keeps less than 64 KiB.
const ROOM: usize = 16;

/// Longest line that is told, in characters.
const LINE: usize = 200;

/// Size of the terminal: wide, so that no program wraps its line.
const SIZE: (u16, u16) = (24, 250);

/// The last words of a program that runs.
pub(super) struct LastWords {
    terminal: AsyncFd<OwnedFd>,
    kept: Vec<u8>,
}

impl LastWords {
    /// Returns the terminal for the program, too.
    pub(super) fn open() -> io::Result<(Self, OwnedFd)> {
        let pty = pty::open(SIZE.0, SIZE.1)?;
        let words = Self {
            terminal: readiness::watch(pty.master, Interest::READABLE)?,
            kept: Vec::new(),
        };
        Ok((words, pty.slave))
    }

    /// Reads while `work` goes on, and returns its result.
    pub(super) async fn during<T>(&mut self, work: impl Future<Output = T>) -> T {
        let mut work = pin!(work);
        tokio::select! {
            done = &mut work => return done,
            () = self.listen() => {}
        }
        work.await
    }

    /// Reads until no program has the terminal any more.
    pub(super) async fn listen(&mut self) {
        while let Ok(mut ready) = self.terminal.readable().await {
            match read(&self.terminal, &mut self.kept) {
                // The program may write without end, and others have their turn.
                Ok(1..) | Err(Errno::INTR) => tokio::task::yield_now().await,
                Err(Errno::AGAIN) => ready.clear_ready(),
                Ok(0) | Err(_) => return,
            }
        }
    }

    /// How the program has failed, with its last line that is not blank: `exit code 2: no response`.
    pub(super) fn explain(&mut self, how: String) -> String {
        // What the program has left in the background may go on to write.
        let mut parts = 0..ROOM;
        while parts.next().is_some() && matches!(read(&self.terminal, &mut self.kept), Ok(1..)) {}
        let text = String::from_utf8_lossy(&self.kept);
        let lines = text.split(['\n', '\r']).map(clean);
        let last = lines.rev().find(|line| !line.trim().is_empty());
        match last {
            Some(line) => {
                let line: String = line.trim().chars().take(LINE).collect();
                format!("{how}: {line}")
            }
            None => how,
        }
    }
}

/// Reads a part of what is there, and keeps the end of all. Returns the length of the part.
fn read(terminal: &AsyncFd<OwnedFd>, kept: &mut Vec<u8>) -> Result<usize, Errno> {
    let mut part = [0; 4096];
    let read = rustix::io::read(terminal, &mut part)?;
    kept.extend_from_slice(&part[..read]);
    let over = kept.len().saturating_sub(KEPT);
    kept.drain(..over);
    Ok(read)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use tokio::process::Command;

    use super::*;

    async fn said_by(line: &str) -> String {
        let (mut words, terminal) = LastWords::open().unwrap();
        let mut child = Command::new("sh")
            .args(["-c", line])
            .stderr(terminal)
            .spawn()
            .unwrap();
        words.during(child.wait()).await.unwrap();
        words.explain("it failed".to_owned())
    }

    #[tokio::test]
    async fn the_last_line_is_told() {
        assert_eq!(said_by("true").await, "it failed");
        assert_eq!(said_by("echo >&2").await, "it failed");
        let two = "echo first >&2; printf '  \\033[31mno server\\033[0m\\n\\n' >&2";
        assert_eq!(said_by(two).await, "it failed: no server");
        let many = "seq 1 30000 >&2; printf last >&2";
        assert_eq!(said_by(many).await, "it failed: last");
        let anew = "echo anew > /dev/stderr";
        assert_eq!(said_by(anew).await, "it failed: anew");
        let long = "head -c 100000 /dev/zero | tr '\\0' x >&2";
        let told = said_by(long).await;
        assert_eq!(told.len(), "it failed: ".len() + LINE);
    }

    #[tokio::test]
    async fn what_is_left_in_the_background_goes_on() {
        let dir = tempfile::tempdir().unwrap();
        let (go, done) = (dir.path().join("go"), dir.path().join("done"));
        let line = format!(
            "(while ! test -e {0}; do sleep 0.01; done; echo late >&2; touch {1}) & echo early >&2",
            go.display(),
            done.display()
        );
        assert_eq!(said_by(&line).await, "it failed: early");
        std::fs::write(&go, "").unwrap();
        let deadline = std::time::Instant::now() + std::time::Duration::from_secs(20);
        while !done.exists() {
            assert!(std::time::Instant::now() < deadline, "it was ended");
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
    }
}

//! The job of the floods: this program itself, which writes a file again and again, and
//! then notes in another one when it began and when its last write had returned.

use std::io::{Read, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

/// Says that this program is the job.
pub(crate) const FLAG: &str = "--emit";

/// The last thing it writes.
pub(crate) const LAST: &str = "the-flood-is-over";

/// Its command line.
pub(crate) fn command(file: &Path, times: usize, note: &Path) -> Vec<String> {
    let program = std::env::current_exe().unwrap();
    let path = |path: &Path| path.display().to_string();
    vec![
        path(&program),
        FLAG.to_owned(),
        path(file),
        times.to_string(),
        path(note),
    ]
}

/// Nanoseconds on a clock that other processes share.
pub(crate) fn now() -> u128 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .unwrap()
        .as_nanos()
}

/// When it began and ended, once it has.
pub(crate) fn times(note: &Path) -> Option<(u128, u128)> {
    let text = std::fs::read_to_string(note).ok()?;
    let (began, ended) = text.trim().split_once(' ')?;
    Some((began.parse().ok()?, ended.parse().ok()?))
}

/// Is the job; goes on until somebody types or hangs up.
pub(crate) fn run(mut args: impl Iterator<Item = String>) {
    let bytes = std::fs::read(args.next().unwrap()).unwrap();
    let times: usize = args.next().unwrap().parse().unwrap();
    let note = args.next().unwrap();
    let mut out = std::io::stdout().lock();
    let began = now();
    for _ in 0..times {
        out.write_all(&bytes).unwrap();
    }
    write!(out, "\r\n{LAST}\r\n").unwrap();
    out.flush().unwrap();
    let text = format!("{began} {}", now());
    std::fs::write(format!("{note}.new"), text).unwrap();
    std::fs::rename(format!("{note}.new"), note).unwrap();
    let _ = std::io::stdin().read(&mut [0]);
}

//! Whether the directory of a program answers. On a network file system whose server is gone, nothing does: a look at it
//! must not hold up the daemon, and a start there would hold up the keeper, which waits until the program runs.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use rustix::fs::{CWD, Mode, OFlags, ResolveFlags, openat2};
use tokio::sync::oneshot;
use tokio::time::timeout;

use crate::protocol::{Error, ErrorCode};
use crate::sys::failpoint;

/// Longest wait for a directory.
const PATIENCE: Duration = Duration::from_secs(3);

thread_local! {
    /// The directories that have not answered in time, each with a thread that still waits for it. There is one thread
    /// for each at most, however often somebody asks.
    static SILENT: RefCell<HashSet<PathBuf>> = RefCell::default();
}

/// Waits until a directory answers, whatever it says.
///
/// # Errors
///
/// `spawn_failed` if it does not answer in time.
pub(crate) async fn reachable(dir: &Path) -> Result<(), Error> {
    if is_cached(dir) {
        return Ok(());
    }
    if SILENT.with_borrow(|silent| silent.contains(dir)) {
        return Err(does_not_answer(dir));
    }
    let (answered, mut answer) = oneshot::channel::<()>();
    let path = dir.to_owned();
    let look = move || {
        failpoint::hold("directory.look");
        // What may be wrong with it is found out by those who use it.
        let _ = std::fs::metadata(path);
        drop(answered);
    };
    let thread = thread::Builder::new().name("directory".to_owned());
    if thread.spawn(look).is_err() {
        // It is the limit of threads that the start will meet, too.
        return Ok(());
    }
    if timeout(PATIENCE, &mut answer).await.is_ok() {
        return Ok(());
    }
    SILENT.with_borrow_mut(|silent| silent.insert(dir.to_owned()));
    let path = dir.to_owned();
    tokio::task::spawn_local(async move {
        let _ = answer.await;
        SILENT.with_borrow_mut(|silent| silent.remove(&path));
    });
    Err(does_not_answer(dir))
}

fn does_not_answer(dir: &Path) -> Error {
    let dir = dir.display();
    let message = format!("the working directory {dir} does not answer");
    Error::new(ErrorCode::SpawnFailed, message)
        .hint("its file system may be gone; nothing was started")
        .data(serde_json::json!({ "path": dir.to_string() }))
}

/// Whether the kernel finds a directory without asking its file system (`RESOLVE_CACHED` of openat2(2), Linux 5.12): then
/// a thread is not needed. That is so for nearly all directories on local disks.
fn is_cached(dir: &Path) -> bool {
    if failpoint::is_held("directory.look") {
        return false;
    }
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
    openat2(CWD, dir, flags, Mode::empty(), ResolveFlags::CACHED).is_ok()
}

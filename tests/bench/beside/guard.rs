//! What was started is ended, also when this program is interrupted.

use std::collections::BTreeMap;
use std::io::Read;
use std::os::unix::net::UnixStream;
use std::sync::{Mutex, MutexGuard, PoisonError};

use signal_hook::consts::{SIGINT, SIGTERM};

type End = Box<dyn FnOnce() + Send>;

/// How to end what goes on, by a number.
static OPEN: Mutex<BTreeMap<u64, End>> = Mutex::new(BTreeMap::new());

/// Ends something when it is dropped.
pub(crate) struct Guard(u64);

impl Guard {
    pub(crate) fn new(end: impl FnOnce() + Send + 'static) -> Self {
        let mut open = open();
        let number = open.last_key_value().map_or(0, |(last, _)| last + 1);
        open.insert(number, Box::new(end));
        Self(number)
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        // While it ends, a signal ends the others.
        let end = open().remove(&self.0);
        if let Some(end) = end {
            end();
        }
    }
}

fn open() -> MutexGuard<'static, BTreeMap<u64, End>> {
    OPEN.lock().unwrap_or_else(PoisonError::into_inner)
}

/// From now on SIGINT and SIGTERM end everything, the last first, and then this program.
pub(crate) fn watch_signals() {
    let (mut told, tells) = UnixStream::pair().unwrap();
    for signal in [SIGINT, SIGTERM] {
        signal_hook::low_level::pipe::register(signal, tells.try_clone().unwrap()).unwrap();
    }
    std::thread::spawn(move || {
        let _ = told.read(&mut [0]);
        // Nothing more is begun: the lock is kept.
        let mut open = open();
        while let Some((_, end)) = open.pop_last() {
            end();
        }
        std::process::exit(130);
    });
}

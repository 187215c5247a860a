//! The host whose daemon this process talks to, if not this machine's.

use std::os::unix::net::UnixStream;
use std::sync::{Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::connect::connect;
use super::connection::{AutoStart, Connection};
use crate::link::frames::Start;
use crate::link::{Host, Link};
use crate::protocol::{Error, ErrorCode, Greeting};

/// Connects again after a connection has ended. If the host cannot be reached now, goes on trying without end, and
/// calls `tell` with the reason before the first pause.
///
/// # Errors
///
/// Those that no patience mends: a login is due, or this machine's daemon cannot be started.
pub fn connect_again(greeting: &Greeting, tell: impl Fn(&Error)) -> Result<Connection, Error> {
    let mut told = false;
    loop {
        match (connect(greeting, AutoStart::Yes), chosen()) {
            (Err(error), Some(host)) if error.code == ErrorCode::HostUnreachable => {
                if !std::mem::replace(&mut told, true) {
                    tell(&error);
                }
                std::thread::sleep(host.due());
            }
            (outcome, _) => return outcome,
        }
    }
}

/// One for each process: all its connections go to the same daemon, as with `BGPROC_HOME`.
static CHOSEN: OnceLock<Chosen> = OnceLock::new();

/// Shortest and longest time between two attempts to reach a host that does not answer.
const PAUSE: (Duration, Duration) = (Duration::from_millis(500), Duration::from_secs(60));

/// Makes all connections of this process go to a host. The first call counts.
pub fn choose(host: Host) {
    let _ = CHOSEN.set(Chosen {
        host,
        state: Mutex::new(State::Never),
    });
}

/// The host that was chosen.
pub fn chosen() -> Option<&'static Chosen> {
    CHOSEN.get()
}

/// The name of the host that was chosen.
pub fn name() -> Option<&'static str> {
    chosen().map(|chosen| chosen.host.name.as_str())
}

/// A host, and the link to it.
#[derive(Debug)]
pub struct Chosen {
    /// The host.
    pub host: Host,
    state: Mutex<State>,
}

#[derive(Debug)]
enum State {
    /// It was not reached yet.
    Never,
    Open(Link),
    /// It could not be reached, or the link has ended. The next attempt is made after the pause.
    Failed(Instant, Duration, Error),
}

impl Chosen {
    /// A connection to its daemon. Opens the link first if there is none.
    ///
    /// # Errors
    ///
    /// Those of [`Link::open`]. After a failure there is a pause, and until its end each call returns that failure at
    /// once.
    pub(super) fn connect(&self, start: Option<AutoStart>) -> Result<UnixStream, Error> {
        let start = match start {
            Some(AutoStart::Yes) => Start::Yes,
            Some(AutoStart::AfterCrash) => Start::AfterCrash,
            None => Start::No,
        };
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if let State::Open(link) = &*state {
            match link.fault() {
                None => return link.channel(start),
                Some(fault) => *state = State::Failed(Instant::now(), Duration::ZERO, fault),
            }
        }
        let before = match &*state {
            State::Failed(at, pause, fault) if at.elapsed() < *pause => return Err(fault.clone()),
            State::Failed(_, pause, _) => *pause,
            State::Never | State::Open(_) => Duration::ZERO,
        };
        match Link::open(&self.host) {
            Ok(link) => {
                let channel = link.channel(start);
                *state = State::Open(link);
                channel
            }
            Err(fault) => {
                let pause = (before * 2).clamp(PAUSE.0, PAUSE.1);
                *state = State::Failed(Instant::now(), pause, fault.clone());
                Err(fault)
            }
        }
    }

    /// Time until the next attempt to reach a host that did not answer.
    fn due(&self) -> Duration {
        match &*self.state.lock().unwrap_or_else(PoisonError::into_inner) {
            State::Failed(at, pause, _) => pause.saturating_sub(at.elapsed()),
            State::Never | State::Open(_) => Duration::ZERO,
        }
    }

    /// Returns an error with the reason if the link has ended.
    pub(super) fn check(&self) -> Result<(), Error> {
        // While a link is being opened, its opener reports what is wrong.
        let Ok(state) = self.state.try_lock() else {
            return Ok(());
        };
        match &*state {
            State::Open(link) => link.fault().map_or(Ok(()), Err),
            State::Failed(_, _, fault) => Err(fault.clone()),
            State::Never => Ok(()),
        }
    }
}

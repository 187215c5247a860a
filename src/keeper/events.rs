//! What the keeper waits for: epoll, with a name for each source.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1,
    SIGUSR2, SIGXFSZ,
};

/// Where something is to be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A job wrote.
    Output { slot: u32, stream: u8 },
    /// The first process of a session that is no child of ours ended.
    Ended { slot: u32 },
    /// A child ended.
    Children,
    /// A daemon that is no child of ours ended.
    DaemonEnded,
    /// The daemon asks, or is gone.
    Daemon,
    /// A client knocks while no daemon runs.
    Listener,
    /// A client asks how the keeper is.
    Status,
    /// Something was removed from a directory that the keeper has a socket in.
    Watch,
}

/// Stands in a token where a stream would.
const ENDED: u8 = 0xff;

impl Source {
    fn token(self) -> u64 {
        match self {
            Self::Children => 0,
            Self::Daemon => 1,
            Self::Listener => 2,
            Self::DaemonEnded => 3,
            Self::Status => 4,
            Self::Watch => 5,
            Self::Ended { slot } => Self::Output {
                slot,
                stream: ENDED,
            }
            .token(),
            Self::Output { slot, stream } => (u64::from(slot) + 1) << 8 | u64::from(stream),
        }
    }

    fn from_token(token: u64) -> Self {
        match token {
            0 => Self::Children,
            1 => Self::Daemon,
            2 => Self::Listener,
            3 => Self::DaemonEnded,
            4 => Self::Status,
            5 => Self::Watch,
            _ => {
                let slot = u32::try_from((token >> 8) - 1).unwrap_or(u32::MAX);
                match (token & 0xff) as u8 {
                    ENDED => Self::Ended { slot },
                    stream => Self::Output { slot, stream },
                }
            }
        }
    }
}

/// The epoll instance, and SIGCHLD as a readable pipe.
pub(super) struct Events {
    epoll: OwnedFd,
    children: UnixStream,
    buffer: Vec<Event>,
}

impl Events {
    pub(super) fn new() -> io::Result<Self> {
        let epoll = epoll::create(CreateFlags::CLOEXEC)?;
        let (children, signal) = UnixStream::pair()?;
        children.set_nonblocking(true)?;
        signal_hook::low_level::pipe::register(SIGCHLD, signal)?;
        // A handler that does nothing rather than "ignore": the keeper goes on,
        // and what it starts has the default again, as nohup'ed jobs would not.
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        for signal in [
            SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU,
            // A limit on the size of files is a full disk to us, not the end.
            SIGXFSZ,
        ] {
            signal_hook::flag::register(signal, flag.clone())?;
        }
        let events = Self {
            epoll,
            children,
            buffer: Vec::with_capacity(64),
        };
        events.add(&events.children, Source::Children)?;
        Ok(events)
    }

    /// Waits for something, without end if there is no `timeout`.
    pub(super) fn wait(
        &mut self,
        ready: &mut Vec<Source>,
        timeout: Option<&Timespec>,
    ) -> io::Result<()> {
        ready.clear();
        self.buffer.clear();
        match epoll::wait(
            &self.epoll,
            rustix::buffer::spare_capacity(&mut self.buffer),
            timeout,
        ) {
            Ok(_) | Err(Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
        ready.extend(
            self.buffer
                .iter()
                .map(|event| Source::from_token(event.data.u64())),
        );
        if ready.contains(&Source::Children) {
            let mut scratch = [0; 64];
            while matches!(rustix::io::read(&self.children, &mut scratch), Ok(1..)) {}
        }
        Ok(())
    }

    pub(super) fn add(&self, fd: impl AsFd, source: Source) -> io::Result<()> {
        let data = EventData::new_u64(source.token());
        Ok(epoll::add(&self.epoll, fd, data, EventFlags::IN)?)
    }

    /// Also waits for room to send, or no longer.
    pub(super) fn set_writing(&self, fd: impl AsFd, source: Source, on: bool) -> io::Result<()> {
        let data = EventData::new_u64(source.token());
        let flags = if on {
            EventFlags::IN | EventFlags::OUT
        } else {
            EventFlags::IN
        };
        Ok(epoll::modify(&self.epoll, fd, data, flags)?)
    }

    /// Waits for nothing but the hang-up, which is always told.
    pub(super) fn await_hangup(&self, fd: impl AsFd, source: Source) -> io::Result<()> {
        let data = EventData::new_u64(source.token());
        Ok(epoll::modify(&self.epoll, fd, data, EventFlags::empty())?)
    }

    pub(super) fn remove(&self, fd: impl AsFd) {
        // Fails only if it was not there.
        let _ = epoll::delete(&self.epoll, fd);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_source_has_its_own_token() {
        for source in [
            Source::Children,
            Source::Daemon,
            Source::Listener,
            Source::DaemonEnded,
            Source::Status,
            Source::Watch,
            Source::Ended { slot: 0 },
            Source::Output { slot: 0, stream: 0 },
            Source::Output { slot: 0, stream: 1 },
            Source::Output {
                slot: 8191,
                stream: 1,
            },
        ] {
            assert_eq!(Source::from_token(source.token()), source);
        }
    }
}

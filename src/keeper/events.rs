//! The keeper's event sources: an epoll instance with a named token per descriptor.

use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

use rustix::event::Timespec;
use rustix::event::epoll::{self, CreateFlags, Event, EventData, EventFlags};
use rustix::io::Errno;
use signal_hook::consts::{
    SIGALRM, SIGCHLD, SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGTSTP, SIGTTIN, SIGTTOU, SIGUSR1,
    SIGUSR2, SIGXCPU, SIGXFSZ,
};

/// A source of events.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Source {
    /// A job wrote output.
    Output { slot: u32, stream: u8 },
    /// The first process of a session ended, and it is not our child.
    Ended { slot: u32 },
    /// A child ended.
    Children,
    /// A daemon that is not our child ended.
    DaemonEnded,
    /// The daemon sent a request, or is gone.
    Daemon,
    /// A client connects while no daemon runs.
    Listener,
    /// A client asks for the keeper's status.
    Status,
    /// A file was removed from a directory that holds one of the keeper's sockets.
    SocketDirs,
}

/// What of a descriptor is an event.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Watch {
    /// That there is something to read or a hang-up, for as long as it is so (level-triggered).
    State,
    /// That this changes (edge-triggered). A terminal that no process has open reports a hang-up all the time.
    Changes,
}

/// Takes the place of the stream number in the token of [`Source::Ended`].
const ENDED: u8 = 0xff;

impl Source {
    fn token(self) -> u64 {
        match self {
            Self::Children => 0,
            Self::Daemon => 1,
            Self::Listener => 2,
            Self::DaemonEnded => 3,
            Self::Status => 4,
            Self::SocketDirs => 5,
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
            5 => Self::SocketDirs,
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

/// The epoll instance, and a socket pair that turns SIGCHLD into a readable descriptor.
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
        // Handle these signals by doing nothing, so that they do not end the keeper. Do not ignore them:
        // programs that the keeper starts would inherit that, as under nohup, while a handler is reset to
        // the default.
        let flag = std::sync::Arc::new(std::sync::atomic::AtomicBool::new(false));
        for signal in [
            SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGALRM, SIGUSR1, SIGUSR2, SIGTSTP, SIGTTIN, SIGTTOU,
            // Treat a limit on file size like a full disk; the default action would end the keeper. The soft limit of
            // CPU time of the client that started the keeper is not meant for it.
            SIGXFSZ, SIGXCPU,
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

    /// Waits for events; without a `timeout`, for as long as it takes.
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

    /// Changes which events of an output are reported.
    pub(super) fn set_watch(&self, fd: impl AsFd, source: Source, watch: Watch) -> io::Result<()> {
        let data = EventData::new_u64(source.token());
        let flags = match watch {
            Watch::State => EventFlags::IN,
            Watch::Changes => EventFlags::IN | EventFlags::ET,
        };
        Ok(epoll::modify(&self.epoll, fd, data, flags)?)
    }

    /// Starts or stops waiting for room to send as well.
    pub(super) fn set_writing(&self, fd: impl AsFd, source: Source, on: bool) -> io::Result<()> {
        let data = EventData::new_u64(source.token());
        let flags = if on {
            EventFlags::IN | EventFlags::OUT
        } else {
            EventFlags::IN
        };
        Ok(epoll::modify(&self.epoll, fd, data, flags)?)
    }

    /// Waits for nothing but a hang-up, which epoll always reports.
    pub(super) fn await_hangup(&self, fd: impl AsFd, source: Source) -> io::Result<()> {
        let data = EventData::new_u64(source.token());
        Ok(epoll::modify(&self.epoll, fd, data, EventFlags::empty())?)
    }

    pub(super) fn remove(&self, fd: impl AsFd) {
        // Fails only if it was not registered.
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
            Source::SocketDirs,
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

//! A job's pseudo-terminal.
#![allow(
    unsafe_code,
    reason = "portable-pty hands out a raw descriptor, and rustix has no TIOCSIG"
)]

use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};

use portable_pty::{PtySize, native_pty_system};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::ioctl::{IntegerSetter, ioctl, opcode};
use rustix::process::Signal;
use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer};
use rustix::termios::{
    LocalModes, QueueSelector, SpecialCodeIndex, Winsize, isatty, tcflush, tcgetattr, tcgetwinsize,
    tcsetwinsize,
};

/// Both ends of a new terminal.
#[derive(Debug)]
pub struct Pty {
    /// Our end, non-blocking.
    pub master: OwnedFd,
    /// The program's end.
    pub slave: OwnedFd,
}

/// Opens a terminal of this size.
///
/// portable-pty opens it; the program is started by [`super::spawn`], because
/// portable-pty's own start closes the pipe on which a failing `exec` would be
/// reported, and moves to `$HOME` when the directory is missing.
pub fn open(rows: u16, cols: u16) -> io::Result<Pty> {
    let size = PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system()
        .openpty(size)
        // Its own error is only text; the system's is still the last one.
        .map_err(|_| io::Error::last_os_error())?;
    let raw = pair.master.as_raw_fd().ok_or(io::ErrorKind::Unsupported)?;
    // SAFETY: `pair.master` owns the descriptor and lives until the end of this function.
    let master = unsafe { BorrowedFd::borrow_raw(raw) }.try_clone_to_owned()?;
    rustix::io::ioctl_fionbio(&master, true)?;
    // portable-pty does not hand out this end.
    let slave = open_peer(&master)?;
    Ok(Pty { master, slave })
}

/// Sets the size; the kernel tells the foreground group (SIGWINCH) if it is another one.
pub fn resize(master: impl AsFd, rows: u16, cols: u16) -> io::Result<()> {
    let size = Winsize {
        ws_row: rows,
        ws_col: cols,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    Ok(tcsetwinsize(master, size)?)
}

/// How the terminal treats what is typed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineDiscipline {
    /// Typed characters are shown.
    pub echo: bool,
    /// Input is handed over by lines, and cut at 4,095 bytes.
    pub canonical: bool,
    /// The character that ends the input, `^D` as a rule.
    pub eof: u8,
    /// What raises SIGINT, SIGQUIT and SIGTSTP when it is typed, while that is on.
    signals: Option<[u8; 3]>,
    /// Such a character discards what was typed before it and not read.
    pub discards: bool,
}

impl LineDiscipline {
    /// The signal that typing `byte` raises.
    pub fn signal(&self, byte: u8) -> Option<Signal> {
        let place = self.signals?.iter().position(|&b| b != 0 && b == byte)?;
        Some([Signal::INT, Signal::QUIT, Signal::TSTP][place])
    }
}

/// Rows and columns.
pub fn size(master: impl AsFd) -> Option<(u16, u16)> {
    let size = tcgetwinsize(master).ok()?;
    Some((size.ws_row, size.ws_col))
}

/// Reads the line discipline from our end.
pub fn line_discipline(master: impl AsFd) -> io::Result<LineDiscipline> {
    let termios = tcgetattr(master)?;
    let mode = |mode| termios.local_modes.contains(mode);
    let code = |index| termios.special_codes[index];
    let signals = [
        code(SpecialCodeIndex::VINTR),
        code(SpecialCodeIndex::VQUIT),
        code(SpecialCodeIndex::VSUSP),
    ];
    Ok(LineDiscipline {
        echo: mode(LocalModes::ECHO),
        canonical: mode(LocalModes::ICANON),
        eof: code(SpecialCodeIndex::VEOF),
        signals: mode(LocalModes::ISIG).then_some(signals),
        discards: !mode(LocalModes::NOFLSH),
    })
}

/// Bytes of input that the program has not read, of a terminal or a pipe; `None`
/// if it cannot be told. A line that has no end yet is not counted: a cooked
/// terminal has nothing to read in it.
pub fn unread_input(input: impl AsFd) -> Option<u64> {
    if !isatty(&input) {
        return rustix::io::ioctl_fionread(input).ok();
    }
    unread_of_peer(&peer(input)?)
}

/// [`unread_input`] of a terminal whose other end is open.
pub fn unread_of_peer(peer: &OwnedFd) -> Option<u64> {
    // What was typed reaches the line discipline by a worker of the kernel;
    // asking whether there is something to read waits for it.
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut [PollFd::new(peer, PollFlags::IN)], Some(&now)).ok()?;
    rustix::io::ioctl_fionread(peer).ok()
}

/// How often a terminal's input is discarded to discard all of it: it takes 20,480
/// bytes, and shows the line discipline 4,095 of them at a time.
const FLUSHES: usize = 8;

/// Discards input that the program has not read, as typing `^C` does.
pub fn discard_input(master: impl AsFd) {
    let Some(slave) = peer(master) else { return };
    for _ in 0..FLUSHES {
        // What is on its way comes while there is room; asking whether there is
        // something to read lets it come.
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let _ = poll(&mut [PollFd::new(&slave, PollFlags::IN)], Some(&now));
        // There is nothing to be done about a terminal that refuses.
        let _ = tcflush(&slave, QueueSelector::IFlush);
    }
}

/// The program's end, opened for a moment. It does not become ours to be hung up by.
pub fn peer(master: impl AsFd) -> Option<OwnedFd> {
    open_peer(master).ok()
}

/// By our end, not by its name, which may mean another terminal where we are.
fn open_peer(master: impl AsFd) -> rustix::io::Result<OwnedFd> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    ioctl_tiocgptpeer(master, flags)
}

/// Sends the foreground group one of the signals that can be typed.
pub fn raise(master: impl AsFd, signal: Signal) -> io::Result<()> {
    const TIOCSIG: u32 = opcode::write::<i32>(b'T', 0x36);
    let number = signal.as_raw().unsigned_abs() as usize;
    // SAFETY: TIOCSIG takes the signal's number by value, and touches no memory.
    unsafe { ioctl(master, IntegerSetter::<TIOCSIG>::new_usize(number))? };
    Ok(())
}

/// The process group in the foreground.
pub fn foreground_group(master: impl AsFd) -> Option<u32> {
    let group = rustix::termios::tcgetpgrp(master).ok()?;
    u32::try_from(group.as_raw_nonzero().get()).ok()
}

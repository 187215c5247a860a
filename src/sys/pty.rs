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
    InputModes, LocalModes, QueueSelector, SpecialCodeIndex, Winsize, isatty, tcflush, tcgetattr,
    tcgetwinsize, tcsetwinsize,
};

/// Both ends of a new pseudo-terminal.
#[derive(Debug)]
pub struct Pty {
    /// Our end, non-blocking.
    pub master: OwnedFd,
    /// The program's end.
    pub slave: OwnedFd,
}

/// Opens a pseudo-terminal of this size.
///
/// portable-pty opens it, but [`super::spawn`] starts the program: portable-pty's own start closes the pipe
/// on which a failing `exec` would be reported, and moves to `$HOME` if the directory is missing.
pub fn open(rows: u16, cols: u16) -> io::Result<Pty> {
    let size = PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    };
    let pair = native_pty_system()
        .openpty(size)
        // portable-pty's error is only text; the last system error is still available.
        .map_err(|_| io::Error::last_os_error())?;
    let raw = pair.master.as_raw_fd().ok_or(io::ErrorKind::Unsupported)?;
    // SAFETY: `pair.master` owns the descriptor and lives until the end of this function.
    let master = unsafe { BorrowedFd::borrow_raw(raw) }.try_clone_to_owned()?;
    rustix::io::ioctl_fionbio(&master, true)?;
    // portable-pty does not hand out the slave.
    let slave = open_peer(&master)?;
    Ok(Pty { master, slave })
}

/// Sets the size. If it changes, the kernel notifies the foreground group (SIGWINCH).
pub fn resize(master: impl AsFd, rows: u16, cols: u16) -> io::Result<()> {
    let size = Winsize {
        ws_row: rows,
        ws_col: cols,
        ws_xpixel: 0,
        ws_ypixel: 0,
    };
    Ok(tcsetwinsize(master, size)?)
}

/// The terminal's settings for typed input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LineDiscipline {
    /// Typed characters are echoed.
    pub echo: bool,
    /// Input is delivered by lines, and cut at 4,095 bytes.
    pub canonical: bool,
    /// The end-of-file character, usually `^D`.
    pub eof: u8,
    /// The characters that raise SIGINT, SIGQUIT and SIGTSTP; `None` while ISIG is off.
    signals: Option<[u8; 3]>,
    /// A typed CR is read as a line feed.
    pub cr_is_newline: bool,
    /// These characters discard typed input that has not been read.
    pub discards: bool,
}

impl LineDiscipline {
    /// The signal that typing `byte` raises, if any.
    pub fn signal(&self, byte: u8) -> Option<Signal> {
        let place = self.signals?.iter().position(|&b| b != 0 && b == byte)?;
        Some([Signal::INT, Signal::QUIT, Signal::TSTP][place])
    }
}

/// The terminal's rows and columns.
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
        cr_is_newline: termios.input_modes.contains(InputModes::ICRNL),
        discards: !mode(LocalModes::NOFLSH),
    })
}

/// Number of input bytes that the program has not read, for a terminal or a pipe; `None` if unknown. In
/// canonical mode an unfinished line is not counted, because it cannot be read yet.
pub fn unread_input(input: impl AsFd) -> Option<u64> {
    if !isatty(&input) {
        return rustix::io::ioctl_fionread(input).ok();
    }
    unread_of_peer(&peer(input)?)
}

/// Like [`unread_input`], for the open slave of a terminal.
pub fn unread_of_peer(peer: &OwnedFd) -> Option<u64> {
    // A kernel worker passes typed bytes to the line discipline; poll(2) waits for it.
    let now = Timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    poll(&mut [PollFd::new(peer, PollFlags::IN)], Some(&now)).ok()?;
    rustix::io::ioctl_fionread(peer).ok()
}

/// Number of flushes that discard all input: a terminal holds 20,480 bytes and passes 4,095 of them at a
/// time to the line discipline.
const FLUSHES: usize = 8;

/// Discards input that the program has not read, as typing `^C` does.
pub fn discard_input(master: impl AsFd) {
    let Some(slave) = peer(master) else { return };
    for _ in 0..FLUSHES {
        // Bytes in flight arrive as long as there is room; poll(2) lets them arrive.
        let now = Timespec {
            tv_sec: 0,
            tv_nsec: 0,
        };
        let _ = poll(&mut [PollFd::new(&slave, PollFlags::IN)], Some(&now));
        // Ignore errors: nothing can be done about a terminal that refuses.
        let _ = tcflush(&slave, QueueSelector::IFlush);
    }
}

/// Opens the program's end. It does not become our controlling terminal, so its hang-up does not affect us.
pub fn peer(master: impl AsFd) -> Option<OwnedFd> {
    open_peer(master).ok()
}

/// Opens the slave through the master, because its name may refer to another terminal in our mount namespace.
fn open_peer(master: impl AsFd) -> rustix::io::Result<OwnedFd> {
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    ioctl_tiocgptpeer(master, flags)
}

/// Sends the foreground group a signal that can be typed.
pub fn raise(master: impl AsFd, signal: Signal) -> io::Result<()> {
    const TIOCSIG: u32 = opcode::write::<i32>(b'T', 0x36);
    let number = signal.as_raw().unsigned_abs() as usize;
    // SAFETY: TIOCSIG takes the signal number by value and touches no memory.
    unsafe { ioctl(master, IntegerSetter::<TIOCSIG>::new_usize(number))? };
    Ok(())
}

/// The process group in the foreground.
pub fn foreground_group(master: impl AsFd) -> Option<u32> {
    let group = rustix::termios::tcgetpgrp(master).ok()?;
    u32::try_from(group.as_raw_nonzero().get()).ok()
}

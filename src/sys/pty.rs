//! A job's pseudo-terminal.
#![allow(unsafe_code, reason = "portable-pty hands out a raw descriptor")]

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use portable_pty::{PtySize, native_pty_system};
use rustix::fs::OFlags;
use rustix::termios::{
    LocalModes, SpecialCodeIndex, Winsize, tcgetattr, tcgetwinsize, tcsetwinsize,
};

/// Both ends of a new terminal.
#[derive(Debug)]
pub struct Pty {
    /// Our end, non-blocking.
    pub master: OwnedFd,
    /// The program's end.
    pub slave: File,
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
    let name = pair.master.tty_name().ok_or(io::ErrorKind::Unsupported)?;
    let no_ctty = OFlags::NOCTTY.bits().cast_signed();
    let slave = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(no_ctty)
        .open(name)?;
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
}

/// Rows and columns.
pub fn size(master: impl AsFd) -> Option<(u16, u16)> {
    let size = tcgetwinsize(master).ok()?;
    Some((size.ws_row, size.ws_col))
}

/// Reads the line discipline from our end.
pub fn line_discipline(master: impl AsFd) -> io::Result<LineDiscipline> {
    let termios = tcgetattr(master)?;
    Ok(LineDiscipline {
        echo: termios.local_modes.contains(LocalModes::ECHO),
        canonical: termios.local_modes.contains(LocalModes::ICANON),
        eof: termios.special_codes[SpecialCodeIndex::VEOF],
    })
}

/// The process group in the foreground.
pub fn foreground_group(master: impl AsFd) -> Option<u32> {
    let group = rustix::termios::tcgetpgrp(master).ok()?;
    u32::try_from(group.as_raw_nonzero().get()).ok()
}

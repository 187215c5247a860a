//! Reading files of `/proc` with few system calls.

use std::io;

use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags, open};

/// Buffer size in bytes that fits the files that are read often.
const USUAL: usize = 4096;

/// Reads a whole file. The standard library would first ask for the size, which the kernel does not know
/// for these files, and then start with a buffer of 32 bytes.
pub(super) fn read(path: &str) -> io::Result<Vec<u8>> {
    let file = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut bytes = Vec::with_capacity(USUAL);
    loop {
        match rustix::io::read(&file, spare_capacity(&mut bytes)) {
            // The kernel returns lines as long as the next one fits, and none is half as long as the
            // buffer: if this much is free, it was the end.
            Ok(read) if read == 0 || bytes.len() <= USUAL / 2 => return Ok(bytes),
            Ok(_) if bytes.len() == bytes.capacity() => bytes.reserve(bytes.len()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Reads a whole file as text, lossily, because program names need not be UTF-8.
pub(super) fn text(path: &str) -> io::Result<String> {
    let bytes = read(path)?;
    Ok(String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned()))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_short_and_long_files_completely() {
        let pid = std::process::id();
        let stat = text(&format!("/proc/{pid}/stat")).unwrap();
        assert!(stat.starts_with(&format!("{pid} (")) && stat.ends_with('\n'));
        let symbols = read("/proc/self/smaps").unwrap();
        assert!(symbols.len() > USUAL, "{}", symbols.len());
        assert!(symbols.ends_with(b"\n"));
        assert_eq!(
            read("/proc/none").unwrap_err().kind(),
            io::ErrorKind::NotFound
        );
    }
}

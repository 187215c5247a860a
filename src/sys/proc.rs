//! Files of `/proc`, read with few calls.

use std::io;

use rustix::buffer::spare_capacity;
use rustix::fs::{Mode, OFlags, open};

/// What the files that are read often fit into.
const USUAL: usize = 4096;

/// All of a file. The standard library asks for its size first, which the kernel
/// does not know of these, and then begins with 32 bytes.
pub(super) fn read(path: &str) -> io::Result<Vec<u8>> {
    let file = open(path, OFlags::RDONLY | OFlags::CLOEXEC, Mode::empty())?;
    let mut bytes = Vec::with_capacity(USUAL);
    loop {
        match rustix::io::read(&file, spare_capacity(&mut bytes)) {
            // The kernel hands out lines as long as the next one fits, and none of them is
            // half as long as this: with so much room left it was the end.
            Ok(read) if read == 0 || bytes.len() <= USUAL / 2 => return Ok(bytes),
            Ok(_) if bytes.len() == bytes.capacity() => bytes.reserve(bytes.len()),
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// The same as text; names of programs need not be UTF-8.
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
    fn a_file_is_read_whole_whatever_its_length() {
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

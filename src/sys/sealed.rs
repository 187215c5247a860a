//! Text in memory that another process can be given as a descriptor, so that it is never written to a disk.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::os::fd::{AsFd, OwnedFd};

use rustix::fs::{MemfdFlags, SealFlags, fcntl_add_seals, memfd_create};

/// Puts bytes into memory. Nobody can change them any more.
pub fn seal(bytes: &[u8]) -> io::Result<OwnedFd> {
    let flags = MemfdFlags::CLOEXEC | MemfdFlags::ALLOW_SEALING;
    let mut memory = File::from(memfd_create("bgproc-stored", flags)?);
    memory.write_all(bytes)?;
    let seals = SealFlags::SEAL | SealFlags::SHRINK | SealFlags::GROW | SealFlags::WRITE;
    fcntl_add_seals(&memory, seals)?;
    Ok(memory.into())
}

/// Reads what [`seal`] has put there.
pub fn read(memory: &impl AsFd) -> io::Result<Vec<u8>> {
    let mut memory = File::from(memory.as_fd().try_clone_to_owned()?);
    // Duplicates share their position.
    memory.rewind()?;
    let mut bytes = Vec::new();
    memory.read_to_end(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_was_sealed_can_be_read_again_and_not_changed() {
        let memory = seal(b"TOKEN=1").unwrap();
        for _ in 0..2 {
            assert_eq!(read(&memory).unwrap(), b"TOKEN=1");
        }
        let mut file = File::from(memory);
        file.write_all(b"x").unwrap_err();
    }
}

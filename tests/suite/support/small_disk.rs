//! A disk that is soon full.

use std::io::Write;
use std::path::PathBuf;
use std::process::Command;

use super::Home;
use super::needs::skipped;

/// A file system of its own for the sessions; unmounted when dropped.
pub(crate) struct SmallDisk {
    place: PathBuf,
}

impl SmallDisk {
    /// `None`, said aloud, where that is not allowed.
    pub(crate) fn mount(home: &Home, megabytes: u32) -> Option<Self> {
        let place = home.path().join("sessions");
        std::fs::create_dir_all(&place).unwrap();
        let size = format!("size={megabytes}m,mode=0700");
        let mut mount = Command::new("mount");
        mount
            .args(["-t", "tmpfs", "-o", &size, "tmpfs"])
            .arg(&place);
        match mount.output() {
            Ok(output) if output.status.success() => Some(Self { place }),
            _ => {
                skipped("a small file system cannot be mounted here");
                None
            }
        }
    }

    /// Takes so much of it.
    pub(crate) fn fill(&self, megabytes: u32) {
        let ballast = vec![b'x'; (megabytes as usize) << 20];
        std::fs::write(self.ballast(), ballast).unwrap();
    }

    /// Fills it up to the last byte.
    pub(crate) fn fill_up(&self) {
        let mut ballast = std::fs::File::create(self.ballast()).unwrap();
        for size in [1 << 16, 1 << 12, 1] {
            while ballast.write_all(&vec![b'x'; size]).is_ok() {}
        }
    }

    /// The file that takes the room.
    pub(crate) fn ballast(&self) -> PathBuf {
        self.place.join("ballast")
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.place).status();
    }
}

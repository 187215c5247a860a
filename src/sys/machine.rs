//! A state directory that several machines see, such as that of the login nodes of a cluster with one home directory.
//!
//! Processes, sockets and boot ids are those of one machine, and so are the records that name them. Each machine
//! therefore has a part of such a directory for itself.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

/// The directory with the parts. A person may create it where the file system is not known as one of a network.
const MACHINES: &str = "machines";

/// The part of a state directory that belongs to this machine; `None` if no other machine sees the directory. A
/// directory that has been used as a whole stays whole.
pub fn part_of(state: &Path) -> Option<PathBuf> {
    let machines = state.join(MACHINES);
    let is_shared = machines.is_dir() || !state.join("sessions").exists() && is_of_network(state);
    is_shared.then(|| machines.join(name()))
}

/// The directory of all parts, if `state` is one of them.
pub fn parts(state: &Path) -> Option<&Path> {
    let above = state.parent()?;
    (above.file_name()? == MACHINES).then_some(above)
}

/// The names of the machines that have a part beside this one, with its path.
pub fn others(part: &Path) -> Vec<(String, PathBuf)> {
    let entries = parts(part).and_then(|machines| std::fs::read_dir(machines).ok());
    let entries = entries.into_iter().flatten().flatten();
    let mut others: Vec<_> = entries
        .filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()))
        .map(|entry| {
            (
                entry.file_name().to_string_lossy().into_owned(),
                entry.path(),
            )
        })
        .filter(|(_, path)| path != part)
        .collect();
    others.sort();
    others
}

/// A word for this machine and a directory, for names in directories that other machines do not see. It is the same in
/// all versions of this program: a hash by FNV-1a, of 32 bits.
pub fn word_for(dir: &Path) -> String {
    let bytes = dir.as_os_str().as_bytes();
    let hash = bytes.iter().fold(0x811c_9dc5_u32, |hash, byte| {
        (hash ^ u32::from(*byte)).wrapping_mul(0x0100_0193)
    });
    format!("{}-{hash:08x}", name())
}

/// The name of this machine, as the name of a file.
fn name() -> String {
    let name = rustix::system::uname()
        .nodename()
        .to_string_lossy()
        .into_owned();
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || "-_.".contains(c) {
            c
        } else {
            '_'
        }
    };
    let name: String = name.chars().map(plain).take(64).collect();
    match name.trim_start_matches('.') {
        "" => "localhost".to_owned(),
        name => name.to_owned(),
    }
}

/// Whether a directory, or the nearest one above that exists, is in a file system that other machines may have mounted.
#[cfg(target_os = "linux")]
pub fn is_of_network(path: &Path) -> bool {
    /// From linux/magic.h, and from the sources of Lustre, GPFS, BeeGFS and PanFS.
    const NETWORK: [u64; 14] = [
        0x6969,      // NFS
        0x517b,      // SMB
        0xff53_4d42, // CIFS
        0xfe53_4d42, // SMB2
        0x5346_414f, // AFS
        0x6b41_4653, // AFS of the kernel
        0x7375_7245, // Coda
        0x00c3_6400, // Ceph
        0x7461_636f, // OCFS2
        0x0116_1970, // GFS2
        0x0bd0_0bd0, // Lustre
        0x4750_4653, // GPFS
        0x1983_0326, // BeeGFS
        0xaad7_aaea, // PanFS
    ];
    let mut found = path
        .ancestors()
        .filter_map(|dir| rustix::fs::statfs(dir).ok());
    found.next().is_some_and(|fs| {
        // The type of the field differs between architectures.
        #[allow(
            clippy::unnecessary_cast,
            clippy::cast_sign_loss,
            reason = "it is signed on some"
        )]
        let magic = fs.f_type as u64 & 0xffff_ffff;
        NETWORK.contains(&magic)
    })
}

/// It is not known here; `machines` can be made by a person.
#[cfg(not(target_os = "linux"))]
pub fn is_of_network(_: &Path) -> bool {
    false
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_directory_is_shared_if_it_is_said_to_be() {
        let dir = tempfile::tempdir().unwrap();
        assert_eq!(part_of(dir.path()), None);
        let machines = dir.path().join(MACHINES);
        std::fs::create_dir(&machines).unwrap();
        let part = part_of(dir.path()).unwrap();
        assert_eq!(part, machines.join(name()));
        assert_eq!(others(&part), []);
        let other = machines.join("login2");
        std::fs::create_dir(&other).unwrap();
        assert_eq!(others(&part), [("login2".to_owned(), other)]);
        assert_eq!(others(dir.path()), []);
    }

    #[test]
    fn a_local_directory_is_not_of_a_network() {
        let dir = tempfile::tempdir().unwrap();
        assert!(!is_of_network(&dir.path().join("not/there")));
    }
}

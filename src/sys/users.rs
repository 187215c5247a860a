//! Users and groups, as far as the trust in files needs them.

use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;

/// The user whose files this process may trust.
pub fn own_id() -> u32 {
    rustix::process::geteuid().as_raw()
}

/// Whether a group has no other member than the user of this process: many systems give each user such a group.
/// A group that is in no local file is not known, and counts as shared.
pub fn group_is_private(gid: u32) -> bool {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    is_private(gid, own_id(), &read("/etc/passwd"), &read("/etc/group"))
}

/// The home directory of the user of this process, whatever `HOME` says; `None` if no local file names the user.
pub fn home_dir() -> Option<PathBuf> {
    home_of(own_id(), &std::fs::read_to_string("/etc/passwd").ok()?)
}

/// The sixth field of passwd(5), found by the third.
fn home_of(uid: u32, passwd: &str) -> Option<PathBuf> {
    let mut users = passwd
        .lines()
        .map(|line| line.split(':').collect::<Vec<_>>());
    let user = users.find(|user| user.get(2).and_then(|id| id.parse().ok()) == Some(uid))?;
    user.get(5)
        .filter(|home| !home.is_empty())
        .map(PathBuf::from)
}

fn is_private(gid: u32, uid: u32, passwd: &str, group: &str) -> bool {
    let fields = |line: &str| line.split(':').map(str::to_owned).collect::<Vec<_>>();
    let has = |fields: &[String], at: usize, id: u32| {
        fields.get(at).and_then(|text| text.parse().ok()) == Some(id)
    };
    let users: Vec<_> = passwd.lines().map(fields).collect();
    let mine = users.iter().find(|user| has(user, 2, uid));
    let Some(name) = mine.and_then(|user| user.first()) else {
        return false;
    };
    let mut groups = group.lines().map(fields);
    let Some(group) = groups.find(|group| has(group, 2, gid)) else {
        return false;
    };
    let members = group.get(3).map_or("", String::as_str).split(',');
    let others = members.filter(|member| !member.is_empty() && member != name);
    let primary = users
        .iter()
        .filter(|user| has(user, 3, gid) && !has(user, 2, uid));
    others.count() == 0 && primary.count() == 0
}

/// What identifies a directory wherever it is moved to: its device and inode.
pub fn identity(path: &std::path::Path) -> Option<(u64, u64)> {
    let meta = std::fs::metadata(path).ok()?;
    Some((meta.dev(), meta.ino()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_home_is_found_by_the_id_of_its_user() {
        let passwd =
            "root:x:0:0::/root:/bin/sh\nann:x:1000:1000:Ann,,,:/home/ann:/bin/sh\nx:x:2:2:::\n";
        let home = |uid| home_of(uid, passwd);
        assert_eq!(home(1000), Some(PathBuf::from("/home/ann")));
        assert_eq!((home(2), home(3)), (None, None));
    }

    #[test]
    fn a_group_with_one_member_is_private() {
        let passwd = "root:x:0:0::/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\nbob:x:1001:100::/:/bin/sh\n";
        let group = "ann:x:1000:\nusers:x:100:\nwheel:x:10:ann,bob\nown:x:11:ann\n";
        let private = |gid| is_private(gid, 1000, passwd, group);
        assert!(private(1000), "the group of the user");
        assert!(private(11), "named as its only member");
        assert!(!private(100), "the primary group of bob");
        assert!(!private(10), "bob is a member");
        assert!(!private(4711), "unknown");
    }
}

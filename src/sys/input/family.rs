//! Which processes may read a session's input.

use crate::sys::tree::{self, Process};

/// Processes of one family looked at: a build may have thousands, and hardly one of
/// them reads.
const MAX_PROCESSES: usize = 256;

/// Those who may read a session's input.
#[derive(Debug, Default)]
pub(super) struct Readers {
    pub(super) list: Vec<Reader>,
    /// Whether these are all of them: of a large family not everybody is looked at.
    pub(super) is_whole: bool,
}

/// A process that may read a session's input.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Reader {
    pub(super) pid: u32,
    /// Whether `/dev/tty` is the session's terminal to it.
    pub(super) is_controlled: bool,
}

/// Those who may read a terminal whose foreground group this is: its processes,
/// found from the session's first process down (where none is there, among all),
/// and descendants in a session of their own, whom the terminal does not hold back.
pub(super) fn of_terminal(leader: u32, group: u32) -> Readers {
    let session = tree::read(leader).map(|process| process.session);
    let is_foreground = |process: &Process| process.group == group;
    let is_elsewhere = |process: &Process| session.is_some_and(|own| own != process.session);
    let (family, is_whole) = descendants(leader);
    let mut readers: Vec<Process> = family.into_iter().filter_map(tree::read).collect();
    readers.retain(|process| is_foreground(process) || is_elsewhere(process));
    if is_whole && !readers.iter().any(is_foreground) {
        readers.extend(
            tree::all_pids()
                .filter_map(tree::read)
                .filter(is_foreground),
        );
    }
    // A stopped process shows the call that it would go on with.
    readers.retain(|process| !matches!(process.state, 'T' | 't' | 'X' | 'x'));
    let list = readers.iter().map(|process| Reader {
        pid: process.pid,
        is_controlled: is_foreground(process),
    });
    Readers {
        list: list.collect(),
        is_whole,
    }
}

/// Those who may read a pipe that a session's first process was given.
pub(super) fn of_pipe(leader: u32) -> Readers {
    let (family, is_whole) = descendants(leader);
    let reader = |pid| Reader {
        pid,
        is_controlled: false,
    };
    Readers {
        list: family.into_iter().map(reader).collect(),
        is_whole,
    }
}

/// A process and its descendants, parents first, and whether these are all.
fn descendants(pid: u32) -> (Vec<u32>, bool) {
    let mut family = vec![pid];
    let mut next = 0;
    while let Some(&pid) = family.get(next) {
        next += 1;
        for thread in threads(pid) {
            let children = format!("/proc/{pid}/task/{thread}/children");
            let text = std::fs::read_to_string(children).unwrap_or_default();
            family.extend(text.split_ascii_whitespace().flat_map(str::parse::<u32>));
        }
        if family.len() > MAX_PROCESSES {
            return (family, false);
        }
    }
    (family, true)
}

/// The threads of a process.
pub(super) fn threads(pid: u32) -> impl Iterator<Item = u32> {
    let entries = std::fs::read_dir(format!("/proc/{pid}/task"));
    let entries = entries.into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

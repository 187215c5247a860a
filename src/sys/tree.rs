//! Finding the processes of a session, including those that detached from it.
//!
//! A process belongs to a session if it is in the terminal session or process group that the session's
//! first process leads or led, if it descends from such a process, or if it carries the session's id in its
//! environment (`BGPROC_SESSION`). The last rule finds processes that called `setsid` and were orphaned.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};

use super::proc;
use super::process::{self, Process};
use crate::protocol::SessionId;
pub use crate::protocol::environment::MARK;

/// The first process of a session.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Leader {
    /// It still exists, so its pid cannot be reused.
    Alive(u32),
    /// It is gone.
    Gone {
        /// The pid it had.
        pid: u32,
        /// When it ended, in milliseconds after boot.
        ended: u64,
    },
}

impl Leader {
    /// Pids of the processes in its terminal session or process group; a pid may occur twice.
    fn led(self, by_number: &ByNumber<'_>) -> Vec<u32> {
        let (Self::Alive(pid) | Self::Gone { pid, .. }) = self;
        let with_number = by_number.get(&pid).into_iter().flatten();
        let in_session = with_number.clone().filter(|p| p.session == pid);
        let pids = |process: &&Process| process.pid;
        match self {
            Self::Alive(_) => with_number.map(pids).collect(),
            // The kernel does not reuse a pid while it is the number of a terminal session with
            // processes. If one of the processes started before the leader ended, the session is
            // still that of the leader. If none did, it may be a later session with the same
            // number.
            Self::Gone { ended, .. } => {
                let mut all = in_session.clone();
                let known = all.any(|process| process.started_boot() <= ended);
                in_session.filter(|_| known).map(pids).collect()
            }
        }
    }
}

/// Processes by pid, by terminal session and by process group. With this map, one walk through all
/// processes is enough for any number of sessions.
type ByNumber<'a> = HashMap<u32, Vec<&'a Process>>;

fn by_number<'a>(all: &[&'a Process]) -> ByNumber<'a> {
    let mut found = ByNumber::new();
    for &process in all {
        for number in [process.session, process.group, process.pid] {
            found.entry(number).or_default().push(process);
        }
    }
    found
}

/// The live processes of each of these sessions, found in one walk through all processes. A session
/// without processes has no entry. Pass all sessions at once: environments are read only of
/// processes that belong to no passed session by another rule.
///
/// `ours` are processes of bgproc itself. Neither they nor their ancestors belong to a session, whatever a record says.
pub fn processes(
    sessions: &[(SessionId, Option<Leader>)],
    ours: &[u32],
) -> HashMap<SessionId, Vec<Process>> {
    let all = live();
    let owners = owners(&all, sessions, &spared(&all, ours), mark);
    let mut found: HashMap<SessionId, Vec<Process>> = HashMap::new();
    for process in all {
        if let Some(&session) = owners.get(&process.pid) {
            found.entry(session.clone()).or_default().push(process);
        }
    }
    found
}

/// All live processes; zombies are not live.
fn live() -> Vec<Process> {
    let all = process::all().filter_map(process::read);
    all.filter(|process| process.state != 'Z').collect()
}

/// The pids that belong to no session: the first process of the system, `ours` and their ancestors.
fn spared(all: &[Process], ours: &[u32]) -> HashSet<u32> {
    let parents: HashMap<u32, u32> = all.iter().map(|one| (one.pid, one.ppid)).collect();
    let mut spared = HashSet::from([1]);
    for &one in ours {
        let mut pid = Some(one);
        while let Some(known) = pid.filter(|&pid| spared.insert(pid)) {
            pid = parents.get(&known).copied();
        }
    }
    spared
}

/// The pids of `all` that belong to one of these sessions, each with its session; none of `spared` does. `mark` returns
/// the session id in a process's environment. It is called only for processes that no other rule
/// assigns, because reading an environment takes as long as everything else together.
fn owners<'a>(
    all: &[Process],
    sessions: &'a [(SessionId, Option<Leader>)],
    spared: &HashSet<u32>,
    mark: impl Fn(u32) -> Option<String>,
) -> HashMap<u32, &'a SessionId> {
    let mut owners = HashMap::new();
    let all: Vec<&Process> = all
        .iter()
        .filter(|one| !spared.contains(&one.pid))
        .collect();
    let by_number = by_number(&all);
    for (session, leader) in sessions {
        let led = leader.map_or_else(Vec::new, |leader| leader.led(&by_number));
        owners.extend(led.into_iter().map(|pid| (pid, session)));
    }
    inherit(&all, &mut owners);
    let by_name: HashMap<&str, &SessionId> =
        sessions.iter().map(|(id, _)| (id.as_str(), id)).collect();
    for process in &all {
        if !owners.contains_key(&process.pid)
            && let Some(session) =
                mark(process.pid).and_then(|name| by_name.get(name.as_str()).copied())
        {
            owners.insert(process.pid, session);
        }
    }
    inherit(&all, &mut owners);
    owners
}

/// Assigns the descendants of owned processes to the same session.
fn inherit<'a>(all: &[&Process], owners: &mut HashMap<u32, &'a SessionId>) {
    let mut children: HashMap<u32, Vec<u32>> = HashMap::new();
    for process in all {
        children.entry(process.ppid).or_default().push(process.pid);
    }
    let mut queue: Vec<(u32, &'a SessionId)> = owners
        .iter()
        .map(|(&pid, &session)| (pid, session))
        .collect();
    while let Some((pid, session)) = queue.pop() {
        for &child in children.get(&pid).into_iter().flatten() {
            if let Entry::Vacant(place) = owners.entry(child) {
                place.insert(session);
                queue.push((child, session));
            }
        }
    }
}

/// The session id that marks a process, or else its nearest marked ancestor.
pub fn session_of(pid: u32) -> Option<SessionId> {
    let mut pid = pid;
    // A process may have overwritten its environment; its ancestors may not have.
    while pid > 1 {
        if let Some(id) = mark(pid).and_then(|name| SessionId::parse(&name)) {
            return Some(id);
        }
        pid = process::read(pid)?.ppid;
    }
    None
}

/// The value of [`MARK`] in a process's environment. It cannot be read for processes of other users, which
/// cannot be ended anyway.
fn mark(pid: u32) -> Option<String> {
    let environment = proc::read(&format!("/proc/{pid}/environ")).ok()?;
    let mut entries = environment.split(|&byte| byte == 0);
    let name = entries.find_map(|entry| {
        let (name, value) = entry.split_at_checked(MARK.len())?;
        value.strip_prefix(b"=").filter(|_| name == MARK.as_bytes())
    })?;
    String::from_utf8(name.to_vec()).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::io::{Read, Write};
    use std::process::{Command, Stdio};

    use proptest::prelude::*;

    use super::*;

    #[test]
    fn members_of_a_gone_leader_are_known_by_a_process_older_than_its_end() {
        let member = |pid: u32, session: u32, start: u64| Process {
            threads: 1,
            pid,
            ppid: 1,
            group: pid,
            session,
            state: 'S',
            start: start / 10,
            name: "x".to_owned(),
            ticks: 0,
            pages: 0,
        };
        let all = [member(8, 7, 1000), member(9, 7, 5000), member(10, 10, 1000)];
        let gone = Leader::Gone {
            pid: 7,
            ended: 3000,
        };
        let led = |leader: Leader, all: &[Process]| -> HashSet<u32> {
            let all: Vec<&Process> = all.iter().collect();
            leader.led(&by_number(&all)).into_iter().collect()
        };
        assert_eq!(led(gone, &all), HashSet::from([8, 9]));
        assert!(
            led(gone, &all[1..]).is_empty(),
            "a later session of that number"
        );
        assert_eq!(led(Leader::Alive(7), &all), HashSet::from([8, 9]));
        assert_eq!(led(Leader::Alive(10), &all), HashSet::from([10]));
    }

    #[test]
    fn neither_bgproc_nor_its_ancestors_belong_to_a_session() {
        let one = |pid: u32, ppid: u32, session: u32| Process {
            threads: 1,
            pid,
            ppid,
            group: session,
            session,
            state: 'S',
            start: 1,
            name: "x".to_owned(),
            ticks: 0,
            pages: 0,
        };
        // The first process, a service manager, the keeper, the daemon, a job and its child.
        let all = [
            one(1, 0, 1),
            one(5, 1, 5),
            one(KEEPER, 5, KEEPER),
            one(11, KEEPER, 11),
            one(20, KEEPER, 20),
            one(21, 20, 20),
        ];
        let spared = spared(&all, &[11, KEEPER]);
        assert_eq!(spared, HashSet::from([1, 5, KEEPER, 11]));
        let found = |pid: u32| -> HashSet<u32> {
            let sessions = [(SessionId::fresh(), Some(Leader::Alive(pid)))];
            let found = owners(&all, &sessions, &spared, |_| None);
            found.into_keys().collect()
        };
        for pid in [1, 5, KEEPER, 11] {
            assert_eq!(found(pid), HashSet::new(), "{pid}");
        }
        assert_eq!(found(20), HashSet::from([20, 21]));
    }

    #[test]
    fn a_marked_process_is_found_without_its_leader() {
        let id = SessionId::fresh();
        let mut child = Command::new("cat")
            .env(MARK, id.as_str())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        // For a moment after the spawn the child shows no environment, so wait for output.
        child.stdin.as_mut().unwrap().write_all(b"x").unwrap();
        let mut answer = [0];
        child
            .stdout
            .as_mut()
            .unwrap()
            .read_exact(&mut answer)
            .unwrap();
        let sessions = [(id.clone(), None)];
        let found = processes(&sessions, &[]).remove(&id).unwrap();
        let handle = process::open(&found[0]).unwrap();
        crate::sys::signal::send(&handle, 9).unwrap();
        child.wait().unwrap();
        assert_eq!(
            found.iter().map(|p| p.pid).collect::<Vec<_>>(),
            [child.id()]
        );
        assert!(processes(&sessions, &[]).is_empty());
    }

    /// A simulated process table of sessions and other processes.
    #[derive(Default)]
    struct World {
        time: u64,
        processes: Vec<(Process, Option<String>)>,
        sessions: Vec<(SessionId, Option<Leader>)>,
    }

    /// Parent of the sessions' first processes and of all orphans.
    const KEEPER: u32 = 10;

    impl World {
        /// Performs the action `what` on the `which`th process.
        fn step(&mut self, what: u8, which: usize) {
            self.time += 1;
            // Pids are not reused here.
            let fresh = 100 + u32::try_from(self.time).unwrap();
            let count = self.processes.len();
            let chosen = (count > 0).then(|| which % count);
            match (what, chosen) {
                (0, _) | (_, None) => {
                    let id = SessionId::fresh();
                    let mark = Some(id.as_str().to_owned());
                    self.sessions.push((id, Some(Leader::Alive(fresh))));
                    self.add(fresh, KEEPER, (fresh, fresh), mark);
                }
                (1 | 2, Some(at)) => {
                    let (parent, mark) = self.processes[at].clone();
                    self.add(fresh, parent.pid, (parent.group, parent.session), mark);
                }
                (3, Some(at)) => {
                    let process = &mut self.processes[at].0;
                    if process.group != process.pid {
                        (process.group, process.session) = (process.pid, process.pid);
                    }
                }
                (4, Some(at)) => {
                    let process = &mut self.processes[at].0;
                    process.group = process.pid;
                }
                // The process executes a program with an empty environment.
                (5, Some(at)) => self.processes[at].1 = None,
                (_, Some(at)) => {
                    let (gone, _) = self.processes.remove(at);
                    let ended = self.time * 10;
                    for (process, _) in &mut self.processes {
                        if process.ppid == gone.pid {
                            process.ppid = KEEPER;
                        }
                    }
                    for (_, leader) in &mut self.sessions {
                        if *leader == Some(Leader::Alive(gone.pid)) {
                            *leader = Some(Leader::Gone {
                                pid: gone.pid,
                                ended,
                            });
                        }
                    }
                }
            }
        }

        fn add(&mut self, pid: u32, ppid: u32, in_: (u32, u32), mark: Option<String>) {
            let (group, session) = in_;
            let process = Process {
                pid,
                ppid,
                group,
                session,
                state: 'S',
                threads: 1,
                start: self.time,
                name: "x".to_owned(),
                ticks: 0,
                pages: 0,
            };
            self.processes.push((process, mark));
        }
    }

    proptest! {
        #[test]
        fn membership_does_not_depend_on_which_sessions_are_queried(
            steps in prop::collection::vec((0_u8..7, 0_usize..64), 1..120),
        ) {
            let mut world = World::default();
            for (what, which) in steps {
                world.step(what, which);
            }
            let marks: HashMap<u32, Option<String>> =
                world.processes.iter().map(|(p, mark)| (p.pid, mark.clone())).collect();
            let all: Vec<Process> = world.processes.into_iter().map(|(p, _)| p).collect();
            let mark = |pid: u32| marks[&pid].clone();
            let together = owners(&all, &world.sessions, &HashSet::new(), mark);
            for session in &world.sessions {
                let alone = owners(&all, std::slice::from_ref(session), &HashSet::new(), mark);
                let alone: HashSet<u32> = alone.into_keys().collect();
                let of_all = together.iter().filter(|(_, id)| **id == &session.0);
                prop_assert_eq!(of_all.map(|(pid, _)| *pid).collect::<HashSet<_>>(), alone);
            }
        }
    }

    #[test]
    fn environments_of_assigned_processes_are_not_read() {
        let mut world = World::default();
        // Three sessions of two processes each; one process of the third is an orphan in another terminal
        // session.
        for at in [0, 2, 4] {
            world.step(0, 0);
            world.step(1, at);
        }
        world.step(3, 5);
        world.step(6, 4);
        let asked = std::cell::RefCell::new(Vec::new());
        let all: Vec<Process> = world.processes.iter().map(|(p, _)| p.clone()).collect();
        let found = owners(&all, &world.sessions, &HashSet::new(), |pid| {
            asked.borrow_mut().push(pid);
            world
                .processes
                .iter()
                .find(|(p, _)| p.pid == pid)?
                .1
                .clone()
        });
        assert_eq!(found.len(), 5);
        assert_eq!(*asked.borrow(), [all[4].pid]);
    }
}

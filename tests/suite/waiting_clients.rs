//! Clients that start the next daemon after daemon and keeper were killed, several at the same moment.

use std::fs::File;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{FlockOperation, flock};
use rustix::process::Signal;
use serde_json::json;

use crate::support::fake::FakeDaemon;
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, eventually, rounds};

/// Clients that wait at once.
const CLIENTS: u64 = 8;

/// Exit code of a command that does not reach a daemon.
const UNAVAILABLE: i32 = 69;

#[test]
fn clients_that_wait_find_the_next_daemon_after_both_were_killed() {
    let home = Home::new();
    for _ in 0..rounds(5, 50) {
        let job = home.start(&["--", "sleep", "1000"]);
        let status = home.json(&["daemon", "status"]);
        let held = |name: &str| {
            let pid = status[name].as_u64().unwrap();
            Held::new(u32::try_from(pid).unwrap()).unwrap()
        };
        let both = [held("keeperPid"), held("daemonPid")];
        std::thread::scope(|scope| {
            let wait = || home.run(&["wait", &job]);
            let clients: Vec<_> = (0..CLIENTS).map(|_| scope.spawn(wait)).collect();
            eventually("they connect", || {
                let stats = home.json(&["daemon", "status"]);
                // Some of them have a second connection already, others have none yet.
                (stats["connections"].as_u64() > Some(CLIENTS)).then_some(())
            });
            both.iter().for_each(|process| process.signal(Signal::KILL));
            for client in clients {
                let ran = client.join().unwrap();
                assert_ne!(ran.code, Some(UNAVAILABLE), "{ran}");
            }
        });
        assert!(both.iter().all(|process| process.ended(DEADLINE)));
    }
}

#[test]
fn a_client_finds_the_daemon_although_the_one_that_has_started_it_is_stopped() {
    let home = Home::new();
    let path = home.path().join("start.lock");
    let lock = File::create(&path).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let watch = inotify::init(CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, &path, WatchFlags::OPEN).unwrap();
    std::thread::scope(|scope| {
        let client = scope.spawn(|| home.run(&["ls"]));
        let timeout = Timespec::try_from(DEADLINE).unwrap();
        let mut fds = [PollFd::new(&watch, PollFlags::IN)];
        assert_eq!(poll(&mut fds, Some(&timeout)).unwrap(), 1);
        // It has found no socket, and waits for the lock.
        let daemon = FakeDaemon::new(&home);
        let mut met = daemon.accept(1, "human");
        let asked = met.line();
        let none = json!({"sessions": [], "counts": {}});
        met.say(&json!({"id": asked["id"], "ok": true, "result": none}));
        client.join().unwrap().expect_code(0);
    });
}

#[test]
fn a_client_waits_until_a_killed_keeper_has_released_its_locks() {
    let home = Home::new();
    // The kernel takes a killed process apart bit by bit. This is what is left of one that cannot be found any more.
    let path = home.path().join("sessions.lock");
    let lock = File::create(&path).unwrap();
    flock(&lock, FlockOperation::LockExclusive).unwrap();
    let watch = inotify::init(CreateFlags::CLOEXEC).unwrap();
    inotify::add_watch(&watch, &path, WatchFlags::CLOSE_WRITE).unwrap();
    std::thread::scope(|scope| {
        let client = scope.spawn(|| home.run(&["run", "-w", "true"]));
        let timeout = Timespec::try_from(DEADLINE).unwrap();
        let mut fds = [PollFd::new(&watch, PollFlags::IN)];
        assert_eq!(poll(&mut fds, Some(&timeout)).unwrap(), 1);
        // A keeper was refused, and has ended.
        drop(lock);
        client.join().unwrap().expect_code(0);
    });
}

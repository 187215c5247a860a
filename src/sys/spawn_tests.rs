//! Tests of the environment a job starts in, and of failing starts.

use std::io::Read;
use std::os::unix::fs::PermissionsExt;

use rustix::process::{WaitId, WaitIdOptions, waitid};

use super::*;
use crate::protocol::JobLimits;

fn terminal() -> Terminal {
    Terminal {
        rows: 24,
        cols: 80,
        reset: String::new(),
    }
}

fn spec(mode: Mode, program: &str, argv: &[&str]) -> SpawnSpec {
    SpawnSpec {
        program: program.to_owned(),
        argv: argv.iter().map(|word| (*word).to_owned()).collect(),
        cwd: "/".to_owned(),
        env: [("PATH", "/usr/bin:/bin"), ("EMPTY", "")]
            .into_iter()
            .collect(),
        mode,
        umask: None,
        inherit: None,
        limits: None,
        ready: None,
    }
}

fn shell(mode: Mode, line: &str) -> SpawnSpec {
    spec(mode, "/bin/sh", &["sh", "-c", line])
}

/// Runs a job to its end; returns its pid and its standard output.
fn said(spec: &SpawnSpec) -> (u32, String) {
    let job = spawn(
        spec,
        &terminal(),
        getrlimit(Resource::Nofile),
        None,
        &|_| {},
    )
    .unwrap();
    rustix::io::ioctl_fionbio(&job.outputs[0], false).unwrap();
    let mut bytes = Vec::new();
    // Reading a terminal fails once nobody has it open; what came before is in `bytes`.
    let _ = File::from(job.outputs[0].try_clone().unwrap()).read_to_end(&mut bytes);
    let ended = waitid(WaitId::PidFd(job.pidfd.as_fd()), WaitIdOptions::EXITED).unwrap();
    assert_eq!(ended.unwrap().exit_status(), Some(0));
    (job.pid, String::from_utf8(bytes).unwrap())
}

fn why_not(spec: &SpawnSpec) -> io::Error {
    match spawn(
        spec,
        &terminal(),
        getrlimit(Resource::Nofile),
        None,
        &|_| {},
    ) {
        Err(SpawnError::Process(error) | SpawnError::Directory(_, error)) => error,
        other => panic!("{other:?}"),
    }
}

#[test]
fn a_job_leads_a_session_with_its_terminal() {
    let (pid, said) = said(&shell(
        Mode::Pty,
        "read stat < /proc/$$/stat; echo $stat > /dev/tty",
    ));
    let numbers = said.split_once(") ").unwrap().1;
    let numbers: Vec<i64> = numbers
        .split_whitespace()
        .skip(2)
        .take(4)
        .map(|n| n.parse().unwrap())
        .collect();
    // Group, session, terminal, foreground group: proc_pid_stat(5).
    assert_eq!(
        [numbers[0], numbers[1], numbers[3]],
        [i64::from(pid); 3],
        "{said}"
    );
    assert_ne!(numbers[2], 0, "{said}");
}

#[test]
fn a_job_on_pipes_has_no_terminal_and_reads_its_input() {
    let spec = shell(
        Mode::Pipe,
        "read -r line; echo \"$line\"; (: < /dev/tty) 2>&1; :",
    );
    let job = spawn(
        &spec,
        &terminal(),
        getrlimit(Resource::Nofile),
        None,
        &|_| {},
    )
    .unwrap();
    rustix::io::write(&job.input, b"hello\n").unwrap();
    rustix::io::ioctl_fionbio(&job.outputs[0], false).unwrap();
    let mut text = String::new();
    File::from(job.outputs[0].try_clone().unwrap())
        .read_to_string(&mut text)
        .unwrap();
    assert!(
        text.starts_with("hello\n") && text.contains("/dev/tty"),
        "{text}"
    );
}

#[test]
fn a_job_gets_its_arguments_and_environment() {
    let (_, words) = said(&spec(
        Mode::Pipe,
        "/bin/sh",
        &["odd one", "-c", "echo \"$0\"; pwd"],
    ));
    assert_eq!(words, "odd one\n/\n");
    let (_, env) = said(&spec(Mode::Pipe, "/usr/bin/env", &["env"]));
    assert_eq!(env, "PATH=/usr/bin:/bin\nEMPTY=\n");
}

#[test]
fn a_job_starts_with_no_signal_blocked_and_our_mask_is_kept() {
    use std::mem::zeroed;
    // SAFETY: signal sets are plain data; the calls only read and write them.
    let (before, after) = unsafe {
        let (mut set, mut before, mut after) = (zeroed(), zeroed(), zeroed());
        libc::sigaddset(&raw mut set, libc::SIGINT);
        libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, std::ptr::null_mut());
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut before);
        let spec = shell(Mode::Pipe, "grep -E 'Sig(Blk|Ign)' /proc/self/status");
        let (_, said) = said(&spec);
        let masks: Vec<_> = said.split_whitespace().skip(1).step_by(2).collect();
        let masks = masks
            .iter()
            .map(|mask| u64::from_str_radix(mask, 16).unwrap());
        let masks: Vec<_> = masks.collect();
        assert_eq!(masks[0], 0, "{said}");
        assert_eq!(
            masks[1] & 1 << (libc::SIGPIPE - 1),
            0,
            "Rust ignores it: {said}"
        );
        libc::pthread_sigmask(libc::SIG_BLOCK, std::ptr::null(), &raw mut after);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, &raw const set, std::ptr::null_mut());
        (before, after)
    };
    for signal in 1..32 {
        // SAFETY: as above.
        let [before, after] =
            [&before, &after].map(|set| unsafe { libc::sigismember(set, signal) });
        assert_eq!(before, after, "{signal}");
    }
}

#[test]
fn settings_of_a_job_do_not_affect_us() {
    let own = std::env::current_dir().unwrap();
    let files = getrlimit(Resource::Nofile);
    let limits = JobLimits {
        open_files: Some(64),
        cpu_sec: Some(100),
        nice: Some(3),
        ..JobLimits::default()
    };
    let line = "umask; ulimit -n; ulimit -t; nice; pwd";
    let spec = SpawnSpec {
        umask: Some(0o027),
        cwd: "/proc".to_owned(),
        limits: Some(Box::new(limits)),
        ..shell(Mode::Pipe, line)
    };
    let before = std::fs::read_to_string("/proc/self/status").unwrap();
    assert_eq!(said(&spec).1, "0027\n64\n100\n3\n/proc\n");
    let after = std::fs::read_to_string("/proc/self/status").unwrap();
    let umask = |status: &str| {
        status
            .lines()
            .find(|line| line.starts_with("Umask"))
            .map(str::to_owned)
    };
    assert_eq!(umask(&before), umask(&after));
    assert_eq!(std::env::current_dir().unwrap(), own);
    assert_eq!(getrlimit(Resource::Nofile), files);
    assert_eq!(getrlimit(Resource::Cpu).current, None);
}

#[test]
fn start_errors_carry_the_system_error() {
    let dir = tempfile::tempdir().unwrap();
    let place = |name: &str| dir.path().join(name).display().to_string();
    let put = |name: &str, text: &str, mode: u32| {
        std::fs::write(place(name), text).unwrap();
        std::fs::set_permissions(place(name), PermissionsExt::from_mode(mode)).unwrap();
    };
    put("not-executable", "#!/bin/sh\n", 0o644);
    put("no-interpreter", "#!/nowhere/interpreter\n", 0o755);
    let long = "x".repeat(300_000);
    let wanted = [
        (spec(Mode::Pty, &place("missing"), &["x"]), libc::ENOENT),
        (
            spec(Mode::Pty, &place("not-executable"), &["x"]),
            libc::EACCES,
        ),
        (
            spec(Mode::Pipe, &place("no-interpreter"), &["x"]),
            libc::ENOENT,
        ),
        (spec(Mode::Pipe, "/bin/true", &["true", &long]), libc::E2BIG),
    ];
    for (spec, errno) in wanted {
        assert_eq!(why_not(&spec).raw_os_error(), Some(errno), "{spec:?}");
    }
    for (cwd, errno) in [
        (place("no"), libc::ENOENT),
        (place("not-executable"), libc::ENOTDIR),
    ] {
        let spec = SpawnSpec {
            cwd,
            ..shell(Mode::Pty, ":")
        };
        assert_eq!(why_not(&spec).raw_os_error(), Some(errno), "{spec:?}");
    }
    let nul = why_not(&spec(Mode::Pty, "/bin/true", &["a\0b"]));
    assert_eq!(nul.kind(), io::ErrorKind::InvalidInput);
}

#[test]
fn a_script_without_interpreter_line_is_run_by_the_shell() {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("script").display().to_string();
    std::fs::write(&script, "echo \"$# $1\"\n").unwrap();
    std::fs::set_permissions(&script, PermissionsExt::from_mode(0o755)).unwrap();
    assert_eq!(
        said(&spec(Mode::Pipe, &script, &["script", "a b"])).1,
        "1 a b\n"
    );
}

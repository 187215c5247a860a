//! A home directory that several machines see: each has a state of its own in it. A second machine is another name of
//! this one here (a UTS namespace).

use crate::support::needs::skipped;
use crate::support::{Home, Ran};

/// What bgproc does on a machine of the name `login2`.
fn there(home: &Home, args: &[&str]) -> Ran {
    let mut words = vec![
        "unshare",
        "--uts",
        "sh",
        "-c",
        "hostname login2 && exec \"$0\" \"$@\"",
    ];
    words.push(env!("CARGO_BIN_EXE_bgproc"));
    words.extend(args);
    Home::finish(home.command_through(&words), args)
}

fn can_rename() -> bool {
    let renamed = std::process::Command::new("unshare")
        .args(["--uts", "hostname", "login2"])
        .output();
    let can = renamed.is_ok_and(|ran| ran.status.success());
    if !can {
        skipped("`unshare --uts` needs root");
    }
    can
}

#[test]
fn two_machines_with_one_home_keep_their_jobs_apart() {
    if !can_rename() {
        return;
    }
    let home = Home::with_config("log_bytes = 8388608\n");
    std::fs::create_dir(home.path().join("machines")).unwrap();
    home.ok(&["run", "-n", "web", "echo on the first; exec sleep 600"]);
    there(
        &home,
        &["run", "-n", "eval", "echo on the second; exec sleep 600"],
    )
    .expect_code(0);
    let (one, other) = (
        home.ok(&["ls"]),
        there(&home, &["ls"]).expect_code(0).stdout,
    );
    assert!(one.contains("web") && !one.contains("eval"), "{one}");
    assert!(other.contains("eval") && !other.contains("web"), "{other}");
    // Neither takes the other's jobs for lost.
    home.kill_daemon();
    let status = home.json(&["status", "web"]);
    assert_eq!(status["status"], "running", "{status}");
    let listed = there(&home, &["ls"]).stdout;
    assert!(listed.contains("running"), "{listed}");
    // Nothing of one is in the directory of both but the configuration.
    assert!(!home.path().join("sessions").exists());
    let told = home.run(&["doctor"]);
    assert!(
        told.stdout
            .contains("other machines that use this home: login2"),
        "{told}"
    );
    there(&home, &["daemon", "stop", "--kill"]).expect_code(0);
    let status = home.json(&["status", "web"]);
    assert_eq!(status["status"], "running", "{status}");
    home.ok(&["daemon", "stop", "--kill"]);
    // Sockets and locks are not where both machines are.
    for part in std::fs::read_dir(home.path().join("machines")).unwrap() {
        assert!(!part.unwrap().path().join("sessions.lock").exists());
    }
    for told in [home.run(&["doctor"]), there(&home, &["doctor"])] {
        let mut words = told.stdout.split_whitespace();
        let runtime = words.find(|word| word.starts_with("/tmp/bgproc-"));
        std::fs::remove_dir_all(runtime.unwrap()).unwrap();
    }
}

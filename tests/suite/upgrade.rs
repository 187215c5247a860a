//! `daemon upgrade`: another program takes over while jobs run.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::numbers::{self, COUNT_SLOWLY};
use crate::support::process::write_script;
use crate::support::{DEADLINE, Home, Person, Serve, daemon, eventually, rounds};

fn program_of(pid: &Value) -> PathBuf {
    std::fs::read_link(format!("/proc/{pid}/exe")).unwrap()
}

/// `path ARGS` in this home.
fn run(home: &Home, path: &Path, args: &[&str]) -> (Option<i32>, String) {
    let program = path.to_str().unwrap();
    let words = [&[program], args].concat();
    let ran = Home::finish(home.command_through(&words), args);
    (ran.code, ran.stdout + &ran.stderr)
}

#[test]
fn daemon_and_keeper_become_the_program_on_disk_and_no_job_notices() {
    if !have("python3") || !have("vim") {
        return;
    }
    let home = Home::new();
    let program = home.scratch("bgproc");
    daemon::install(&program);
    let words = [program.to_str().unwrap(), "--serve"];
    let mut serve = Serve::spawn(home.command_through(&words));
    let python = Job::start(&mut serve, "exec python3 -i -q");
    python.wait_screen(&mut serve, "^>>>$");
    python.say(&mut serve, "n = 0; print('at', n)", "^at 0$");
    let vim = json!({"command": "vim", "args": ["-N", "-n", "-u", "NONE", "-i", "NONE"]});
    let vim = Job::request(&mut serve, vim);
    vim.wait_screen(&mut serve, "^~$");
    vim.press(&mut serve, json!(["i", {"text": "half done"}]));
    vim.wait_screen(&mut serve, "^half done$");
    let server = "exec python3 -u -m http.server 0 --bind 127.0.0.1";
    let server = Job::request(&mut serve, json!({"command": server, "mode": "pipe"}));
    let listening = server.wait_for(&mut serve, "port (\\d+)");
    let port: u16 = listening["matched"]["groups"][0]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let flood = Job::start(&mut serve, COUNT_SLOWLY);
    flood.wait_for(&mut serve, "^000000000100$");
    let shown = vim.ask(&mut serve, "capture", json!({}));
    let before = serve.ok(json!({"action": "stats"}));
    for round in 1..=rounds(2, 20) {
        daemon::install(&program);
        let old = serve.ok(json!({"action": "stats"}));
        assert!(program_of(&old["keeperPid"]).ends_with("bgproc (deleted)"));
        let (code, said) = run(&home, &program, &["daemon", "upgrade"]);
        assert_eq!(code, Some(0), "{said}");
        assert!(said.contains("jobs continued"), "{said}");
        let new = serve.ok(json!({"action": "stats"}));
        assert_ne!(new["daemonPid"], old["daemonPid"]);
        assert_eq!(
            new["keeperPid"], before["keeperPid"],
            "the parent of the jobs stays"
        );
        for process in ["daemonPid", "keeperPid"] {
            assert_eq!(program_of(&new[process]), program, "{process}");
        }
        python.say(
            &mut serve,
            "n += 1; print('at', n)",
            &format!("^at {round}$"),
        );
        assert_eq!(
            vim.ask(&mut serve, "capture", json!({}))["text"],
            shown["text"]
        );
        std::net::TcpStream::connect(("127.0.0.1", port)).unwrap();
        let end = flood.ask(&mut serve, "status", json!({}))["outputBytes"].clone();
        let more = json!({"since": format!("c{end}"), "until": [{"pattern": "^\\d{12}$"}]});
        flood.wait_until(&mut serve, more);
    }
    // Still its parent, so that ends are seen, and still in charge.
    let brief = Job::start(&mut serve, "exit 3");
    assert_eq!(brief.end(&mut serve)["exitCode"], 3);
    python.ask(&mut serve, "write", json!({"data": "exit(6)\n"}));
    assert_eq!(python.end(&mut serve)["exitCode"], 6);
    for job in [&flood, &server, &vim] {
        assert_eq!(job.ask(&mut serve, "kill", json!({}))["status"], "killed");
    }
    numbers::check(&home, &flood.id);
}

/// Somebody presses Ctrl-C, or closes the terminal, while `daemon upgrade` waits for the next daemon.
#[test]
fn an_upgrade_goes_on_without_whoever_has_asked_for_it() {
    let home = Home::new();
    home.ok(&["ls"]);
    let mut person = Person::new(&home);
    let old = daemon::find(home.path()).unwrap();
    let request = json!({"id": 1, "action": "shutdown", "sessions": "keep", "upgrade": true});
    person.send(&request);
    person.next(|line| line["id"] == 1);
    drop(person);
    assert!(old.ended(DEADLINE));
    eventually("the next daemon runs, although nobody connects", || {
        daemon::find(home.path()).map(drop)
    });
}

#[test]
fn a_program_that_does_not_run_changes_nothing() {
    let home = Home::new();
    let program = home.scratch("bgproc");
    daemon::install(&program);
    let (code, said) = run(&home, &program, &["run", "-n", "job", "exec sleep 1000"]);
    assert_eq!(code, Some(0), "{said}");
    let before = home.json(&["status", "job"]);
    let broken = home.scratch("broken");
    write_script(&broken, "#!/bin/sh\necho out of order >&2; exit 1\n");
    daemon::install_as(&broken, &program);
    let silent = home.scratch("silent");
    write_script(&silent, "#!/bin/sh\nexec sleep 1000\n");
    // Of itself, or what somebody names.
    for named in [
        json!(null),
        json!(broken),
        json!("relative/path"),
        json!("/bin/echo"),
        json!(silent),
    ] {
        let mut person = Person::new(&home);
        let request = json!({"id": 1, "action": "shutdown", "upgrade": true, "program": named});
        person.send(&request);
        let error = person.next(|line| line["id"] == 1)["error"].to_string();
        let why = match named.as_str() {
            Some("relative/path") => "not an absolute path",
            Some("/bin/echo") => "is not bgproc",
            Some(path) if path.ends_with("silent") => "did not end within 10 s",
            _ => "out of order",
        };
        assert!(
            error.contains(why) && error.contains("nothing was changed"),
            "{error}"
        );
    }
    let after = home.json(&["status", "job"]);
    assert_eq!(
        (&after["pid"], &after["status"]),
        (&before["pid"], &json!("running"))
    );
    home.ok(&["kill", "job"]);
}

//! Records that a crash, a full disk or another version has spoiled.

use rustix::fs::{CWD, Mode, mkfifoat};
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::following::Following;
use crate::support::job::Job;
use crate::support::process::{Held, is_alive};
use crate::support::{DEADLINE, Home, Serve};

/// Kills the daemon, spoils records while none runs, and lets the next one come.
fn spoil(home: &Home, serve: &mut Serve, spoil: impl FnOnce()) {
    // A resting daemon comes back when somebody knocks, so nothing races.
    home.ok(&["daemon", "stop"]);
    spoil();
    serve.ok(json!({"action": "stats"}));
}

fn records(home: &Home) -> Vec<Value> {
    home.json(&["ls"])["sessions"].as_array().unwrap().clone()
}

#[test]
fn a_running_job_outlives_its_record() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let long = "printf 'one\\n'; while read x; do echo got-$x; done";
    let jobs: Vec<_> = (0..5).map(|_| Job::start(&mut serve, long)).collect();
    for job in &jobs {
        job.wait_for(&mut serve, "^one$");
    }
    let sleeper = Job::request(
        &mut serve,
        json!({"command": "sleep", "args": ["1000"], "mode": "pipe"}),
    );
    let meta = |job: &Job| home.path().join("sessions").join(&job.id).join("meta.json");
    let good = std::fs::read_to_string(meta(&jobs[4])).unwrap();
    spoil(&home, &mut serve, || {
        std::fs::write(meta(&jobs[0]), &good[..good.len() / 2]).unwrap();
        std::fs::write(meta(&jobs[1]), "").unwrap();
        std::fs::write(
            meta(&jobs[2]),
            good.replace("\"version\":1", "\"version\":999"),
        )
        .unwrap();
        std::fs::write(meta(&jobs[3]), &good).unwrap();
        std::fs::remove_file(meta(&jobs[4])).unwrap();
        std::fs::write(meta(&sleeper), [0; 512]).unwrap();
    });
    let listed = records(&home);
    assert_eq!(listed.len(), 6, "{listed:?}");
    for job in &jobs {
        let record = listed
            .iter()
            .find(|it| it["sessionId"] == job.id.as_str())
            .unwrap();
        assert_eq!(record["status"], "running", "{record}");
        assert_eq!(record["pid"], job.pid.unwrap(), "{record}");
        assert_eq!(record["command"], long, "{record}");
        assert_eq!(
            (&record["rows"], &record["cols"]),
            (&json!(40), &json!(120))
        );
        // It still takes input and its log is whole.
        home.ok(&["send", &job.id, "two"]);
        home.ok(&[
            "wait",
            &job.id,
            "--for",
            "match:got-two",
            "--timeout",
            "15s",
        ]);
        assert!(home.ok(&["logs", &job.id]).starts_with("one\n"), "{record}");
    }
    let record = listed
        .iter()
        .find(|it| it["sessionId"] == sleeper.id.as_str())
        .unwrap();
    assert_eq!(
        (&record["command"], &record["args"]),
        (&json!("sleep"), &json!(["1000"]))
    );
    assert_eq!(record["mode"], "pipe");
    assert!(is_alive(sleeper.pid.unwrap()));
    // Put aside, not thrown away; and written anew, so the next daemon knows it.
    let spoilt = std::fs::read_to_string(meta(&jobs[0]).with_extension("json.bad"));
    assert_eq!(spoilt.unwrap(), good[..good.len() / 2]);
    spoil(&home, &mut serve, || {});
    assert_eq!(records(&home).len(), 6);
    let said = home.ok(&["daemon", "logs"]);
    assert!(said.contains("is put aside"), "{said}");
}

#[test]
fn a_running_job_outlives_its_directory() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let line = "printf 'one\\n'; while read x; do echo got-$x; done";
    let job = Job::start(&mut serve, line);
    job.wait_for(&mut serve, "^one$");
    let removed = Job::start(&mut serve, "exec cat");
    removed.ask(&mut serve, "kill", json!({"remove": true}));
    let sessions = home.path().join("sessions");
    for place in [sessions.join(&job.id), sessions] {
        spoil(&home, &mut serve, || {
            std::fs::remove_dir_all(&place).unwrap()
        });
        let listed = records(&home);
        assert_eq!(listed.len(), 1, "{listed:?}");
        assert_eq!(listed[0]["status"], "running", "{listed:?}");
        assert_eq!(listed[0]["pid"], job.pid.unwrap(), "{listed:?}");
        assert_eq!(listed[0]["command"], line, "{listed:?}");
        home.ok(&["send", &job.id, "two"]);
        let wait = ["wait", &job.id, "--for", "match:got-two"];
        home.ok(&[&wait[..], &["--timeout", "15s"]].concat());
        // The next daemon knows it from its record.
        assert!(place.exists());
        assert!(
            home.path()
                .join("sessions")
                .join(&job.id)
                .join("meta.json")
                .exists()
        );
    }
    assert!(is_alive(job.pid.unwrap()));
}

#[test]
fn a_fifo_in_the_place_of_a_file_blocks_nothing() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "echo one; while read x; do echo got-$x; done");
    job.wait_for(&mut serve, "^one$");
    let over = Job::start(&mut serve, "exit 3");
    over.end(&mut serve);
    let sessions = home.path().join("sessions");
    let places = [
        sessions.join(&job.id).join("meta.json"),
        sessions.join(&job.id).join("output.idx"),
        sessions.join(&over.id).join("meta.json"),
        sessions.join(&over.id).join("exit.json"),
        home.path().join("journal.jsonl"),
        home.path().join("config.toml"),
    ];
    spoil(&home, &mut serve, || {
        for place in &places {
            let _ = std::fs::remove_file(place);
            mkfifoat(CWD, place, Mode::RUSR | Mode::WUSR).unwrap();
        }
    });
    std::fs::remove_file(home.path().join("config.toml")).unwrap();
    // Without its record it belongs to no agent.
    let say = |line: &str| {
        home.ok(&["send", &job.id, line]);
        let answer = format!("match:^got-{line}$");
        home.ok(&["wait", &job.id, "--for", &answer, "--timeout", "15s"]);
    };
    say("two");
    assert_eq!(records(&home).len(), 2);
    // The next keeper opens them as well.
    let stats = serve.ok(json!({"action": "stats"}));
    let keeper = Held::new(u32::try_from(stats["keeperPid"].as_u64().unwrap()).unwrap()).unwrap();
    keeper.signal(Signal::KILL);
    assert!(keeper.ended(DEADLINE));
    say("three");
    home.ok(&["daemon", "stop", "--kill"]);
}

#[test]
fn an_ended_job_without_its_record_is_told_with_its_exit_code() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "echo bye; exit 7");
    job.end(&mut serve);
    // The keeper ends with its last job: what is left is on disk.
    spoil(&home, &mut serve, || {
        let meta = home.path().join("sessions").join(&job.id).join("meta.json");
        std::fs::write(meta, "{}").unwrap();
    });
    let listed = records(&home);
    assert_eq!(listed[0]["sessionId"], job.id.as_str(), "{listed:?}");
    assert_eq!(
        (&listed[0]["status"], &listed[0]["exitCode"]),
        (&json!("error"), &json!(7))
    );
    assert_eq!(home.ok(&["logs", &job.id]), "bye\n");
    home.ok(&["rm", &job.id]);
    assert!(!home.path().join("sessions").join(&job.id).exists());
}

#[test]
fn a_job_without_a_record_is_listed_if_it_has_run() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "echo bye; exit 7");
    job.end(&mut serve);
    let sessions = home.path().join("sessions");
    // A daemon makes it before it writes the record.
    let empty = sessions.join("emptyempty00");
    spoil(&home, &mut serve, || {
        std::fs::remove_file(sessions.join(&job.id).join("meta.json")).unwrap();
        std::fs::create_dir(&empty).unwrap();
    });
    let listed = records(&home);
    assert_eq!(listed.len(), 1, "{listed:?}");
    assert_eq!(listed[0]["sessionId"], job.id.as_str());
    assert_eq!(listed[0]["exitCode"], 7, "{listed:?}");
    assert_eq!(home.ok(&["logs", &job.id]), "bye\n");
    assert!(!empty.exists());
    home.ok(&["rm", &job.id]);
    assert!(!sessions.join(&job.id).exists());
}

#[test]
fn what_is_no_session_is_left_alone() {
    let home = Home::new();
    home.ok(&["ls"]);
    home.ok(&["daemon", "stop"]);
    let sessions = home.path().join("sessions");
    std::fs::create_dir(sessions.join("..bad")).unwrap();
    std::fs::write(sessions.join("abcdefghijkl"), "a file").unwrap();
    let other = sessions.join("mnopqrstuvwx");
    std::fs::create_dir(&other).unwrap();
    std::fs::write(other.join("notes"), "of somebody").unwrap();
    assert_eq!(home.ok(&["ls", "--no-header"]), "");
    assert_eq!(std::fs::read_dir(&sessions).unwrap().count(), 3);
}

#[test]
fn an_ended_job_whose_record_names_a_pid_ends_no_stranger() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let job = Job::start(&mut serve, "true");
    job.end(&mut serve);
    let mut sleep = std::process::Command::new("sleep");
    sleep.arg("1000");
    let stranger = Following::of(sleep);
    let meta = home.path().join("sessions").join(&job.id).join("meta.json");
    spoil(&home, &mut serve, || {
        let record = std::fs::read_to_string(&meta).unwrap();
        let mut record: Value = serde_json::from_str(&record).unwrap();
        record["life"]["pid"] = json!(stranger.pid());
        std::fs::write(&meta, record.to_string()).unwrap();
    });
    let said = home.run(&["stop", &job.id]);
    assert!(is_alive(stranger.pid()), "{}", said.stderr);
    assert!(!said.stderr.contains("left behind"), "{}", said.stderr);
}

#[test]
fn an_id_is_no_path() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    std::fs::write(home.path().join("meta.json"), "{}").unwrap();
    for id in [
        "../../x",
        "..",
        "/etc/passwd",
        "a/b",
        "sessions/../..",
        "\u{0}",
    ] {
        for action in ["status", "poll", "log", "kill", "remove", "capture"] {
            let asked = json!({"action": action, "sessionId": id});
            let error = serve.err(asked, "session_not_found");
            assert!(
                error["message"].as_str().unwrap().contains("not found"),
                "{error}"
            );
        }
    }
    assert!(home.path().join("meta.json").exists());
}

#[test]
fn term_and_hangup_end_no_job() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(&mut serve, "echo up; while read x; do echo got-$x; done");
    job.wait_for(&mut serve, "^up$");
    for signal in [Signal::TERM, Signal::HUP, Signal::INT, Signal::QUIT] {
        let before = serve.ok(json!({"action": "stats"}));
        let held = |name: &str| {
            let pid = u32::try_from(before[name].as_u64().unwrap()).unwrap();
            Held::new(pid).unwrap()
        };
        held("keeperPid").signal(signal);
        let daemon = held("daemonPid");
        daemon.signal(signal);
        assert!(daemon.ended(DEADLINE), "{signal:?}");
        // The keeper goes on, and so the next daemon is there by itself.
        let after = serve.ok(json!({"action": "stats"}));
        assert_eq!(after["keeperPid"], before["keeperPid"], "{signal:?}");
        assert_ne!(after["daemonPid"], before["daemonPid"], "{signal:?}");
        job.say(&mut serve, "on", "^got-on$");
    }
    assert!(is_alive(job.pid.unwrap()));
}

//! The disk takes no more: jobs go on, the newest output stays readable, and
//! saving resumes by itself.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::numbers::{check_bytes, log_bytes};
use crate::support::small_disk::SmallDisk;
use crate::support::{Home, Serve, daemon, eventually};

/// Bytes before the end that stay in memory.
const TAIL: u64 = 64 * 1024;

/// The raw bytes that can be read from `offset` on, and where they begin.
fn raw(serve: &mut Serve, job: &Job, offset: u64) -> (u64, Vec<u8>) {
    use base64::Engine as _;
    let page = json!({"offset": offset, "limit": 1_048_576, "format": "base64"});
    let page = job.ask(serve, "log", page);
    let bytes = base64::engine::general_purpose::STANDARD.decode(page["output"].as_str().unwrap());
    (page["offset"].as_u64().unwrap(), bytes.unwrap())
}

/// Fails unless the newest output can be read, is right, and reaches `end`.
#[track_caller]
fn check_tail(serve: &mut Serve, job: &Job, end: u64) {
    let (at, bytes) = raw(serve, job, end - TAIL);
    assert_eq!((at, bytes.len() as u64), (end - TAIL, TAIL));
    check_bytes(at, &bytes);
}

#[test]
fn a_full_disk_stops_no_job_and_saving_resumes_by_itself() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home, 24) else {
        return;
    };
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["output_dropped"]}));
    let count = "stty -echo; seq -f %012.0f 0 99999; read x; seq -f %012.0f 100000 299999; read x; echo over; exec cat";
    let job = Job::start(&mut serve, count);
    job.wait_for(&mut serve, "^000000099999$");
    assert_eq!(job.record(&mut serve)["logDegraded"], Value::Null);
    disk.fill(21);
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    job.wait_for(&mut serve, "^000000299999$");
    let told = serve.event("output_dropped");
    assert!(told["data"]["reason"].is_string(), "{told}");
    let status = job.record(&mut serve);
    assert_eq!(
        (&status["status"], &status["outputBytes"]),
        (&json!("running"), &json!(4_200_000))
    );
    assert!(status["logDegraded"].is_string(), "{status}");
    let dropped = status["droppedBytes"].as_u64().unwrap();
    assert!(dropped > 1_000_000, "{status}");
    check_tail(&mut serve, &job, 4_200_000);
    // Screens and new jobs know nothing of it.
    assert!(job.screen(&mut serve).contains("000000299999"));
    let other = Job::start(&mut serve, "echo other; exit 3");
    assert_eq!(other.end(&mut serve)["exitCode"], 3);
    assert_eq!(other.output(&mut serve), "other\n");
    // The daemon that comes next finds it all as it was.
    daemon::kill(&mut serve);
    check_tail(&mut serve, &job, 4_200_000);
    std::fs::remove_file(disk.ballast()).unwrap();
    let told = loop {
        let told = serve.event("output_dropped");
        if told["sessionId"] == job.id && told["data"]["reason"].is_null() {
            break told;
        }
    };
    assert_eq!(told["data"]["unsavedBytes"], dropped - TAIL, "{told}");
    let status = job.record(&mut serve);
    assert_eq!(
        (&status["logDegraded"], &status["droppedBytes"]),
        (&Value::Null, &json!(dropped - TAIL))
    );
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    job.wait_for(&mut serve, "^over$");
    let (at, mut bytes) = raw(&mut serve, &job, 4_200_000 - TAIL);
    assert_eq!(bytes.split_off(TAIL as usize), b"over\r\n");
    check_bytes(at, &bytes);
    let saved = log_bytes(&home, &job.id);
    assert_eq!(
        saved,
        status["outputBytes"].as_u64().unwrap() + 6 - (dropped - TAIL)
    );
}

#[test]
fn the_next_keeper_knows_why_nothing_is_saved() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home, 24) else {
        return;
    };
    let mut serve = Serve::new(&home, &[]);
    let count = "stty -echo; echo up; read x; seq -f %012.0f 0 299999; exec cat";
    let job = Job::start(&mut serve, count);
    job.wait_for(&mut serve, "^up$");
    disk.fill(21);
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    job.wait_for(&mut serve, "^000000299999$");
    assert!(job.record(&mut serve)["logDegraded"].is_string());
    daemon::replace_keeper(&mut serve);
    let after = job.record(&mut serve)["logDegraded"].clone();
    let reason = after.as_str().unwrap();
    assert!(!reason.contains("replaced"), "{reason}");
    job.ask(&mut serve, "kill", json!({}));
}

#[test]
fn pipes_of_a_job_show_their_new_output_while_the_disk_is_full() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home, 4) else {
        return;
    };
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["output_dropped"]}));
    let job = Job::request(&mut serve, json!({"command": "exec cat", "mode": "pipe"}));
    disk.fill_up();
    for line in ["one", "two"] {
        let wait = json!({"until": [{"pattern": line}], "timeoutMs": 20_000});
        let write = json!({"data": line, "newline": true, "wait": wait});
        let written = job.ask(&mut serve, "write", write);
        let text = json!(format!("{line}\n"));
        assert_eq!(
            (&written["outcome"], &written["output"], &written["stdout"]),
            (&json!("matched"), &text, &text),
            "{written}"
        );
        if line == "one" {
            serve.event("output_dropped");
        }
    }
    let polled = job.ask(&mut serve, "poll", json!({}));
    assert_eq!(
        (&polled["output"], &polled["stdout"], &polled["stderr"]),
        (&json!("one\ntwo\n"), &json!("one\ntwo\n"), &json!("")),
        "{polled}"
    );
}

#[test]
fn the_first_output_that_a_full_disk_refuses_is_on_the_screen_and_ends_waits() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home, 4) else {
        return;
    };
    let mut serve = Serve::new(&home, &[]);
    // The daemon may look before it has read that the log cannot be written: not each time.
    let jobs: Vec<Job> = (0..24)
        .map(|_| Job::start(&mut serve, "stty -echo; echo ready; exec cat"))
        .collect();
    for job in &jobs {
        job.wait_for(&mut serve, "^ready$");
    }
    disk.fill_up();
    for job in &jobs {
        let wait = json!({"until": [{"pattern": "^yo$"}], "timeoutMs": 18_000});
        let write = json!({"data": "yo", "newline": true, "wait": wait});
        let written = job.ask(&mut serve, "write", write);
        assert_eq!(
            (&written["outcome"], &written["matched"]["line"]),
            (&json!("matched"), &json!(2)),
            "{written}"
        );
        assert_eq!(job.screen(&mut serve).trim_end(), "ready\nyo");
    }
}

#[test]
fn a_limit_on_the_size_of_files_is_met_like_a_full_disk() {
    let home = Home::new();
    // In blocks of 512 bytes: a megabyte. More is refused with EFBIG, and SIGXFSZ.
    let mut serve = Serve::spawn(home.command_after("ulimit -f 2048", &["--serve"]));
    serve.ok(json!({"action": "subscribe", "events": ["output_dropped"]}));
    let job = Job::start(&mut serve, "seq -f %012.0f 0 199999; exec cat");
    job.wait_for(&mut serve, "^000000199999$");
    let told = serve.event("output_dropped");
    assert_eq!(
        told["data"]["reason"], "File too large (os error 27)",
        "{told}"
    );
    check_tail(&mut serve, &job, 2_800_000);
    // A new file is begun after a while, and begins with the newest.
    while !serve.event("output_dropped")["data"]["reason"].is_null() {}
    check_tail(&mut serve, &job, 2_800_000);
    let dropped = job.record(&mut serve)["droppedBytes"].as_u64().unwrap();
    assert_eq!(log_bytes(&home, &job.id), 2_800_000 - dropped);
    assert_eq!(job.ask(&mut serve, "kill", json!({}))["status"], "killed");
}

#[test]
fn records_that_a_full_disk_refused_are_saved_once_there_is_room() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home, 4) else {
        return;
    };
    let mut serve = Serve::new(&home, &[]);
    let gate = home.gate();
    let ends = Job::start(&mut serve, &format!("cat {}; exit 3", gate.display()));
    let stays = Job::start(&mut serve, "exec cat");
    disk.fill_up();
    let rename = json!({"action": "set", "sessionId": stays.id, "label": "renamed"});
    assert_eq!(serve.ok(rename)["unsaved"], true);
    let ran = home.run(&["tag", &stays.id, "+kept"]).expect_code(0);
    ran.expect_said("the change is kept in memory until there is room");
    std::fs::write(&gate, "").unwrap();
    assert_eq!(ends.end(&mut serve)["exitCode"], 3);
    let sessions = home.path().join("sessions");
    let saved = |id: &str, name: &str| {
        let text = std::fs::read(sessions.join(id).join(name)).unwrap_or_default();
        serde_json::from_slice::<Value>(&text).unwrap_or_default()
    };
    assert_eq!(saved(&ends.id, "exit.json"), Value::Null);
    std::fs::remove_file(disk.ballast()).unwrap();
    eventually("all of it is saved", || {
        let exit = saved(&ends.id, "exit.json")["exitCode"] == 3;
        let ended = saved(&ends.id, "meta.json")
            .to_string()
            .contains("\"error\"");
        let renamed = saved(&stays.id, "meta.json").to_string();
        let has_both = renamed.contains("renamed") && renamed.contains("kept");
        (exit && ended && has_both).then_some(())
    });
    assert_eq!(stays.record(&mut serve)["unsaved"], Value::Null);
}

#[test]
fn what_was_started_on_a_full_disk_is_known_to_the_next_daemon() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home, 4) else {
        return;
    };
    let mut serve = Serve::new(&home, &["--scope", "builder"]);
    serve.ok(json!({"action": "list"}));
    disk.fill_up();
    let start = json!({
        "action": "start", "command": "exec cat", "label": "web", "key": "k1", "background": true,
    });
    let started = serve.ok(start.clone());
    daemon::kill(&mut serve);
    let again = serve.ok(start.clone());
    assert_eq!(
        (&again["sessionId"], &again["reused"]),
        (&started["sessionId"], &json!(true)),
        "{again}"
    );
    let id = &started["sessionId"];
    let record = serve.ok(json!({"action": "status", "sessionId": "web"}));
    assert_eq!(
        (&record["sessionId"], &record["scope"]),
        (id, &json!("builder"))
    );
    // A later daemon reads it from the disk again.
    std::fs::remove_file(disk.ballast()).unwrap();
    let meta = home
        .path()
        .join("sessions")
        .join(id.as_str().unwrap())
        .join("meta.json");
    eventually("the record is saved", || meta.exists().then_some(()));
    serve.ok(json!({"action": "set", "sessionId": id, "label": "later"}));
    daemon::kill(&mut serve);
    let record = serve.ok(json!({"action": "status", "sessionId": id}));
    assert_eq!(record["label"], "later", "{record}");
}

/// A limit on the size of files stands for the full disk, which has room left in the last block of a file.
#[test]
fn events_that_a_full_disk_refused_are_known_to_the_next_daemon() {
    let home = Home::new();
    let limited = home.command_after("trap '' XFSZ; ulimit -f 8", &["--serve"]);
    let mut serve = Serve::spawn(limited);
    for _ in 0..15 {
        Job::start(&mut serve, "exit 3").end(&mut serve);
    }
    let events = |serve: &mut Serve| {
        let events = serve.ok(json!({"action": "events", "limit": 1000}));
        let events = events["events"].as_array().unwrap().iter();
        let numbered = events.map(|event| (event["seq"].clone(), event["event"].clone()));
        numbered.collect::<Vec<_>>()
    };
    let before = events(&mut serve);
    let saved = std::fs::read_to_string(home.path().join("journal.jsonl")).unwrap();
    let written = saved.lines().count();
    assert!(written < before.len(), "{written} of {}", before.len());
    for _ in 0..2 {
        daemon::kill(&mut serve);
        assert_eq!(events(&mut serve), before);
    }
}

#[test]
fn what_waits_in_a_queue_since_the_disk_is_full_keeps_its_turn() {
    let home = Home::new();
    let Some(disk) = SmallDisk::mount(&home, 4) else {
        return;
    };
    home.ok(&["group", "builds", "--parallel", "1"]);
    home.start(&["-n", "first", "-g", "builds", "sleep 1000"]);
    disk.fill_up();
    home.start(&["-n", "second", "-g", "builds", "echo ran"]);
    home.kill_daemon();
    assert_eq!(home.json(&["status", "second"])["status"], "queued");
    std::fs::remove_file(disk.ballast()).unwrap();
    home.ok(&["stop", "first"]);
    home.run(&["wait", "second"]).expect_code(0);
    assert_eq!(home.ok(&["logs", "second"]), "ran\n");
}

#[test]
fn what_follows_a_gap_can_be_read_and_has_its_numbers() {
    use base64::Engine as _;
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let lines = "stty -echo; seq -f 'line %g' 300; read x; seq -f 'line %g' 301 600; exec cat";
    let job = Job::start(&mut serve, lines);
    job.wait_for(&mut serve, "^line 300$");
    let log = home
        .path()
        .join("sessions")
        .join(&job.id)
        .join("output.log");
    let file = std::fs::OpenOptions::new().write(true).open(log).unwrap();
    file.set_len(300).unwrap();
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    job.wait_for(&mut serve, "^line 600$");
    for format in ["raw", "base64", "plain"] {
        let (mut offset, mut text) = (0, String::new());
        loop {
            let page = json!({"offset": offset, "limit": 1000, "format": format});
            let page = job.ask(&mut serve, "log", page);
            let piece = page["output"].as_str().unwrap();
            match format {
                "base64" => {
                    let bytes = base64::engine::general_purpose::STANDARD.decode(piece);
                    text += std::str::from_utf8(&bytes.unwrap()).unwrap();
                }
                _ => text += piece,
            }
            if page["nextOffset"] == page["totalBytes"] {
                break;
            }
            assert!(page["nextOffset"].as_u64() > Some(offset), "{page}");
            offset = page["nextOffset"].as_u64().unwrap();
        }
        assert_eq!(text.matches("line ").count(), 34 + 300, "{format}: {text}");
        assert!(text.trim_end().ends_with("line 600"), "{format}: {text}");
    }
    for (asked, number) in [("^line 450$", 450), ("^line 301$", 301), ("^line 20$", 20)] {
        let found = job.ask(&mut serve, "log", json!({"grep": asked}));
        let found = &found["matches"][0];
        assert_eq!(found["n"], number, "{found}");
        let at = found["offset"].as_u64().unwrap();
        let (start, bytes) = raw(&mut serve, &job, at);
        let text = format!("line {number}\r\n");
        assert!(start == at && bytes.starts_with(text.as_bytes()), "{found}");
    }
    let tail = job.ask(&mut serve, "log", json!({"tail": 2}));
    assert_eq!(tail["lines"][1]["text"], "line 600", "{tail}");
}

#[test]
fn a_log_that_somebody_deletes_goes_on_in_a_new_file() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::start(
        &mut serve,
        "stty -echo; echo one; while read x; do echo $x; done",
    );
    job.wait_for(&mut serve, "^one$");
    let dir = home.path().join("sessions").join(&job.id);
    std::fs::remove_file(dir.join("output.log")).unwrap();
    job.say(&mut serve, "two", "^two$");
    assert_eq!(raw(&mut serve, &job, 0), (5, b"two\r\n".to_vec()));
    std::os::unix::fs::symlink("/etc/passwd", dir.join("output.log")).unwrap();
    job.say(&mut serve, "three", "^three$");
    assert_eq!(raw(&mut serve, &job, 0), (5, b"two\r\nthree\r\n".to_vec()));
    let status = job.record(&mut serve);
    assert_eq!(
        (&status["outputBytes"], &status["droppedBytes"]),
        (&json!(17), &json!(5))
    );
    // All of it, and the job writes on.
    std::fs::remove_dir_all(&dir).unwrap();
    job.say(&mut serve, "four", "^four$");
    assert_eq!(raw(&mut serve, &job, 0), (17, b"four\r\n".to_vec()));
}

//! One list of several hosts while connections break, hosts go away, and daemons are killed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::small_disk::SmallDisk;
use crate::support::{
    DEADLINE, Home, Person, Serve, Sshd, Terminal, eventually, eventually_within, is_known,
};

/// A person at a daemon that was started for it.
fn person(home: &Home) -> Person {
    home.ok(&["daemon", "start"]);
    Person::new(home)
}

/// Opens a gate, at which a job waits.
fn open(gate: &std::path::Path) {
    std::fs::write(gate, "\n").unwrap();
}

#[test]
fn a_wait_and_a_watched_screen_go_on_after_the_connection_has_ended() {
    let Some(sshd) = Sshd::new(1) else { return };
    let gate = sshd.home.gate();
    let mut serve = Serve::new(&sshd.home, &["--hosts", "h1"]);
    let line = format!("read x <{}; echo after; exit 7", gate.display());
    let started = serve.ok(json!({"action": "start", "command": line, "host": "h1",
        "background": true}));
    let id = started["sessionId"].clone();
    let mut person = Person::new(&sshd.home);
    person.ok(json!({"action": "watch", "sessionId": id}));
    person.next(|line| line["event"] == "screen" && line["sessionId"] == id);
    let wait = serve.send(
        json!({"action": "wait", "sessionId": id, "until": [{"exit": true}],
        "waitMs": DEADLINE.as_millis() as u64}),
    );
    // The request is on its way once a later one was answered.
    serve.ok(json!({"action": "status", "sessionId": id}));
    assert!(sshd.cut() > 0);
    // A read is asked again, however it was cut.
    serve.ok(json!({"action": "log", "sessionId": id}));
    open(&gate);
    let over = serve.reply(wait);
    assert_eq!(over["result"]["exitCode"], 7, "{over}");
    assert_eq!(over["result"]["outcome"], "matched", "{over}");
    person.next(|line| {
        let text = line["data"]["bytes"].as_str().unwrap_or_default();
        let bytes = STANDARD.decode(text).unwrap();
        line["event"] == "screen" && String::from_utf8_lossy(&bytes).contains("after")
    });
}

#[test]
fn a_host_that_is_away_is_shown_as_it_was_and_holds_up_nothing() {
    let Some(mut sshd) = Sshd::new(2) else { return };
    let config = sshd.home.path().join("config.toml");
    let own = std::fs::read_to_string(&config).unwrap();
    // It accepts, and then says nothing.
    let silent = "[hosts.silent]\ncommand = [\"sh\", \"-c\", \"exec sleep 600\"]\n";
    std::fs::write(&config, format!("{own}{silent}")).unwrap();
    let home = &sshd.home;
    let mut person = person(home);
    person.ok(json!({"action": "subscribe"}));
    let here = person.ok(json!({"action": "start", "command": "cat", "background": true}));
    let far = person.ok(
        json!({"action": "start", "command": "cat", "label": "web", "host": "h1",
        "background": true}),
    );
    let id = far["sessionId"].clone();
    is_known(&mut person, &id);
    sshd.down();
    let down = person.next(|line| line["event"] == "host_down" && line["host"] == "h1");
    assert_eq!(down["data"]["error"]["code"], "host_unreachable", "{down}");
    let began = Instant::now();
    let listed = sshd.home.run(&["ls", "-o", "table"]).expect_code(0);
    assert!(listed.stdout.contains("(seen "), "{listed}");
    let status = person.ok(json!({"action": "status", "sessionId": id}));
    assert_eq!(status["status"], "running");
    assert!(status["seenAt"].is_string(), "{status}");
    let told = sshd.home.ok(&["status", "web@h1"]);
    assert!(told.contains("host h1 cannot be reached"), "{told}");
    assert!(!told.contains("bytes in"), "{told}");
    let told = sshd.home.ok(&["why", "web@h1"]);
    assert!(told.contains("host h1 cannot be reached"), "{told}");
    person.types(here["sessionId"].as_str().unwrap(), "quick\n");
    assert!(
        began.elapsed() < Duration::from_secs(3),
        "{:?}",
        began.elapsed()
    );
    let refused = sshd.home.run(&["logs", "web@h1"]).expect_code(69);
    refused.expect_said("host h1 cannot be reached");
    let refused = person.call(json!({"action": "write", "sessionId": id, "data": "x"}));
    assert_eq!(refused["error"]["code"], "host_unreachable", "{refused}");
    assert_eq!(refused["error"]["data"]["mayHaveHappened"], false);
    assert!(
        refused["error"]["data"]["lastSeen"].is_string(),
        "{refused}"
    );
    // What is known outlives the daemon.
    sshd.home.kill_daemon();
    let known = sshd.home.ok(&["ls", "-o", "tsv"]);
    assert!(known.contains("web@h1\trunning"), "{known}");
    sshd.up();
    let mut person = Person::new(&sshd.home);
    person.ok(json!({"action": "subscribe"}));
    eventually("the host is there again by itself", || {
        let status = person.ok(json!({"action": "status", "sessionId": id}));
        status["seenAt"].is_null().then_some(())
    });
    person.types(id.as_str().unwrap(), "again\n");
}

#[test]
fn jobs_of_a_host_that_was_restarted_are_lost_and_their_logs_are_there() {
    let Some(mut sshd) = Sshd::new(1) else { return };
    let mut person = person(&sshd.home);
    let line = "echo kept; exec sleep 1000";
    let far = person.ok(
        json!({"action": "start", "command": line, "label": "web", "host": "h1",
        "background": true}),
    );
    let id = far["sessionId"].as_str().unwrap();
    person.ok(
        json!({"action": "wait", "sessionId": id, "until": [{"pattern": "^kept$"}],
        "since": "c0"}),
    );
    is_known(&mut person, &far["sessionId"]);
    let (there, _) = id.split_once('@').unwrap();
    sshd.down();
    sshd.hosts[0].restart_machine(there);
    sshd.up();
    eventually("the end is known here", || {
        // It connects the host, as soon as that may be tried again.
        let status = person.call(json!({"action": "status", "sessionId": id}));
        let status = &status["result"];
        (status["status"] == "lost" && status["reason"] == "the machine was restarted")
            .then_some(())
    });
    assert_eq!(sshd.home.ok(&["logs", "web@h1"]), "kept\n");
}

#[test]
fn a_full_disk_of_a_host_stops_no_job_there_and_holds_up_nothing_here() {
    let Some(sshd) = Sshd::new(1) else { return };
    let Some(disk) = SmallDisk::mount(&sshd.hosts[0], 24) else {
        return;
    };
    let mut person = person(&sshd.home);
    let here = person.ok(json!({"action": "start", "command": "cat", "background": true}));
    let line = "stty -echo; echo up; read x; seq -f %012.0f 0 299999; exec cat";
    let far = person.ok(
        json!({"action": "start", "command": line, "label": "web", "host": "h1",
        "until": [{"pattern": "^up$"}]}),
    );
    let id = far["sessionId"].as_str().unwrap();
    disk.fill(21);
    person.types(id, "\n");
    let last = json!({"action": "wait", "sessionId": id, "until": [{"pattern": "^000000299999$"}],
        "since": "c0", "waitMs": DEADLINE.as_millis() as u64});
    assert_eq!(person.ok(last)["outcome"], "matched");
    let status = person.ok(json!({"action": "status", "sessionId": id}));
    assert!(status["logDegraded"].is_string(), "{status}");
    assert_eq!(status["status"], "running");
    let began = Instant::now();
    person.types(here["sessionId"].as_str().unwrap(), "quick\n");
    sshd.home.ok(&["ls"]);
    assert!(began.elapsed() < DEADLINE / 4, "{:?}", began.elapsed());
    std::fs::remove_file(disk.ballast()).unwrap();
    eventually("its output is saved again", || {
        let status = person.ok(json!({"action": "status", "sessionId": id}));
        status["logDegraded"].is_null().then_some(())
    });
    person.types(id, "again\n");
    sshd.home.ok(&["wait", "web@h1", "--for", "match:^again$"]);
}

#[test]
fn every_event_of_a_host_comes_once_and_in_order_whatever_is_killed() {
    let Some(sshd) = Sshd::new(1) else { return };
    let mut person = person(&sshd.home);
    person.ok(json!({"action": "connect", "host": "h1"}));
    let far = &sshd.hosts[0];
    let mut expected = 0;
    for round in 0..12 {
        for job in 0..3 {
            far.ok(&["run", "-w", "-n", &format!("r{round}j{job}"), "true"]);
            expected += 1;
        }
        match round % 4 {
            0 => drop(sshd.cut()),
            1 => sshd.home.kill_daemon(),
            2 => far.kill_daemon(),
            _ => {}
        }
    }
    let mut seen: BTreeMap<(String, String), usize> = BTreeMap::new();
    let ended = |seen: &BTreeMap<(String, String), usize>| {
        let exited = seen.keys().filter(|(kind, _)| kind == "exited");
        exited.count()
    };
    // A list connects, if a killed daemon has left nothing connected.
    let (mut after, mut last) = (0, 0);
    eventually("all ends are told", || {
        sshd.home.ok(&["ls", "-q"]);
        let lines = sshd
            .home
            .ok(&["--json", "events", "--since", &after.to_string()]);
        for line in lines.lines() {
            let event: Value = serde_json::from_str(line).unwrap();
            let seq = event["seq"].as_u64().unwrap();
            assert!(seq > after, "{event}");
            after = seq;
            let Some(host_seq) = event["hostSeq"].as_u64() else {
                continue;
            };
            assert!(host_seq > last, "{event}");
            last = host_seq;
            let label = event["data"]["label"]
                .as_str()
                .unwrap_or_default()
                .to_owned();
            let kind = event["event"].as_str().unwrap().to_owned();
            *seen.entry((kind, label)).or_default() += 1;
        }
        (ended(&seen) == expected).then_some(())
    });
    for round in 0..12 {
        for job in 0..3 {
            for kind in ["started", "exited"] {
                let key = (kind.to_owned(), format!("r{round}j{job}"));
                assert_eq!(seen.get(&key), Some(&1), "{key:?}: {seen:?}");
            }
        }
    }
}

#[test]
fn no_byte_is_lost_or_doubled_while_connections_and_daemons_end() {
    const LINES: usize = 20_000;
    let Some(sshd) = Sshd::new(1) else { return };
    let mut person = person(&sshd.home);
    let line = format!("i=0; while [ $i -lt {LINES} ]; do i=$((i+1)); echo $i; done");
    let started = person.ok(json!({"action": "start", "command": line, "host": "h1",
        "background": true, "mode": "pipe"}));
    let id = started["sessionId"].clone();
    let (mut text, mut offset, mut reads) = (String::new(), 0, 0);
    let expected: String = (1..=LINES).map(|n| format!("{n}\n")).collect();
    // Each third read begins with another connection, and each ninth with another daemon.
    eventually_within(4 * DEADLINE, "everything is read", || {
        reads += 1;
        match reads % 9 {
            2 | 5 => drop(sshd.cut()),
            7 => {
                sshd.home.kill_daemon();
                person = Person::new(&sshd.home);
            }
            8 => sshd.hosts[0].kill_daemon(),
            _ => {}
        }
        let reply = person.call(json!({"action": "log", "sessionId": id, "offset": offset,
            "limit": 3000}));
        let Some(part) = reply["result"]["output"].as_str() else {
            // The host cannot be reached at this moment.
            assert_eq!(reply["error"]["code"], "host_unreachable", "{reply}");
            return None;
        };
        text.push_str(part);
        offset = reply["result"]["nextOffset"].as_u64().unwrap();
        (text.len() >= expected.len()).then_some(())
    });
    assert!(text == expected, "{} of {}", text.len(), expected.len());
}

#[test]
fn a_flood_that_a_client_does_not_read_holds_up_nobody_else() {
    let Some(sshd) = Sshd::new(1) else { return };
    let mut person = person(&sshd.home);
    let start = |person: &mut Person, line: &str| {
        let started = person.ok(json!({"action": "start", "command": line, "host": "h1",
            "background": true}));
        started["sessionId"].clone()
    };
    let flood = start(&mut person, "seq 1 400000; exec sleep 600");
    let cat = start(&mut person, "stty -echo; echo ready; exec cat");
    let done = json!([{"pattern": "^400000$"}]);
    let written = json!({"action": "wait", "sessionId": flood, "until": done, "waitMs": 20_000});
    assert_eq!(person.ok(written)["outcome"], "matched");
    // Far more than all buffers of the way have room for, and it reads none of it.
    let mut slow = Person::new(&sshd.home);
    for number in 0..100 {
        let log = json!({"id": number, "action": "log", "sessionId": flood, "offset": 0,
            "limit": 250_000});
        slow.send(&log);
    }
    // What it has asked for is on its way once the first of it has come.
    slow.next(|line| line["id"] == 0);
    for number in 0..5 {
        let echo = json!([{"pattern": format!("^{number}$")}]);
        let typed = person.ok(json!({"action": "write", "sessionId": cat,
            "data": format!("{number}\n"), "until": echo, "waitMs": 20_000}));
        assert_eq!(typed["outcome"], "matched", "{typed}");
    }
    // All of it comes when it is read.
    let last = slow.next(|line| line["id"] == 99);
    assert_eq!(last["ok"], true, "{last}");
}

#[test]
fn who_follows_a_job_of_a_host_is_told_that_the_way_there_is_cut() {
    let Some(mut sshd) = Sshd::new(1) else { return };
    let gate = sshd.home.gate();
    let line = format!("echo begun; read x <{}; echo after", gate.display());
    sshd.home.ok(&["-H", "h1", "run", "-n", "far", &line]);
    let args = ["logs", "-f", "far@h1"];
    let mut view = Terminal::in_dir(&sshd.home, sshd.home.path(), &args, (140, 24));
    view.wait_for_text("begun");
    sshd.down();
    view.wait_for_text("host h1 cannot be reached");
    view.wait_for_text("trying again");
    sshd.up();
    open(&gate);
    view.wait_for_text("after");
    assert_eq!(view.exit_code(), 0);
}

//! Clients and daemons of different versions: they work together, or say exactly what to do.

use std::io::{BufRead, BufReader, Write};
use std::os::unix::net::UnixStream;

use serde_json::{Value, json};

use crate::support::fake::FakeDaemon;
use crate::support::{DEADLINE, Home};

/// What `args` say to a daemon of another protocol. What changes nothing may be on its way with the greeting; such a
/// daemon refuses it.
fn meets(protocol: u32, args: &'static [&'static str]) -> crate::support::Ran {
    let home = Home::new();
    let daemon = FakeDaemon::new(&home);
    let client = {
        let command = home.command(args);
        std::thread::spawn(move || Home::finish(command, args))
    };
    let mut met = daemon.accept(protocol, "human");
    let asked = String::from_utf8(met.rest()).unwrap();
    let harmless =
        args == ["ls"] && asked.contains(r#""action":"list""#) && asked.lines().count() == 1;
    assert!(
        asked.is_empty() || harmless,
        "it asked for something: {asked}"
    );
    client.join().unwrap()
}

#[test]
fn a_client_says_what_to_do_about_an_older_or_newer_daemon() {
    for door in [&["ls"][..], &["run", "true"], &["--serve"]] {
        let ran = meets(0, door)
            .expect_code(69)
            .expect_said("bgproc 9.9.9) speaks protocol 0");
        ran.expect_said("hint: run: bgproc daemon upgrade (jobs keep running)");
        let ran = meets(2, door).expect_code(69).expect_said("protocol 2");
        ran.expect_said("hint: use the newer bgproc, or go back to this one");
    }
}

#[test]
fn a_daemon_of_another_protocol_can_be_looked_at_and_ended() {
    let home = Home::new();
    let daemon = FakeDaemon::new(&home);
    let client = {
        let command = home.command(&["daemon", "stop"]);
        std::thread::spawn(move || Home::finish(command, &["daemon", "stop"]))
    };
    let mut met = daemon.accept(7, "human");
    let asked = met.line();
    assert_eq!(asked["action"], "stats");
    let limits = json!({"maxSessions": 1, "maxSessionsTotal": 1, "maxFinished": 1,
        "maxLineBytes": 1, "maxInFlight": 1, "maxChars": 1, "logBytes": 1, "totalLogBytes": 1});
    let stats = json!({"daemonPid": 1, "keeperPid": 2, "version": "9.9.9", "protocol": 7, "home": "/",
        "uptimeMs": 1, "counts": {}, "connections": 1, "memoryBytes": null, "logBytes": 0,
        "limits": limits, "fromTheFuture": [1]});
    met.say(&json!({"id": asked["id"], "ok": true, "result": stats}));
    let asked = met.line();
    assert_eq!(
        (&asked["action"], &asked["sessions"]),
        (&json!("shutdown"), &json!("keep"))
    );
    met.say(&json!({"id": asked["id"], "ok": true, "result": {"kept": 0, "killed": 0}}));
    drop(met);
    let ran = client.join().unwrap().expect_code(0);
    assert!(ran.stdout.contains("daemon stopped (pid 1)"), "{ran}");
}

/// Lines sent to the daemon of `home`, and as many that come back.
fn exchange(home: &Home, lines: &[Value]) -> Vec<Value> {
    let mut stream = UnixStream::connect(home.path().join("daemon.sock")).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    for line in lines {
        stream.write_all(format!("{line}\n").as_bytes()).unwrap();
    }
    let said = BufReader::new(stream).lines().take(lines.len());
    said.map(|line| serde_json::from_str(&line.unwrap()).unwrap())
        .collect()
}

#[test]
fn a_daemon_lets_a_client_of_another_protocol_look_at_it_and_nothing_else() {
    let home = Home::new();
    home.ok(&["ls"]);
    let hello = json!({"action": "hello", "protocol": 99, "version": "42.0", "role": "human", "mood": "new"});
    let requests = [
        hello,
        json!({"id": 1, "action": "list"}),
        json!({"id": 2, "action": "start", "command": "true"}),
        json!({"id": 3, "action": "stats"}),
    ];
    let said = exchange(&home, &requests);
    // The first line is what every version reads.
    assert_eq!(
        (&said[0]["event"], &said[0]["data"]["protocol"]),
        (&json!("hello"), &json!(1))
    );
    for (reply, id) in [(&said[1], 1), (&said[2], 2)] {
        assert_eq!(
            (&reply["id"], &reply["error"]["code"]),
            (&json!(id), &json!("incompatible_version"))
        );
        let message = reply["error"]["message"].as_str().unwrap();
        assert!(
            message.contains("client (bgproc 42.0) speaks 99"),
            "{message}"
        );
        let hint = reply["error"]["hint"].as_str().unwrap();
        assert!(hint.contains("bgproc daemon upgrade"), "{hint}");
    }
    assert_eq!((&said[3]["id"], &said[3]["ok"]), (&json!(3), &json!(true)));
    assert_eq!(home.ok(&["ls", "--no-header"]), "");
}

#[test]
fn who_does_not_say_its_version_is_served() {
    let home = Home::new();
    home.ok(&["ls"]);
    let said = exchange(
        &home,
        &[
            json!({"id": 1, "action": "list"}),
            json!({"id": 2, "action": "stats"}),
        ],
    );
    assert_eq!(
        (&said[0]["event"], &said[1]["ok"]),
        (&json!("hello"), &json!(true))
    );
}

//! Bridges and views live on when the daemon is killed, without a word from those who use them.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::following::Following;
use crate::support::job::Job;
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Serve, Terminal};

/// A job of people that has said `up` and writes a line each time a line is typed into it.
fn echoing(home: &Home) -> String {
    let line = "stty -echo; echo up; while read x; do echo line $x; done; exit 9";
    let id = home.start(&["-n", "echo", line]);
    // What is typed earlier is echoed.
    home.ok(&["wait", &id, "--for", "match:^up$"]);
    id
}

#[test]
fn an_agent_goes_on_waiting_and_what_changes_is_said_to_be_lost() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let scope = agent.hello["scope"].clone();
    let job = Job::start(&mut agent, "read x; exit 7");
    let wait = json!({"action": "wait", "sessionId": job.id, "timeoutMs": 600_000});
    let poll = json!({"action": "poll", "sessionId": job.id, "waitMs": 600_000});
    let pending = [agent.send(wait.clone()), agent.send(poll)];
    let cancelled = agent.send(wait);
    let start = agent.send(json!({"action": "start", "command": "sleep 1000", "wait": true}));
    let keyed = json!({"action": "start", "command": "read x; exit 8", "wait": true, "key": "k"});
    let keyed = agent.send(keyed);
    // Answered behind them: the daemon has them for certain.
    agent.ok(json!({"action": "list"}));
    home.kill_daemon();
    let reply = agent.reply(start);
    assert_eq!(reply["error"]["code"], "daemon_unavailable", "{reply}");
    assert_eq!(reply["error"]["data"]["mayHaveHappened"], true, "{reply}");
    agent.ok(json!({"action": "cancel", "requestId": cancelled}));
    assert_eq!(agent.reply(cancelled)["error"]["code"], "cancelled");
    job.ask(&mut agent, "write", json!({"data": "\n"}));
    for id in pending {
        let reply = agent.reply(id);
        assert_eq!(reply["result"]["sessionId"], json!(job.id), "{reply}");
    }
    assert_eq!(job.end(&mut agent)["exitCode"], 7);
    let list = agent.ok(json!({"action": "list", "status": "running"}));
    let running = list["sessions"].as_array().unwrap();
    let found = running
        .iter()
        .find(|session| session["command"] == "read x; exit 8");
    let found = found.unwrap_or_else(|| panic!("{list}"));
    let typed = json!({"action": "write", "sessionId": found["sessionId"], "data": "\n"});
    agent.ok(typed);
    let reply = agent.reply(keyed);
    assert_eq!(reply["result"]["exitCode"], 8, "{reply}");
    assert_eq!(reply["result"]["reused"], true, "{reply}");
    let status = agent.ok(json!({"action": "status", "sessionId": job.id}));
    assert_eq!(status["scope"], scope);
}

#[test]
fn an_agent_is_told_on_and_can_end_it_by_the_name_it_knows() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let subscription = agent.ok(json!({"action": "subscribe"}))["subscriptionId"].clone();
    let job = Job::start(&mut agent, "read x; exit 7");
    job.ask(&mut agent, "watch", json!({}));
    assert_eq!(agent.event("started")["sessionId"], json!(job.id));
    agent.event("screen");
    for _ in 0..3 {
        home.kill_daemon();
        // Without a request: a whole screen, and that the daemon is another one.
        let screen = agent.find("a whole screen", |message| message["data"]["full"] == true);
        assert_eq!(screen["sessionId"], json!(job.id));
        assert_eq!(agent.event("adopted")["sessionId"], json!(job.id));
    }
    job.ask(&mut agent, "write", json!({"data": "\n"}));
    assert_eq!(agent.event("exited")["data"]["exitCode"], 7);
    agent.ok(json!({"action": "unsubscribe", "subscriptionId": subscription}));
    let gone = json!({"action": "unsubscribe", "subscriptionId": subscription});
    agent.err(gone, "invalid_params");
}

#[test]
fn a_stopped_daemon_is_left_alone_until_an_agent_asks() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let stats = agent.ok(json!({"action": "stats"}));
    let held = |field: &str| Held::new(u32::try_from(stats[field].as_u64().unwrap()).unwrap());
    let (keeper, daemon) = (held("keeperPid").unwrap(), held("daemonPid").unwrap());
    home.ok(&["daemon", "stop"]);
    assert!(daemon.ended(DEADLINE) && keeper.ended(DEADLINE));
    assert!(!home.path().join("daemon.sock").exists());
    home.run(&["daemon", "status"]).expect_code(3);
    let after = agent.ok(json!({"action": "stats"}));
    assert_ne!(after["keeperPid"], stats["keeperPid"]);
    // One that wants to be told starts none where there is nothing to be told.
    agent.ok(json!({"action": "subscribe"}));
    let keeper = Held::new(u32::try_from(after["keeperPid"].as_u64().unwrap()).unwrap()).unwrap();
    home.ok(&["daemon", "stop"]);
    assert!(keeper.ended(DEADLINE));
    // What happens in its absence is told when it is back.
    let job = Job::start(&mut agent, "true");
    assert_eq!(agent.event("exited")["sessionId"], json!(job.id));
}

#[test]
fn following_a_log_loses_and_doubles_no_line() {
    let home = Home::new();
    let id = echoing(&home);
    let mut following = Following::new(&home, &["logs", "-f", &id]);
    let mut raw = Following::new(&home, &["logs", "-f", "--raw", &id]);
    assert_eq!(
        (following.next(), raw.next().trim_end()),
        ("up".to_owned(), "up")
    );
    for n in 0..10 {
        home.ok(&["send", &id, &n.to_string()]);
        if n % 2 == 0 {
            home.kill_daemon();
        }
        assert_eq!(following.next(), format!("line {n}"));
        assert_eq!(raw.next().trim_end(), format!("line {n}"));
    }
    home.kill_daemon();
    home.ok(&["keys", &id, "C-d"]);
    assert_eq!((following.code(), raw.code()), (Some(0), Some(0)));
    following.ended();
}

#[test]
fn waiting_for_a_job_and_following_events_go_on() {
    let home = Home::new();
    let id = echoing(&home);
    let mut waiting = Following::new(&home, &["wait", &id]);
    let mut events = Following::new(&home, &["--json", "events", "-f"]);
    let event = |events: &Following| -> Value {
        loop {
            let event: Value = serde_json::from_str(&events.next()).unwrap();
            // It asks for input as soon as that is noticed.
            if event["event"] != "input_needed" {
                return event;
            }
        }
    };
    assert_eq!(event(&events)["event"], "started");
    for _ in 0..3 {
        home.kill_daemon();
        assert_eq!(event(&events)["event"], "adopted");
    }
    home.ok(&["keys", &id, "C-d"]);
    assert_eq!(waiting.code(), Some(9));
    assert_eq!(event(&events)["data"]["exitCode"], 9);
    Held::new(events.pid()).unwrap().signal(Signal::INT);
    // By the signal, which has no code.
    assert_eq!(events.code(), None);
}

#[test]
fn a_dashboard_shows_the_job_again_without_a_key() {
    let home = Home::new();
    let id = echoing(&home);
    let mut list = Terminal::new(&home, &[], (120, 40));
    let mut attached = Terminal::new(&home, &["attach", &id], (80, 24));
    for n in 0..3 {
        home.kill_daemon();
        home.ok(&["send", &id, &n.to_string()]);
        list.wait_for_text(&format!("line {n}"));
        attached.wait_for_text(&format!("line {n}"));
    }
    // It is the same view: what is typed reaches the job.
    attached.send("typed\r");
    attached.wait_for_text("line typed");
}

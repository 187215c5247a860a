//! What is kept, for how long: over the death of any number of daemons.

use serde_json::json;

use crate::support::job::Job;
use crate::support::{Home, Serve, daemon};

#[test]
fn a_new_daemon_knows_when_a_session_was_last_asked_for() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    // Any access is more than a twentieth of so short a TTL after the last one.
    let request = json!({"command": "exit 3", "ttlMs": 3000});
    let job = Job::request(&mut serve, request);
    job.end(&mut serve);
    serve.ok(json!({"action": "start", "command": "sleep 0.3", "wait": true}));
    job.ask(&mut serve, "status", json!({}));
    // A list is no access.
    let accessed = |serve: &mut Serve| {
        let list = serve.ok(json!({"action": "list", "status": "error"}));
        list["sessions"][0]["lastAccessedAt"].clone()
    };
    let before = accessed(&mut serve);
    daemon::kill(&mut serve);
    assert_eq!(accessed(&mut serve), before);
    serve.ok(json!({"action": "subscribe", "events": ["removed"]}));
    assert_eq!(serve.event("removed")["sessionId"], job.id);
}

#[test]
fn what_was_removed_is_remembered_by_the_next_daemon() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "a"]);
    let job = Job::start(&mut serve, "exit 7");
    job.end(&mut serve);
    job.ask(&mut serve, "remove", json!({}));
    for _ in 0..2 {
        daemon::kill(&mut serve);
        let request = json!({"action": "poll", "sessionId": job.id});
        let gone = serve.err(request, "session_removed");
        assert_eq!(gone["data"]["exitCode"], 7, "{gone}");
    }
    let mut other = Serve::new(&home, &["--scope", "b"]);
    let request = json!({"action": "poll", "sessionId": job.id});
    other.err(request, "session_not_found");
}

#[test]
fn a_line_that_a_crash_has_cut_short_harms_no_other() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let remove = |serve: &mut Serve| {
        let job = Job::start(serve, "true");
        job.end(serve);
        job.ask(serve, "remove", json!({}));
        job
    };
    let first = remove(&mut serve);
    let file = home.path().join("removed.jsonl");
    let mut text = std::fs::read_to_string(&file).unwrap();
    text.push_str("{\"sessionId\":\"abc");
    std::fs::write(&file, text).unwrap();
    daemon::kill(&mut serve);
    let second = remove(&mut serve);
    daemon::kill(&mut serve);
    for job in [first, second] {
        let request = json!({"action": "status", "sessionId": job.id});
        serve.err(request, "session_removed");
    }
}

#[test]
fn what_is_to_be_kept_stays() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let brief = json!({"command": "read x; exit 2", "ttlMs": 1});
    let kept = Job::request(&mut serve, brief.clone());
    kept.ask(&mut serve, "set", json!({"keep": true}));
    kept.ask(&mut serve, "write", json!({"data": "\n"}));
    kept.end(&mut serve);
    daemon::kill(&mut serve);
    serve.ok(json!({"action": "subscribe", "events": ["removed"]}));
    let other = Job::request(&mut serve, brief);
    other.ask(&mut serve, "write", json!({"data": "\n"}));
    assert_eq!(serve.event("removed")["sessionId"], other.id);
    let record = kept.ask(&mut serve, "status", json!({}));
    assert_eq!(
        (&record["keep"], &record["exitCode"]),
        (&json!(true), &json!(2))
    );
}

#[test]
fn a_session_that_is_watched_stays_and_delays_nobody() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe", "events": ["removed"]}));
    let request = json!({"command": "read x; exit 2", "ttlMs": 0});
    let watched = Job::request(&mut agent, request.clone());
    watched.ask(&mut agent, "watch", json!({}));
    let other = Job::request(&mut agent, request);
    for job in [&watched, &other] {
        job.ask(&mut agent, "write", json!({"data": "\n"}));
    }
    assert_eq!(agent.event("removed")["sessionId"], other.id);
    watched.ask(&mut agent, "unwatch", json!({}));
    assert_eq!(agent.event("removed")["sessionId"], watched.id);
}

#[test]
fn people_s_jobs_stay_and_agents_go_after_their_time_the_failed_ones_later() {
    let home = Home::with_config("[retention]\nagents = \"0s\"\nagents_failed = \"1d\"\n");
    let person = home.start(&["echo kept; exit 0"]);
    let brief = home.start(&["--keep", "0s", "true"]);
    let forever = home.start(&["--keep", "forever", "true"]);
    home.run(&["wait", &person, &forever]).expect_code(0);
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["removed"]}));
    let failed = Job::start(&mut serve, "exit 2");
    failed.end(&mut serve);
    let done = Job::start(&mut serve, "true");
    // It is the last that ended, so that `brief` is gone, too.
    assert_eq!(serve.event("removed")["sessionId"], done.id);
    assert_eq!(failed.ask(&mut serve, "status", json!({}))["exitCode"], 2);
    // Over the death of the daemon, too.
    daemon::kill(&mut serve);
    assert_eq!(home.ok(&["logs", &person]), "kept\n");
    let record = home.run(&["--json", "status", &forever]).stdout;
    assert!(record.contains("\"keep\":true"), "{record}");
    home.run(&["status", &brief]).expect_code(4);
}

#[test]
fn of_a_person_s_jobs_that_are_too_many_the_oldest_that_did_not_fail_goes() {
    let home = Home::with_config("[retention]\npeople = \"0s\"\npeople_jobs = 2\n");
    let end = |line: &str| {
        let id = home.start(&[line]);
        home.run(&["wait", &id]);
        id
    };
    let failed = end("exit 1");
    let old = end("true");
    let new = end("true");
    let listed = home.ok(&["ls"]);
    assert!(
        listed.contains(&failed) && listed.contains(&new),
        "{listed}"
    );
    assert!(!listed.contains(&old), "{listed}");
}

#[test]
fn the_end_of_a_session_is_told_although_failed_ones_fill_the_list() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let limits = serve.ok(json!({"action": "stats"}))["limits"].clone();
    for _ in 0..limits["maxFinished"].as_u64().unwrap() {
        let failed = serve.ok(json!({"action": "start", "command": "exit 3", "wait": true}));
        assert_eq!(failed["exitCode"], 3, "{failed}");
    }
    let done = serve.ok(json!({"action": "start", "command": "true", "wait": true}));
    assert_eq!(done["status"], "done", "{done}");
    let job = Job::start(&mut serve, "exec sleep 600");
    let killed = job.ask(&mut serve, "kill", json!({}));
    assert_eq!(killed["status"], "killed", "{killed}");
}

//! What jobs may be called, and which of several of one name is meant.

use serde_json::json;

use crate::support::{Home, Person, Serve};

#[test]
fn a_name_that_runs_is_refused_and_replace_takes_it_over() {
    let home = Home::new();
    let first = home.start(&["-n", "web", "trap '' TERM; while :; do sleep 0.1; done"]);
    let ran = home.run(&["run", "-n", "web", "sleep 1000"]).expect_code(1);
    assert_eq!(ran.stdout, "");
    ran.expect_said(&format!("a job named web is already running ({first}, "))
        .expect_said(
            "bgproc attach web shows it; --replace stops it and starts this one in its place; or choose another name",
        );
    home.ok(&["pause", "web"]);
    home.run(&["run", "-n", "web", "sleep 1000"])
        .expect_code(1)
        .expect_said("a job named web is already paused");
    home.ok(&["resume", "web"]);
    // What cannot start ends nothing.
    home.run(&["run", "--replace", "-n", "web", "./nosuch", "x"])
        .expect_code(127);
    assert_eq!(home.json(&["status", &first])["status"], "running");
    let config = home.path().join("config.toml");
    std::fs::write(config, "stop_grace_ms = 100\n").unwrap();
    let ran = home
        .run(&["run", "-q", "--replace", "-n", "web", "sleep 1000"])
        .expect_code(0);
    let second = ran.stdout.trim().to_owned();
    ran.expect_said(&format!("web ({first}) was stopped"));
    let ended = home.run(&["status", &first]).expect_code(3);
    assert!(ended.stdout.contains("killed"), "{ended}");
    assert_eq!(home.json(&["status", "web"])["sessionId"], second);
    // An ended one does not come back under a name that another has.
    home.run(&["restart", &first])
        .expect_code(1)
        .expect_said("a job named web is already running");
    home.run(&["run", "--replace", "sleep 1"]).expect_code(2);
    // Nobody has the name of a job that has ended.
    home.ok(&["stop", "web"]);
    home.start(&["-n", "web", "sleep 1000"]);
}

#[test]
fn of_many_that_start_under_a_name_at_once_one_runs() {
    let home = Home::new();
    home.ok(&["ls"]);
    let runs: Vec<_> = (0..8)
        .map(|_| {
            let mut command = home.command(&["run", "-q", "-n", "web", "sleep 1000"]);
            command.stdout(std::process::Stdio::null());
            command.stderr(std::process::Stdio::null());
            command.spawn().unwrap()
        })
        .collect();
    let codes = runs.into_iter().map(|mut run| run.wait().unwrap().code());
    let mut codes: Vec<_> = codes.collect();
    codes.sort_unstable();
    assert_eq!(codes, [&[Some(0)][..], &[Some(1); 7]].concat());
    assert_eq!(home.json(&["ls"])["counts"]["running"], 1);
}

#[test]
fn a_pattern_means_the_same_jobs_for_agents_and_people() {
    let home = Home::new();
    for name in ["web", "web-2", "api", "übel"] {
        home.start(&["-n", name, "sleep 1000"]);
    }
    let mut person = Person::new(&home);
    for (pattern, count) in [
        ("web*", 2),
        ("[a-b]pi", 1),
        ("[!w]*", 2),
        ("?bel", 1),
        ("{web,api}", 2),
    ] {
        let listed = person.ok(json!({"action": "list", "label": pattern}));
        assert_eq!(listed["counts"]["running"], count, "{pattern}");
        let stopped = home.ok(&["pause", pattern]);
        assert_eq!(stopped.lines().count(), count, "{pattern}: {stopped}");
        home.ok(&["resume", pattern]);
    }
}

#[test]
fn agents_call_their_jobs_as_they_like() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let start =
        json!({"action": "start", "command": "sleep 1000", "label": "w/*", "background": true});
    serve.ok(start.clone());
    serve.ok(start.clone());
    let mut unique = start;
    unique["uniqueLabel"] = json!(true);
    let error = serve.err(unique.clone(), "invalid_request");
    assert_eq!(error["data"]["label"], "w/*", "{error}");
    unique["label"] = json!("other");
    let id = serve.ok(unique)["sessionId"].clone();
    let rename = json!({"action": "set", "sessionId": id, "label": "w/*", "uniqueLabel": true});
    serve.err(rename, "invalid_request");
    // A name of theirs is free for people.
    home.start(&["-n", "other", "sleep 1000"]);
}

#[test]
fn what_means_something_else_is_no_name() {
    let home = Home::new();
    for (name, why) in [
        ("g:x", "`g:` starts a group"),
        ("-", "`-` is the job of the last verb"),
        ("w*", "`*` is part of a name pattern"),
        ("a/b", "`/` separates"),
        ("a@b", "`@` separates"),
        ("a#1", "`#` numbers"),
        ("+x", "`+` starts a tag"),
        ("", "a name cannot be empty"),
        ("-x", "`-` starts an option"),
    ] {
        let flag = format!("--name={name}");
        home.run(&["run", &flag, "sleep 1000"])
            .expect_code(2)
            .expect_said(why);
    }
}

#[test]
fn the_newest_of_a_name_is_meant_and_the_others_are_counted() {
    let home = Home::new();
    for line in ["echo one", "echo two", "echo three; exit 3"] {
        home.run(&["run", "-w", "-n", "job", line]);
    }
    assert_eq!(home.ok(&["logs", "job"]), "three\n");
    assert_eq!(home.ok(&["logs", "job#1"]), "three\n");
    assert_eq!(home.ok(&["logs", "job#2"]), "two\n");
    assert_eq!(home.ok(&["capture", "job#3"]).trim(), "one");
    home.run(&["wait", "job"]).expect_code(3);
    home.run(&["logs", "job#4"])
        .expect_code(4)
        .expect_said("there are 3 jobs named job");
    home.ok(&["rm", "job#2"]);
    assert_eq!(home.ok(&["logs", "job#2"]), "one\n");
}

//! The jobs of this machine and of other hosts in one list, over a real sshd.

use serde_json::{Value, json};

use crate::support::{
    DEADLINE, Home, Person, Serve, Sshd, eventually, eventually_within, is_known,
};

/// The ids of the sessions in a list.
fn ids(listed: &Value) -> Vec<String> {
    let sessions = listed["sessions"].as_array().unwrap().iter();
    sessions
        .map(|session| session["sessionId"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_list_has_the_jobs_of_all_hosts_and_names_them_with_their_host() {
    let Some(sshd) = Sshd::new(2) else { return };
    let home = &sshd.home;
    home.ok(&["run", "-n", "web", "sleep 600"]);
    home.ok(&["-H", "h1", "run", "-n", "web", "cat"]);
    home.ok(&["-H", "h2", "run", "-n", "eval", "-g", "ml", "sleep 600"]);
    home.ok(&["-H", "h2", "run", "-n", "train", "-g", "ml", "sleep 600"]);
    // The first list begins to connect.
    home.ok(&["ls"]);
    home.until_connected("h1");
    home.until_connected("h2");
    let listed = home.ok(&["ls", "-o", "tsv"]);
    let rows: Vec<(&str, &str)> = listed
        .lines()
        .map(|line| {
            let fields: Vec<&str> = line.split('\t').collect();
            (fields[0], fields[18])
        })
        .collect();
    for row in [
        ("web", "-"),
        ("web@h1", "h1"),
        ("eval@h2", "h2"),
        ("train@h2", "h2"),
    ] {
        assert!(rows.contains(&row), "{listed}");
    }
    assert_eq!(home.ok(&["ls", "-q", "-H", "local"]).lines().count(), 1);
    // A group, a tag or a pattern is looked for on all hosts.
    home.ok(&["tag", "eval@h2", "+slow"]);
    for (target, count) in [("g:ml", 2), ("+slow", 1), ("*@h2", 2), ("w*", 2)] {
        let listed = home.ok(&["ls", "-q", target]);
        assert_eq!(listed.lines().count(), count, "{target}: {listed}");
    }
    home.run(&["ls", "-q", "g:ml", "-H", "local"])
        .expect_code(4);
    let none = home.run(&["ls", "q@*"]).expect_code(4);
    assert!(!none.stderr.contains("host"), "{none}");
    // Verbs act where the name says.
    home.ok(&["send", "web@h1", "hello there"]);
    home.ok(&["wait", "web@h1", "--for", "match:hello there"]);
    let log = home.ok(&["logs", "web@h1"]);
    assert!(log.contains("hello there"), "{log}");
    assert!(!home.ok(&["logs", "web"]).contains("hello"));
    assert!(home.ok(&["capture", "web@h1"]).contains("hello there"));
    home.ok(&["stop", "web@h1", "g:ml@h2"]);
    let after = home.ok(&["ls", "-o", "tsv"]);
    let running = after.lines().filter(|line| line.contains("\trunning\t"));
    assert_eq!(running.count(), 1, "{after}");
    home.run(&["logs", "train"])
        .expect_code(4)
        .expect_said("did you mean `train@h2`?");
    // What is proposed is about that host, too.
    let refused = home.run(&["send", "web@h1", "x"]).expect_code(3);
    let refused = refused.expect_said("web@h1 is not running");
    refused.expect_said("bgproc restart web@h1 runs it again");
    home.run(&["logs", "webb@h1"])
        .expect_code(4)
        .expect_said("did you mean `web@h1`?");
    home.run(&["logs", ":1@h1"])
        .expect_code(4)
        .expect_said("no job of host h1 listens on port 1");
    home.ok(&["rm", "web@h1"]);
    home.run(&["logs", "web@h1"]).expect_code(4);
    home.run(&["logs", "web@"])
        .expect_code(4)
        .expect_said("there is no job `web@`");
    let unknown = home.run(&["logs", "web@h9"]).expect_code(2);
    unknown.expect_said("there is no host h9");
    // An exact label of this machine wins.
    let mut serve = Serve::new(home, &[]);
    serve.ok(
        json!({"action": "start", "label": "mail@h1", "background": true,
        "command": "echo local mail; sleep 600"}),
    );
    home.ok(&["wait", "mail@h1", "--for", "match:local mail"]);
}

#[test]
fn find_searches_the_jobs_of_all_hosts_and_says_which_it_could_not_ask() {
    let Some(mut sshd) = Sshd::new(2) else { return };
    let home = &sshd.home;
    home.start(&["-n", "web", "echo a needle here"]);
    home.ok(&["-H", "h1", "run", "-n", "far", "echo a needle there"]);
    home.ok(&["-H", "h1", "wait", "far"]);
    home.ok(&["wait", "web"]);
    // A host that was never connected is connected first.
    let found = home.run(&["find", "needle"]).expect_code(0);
    let has = |text: &str| found.stdout.lines().any(|line| line.ends_with(text));
    assert!(has("a needle here") && has("a needle there"), "{found}");
    assert!(found.stdout.contains("far@h1:"), "{found}");
    let found = home.ok(&["-H", "local", "find", "needle"]);
    assert!(!found.contains("there"), "{found}");
    let found = home.ok(&["find", "needle", "--jobs", "far@h1"]);
    assert_eq!(found.lines().count(), 1, "{found}");
    home.until_connected("h1");
    sshd.down();
    let found = sshd.home.run(&["find", "needle"]).expect_code(0);
    assert!(found.stdout.contains("a needle here"), "{found}");
    assert!(!found.stdout.contains("there"), "{found}");
    found.expect_said("host h1 cannot be reached");
}

#[test]
fn a_list_says_which_hosts_it_has_and_takes_those_that_are_named() {
    let Some(sshd) = Sshd::new(2) else { return };
    let home = &sshd.home;
    home.ok(&["daemon", "start"]);
    let mut person = Person::new(home);
    person.ok(json!({"action": "connect", "host": "h1"}));
    let here = person.ok(json!({"action": "start", "command": "sleep 600", "background": true}));
    let there = person
        .ok(json!({"action": "start", "command": "sleep 600", "host": "h1", "background": true}));
    let id = there["sessionId"].as_str().unwrap();
    assert!(id.ends_with("@h1"), "{there}");
    let all = person.ok(json!({"action": "list", "hostWaitMs": 20_000}));
    assert_eq!(ids(&all), [here["sessionId"].as_str().unwrap(), id]);
    assert_eq!(all["counts"], json!({"running": 2}));
    let far = &all["sessions"][1];
    assert_eq!((&far["host"], &far["seenAt"]), (&json!("h1"), &Value::Null));
    assert_eq!(all["sessions"][0].get("host"), None);
    let states: Vec<&Value> = all["hosts"].as_array().unwrap().iter().collect();
    assert_eq!(states[0]["state"], "up", "{all}");
    assert_eq!(states[1]["name"], "h2");
    for (hosts, count) in [
        (json!(["local"]), 1),
        (json!(["h1"]), 1),
        (json!(["h2"]), 0),
        (json!(["local", "h1"]), 2),
    ] {
        let listed = person.ok(json!({"action": "list", "hosts": hosts, "hostWaitMs": 20_000}));
        assert_eq!(ids(&listed).len(), count, "{hosts}");
    }
    let newest = person.ok(json!({"action": "list", "limit": 1, "hostWaitMs": 20_000}));
    assert_eq!(ids(&newest), [id]);
    // What is known is there at once.
    let known = person.ok(json!({"action": "list", "hostWaitMs": 0}));
    assert_eq!(ids(&known).len(), 2, "{known}");
    let refused = person.call(json!({"action": "list", "hosts": ["h7"]}));
    assert_eq!(refused["error"]["code"], "host_unknown", "{refused}");
}

#[test]
fn an_agent_reaches_only_the_hosts_that_are_opened_to_it_and_its_own_sessions_there() {
    let Some(sshd) = Sshd::new(2) else { return };
    let home = &sshd.home;
    let start = json!({"action": "start", "command": "read x; echo got $x; exit 3",
        "label": "job", "host": "h1", "background": true});
    let mut closed = Serve::new(home, &["--scope", "closed"]);
    closed.err(start.clone(), "permission_denied");
    let none = closed.ok(json!({"action": "hosts"}));
    assert_eq!(none["hosts"], json!([]));
    let mut one = Serve::new(home, &["--scope", "one", "--hosts", "h1"]);
    let mut two = Serve::new(home, &["--scope", "two", "--hosts", "h1,h2"]);
    one.ok(json!({"action": "subscribe"}));
    let id = one.ok(start)["sessionId"].clone();
    one.err(
        json!({"action": "list", "hosts": ["h2"]}),
        "permission_denied",
    );
    one.err(
        json!({"action": "connect", "host": "h1"}),
        "permission_denied",
    );
    let seen = one.ok(json!({"action": "list", "hostWaitMs": 20_000}));
    assert_eq!(ids(&seen), [id.as_str().unwrap()]);
    let started = one.find("the start on the host", |line| {
        line["event"] == "started" && line["sessionId"] == id
    });
    assert_eq!(started["host"], "h1", "{started}");
    // The other agent reaches the host, and sees nothing of this one.
    let others = two.ok(json!({"action": "list", "hosts": ["h1"], "hostWaitMs": 20_000}));
    assert_eq!(ids(&others).len(), 0, "{others}");
    two.err(
        json!({"action": "status", "sessionId": id}),
        "session_not_found",
    );
    let wrote = one.ok(
        json!({"action": "write", "sessionId": "job@h1", "data": "it\n",
        "until": [{"exit": true}]}),
    );
    assert_eq!(
        (&wrote["outcome"], &wrote["sessionId"]),
        (&json!("matched"), &id),
        "{wrote}"
    );
    let exited = one.find("the end on the host", |line| {
        line["event"] == "exited" && line["sessionId"] == id
    });
    assert_eq!(exited["data"]["exitCode"], 3);
    // A person sees it, and both hosts.
    let mut person = Person::new(home);
    let all = person.ok(json!({"action": "list", "hostWaitMs": 20_000}));
    assert_eq!(ids(&all), [id.as_str().unwrap()]);
}

#[test]
fn what_an_agent_has_started_on_a_host_ends_with_it_if_it_says_so() {
    let Some(mut sshd) = Sshd::new(1) else { return };
    let start =
        json!({"action": "start", "command": "sleep 600", "host": "h1", "background": true});
    let ending = |scope: &str| {
        let args = ["--hosts", "h1", "--scope", scope, "--on-disconnect", "kill"];
        let mut serve = Serve::new(&sshd.home, &args);
        let started = serve.ok(start.clone());
        let id = started["sessionId"].as_str().unwrap().to_owned();
        (serve, id.split('@').next().unwrap().to_owned())
    };
    let (mut one, first) = ending("one");
    let (mut two, second) = ending("two");
    let mut other = Serve::new(&sshd.home, &["--hosts", "h1", "--scope", "other"]);
    let third = other.ok(start.clone())["sessionId"].clone();
    one.close_stdin();
    let status = |home: &Home, id: &str| {
        // The exit code is that of a job that has ended.
        let ran = home.run(&["--json", "status", id]);
        let record: Value = serde_json::from_str(&ran.stdout).unwrap();
        record["status"].clone()
    };
    eventually("it ends with its agent", || {
        (status(&sshd.hosts[0], &first) == "killed").then_some(())
    });
    // While the host is away, the wish is kept.
    sshd.down();
    two.close_stdin();
    two.exit_code();
    sshd.up();
    eventually_within(3 * DEADLINE, "it ends when the host is back", || {
        (status(&sshd.hosts[0], &second) == "killed").then_some(())
    });
    let third = third.as_str().unwrap().split('@').next().unwrap();
    assert_eq!(status(&sshd.hosts[0], third), "running");
}

#[test]
fn kill_and_wait_take_sessions_of_several_machines() {
    let Some(sshd) = Sshd::new(2) else { return };
    let mut serve = Serve::new(&sshd.home, &["--hosts", "h1,h2"]);
    let mut start = |host: &str, command: &str| {
        let started = serve.ok(json!({"action": "start", "command": command, "host": host,
            "background": true}));
        started["sessionId"].clone()
    };
    let here = start("local", "sleep 600");
    let far = start("h1", "read x; exit 4");
    let other = start("h2", "sleep 600");
    let any = serve.send(json!({"action": "wait", "sessionIds": [here, far, other],
        "until": [{"exit": true}], "waitMs": DEADLINE.as_millis() as u64}));
    serve.ok(json!({"action": "write", "sessionId": far, "data": "\n"}));
    let any = serve.reply(any)["result"].clone();
    assert_eq!(any["outcome"], "matched", "{any}");
    assert_eq!(any["results"].as_array().unwrap().len(), 3, "{any}");
    // An error says what was done all the same.
    let more = serve.ok(json!({"action": "start", "command": "sleep 600", "background": true}));
    let error = serve.err(
        json!({"action": "kill", "sessionIds": [more["sessionId"], "nobody@h1", "none@h1"]}),
        "session_not_found",
    );
    let message = error["message"].as_str().unwrap();
    assert!(
        message.ends_with("; 1 on other machines ended"),
        "{message}"
    );
    let killed = serve.ok(json!({"action": "kill", "sessionIds": [here, far, other]}));
    assert_eq!(killed["results"].as_array().unwrap().len(), 3, "{killed}");
    let all = serve.ok(
        json!({"action": "wait", "sessionIds": [here, far, other], "mode": "all",
        "until": [{"exit": true}]}),
    );
    assert_eq!(all["outcome"], "matched", "{all}");
    serve.err(
        json!({"action": "log", "sessionIds": [here, far], "tail": 5}),
        "invalid_params",
    );
}

#[test]
fn a_wait_on_several_machines_is_decided_as_on_one() {
    let Some(sshd) = Sshd::new(1) else { return };
    let mut serve = Serve::new(&sshd.home, &["--hosts", "h1"]);
    let mut start = |host: &str, command: &str| {
        let started = serve.ok(json!({"action": "start", "command": command, "host": host,
            "wait": host == "local"}));
        started["sessionId"].clone()
    };
    let here = start("local", "true");
    let far = start("h1", "read x; echo found; read x; exit 4");
    let both = json!([here, far]);
    let within = DEADLINE.as_millis() as u64;
    let wait = |mode: &str, until: &Value| json!({"action": "wait", "sessionIds": both, "mode": mode, "until": [until], "waitMs": within});
    // What has ended here does not end the wait for what is there.
    let found = json!({"pattern": "^found"});
    let any = serve.send(wait("any", &found));
    serve.ok(json!({"action": "write", "sessionId": far, "data": "\n"}));
    let any = serve.reply(any)["result"].clone();
    assert_eq!(any["outcome"], "matched", "{any}");
    // With `all` it does.
    let all = serve.ok(wait("all", &found));
    assert_eq!(all["outcome"], "exited", "{all}");
    // An end that is known is no reason to refuse.
    let next = serve.send(wait("next", &json!({"exit": true})));
    serve.ok(json!({"action": "write", "sessionId": far, "data": "\n"}));
    let next = serve.reply(next)["result"].clone();
    assert_eq!(next["results"][0]["exitCode"], 4, "{next}");
    serve.err(wait("next", &json!({"exit": true})), "session_not_running");
}

#[test]
fn hosts_come_and_go_with_the_configuration() {
    let Some(sshd) = Sshd::new(2) else { return };
    let home = &sshd.home;
    let file = home.path().join("config.toml");
    let both = std::fs::read_to_string(&file).unwrap();
    let (first, _) = both.split_once("[hosts.h2]").unwrap();
    std::fs::write(&file, first).unwrap();
    home.ok(&["daemon", "start"]);
    let mut person = Person::new(home);
    let refused = person.call(json!({"action": "connect", "host": "h2"}));
    assert_eq!(refused["error"]["code"], "host_unknown", "{refused}");
    std::fs::write(&file, &both).unwrap();
    let hosts = person.ok(json!({"action": "connect", "host": "h2"}));
    assert_eq!(hosts["hosts"][0]["state"], "up", "{hosts}");
    let start =
        json!({"action": "start", "command": "sleep 600", "host": "h2", "background": true});
    let started = person.ok(start);
    is_known(&mut person, &started["sessionId"]);
    // Disconnected, it stays so for lists, until it is named.
    person.ok(json!({"action": "disconnect", "host": "h2"}));
    let listed = person.ok(json!({"action": "list"}));
    let state = |listed: &Value| listed["hosts"][1]["state"].clone();
    assert_eq!(state(&listed), "disconnected", "{listed}");
    assert!(listed["sessions"][0]["seenAt"].is_string(), "{listed}");
    let id = listed["sessions"][0]["sessionId"].clone();
    person.ok(json!({"action": "poll", "sessionId": id}));
    assert_eq!(state(&person.ok(json!({"action": "list"}))), "up");
    // By hand means by hand.
    std::fs::write(
        &file,
        both.replace("[hosts.h1]", "[hosts.h1]\nconnect = \"manual\""),
    )
    .unwrap();
    person.ok(json!({"action": "hosts"}));
    person.ok(json!({"action": "disconnect", "host": "h1"}));
    let refused = person.call(json!({"action": "poll", "sessionId": "web@h1"}));
    assert_eq!(refused["error"]["code"], "host_unreachable", "{refused}");
    assert_eq!(refused["error"]["data"]["mayHaveHappened"], false);
    person.ok(json!({"action": "connect", "host": "h1"}));
    let refused = person.call(json!({"action": "poll", "sessionId": "web@h1"}));
    assert_eq!(refused["error"]["code"], "session_not_found", "{refused}");
    // A host that is removed is gone at once, and whoever looks is told.
    person.ok(json!({"action": "subscribe"}));
    home.ok(&["hosts", "rm", "h2"]);
    person.next(|line| line["event"] == "host_down" && line["host"] == "h2");
    let listed = person.ok(json!({"action": "list"}));
    assert_eq!(listed["hosts"].as_array().unwrap().len(), 1, "{listed}");
    assert_eq!(ids(&listed).len(), 0);
}

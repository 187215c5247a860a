//! A host that falls silent: nothing says that it is gone.

use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::support::{DEADLINE, Home, Person, Serve, Sshd, eventually_within};

/// Longest time until a person or an agent is told.
const TOLD: Duration = Duration::from_secs(30);

/// Length of a hole in the network after which a connection goes on.
const HOLE: Duration = Duration::from_secs(6);

/// An agent with a session on `h1` that reads, and the id of the session.
fn agent(home: &Home) -> (Serve, Value) {
    let mut serve = Serve::new(home, &["--hosts", "h1"]);
    serve.patience = TOLD + DEADLINE;
    let started = serve.ok(
        json!({"action": "start", "command": "stty -echo; cat", "host": "h1",
        "background": true}),
    );
    let id = started["sessionId"].clone();
    serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"input": true}]}));
    (serve, id)
}

#[test]
fn who_asks_for_it_is_told_and_nothing_else_waits() {
    let Some(sshd) = Sshd::new(1) else { return };
    let home = &sshd.home;
    let (_first, id) = agent(home);
    let mut person = Person::new(home);
    let here = person.ok(json!({"action": "start", "command": "cat", "background": true}));
    let here = here["sessionId"].as_str().unwrap();
    sshd.freeze();
    // A client that has no connection to the host yet, as each verb is.
    let mut verb = Serve::new(home, &["--hosts", "h1", "--scope", "verb"]);
    verb.patience = TOLD + DEADLINE;
    let began = Instant::now();
    let asked = verb.send(json!({"action": "log", "sessionId": id, "tail": 5}));
    person.types(here, "quick\n");
    person.ok(json!({"action": "list"}));
    assert!(began.elapsed() < DEADLINE / 4, "{:?}", began.elapsed());
    let told = verb.reply(asked);
    assert_eq!(told["error"]["code"], "host_unreachable", "{told}");
    assert!(began.elapsed() < TOLD, "{:?}", began.elapsed());
    sshd.thaw();
}

#[test]
fn a_hole_in_the_network_only_delays() {
    let Some(sshd) = Sshd::new(1) else { return };
    let (mut serve, id) = agent(&sshd.home);
    sshd.freeze();
    let began = Instant::now();
    let typed = serve.send(json!({"action": "write", "sessionId": id, "data": "once\n"}));
    let read = serve.send(json!({"action": "wait", "sessionId": id, "since": "c0",
        "until": [{"pattern": "^once$"}], "waitMs": 20_000}));
    // What else is asked is answered meanwhile.
    while began.elapsed() < HOLE {
        serve.ok(json!({"action": "hosts"}));
        std::thread::sleep(Duration::from_millis(100));
    }
    assert_eq!(serve.told_reply(typed), None);
    assert_eq!(serve.told_reply(read), None);
    sshd.thaw();
    let typed = serve.reply(typed);
    assert_eq!(typed["ok"], true, "{typed}");
    let read = serve.reply(read);
    assert_eq!(read["result"]["outcome"], "matched", "{read}");
    let log = serve.ok(json!({"action": "log", "sessionId": id}));
    assert_eq!(log["output"], "once\n", "{log}");
    let told = serve.told("host_down");
    assert_eq!(told, Vec::<Value>::new());
}

#[test]
fn keys_behind_lost_ones_are_not_typed() {
    let Some(sshd) = Sshd::new(1) else { return };
    let (mut serve, id) = agent(&sshd.home);
    let types = |text: &str| json!({"action": "write", "sessionId": id, "data": text});
    sshd.freeze();
    let on_its_way = serve.send(types("rm "));
    // It has been handed over once something later was answered.
    serve.ok(json!({"action": "hosts"}));
    sshd.cut();
    let lost = serve.reply(on_its_way)["error"].clone();
    assert_eq!(lost["data"]["mayHaveHappened"], true, "{lost}");
    // The server does not answer, so this waits for a connection, and the next one for this.
    let [first, second] = serve.send_together([types("-rf "), types("x\n")])[..] else {
        unreachable!()
    };
    for (place, asked) in [first, second].into_iter().enumerate() {
        let refused = serve.reply(asked)["error"].clone();
        assert_eq!(refused["code"], "host_unreachable", "{refused}");
        assert_eq!(refused["data"]["mayHaveHappened"], false, "{refused}");
        let message = refused["message"].as_str().unwrap();
        assert_eq!(
            message.contains("lost what was typed before it"),
            place == 1,
            "{refused}"
        );
    }
    sshd.thaw();
    eventually_within(2 * DEADLINE, "the host is there again", || {
        let reply = serve.call(types("whole\n"));
        (reply["ok"] == true).then_some(())
    });
    serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"pattern": "whole"}]}));
    let log = serve.ok(json!({"action": "log", "sessionId": id, "tail": 5}));
    assert_eq!(log["lines"].as_array().unwrap().len(), 1, "{log}");
}

//! The pump of `--serve` against a daemon that the test plays.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::fake::FakeDaemon;
use crate::support::process::resident_bytes;
use crate::support::{Home, Serve};

/// An agent and the connection it made.
macro_rules! pump {
    ($home:ident, $daemon:ident, $agent:ident, $client:ident) => {
        let $home = Home::new();
        let $daemon = FakeDaemon::new(&$home);
        let spawned = {
            let command = $home.command(&["--serve"]);
            std::thread::spawn(move || Serve::spawn(command))
        };
        #[allow(unused_mut)]
        let mut $client = $daemon.accept(1, "s1");
        #[allow(unused_mut)]
        let mut $agent = spawned.join().unwrap();
    };
}

#[test]
fn the_greeting_of_the_daemon_is_passed_on_as_it_is() {
    pump!(home, _daemon, agent, client);
    assert_eq!(agent.hello["fromTheFuture"], true);
    assert_eq!(client.greeting["role"], "agent");
    assert_eq!(client.greeting.get("scope"), None);
    let env = client.greeting["env"].as_object().unwrap();
    assert_eq!(env["BGPROC_HOME"], home.path().display().to_string());
}

#[test]
fn a_torn_reply_is_not_shown_and_its_request_is_answered() {
    pump!(_home, daemon, agent, client);
    let answered = agent.send(json!({"action": "list"}));
    let torn = agent.send(json!({"action": "start", "command": "x"}));
    assert_eq!(client.line()["id"], answered);
    assert_eq!(client.line()["id"], torn);
    client.say(&json!({"id": answered, "ok": true, "result": 1}));
    client.say_raw(format!("{{\"id\":{torn},\"ok\":true,\"resu").as_bytes());
    drop(client);
    assert_eq!(agent.reply(answered)["result"], 1);
    let reply = agent.reply(torn);
    assert_eq!(reply["error"]["data"]["mayHaveHappened"], true, "{reply}");
    // Nothing is left to be asked or told, so no other daemon is looked for yet.
    assert!(!daemon.is_called(Duration::from_millis(300)));
    let after = agent.send(json!({"action": "list"}));
    let mut next = daemon.accept(1, "s1");
    assert_eq!(next.greeting["scope"], "s1");
    // The second hello is not for the agent.
    assert_eq!(next.line()["id"], after);
    next.say(&json!({"id": after, "ok": true, "result": 2}));
    assert_eq!(agent.next()["result"], 2);
}

#[test]
fn what_the_dead_daemon_had_not_been_sent_goes_to_the_next() {
    pump!(_home, daemon, agent, client);
    // More than a socket holds, to a daemon that does not read.
    let filler = "x".repeat(500_000);
    let ids: Vec<_> = (0..6)
        .map(|_| agent.send(json!({"action": "write", "data": filler})))
        .collect();
    assert_eq!(client.line()["id"], ids[0]);
    drop(client);
    let mut next = daemon.accept(1, "s1");
    let first: Value = next.line();
    let resumed = ids.iter().position(|id| first["id"] == *id).unwrap();
    assert!(resumed > 0, "what was sent whole was sent again");
    for id in &ids[..resumed] {
        assert_eq!(agent.reply(*id)["error"]["code"], "daemon_unavailable");
    }
    for id in &ids[resumed + 1..] {
        assert_eq!(next.line()["id"], *id);
    }
}

#[test]
fn what_only_reads_goes_to_the_next_daemon_in_its_order_and_with_less_time() {
    pump!(_home, daemon, agent, client);
    let wait = agent.send(json!({"action": "wait", "sessionId": "x", "timeoutMs": 600_000}));
    let write = agent.send(json!({"action": "write", "sessionId": "x", "data": "y"}));
    let start = agent.send(json!({"action": "start", "command": "y", "key": "k"}));
    let cancel = agent.send(json!({"action": "cancel", "requestId": wait}));
    for id in [wait, write, start, cancel] {
        assert_eq!(client.line()["id"], id);
    }
    drop(client);
    let mut next = daemon.accept(1, "s1");
    let lost = agent.reply(write);
    assert_eq!(lost["error"]["data"]["mayHaveHappened"], true, "{lost}");
    let again = next.line();
    let left = again["timeoutMs"].as_u64().unwrap();
    assert!((1..=600_000).contains(&left), "{again}");
    let rest = [next.line(), next.line()];
    assert_eq!(
        (&again["id"], &rest[0]["id"]),
        (&json!(wait), &json!(start))
    );
    assert_eq!(
        rest[1],
        json!({"id": cancel, "action": "cancel", "requestId": wait})
    );
    // Each is answered once, whatever daemon does it.
    for id in [wait, start, cancel] {
        next.say(&json!({"id": id, "ok": true, "result": id}));
        assert_eq!(agent.next(), json!({"id": id, "ok": true, "result": id}));
    }
}

#[test]
fn what_the_agent_is_told_goes_on_with_the_next_daemon() {
    pump!(_home, daemon, agent, client);
    let subscribe = agent.send(json!({"action": "subscribe", "events": ["exited"]}));
    let watch = agent.send(json!({"action": "watch", "sessionId": "x"}));
    client.line();
    client.line();
    let named = |id, name: &str| json!({"id": id, "ok": true, "result": {"subscriptionId": name}});
    let event = |seq| json!({"event": "exited", "seq": seq});
    client.say(&named(json!(subscribe), "s1"));
    client.say(&json!({"id": watch, "ok": true, "result": {}}));
    client.say(&event(4));
    agent.reply(watch);
    drop(client);
    let mut next = daemon.accept(1, "s1");
    let (again, watch) = (next.line(), next.line());
    assert_eq!(
        (&again["fromSeq"], &again["events"]),
        (&json!(5), &json!(["exited"]))
    );
    assert_eq!(
        (&watch["action"], &watch["sessionId"]),
        (&json!("watch"), &json!("x"))
    );
    // What the agent has seen, and what is not for it.
    for line in [
        event(4),
        event(5),
        named(again["id"].clone(), "s7"),
        event(5),
    ] {
        next.say(&line);
    }
    next.say(&json!({"id": watch["id"], "ok": true, "result": {}}));
    next.say(&event(6));
    let seen: Vec<_> = std::iter::repeat_with(|| agent.event("exited"))
        .take(3)
        .collect();
    assert_eq!(seen, [event(4), event(5), event(6)]);
    let end = agent.send(json!({"action": "unsubscribe", "subscriptionId": "s1"}));
    let asked = json!({"id": end, "action": "unsubscribe", "subscriptionId": "s7"});
    assert_eq!(next.line(), asked);
    next.say(&json!({"id": end, "ok": true, "result": {}}));
    agent.reply(end);
    drop(next);
    let mut third = daemon.accept(1, "s1");
    assert_eq!(third.line()["action"], "watch");
}

#[test]
fn a_daemon_that_does_not_read_holds_the_agent_up_and_fills_no_memory() {
    pump!(_home, _daemon, agent, client);
    let pid = agent.pid();
    let line = format!(
        "{}\n",
        json!({"action": "write", "data": "x".repeat(900_000)})
    );
    let count = 40;
    let lines = line.clone();
    let writer = std::thread::spawn(move || {
        for _ in 0..count {
            agent.send_raw(lines.as_bytes());
        }
        agent.close_stdin();
        agent
    });
    // The first line is there, so everything that fits is on its way.
    client.line();
    let rest = client.rest();
    assert!(
        resident_bytes(pid) < 32 << 20,
        "{} bytes",
        resident_bytes(pid)
    );
    assert_eq!(rest.len(), line.len() * (count - 1));
    drop(client);
    let mut agent = writer.join().unwrap();
    assert_eq!(agent.exit_code(), Some(0));
}

#[test]
fn an_agent_that_does_not_read_fills_no_memory_and_misses_nothing() {
    let home = Home::new();
    let daemon = FakeDaemon::new(&home);
    let mut command = home.command(&["--serve"]);
    command
        .stdin(std::process::Stdio::piped())
        .stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut client = daemon.accept(1, "s1");
    let line = format!(
        "{}\n",
        json!({"event": "output", "data": "x".repeat(900_000)})
    );
    let count = 40;
    let (lines, pid) = (line.clone(), child.id());
    let writer = std::thread::spawn(move || {
        for _ in 0..count {
            client.say_raw(lines.as_bytes());
        }
        client
    });
    let mut stdout = std::io::BufReader::new(child.stdout.take().unwrap());
    let mut hello = String::new();
    std::io::BufRead::read_line(&mut stdout, &mut hello).unwrap();
    let mut text = vec![0; line.len() * count];
    std::io::Read::read_exact(&mut stdout, &mut text).unwrap();
    assert!(
        resident_bytes(pid) < 32 << 20,
        "{} bytes",
        resident_bytes(pid)
    );
    assert!(
        text.chunks(line.len())
            .all(|chunk| chunk == line.as_bytes())
    );
    drop(child.stdin.take());
    // The daemon closes after the agent has, as a real one does.
    assert_eq!(writer.join().unwrap().rest(), b"");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}

#[test]
fn the_end_of_input_reaches_the_daemon_after_the_last_request() {
    pump!(_home, _daemon, agent, client);
    let open = agent.send(json!({"action": "kill", "sessionId": "x"}));
    agent.close_stdin();
    assert!(String::from_utf8(client.rest()).unwrap().ends_with("}\n"));
    client.say(&json!({"event": "exited"}));
    drop(client);
    let rest = agent.rest();
    assert_eq!(rest[0]["event"], "exited");
    // A daemon that ends without an answer still leaves nothing open.
    assert_eq!(
        (&rest[1]["id"], &rest[1]["ok"]),
        (&json!(open), &json!(false))
    );
    assert_eq!((rest.len(), agent.exit_code()), (2, Some(0)));
}

#[test]
fn a_daemon_of_another_protocol_is_refused() {
    let home = Home::new();
    let daemon = FakeDaemon::new(&home);
    let ran = std::thread::scope(|scope| {
        let ran = scope.spawn(|| home.run(&["ls"]));
        daemon.accept(2, "human");
        ran.join().unwrap()
    });
    ran.expect_code(69)
        .expect_said("protocol 2")
        .expect_said("bgproc daemon upgrade");
}

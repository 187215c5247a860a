//! Agents at `bgproc --serve`: hello, scopes, policies, and how it ends.

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::process::{Held, is_alive};
use crate::support::{Home, Serve, daemon};

fn start(agent: &mut Serve, command: &str) -> String {
    let started = agent.ok(json!({"action": "start", "command": command, "background": true}));
    started["sessionId"].as_str().unwrap().to_owned()
}

#[test]
fn the_first_line_says_who_and_what() {
    let home = Home::new();
    let agent = Serve::new(&home, &[]);
    assert_eq!(agent.hello["protocol"], 1);
    assert_eq!(agent.hello["version"], env!("CARGO_PKG_VERSION"));
    assert!(agent.hello["scope"].as_str().unwrap().len() > 5);
    let actions: Vec<_> = agent.hello["actions"].as_array().unwrap().iter().collect();
    assert!(actions.contains(&&json!("start")), "{actions:?}");
    assert!(is_alive(
        u32::try_from(agent.hello["pid"].as_u64().unwrap()).unwrap()
    ));
}

#[test]
fn the_keeper_is_no_descendant_of_the_agent_that_starts_it() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let (_, keeper) = daemon::pids(&mut agent);
    let stat = std::fs::read_to_string(format!("/proc/{keeper}/stat")).unwrap();
    let (_, fields) = stat.rsplit_once(')').unwrap();
    let parent: u32 = fields.split_whitespace().nth(1).unwrap().parse().unwrap();
    assert_ne!(parent, agent.pid());
}

#[test]
fn a_scope_is_named_by_flag_then_variable_else_fresh() {
    let home = Home::new();
    let scope = |args: &[&str], var: Option<&str>| {
        let mut all = vec!["--serve"];
        all.extend(args);
        let mut command = home.command(&all);
        command.envs(var.map(|name| ("BGPROC_SCOPE", name)));
        Serve::spawn(command).hello["scope"]
            .as_str()
            .unwrap()
            .to_owned()
    };
    assert_eq!(scope(&["--scope", "one"], Some("two")), "one");
    assert_eq!(scope(&[], Some("two")), "two");
    assert_ne!(scope(&[], None), scope(&[], None));
}

#[test]
fn wrong_settings_are_an_error_at_start() {
    let home = Home::new();
    for (args, vars, said) in [
        (&["--serve", "--scope", "human"][..], &[][..], "--scope"),
        (&["--serve", "--scope", "a b"], &[], "--scope"),
        (&["--serve", "--max-sessions", "0"], &[], "--max-sessions"),
        (
            &["--serve", "--on-disconnect", "maybe"],
            &[],
            "neither keep nor kill",
        ),
        (
            &["--serve"],
            &[("PI_BASH_YIELD_MS", "soon")],
            "PI_BASH_YIELD_MS",
        ),
        (
            &["--serve"],
            &[("PI_BASH_JOB_TTL_MS", "-5")],
            "PI_BASH_JOB_TTL_MS",
        ),
        (&["--serve"], &[("BGPROC_SCOPE", "ümlaut")], "BGPROC_SCOPE"),
        (&["--scope", "x"], &[], "--serve"),
    ] {
        let ran = home
            .run_with_env(args, vars)
            .expect_code(2)
            .expect_said(said);
        assert!(ran.stdout.is_empty(), "{ran}");
    }
}

#[test]
fn a_scope_sees_its_own_and_nothing_else() {
    let home = Home::new();
    let mut one = Serve::new(&home, &["--scope", "one"]);
    let mut two = Serve::new(&home, &["--scope", "two"]);
    let id = start(&mut one, "sleep 1000");
    let status = |id: &str| json!({"action": "status", "sessionId": id});
    assert_eq!(one.ok(status(&id))["scope"], "one");
    let theirs = two.err(status(&id), "session_not_found");
    let never = two.err(status("abcdefghijkl"), "session_not_found");
    // In the same words, so that nothing can be learnt by asking.
    let words = |error: &Value, id: &str| error.to_string().replace(id, "ID");
    assert_eq!(words(&theirs, &id), words(&never, "abcdefghijkl"));
    two.err(
        json!({"action": "kill", "sessionId": id}),
        "session_not_found",
    );
    assert_eq!(two.ok(json!({"action": "list"}))["sessions"], json!([]));
    let mut again = Serve::new(&home, &["--scope", "one"]);
    assert_eq!(again.ok(status(&id))["status"], "running");
    // A person sees everybody's.
    assert!(home.ok(&["ls"]).contains(&id));
}

#[test]
fn people_only_actions_are_refused() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.err(json!({"action": "shutdown"}), "permission_denied");
    // A greeting of its own does not make an agent a person.
    let reply = agent.call(json!({"action": "hello", "role": "human"}));
    assert_eq!(reply["ok"], false, "{reply}");
    agent.err(json!({"action": "shutdown"}), "permission_denied");
}

#[test]
fn policies_are_enforced() {
    let home = Home::new();
    let mut looking = Serve::new(&home, &["--read-only"]);
    looking.err(
        json!({"action": "start", "command": "true"}),
        "permission_denied",
    );
    looking.ok(json!({"action": "list"}));
    let mut few = Serve::new(&home, &["--allow", "sleep,true", "--max-sessions", "1"]);
    let request = |program: &str, arg: &str| json!({"action": "start", "command": program, "args": [arg], "background": true});
    few.err(request("rm", "x"), "permission_denied");
    few.ok(request("sleep", "1000"));
    let error = few.err(request("sleep", "1000"), "limit_exceeded");
    assert_eq!(error["data"]["limit"], 1, "{error}");
}

#[test]
fn directory_and_environment_are_the_agents() {
    let home = Home::new();
    let dir = home.scratch("x").parent().unwrap().to_owned();
    let mut command = home.command(&["--serve"]);
    command.current_dir(&dir).env("FROM_AGENT", "yes");
    let mut agent = Serve::spawn(command);
    let done = agent.ok(json!({"action": "start", "command": "echo $PWD $FROM_AGENT"}));
    assert_eq!(done["output"], format!("{} yes\n", dir.display()));
}

#[test]
fn at_the_end_of_input_requests_finish_and_waits_are_cancelled() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &["--scope", "s"]);
    let id = start(&mut agent, "sleep 1000");
    let wait = agent.send(json!({"action": "wait", "sessionId": id, "timeoutMs": 600_000}));
    let status = agent.send(json!({"action": "status", "sessionId": id}));
    agent.close_stdin();
    let rest = agent.rest();
    let reply = |id: u64| rest.iter().find(|message| message["id"] == id);
    assert_eq!(
        reply(status).unwrap()["result"]["status"],
        "running",
        "{rest:?}"
    );
    assert_eq!(
        reply(wait).unwrap()["error"]["code"],
        "cancelled",
        "{rest:?}"
    );
    assert_eq!(agent.exit_code(), Some(0));
    assert_eq!(home.json(&["status", &id])["status"], "running");
}

#[test]
fn sessions_can_end_with_the_agent() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &["--on-disconnect", "kill"]);
    let id = start(&mut agent, "sleep 1000");
    agent.close_stdin();
    assert_eq!(agent.exit_code(), Some(0));
    home.run(&["wait", &id, "--timeout", "15s"])
        .expect_code(143);
}

#[test]
fn a_last_line_needs_no_newline() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.send_raw(br#"{"id":"last","action":"list"}"#);
    agent.close_stdin();
    let rest = agent.rest();
    assert!(
        rest.iter()
            .any(|message| message["id"] == "last" && message["ok"] == true),
        "{rest:?}"
    );
    assert_eq!(agent.exit_code(), Some(0));
}

#[test]
fn events_come_between_replies() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let id = start(&mut agent, "exit 4");
    let exited = agent.event("exited");
    assert_eq!(
        (
            exited["sessionId"].as_str(),
            exited["data"]["exitCode"].as_i64()
        ),
        (Some(&id[..]), Some(4))
    );
}

/// The keeper is stopped for a while: whoever waits is told so, and finds the output later.
#[test]
fn a_wait_that_is_given_up_does_not_count_its_output_as_shown() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let gate = home.gate();
    let line = format!("cat {}; echo MARK; cat", gate.display());
    let id = start(&mut agent, &line);
    let wait = json!({"action": "wait", "sessionId": id, "until": [{"pattern": "^MARK"}]});
    let (_, keeper) = daemon::pids(&mut agent);
    let keeper = Held::new(keeper).unwrap();
    keeper.signal(Signal::STOP);
    let refused = agent.call(wait.clone());
    assert_eq!(refused["error"]["code"], "daemon_unavailable", "{refused}");
    keeper.signal(Signal::CONT);
    std::fs::write(&gate, "").unwrap();
    let reply = agent.ok(wait);
    assert_eq!(reply["matched"]["text"], "MARK", "{reply}");
    assert!(reply["output"].to_string().contains("MARK"), "{reply}");
}

#[test]
fn a_subscription_goes_on_although_the_next_daemon_cannot_be_reached_at_once() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe", "events": ["exited"]}));
    let (old, keeper) = daemon::pids(&mut agent);
    let keeper = Held::new(keeper).unwrap();
    keeper.signal(Signal::STOP);
    daemon::kill_pid(old);
    // It is answered when the proxy has given the first attempt up.
    let asked = agent.send(json!({"action": "list"}));
    let refused = agent.reply(asked);
    assert_eq!(refused["error"]["code"], "daemon_unavailable", "{refused}");
    assert_eq!(
        refused["error"]["data"]["mayHaveHappened"], false,
        "{refused}"
    );
    keeper.signal(Signal::CONT);
    let scope = agent.hello["scope"].as_str().unwrap();
    let mut same = Serve::new(&home, &["--scope", scope]);
    same.ok(json!({"action": "start", "command": "true", "background": true}));
    assert_eq!(agent.event("exited")["event"], "exited");
}

//! Questions of agents to people.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Person, Serve, Terminal};

fn ask(job: &Job, message: &str) -> Value {
    json!({"action": "ask_human", "sessionId": job.id, "message": message})
}

/// Asks, and waits until that is told.
fn asked(agent: &mut Serve, request: Value) -> u64 {
    let message = request["message"].clone();
    let id = agent.send(request);
    agent.find("that it is told", |line| {
        line["event"] == "human_asked" && line["data"]["message"] == message
    });
    id
}

#[test]
fn a_person_answers_by_typing_and_the_secret_is_nowhere() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &["--scope", "worker"]);
    agent.ok(json!({"action": "subscribe"}));
    let job = Job::start(
        &mut agent,
        "stty -echo; printf 'Passphrase: '; read secret; stty echo; echo; echo long ${#secret}; exec cat",
    );
    job.wait_screen(&mut agent, "Passphrase:");
    let question = agent.send(ask(&job, "Please type the \x1b[31mpassphrase"));
    let told = agent.event("human_asked");
    assert_eq!(told["data"]["by"]["scope"], "worker", "{told}");
    let status = job.ask(&mut agent, "status", json!({}));
    assert_eq!(status["asked"][0]["by"], "worker", "{status}");
    // What an agent types answers nothing.
    job.ask(&mut agent, "write", json!({"data": ""}));
    let mut dashboard = Terminal::new(&home, &[], (120, 30));
    dashboard.wait_for_text("passphrase");
    dashboard.wait_for_text("N decline");
    dashboard.send("i");
    dashboard.wait_for_text("INSERT");
    dashboard.send("hunter-human");
    agent.event("held");
    dashboard.send("\r");
    let reply = agent.reply(question);
    assert_eq!(reply["result"]["outcome"], "answered", "{reply}");
    assert_eq!(reply["result"]["heldBy"]["kind"], "human", "{reply}");
    assert_eq!(agent.event("human_answered")["data"]["outcome"], "answered");
    job.wait_for(&mut agent, "^long 12$");
    let status = job.ask(&mut agent, "status", json!({}));
    assert_eq!(status["asked"], json!([]), "{status}");
    drop(dashboard);
    let log = job.ask(&mut agent, "log", json!({"stream": "input", "tail": 99}));
    assert!(log.to_string().contains("bytes, not shown"), "{log}");
    agent.close_stdin();
    let said = format!("{log}{:?}", agent.rest());
    assert!(!said.contains("hunter-human"), "{said}");
    assert_eq!(crate::secrets::file_with(home.path(), "hunter-human"), None);
}

#[test]
fn a_question_is_declined_times_out_is_cancelled_or_ends_with_its_session() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut agent, "echo up; exec cat");
    job.wait_for(&mut agent, "^up$");
    let outcome = |agent: &mut Serve| {
        let told = agent.event("human_answered");
        told["data"]["outcome"].as_str().unwrap().to_owned()
    };

    let decline = json!({"action": "decline", "sessionId": job.id});
    agent.err(decline, "permission_denied");
    home.run(&["decline", &job.id]).expect_code(3);
    // All that is asked about a session is settled at once.
    let one = asked(&mut agent, ask(&job, "one"));
    let two = asked(&mut agent, ask(&job, "two"));
    home.ok(&["decline", &job.id]);
    for id in [one, two] {
        assert_eq!(agent.reply(id)["result"]["outcome"], "declined");
        assert_eq!(outcome(&mut agent), "declined");
    }

    let mut soon = ask(&job, "soon");
    soon["timeoutMs"] = json!(50);
    assert_eq!(agent.ok(soon)["outcome"], "timeout");
    assert_eq!(outcome(&mut agent), "timeout");

    let id = asked(&mut agent, ask(&job, "never mind"));
    agent.ok(json!({"action": "cancel", "requestId": id}));
    assert_eq!(agent.reply(id)["error"]["code"], "cancelled");
    assert_eq!(outcome(&mut agent), "cancelled");

    // Keys without a line answer once nobody types any more.
    let id = asked(&mut agent, ask(&job, "a key"));
    Person::new(&home).types(&job.id, "y");
    let reply = agent.reply(id);
    assert_eq!(reply["result"]["outcome"], "answered", "{reply}");
    assert_eq!(reply["result"]["heldBy"], Value::Null, "{reply}");
    assert_eq!(outcome(&mut agent), "answered");

    let id = asked(&mut agent, ask(&job, "too late"));
    job.ask(&mut agent, "kill", json!({}));
    let reply = agent.reply(id);
    assert_eq!(reply["error"]["code"], "session_not_running", "{reply}");
    assert_eq!(reply["error"]["data"]["status"], "killed", "{reply}");
    agent.err(ask(&job, "over"), "session_not_running");
    agent.err(ask(&job, " "), "invalid_params");
}

#[test]
fn an_answer_that_ends_the_program_is_an_answer() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    // Somebody looks at the session, so keys are recorded after their echo was drawn.
    let mut view = Person::new(&home);
    for n in 0..10 {
        let job = Job::start(&mut agent, "read answer; exit 3");
        view.ok(json!({"action": "watch", "sessionId": job.id}));
        let id = asked(&mut agent, ask(&job, &format!("question {n}")));
        view.types(&job.id, "yes\r");
        let reply = agent.reply(id);
        assert_eq!(reply["result"]["outcome"], "answered", "{reply}");
    }
}

#[test]
fn a_question_outlives_the_daemon() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut agent, "exec cat");
    let id = asked(&mut agent, ask(&job, "still here?"));
    home.kill_daemon();
    home.ok(&["send", &job.id, "yes"]);
    assert_eq!(agent.reply(id)["result"]["outcome"], "answered");
    // Both an answer to the question and one to its repetition are told once.
    let events = agent.ok(json!({"action": "events", "afterSeq": 0}))["events"].take();
    let count = |kind: &str| {
        let events = events.as_array().unwrap().iter();
        events.filter(|event| event["event"] == kind).count()
    };
    assert_eq!(
        (count("human_asked"), count("human_answered")),
        (1, 1),
        "{events}"
    );
}

#[test]
fn the_dashboard_declines_by_a_key() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    agent.ok(json!({"action": "subscribe"}));
    let job = Job::start(&mut agent, "exec cat");
    let id = asked(&mut agent, ask(&job, "shall I go on?"));
    let mut dashboard = Terminal::new(&home, &[], (80, 24));
    dashboard.wait_for_text("shall I go on?");
    dashboard.send("N");
    assert_eq!(agent.reply(id)["result"]["outcome"], "declined");
    dashboard.wait_for("the question gone", |screen| {
        !screen.text(true).contains("shall I go on?")
    });
}

//! `bgproc news`: what an agent has not been told, as lines and in the form of its client's hooks.

use serde_json::{Value, json};

use crate::support::{Home, Serve, eventually};

fn start(serve: &mut Serve, more: Value) -> String {
    let mut start = json!({"action": "start", "background": true});
    for (name, value) in more.as_object().unwrap() {
        start[name] = value.clone();
    }
    serve.ok(start)["sessionId"].as_str().unwrap().to_owned()
}

fn news(home: &Home) -> String {
    home.ok(&["news", "--scope", "shop"])
}

/// Waits for a news line with these words, and returns everything that was printed until then.
fn news_with(home: &Home, words: &str) -> String {
    let mut all = String::new();
    eventually(words, || {
        all.push_str(&news(home));
        all.contains(words).then_some(())
    });
    all
}

#[test]
fn what_replies_have_not_told_is_told_once() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "shop"]);
    let mut other = Serve::new(&home, &["--scope", "other"]);
    // A reply tells the end of this one.
    serve.ok(json!({"action": "start", "command": "echo told", "wait": true}));
    let gate = home.gate();
    let line = format!("read x < {}; echo bad luck; exit 3", gate.display());
    let id = start(&mut serve, json!({"command": line, "label": "build"}));
    start(&mut other, json!({"command": "exit 9"}));
    assert_eq!(news(&home), "");
    std::fs::write(&gate, "go\n").unwrap();
    let said = news_with(&home, "build");
    let expected = format!("build ({id}) has failed with exit code 3 after ");
    assert!(said.starts_with(&expected), "{said}");
    assert!(said.ends_with("; last line: bad luck\n"), "{said}");
    assert_eq!(news(&home), "");
    // Prompts and readiness, as long as they hold.
    let ask = "printf 'Continue? [y/N] '; read x; echo got $x";
    let asking = start(&mut serve, json!({"command": ask, "label": "deploy"}));
    let web =
        json!({"command": "echo up; exec sleep 1000", "label": "web", "ready": {"pattern": "^up"}});
    start(&mut serve, web);
    let mut said = String::new();
    eventually("both are told", || {
        said.push_str(&news(&home));
        let deploy = said.contains("deploy") && said.contains("waits for input: Continue? [y/N]");
        (deploy && said.contains("is ready")).then_some(())
    });
    // What was answered and read is no news, nor what a list has shown.
    let short = start(&mut serve, json!({"command": "true"}));
    home.ok(&["wait", &short]);
    serve.ok(json!({"action": "list"}));
    assert_eq!(news(&home), "");
    let answer = json!({
        "action": "write", "sessionId": asking, "data": "y", "submit": true,
        "wait": {"until": [{"exit": true}]},
    });
    assert_eq!(serve.ok(answer)["outcome"], "matched");
    assert_eq!(news(&home), "");
}

#[test]
fn a_hook_prints_the_form_of_its_client_and_always_succeeds() {
    let home = Home::new();
    let hook = |client: &str, input: Value| {
        let args = ["news", "--scope", "shop", "--hook", client];
        home.run_with_input(&args, input.to_string().as_bytes())
            .expect_code(0)
    };
    // Without a daemon there is nothing to say, and none is started.
    let prompt = json!({"hook_event_name": "UserPromptSubmit", "prompt": "go on"});
    assert_eq!(hook("claude", prompt.clone()).stdout, "");
    home.run(&["--json", "daemon", "status"]).expect_code(3);
    let mut serve = Serve::new(&home, &["--scope", "shop"]);
    let gate = home.gate();
    let end = |serve: &mut Serve| {
        let line = format!("read x < {}", gate.display());
        let id = start(serve, json!({"command": line}));
        std::fs::write(&gate, "go\n").unwrap();
        // A reply to a person tells the agent nothing.
        home.ok(&["wait", &id]);
        id
    };
    let id = end(&mut serve);
    let stopping = json!({"hook_event_name": "Stop", "stop_hook_active": true});
    assert_eq!(
        hook("claude", stopping).stdout,
        "",
        "the turn goes on already"
    );
    assert_eq!(hook("claude", json!("no object")).stdout, "");
    let said: Value = serde_json::from_str(&hook("claude", prompt.clone()).stdout).unwrap();
    let added = &said["hookSpecificOutput"];
    assert_eq!(added["hookEventName"], "UserPromptSubmit");
    assert!(
        added["additionalContext"]
            .as_str()
            .unwrap()
            .starts_with(&id),
        "{said}"
    );
    assert_eq!(hook("claude", prompt.clone()).stdout, "");
    for (client, name, form) in [
        ("codex", "Stop", json!("block")),
        ("gemini", "AfterAgent", json!("deny")),
    ] {
        let id = end(&mut serve);
        let said = hook(
            client,
            json!({"hook_event_name": name, "stop_hook_active": false}),
        );
        let said: Value = serde_json::from_str(&said.stdout).unwrap();
        assert_eq!(said["decision"], form);
        assert!(said["reason"].as_str().unwrap().starts_with(&id), "{said}");
    }
    // A client may take another exit code for a refusal, so mistakes are only said.
    let wrong = home.run_with_input(&["news", "--hook", "claude"], prompt.to_string().as_bytes());
    assert!(wrong.expect_code(0).stderr.contains("--scope"));
    home.run(&["news"]).expect_code(2);
}

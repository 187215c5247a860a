//! What was typed with echo off, and the values of variables, are in no file and no event.

use std::path::Path;

use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve, Terminal};

/// Whether any file below `dir` holds `text`.
pub(crate) fn file_with(dir: &Path, text: &str) -> Option<String> {
    for entry in std::fs::read_dir(dir).unwrap().flatten() {
        let path = entry.path();
        if entry.file_type().unwrap().is_dir() {
            if let Some(found) = file_with(&path, text) {
                return Some(found);
            }
        } else if let Ok(bytes) = std::fs::read(&path)
            && bytes
                .windows(text.len())
                .any(|part| part == text.as_bytes())
        {
            return Some(path.display().to_string());
        }
    }
    None
}

/// Asks for a password three times, as programs do, and says only how long each was.
const PROMPT: &str = "exec python3 -c '
import getpass
for n in range(3):
    print(\"long\", len(getpass.getpass(\"Password %d: \" % n)))
print(input(\"Name: \"))
'";

#[test]
fn what_is_typed_at_a_prompt_without_echo_is_nowhere() {
    if !have("python3") {
        return;
    }
    let home = Home::with_config("log_level = \"debug\"\n");
    let mut command = home.command(&["--serve"]);
    command.env("CLIENT_SECRET", "hunter-client");
    let mut serve = Serve::spawn(command);
    serve.ok(json!({"action": "subscribe", "fromSeq": 0}));
    let start = json!({"command": PROMPT, "env": {"JOB_SECRET": "hunter-job"}, "label": "ask"});
    let job = Job::request(&mut serve, start);
    job.wait_screen(&mut serve, "Password 0:");
    job.ask(
        &mut serve,
        "write",
        json!({"data": "hunter-write", "submit": true}),
    );
    job.wait_screen(&mut serve, "Password 1:");
    job.press(&mut serve, json!([{"text": "hunter-keys"}, "Enter"]));
    job.wait_screen(&mut serve, "Password 2:");
    let mut dashboard = Terminal::new(&home, &["attach", "ask"], (100, 30));
    dashboard.wait_for_text("Password 2:");
    dashboard.send("i");
    dashboard.send("hunter-typed\r");
    dashboard.wait_for_text("Name:");
    // With echo it is kept: the search would find what is there.
    dashboard.send("known-name\r");
    job.end(&mut serve);
    drop(dashboard);
    let shown = job.output(&mut serve);
    assert!(
        shown.contains("long 12") && shown.contains("long 11"),
        "{shown}"
    );
    home.ok(&["daemon", "upgrade"]);
    let told = [
        serve.ok(json!({"action": "list"})),
        job.ask(&mut serve, "status", json!({"detail": true})),
        job.ask(&mut serve, "log", json!({"stream": "input", "tail": 100})),
        job.ask(&mut serve, "log", json!({})),
    ];
    serve.close_stdin();
    let events = format!("{told:?}{:?}", serve.rest());
    assert!(events.contains("known-name"), "{events}");
    for secret in [
        "hunter-write",
        "hunter-keys",
        "hunter-typed",
        "hunter-client",
        "hunter-job",
    ] {
        assert_eq!(file_with(home.path(), secret), None, "{secret}");
        assert!(!events.contains(secret), "{secret}: {events}");
    }
    let kept = file_with(home.path(), "known-name");
    assert!(kept.is_some_and(|path| path.ends_with("input.log") || path.ends_with("output.log")));
}

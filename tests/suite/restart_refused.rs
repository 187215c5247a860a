//! A restart that fails leaves the session as it was: what still writes to its
//! log goes on doing so.

use std::os::unix::fs::PermissionsExt;

use serde_json::json;

use crate::support::job::Job;
use crate::support::{Home, Serve};

#[test]
fn what_outlives_a_job_is_logged_after_a_restart_that_failed() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gate = home.gate();
    let program = home.scratch("program");
    let text = "#!/bin/sh\n(read x < \"$GATE\"; echo late) &\necho early\n";
    std::fs::write(&program, text).unwrap();
    std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o700)).unwrap();
    let start = json!({"command": program, "args": [], "mode": "pipe", "env": {"GATE": gate}});
    let job = Job::request(&mut serve, start);
    assert_eq!(job.end(&mut serve)["exitCode"], 0);
    assert_eq!(job.output(&mut serve), "early\n");
    std::fs::remove_file(&program).unwrap();
    let restart = json!({"action": "restart", "sessionId": job.id});
    serve.err(restart, "spawn_failed");
    serve.ok(json!({"action": "subscribe", "events": ["output"]}));
    std::fs::write(&gate, "\n").unwrap();
    serve.event("output");
    assert_eq!(job.output(&mut serve), "early\nlate\n");
}

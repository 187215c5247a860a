//! A fault in the daemon itself: a request is answered, and nothing that has panicked goes on half.

use serde_json::json;

use crate::support::daemon::pids;
use crate::support::job::Job;
use crate::support::{Home, Trap, eventually};

#[test]
fn a_request_that_panics_is_answered_and_the_daemon_goes_on() {
    let home = Home::new();
    let trap = Trap::new(&home, &["list"]);
    let mut serve = trap.serve(&home);
    let (before, _) = pids(&mut serve);
    trap.set();
    let error = serve.err(json!({"action": "list"}), "internal");
    trap.check();
    assert!(
        error["hint"]
            .as_str()
            .unwrap()
            .contains("bgproc daemon logs"),
        "{error}"
    );
    assert_eq!(serve.ok(json!({"action": "list"}))["sessions"], json!([]));
    assert_eq!(pids(&mut serve).0, before);
    let logs = home.ok(&["daemon", "logs"]);
    assert!(logs.contains("list/mod.rs"), "{logs}");
}

#[test]
fn a_task_that_panics_ends_the_daemon_and_the_next_one_goes_on() {
    let home = Home::new();
    let trap = Trap::new(&home, &["render"]);
    let mut serve = trap.serve(&home);
    let job = Job::start(&mut serve, "exec cat");
    let (before, _) = pids(&mut serve);
    trap.set();
    // What became of the request is another matter.
    serve.call(json!({"action": "write", "sessionId": job.id, "data": "once\n"}));
    eventually("another daemon serves", || {
        (pids(&mut serve).0 != before).then_some(())
    });
    trap.check();
    eventually("its output is there", || {
        job.output(&mut serve).contains("once").then_some(())
    });
}

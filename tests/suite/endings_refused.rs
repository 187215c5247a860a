//! Processes of another user, as `sudo` leaves them: they are named, never hidden.

use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::privilege::Stranger;
use crate::support::process::is_alive;
use crate::support::{Home, Serve};

#[test]
fn what_refuses_is_named_and_its_session_stays_in_sight() {
    let home = Home::new();
    let Some(user) = Stranger::new(&home) else {
        return;
    };
    let Some(up) = user.root_program() else {
        return;
    };
    let mut serve = Serve::spawn(user.command(1000, &["--serve"]));
    let line = format!(
        "trap '' HUP; {} --reuid=0 --regid=0 --clear-groups \
         sh -c 'echo root $$; exec sleep 1000' & wait",
        up.display()
    );
    let job = Job::start(&mut serve, &line);
    let found = job.wait_for(&mut serve, "^root (\\d+)$");
    let root: u32 = found["matched"]["groups"][0]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let quiet = Job::start(&mut serve, "exec sleep 1000");
    let kill = json!({"action": "kill", "sessionId": job.id, "graceMs": 200, "remove": true});
    let killed = serve.ok_before(5000, &quiet.id, kill);
    assert_eq!(killed["status"], "killed");
    assert_eq!(killed["survivors"], json!([root]), "{killed}");
    assert!(killed.get("removed") != Some(&json!(true)), "{killed}");
    assert!(is_alive(root));
    let record = job.ask(&mut serve, "status", json!({"detail": true}));
    assert_eq!(record["ttyOpen"], true);
    assert_eq!(record["detail"]["processes"][0]["pid"], root, "{record}");
    let stop = ["stop", "-t", "200ms", &job.id];
    let ran = home.run_command(user.command(1000, &stop), &stop);
    let pid = format!("still alive: pid {root}");
    ran.expect_code(1).expect_said(&pid);
    let remove = json!({"action": "remove", "sessionId": job.id});
    let refused = serve.err(remove, "permission_denied");
    assert_eq!(refused["data"]["survivors"], json!([root]));
    job.ask(&mut serve, "remove", json!({"kill": false}));
}

#[test]
fn a_first_process_that_refuses_stays_stopping_and_says_why() {
    let home = Home::new();
    let Some(user) = Stranger::new(&home) else {
        return;
    };
    let Some(up) = user.root_program() else {
        return;
    };
    let mut serve = Serve::spawn(user.command(1000, &["--serve"]));
    let args = json!([
        "--reuid=0",
        "--regid=0",
        "--clear-groups",
        "sh",
        "-c",
        "echo up; exec sleep 1000"
    ]);
    let job = Job::request(&mut serve, json!({"command": up, "args": args}));
    job.wait_for(&mut serve, "^up$");
    let quiet = Job::start(&mut serve, "exec sleep 1000");
    let kill = json!({"action": "kill", "sessionId": job.id, "graceMs": 200});
    let killed = serve.ok_before(5000, &quiet.id, kill);
    let pid = Value::from(job.pid.unwrap());
    assert_eq!(
        (&killed["status"], &killed["survivors"][0]),
        (&json!("stopping"), &pid)
    );
    let record = job.ask(&mut serve, "status", json!({}));
    let reason = record["reason"].as_str().unwrap();
    assert!(reason.contains("Operation not permitted"), "{reason}");
}

#[test]
fn a_program_of_another_user_gets_the_hang_up_of_its_shell_at_once() {
    let home = Home::new();
    let Some(user) = Stranger::new(&home) else {
        return;
    };
    let Some(up) = user.root_program() else {
        return;
    };
    let mut serve = Serve::spawn(user.command(1000, &["--serve"]));
    let line = format!(
        "{} --reuid=0 --regid=0 --clear-groups sh -c 'echo up; exec sleep 1000'; echo next",
        up.display()
    );
    let job = Job::start(&mut serve, &line);
    job.wait_for(&mut serve, "^up$");
    let kill = json!({"action": "kill", "sessionId": job.id, "graceMs": 600_000});
    let killed = serve.ok(kill);
    assert_eq!(killed["signal"], "SIGTERM", "{killed}");
    assert_eq!(killed["survivors"], json!([]), "{killed}");
}

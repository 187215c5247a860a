//! Restarts, clears, ends and removals of the same jobs by several at once: each has a clear answer, and of a removed
//! job nothing is left (issue 13, 4.5).

use std::time::Instant;

use serde_json::{Value, json};

use crate::support::{DEADLINE, Dice, Home, Serve, lasts, process};

/// Those who act at once, all of one scope.
const AGENTS: usize = 4;

/// Jobs at a time.
const JOBS: u64 = 6;

/// What they run: some end at once, some write until they are ended, some leave somebody behind who goes on writing.
const COMMANDS: [&str; 5] = [
    "echo one",
    "while :; do echo more; done",
    "(while :; do echo late; sleep 0.01; done) & echo first",
    "trap 'echo bye; exit 3' TERM; while :; do sleep 0.01; done",
    "seq 1 100000",
];

#[test]
fn whatever_comes_together_is_answered_and_leaves_nothing() {
    let home = Home::new();
    let agents: Vec<_> = (0..AGENTS)
        .map(|_| {
            let serve = Serve::new(&home, &["--scope", "same"]);
            std::thread::spawn(move || act(serve))
        })
        .collect();
    let began = Instant::now();
    let mut acts = 0;
    let mut last = None;
    for agent in agents {
        let (serve, done) = agent.join().unwrap();
        acts += done;
        last = Some(serve);
    }
    eprintln!("{acts} requests in {:?}", began.elapsed());
    let mut serve = last.unwrap();
    for session in list(&mut serve) {
        serve.ok(json!({"action": "remove", "sessionId": session}));
    }
    let sessions = home.path().join("sessions");
    let left: Vec<_> = std::fs::read_dir(sessions).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    for job in process::jobs_of(home.path()) {
        assert!(job.ended(DEADLINE), "a removed job goes on");
    }
    let log = std::fs::read_to_string(home.path().join("daemon.log")).unwrap();
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
    let log = std::fs::read_to_string(home.path().join("keeper.log")).unwrap();
    assert!(!log.contains("WARN") && !log.contains("ERROR"), "{log}");
}

fn list(serve: &mut Serve) -> Vec<Value> {
    let list = serve.ok(json!({"action": "list", "limit": 200}));
    let sessions = list["sessions"].as_array().unwrap();
    sessions
        .iter()
        .map(|one| one["sessionId"].clone())
        .collect()
}

/// Acts for as long as it lasts.
fn act(mut serve: Serve) -> (Serve, u32) {
    let mut dice = Dice::new();
    let (began, length, mut done) = (Instant::now(), lasts(4, 300), 0);
    while began.elapsed() < length {
        let jobs = list(&mut serve);
        let start = jobs.len() < dice.below(JOBS) as usize + 1;
        let request = if start {
            let on_exit = [Value::Null, json!("echo over")][dice.below(2) as usize].clone();
            let restart = json!({"policy": "on-failure", "maxRetries": 1, "backoffMs": 1});
            let restart = [Value::Null, restart][dice.below(2) as usize].clone();
            json!({"action": "start", "command": dice.pick(&COMMANDS), "background": true,
                "mode": dice.pick(&["pty", "pipe"]), "onExit": on_exit, "restart": restart,
                "limits": {"logBytes": 65536}})
        } else {
            let id = jobs[dice.below(jobs.len() as u64) as usize].clone();
            let mut request = match dice.below(6) {
                0 => json!({"action": "remove"}),
                1 => json!({"action": "kill", "graceMs": 20, "remove": dice.below(2) == 0}),
                2 | 3 => json!({"action": "clear"}),
                4 => json!({"action": "restart", "graceMs": 20}),
                _ => json!({"action": "export", "format": "raw"}),
            };
            request["sessionId"] = id;
            request
        };
        // Several at once also of one agent.
        let ids = [serve.send(request.clone()), serve.send(request)];
        for id in ids {
            let reply = serve.reply(id);
            let code = reply["error"]["code"].as_str();
            assert!(code != Some("internal"), "{reply}");
            done += 1;
        }
    }
    (serve, done)
}

#[test]
fn it_is_told_who_has_removed_a_job() {
    let home = Home::new();
    home.start(&["-n", "web", "-w", "true"]);
    home.ok(&["rm", "web"]);
    let events = home.ok(&["events", "--json"]);
    let removed = events.lines().find(|line| line.contains("\"removed\""));
    let removed: serde_json::Value = serde_json::from_str(removed.unwrap()).unwrap();
    assert_eq!(removed["data"]["by"]["kind"], "human", "{removed}");
}

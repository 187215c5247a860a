//! Who has ended a run: a person, an agent, a watch or a schedule.

use serde_json::{Value, json};

use super::Project;
use crate::support::{Serve, eventually};

/// Who has ended the runs of a job, oldest first: `agent bot`.
fn ends(shop: &Project, job: &str) -> Vec<String> {
    let id = shop.job(job)["sessionId"].clone();
    let told = shop.home.ok(&["--json", "events"]);
    let events = told
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap());
    let exits = events.filter(|event| event["event"] == "exited" && event["sessionId"] == id);
    let words = |event: Value| {
        let by = &event["data"]["endedBy"];
        let words = [&by["kind"], &by["scope"]];
        let words: Vec<&str> = words.iter().filter_map(|word| word.as_str()).collect();
        words.join(" ")
    };
    exits.map(words).collect()
}

/// Expects that a job has ended so often, the last time by this one.
#[track_caller]
fn ended(shop: &Project, job: &str, times: usize, by: &str) {
    let mut seen = Vec::new();
    eventually(&format!("{job} has ended {times} times"), || {
        seen = ends(shop, job);
        (seen.len() >= times).then_some(())
    });
    assert_eq!(seen[times - 1], by, "{seen:?}");
}

/// The reason of the last end.
fn reason_of(shop: &Project, job: &str) -> String {
    let record = shop.run(&["--json", "status", job]).stdout;
    let record: Value = serde_json::from_str(&record).unwrap();
    record["reason"].as_str().unwrap_or_default().to_owned()
}

const API: &str =
    "[jobs.api]\nrun = \"exec sleep 1000\"\nwatch = { paths = [\"src\"], debounce = \"50ms\" }\n";

fn with_source(file: &str) -> Project {
    let shop = Project::new(file);
    std::fs::create_dir(shop.dir.join("src")).unwrap();
    std::fs::write(shop.dir.join("src/a.rs"), "1").unwrap();
    std::fs::write(shop.dir.join("src/b.rs"), "1").unwrap();
    shop
}

#[test]
fn a_watch_is_named_with_its_files() {
    // Another job waits for the only place, so that the one that has changed waits after its end.
    let shop = with_source(&format!(
        "version = 1\n{API}[jobs.late]\nrun = \"exec sleep 1000\"\nautostart = false\n[groups.one]\njobs = [\"api\", \"late\"]\nparallel = 1\n"
    ));
    shop.ok(&["up"]);
    shop.ok(&["up", "late", "--wait=false"]);
    shop.until("late", "queued");
    std::fs::write(shop.dir.join("src/a.rs"), "22").unwrap();
    shop.until("late", "running");
    let reason = "it was ended because src/a.rs has changed (SIGTERM)";
    ended(&shop, "api", 1, "watch");
    let status = shop.run(&["status", "api"]).stdout;
    assert!(
        status.contains(&format!("why  {reason}")) && status.contains("ended by  its watch"),
        "{status}"
    );
    let why = shop.ok(&["why", "api"]).join("\n");
    assert!(why.contains(reason), "{why}");
    let events = shop.ok(&["events"]).join("\n");
    assert!(events.contains("its watch"), "{events}");
    // A stop by hand is still the person's.
    shop.ok(&["stop", "late"]);
    ended(&shop, "late", 1, "human human");
    assert_eq!(reason_of(&shop, "late"), "a person ended it (SIGTERM)");
}

#[test]
fn a_schedule_that_does_not_wait_is_named() {
    let shop = Project::new(
        "version = 1\n[jobs.tick]\nrun = \"exec sleep 1000\"\nschedule = { every = \"1s\", overlap = \"restart\" }\n",
    );
    shop.ok(&["up"]);
    ended(&shop, "tick", 1, "schedule");
    ended(&shop, "tick", 2, "schedule");
}

#[test]
fn an_agent_is_told_from_a_person() {
    let file = |second: &str| {
        format!("version = 1\nagents = \"write\"\n[jobs.web]\nrun = \"exec sleep {second}\"\n")
    };
    let shop = Project::new(&file("1000"));
    shop.ok(&["up"]);
    let mut agent = Serve::new(&shop.home, &["--scope", "bot"]);
    let mut ask = |op: &str| {
        agent.ok(json!({"action": "project", "op": op, "dir": shop.dir, "waitMs": 20_000}))
    };
    shop.write(&file("1001"));
    ask("reload");
    ended(&shop, "web", 1, "agent bot");
    ask("down");
    ended(&shop, "web", 2, "agent bot");
    assert_eq!(reason_of(&shop, "web"), "agent bot ended it (SIGTERM)");
    ask("up");
    shop.write(&file("1002"));
    shop.ok(&["reload"]);
    ended(&shop, "web", 3, "human human");
    shop.write("version = 1\nagents = \"write\"\n[jobs.other]\nrun = \"exec sleep 1000\"\n");
    shop.ok(&["reload", "--prune"]);
    ended(&shop, "web", 4, "human human");
}

#[test]
fn what_is_pending_ends_with_the_sharing_of_a_project() {
    let file = |agents: &str| {
        format!("version = 1\nagents = \"{agents}\"\n[jobs.web]\nrun = \"exec sleep 1000\"\n")
    };
    let shop = Project::new(&file("write"));
    shop.ok(&["up"]);
    let mut agent = Serve::new(&shop.home, &["--scope", "bot"]);
    let id = shop.job("web")["sessionId"].clone();
    let pending = agent.send(json!({"action": "wait", "sessionId": id, "waitMs": 600_000}));
    // The wait has begun when this is answered.
    agent.ok(json!({"action": "status", "sessionId": id}));
    shop.write(&file("none"));
    shop.ok(&["up"]);
    let refused = agent.reply(pending);
    assert_eq!(refused["error"]["code"], "session_not_found", "{refused}");
}

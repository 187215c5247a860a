//! A project goes on after the death of daemon, keeper and client at any point.

use serde_json::json;

use super::Project;
use crate::support::{Home, Serve, daemon};

/// Eight jobs in a chain, each of which needs the one before it to be ready. Each start is noted in a file.
fn chain() -> String {
    let mut file = "version = 1\n".to_owned();
    for n in 0..8 {
        let needs = match n {
            0 => String::new(),
            n => format!("needs = [\"j{}\"]\n", n - 1),
        };
        file.push_str(&format!(
            "[jobs.j{n}]\nrun = \"echo j{n} >> starts; sleep 0.05; echo up; exec sleep 1000\"\nready = {{ log = \"up\" }}\n{needs}"
        ));
    }
    file
}

fn starts(shop: &Project) -> Vec<String> {
    let text = std::fs::read_to_string(shop.dir.join("starts")).unwrap_or_default();
    text.lines().map(str::to_owned).collect()
}

fn expected() -> Vec<String> {
    (0..8).map(|n| format!("j{n}")).collect()
}

#[test]
fn a_killed_daemon_goes_on_without_the_client() {
    for round in 0..3 {
        let shop = Project::new(&chain());
        shop.ok(&["up", "--wait=false"]);
        shop.until(&format!("j{round}"), "ready");
        shop.home.kill_daemon();
        shop.until("j7", "ready");
        assert_eq!(starts(&shop), expected());
    }
}

#[test]
fn a_killed_keeper_goes_on() {
    let shop = Project::new(&chain());
    shop.ok(&["up", "--wait=false"]);
    let mut serve = Serve::new(&shop.home, &[]);
    shop.until("j1", "ready");
    daemon::kill_keeper(&mut serve);
    shop.until("j4", "ready");
    shop.home.kill_daemon();
    shop.until("j7", "ready");
    assert_eq!(starts(&shop), expected());
}

#[test]
fn an_up_that_waits_survives_the_daemon() {
    let shop = Project::new(&chain());
    std::thread::scope(|scope| {
        let up = scope.spawn(|| shop.run(&["up"]));
        shop.until("j2", "ready");
        shop.home.kill_daemon();
        up.join().unwrap().expect_code(0);
    });
    assert_eq!(starts(&shop), expected());
}

#[test]
fn an_agent_brings_a_project_up_if_its_file_allows_it() {
    let shop = Project::new(&format!("agents = \"write\"\n{}", chain()));
    let mut serve = Serve::new(&shop.home, &[]);
    let up = serve.ok(json!({"action": "project", "op": "up", "dir": shop.dir, "waitMs": 20_000}));
    assert_eq!(up["settled"], true, "{up}");
    assert_eq!(up["failed"], false, "{up}");
    assert_eq!(up["jobs"][7]["phase"], "ready", "{up}");
    assert_eq!(up["plan"][0], json!({"change": "start", "job": "j0"}));
    // `down` ends all, so a name is not ignored, nor is a wrong one where names are taken.
    for (op, jobs, code) in [
        ("down", json!(["j0"]), "invalid_params"),
        ("status", json!(["j0", "jO"]), "session_not_found"),
        ("status", json!(["g:none"]), "session_not_found"),
    ] {
        let request = json!({"action": "project", "op": op, "dir": shop.dir, "jobs": jobs});
        serve.err(request, code);
    }
    assert_eq!(shop.phase("j0"), "ready");
    let down =
        serve.ok(json!({"action": "project", "op": "down", "dir": shop.dir, "waitMs": 20_000}));
    assert_eq!(down["jobs"][7]["phase"], "stopped", "{down}");
    // Without `agents`, an agent may only look.
    shop.write(&chain());
    serve.err(
        json!({"action": "project", "op": "up", "dir": shop.dir}),
        "permission_denied",
    );
    let plan = serve.ok(json!({"action": "project", "op": "plan", "dir": shop.dir}));
    assert_eq!(plan["plan"].as_array().unwrap().len(), 8, "{plan}");
}

#[test]
fn a_new_daemon_has_decided_for_all_projects_before_it_serves_clients() {
    // The daemon decides one project after the other, and takes its time for large ones.
    let mut large = String::from("version = 1\n");
    for job in 0..400 {
        large.push_str(&format!(
            "[jobs.j{job}]\nrun = \"true\"\nautostart = false\n"
        ));
    }
    let small = "version = 1\n[jobs.api]\nrun = \"exec sleep 1000\"\n";
    let mut shop = Project::in_home(Home::new(), "small", small);
    shop.ok(&["up"]);
    let pid = shop.pid("api");
    for name in ["one", "two", "three", "four"] {
        shop = Project::in_home(
            shop.home,
            name,
            &format!("{large}[jobs.{name}]\nrun = \"true\"\n"),
        );
        shop.ok(&["up"]);
    }
    let phase = shop.phase("api");
    assert_ne!(phase, "none");
    let dir = shop.dir.with_file_name("small");
    for _ in 0..8 {
        shop.home.kill_daemon();
        // The first request of all.
        assert_eq!(shop.phase("api"), phase);
        shop.home.kill_daemon();
        let said = shop.run_in(&dir, &["up"]).expect_code(0).stdout;
        assert!(said.contains("= api"), "{said}");
    }
    assert_eq!(shop.pid("api"), pid);
}

//! Jobs that all worktrees of a repository share: `per = "repo"`.

use serde_json::Value;

use super::{Project, free_port, has, worktree};
use crate::support::needs::have;

fn file(port: u16) -> String {
    format!(
        "version = 1\n[jobs.db]\nrun = \"pwd; echo up; exec sleep 1000\"\nper = \"repo\"\nport = {port}\n\
         ready = {{ log = \"up\" }}\n[jobs.api]\nrun = \"echo $BGPROC_PORT_DB; exec sleep 1000\"\nneeds = [\"db\"]\n"
    )
}

#[test]
fn a_worktree_uses_the_job_of_the_main_checkout() {
    if !have("git") {
        return;
    }
    let port = free_port().clamp(1025, 60_000);
    let shop = Project::new(&file(port));
    let other = worktree(&shop);
    let said = shop.run_in(&other, &["up"]).expect_code(0).stdout;
    let lines: Vec<String> = said.lines().map(str::to_owned).collect();
    has(&lines, "db ready");
    has(&lines, "api running");
    // It runs once, in the main checkout, and its port is told.
    let pid = shop.pid("db");
    let jobs = shop.home.json(&["ls"])["sessions"]
        .as_array()
        .cloned()
        .unwrap();
    let dbs: Vec<_> = jobs.iter().filter(|job| job["label"] == "db").collect();
    assert_eq!(dbs.len(), 1, "{dbs:?}");
    assert_eq!(dbs[0]["project"]["name"], "shop");
    let main = shop.dir.canonicalize().unwrap();
    assert_eq!(dbs[0]["cwd"], main.to_str().unwrap());
    let log = shop.run_in(&other, &["logs", "api"]).expect_code(0).stdout;
    assert_eq!(log.trim(), port.to_string());
    // The main checkout has it running already, and neither side stops it for the other.
    has(&shop.ok(&["up"]), "= db");
    assert_eq!(shop.pid("db"), pid);
    shop.run_in(&other, &["down"]).expect_code(0);
    assert_eq!(shop.pid("db"), pid);
    shop.run_in(&other, &["up"]).expect_code(0);
    shop.home.kill_daemon();
    let again = shop.run_in(&other, &["up"]).expect_code(0).stdout;
    assert!(again.contains("= db") && again.contains("= api"), "{again}");
    assert_eq!(shop.pid("db"), pid);
    shop.ok(&["down"]);
    assert_eq!(shop.pid("db"), 0);
}

#[test]
fn a_worktree_waits_for_the_job_of_the_main_checkout() {
    if !have("git") {
        return;
    }
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"while [ ! -e go ]; do sleep 0.02; done; echo up; exec sleep 1000\"\n\
         per = \"repo\"\nready = { log = \"up\" }\n[jobs.api]\nrun = \"exec sleep 1000\"\nneeds = [\"db\"]\n",
    );
    let other = worktree(&shop);
    shop.run_in(&other, &["up", "--wait=false"]).expect_code(0);
    shop.until("api", "queued");
    assert_eq!(shop.job("api")["project"]["why"], "needs db ready");
    std::fs::write(shop.dir.join("go"), "").unwrap();
    shop.until("api", "running");
    // What was stopped in the main checkout is not there for the worktree either.
    shop.run_in(&other, &["down"]).expect_code(0);
    shop.ok(&["stop", "db"]);
    std::fs::write(
        shop.dir.join("bgproc.toml"),
        "version = 1\n[jobs.x]\nrun = \"true\"\n",
    )
    .unwrap();
    let refused = shop.run_in(&other, &["up"]).expect_code(2);
    assert!(
        refused
            .stderr
            .contains("job db has per = \"repo\", but the main checkout")
            && refused.stderr.contains("has no job db"),
        "{refused}"
    );
}

#[test]
fn the_environment_of_a_shared_job_is_that_of_the_main_checkout() {
    if !have("git") {
        return;
    }
    let port = free_port().clamp(1025, 60_000);
    let shop = Project::new(&file(port));
    let other = worktree(&shop);
    std::fs::write(shop.dir.join(".env"), "WHERE=main\n").unwrap();
    std::fs::write(other.join(".env"), "WHERE=two\n").unwrap();
    shop.run_in(&other, &["up"]).expect_code(0);
    let line = "pwd; echo $WHERE $PORT $BGPROC_WORKTREE";
    let said = |job: &str| {
        let args = ["exec", job, "--", "sh", "-c", line];
        let said = shop.run_in(&other, &args).expect_code(0).stdout;
        said.trim().to_owned()
    };
    let dir = |dir: &std::path::Path| dir.canonicalize().unwrap().display().to_string();
    assert_eq!(said("db"), format!("{}\nmain {port}", dir(&shop.dir)));
    assert_eq!(said("api"), format!("{}\ntwo two", dir(&other)));
    let shown = shop.run_in(&other, &["env", "db"]).expect_code(0).stdout;
    assert!(shown.contains("WHERE=main"), "{shown}");
}

#[test]
fn a_job_of_a_worktree_is_found_by_the_name_that_is_shown() {
    if !have("git") {
        return;
    }
    let shop = Project::new("version = 1\n[jobs.api]\nrun = \"exec sleep 1000\"\n");
    let other = worktree(&shop);
    shop.ok(&["up"]);
    shop.run_in(&other, &["up"]).expect_code(0);
    shop.ok(&["stop", "shop@two/api"]);
    let phase = |name: &str| {
        // It ends with 3 if the job does not run.
        let status = shop.home.run(&["--json", "status", name]);
        let record: Value = serde_json::from_str(&status.stdout).unwrap();
        record["project"]["phase"].clone()
    };
    assert_eq!(
        (phase("shop@two/api"), phase("shop/api")),
        ("stopped".into(), "running".into())
    );
}

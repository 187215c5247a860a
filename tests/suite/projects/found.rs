//! Which project is meant from a directory, and what a worktree has not got.

use std::path::PathBuf;

use serde_json::json;

use super::{Project, has, worktree};
use crate::support::Serve;
use crate::support::needs::have;

/// A file of a part of a repository.
const WEB: &str = "version = 1\n[jobs.dev]\nrun = \"exec sleep 1000\"\nneeds = [\"css\"]\n[jobs.css]\nrun = \"pwd; exec sleep 1000\"\n";

/// The names of the jobs that are known, as `PROJECT/JOB`.
fn known(shop: &Project) -> Vec<String> {
    let jobs = shop.home.json(&["ls"])["sessions"].clone();
    let word = |job: &serde_json::Value| {
        let of = &job["project"];
        format!(
            "{}/{}",
            of["name"].as_str().unwrap(),
            of["job"].as_str().unwrap()
        )
    };
    let mut words: Vec<String> = jobs.as_array().unwrap().iter().map(word).collect();
    words.sort();
    words
}

#[test]
fn a_worktree_without_the_env_file_of_the_main_checkout_is_warned() {
    if !have("git") {
        return;
    }
    let file = "version = 1\n[jobs.web]\nrun = \"echo region ${REGION:-none}; exec sleep 1000\"\n";
    let shop = Project::new(file);
    std::fs::write(shop.dir.join(".gitignore"), ".env\n").unwrap();
    std::fs::write(shop.dir.join(".env"), "REGION=main\n").unwrap();
    let other = worktree(&shop);
    let there = shop.dir.canonicalize().unwrap().join(".env");
    let warning = format!(
        "does not exist in this worktree, but the main checkout has {}; copy or link it",
        there.display()
    );
    for args in [&["up", "-n"][..], &["up"], &["reload"]] {
        let ran = shop.run_in(&other, args).expect_code(0);
        assert!(ran.stderr.contains(&warning), "{ran}");
    }
    let log = shop.run_in(&other, &["logs", "web"]).expect_code(0);
    assert_eq!(log.stdout, "region none\n");
    // The main checkout has it, and what was done about the warning ends it.
    let main = shop.run(&["up"]).expect_code(0);
    assert!(!main.stderr.contains("main checkout"), "{main}");
    std::os::unix::fs::symlink(&there, other.join(".env")).unwrap();
    let again = shop.run_in(&other, &["restart", "web"]).expect_code(0);
    assert!(!again.stderr.contains("main checkout"), "{again}");
    let env = shop.run_in(&other, &["env", "web"]).expect_code(0);
    assert!(env.stdout.contains("REGION=main  # "), "{env}");
}

#[test]
fn a_listed_env_file_that_is_missing_is_refused() {
    let web = "[jobs.web]\nrun = \"exec sleep 1000\"\n";
    for (listed, place) in [
        (
            format!("version = 1\nenv_file = [\"secrets.env\"]\n{web}"),
            "2:13",
        ),
        (
            format!("version = 1\n{web}env_file = [\"secrets.env\"]\n"),
            "4:13",
        ),
    ] {
        let shop = Project::new(&listed);
        let ran = shop.run(&["up"]).expect_code(2);
        let missing = shop.dir.canonicalize().unwrap().join("secrets.env");
        let said = format!(
            "bgproc.toml:{place}: {} does not exist; write a \"?\" before its name if it may be missing",
            missing.display()
        );
        assert!(ran.stderr.contains(&said), "{said}: {ran}");
        assert_eq!(shop.home.json(&["ls"])["sessions"], serde_json::json!([]));
        shop.write(&listed.replace("\"secrets", "\"?secrets"));
        shop.ok(&["up"]);
    }
}

#[test]
fn the_nearest_file_is_the_project() {
    let shop = Project::new("version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\n");
    let (app, src) = (shop.dir.join("apps/web"), shop.dir.join("apps/web/src"));
    std::fs::create_dir_all(&src).unwrap();
    std::fs::write(app.join("bgproc.toml"), WEB).unwrap();
    shop.run_in(&src, &["up"]).expect_code(0);
    assert_eq!(known(&shop), ["web/css", "web/dev"]);
    // A file further up that does not include it is another project.
    shop.ok(&["up"]);
    assert_eq!(known(&shop), ["shop/db", "web/css", "web/dev"]);
    let down = shop.run_in(&src, &["down"]).expect_code(0).stdout;
    assert!(down.contains("web is down (2 jobs stopped)"), "{down}");
    assert_eq!(shop.phase("db"), "running");
}

#[test]
fn a_file_that_the_root_includes_is_the_project_of_the_root() {
    let root =
        "version = 1\ninclude = [\"apps/*/bgproc.toml\"]\n[jobs.db]\nrun = \"exec sleep 1000\"\n";
    let shop = Project::new(root);
    let (app, src) = (shop.dir.join("apps/web"), shop.dir.join("apps/web/src"));
    std::fs::create_dir_all(&src).unwrap();
    std::fs::write(app.join("bgproc.toml"), WEB).unwrap();
    let lines = shop.run_in(&src, &["up"]).expect_code(0).stdout;
    let lines: Vec<String> = lines.lines().map(str::to_owned).collect();
    for line in ["+ db", "+ web/dev", "+ web/css"] {
        has(&lines, line);
    }
    let all = ["shop/db", "shop/web/css", "shop/web/dev"];
    assert_eq!(known(&shop), all);
    let pids = ["db", "web/css", "web/dev"].map(|name| shop.pid(name));
    // From everywhere it is the same one.
    for dir in [&shop.dir, &app, &src] {
        let again = shop.run_in(dir, &["up"]).expect_code(0).stdout;
        for line in ["= db", "= web/dev", "= web/css"] {
            assert!(again.lines().any(|own| own == line), "{again}");
        }
    }
    assert_eq!(
        ["db", "web/css", "web/dev"].map(|name| shop.pid(name)),
        pids
    );
    assert_eq!(known(&shop), all);
    let log = shop
        .run_in(&src, &["logs", "web/css"])
        .expect_code(0)
        .stdout;
    let dir = app.canonicalize().unwrap();
    assert_eq!(log.trim(), dir.to_str().unwrap());
    let down = shop.run_in(&src, &["down"]).expect_code(0).stdout;
    assert!(down.contains("shop is down (3 jobs stopped)"), "{down}");
}

/// A project whose job `queue` is up, and the directory of another one, which is up with `front`.
fn with_neighbour(file: &str) -> (Project, PathBuf) {
    let shop = Project::new("version = 1\n[jobs.queue]\nrun = \"exec sleep 1000\"\n");
    shop.ok(&["up"]);
    let blog = shop.home.scratch("blog");
    std::fs::create_dir_all(&blog).unwrap();
    std::fs::write(blog.join("bgproc.toml"), file).unwrap();
    shop.run_in(&blog, &["up"]).expect_code(0);
    (shop, blog)
}

#[test]
fn a_job_that_only_the_file_has_is_no_job_of_another_project() {
    let front = "version = 1\n[jobs.front]\nrun = \"exec sleep 1000\"\n";
    let (shop, blog) = with_neighbour(front);
    // It is another project's job, and named so.
    let restarted = shop.run_in(&blog, &["restart", "queue"]).expect_code(0);
    assert!(restarted.stdout.starts_with("shop/queue  "), "{restarted}");
    let file = format!("{front}[jobs.queue]\nrun = \"exec sleep 1000\"\n");
    std::fs::write(blog.join("bgproc.toml"), file).unwrap();
    for verb in ["stop", "restart", "start", "kill"] {
        shop.run_in(&blog, &[verb, "queue"])
            .expect_code(4)
            .expect_said("the project file has it: bgproc up queue");
    }
    assert_eq!(shop.phase("queue"), "running");
    let stopped = shop.run_in(&blog, &["stop", "shop/queue"]).expect_code(0);
    assert!(
        stopped.stdout.starts_with("shop/queue  stopped"),
        "{stopped}"
    );
}

#[test]
fn a_name_below_an_included_file_is_of_that_file() {
    let (shop, blog) = with_neighbour(
        "version = 1\ninclude = [\"apps/*/bgproc.toml\"]\n[jobs.db]\nrun = \"exec sleep 1000\"\n\
         [jobs.web]\nrun = \"exec sleep 1000\"\n",
    );
    let src = blog.join("apps/web/src");
    std::fs::create_dir_all(&src).unwrap();
    let file = "version = 1\n[jobs.queue]\nrun = \"exec sleep 1000\"\n";
    std::fs::write(blog.join("apps/web/bgproc.toml"), file).unwrap();
    shop.run_in(&src, &["stop", "queue"])
        .expect_code(4)
        .expect_said("the project file has it: bgproc up web/queue");
    shop.run_in(&src, &["up"]).expect_code(0);
    let stopped = shop.run_in(&src, &["stop", "queue"]).expect_code(0);
    assert!(
        stopped.stdout.starts_with("web/queue  stopped"),
        "{stopped}"
    );
    assert_eq!(shop.phase("queue"), "running");
}

#[test]
fn an_agent_names_a_job_of_a_project_as_a_person_does() {
    let file = "version = 1\n[jobs.web]\nrun = \"echo here; exec sleep 1000\"\n";
    let shop = Project::new(file);
    shop.ok(&["up"]);
    let second = Project::in_home(shop.home, "depot", file);
    second.ok(&["up"]);
    let id = |name: &str| {
        let jobs = second.home.json(&["ls"])["sessions"].clone();
        let jobs = jobs.as_array().unwrap().clone();
        let job = jobs
            .into_iter()
            .find(|job| job["project"]["name"] == name)
            .unwrap();
        job["sessionId"].clone()
    };
    let mut command = second.home.command(&["--serve"]);
    command.current_dir(&second.dir);
    let mut agent = Serve::spawn(command);
    let poll = |name: &str| json!({"action": "poll", "sessionId": name});
    assert_eq!(agent.ok(poll("web"))["sessionId"], id("depot"));
    assert_eq!(agent.ok(poll("shop/web"))["sessionId"], id("shop"));
    agent.err(poll("shop/db"), "session_not_found");
    let listed = agent.ok(json!({"action": "list", "label": "web"}));
    assert_eq!(listed["sessions"].as_array().unwrap().len(), 2, "{listed}");
    // Elsewhere the name means no single job.
    let mut other = Serve::new(&second.home, &[]);
    let error = other.err(poll("web"), "invalid_params");
    assert!(
        error["hint"]
            .to_string()
            .contains(id("shop").as_str().unwrap())
    );
    // A session of its own comes first.
    let own = agent.ok(json!({"action": "start", "command": "exec cat", "label": "web"}));
    assert_eq!(agent.ok(poll("web"))["sessionId"], own["sessionId"]);
}

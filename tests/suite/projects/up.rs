//! Order, needs, failures, reload, stop and down.

use super::{Project, has};
use crate::support::Terminal;

/// db becomes ready when the file `db.ready` exists; migrate fails while `broken` exists.
const SHOP: &str = r#"
version = 1
[jobs.db]
run = "echo starting; while ! test -e db.ready; do sleep 0.02; done; echo accepting; exec sleep 1000"
ready = { log = "accepting" }
[jobs.migrate]
kind = "task"
run = "echo line one; echo line two; ! test -e broken"
needs = ["db"]
[jobs.api]
cmd = ["sleep", "1000"]
needs = ["migrate"]
[jobs.docs]
cmd = ["sleep", "1001"]
"#;

fn touch(project: &Project, name: &str) {
    std::fs::write(project.dir.join(name), "").unwrap();
}

#[test]
fn jobs_start_in_order_and_a_second_up_changes_nothing() {
    let shop = Project::new(SHOP);
    touch(&shop, "db.ready");
    let lines = shop.ok(&["up"]);
    for line in [
        "+ db",
        "+ migrate",
        "db ready",
        "migrate done",
        "api running",
        "docs running",
    ] {
        has(&lines, line);
    }
    let at = |line: &str| lines.iter().position(|own| own == line);
    assert!(
        at("db ready") < at("migrate done") && at("migrate done") < at("api running"),
        "{lines:?}"
    );
    let pids = ["db", "api", "docs"].map(|name| shop.pid(name));
    let lines = shop.ok(&["up"]);
    for line in ["= db", "= migrate (ok)", "= api", "= docs"] {
        has(&lines, line);
    }
    assert_eq!(pids, ["db", "api", "docs"].map(|name| shop.pid(name)));
}

#[test]
fn two_at_once_start_each_job_once() {
    let shop = Project::new(SHOP);
    std::thread::scope(|scope| {
        let ups: Vec<_> = (0..4).map(|_| scope.spawn(|| shop.run(&["up"]))).collect();
        shop.until("db", "starting");
        touch(&shop, "db.ready");
        for up in ups {
            up.join().unwrap().expect_code(0);
        }
    });
    for name in ["db", "migrate", "api", "docs"] {
        assert_eq!(shop.job(name)["restarts"], 0, "{name}");
    }
}

#[test]
fn a_failed_task_skips_what_needs_it_until_it_is_mended() {
    let shop = Project::new(SHOP);
    touch(&shop, "db.ready");
    touch(&shop, "broken");
    let ran = shop.run(&["up"]).expect_code(1);
    let lines: Vec<String> = ran.stdout.lines().map(str::to_owned).collect();
    has(&lines, "api skipped: needs migrate ok");
    has(&lines, "docs running");
    has(&lines, "  | line one");
    has(&lines, "  | line two");
    std::fs::remove_file(shop.dir.join("broken")).unwrap();
    shop.ok(&["restart", "migrate"]);
    shop.until("api", "running");
}

#[test]
fn a_job_that_ends_before_it_is_ready_skips_what_needs_it() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"read x; exit 3\"\nready = { log = \"accepting\" }\n\
         [jobs.api]\ncmd = [\"sleep\", \"1000\"]\nneeds = [\"db\"]\n",
    );
    let lines = shop.ok(&["up", "--wait=false"]);
    has(&lines, "+ api");
    shop.until("api", "queued");
    shop.ok(&["send", "db", ""]);
    shop.until("api", "skipped");
    let why = shop.ok(&["why", "api"]).join("\n");
    assert!(why.starts_with("api: skipped: db exited 3, "), "{why}");
}

#[test]
fn up_of_one_job_brings_what_it_needs_and_nothing_else() {
    let shop = Project::new(SHOP);
    touch(&shop, "db.ready");
    shop.ok(&["up", "api"]);
    assert_eq!(shop.phase("api"), "running");
    assert_eq!(shop.phase("docs"), "none");
    let ran = shop.run(&["up", "apii"]).expect_code(4);
    assert!(ran.stderr.contains("did you mean `api`"), "{ran}");
}

#[test]
fn up_takes_patterns() {
    let shop = Project::new(SHOP);
    touch(&shop, "db.ready");
    let lines = shop.ok(&["up", "{docs,nothing}"]);
    has(&lines, "+ docs");
    assert_eq!(lines.iter().filter(|line| line.starts_with('+')).count(), 1);
    shop.ok(&["up", "*"]);
    for name in ["db", "api", "docs"] {
        assert_eq!(shop.job(name)["status"], "running", "{name}");
    }
    let ran = shop.run(&["up", "x*"]).expect_code(4);
    ran.expect_said("project shop has no job that fits `x*`");
}

#[test]
fn up_leaves_jobs_out() {
    let shop = Project::new(SHOP);
    touch(&shop, "db.ready");
    let ran = shop.run(&["up", "--except", "db"]);
    assert_ne!(ran.code, Some(0), "{ran}");
    ran.expect_said("migrate needs db, which is left out");
    assert_eq!(shop.phase("docs"), "none", "nothing was started");
    shop.ok(&["up", "-x", "{migrate,api}"]);
    assert_eq!(shop.phase("db"), "ready");
    assert_eq!(shop.phase("docs"), "running");
    assert_eq!(shop.phase("api"), "none");
    // What is new in the file does not belong to the selection, and neither does what was left out.
    shop.ok(&["reload"]);
    assert_eq!(shop.phase("api"), "none");
    shop.ok(&["down"]);
    let lines = shop.ok(&[
        "up",
        "-n",
        "--no-deps",
        "--except",
        "migrate",
        "api",
        "migrate",
    ]);
    assert_eq!(lines, ["+ api"]);
    shop.ok(&["up", "docs"]);
    let pid = shop.pid("docs");
    shop.write(&SHOP.replace("[jobs.docs]\n", "[jobs.docs]\ncwd = \"..\"\n"));
    let lines = shop.ok(&["up", "--apply", "-x", "docs", "db"]);
    has(&lines, "+ db");
    assert_eq!(shop.pid("docs"), pid, "it is left as it is");
    let lines = shop.ok(&["up", "-n", "docs"]);
    has(&lines, "~ docs (cwd changed)");
    let ran = shop.run(&["up", "-x", "nosuch"]).expect_code(4);
    ran.expect_said("has no job `nosuch`");
    let ran = shop.run(&["up", "-x", "*"]);
    ran.expect_said("all jobs are left out");
}

#[test]
fn verbs_without_a_job_name_what_is_about_the_project() {
    let shop = Project::new(SHOP);
    touch(&shop, "db.ready");
    for (verb, said) in [
        ("start", "; bgproc up starts the project here"),
        ("stop", "; bgproc down ends all jobs of the project here"),
        (
            "kill",
            "; bgproc down --now kills all jobs of the project here",
        ),
    ] {
        shop.run(&[verb]).expect_code(2).expect_said(said);
    }
    let elsewhere = shop.run(&["-H", "far", "stop"]).expect_code(2);
    assert!(!elsewhere.stderr.contains("bgproc down"), "{elsewhere}");
    shop.ok(&["up"]);
    let lines = shop.ok(&["logs"]);
    for line in ["db      | accepting", "migrate | line two"] {
        has(&lines, line);
    }
    let outside = shop.home.start(&["-n", "alone", "sleep 1000"]);
    for verb in ["env", "exec"] {
        let ran = shop.run(&[verb, "alone"]).expect_code(4);
        ran.expect_said("bgproc status --env=full alone prints its environment");
    }
    assert!(shop.home.record(&outside)["project"].is_null());
}

#[test]
fn a_persons_stop_holds_until_start() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\nrestart = { when = \"always\", backoff = \"10ms..10ms\" }\n",
    );
    shop.ok(&["up"]);
    shop.ok(&["stop", "web"]);
    assert_eq!(shop.phase("web"), "stopped");
    shop.ok(&["reload"]);
    assert_eq!(shop.phase("web"), "stopped");
    shop.ok(&["start", "web"]);
    shop.until("web", "running");
}

#[test]
fn reload_restarts_what_differs_and_applies_the_rest_in_place() {
    let file = |api: &str, notify: &str, name: &str| {
        format!(
            "version = 1\n[jobs.api]\ncmd = [\"sleep\", \"{api}\"]\n\
             [jobs.db]\ncmd = [\"sleep\", \"2000\"]\n{notify}\n[jobs.{name}]\ncmd = [\"sleep\", \"3000\"]\n"
        )
    };
    let shop = Project::new(&file("1000", "", "web"));
    shop.ok(&["up"]);
    let before = ["api", "db", "web"].map(|name| shop.pid(name));
    shop.write(&file("1001", "notify = [\"failed\"]", "front"));
    let plan = shop.ok(&["up", "-n"]);
    has(&plan, "~ api (cmd changed)");
    has(&plan, "* db (notify changed)");
    has(&plan, "> front (was web)");
    // Without a terminal, nothing that runs is restarted.
    shop.ok(&["up"]);
    assert_eq!(shop.pid("api"), before[0]);
    assert_eq!([shop.pid("db"), shop.pid("front")], before[1..]);
    let lines = shop.ok(&["reload"]);
    has(&lines, "~ api (cmd changed)");
    assert_ne!(shop.pid("api"), before[0]);
    assert_eq!([shop.pid("db"), shop.pid("front")], before[1..]);
    let command = shop.job("api")["args"].clone();
    assert_eq!(command, serde_json::json!(["1001"]));
}

#[test]
fn a_job_that_left_the_file_runs_on_until_it_is_pruned() {
    let both = "version = 1\n[jobs.web]\ncmd = [\"sleep\", \"1000\"]\n[jobs.worker]\ncmd = [\"sleep\", \"2000\"]\n";
    let shop = Project::new(both);
    shop.ok(&["up"]);
    shop.write("version = 1\n[jobs.web]\ncmd = [\"sleep\", \"1000\"]\n");
    let lines = shop.ok(&["reload"]);
    has(&lines, "? worker is not in the file (--prune stops it)");
    assert_ne!(shop.pid("worker"), 0);
    // Programs are told without a sentence for people.
    let state = shop.run(&["--json", "reload"]).expect_code(0).stdout;
    let state: serde_json::Value = serde_json::from_str(&state).unwrap();
    let gone = serde_json::json!({"change": "gone", "job": "worker", "fate": "goesOn"});
    let mut plan = state["plan"].as_array().unwrap().iter();
    assert!(plan.any(|change| *change == gone), "{state}");
    let lines = shop.ok(&["reload", "--prune"]);
    has(&lines, "? worker is not in the file; it is stopped");
    assert!(!lines.contains(&"= worker".to_owned()), "{lines:?}");
    shop.until("worker", "stopped");
    assert_ne!(shop.pid("web"), 0);
}

#[test]
fn down_stops_in_reverse_order_and_kills_what_ignores_it() {
    let shop = Project::new(
        "version = 1\n[defaults]\nstop = { grace = \"300ms\" }\n\
         [jobs.db]\nrun = \"trap 'echo db >> order; exit 0' TERM; echo up; while :; do sleep 0.02; done\"\nready = { log = \"up\" }\n\
         [jobs.api]\nrun = \"trap 'echo api >> order; exit 0' TERM; echo up; while :; do sleep 0.02; done\"\nready = { log = \"up\" }\nneeds = [\"db\"]\n\
         [jobs.web]\nrun = \"trap '' TERM; echo up; while :; do sleep 0.02; done\"\nready = { log = \"up\" }\nneeds = [\"api\"]\n",
    );
    shop.ok(&["up"]);
    let lines = shop.ok(&["down"]);
    has(&lines, "shop is down (3 jobs stopped)");
    let order = std::fs::read_to_string(shop.dir.join("order")).unwrap();
    assert_eq!(order, "api\ndb\n", "web was killed before them");
    assert_eq!(shop.job("web")["signal"], "SIGKILL");
    shop.ok(&["down"]);
}

#[test]
fn the_code_of_one_job_is_returned_and_the_rest_brought_down() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\ncmd = [\"sleep\", \"1000\"]\n[jobs.migrate]\nkind = \"task\"\nrun = \"true\"\nneeds = [\"db\"]\n\
         [jobs.tests]\nkind = \"task\"\nrun = \"exit 7\"\nneeds = [\"migrate\"]\n",
    );
    shop.run(&["up", "--exit-code-from", "tests"])
        .expect_code(7);
    assert_eq!(shop.pid("db"), 0);
}

#[test]
fn a_question_is_told_and_answered() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"stty -echo; printf 'Password: '; read x; stty echo; echo; echo accepting; exec sleep 1000\"\n\
         ready = { log = \"accepting\" }\n",
    );
    let file = shop.dir.join("bgproc.toml");
    let args = ["up", "--file", file.to_str().unwrap()];
    let mut view = Terminal::new(&shop.home, &args, (100, 24));
    view.wait_for_text("db asks: Password:  (answer: bgproc attach shop/db)");
    shop.ok(&["send", "db", "secret"]);
    view.wait_for_text("db ready");
}

#[test]
fn ready_in_time_or_124() {
    let shop = Project::new(SHOP);
    let ran = shop.run(&["up", "--timeout", "100ms"]).expect_code(124);
    // By then, `docs` may have ended or not.
    assert!(ran.stderr.contains("not ready in time: db; "), "{ran}");
    let rest = "not started in time: migrate, api; the jobs go on";
    assert!(ran.stderr.contains(rest), "{ran}");
    touch(&shop, "db.ready");
    shop.until("api", "running");
}

#[test]
fn more_jobs_than_fit_are_refused_before_the_first_start() {
    let jobs: String = (0..30)
        .map(|n| format!("[jobs.j{n}]\ncmd = [\"sleep\", \"1000\"]\n"))
        .collect();
    let home = crate::support::Home::with_config("max_sessions = 20\n");
    let shop = Project::in_home(home, "shop", &format!("version = 1\n{jobs}"));
    let ran = shop.run(&["up"]).expect_code(1);
    assert!(ran.stderr.contains("max_sessions"), "{ran}");
    assert_eq!(shop.home.json(&["ls"])["sessions"], serde_json::json!([]));
}

#[test]
fn the_plan_of_up_with_apply_is_not_that_of_reload() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n[jobs.db]\nrun = \"exec sleep 1000\"\n",
    );
    // It was never up, and `reload` would start nothing.
    has(&shop.ok(&["up", "--apply", "-n"]), "+ web");
    assert!(
        shop.ok(&["reload", "-n"])
            .iter()
            .all(|line| !line.starts_with('+'))
    );
    shop.ok(&["up"]);
    shop.ok(&["stop", "db"]);
    has(&shop.ok(&["up", "--apply", "-n"]), "+ db");
    let reload = shop.ok(&["reload", "-n"]);
    assert!(
        !reload.iter().any(|line| line.ends_with(" db")),
        "{reload:?}"
    );
}

#[test]
fn the_code_of_a_job_that_is_new_in_the_file_is_returned() {
    let shop = Project::new("version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\n");
    shop.ok(&["up"]);
    shop.ok(&["down"]);
    shop.write(
        "version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\n\
         [jobs.tests]\nkind = \"task\"\nrun = \"exit 7\"\n",
    );
    shop.run(&["up", "--exit-code-from", "tests"])
        .expect_code(7);
}

#[test]
fn the_files_of_up_are_meant_until_down() {
    let job = |port: u16| {
        format!("[jobs.api]\nrun = \"exec sleep 1000\"\nenv = {{ TURN = \"{port}\" }}\n")
    };
    let shop = Project::new(&format!("version = 1\n{}", job(1)));
    std::fs::write(shop.dir.join("dev.toml"), job(2)).unwrap();
    shop.ok(&["up", "-f", "bgproc.toml", "-f", "dev.toml"]);
    let turn = |shop: &Project| shop.ok(&["exec", "api", "--", "printenv", "TURN"]).concat();
    assert_eq!(turn(&shop), "2");
    has(&shop.ok(&["env", "api"]), "TURN=2  # env of the job");
    for verb in [&["reload", "-n"][..], &["up", "-n"]] {
        assert_eq!(shop.ok(verb), ["= api"]);
    }
    std::fs::write(shop.dir.join("dev.toml"), job(3)).unwrap();
    assert_eq!(shop.ok(&["reload", "-n"]), ["~ api (env changed)"]);
    shop.ok(&["restart", "api"]);
    assert_eq!(shop.ok(&["up", "-n"]), ["= api"]);
    // Another `up` can name other files, and so can one after `down`.
    has(
        &shop.ok(&["up", "-n", "-f", "bgproc.toml"]),
        "~ api (env changed)",
    );
    shop.ok(&["down"]);
    assert_eq!(turn(&shop), "1");
    // Without a file that would be found, too.
    std::fs::remove_file(shop.dir.join("bgproc.toml")).unwrap();
    std::fs::write(
        shop.dir.join("dev.toml"),
        format!("version = 1\n{}", job(4)),
    )
    .unwrap();
    shop.ok(&["up", "-f", "dev.toml"]);
    assert_eq!(turn(&shop), "4");
    assert_eq!(shop.ok(&["reload", "-n"]), ["= api"]);
    shop.ok(&["down"]);
    shop.run(&["up"])
        .expect_code(2)
        .expect_said("there is no project file");
}

#[test]
fn every_verb_of_projects_takes_a_file() {
    let shop = Project::new("version = 1\n");
    let file = "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\nenv = { COLOR = \"blue\" }\n";
    std::fs::write(shop.dir.join("other.toml"), file).unwrap();
    shop.ok(&["up", "-f", "other.toml"]);
    has(&shop.ok(&["reload", "-n", "-f", "other.toml"]), "= web");
    has(
        &shop.ok(&["env", "-f", "other.toml", "web"]),
        "COLOR=blue  # env of the job",
    );
    let said = shop.ok(&["exec", "-f", "other.toml", "web", "--", "printenv", "COLOR"]);
    assert_eq!(said, ["blue"]);
    shop.ok(&["down", "-f", "other.toml"]);
    assert_eq!(shop.phase("web"), "stopped");
}

#[test]
fn a_word_after_wait_is_a_job() {
    let shop = Project::new(SHOP);
    touch(&shop, "db.ready");
    let lines = shop.ok(&["up", "--wait", "docs"]);
    has(&lines, "docs running");
    assert_eq!(shop.phase("api"), "none", "only what is named");
    let ran = shop.run(&["up", "--wait", "false"]).expect_code(4);
    let ran = ran.expect_said("project shop has no job `false`");
    ran.expect_said("hint: a value of --wait follows a `=`: --wait=false");
    shop.ok(&["up", "--wait=false", "db"]);
    let ran = shop.run(&["up", "--wait=maybe"]).expect_code(2);
    ran.expect_said("--wait");
}

#[test]
fn a_window_that_becomes_narrower_wraps_no_line() {
    let (first, second) = ("a".repeat(60), "b".repeat(60));
    let job = |name: &str| {
        format!(
            "[jobs.{name}]\nrun = \"exec sleep 1000\"\nready = {{ exec = \"test -e {name}.ready\", every = \"100ms\" }}\n"
        )
    };
    let shop = Project::new(&format!("version = 1\n{}{}", job(&first), job(&second)));
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &["up"], (100, 24));
    view.wait_for_text(&format!("{second} starting"));
    view.resize(40, 24);
    for name in [&first, &second] {
        touch(&shop, &format!("{name}.ready"));
        shop.until(name, "ready");
    }
    assert_eq!(view.exit_code(), 0, "{}", view.text());
    let shown = view.text();
    let cut = |letter: &str| format!("{}…", letter.repeat(38));
    assert!(
        shown.contains(&format!("{}\n{}", cut("a"), cut("b"))) && !shown.contains("ready"),
        "{shown}"
    );
}

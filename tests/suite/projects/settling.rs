//! When `up` ends, with which code, and about which jobs.

use serde_json::json;

use super::{Project, has};
use crate::support::{Serve, eventually, process::Held};

fn lines(text: &str) -> Vec<String> {
    text.lines().map(str::to_owned).collect()
}

#[test]
fn up_waits_for_the_end_of_a_task() {
    let shop =
        Project::new("version = 1\n[jobs.migrate]\nkind = \"task\"\nrun = \"sleep 0.5; exit 3\"\n");
    let ran = shop.run(&["up"]).expect_code(1);
    has(&lines(&ran.stdout), "migrate failed: exit code 3");
    shop.write("version = 1\n[jobs.slow]\nkind = \"task\"\nrun = \"sleep 1000\"\n");
    let ran = shop.run(&["up", "--timeout", "300ms"]).expect_code(124);
    ran.expect_said("not finished in time: slow; the jobs go on");
}

#[test]
fn what_needs_a_service_that_ends_well_at_once_starts() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"exit 0\"\n[jobs.api]\nrun = \"exec sleep 1000\"\nneeds = [\"db\"]\n",
    );
    for _ in 0..3 {
        shop.run(&["up"]);
        assert_eq!(shop.phase("api"), "running");
        shop.ok(&["down"]);
    }
}

#[test]
fn a_reload_of_what_is_down_says_so() {
    let shop = Project::new("version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n");
    shop.ok(&["up"]);
    shop.ok(&["down"]);
    shop.run(&["reload"])
        .expect_code(0)
        .expect_said("bgproc up starts them");
    assert_eq!(shop.phase("web"), "stopped");
}

#[test]
fn a_service_that_ends_at_once_has_failed() {
    let shop = Project::new("version = 1\n[jobs.web]\nrun = \"nosuchcmd --dev\"\n");
    let ran = shop.run(&["up"]).expect_code(1);
    has(&lines(&ran.stdout), "web failed: exit code 127");
}

#[test]
fn up_is_about_the_jobs_that_it_names() {
    let shop = Project::new(
        "version = 1\n[jobs.bad]\nkind = \"task\"\nrun = \"echo broken; exit 1\"\n\
         [jobs.web]\nrun = \"echo hello; exec sleep 1000\"\nneeds = [\"db\"]\n[jobs.db]\nrun = \"exec sleep 1000\"\n\
         [groups.g]\njobs = [\"db\"]\n",
    );
    shop.run(&["up"]).expect_code(1);
    for named in ["web", "g:g"] {
        let ran = shop.run(&["up", named]).expect_code(0);
        assert!(
            !ran.stdout.contains("bad") && ran.stdout.contains("db running"),
            "{ran}"
        );
    }
    let state = shop.home.json(&["ls"]);
    assert!(
        state.to_string().contains("bad"),
        "it is still known: {state}"
    );
    let mut agent = Serve::new(&shop.home, &[]);
    shop.write("version = 1\nagents = \"read\"\n[jobs.web]\nrun = \"exec sleep 1000\"\n");
    let refused = agent.err(
        json!({"action": "project", "op": "up", "dir": shop.dir}),
        "permission_denied",
    );
    assert_eq!(
        refused["hint"],
        "`agents = \"write\"` in the project file allows it"
    );
}

#[test]
fn the_code_of_a_job_that_does_not_end_in_time_or_is_not_known() {
    let shop = Project::new("version = 1\n[jobs.tests]\nrun = \"exec sleep 1000\"\n");
    shop.run(&["up", "--exit-code-from", "test"])
        .expect_code(2)
        .expect_said("test is not one of the jobs that are brought up");
    assert_eq!(shop.phase("tests"), "none", "nothing is started");
    shop.run(&["up", "--exit-code-from", "tests", "--timeout", "300ms"])
        .expect_code(124)
        .expect_said("tests has not ended in time; the jobs go on");
    assert_eq!(shop.phase("tests"), "running");
}

#[test]
fn a_queue_goes_by_its_list_and_by_the_words_of_the_request() {
    let jobs: String = ["alpha", "mid", "zeta"]
        .map(|name| format!("[jobs.{name}]\nkind = \"task\"\nrun = \"echo {name} >> order\"\n"))
        .concat();
    let queue = "[groups.q]\njobs = [\"zeta\", \"mid\", \"alpha\"]\nparallel = 1\n";
    let shop = Project::new(&format!("version = 1\n{jobs}{queue}"));
    let order = || std::fs::read_to_string(shop.dir.join("order")).unwrap();
    shop.ok(&["up"]);
    assert_eq!(order(), "zeta\nmid\nalpha\n");
    shop.ok(&["down"]);
    shop.ok(&["up", "mid", "zeta"]);
    assert_eq!(order(), "zeta\nmid\nalpha\nmid\nzeta\n");
}

#[test]
fn up_ends_when_a_queue_is_paused_and_says_how_it_goes_on() {
    let shop = Project::new(
        "version = 1\n[jobs.one]\nkind = \"task\"\nrun = \"test -e good\"\n[jobs.two]\nkind = \"task\"\nrun = \"true\"\n\
         [jobs.three]\nkind = \"task\"\nrun = \"true\"\nneeds = [\"two\"]\n\
         [groups.q]\njobs = [\"one\", \"two\"]\nparallel = 1\non_failure = \"pause\"\n",
    );
    let ran = shop.run(&["up"]).expect_code(1);
    let said = "two queued: its queue is paused (bgproc group q --resume)";
    has(&lines(&ran.stdout), said);
    let why = shop.ok(&["why", "two"]).join("\n");
    assert!(
        why.contains("bgproc group q --resume lets it go on"),
        "{why}"
    );
    shop.ok(&["down"]);
    std::fs::write(shop.dir.join("good"), "").unwrap();
    has(&shop.ok(&["up"]), "three done");
}

#[test]
fn a_report_has_the_output_of_the_last_run_only() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nkind = \"task\"\nrun = \"cat word; exit 1\"\n[jobs.api]\nrun = \"exec sleep 1000\"\nneeds = [\"web\"]\n",
    );
    for word in ["first", "second"] {
        std::fs::write(shop.dir.join("word"), format!("{word}\n")).unwrap();
        let ran = shop.run(&["up"]).expect_code(1);
        let output: Vec<String> = lines(&ran.stdout)
            .into_iter()
            .filter(|line| line.starts_with("  | "))
            .collect();
        assert_eq!(output, [format!("  | {word}")], "{ran}");
    }
    // Why it was skipped is told by what became of the other.
    let why = shop.ok(&["why", "api"]).join("\n");
    assert!(why.starts_with("api: skipped: web exited 1, "), "{why}");
    assert!(why.contains("the run before ended the same way"), "{why}");
}

#[test]
fn without_its_needs_a_job_starts_at_once() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\n[jobs.api]\nrun = \"exec sleep 1000\"\nneeds = [\"db\"]\n",
    );
    has(&shop.ok(&["up", "--no-deps", "api"]), "api running");
    assert_eq!(shop.phase("db"), "none");
}

#[test]
fn a_variable_that_is_not_set_is_an_error_of_the_file() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"exec sleep 1000\"\n[jobs.api]\ncmd = [\"echo\", \"${SURELY_NOT_SET}\"]\n",
    );
    shop.run(&["up"])
        .expect_code(2)
        .expect_said("bgproc.toml:5:16: \"cmd[1]\" in [jobs.api]: ${SURELY_NOT_SET} is not set");
    assert_eq!(shop.phase("db"), "none", "nothing is started");
    // Who does not start it is not asked about it.
    shop.ok(&["up", "db"]);
    shop.ok(&["down"]);
    std::fs::write(shop.dir.join(".env"), "A=$SURELY_NOT_SET\n").unwrap();
    shop.write("version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n");
    for args in [&["up"][..], &["env", "web"]] {
        let ran = shop.run(args).expect_code(0);
        assert!(
            ran.stderr
                .contains(".env:1:1: $SURELY_NOT_SET in A is not set"),
            "{ran}"
        );
    }
}

#[test]
fn the_address_is_that_of_the_file() {
    let file = |page: &str| {
        format!(
            "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\nenv = {{ PAGE = \"docs\" }}\nopen = \"http://localhost:1234/${{PAGE}}{page}\"\n"
        )
    };
    let shop = Project::new(&file(""));
    has(&shop.ok(&["up"]), "web  http://localhost:1234/docs");
    has(
        &shop.ok(&["open", "--print", "web"]),
        "http://localhost:1234/docs",
    );
    shop.write(&file("/2"));
    has(&shop.ok(&["reload"]), "* web (open changed)");
    shop.home.kill_daemon();
    has(
        &shop.ok(&["open", "--print", "web"]),
        "http://localhost:1234/docs/2",
    );
}

#[test]
fn a_stop_line_that_takes_too_long_leaves_nothing() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n\
         stop = { run = \"sh -c 'echo $$ > pid; exec sleep 1000'; true\", grace = \"500ms\" }\n",
    );
    shop.ok(&["up"]);
    shop.run(&["down"])
        .expect_code(1)
        .expect_said("web: its stop line failed: it took too long and was killed");
    let pid = std::fs::read_to_string(shop.dir.join("pid")).unwrap();
    let pid: u32 = pid.trim().parse().unwrap();
    eventually("what the line has started has ended", || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        let is_over = stat.map_or(true, |stat| stat.contains(") Z "));
        (is_over || Held::new(pid).is_none()).then_some(())
    });
}

#[test]
fn who_is_overtaken_says_so() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"trap '' TERM; echo up; while :; do sleep 0.05; done\"\n\
         ready = { file = \"go\" }\nstop = { grace = \"2s\" }\n",
    );
    std::thread::scope(|scope| {
        let up = scope.spawn(|| shop.run(&["up"]));
        shop.until("db", "starting");
        shop.home
            .ok(&["wait", "db", "--for", "match:up", "--timeout", "20s"]);
        let down = scope.spawn(|| shop.run(&["down"]));
        let overtaken = up.join().unwrap().expect_code(1);
        overtaken.expect_said("shop was brought down meanwhile");
        shop.until("db", "stopping");
        shop.ok(&["up", "--wait=false"]);
        let overtaken = down.join().unwrap().expect_code(1);
        overtaken.expect_said("shop was brought up again meanwhile");
    });
}

#[test]
fn why_a_job_was_skipped_is_not_how_its_last_run_ended() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\nneeds = [\"check\"]\n\
         [jobs.check]\nkind = \"task\"\nrun = \"test ! -e broken\"\n",
    );
    shop.ok(&["up"]);
    shop.ok(&["down"]);
    std::fs::write(shop.dir.join("broken"), "").unwrap();
    shop.run(&["up"]).expect_code(1);
    let why = shop.ok(&["why", "web"]).join("\n");
    assert!(why.starts_with("web: skipped: check exited 1, "), "{why}");
    assert!(!why.contains("a person ended it"), "{why}");
}

#[test]
fn up_ends_although_a_job_is_run_again_for_ever() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n[jobs.api]\nrun = \"exit 3\"\n\
         restart = { when = \"always\", max = 4294967295, backoff = \"10ms\" }\n",
    );
    let up = shop.run(&["up"]).expect_code(1);
    let why = "it keeps ending (exit code 3) and is run again without a limit";
    assert!(up.stdout.contains(why), "{up}");
    assert_ne!(shop.pid("web"), 0);
}

#[test]
fn up_does_not_wait_for_the_last_of_many_runs() {
    let shop = Project::new(
        "version = 1\n[jobs.api]\nrun = \"exit 3\"\n\
         restart = { when = \"on-failure\", max = 1000000, backoff = \"200ms..200ms\" }\n",
    );
    let up = shop.run(&["up"]).expect_code(1);
    let why = "it keeps ending (exit code 3) and is run again at most 1000000 times in a row";
    assert!(up.stdout.contains(why), "{up}");
    assert!(up.stdout.contains(" of 1000000)"), "{up}");
    shop.ok(&["stop", "api"]);
}

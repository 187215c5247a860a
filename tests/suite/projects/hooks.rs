//! Shell lines that run when something happens to a job, and what people are notified of.

use std::net::TcpListener;

use super::{Project, free_port};
use crate::support::{Home, eventually};

/// Waits until a file in the project's directory has this text.
#[track_caller]
fn until_written(shop: &Project, file: &str, text: &str) {
    let mut seen = String::new();
    eventually(&format!("{file} says {text:?}"), || {
        seen = std::fs::read_to_string(shop.dir.join(file)).unwrap_or_default();
        (seen == text).then_some(())
    });
}

#[test]
fn each_event_runs_its_line_with_what_is_known_of_it() {
    let line = |file: &str, words: &str| format!("echo {words} >> {file}");
    let shop = Project::new(&format!(
        "version = 1\n[jobs.web]\nenv = {{ COLOUR = \"red\" }}\nrun = \"echo up; printf 'Name: '; read name; exit 3\"\nready = {{ log = \"up\" }}\non = {{ ready = '{}', input = '{}', failed = '{}', exit = '{}' }}\n",
        line("ready", "$BGPROC_EVENT $BGPROC_JOB $COLOUR"),
        line("input", "$BGPROC_EVENT $BGPROC_MESSAGE"),
        line("failed", "$BGPROC_EVENT $BGPROC_EXIT_CODE $BGPROC_STATUS"),
        line("exit", "$BGPROC_EVENT $BGPROC_JOB"),
    ));
    shop.ok(&["up"]);
    until_written(&shop, "ready", "ready web red\n");
    until_written(&shop, "input", "input web asks: Name:\n");
    shop.ok(&["send", "web", "ada", "enter"]);
    until_written(&shop, "failed", "failed 3 error\n");
    until_written(&shop, "exit", "exit web\n");
}

#[test]
fn a_line_that_fails_is_told_with_its_last_words() {
    let fails = |words: &str, code: u8| {
        format!("\"echo first >&2; printf '\\\\033[31m{words}\\\\n\\\\n' >&2; exit {code}\"")
    };
    let shop = Project::new(&format!(
        "version = 1\n[jobs.web]\nrun = \"echo up; exec sleep 1000\"\nready = {{ log = \"up\" }}\n\
         stop = {{ run = {}, grace = \"100ms\" }}\non = {{ ready = {} }}\n\
         [jobs.db]\nrun = \"exec sleep 1000\"\nready = {{ exec = {}, every = \"50ms\", timeout = \"100ms\" }}\n",
        fails("no server", 3),
        fails("no display", 4),
        fails("no response", 6),
    ));
    let is_told = |job: &str, why: &str| {
        let mut seen = String::new();
        eventually(&format!("{job}: {why}"), || {
            seen = shop.run(&["status", job]).stdout;
            seen.contains(why).then_some(())
        });
    };
    shop.run(&["up"]).expect_code(124);
    is_told("web", "its on.ready line failed: exit code 4: no display");
    is_told("db", "fails: exit code 6: no response");
    shop.run(&["down"]).expect_code(1);
    is_told("web", "its stop line failed: exit code 3: no server");
}

#[test]
fn a_line_that_does_not_end_holds_nothing_up() {
    let shop = Project::new(
        "version = 1\n[jobs.web]\nrun = \"echo up; exec sleep 1000\"\nready = { log = \"up\" }\non = { ready = \"echo $$ > pid; sleep 1000\" }\n[jobs.api]\nrun = \"exec sleep 1000\"\nneeds = [\"web\"]\n",
    );
    shop.ok(&["up"]);
    let pid = eventually("the line runs", || {
        let text = std::fs::read_to_string(shop.dir.join("pid")).ok()?;
        text.trim().parse::<u32>().ok()
    });
    shop.ok(&["restart", "web"]);
    shop.ok(&["down"]);
    // It ends with the daemon.
    shop.home.run(&["daemon", "stop", "--kill"]);
    eventually("the line has ended", || {
        let stat = std::fs::read_to_string(format!("/proc/{pid}/stat"));
        stat.map_or(true, |stat| stat.contains(") Z "))
            .then_some(())
    });
}

#[test]
fn what_a_job_asks_for_is_announced_by_the_configured_command() {
    let home = Home::with_config("notify_command = \"echo $BGPROC_MESSAGE >> told\"\n");
    let shop = Project::in_home(
        home,
        "shop",
        "version = 1\n[jobs.web]\nrun = \"echo up; exec sleep 1000\"\nready = { log = \"up\" }\nnotify = [\"ready\"]\n[jobs.quiet]\nrun = \"exit 1\"\n",
    );
    let up = shop.run(&["up"]);
    assert!(!up.stderr.contains("no effect"), "{}", up.stderr);
    until_written(&shop, "told", "web is ready\n");
    assert_eq!(shop.job("web")["notify"], serde_json::json!(["ready"]));
    let run = [
        "run", "-n", "bad", "--notify", "failed", "--notify", "done", "exit 4",
    ];
    shop.ok(&run);
    until_written(&shop, "told", "web is ready\nbad failed: exit code 4\n");
    let said = shop
        .run(&["run", "--notify", "never", "true"])
        .expect_code(2);
    assert!(
        said.stderr
            .contains("failed, done, exit (both), ready or input"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_line_can_use_bgproc_itself() {
    // It has the path of the job's log in a variable that otherwise is the level of the diagnostics.
    let bgproc = env!("CARGO_BIN_EXE_bgproc");
    let shop = Project::new(&format!(
        "version = 1\n[jobs.web]\nrun = \"echo broken; exit 3\"\non = {{ failed = \"{bgproc} logs web > told 2>&1\" }}\n"
    ));
    shop.run(&["up"]);
    until_written(&shop, "told", "broken\n");
}

#[test]
fn a_later_start_that_fails_is_told_like_the_first() {
    let port = free_port();
    let shop = Project::new(&format!(
        "version = 1\n[jobs.web]\nrun = \"true\"\nkind = \"task\"\nport = {port}\n\
         on = {{ failed = \"echo $BGPROC_EVENT >> failed\" }}\n"
    ));
    shop.ok(&["up"]);
    shop.until("web", "done");
    let stranger = TcpListener::bind(("127.0.0.1", port)).unwrap();
    shop.run(&["restart", "web"]).expect_code(1);
    until_written(&shop, "failed", "failed\n");
    let events = shop.ok(&["events"]).join("\n");
    let told = format!("ended, it could not be started: port {port} is taken by ");
    assert!(events.contains(&told), "{events}");
    drop(stranger);
}

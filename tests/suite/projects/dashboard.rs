//! A person at the dashboard with a project: its jobs in order of need, up, down, reload and what is said of them; and
//! what `ls`, `status` and `events` say.

use serde_json::{Value, json};

use super::{Project, free_port, has};
use crate::support::{Home, Person, Terminal};

/// A job of each kind. migrate fails while `broken` exists.
fn shop() -> Project {
    let port = free_port();
    Project::new(&format!(
        r#"
version = 1
[jobs.web]
run = "exec python3 -m http.server $PORT --bind 127.0.0.1"
port = {port}
ready = {{ log = "Serving" }}
needs = ["db"]
pty = false
[jobs.api]
run = "exec sleep 1000"
needs = ["migrate"]
[jobs.migrate]
kind = "task"
run = "echo migrating; ! test -e broken"
needs = ["db"]
[jobs.db]
run = "echo accepting; exec sleep 1000"
ready = {{ log = "accepting" }}
[jobs.night]
run = "true"
schedule = {{ cron = "0 2 1 1 *" }}
[jobs.build]
kind = "task"
run = "exec sleep 1000"
group = "heavy"
[jobs.lint]
kind = "task"
run = "exec sleep 1000"
group = "heavy"
[jobs.ask]
run = "printf 'Deploy? '; read x; exec sleep 1000"
[jobs.worker]
run = "exec sleep 1000"
autostart = false
[groups.heavy]
parallel = 1
"#
    ))
}

fn break_it(shop: &Project) {
    std::fs::write(shop.dir.join("broken"), "").unwrap();
}

fn mend(shop: &Project) {
    std::fs::remove_file(shop.dir.join("broken")).unwrap();
}

/// The rows of the list in which a name stands, by their order.
#[track_caller]
fn in_order(view: &Terminal, names: &[&str]) {
    let text = view.text();
    let at = |name: &str| {
        let has_it = |line: &str| line.split_whitespace().take(3).any(|word| word == name);
        text.lines().position(has_it)
    };
    let places: Vec<_> = names.iter().map(|name| at(name)).collect();
    assert!(
        places.iter().all(Option::is_some),
        "{places:?} of {names:?} in\n{text}"
    );
    assert!(places.is_sorted(), "{places:?} of {names:?} in\n{text}");
}

#[test]
fn up_opens_the_dashboard_on_the_project() {
    let shop = shop();
    break_it(&shop);
    for size in [(120, 40), (80, 24)] {
        let mut view = Terminal::in_dir(&shop.home, &shop.dir, &["up", "-a"], size);
        view.wait_mode("NORMAL");
        view.wait_for_text("needs migrate ok");
        view.wait_for_text("next in its queue");
        view.wait_for_text("needs input");
        view.wait_for_text("ready");
        // What is needed stands above what needs it.
        in_order(&view, &["shop", "db", "api"]);
        view.send("q");
        assert_eq!(view.exit_code(), 0);
    }
    // It is a heading of its own at the smallest size, too.
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &["up", "-a"], (40, 12));
    view.wait_for_text("⊘ api");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
    let refused = shop.run(&["up", "-a"]).expect_code(2);
    assert!(
        refused.stderr.contains("needs a terminal"),
        "{}",
        refused.stderr
    );
}

/// A phase that the last view has seen already is told to the next one, if the job was in another phase between.
#[test]
fn a_view_is_told_a_phase_that_an_earlier_view_was_told() {
    let home = Home::new();
    let gate = home.gate();
    let file = format!(
        r#"
version = 1
[jobs.api]
run = "exec sleep 1000"
needs = ["migrate"]
[jobs.migrate]
kind = "task"
run = "read code <{}; exit $code"
"#,
        gate.display()
    );
    let shop = Project::in_home(home, "shop", &file);
    shop.ok(&["daemon", "start"]);
    for _ in 0..2 {
        shop.ok(&["up", "--wait=false"]);
        let mut view = Person::new(&shop.home);
        view.ok(json!({"action": "subscribe", "events": ["phase"]}));
        assert_eq!(shop.phase("api"), "queued");
        std::fs::write(&gate, "1\n").unwrap();
        view.next(|line| line["event"] == "phase" && line["data"]["phase"] == "skipped");
    }
}

/// What waits has not started, and a name is no event of its life: an open view learns of both nevertheless.
#[test]
fn an_open_view_sees_what_waits_and_what_is_renamed() {
    let home = Home::new();
    home.ok(&["group", "builds", "--parallel", "1"]);
    home.ok(&["run", "-n", "first", "-g", "builds", "sleep", "1000"]);
    let mut view = Terminal::dashboard(&home, (100, 30), "first");
    home.ok(&["run", "-n", "second", "-g", "builds", "sleep", "1000"]);
    view.wait_for_text("◌ second");
    home.ok(&["stop", "second"]);
    view.wait_for_text("■ second");
    home.ok(&["rename", "first", "other"]);
    view.wait_for_text("● other");
    home.ok(&["run", "-n", "alone", "sleep", "1000"]);
    view.wait_for_text("● alone");
    home.ok(&["group", "alone", "apart"]);
    view.wait_for_text("▾ apart");
}

#[test]
fn who_follows_is_told_that_a_job_has_left_its_file() {
    let web = "version = 1\n[jobs.web]\nrun = \"exec sleep 1000\"\n";
    let shop = Project::new(&format!(
        "{web}[jobs.docs]\nkind = \"task\"\nrun = \"true\"\n"
    ));
    shop.ok(&["up"]);
    let docs = shop.job("docs")["sessionId"].clone();
    let mut view = Person::new(&shop.home);
    view.ok(json!({"action": "subscribe", "events": ["phase"]}));
    shop.write(web);
    shop.ok(&["reload"]);
    view.next(|line| line["sessionId"] == docs && line["data"] == Value::Null);
    assert_eq!(shop.job("docs")["project"], Value::Null);
}

#[test]
fn a_skipped_job_says_why_and_u_brings_it_up() {
    let shop = shop();
    break_it(&shop);
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &["up", "api", "-a"], (100, 30));
    view.wait_for_text("shop is not all up: migrate failed (exit 1)");
    view.send("\x1b");
    view.wait_gone("not all up");
    view.send("/api\r");
    view.wait_for_text("skipped: needs migrate ok");
    view.wait_for_text("exit 1");
    mend(&shop);
    view.send("u");
    view.wait_for_text("api is running.");
    shop.until("api", "running");
    assert_eq!(shop.phase("web"), "none", "only what it needs");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn down_asks_first_and_up_starts_a_project_that_never_was_up() {
    let shop = Project::new(
        "version = 1\n[jobs.db]\nrun = \"sleep 1000\"\n[jobs.web]\nrun = \"sleep 1000\"\nneeds = [\"db\"]\n",
    );
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &[], (80, 24));
    view.wait_for_text("Nothing is running yet.");
    view.send("u");
    view.wait_for_text("shop is up: 2 running.");
    // The reply may come before the records of the jobs.
    view.wait_for_text("bgproc  2 running");
    in_order(&view, &["shop", "db", "web"]);
    view.send("g");
    view.wait_for_text("2 jobs");
    view.send("U");
    view.wait_for_text("shop (stops 2 jobs)?");
    view.send("\r");
    view.wait_mode("NORMAL");
    assert_eq!(shop.phase("web"), "running", "Enter never confirms");
    view.send("U");
    view.wait_for_text("shop (stops 2 jobs)?");
    view.send("y");
    view.wait_for_text("shop is down (2 jobs stopped).");
    assert_eq!(shop.phase("web"), "stopped");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn a_reload_shows_its_plan_and_does_nothing_without_y() {
    let file = |db: u32, worker: &str| {
        format!(
            "version = 1\n[jobs.db]\nrun = \"sleep {db}\"\n[jobs.{worker}]\nrun = \"sleep 2000\"\n[jobs.x]\nrun = \"sleep 3000\"\n"
        )
    };
    let shop = Project::new(&file(1000, "worker"));
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &["up", "-a"], (100, 30));
    view.wait_for_text("shop is up: 3 running.");
    view.send("\x12");
    view.wait_for_text("nothing to reload");
    let before = ["db", "worker"].map(|name| shop.pid(name));
    shop.write(&file(1001, "front").replace("2000", "2001"));
    view.send("\x12");
    view.wait_mode("RELOAD");
    view.wait_for_text("~ db (run changed)");
    view.wait_for_text("? worker");
    view.wait_for_text("+ front");
    view.send("n");
    view.wait_mode("NORMAL");
    assert_eq!(before, ["db", "worker"].map(|name| shop.pid(name)));
    assert_eq!(shop.phase("front"), "none");
    view.send("\x12");
    view.wait_mode("RELOAD");
    view.send("y");
    view.wait_for_text("Reloaded shop.");
    shop.until("front", "running");
    shop.until("db", "running");
    assert_ne!(shop.pid("db"), before[0]);
    assert_eq!(shop.pid("worker"), before[1]);
    view.send("\x12");
    view.wait_for_text("? worker");
    view.send("P");
    view.wait_mode("NORMAL");
    crate::support::eventually("worker has ended", || {
        (shop.pid("worker") == 0).then_some(())
    });
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn mistakes_of_the_file_and_taken_ports_are_told() {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let shop = Project::new(&format!(
        "version = 1\n[jobs.web]\nrun = \"sleep 1000\"\nport = {port}\n"
    ));
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &[], (80, 24));
    view.wait_for_text("Nothing is running yet.");
    view.send("u");
    view.wait_for_text(&format!("web not started: port {port}"));
    view.send("\x1b");
    view.wait_gone("not started");
    shop.write(
        "version = 1\n[jobs.web]\ncomand = \"x\"\n[jobs.api]\nrun = \"x\"\nneeds = [\"bd\"]\n",
    );
    view.send("u");
    view.wait_mode("MISTAKES");
    view.wait_for_text("bgproc.toml:3:1: unknown key \"comand\"");
    view.wait_for_text("bgproc.toml:6:");
    view.send("\x1b");
    view.wait_mode("NORMAL");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn new_offers_the_jobs_of_the_file() {
    let shop = shop();
    let mut view = Terminal::in_dir(&shop.home, &shop.dir, &[], (80, 24));
    view.wait_for_text("Nothing is running yet.");
    view.send("n");
    view.wait_for_text("bgproc up worker");
    view.send("worker");
    view.send("\x1b[A");
    view.wait_for_text("run: bgproc up worker");
    view.send("\r");
    view.wait_for_text("worker is running.");
    assert_eq!(shop.phase("worker"), "running");
    assert_eq!(shop.phase("db"), "none");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn lists_and_events_name_the_project_and_say_why() {
    let shop = shop();
    break_it(&shop);
    shop.run(&["up", "api", "night"]).expect_code(1);
    let lines = shop.ok(&["ls", "-o", "tsv"]);
    let fields = |name: &str| {
        let start = format!("{name}\t");
        let line = lines.iter().find(|line| line.starts_with(&start)).unwrap();
        let fields: Vec<&str> = line.split('\t').collect();
        (fields[7].to_owned(), fields[14..17].join(" "))
    };
    assert_eq!(
        fields("api"),
        (
            "skipped".to_owned(),
            "shop skipped needs migrate ok".to_owned()
        )
    );
    assert_eq!(
        fields("db"),
        ("running".to_owned(), "shop ready -".to_owned())
    );
    assert_eq!(
        fields("night"),
        ("scheduled".to_owned(), "shop scheduled -".to_owned())
    );
    // It does not run, and will not by itself.
    let text = shop.run(&["status", "api"]).expect_code(3).stdout;
    assert!(text.contains("skipped: needs migrate ok"), "{text}");
    assert!(text.contains("migrate ok"), "{text}");
    let events = shop.ok(&["events"]);
    assert!(
        events
            .iter()
            .any(|line| line.contains("\tshop/migrate\tended, exit 1")),
        "{events:#?}"
    );
    let job = shop.job("api");
    let role = &job["project"];
    assert_eq!(role["needs"][0]["job"], "migrate");
    let place = |name: &str| shop.job(name)["project"]["place"].as_u64().unwrap();
    assert!(place("db") < place("migrate") && place("migrate") < place("api"));
    has(&shop.ok(&["down"]), "shop is down (1 job stopped)");
}

//! What a program reports of itself, from within a job, and what counts as newer.

use serde_json::{Value, json};

use crate::support::{Home, Serve, Terminal, eventually};

/// The program under test, as jobs call it.
const BGPROC: &str = env!("CARGO_BIN_EXE_bgproc");

/// Waits until the report of a job is as wanted, and returns the record.
#[track_caller]
fn until(home: &Home, job: &str, what: &str, is_it: impl Fn(&Value) -> bool) -> Value {
    eventually(what, || {
        let record = home.json(&["status", job]);
        is_it(&record["report"]).then_some(record)
    })
}

#[test]
fn a_program_says_how_it_is_and_everybody_shows_it() {
    let home = Home::new();
    let line = format!("{BGPROC} report --state blocked -m 'needs the VPN'; exec sleep 1000");
    home.start(&["-n", "sync", &line]);
    until(&home, "sync", "it is blocked", |report| {
        report["state"] == "blocked" && report["message"] == "needs the VPN"
    });
    let listed = home.ok(&["ls", "-o", "table"]);
    assert!(listed.contains("blocked"), "{listed}");
    assert!(listed.contains("(needs the VPN)"), "{listed}");
    let quiet = home.ok(&["ls", "-q", "--status", "blocked"]);
    assert_eq!(quiet.lines().count(), 1);
    let status = home.ok(&["status", "sync"]);
    assert!(
        status.contains("does  blocked: needs the VPN (it reported so "),
        "{status}"
    );
    let why = home.ok(&["why", "sync"]);
    assert!(
        why.starts_with("sync: it is blocked: needs the VPN, as it reported "),
        "{why}"
    );
    let events = home.ok(&["events"]);
    let reported = events.lines().filter(|line| line.contains("\treports "));
    assert_eq!(reported.count(), 1, "{events}");
    let mut view = Terminal::dashboard(&home, (120, 40), "sync ? blocked");
    assert_eq!(view.screen().title(), "bgproc: 1 needs input");
    view.wait_for_text("blocked: needs the VPN");
    home.ok(&["report", "--job", "sync", "--state", "idle"]);
    view.wait_for_text("sync ○ idle");
    home.ok(&["report", "--job", "sync", "--state", "working"]);
    view.wait_for_text("sync ●");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
    // The same again is no event.
    home.ok(&["report", "-j", "sync", "--state", "working"]);
    home.ok(&["report", "-j", "sync", "--clear"]);
    assert_eq!(home.json(&["status", "sync"])["report"], Value::Null);
    let events = home.ok(&["events"]);
    let reports = events.lines().filter(|line| line.contains("report"));
    assert_eq!(reports.count(), 4, "{events}");
}

#[test]
fn a_prompt_and_output_are_newer_than_a_report() {
    let home = Home::new();
    let asks = format!(
        "{BGPROC} report --state idle; printf 'Name: '; read name; \
         {BGPROC} report --state working -m $name; exec sleep 1000"
    );
    home.start(&["-n", "asks", &asks]);
    let record = until(&home, "asks", "the prompt counts", |report| {
        report["replacedBy"] == "input"
    });
    assert_eq!(record["inputState"], "line");
    let why = home.ok(&["why", "asks"]);
    assert!(
        why.contains("it waits for input, as the kernel says"),
        "{why}"
    );
    assert!(why.contains("before, it reported idle"), "{why}");
    home.ok(&["send", "asks", "ada"]);
    let record = until(&home, "asks", "it reports again", |report| {
        report["state"] == "working"
    });
    assert_eq!(record["report"]["message"], "ada");
    assert_eq!(record["report"]["replacedBy"], Value::Null, "{record}");
    let writes = format!("{BGPROC} report --state blocked; while :; do echo tick; sleep 0.1; done");
    home.start(&["-n", "writes", &writes]);
    until(&home, "writes", "output counts", |report| {
        report["replacedBy"] == "output"
    });
    let status = home.ok(&["status", "writes"]);
    assert!(status.contains("does  wrote output "), "{status}");
    assert!(status.contains("it has written output since"), "{status}");
}

#[test]
fn a_report_is_of_its_run_and_outlives_the_daemon() {
    let home = Home::new();
    home.start(&["-n", "web", "exec sleep 1000"]);
    home.ok(&["report", "-j", "web", "--state", "blocked", "-m", "x"]);
    home.kill_daemon();
    let record = home.json(&["status", "web"]);
    assert_eq!(record["report"]["state"], "blocked", "{record}");
    assert_eq!(record["report"]["replacedBy"], Value::Null, "{record}");
    home.ok(&["restart", "web"]);
    assert_eq!(home.json(&["status", "web"])["report"], Value::Null);
    home.ok(&["stop", "web"]);
    home.run(&["report", "-j", "web", "--state", "idle"])
        .expect_code(3);
}

#[test]
fn messages_are_clean_short_and_without_secrets() {
    let home = Home::new();
    home.start(&["-n", "web", "exec sleep 1000"]);
    let long = format!("API_TOKEN=hunter2 \u{1b}[31mred {}", "x".repeat(400));
    home.ok(&["report", "-j", "web", "--state", "working", "-m", &long]);
    let record = home.json(&["status", "web"]);
    let message = record["report"]["message"].as_str().unwrap();
    assert!(message.starts_with("API_TOKEN=*** red xxx"), "{message}");
    assert_eq!(message.chars().count(), 200);
    let journal = std::fs::read_to_string(home.path().join("journal.jsonl"));
    assert!(!journal.unwrap_or_default().contains("hunter2"));
    for wrong in [
        &["report"][..],
        &["report", "-j", "web"],
        &["report", "-j", "web", "-m", "x"],
        &["report", "-j", "web", "--state", "lazy"],
        &["report", "-j", "web", "--state", "idle", "--clear"],
    ] {
        home.run(wrong).expect_code(2);
    }
    let outside = home.run(&["report", "--state", "idle"]).expect_code(2);
    assert!(outside.stderr.contains("--job JOB"), "{outside}");
    home.run(&["report", "-j", "nosuch", "--state", "idle"])
        .expect_code(4);
}

#[test]
fn an_agent_reports_about_its_own_sessions_only() {
    let home = Home::new();
    let id = home.start(&["-n", "web", "exec sleep 1000"]);
    let mut agent = Serve::new(&home, &[]);
    let report = json!({"action": "report", "sessionId": id, "state": "blocked"});
    agent.err(report.clone(), "session_not_found");
    home.ok(&["share", "web", "write"]);
    agent.err(report, "permission_denied");
    let own = agent.ok(json!({"action": "start", "command": "sleep 1000", "background": true}));
    let report = json!({"action": "report", "sessionId": own["sessionId"], "state": "blocked", "message": "m"});
    let record = agent.ok(report);
    assert_eq!(record["report"]["state"], "blocked", "{record}");
    let events = agent.ok(json!({"action": "events", "afterSeq": 0}));
    let events = events["events"].as_array().unwrap().clone();
    let event = events.iter().find(|event| event["event"] == "reported");
    let event = event.unwrap_or_else(|| panic!("{events:?}"));
    assert_eq!(event["data"]["message"], "m", "{event}");
    assert_eq!(event["data"]["by"]["kind"], "agent", "{event}");
}

#[test]
fn hooks_of_agents_report_and_never_fail() {
    let home = Home::new();
    let said = r#"{"hook_event_name":"PermissionRequest","tool_name":"Bash","session_id":"4f"}"#;
    let line = format!("echo '{said}' | {BGPROC} report --hook claude; exec sleep 1000");
    home.start(&["-n", "claude", &line]);
    let record = until(&home, "claude", "the hook reports", |report| {
        report["state"] == "blocked"
    });
    assert_eq!(record["report"]["message"], "wants to use Bash");
    assert_eq!(record["resume"], "claude --resume 4f");
    // Outside of a job, and with nonsense.
    for input in [said, "nonsense", ""] {
        let ran = home.run_with_input(&["report", "--hook", "claude"], input.as_bytes());
        assert_eq!(ran.expect_code(0).stdout, "");
    }
    let gone = home.run_with_input(
        &["report", "--hook", "claude", "-j", "nosuch"],
        said.as_bytes(),
    );
    assert_eq!(gone.expect_code(0).stdout, "");
}

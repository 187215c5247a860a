//! The daemon is killed, again and again, under work: the next one goes on as if nothing had been.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::job::{Job, have};
use crate::support::process::Held;
use crate::support::{DEADLINE, Home, Serve};

/// Numbered lines for ever, ten bytes each on the terminal, about 100 kB a second: in half a minute far less than
/// the log keeps.
const FLOOD: &str = "exec python3 -c '
import sys, time
i = 0
while True:
    sys.stdout.write(\"\".join(\"%08d\\n\" % n for n in range(i, i + 50)))
    sys.stdout.flush()
    i += 50
    time.sleep(0.005)
'";

/// Bytes of a numbered line as the terminal sends it.
const LINE: u64 = 10;

/// Kills the daemon and waits for its end.
fn kill_daemon(serve: &mut Serve) -> Value {
    let before = serve.ok(json!({"action": "stats"}));
    let pid = u32::try_from(before["daemonPid"].as_u64().unwrap()).unwrap();
    let daemon = Held::new(pid).unwrap();
    daemon.signal(Signal::KILL);
    assert!(daemon.ended(DEADLINE), "it survives SIGKILL");
    before
}

#[test]
fn ten_kills_of_the_daemon_lose_nothing() {
    if !have("python3") || !have("vim") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let python = Job::start(&mut serve, "exec python3 -i -q");
    python.wait_screen(&mut serve, "^>>>$");
    python.say(&mut serve, "n = 0; print('at', n)", "^at 0$");
    let file = home.scratch("note.txt");
    let args = json!(["-u", "NONE", "-i", "NONE", file]);
    let vim = Job::request(&mut serve, json!({"command": "vim", "args": args}));
    vim.wait_screen(&mut serve, "^~$");
    vim.press(&mut serve, json!(["i", {"text": "half done"}]));
    vim.wait_screen(&mut serve, "^half done$");
    let flood = Job::start(&mut serve, FLOOD);
    flood.wait_for(&mut serve, "^00000100$");
    let shown = vim.ask(&mut serve, "capture", json!({}));
    let pids = pids(&mut serve);
    assert_eq!(pids.len(), 3, "{pids:?}");
    for round in 1..=10 {
        let brief = Job::start(&mut serve, "read x; exit 7");
        let pending = json!({"action": "wait", "sessionId": brief.id, "timeoutMs": 600_000});
        let pending = serve.send(pending);
        brief.ask(&mut serve, "write", json!({"data": "go\n"}));
        let before = kill_daemon(&mut serve);
        // Answered before the daemon died, or asked again.
        let waited = serve.reply(pending);
        assert_eq!(waited["result"]["exitCode"], 7, "{waited}");
        // By itself, on the same connection, without another word.
        let after = serve.ok(json!({"action": "stats"}));
        assert_ne!(after["daemonPid"], before["daemonPid"]);
        assert_eq!(after["keeperPid"], before["keeperPid"]);
        let end = brief.end(&mut serve);
        assert_eq!(
            (&end["status"], &end["exitCode"]),
            (&json!("error"), &json!(7))
        );
        brief.ask(&mut serve, "remove", json!({}));
        assert_eq!(self::pids(&mut serve), pids);
        let now = vim.ask(&mut serve, "capture", json!({}));
        for field in ["text", "cursor", "altScreen", "rows", "cols", "title"] {
            assert_eq!(now[field], shown[field], "{field} in round {round}");
        }
        let at = format!("^at {round}$");
        python.say(&mut serve, "n += 1; print('at', n)", &at);
        // It goes on while nobody and while another looks.
        let end = flood.ask(&mut serve, "status", json!({}))["outputBytes"].clone();
        let news = json!({"since": format!("c{end}"), "until": [{"pattern": "^\\d{8}$"}]});
        flood.wait_until(&mut serve, news);
    }
    vim.press(&mut serve, json!(["Escape", {"text": ":wq"}, "Enter"]));
    assert_eq!(vim.end(&mut serve)["exitCode"], 0);
    assert_eq!(std::fs::read_to_string(file).unwrap(), "half done\n");
    assert_eq!(flood.ask(&mut serve, "kill", json!({}))["status"], "killed");
    check_numbers(&whole_log(&mut serve, &flood));
    // Typed once, answered once, each time.
    let said = python.output(&mut serve);
    for round in 0..=10 {
        let line = format!("at {round}");
        assert_eq!(
            said.lines().filter(|text| **text == line).count(),
            1,
            "{said}"
        );
    }
}

#[test]
fn an_end_that_no_daemon_saw_is_known_with_its_code() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gate = home.scratch("gate");
    let made = std::process::Command::new("mkfifo").arg(&gate).status();
    assert!(made.unwrap().success());
    let line = "echo before; read x < \"$GATE\"; echo after; exit 23";
    let job = Job::request(&mut serve, json!({"command": line, "env": {"GATE": gate}}));
    job.wait_for(&mut serve, "^before$");
    let held = Held::new(job.pid.unwrap()).unwrap();
    // The first restart is immediate and the next ones are not: the third death leaves the time for the job to
    // end with no daemon there.
    for _ in 0..3 {
        kill_daemon(&mut serve);
    }
    std::fs::write(&gate, "\n").unwrap();
    assert!(
        held.ended(Duration::from_secs(10)),
        "it waits for the daemon"
    );
    let end = job.end(&mut serve);
    assert_eq!(
        (&end["status"], &end["exitCode"]),
        (&json!("error"), &json!(23))
    );
    assert_eq!(job.output(&mut serve), "before\nafter\n");
}

/// Sessions and their processes.
fn pids(serve: &mut Serve) -> Vec<(String, Value)> {
    let list = serve.ok(json!({"action": "list"}));
    let sessions = list["sessions"].as_array().unwrap();
    let mut pids: Vec<_> = sessions
        .iter()
        .map(|session| {
            assert_eq!(session["status"], "running", "{session}");
            (
                session["sessionId"].as_str().unwrap().to_owned(),
                session["pid"].clone(),
            )
        })
        .collect();
    pids.sort_by(|a, b| a.0.cmp(&b.0));
    pids
}

/// Every raw byte of a job.
fn whole_log(serve: &mut Serve, job: &Job) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let page = json!({"offset": bytes.len(), "limit": 524_288, "format": "base64"});
        let page = job.ask(serve, "log", page);
        assert_eq!(page["offset"], bytes.len(), "a gap");
        bytes.extend(STANDARD.decode(page["output"].as_str().unwrap()).unwrap());
        assert_eq!(page["nextOffset"], bytes.len());
        if page["eof"] == true {
            assert_eq!(page["totalBytes"], bytes.len());
            return bytes;
        }
    }
}

/// Fails unless the lines are 0, 1, 2 and so on, the last one perhaps cut.
fn check_numbers(bytes: &[u8]) {
    assert!(bytes.len() as u64 > 1000 * LINE, "{} bytes", bytes.len());
    for (n, line) in bytes.chunks(LINE as usize).enumerate() {
        let expected = format!("{n:08}\r\n");
        assert_eq!(
            String::from_utf8_lossy(line),
            expected[..line.len()],
            "at byte {} of {}",
            n as u64 * LINE,
            bytes.len()
        );
    }
}

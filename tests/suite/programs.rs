//! An agent and the programs of every day: interpreters, servers, floods, prompts for secrets.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::Path;

use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::process::{Held, is_alive};
use crate::support::{DEADLINE, Home, Serve, eventually};

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

#[test]
fn python_computes_is_interrupted_and_says_how_it_ended() {
    if !have("python3") {
        return;
    }
    let (_home, mut serve) = serve();
    let python = Job::start(&mut serve, "exec python3 -i -q");
    python.wait_screen(&mut serve, "^>>>$");
    python.say(&mut serve, "6 * 7", "^42$");
    let endless = r#"exec("print('it'+'s on')\nwhile True: pass")"#;
    python.say(&mut serve, endless, "^its on$");
    let interrupt =
        json!({"keys": ["C-c"], "wait": {"until": [{"pattern": "^KeyboardInterrupt$"}]}});
    let interrupted = python.ask(&mut serve, "send_keys", interrupt);
    assert_eq!(interrupted["outcome"], "matched", "{interrupted}");
    python.say(&mut serve, "print('still', 'here')", "^still here$");
    python.ask(
        &mut serve,
        "write",
        json!({"data": "raise SystemExit(3)\n"}),
    );
    let end = python.end(&mut serve);
    assert_eq!(
        (&end["status"], &end["exitCode"]),
        (&json!("error"), &json!(3))
    );
}

#[test]
fn a_shell_keeps_its_directory_and_wraps_only_on_its_screen() {
    if !have("bash") {
        return;
    }
    let (home, mut serve) = serve();
    let request = json!({"command": "bash", "args": ["--norc", "--noprofile", "-i"],
        "cwd": home.path(), "rows": 10, "cols": 40, "env": {"PS1": "\\W ready> "}});
    let bash = Job::request(&mut serve, request);
    bash.wait_screen(&mut serve, " ready>$");
    bash.say(&mut serve, "cd /usr && pwd", "^/usr$");
    bash.wait_screen(&mut serve, "^usr ready>$");
    let long = "x".repeat(200);
    bash.say(&mut serve, &format!("echo {long}"), "^x{200}$");
    bash.wait_screen(&mut serve, "^usr ready>$");
    let output = bash.output(&mut serve);
    let echoed = format!("usr ready> echo {long}\n{long}\n");
    assert!(output.contains(&echoed), "{output}");
    assert!(bash.screen(&mut serve).contains(&"x".repeat(40)));
    assert!(!bash.screen(&mut serve).contains(&"x".repeat(41)));
    bash.press(&mut serve, json!(["C-d"]));
    assert_eq!(bash.end(&mut serve)["exitCode"], 0);
}

#[test]
fn a_progress_bar_is_one_line() {
    let (_home, mut serve) = serve();
    let bar = "i=0; while [ $i -le 1000 ]; do i=$((i+1)); \
        printf '\\r\\033[32m[%-40s]\\033[0m %4d/1000' '####################' $i; done; echo; echo ok";
    let ended = Job::start(&mut serve, bar);
    ended.end(&mut serve);
    let poll = ended.ask(&mut serve, "poll", json!({"maxChars": 262_144}));
    let output = poll["output"].as_str().unwrap();
    assert!(poll["outputBytes"].as_u64().unwrap() > 50_000, "{poll}");
    assert!(output.len() < 250, "{} bytes: {output}", output.len());
    assert!(output.ends_with(" 1001/1000\nok\n"), "{output}");
    // Two bars at once, drawn by moving up.
    let bars = "i=0; echo; echo; while [ $i -lt 500 ]; do i=$((i+1)); \
        printf '\\033[2A\\033[2Kone %d\\n\\033[2Ktwo %d\\n' $i $i; done";
    let ended = Job::start(&mut serve, bars);
    ended.end(&mut serve);
    assert_eq!(ended.output(&mut serve), "one 500\ntwo 500\n");
}

#[test]
fn a_server_is_waited_for_used_and_ended() {
    if !have("python3") {
        return;
    }
    let (home, mut serve) = serve();
    std::fs::write(home.scratch("page.txt"), "hello from the server").unwrap();
    let command = "exec python3 -u -m http.server 0 --bind 127.0.0.1";
    let request = json!({"command": command, "cwd": home.path().join("scratch")});
    let server = Job::request(&mut serve, request);
    let up = server.wait_for(&mut serve, "Serving HTTP on \\S+ port (\\d+)");
    let port: u16 = up["matched"]["groups"][0]
        .as_str()
        .unwrap()
        .parse()
        .unwrap();
    let mut page = String::new();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_read_timeout(Some(DEADLINE)).unwrap();
    stream.write_all(b"GET /page.txt HTTP/1.0\r\n\r\n").unwrap();
    stream.read_to_string(&mut page).unwrap();
    assert!(page.ends_with("hello from the server"), "{page}");
    server.wait_for(&mut serve, "\"GET /page.txt HTTP/1.0\" 200");
    let killed = server.ask(&mut serve, "kill", json!({}));
    assert_eq!(
        (&killed["status"], &killed["signal"]),
        (&json!("killed"), &json!("SIGTERM"))
    );
    assert!(!is_alive(server.pid.unwrap()));
    let refused = TcpStream::connect(("127.0.0.1", port)).unwrap_err();
    assert_eq!(refused.kind(), std::io::ErrorKind::ConnectionRefused);
}

#[test]
fn the_end_of_a_burst_is_told_too() {
    let (_home, mut serve) = serve();
    serve.ok(json!({"action": "subscribe", "events": ["output"]}));
    let line = "stty -echo; echo one; read x; echo two; read x";
    let job = Job::start(&mut serve, line);
    serve.event("output");
    // Sooner than events of one session follow each other.
    job.say(&mut serve, "", "^two$");
    let told = serve.event("output");
    assert_eq!(told["data"]["outputLines"], 2, "{told}");
    assert_eq!(told["data"]["outputBytes"], 10, "{told}");
}

#[test]
fn a_flood_holds_up_nobody() {
    let (_home, mut serve) = serve();
    let flood = Job::start(&mut serve, "exec yes");
    let quiet = Job::start(&mut serve, "stty -echo; echo up; exec cat");
    quiet.wait_for(&mut serve, "^up$");
    let written = |serve: &mut Serve| {
        let status = flood.ask(serve, "status", json!({}));
        status["outputBytes"].as_u64().unwrap()
    };
    // How soon is what the bench `latency` measures; here it goes on beside the flood, and both go on.
    for n in 0..60 {
        let before = written(&mut serve);
        quiet.say(&mut serve, &format!("line {n}"), &format!("^line {n}$"));
        eventually("the flood goes on", || {
            (written(&mut serve) > before).then_some(())
        });
    }
    // Nothing in it is what we wait for, and a wait has its end all the same.
    let wait = json!({"until": [{"pattern": "^no$"}], "timeoutMs": 500});
    assert_eq!(flood.ask(&mut serve, "wait", wait)["outcome"], "timeout");
    assert_eq!(flood.ask(&mut serve, "kill", json!({}))["status"], "killed");
    let end = flood.ask(&mut serve, "poll", json!({}));
    let last = end["output"].as_str().unwrap();
    assert!(
        "y\n".repeat(251).contains(last) && last.len() == 500,
        "{last:?}"
    );
    quiet.say(&mut serve, "over", "^over$");
}

#[test]
fn a_passphrase_is_kept_nowhere() {
    if !have("ssh-keygen") {
        return;
    }
    let (home, mut serve) = serve();
    let key = home.scratch("key");
    let secret = "correct-horse-battery-7431";
    let args = json!(["-q", "-t", "ed25519", "-C", "test", "-f", key]);
    let keygen = Job::request(&mut serve, json!({"command": "ssh-keygen", "args": args}));
    keygen.wait_for(&mut serve, "Enter passphrase");
    keygen.say(&mut serve, secret, "Enter same passphrase again");
    keygen.ask(&mut serve, "write", json!({"data": secret, "submit": true}));
    let end = keygen.end(&mut serve);
    assert_eq!(end["exitCode"], 0, "{end}");
    // It is the passphrase of the key: it did arrive, both times.
    let mut check = std::process::Command::new("ssh-keygen");
    check.args(["-y", "-P", secret, "-f"]).arg(&key);
    assert!(check.output().unwrap().status.success());
    for request in [
        json!({"format": "raw"}),
        json!({"stream": "input"}),
        json!({"tail": 100}),
    ] {
        let mut request = request;
        request["action"] = json!("log");
        request["sessionId"] = json!(keygen.id);
        let said = serve.call(request).to_string();
        assert!(!said.contains(secret), "{said}");
    }
    assert!(!keygen.screen(&mut serve).contains(secret));
    let holders = files_with(home.path(), secret.as_bytes());
    assert!(holders.is_empty(), "{holders:?}");
    // The search can find: what was said on the terminal is there.
    assert!(!files_with(home.path(), b"Enter same passphrase").is_empty());
    drop(serve);
    home.ok(&["stop", "--all"]);
    let daemon = home.json(&["daemon", "status"])["daemonPid"]
        .as_u64()
        .unwrap();
    let held = Held::new(u32::try_from(daemon).unwrap()).unwrap();
    held.signal(rustix::process::Signal::KILL);
    assert!(held.ended(DEADLINE));
    home.ok(&["ls"]);
    let holders = files_with(home.path(), secret.as_bytes());
    assert!(holders.is_empty(), "after another daemon: {holders:?}");
}

/// Files below `dir` that have `bytes` in them.
fn files_with(dir: &Path, bytes: &[u8]) -> Vec<std::path::PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap() {
        let entry = entry.unwrap();
        let kind = entry.file_type().unwrap();
        if kind.is_dir() {
            found.extend(files_with(&entry.path(), bytes));
        } else if kind.is_file() {
            let content = std::fs::read(entry.path()).unwrap_or_default();
            if content.windows(bytes.len()).any(|part| part == bytes) {
                found.push(entry.path());
            }
        }
    }
    found
}

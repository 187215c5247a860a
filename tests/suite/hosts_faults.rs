//! What goes wrong on the way to another host, and what a person is told.

use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::fake::FakeDaemon;
use crate::support::process::write_script;
use crate::support::{Home, Person, Serve, Sshd};

/// A home with hosts that are reached by these commands, each a line of a shell.
fn by_commands(lines: &[(&str, &str)]) -> Home {
    let hosts = lines
        .iter()
        .map(|(name, line)| format!("[hosts.{name}]\ncommand = [\"sh\", \"-c\", '''{line}''']\n"));
    Home::with_config(&hosts.collect::<String>())
}

#[test]
fn what_ssh_refuses_is_told_in_its_words_with_what_to_do() {
    let Some(mut sshd) = Sshd::new(1) else { return };
    let config = sshd.ssh_config().display().to_string();
    let own = std::fs::read_to_string(&config).unwrap();
    let without = own.replace(&format!("{}/id\n", sshd.dir().display()), "/none\n");
    std::fs::write(sshd.dir().join("nokey"), without).unwrap();
    let nokey = sshd.dir().join("nokey").display().to_string();
    sshd.home
        .ok(&["hosts", "add", "nokey", "--", "-F", &nokey, "h1"]);
    let nobody = "UserKnownHostsFile=/dev/null";
    sshd.home.ok(&[
        "hosts", "add", "newkey", "--", "-F", &config, "-o", nobody, "h1",
    ]);
    // The server has another key than the one that is known.
    let key = std::fs::read_to_string(sshd.dir().join("id.pub")).unwrap();
    let known = std::fs::read_to_string(sshd.dir().join("known_hosts")).unwrap();
    let (alias, _) = known.split_once(' ').unwrap();
    let other = sshd.dir().join("other_hosts");
    std::fs::write(&other, format!("{alias} {key}")).unwrap();
    let other = format!("UserKnownHostsFile={}", other.display());
    sshd.home.ok(&[
        "hosts", "add", "changed", "--", "-F", &config, "-o", &other, "h1",
    ]);
    for (name, said, advice) in [
        (
            "changed",
            "the key of host changed has changed:",
            "ask who runs it whether that is right",
        ),
        (
            "nokey",
            "host nokey wants a login:",
            "bgproc hosts login nokey",
        ),
        (
            "newkey",
            "the key of host newkey is not known:",
            "bgproc hosts login newkey",
        ),
    ] {
        let ran = sshd.home.run(&["-H", name, "ls"]).expect_code(69);
        ran.expect_said(said).expect_said(advice);
    }
    sshd.down();
    let began = Instant::now();
    let ran = sshd.home.run(&["-H", "h1", "ls"]).expect_code(69);
    let ran = ran.expect_said("host h1 cannot be reached: ssh: connect to host 127.0.0.1");
    // It was never reached from here, so nothing is known of jobs there.
    let ran = ran.expect_said("Connection refused");
    let ran = ran.expect_said("bgproc hosts doctor h1");
    assert!(!ran.stderr.contains("jobs go on"), "{ran}");
    assert!(began.elapsed() < Duration::from_secs(5));
    let doctor = sshd.home.run(&["hosts", "doctor", "h1"]).expect_code(1);
    assert!(doctor.stdout.contains("problem"), "{doctor}");
    assert!(doctor.stdout.contains("-> start sshd there"), "{doctor}");
    let mut json = sshd.home.command(&["--json", "-H", "h1", "ls"]);
    json.env("LC_ALL", "C");
    Home::finish(json, &["ls"]).expect_code(69);
}

#[test]
fn jobs_go_on_while_the_server_is_away() {
    let Some(mut sshd) = Sshd::new(1) else { return };
    let mut serve = Serve::new(&sshd.home, &["-H", "h1"]);
    let started = serve.ok(json!({"action": "start", "command": "read x; echo got $x"}));
    let id = started["sessionId"].clone();
    serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"input": true}]}));
    sshd.down();
    // The answer comes when there is a connection again, or says what is wrong.
    let failed = serve.call(json!({"action": "status", "sessionId": id}));
    if failed["ok"] == false {
        let code = failed["error"]["code"].as_str().unwrap();
        assert!(
            ["host_unreachable", "daemon_unavailable"].contains(&code),
            "{failed}"
        );
    }
    sshd.up();
    crate::support::eventually("the session is there again", || {
        let reply = serve.call(json!({"action": "status", "sessionId": id}));
        (reply["ok"] == true).then_some(())
    });
    serve.ok(json!({"action": "write", "sessionId": id, "data": "it\n"}));
    let over = serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"exit": true}]}));
    assert_eq!(over["exitCode"], 0, "{over}");
}

#[test]
fn noise_before_the_program_is_skipped_and_too_much_of_it_is_named() {
    let far = Home::new();
    let bgproc = env!("CARGO_BIN_EXE_bgproc");
    let run = format!(
        "BGPROC_HOME={}; export BGPROC_HOME; PATH={}:$PATH; exec sh",
        far.path().display(),
        std::path::Path::new(bgproc).parent().unwrap().display()
    );
    let home = by_commands(&[
        (
            "noisy",
            &format!("echo Welcome; printf '\\001bgproc'; {run}"),
        ),
        ("flood", &format!("seq 100000; {run}")),
        ("gone", "echo so long >&2; exit 3"),
        (
            "missing",
            "PATH=/usr/bin:/bin; HOME=/none; export HOME; exec sh",
        ),
    ]);
    assert_eq!(home.ok(&["-H", "noisy", "run", "-w", "echo hi"]), "hi\n");
    for (name, said) in [
        (
            "flood",
            "its shell prints more than 64 KiB before it runs a command",
        ),
        ("gone", "host gone cannot be reached: so long"),
        ("missing", "there is no bgproc on host missing (Linux-"),
    ] {
        home.run(&["-H", name, "ls"])
            .expect_code(69)
            .expect_said(said);
    }
    home.run(&["hosts", "login", "gone"])
        .expect_code(69)
        .expect_said("host gone cannot be reached: so long");
    assert!(home.ok(&["hosts", "login", "noisy"]).is_empty());
}

#[test]
fn an_older_or_newer_daemon_there_is_named_with_what_to_do() {
    for (protocol, advice) in [
        (
            0,
            "bgproc hosts install old, then bgproc -H old daemon upgrade",
        ),
        (2, "install the newer bgproc of host old here, too"),
    ] {
        let far = Home::new();
        let daemon = FakeDaemon::new(&far);
        let home = Home::with_config(&format!(
            "[hosts.old]\ncommand = [\"sh\"]\nbgproc = \"{}\"\nhome = \"{}\"\n",
            env!("CARGO_BIN_EXE_bgproc"),
            far.path().display()
        ));
        let ran = std::thread::scope(|scope| {
            let verb = scope.spawn(|| home.run(&["-H", "old", "ls"]));
            daemon.accept(protocol, "human");
            verb.join().unwrap()
        });
        ran.expect_code(69)
            .expect_said("the daemon on host old (bgproc 9.9.9) speaks protocol")
            .expect_said(advice);
        // The same through the daemon here.
        home.ok(&["daemon", "start"]);
        let mut person = Person::new(&home);
        let refused = std::thread::scope(|scope| {
            let asked = scope.spawn(|| person.call(json!({"action": "connect", "host": "old"})));
            daemon.accept(protocol, "human");
            asked.join().unwrap()
        });
        let error = &refused["error"];
        assert_eq!(error["code"], "incompatible_version", "{refused}");
        assert!(
            error["hint"].as_str().unwrap().contains(advice),
            "{refused}"
        );
    }
}

#[test]
fn a_host_that_says_nothing_is_given_up_after_ten_seconds() {
    let home = by_commands(&[("silent", "exec sleep 60")]);
    let began = Instant::now();
    let ran = home.run(&["-H", "silent", "ls"]).expect_code(69);
    ran.expect_said("host silent cannot be reached: no answer within 10 s");
    let took = began.elapsed();
    assert!(
        took >= Duration::from_secs(9) && took < Duration::from_secs(16),
        "{took:?}"
    );
}

#[test]
fn a_shared_connection_whose_other_end_is_dead_is_not_waited_for() {
    let socket = std::env::temp_dir().join(format!("bgproc-cm-{}", std::process::id()));
    let Some(sshd) = Sshd::with(1, &format!("ControlPath {}", socket.display())) else {
        return;
    };
    // It takes the connection and never answers, as a master does whose network is gone.
    let listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    std::fs::set_permissions(&socket, std::fs::Permissions::from_mode(0o600)).unwrap();
    let ran = sshd.home.run(&["-H", "h1", "run", "-w", "echo alive"]);
    drop(listener);
    std::fs::remove_file(&socket).unwrap();
    assert_eq!(ran.expect_code(0).stdout, "alive\n");
}

#[test]
fn bgproc_is_installed_where_there_was_none() {
    let far = Home::new();
    let there = far.scratch("there");
    std::fs::create_dir_all(&there).unwrap();
    let shell = format!(
        "BGPROC_HOME={}; HOME={}; PATH=/usr/bin:/bin; export BGPROC_HOME HOME PATH; exec sh",
        far.path().display(),
        there.display()
    );
    let home = by_commands(&[("box", &shell)]);
    let none = home.run(&["-H", "box", "ls"]).expect_code(69);
    none.expect_said("bgproc hosts install box");
    let asks = home.run(&["hosts", "install", "box"]).expect_code(1);
    asks.expect_said("--yes is the answer to it");
    // Nothing is changed before the answer.
    assert_eq!(std::fs::read_dir(&there).unwrap().count(), 0);
    std::fs::write(there.join(".local"), "in the way").unwrap();
    let blocked = home.run(&["hosts", "install", "box", "--yes"]);
    blocked
        .expect_code(69)
        .expect_said("bgproc was not installed on box: mkdir: ");
    std::fs::remove_file(there.join(".local")).unwrap();
    let false_one = home.scratch("false");
    std::fs::write(&false_one, "#!/bin/sh\necho broken; exit 1\n").unwrap();
    let wrong = home.run(&[
        "hosts",
        "install",
        "box",
        "--yes",
        "--from",
        false_one.to_str().unwrap(),
    ]);
    wrong
        .expect_code(69)
        .expect_said("it does not run there: broken");
    assert!(!there.join(".local/bin/bgproc").exists());
    let installed = home
        .run(&["hosts", "install", "box", "--yes"])
        .expect_code(0);
    installed.expect_said("is in ~/.local/bin on box");
    let left = std::fs::read_dir(there.join(".local/bin")).unwrap().count();
    assert_eq!(left, 1);
    assert_eq!(home.ok(&["-H", "box", "run", "-w", "echo hi"]), "hi\n");
}

#[test]
fn an_old_bgproc_that_comes_first_is_named() {
    let far = Home::new();
    let (there, old) = (far.scratch("there"), far.scratch("old"));
    for dir in [&there, &old] {
        std::fs::create_dir_all(dir).unwrap();
    }
    write_script(
        &old.join("bgproc"),
        "#!/bin/sh\necho \"error: unrecognized subcommand 'relay'\" >&2; exit 2\n",
    );
    let shell = format!(
        "BGPROC_HOME={}; HOME={}; PATH={}:/usr/bin:/bin; export BGPROC_HOME HOME PATH; exec sh",
        far.path().display(),
        there.display(),
        old.display()
    );
    let home = by_commands(&[("box", &shell)]);
    let first = old.join("bgproc").display().to_string();
    let cure = "`bgproc = \"~/.local/bin/bgproc\"` in [hosts.box]";
    home.run(&["-H", "box", "ls"])
        .expect_code(69)
        .expect_said(&format!("is too old for links: {first}"))
        .expect_said(cure);
    home.run(&["hosts", "install", "box", "--yes"])
        .expect_code(0)
        .expect_said(&format!("{first} is still run on box"))
        .expect_said(cure);
}

#[test]
fn a_home_that_cannot_be_used_there_is_one_of_the_configuration_here() {
    let home = Home::with_config(&format!(
        "[hosts.box]\ncommand = [\"sh\"]\nbgproc = \"{}\"\nhome = \"/dev/null/x\"\n",
        env!("CARGO_BIN_EXE_bgproc"),
    ));
    home.run(&["-H", "box", "ls"])
        .expect_code(69)
        .expect_said("host box: cannot use /dev/null/x")
        .expect_said("set `home` in [hosts.box]");
    let report = home.run(&["hosts", "doctor", "box"]).expect_code(1);
    assert!(report.stdout.contains("cannot use /dev/null/x"), "{report}");
}

#[test]
fn a_launcher_that_a_host_does_not_know_is_looked_for_there() {
    let far = Home::new();
    let home = Home::with_config(&format!(
        "[hosts.box]\ncommand = [\"sh\"]\nbgproc = \"{}\"\nhome = \"{}\"\n",
        env!("CARGO_BIN_EXE_bgproc"),
        far.path().display()
    ));
    home.run(&["-H", "box", "run", "--on", "nope", "true"])
        .expect_code(2)
        .expect_said("there is no launcher nope on box");
}

#[test]
fn what_a_bgproc_elsewhere_prints_has_no_effect_on_the_terminal() {
    let home = Home::new();
    let fake = home.scratch("bgproc");
    let script = "#!/bin/sh\nprintf '\\033]0;OWNED\\007told\\n' >&2\nexit 1\n";
    write_script(&fake, script);
    let config = format!(
        "[hosts.box]\ncommand = [\"sh\"]\nbgproc = \"{}\"\n",
        fake.display()
    );
    std::fs::write(home.path().join("config.toml"), config).unwrap();
    let ran = home.run(&["-H", "box", "doctor"]);
    assert_eq!(ran.stderr, "told\n", "{ran}");
}

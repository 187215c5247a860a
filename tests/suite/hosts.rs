//! Other hosts by `-H`: a real ssh to a real sshd, each host with a daemon of its own.

use serde_json::json;

use crate::support::{DEADLINE, Home, Mcp, Serve, Sshd, Terminal, eventually, eventually_within};

#[test]
fn hosts_are_named_listed_and_removed() {
    let home = Home::with_config("# mine\nascii = true # always\n");
    let added = home.run(&["hosts", "add", "gpu1", "--", "-p", "2222", "me@gpu1"]);
    added
        .expect_code(0)
        .expect_said("bgproc hosts doctor gpu1 checks it");
    home.ok(&["hosts", "add", "box"]);
    home.ok(&[
        "hosts",
        "add",
        "--command",
        "pod",
        "docker",
        "exec",
        "-i",
        "c",
        "sh",
    ]);
    let config = std::fs::read_to_string(home.path().join("config.toml")).unwrap();
    assert!(
        config.starts_with("# mine\nascii = true # always\n"),
        "{config}"
    );
    let listed = home.ok(&["hosts", "ls"]);
    for line in [
        "box   idle   0     ssh box",
        "gpu1  idle   0     ssh -p 2222 me@gpu1",
        "pod   idle   0     docker exec -i c sh",
    ] {
        assert!(listed.contains(line), "{listed}");
    }
    for serve in ["--serve", "mcp"] {
        home.run(&[serve, "--hosts", "box,gpu2"])
            .expect_code(2)
            .expect_said("there is no host gpu2 in config.toml");
    }
    let again = home.run(&["hosts", "add", "gpu1", "x"]).expect_code(1);
    again.expect_said("there is a host gpu1 already");
    home.run(&["hosts", "add", "local"]).expect_code(2);
    home.ok(&["hosts", "rm", "box"]);
    let gone = home.run(&["-H", "box", "ls"]).expect_code(2);
    gone.expect_said("there is no host box in config.toml");
    let near = home.run(&["ls", "-H", "gpu2"]).expect_code(2);
    near.expect_said("did you mean gpu1?");
    home.run(&["hosts", "rm", "box"]).expect_code(2);
    // This machine has a name, too.
    home.ok(&["-H", "local", "ls"]);
    let wrong = home
        .run(&["-H", "gpu1", "exec", "web", "--", "true"])
        .expect_code(2);
    wrong.expect_said("use bgproc run -w -H HOST");
}

#[test]
fn every_verb_acts_on_the_host_and_starts_jobs_with_what_is_there() {
    let Some(sshd) = Sshd::new(2) else { return };
    let far = |args: &[&str]| {
        let mut all = vec!["-H", "h1"];
        all.extend(args);
        sshd.home.run_with_env(&all, &[("MARK", "near")])
    };
    let ran = far(&[
        "run",
        "-w",
        "echo ${MARK:-none} ${SSH_CONNECTION:+by ssh} $BGPROC_HOME; exit 3",
    ]);
    let ran = ran.expect_code(3);
    let there = sshd.hosts[0].path().display().to_string();
    assert_eq!(ran.stdout, format!("none by ssh {there}\n"), "{ran}");
    // A directory is one of the host: a relative one begins at that of a login.
    let login = far(&["run", "-w", "pwd"]).expect_code(0).stdout;
    let ran = far(&["run", "-w", "-C", ".", "pwd"]).expect_code(0);
    assert_eq!(ran.stdout, login);
    far(&["run", "-w", "-C", "/nowhere", "pwd"]).expect_said("/nowhere");
    far(&["run", "-n", "cat", "cat"]).expect_code(0);
    far(&["send", "cat", "hello there"]).expect_code(0);
    far(&["wait", "cat", "--for", "match:hello there"]).expect_code(0);
    assert!(
        far(&["logs", "cat"])
            .expect_code(0)
            .stdout
            .contains("hello there\n")
    );
    assert!(
        far(&["capture", "cat"])
            .expect_code(0)
            .stdout
            .contains("hello there")
    );
    assert!(far(&["ls"]).expect_code(0).stdout.contains("cat"));
    // Neither this machine nor the other host knows it.
    assert!(!sshd.home.ok(&["ls", "-H", "local"]).contains("cat"));
    assert!(!sshd.home.ok(&["ls", "-H", "h2"]).contains("cat"));
    // By the variable, and by the host's own bgproc for what is about the machine.
    let env = [("BGPROC_HOST", "h1")];
    let status = sshd
        .home
        .run_with_env(&["status", "cat"], &env)
        .expect_code(0);
    assert!(status.stdout.contains("needs input"), "{status}");
    let daemon = sshd
        .home
        .run_with_env(&["daemon", "status", "--json"], &env);
    assert!(daemon.expect_code(0).stdout.contains(&there));
    far(&["stop", "cat"]).expect_code(0);
    far(&["status", "cat"]).expect_code(3);
    let doctor = sshd.home.run(&["hosts", "doctor", "h1"]).expect_code(0);
    assert!(doctor.stdout.contains("one round trip takes"), "{doctor}");
    far(&["daemon", "stop", "--kill"]).expect_code(0);
    let none = far(&["daemon", "status"]).expect_code(3);
    assert!(none.stderr.contains("no daemon is running"), "{none}");
}

#[test]
fn agents_work_on_a_host_as_here() {
    let Some(sshd) = Sshd::new(1) else { return };
    let mut serve = Serve::new(&sshd.home, &["-H", "h1"]);
    let id = serve.ok(json!({"action": "start", "command": "read x; echo got $x; exit 4"}));
    let id = id["sessionId"].clone();
    serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"input": true}]}));
    serve.ok(json!({"action": "write", "sessionId": id, "data": "this\n"}));
    let over = serve.ok(json!({"action": "wait", "sessionId": id, "until": [{"exit": true}]}));
    assert_eq!(over["exitCode"], 4, "{over}");
    let capture = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert!(
        capture["text"].as_str().unwrap().contains("got this"),
        "{capture}"
    );
    let mut mcp = Mcp::model(&sshd.home, &["-H", "h1"]);
    let text = mcp.text("start", json!({"command": "echo $((6 * 7))"}));
    assert!(text.contains("42"), "{text}");
    let here = sshd.home.ok(&["ls", "-H", "local"]);
    assert!(!here.contains("read x"), "{here}");
}

#[test]
fn a_view_of_a_host_survives_cuts_and_types_into_the_same_job() {
    let Some(sshd) = Sshd::new(1) else { return };
    sshd.home.ok(&["-H", "h1", "run", "-n", "cat", "cat"]);
    let mut view = Terminal::new(&sshd.home, &["-H", "h1"], (100, 20));
    view.wait_for_text("cat");
    view.wait_mode("NORMAL");
    view.press("i");
    view.wait_mode("INSERT");
    for number in 0..3 {
        let word = format!("word{number}");
        view.send(&word);
        view.wait_for_text(&word);
        view.send("\r");
        // Its echo, and what cat makes of it.
        view.wait_for("an answer", |screen| {
            screen.text(true).matches(&word).count() == 2
        });
        assert!(sshd.cut() > 0);
        let mark = format!("#{number}");
        eventually("a key arrives again", || {
            view.send(&mark);
            view.watch(std::time::Duration::from_millis(100));
            if view.text().contains("keys were lost") {
                // The person sees it, and types on.
                view.watch(std::time::Duration::from_millis(700));
                view.send("i");
            }
            view.text().contains(&mark).then_some(())
        });
        view.send("\r");
    }
    let log = sshd.home.ok(&["-H", "h1", "logs", "cat"]);
    for number in 0..3 {
        assert!(log.contains(&format!("word{number}\n")), "{log}");
    }
}

#[test]
fn a_wait_goes_on_over_cuts_until_its_deadline() {
    let Some(mut sshd) = Sshd::new(1) else { return };
    let gate = sshd.home.gate();
    let line = format!("read x <{}; exit 7", gate.display());
    sshd.home.ok(&["-H", "h1", "run", "-n", "job", &line]);
    let wait = |args: &[&str]| {
        let all = [&["-H", "h1", "wait", "job"], args].concat();
        let mut command = sshd.home.command(&all);
        command
            .stderr(std::process::Stdio::piped())
            .spawn()
            .unwrap()
    };
    let (patient, limited) = (wait(&[]), wait(&["--timeout", "15s"]));
    // Each has a connection for the wait, and one for restarts; the question has one, too.
    eventually("both wait", || {
        let asked = ["-H", "h1", "daemon", "status"];
        let count = sshd.home.json(&asked)["connections"].as_u64();
        (count >= Some(5)).then_some(())
    });
    sshd.down();
    let late = limited.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&late.stderr).into_owned();
    assert_eq!(late.status.code(), Some(124), "{said}");
    sshd.up();
    std::fs::write(&gate, "go\n").unwrap();
    let over = patient.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&over.stderr).into_owned();
    assert_eq!(over.status.code(), Some(7), "{said}");
}

#[test]
fn a_log_of_another_host_is_exported_to_a_file_of_this_machine() {
    let Some(sshd) = Sshd::new(1) else { return };
    let home = &sshd.home;
    // Longer than a reply may be.
    let line = "seq 400000";
    home.ok(&["-H", "h1", "run", "-n", "numbers", line]);
    home.ok(&["-H", "h1", "wait", "numbers"]);
    let text: String = (1..=400_000).map(|number| format!("{number}\n")).collect();
    let file = home.scratch("numbers.txt");
    let path = file.display().to_string();
    home.ok(&["export", "numbers@h1", "-o", &path]);
    assert!(std::fs::read_to_string(&file).unwrap() == text);
    let printed = home.ok(&["export", "numbers@h1", "--format", "text"]);
    assert!(printed == text, "{} bytes", printed.len());
    // Such a file is on no machine.
    home.run(&["export", "numbers@h1", "-o", "/no/such/dir/numbers.txt"])
        .expect_code(1)
        .expect_said("cannot write /no/such/dir/numbers.txt");
}

#[test]
fn a_log_that_is_followed_over_cuts_loses_and_doubles_nothing() {
    let Some(sshd) = Sshd::new(1) else { return };
    let count = 4000;
    let line = format!(
        "for i in $(seq {count}); do echo line $i; [ $((i % 40)) -ne 0 ] || sleep 0.05; done"
    );
    sshd.home.ok(&["-H", "h1", "run", "-n", "numbers", &line]);
    let out = sshd.home.scratch("followed");
    let mut follow = sshd.home.command(&["-H", "h1", "logs", "-f", "numbers"]);
    follow.stdout(std::fs::File::create(&out).unwrap());
    let mut follower = follow.spawn().unwrap();
    let read = || std::fs::read_to_string(&out).unwrap();
    eventually("the first line comes", || {
        (!read().is_empty()).then_some(())
    });
    let (mut cuts, mut seen) = (0, 0);
    let status = eventually_within(DEADLINE * 3, "the last line comes", || {
        // Each link brings something before it is cut.
        let length = read().len();
        if length > seen {
            (seen, cuts) = (length, cuts + sshd.cut());
        }
        follower.try_wait().unwrap()
    });
    let read = read();
    assert!(
        status.success() && cuts > 3,
        "{status}, {cuts} cuts: {read}"
    );
    let expected: String = (1..=count)
        .map(|number| format!("line {number}\n"))
        .collect();
    assert!(read == expected, "{read}");
}

//! Policies of `--serve`, which the daemon enforces.

use serde_json::{Value, json};

use crate::support::daemon::kill_pid;
use crate::support::job::Job;
use crate::support::process::write_script;
use crate::support::{Home, Serve};

fn line(command: &str) -> Value {
    json!({"action": "start", "command": command})
}

#[test]
fn a_read_only_agent_looks_and_changes_nothing() {
    let home = Home::new();
    let mut owner = Serve::new(&home, &["--scope", "s"]);
    let job = Job::start(&mut owner, "echo up; exec cat");
    job.wait_for(&mut owner, "^up$");
    let mut looking = Serve::new(&home, &["--scope", "s", "--read-only"]);
    let id = &job.id;
    let dir = home.scratch("shop");
    std::fs::create_dir_all(&dir).unwrap();
    let file = "version = 1\nagents = \"write\"\n[jobs.web]\nrun = \"exec sleep 1000\"\n";
    std::fs::write(dir.join("bgproc.toml"), file).unwrap();
    let reads = [
        json!({"action": "list"}),
        json!({"action": "status", "sessionId": id}),
        json!({"action": "poll", "sessionId": id}),
        json!({"action": "log", "sessionId": id}),
        json!({"action": "capture", "sessionId": id}),
        json!({"action": "wait", "sessionId": id, "timeoutMs": 1}),
        json!({"action": "events"}),
        json!({"action": "subscribe"}),
        json!({"action": "watch", "sessionId": id}),
        json!({"action": "unwatch", "sessionId": id}),
        json!({"action": "stats"}),
        json!({"action": "project", "op": "plan", "dir": dir}),
    ];
    reads
        .into_iter()
        .for_each(|request| drop(looking.ok(request)));
    let changes = [
        json!({"action": "start", "command": "true"}),
        json!({"action": "write", "sessionId": id, "data": "x"}),
        json!({"action": "send_keys", "sessionId": id, "keys": ["x"]}),
        json!({"action": "resize", "sessionId": id, "rows": 10, "cols": 10}),
        json!({"action": "signal", "sessionId": id, "signal": "TERM"}),
        json!({"action": "kill", "sessionId": id}),
        json!({"action": "clear", "sessionId": id}),
        json!({"action": "remove", "sessionId": id}),
        json!({"action": "restart", "sessionId": id}),
        json!({"action": "set", "sessionId": id, "label": "x"}),
        json!({"action": "ask_human", "sessionId": id, "message": "x"}),
        json!({"action": "shutdown"}),
        json!({"action": "project", "op": "up", "dir": dir}),
        json!({"action": "project", "op": "reload", "dir": dir}),
        json!({"action": "project", "op": "down", "dir": dir}),
        json!({"action": "queue", "group": "builds", "parallel": 1}),
        json!({"action": "events", "ack": 1}),
    ];
    for request in changes {
        looking.err(request, "permission_denied");
    }
    assert_eq!(
        job.ask(&mut owner, "status", json!({}))["status"],
        "running"
    );
}

#[test]
fn a_shell_line_may_join_allowed_programs_and_nothing_else() {
    let home = Home::new();
    let tools = home.scratch("tools");
    std::fs::create_dir_all(&tools).unwrap();
    let evil = tools.join("cat");
    write_script(&evil, "#!/bin/sh\necho evil\n");
    let mut agent = Serve::new(&home, &["--allow", "echo,cat,false,printf"]);
    for (command, output) in [
        (
            "echo one && echo two | cat; false || echo 'th;ree'",
            "one\ntwo\nth;ree\n",
        ),
        ("echo \"$BGPROC_ODD\" 2>&1 >/dev/null; echo end", "end\n"),
        ("\"ec\"ho x", "x\n"),
    ] {
        assert_eq!(agent.ok(line(command))["output"], output, "{command}");
    }
    // No builtin is run under the name of a program: this one would set PATH.
    let tried = format!(
        "printf -v PATH {}; cat </dev/null; echo end",
        tools.display()
    );
    let said = agent.ok(line(&tried));
    assert!(!said["output"].as_str().unwrap().contains("evil"), "{said}");
    let evil = evil.display();
    for (command, named) in [
        ("id", "`id`"),
        ("echo x; id", "`id`"),
        ("echo x | sh", "`sh`"),
        ("eval id", "`eval`"),
        ("exec id", "`exec`"),
        (". ./x", "`.`"),
        ("command id", "`command`"),
        ("trap id EXIT", "`trap`"),
        ("alias echo=id", "`alias`"),
        ("if echo x", "`if`"),
        ("time id", "`time`"),
        ("env cat", "`env`"),
        (&format!("{evil} x"), "tools/cat"),
        ("echo $(id)", "plain name"),
        ("echo `id`", "inside a word"),
        ("cat() { id; }; cat", "( )"),
        ("PATH=/tmp cat", "PATH=/tmp"),
        ("echo x > cat", "`>`"),
        ("$HOME/x", "not plain"),
    ] {
        let error = agent.err(line(command), "permission_denied");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains(named), "{command}: {message}");
        assert!(message.contains("allowed: echo, cat"), "{message}");
    }
    // Neither by the environment, nor by the directory.
    for name in [
        "PATH",
        "LD_PRELOAD",
        "BASH_ENV",
        "ENV",
        "IFS",
        "BASH_FUNC_cat%%",
    ] {
        let mut start = line("cat /dev/null");
        start["env"] = json!({ name: tools.display().to_string() });
        agent.err(start, "permission_denied");
    }
    for start in [
        json!({"action": "start", "command": "./cat", "args": [], "cwd": tools}),
        json!({"action": "start", "command": "./cat", "cwd": tools}),
    ] {
        agent.err(start, "permission_denied");
    }
    let mut start = line("cat /dev/null; echo $ODD");
    start["env"] = json!({"ODD": "fine"});
    start["cwd"] = json!(tools);
    assert_eq!(agent.ok(start)["output"], "fine\n");
    // With the shell on the list there is nothing to check.
    let mut shell = Serve::new(&home, &["--allow", "sh"]);
    assert_eq!(shell.ok(line("echo $(echo x)"))["output"], "x\n");
}

#[test]
fn a_restart_starts_only_what_is_allowed() {
    let home = Home::new();
    let mut free = Serve::new(&home, &["--scope", "s"]);
    let sleeps = Job::start(&mut free, "sleep 1000");
    let more = Job::start(&mut free, "sleep 1000; id");
    let mut few = Serve::new(&home, &["--scope", "s", "--allow", "sleep"]);
    let restart = |job: &Job| json!({"action": "restart", "sessionId": job.id});
    few.ok(restart(&sleeps));
    few.err(restart(&more), "permission_denied");
    assert_eq!(more.ask(&mut few, "status", json!({}))["status"], "running");
}

#[test]
fn a_list_of_programs_holds_for_what_is_typed_into_shells() {
    let home = Home::new();
    let mut free = Serve::new(&home, &["--scope", "s"]);
    let shell = Job::request(&mut free, json!({"command": "sh", "args": []}));
    let reader = Job::start(&mut free, "cat");
    let mut few = Serve::new(&home, &["--scope", "s", "--allow", "echo,cat"]);
    let exec = |command: &str| json!({"action": "exec", "sessionId": shell.id, "command": command});
    let said = few.ok(exec("echo one && echo two"));
    assert_eq!(said["exitCode"], 0, "{said}");
    let error = few.err(exec("echo one; id"), "permission_denied");
    assert!(
        error["message"].as_str().unwrap().contains("`id`"),
        "{error}"
    );
    for (action, how) in [
        ("write", json!({"data": "id", "submit": true})),
        ("send_keys", json!({"keys": ["C-c"]})),
    ] {
        let mut asked = how;
        asked["action"] = json!(action);
        asked["sessionId"] = json!(shell.id);
        let error = few.err(asked, "permission_denied");
        let message = error["message"].as_str().unwrap();
        assert!(message.contains("could not start: `sh`"), "{message}");
    }
    // It could have started this one.
    reader.say(&mut few, "hello", "hello");
}

#[test]
fn what_is_to_end_with_its_agent_ends_also_when_that_is_killed() {
    let home = Home::new();
    let mut keep = Serve::new(&home, &["--scope", "keeps"]);
    let kept = Job::start(&mut keep, "exec sleep 1000");
    let mut agent = Serve::new(&home, &["--scope", "kills", "--on-disconnect", "kill"]);
    let job = Job::start(&mut agent, "sleep 1000 & exec sleep 1000");
    kill_pid(agent.pid());
    kill_pid(keep.pid());
    // Ends with the job's own code.
    home.run(&["wait", &job.id, "--timeout", "15s"])
        .expect_code(143);
    let status = home.run(&["--json", "status", &job.id]).stdout;
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["status"], "killed", "{status}");
    assert_eq!(status["endedBy"]["kind"], "agent", "{status}");
    let kept = home.json(&["status", &kept.id]);
    assert_eq!(kept["status"], "running");
}

#[test]
fn what_waits_for_its_turn_does_not_run_once_its_agent_is_gone() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &["--scope", "kills", "--on-disconnect", "kill"]);
    let first = Job::start(&mut agent, "exec sleep 1000");
    let ran = home.scratch("ran");
    let after = json!({"command": format!("touch {}", ran.display()),
        "after": [{"sessionId": first.id, "is": "done"}]});
    let second = Job::request(&mut agent, after);
    let status = agent.ok(json!({"action": "status", "sessionId": second.id}));
    assert_eq!(status["status"], "queued", "{status}");
    kill_pid(agent.pid());
    home.run(&["wait", &first.id, "--timeout", "15s"])
        .expect_code(143);
    home.run(&["wait", &second.id, "--timeout", "15s"]);
    let status = home.run(&["--json", "status", &second.id]).stdout;
    let status: Value = serde_json::from_str(&status).unwrap();
    assert_eq!(status["status"], "killed", "{status}");
    assert!(!ran.exists());
    let events = home.ok(&["--json", "events"]);
    let ends = events
        .lines()
        .filter(|line| line.contains("\"exited\"") && line.contains(second.id.as_str()));
    assert_eq!(ends.count(), 1, "{events}");
}

#[test]
fn no_variable_hides_a_command_from_the_list() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--allow", "cat"]);
    let env = json!({"x": "/bin/sh -c id>pwn; "});
    for command in ["${x}2>/dev/null cat", "$x 2>&1 cat", "${x}0</dev/null cat"] {
        let start = json!({"action": "start", "command": command, "env": env});
        serve.err(start, "permission_denied");
    }
    // Either way to the same directory is the same program.
    for cat in ["/bin/cat", "/usr/bin/cat"] {
        if std::path::Path::new(cat).exists() && std::path::Path::new("/bin").is_symlink() {
            serve.ok(json!({"action": "start", "command": cat, "args": ["/dev/null"]}));
        }
    }
}

#[test]
fn an_allowed_program_is_not_told_to_start_another_one() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--allow", "git,find,tar,echo"]);
    let flag = home.scratch("evil");
    let evil = format!("touch {}", flag.display());
    for (command, args) in [
        (
            "git",
            json!(["-c", format!("core.pager={evil}"), "-p", "--version"]),
        ),
        ("git", json!(["-c", format!("alias.x=!{evil}"), "x"])),
        ("git", json!(["ls-remote", format!("ext::{evil}")])),
        ("find", json!(["/dev/null", "-exec", "touch", flag, ";"])),
        (
            "tar",
            json!([
                "-cf",
                "/dev/null",
                "--checkpoint=1",
                format!("--checkpoint-action=exec={evil}"),
                "/dev/null"
            ]),
        ),
    ] {
        let start = json!({"action": "start", "command": command, "args": args});
        let error = serve.err(start, "permission_denied");
        let said = error["message"].as_str().unwrap();
        assert!(said.contains("which runs another program"), "{said}");
    }
    for command in [
        format!("git -c 'alias.x=!{evil}' x"),
        "echo x && git -p log".to_owned(),
        "git $EVIL".to_owned(),
        format!("find /dev/null -exec touch {} ';'", flag.display()),
    ] {
        serve.err(line(&command), "permission_denied");
    }
    for name in [
        "GIT_PAGER",
        "GIT_SSH_COMMAND",
        "PAGER",
        "EDITOR",
        "HOME",
        "TAR_OPTIONS",
    ] {
        let mut start = line("git --version");
        start["env"] = json!({ name: evil });
        serve.err(start, "permission_denied");
    }
    let said = serve.ok(line("git --version; find /dev/null -name null"))["output"].clone();
    assert!(said.as_str().unwrap().contains("git version"), "{said}");
    assert!(!flag.exists());
    // Where the shell is allowed there is nothing left to hold.
    let mut serve = Serve::new(&home, &["--allow", "git,sh"]);
    serve.ok(line("git -c user.name=x --version; echo $0"));
}

#[test]
fn programs_that_start_others_are_named_when_the_policy_is_given() {
    let home = Home::new();
    for args in [
        &["--serve", "--allow", "git,echo,python3"][..],
        &["mcp", "--allow", "git,echo,python3"],
    ] {
        let ran = home.run(args).expect_code(0);
        let said = ran.stderr.clone();
        assert!(
            said.contains("bgproc: git can start other programs: hooks,"),
            "{said}"
        );
        assert!(said.contains("bgproc: python3 can start other programs: it is an interpreter"));
        assert!(!said.contains("echo can"), "{said}");
        assert_eq!(said.lines().count(), 2, "{said}");
    }
    assert_eq!(
        home.run(&["--serve", "--allow", "echo"])
            .expect_code(0)
            .stderr,
        ""
    );
}

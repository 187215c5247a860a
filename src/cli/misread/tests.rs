#![allow(clippy::unwrap_used)]
//! What is said about arguments that cannot be parsed.

use super::*;

fn said(line: &str) -> String {
    let words = line.split_whitespace().map(|word| word.replace('_', " "));
    let args: Vec<OsString> = std::iter::once("bgproc".to_owned())
        .chain(words)
        .map(|word| if word == "''" { String::new() } else { word })
        .map(OsString::from)
        .collect();
    let error = <crate::cli::Cli as clap::Parser>::try_parse_from(&args).unwrap_err();
    let failure = explain(&args, &error);
    match failure.hint_text() {
        Some(hint) => format!("{failure} | {hint}"),
        None => failure.to_string(),
    }
}

#[test]
fn what_is_missing_is_named_as_it_is_typed() {
    for (line, expected) in [
        ("run --exit-code true", "--exit-code needs --attach | "),
        ("run -g x --replace true", "--replace needs --name NAME | "),
        ("move x", "move needs --first, --last or --to N | "),
        ("share x", "share needs HOW | "),
        ("share", "share needs JOB and HOW | "),
        ("find", "find needs REGEX | "),
        (
            "hosts add",
            "hosts add needs NAME | bgproc hosts add --help ",
        ),
        (
            "daemon logs --bla",
            "daemon logs has no option --bla | bgproc daemon logs --help ",
        ),
        (
            "hosts install --form x",
            "hosts install has no option --form | did you mean --from?",
        ),
    ] {
        let said = said(line);
        assert!(said.starts_with(expected), "{line}: {said}");
    }
}

#[test]
fn the_job_of_tmux_is_an_argument() {
    for (line, ours) in [
        ("capture-pane -t a1", "bgproc capture a1"),
        ("capture-pane -ta1", "bgproc capture a1"),
        ("capture-pane -t a1 -p", "bgproc capture a1"),
        ("attach -t a1", "bgproc attach a1"),
        ("send-keys -t a1 ls Enter", "bgproc keys a1 ls Enter"),
    ] {
        let said = said(line);
        let hint = format!(" has no option -t | the job is an argument: {ours}");
        assert!(said.ends_with(&hint), "{line}: {said}");
    }
    assert!(said("wait -t a1").ends_with("bgproc help wait lists its arguments"));
}

#[test]
fn mistakes_are_explained() {
    for (line, expected) in [
        ("rnu true", "there is no verb `rnu` | did you mean run?"),
        ("jobs", "there is no verb `jobs` | use bgproc ls"),
        (
            "run --nmae x true",
            "run has no option --nmae | did you mean --name?",
        ),
        (
            "logs --folow",
            "logs has no option --folow | did you mean --follow?",
        ),
        (
            "logs -n x",
            "--lines needs a number of at least 0, not \"x\"",
        ),
        (
            "run --ready-port 0 true",
            "--ready-port needs a number from 1 to 65535, not \"0\"",
        ),
        (
            "run --timeout x true",
            "--timeout: `x` is not a duration; write 500ms, 10s, 5m or 2h",
        ),
        (
            "ls --color x",
            "--color needs auto, always or never, not \"x\"",
        ),
        ("run --name", "--name needs a value: --name <NAME>"),
        (
            "stop",
            "stop needs a job | bgproc stop JOB...; --all ends every running job",
        ),
        (
            "status a b",
            "unexpected argument `b` for status | bgproc help status lists its arguments",
        ),
        (
            "down a_b",
            "unexpected argument `a b` for down | it ends all jobs of the project here; to end one job: bgproc stop 'a b'; all of another project: bgproc stop 'a b/*'",
        ),
        (
            "a_b/x.sh",
            "there is no verb `a b/x.sh` | to run a program: bgproc run 'a b/x.sh'",
        ),
        (
            "ls --hostt x",
            "ls has no option --hostt | did you mean --host?",
        ),
        (
            "run --ready log true",
            "run has no option --ready | did you mean --ready-log, --ready-port or --ready-cmd?",
        ),
        (
            "run --shell bash x",
            "run has no option --shell | /bin/sh runs a line; for another shell: bgproc run bash -c 'COMMAND LINE'",
        ),
        (
            "up --plan",
            "up has no option --plan | did you mean -n (--dry-run)? It prints the plan",
        ),
        (
            "-C a_b/c up -f",
            "up has no option -C | the project file says which project: bgproc up --file 'a b/c/bgproc.toml'",
        ),
        (
            "down -Cshop",
            "down has no option -C | the project file says which project: bgproc down --file shop/bgproc.toml",
        ),
        (
            "reload --directory=shop",
            "reload has no option --directory | the project file says which project: bgproc reload --file shop/bgproc.toml",
        ),
        (
            "ls -p",
            "ls has no option -p | bgproc ls '*' lists the jobs of this directory's project, once it is up",
        ),
        (
            "capture --html --svg a",
            "--html cannot be used with --svg | bgproc help capture lists its arguments",
        ),
    ] {
        assert_eq!(said(line), expected, "{line}");
    }
    assert_eq!(
        said("daemon stpo"),
        "daemon has no verb `stpo` | did you mean daemon stop?"
    );
    assert_eq!(said("--scope x"), "--scope needs --serve");
    assert!(said("run").starts_with("run needs a command | "));
    assert!(said("restart").starts_with("restart needs a job | name a job; "));
    assert!(said("exec").ends_with("a job of the project file; bgproc up -n lists them"));
    assert!(said("keys").ends_with("bgproc keys --help lists its arguments"));
    assert!(said("--follow").starts_with("--follow is an option of "));
    assert!(said("./build.sh").ends_with("to run a program: bgproc run ./build.sh"));
    assert!(said("./build.sh a").ends_with("to run a program: bgproc run ./build.sh a"));
    assert!(said("npm run it_all").ends_with("; to run a command: bgproc run npm run 'it all'"));
    assert!(said("npm_run").ends_with("; to run a command: bgproc run 'npm run'"));
    for chapter in ["targets", "projects", "exit-codes", "clients"] {
        let hint = format!(" | bgproc help {chapter} shows that chapter");
        assert!(said(chapter).ends_with(&hint), "{chapter}");
    }
    assert_eq!(said("--allow ls"), "--allow needs --serve");
    assert!(said("--theme logs stpo").starts_with("there is no verb `stpo`"));
    assert!(!said("run -Z true").contains("as a value"));
    assert!(!said("run --port 3000 x").contains("--host"));
}

#[test]
fn the_verb_is_the_first_word_that_may_be_one() {
    for (line, expected) in [
        (
            "process restart web",
            "there is no verb `process` | use bgproc restart web; to run a command: bgproc run process restart web",
        ),
        (
            "docker ps",
            "there is no verb `docker` | use bgproc ps; to run a command: bgproc run docker ps",
        ),
        (
            "docker run sh -c echo_a",
            "there is no verb `docker` | use bgproc run sh -c 'echo a'; to run a command: bgproc run docker run sh -c 'echo a'",
        ),
        (
            "rename-session -t a b",
            "there is no verb `rename-session` | use bgproc rename JOB NAME",
        ),
        (
            "hosts docter gpu1",
            "hosts has no verb `docter` | did you mean hosts doctor?",
        ),
        (
            "--structured mcp",
            "--structured is an option of mcp | write the verb first: bgproc mcp --structured",
        ),
        (
            "-o table ls",
            "-o is an option of ls | write the verb first: bgproc ls -o table",
        ),
        (
            "-f logs web",
            "-f is an option of logs | write the verb first: bgproc logs web -f",
        ),
        (
            "-n x run",
            "-n is an option of run | write the verb first: bgproc run -n x COMMAND",
        ),
        (
            "-n x run sleep 5",
            "-n is an option of run | write the verb first: bgproc run -n x sleep 5",
        ),
        (
            "--nosuch logs",
            "there is no option --nosuch | bgproc help lists the options",
        ),
        (
            "--serve --lena",
            "there is no option --lena | did you mean --lean?",
        ),
        (
            "--serve --hosst gpu1",
            "there is no option --hosst | did you mean --hosts?",
        ),
        ("--utcc", "there is no option --utcc | did you mean --utc?"),
        (
            "--read-onyl",
            "there is no option --read-onyl | did you mean --read-only?",
        ),
    ] {
        assert_eq!(said(line), expected, "{line}");
    }
}

#[test]
fn a_guess_never_ends_or_removes_anything() {
    for (line, expected) in [
        ("re", "use bgproc restart JOB"),
        ("disown", "use bgproc run COMMAND"),
        ("ping", "use bgproc daemon status"),
        (
            "r",
            "bgproc help lists the verbs; to run a command: bgproc run r; for a job of this name: bgproc status r, or bgproc attach r",
        ),
        ("rn", "did you mean run?"),
        (
            "rmm",
            "bgproc help lists the verbs; to run a command: bgproc run rmm; for a job of this name: bgproc status rmm, or bgproc attach rmm",
        ),
        ("dawn", "did you mean down?"),
        (
            "dovvn",
            "bgproc help lists the verbs; to run a command: bgproc run dovvn; for a job of this name: bgproc status dovvn, or bgproc attach dovvn",
        ),
        (
            "--failed",
            "bgproc ls --status failed lists those that have failed",
        ),
        ("--force", "write the verb first"),
        (
            "run --nice 5 true",
            "did you mean --limit NAME=VALUE, as memory=2G or nice=5? bgproc help limits has the names",
        ),
        (
            "run --cron x true",
            "that is `schedule` of a job in bgproc.toml: bgproc help schedules",
        ),
        ("run --unit=web true", "did you mean -n NAME?"),
        (
            "capture-pane -p -t work",
            "bgproc capture JOB prints the screen",
        ),
        ("up -l web", "the jobs are arguments: bgproc up JOB..."),
        ("up -p 8080", "did you mean --port N?"),
        (
            "run -Z true",
            "put options of the command after it; bgproc help run lists the options of run",
        ),
    ] {
        let said = said(line);
        let hint = said.split_once(" | ").map(|(_, hint)| hint);
        assert_eq!(hint, Some(expected), "{line}: {said}");
    }
}

#[test]
fn what_other_programs_call_differently_is_named() {
    for (line, expected) in [
        ("monit", "bgproc without a verb opens the dashboard"),
        (
            "crontab",
            "schedules are in the project file: bgproc help schedules",
        ),
        ("parallel 3", "use bgproc group NAME --parallel N"),
        ("run --cwd /tmp true", "did you mean -C DIR?"),
        (
            "run -it bash",
            "did you mean -a? It shows the job and types into it",
        ),
        (
            "run --max-restarts 5 true",
            "did you mean --restart always:N?",
        ),
        (
            "restart --all",
            "write '*' for all jobs, g:GROUP for a group: bgproc restart '*'",
        ),
        (
            "wait -g cpu",
            "a group is named like a job: bgproc wait g:GROUP",
        ),
        (
            "clear --all",
            "write '*' for all jobs, g:GROUP for a group: bgproc clear '*'",
        ),
        (
            "ls --failed",
            "bgproc ls --status failed lists those that have failed",
        ),
        (
            "reload web",
            "it applies a changed project file; to run a job again: bgproc restart web",
        ),
        (
            "down web",
            "it ends all jobs of the project here; to end one job: bgproc stop web; all of another project: bgproc stop 'web/*'",
        ),
    ] {
        let said = said(line);
        let hint = said.split_once(" | ").map(|(_, hint)| hint);
        assert_eq!(hint, Some(expected), "{line}: {said}");
    }
}

#[test]
fn what_is_proposed_exists() {
    for (line, ours) in crate::cli::elsewhere::commands() {
        let words: Vec<&str> = ours.split(' ').collect();
        let verb = Verb::grammar(words[0]);
        assert!(
            verb.is_some() || words[0].starts_with("--"),
            "{line}: {ours}"
        );
        assert!(Verb::grammar(line).is_none(), "{line} is a verb");
        // Behind the name of the other program.
        for rest in [&[][..], &["web"], &["ls"]] {
            let words = [&[line], rest].concat();
            let Some(ours) = elsewhere::translated(&words) else {
                continue;
            };
            let ours = ours.replace("NAME", "name").replace(" N", " 1");
            let words = shlex::split(&format!("bgproc {ours}")).unwrap();
            let parsed = Cli::try_parse_from(&words).map(drop);
            let is_valid = parsed.as_ref().is_ok_and(|()| true)
                || parsed.is_err_and(|error| error.kind() == ErrorKind::DisplayVersion);
            assert!(is_valid, "{line} {rest:?}: bgproc {ours}");
        }
    }
}

#[test]
fn words_of_other_programs_lead_to_what_does_the_same() {
    let hint = |line: &str| {
        let said = said(line);
        let hint = said.split_once(" | ").map(|(_, hint)| hint.to_owned());
        hint.unwrap_or(said)
    };
    for line in [
        "run --delay 10m true",
        "run --start-at 22:00 true",
        "delay 10m true",
        "at 22:00",
    ] {
        let hint = hint(line);
        assert!(
            hint.contains("bgproc run --in 10m COMMAND"),
            "{line}: {hint}"
        );
        assert!(hint.contains("bgproc help schedules"), "{line}: {hint}");
    }
    for (line, part) in [
        (
            "edit web",
            "in the dashboard, e changes name, group and command",
        ),
        (
            "stash web",
            "bgproc stop JOB takes a job that waits out of its queue",
        ),
        ("run --stashed true", "bgproc start JOB puts it back"),
        ("startup", "bgproc resume starts others that were lost"),
        ("resurrect", "use bgproc resume"),
        ("update", "bgproc reload applies"),
        (
            "scale web=3",
            "in bgproc.toml each instance is a job of its own",
        ),
        (
            "up --scale web=3",
            "in bgproc.toml each instance is a job of its own",
        ),
        ("ts make", "bgproc run -g NAME COMMAND"),
        ("run --depends db true", "did you mean --after JOB?"),
        ("run --wait-for db true", "did you mean --after JOB?"),
        ("run --queue builds true", "did you mean -g GROUP?"),
        ("run --priority 5 true", "bgproc move JOB --first"),
        (
            "run --immediate true",
            "bgproc start JOB starts one that waits",
        ),
        ("run --then x true", "run --after JOB:done COMMAND"),
        ("run --repeat 3 true", "did you mean --restart always?"),
        ("run --title x true", "did you mean -n NAME?"),
        ("run --log-file x true", "2>&1 | tee FILE"),
        ("run -o x true", "bgproc logs JOB prints it"),
        ("run --cron-restart x true", "bgproc help schedules"),
        ("run --max-memory 1G true", "bgproc help limits"),
        ("run --ignore-watch x true", "bgproc help watches"),
        ("run --mem 2G true", "--limit memory=2G"),
        ("run --cpus 2 true", "bgproc help limits"),
        ("run --time 2h true", "--timeout TIME"),
    ] {
        let hint = hint(line);
        assert!(hint.contains(part), "{line}: {hint}");
    }
    assert_eq!(
        said("run --mem 2G true").split(" | ").next(),
        Some("--mem needs --on, which submits the job to a batch system")
    );
}

#[test]
fn verbs_behind_the_name_of_another_program_are_translated() {
    for (line, ours) in [
        ("overmind connect web", "attach web"),
        ("overmind restart web", "restart web"),
        ("supervisorctl status web", "status web"),
        ("supervisorctl tail web", "tail web"),
        ("pm2 describe web", "status web"),
        ("pm2 jlist", "ls --json"),
        ("tmux kill-session -t web", "stop JOB"),
        ("pueue parallel 3", "group NAME --parallel N"),
        ("tmux rename-session web", "rename JOB NAME"),
    ] {
        let said = said(line);
        let hint = format!("| use bgproc {ours}; to run a command: bgproc run {line}");
        assert!(said.ends_with(&hint), "{line}: {said}");
    }
    assert!(
        said("pm2 monit").contains("opens the dashboard; to run a command: bgproc run pm2 monit")
    );
    // Only bgproc itself runs it.
    for line in ["docker node ls", "relya", "delya", "nod x"] {
        let said = said(line);
        let names = ["did you mean relay", "did you mean node", "use bgproc node"];
        assert!(
            !names.iter().any(|name| said.contains(name)),
            "{line}: {said}"
        );
    }
}

#[test]
fn up_follows_with_a_long_option_too() {
    let parsed =
        <crate::cli::Cli as clap::Parser>::try_parse_from(["bgproc", "up", "--follow", "web"]);
    assert!(parsed.is_ok());
}

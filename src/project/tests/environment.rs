//! Environments and templates.

use std::collections::BTreeMap;
use std::path::Path;

use super::super::environment::{Environment, Origin, Surroundings, environment};
use super::super::expand::{Expanded, expanded};
use super::super::job::Program;
use super::super::memory::Memory;
use super::super::ports::Ports;
use super::super::ready::Check;
use super::{load_files, shown};

/// What a job named `a` becomes.
fn run(files: &[(&str, &str)], caller: &[(&str, &str)]) -> Result<(Environment, Expanded), String> {
    let memory = Memory::with(files);
    let project = load_files(&memory)?;
    let pairs = caller
        .iter()
        .map(|(name, text)| ((*name).to_owned(), (*text).to_owned()));
    let caller: BTreeMap<String, String> = pairs.collect();
    let jobs = project.jobs.iter();
    let ports: Ports = jobs
        .map(|(name, job)| (name.clone(), job.ports.clone()))
        .collect();
    let surroundings = Surroundings {
        caller: &caller,
        ports: &ports,
        project: &project.name,
        worktree: "fix",
    };
    let job = &project.jobs["a"];
    let made = environment(&memory, job, "a", &surroundings).map_err(|faults| shown(&faults))?;
    let whole = expanded(job, "a", &made, &surroundings).map_err(|faults| shown(&faults))?;
    Ok((made, whole))
}

fn one(text: &str, caller: &[(&str, &str)]) -> Result<(Environment, Expanded), String> {
    run(&[("/p/bgproc.toml", text)], caller)
}

#[test]
fn variables_of_all_jobs_see_those_of_env_files() {
    let text = "[env]\nURL = \"db://${USER_NAME}@x\"\nLIST = \"a:${LIST}\"\nOVER = \"1\"\nSEES = \"${OVER}\"\n[jobs.a]\nrun = \"x\"\n";
    let files = [
        ("/p/bgproc.toml", text),
        ("/p/.env", "USER_NAME=ada\nOVER=2\nTOO=$LIST\n"),
    ];
    let caller = [("USER_NAME", "caller"), ("LIST", "b")];
    for caller in [&caller[..], &caller[1..]] {
        let (made, _) = run(&files, caller).unwrap();
        let get = |name: &str| made.get(name).unwrap_or_default().to_owned();
        assert_eq!(get("URL"), "db://ada@x");
        assert_eq!((get("OVER"), get("SEES")), ("2".to_owned(), "2".to_owned()));
        // Once, although it is filled in before the file is read, too.
        assert_eq!(
            (get("LIST"), get("TOO")),
            ("a:b".to_owned(), "a:b".to_owned())
        );
        assert!(made.warnings.is_empty(), "{:?}", made.warnings);
    }
    let unset = one(text, &caller[1..]).unwrap_err();
    assert!(unset.contains("${USER_NAME} is not set"), "{unset}");
}

#[test]
fn later_wins_and_each_value_has_its_origin() {
    let text = "env_file = [\"f\"]\n[env]\nB = \"env\"\nC = \"env\"\nD = \"env\"\nE = \"env\"\nPORT = \"1\"\n\
                [jobs.a]\nrun = \"x\"\nport = 3000\nenv_file = [\"g\"]\nenv = { E = \"job\", A2 = false, BGPROC_PROJECT = \"x\" }\n";
    let files = [
        ("/p/bgproc.toml", text),
        ("/p/f", "C=f\nD=f\nE=f\nPORT=2\n"),
        ("/p/g", "\nD=g\nE=g\n"),
    ];
    let caller = [
        ("A", "c"),
        ("A2", "c"),
        ("B", "c"),
        ("C", "c"),
        ("D", "c"),
        ("E", "c"),
        ("PORT", "9"),
        ("BGPROC_SESSION", "s"),
    ];
    let (made, _) = run(&files, &caller).unwrap();
    let text = |name: &str| made.get(name).map(str::to_owned);
    let from = |name: &str| made.values[name].from.clone();
    let file = |path: &str, line| Origin::File {
        path: path.into(),
        line,
    };
    assert_eq!(
        (text("A").as_deref(), from("A")),
        (Some("c"), Origin::Caller)
    );
    assert_eq!((text("A2"), from("A2")), (None, Origin::Job));
    assert_eq!(
        (text("B").as_deref(), from("B")),
        (Some("env"), Origin::Project)
    );
    assert_eq!(
        (text("C").as_deref(), from("C")),
        (Some("f"), file("/p/f", 1))
    );
    assert_eq!(
        (text("D").as_deref(), from("D")),
        (Some("g"), file("/p/g", 2))
    );
    assert_eq!(
        (text("E").as_deref(), from("E")),
        (Some("job"), Origin::Job)
    );
    assert_eq!(
        (text("PORT").as_deref(), from("PORT")),
        (Some("3000"), Origin::Port)
    );
    assert_eq!(text("BGPROC_PROJECT").as_deref(), Some("p"));
    assert_eq!(text("BGPROC_WORKTREE").as_deref(), Some("fix"));
    assert_eq!(text("BGPROC_PORT_A").as_deref(), Some("3000"));
    assert!(!made.values.contains_key("BGPROC_SESSION"));
}

#[test]
fn the_marks_of_a_job_and_its_port_are_not_passed_on() {
    let text = "[jobs.a]\nrun = \"x\"\n[jobs.b-1]\nrun = \"x\"\nport = { http = 1, x = 2 }\n";
    let caller = [
        ("PORT", "9"),
        ("BGPROC_HOME", "/h"),
        ("BGPROC_ROLE", "keeper"),
        ("BGPROC_PORT_OLD", "9"),
    ];
    let (made, _) = one(text, &caller).unwrap();
    assert_eq!(made.get("PORT"), Some("9"), "the caller is no job");
    assert_eq!(made.get("BGPROC_HOME"), Some("/h"));
    for name in ["BGPROC_ROLE", "BGPROC_PORT_OLD"] {
        assert!(!made.values.contains_key(name), "{name}");
    }
    let (made, _) = one(text, &[("PORT", "9"), ("BGPROC_SESSION", "s")]).unwrap();
    assert!(!made.values.contains_key("PORT"), "the caller is a job");
    let several = "[jobs.a]\nrun = \"x\"\nport = { http = 1, x = 2 }\n";
    let (other, _) = one(several, &[("PORT", "9")]).unwrap();
    assert!(!other.values.contains_key("PORT"), "the job has ports");
    assert_eq!(made.get("BGPROC_PORT_B_1_HTTP"), Some("1"));
    assert_eq!(made.get("BGPROC_PORT_B_1"), None);
}

#[test]
fn templates_are_expanded() {
    let text = "[env]\nBASE = \"http://h:${PORT}\"\nHOME2 = \"${HOME}/2\"\n\
                [jobs.a]\ncmd = [\"${PROGRAM:-x}\", \"-p${PORT}\", \"$${PORT} $PORT\", \"${port.db}\", \"${port.api.http}\", \"${EMPTY:-${HOME}}\"]\n\
                port = 3000\ncwd = \"${SUB:-sub}/../x\"\nenv = { BASE = \"${BASE}/v1\" }\n\
                ready = { log = \"^at ${DOT}$\" }\nopen = \"${BASE}\"\n\
                [jobs.db]\nrun = \"x\"\nport = 5432\n[jobs.api]\nrun = \"x\"\nport = { http = 80, admin = 81 }\n";
    let caller = [("HOME", "/home/u"), ("DOT", "a.b"), ("EMPTY", "")];
    let (made, whole) = one(text, &caller).unwrap();
    let argv = ["x", "-p3000", "${PORT} $PORT", "5432", "80", "/home/u"];
    assert_eq!(
        whole.program,
        Program::Argv(argv.map(str::to_owned).to_vec())
    );
    assert_eq!(whole.cwd, Path::new("/p/x"));
    assert_eq!(whole.check, Some(Check::Log("^at a\\.b$".to_owned())));
    assert_eq!(whole.open.as_deref(), Some("http://h:3000/v1"));
    assert_eq!(made.get("HOME2"), Some("/home/u/2"));
    let absolute = "[jobs.a]\nrun = \"${X}\"\ncwd = \"${HOME}/w\"\nready = { file = \"up\" }\n";
    let (_, whole) = one(absolute, &caller).unwrap();
    assert_eq!(whole.program, Program::Line("${X}".to_owned()));
    assert_eq!(whole.cwd, Path::new("/home/u/w"));
    assert_eq!(whole.check, Some(Check::File("/p/up".to_owned())));
}

#[test]
fn what_is_not_set_is_a_fault_with_its_place() {
    let text = "[jobs.a]\ncmd = [\"x\", \"${NONE} ${NOT}\"]\ncwd = \"${NONE}\"\n";
    assert_eq!(
        one(text, &[]).unwrap_err(),
        "bgproc.toml:2:13: \"cmd[1]\" in [jobs.a]: ${NONE} is not set; set it, or write ${NONE:-default}; ${NOT} is not set; set it, or write ${NOT:-default}\n\
         bgproc.toml:3:7: \"cwd\" in [jobs.a]: ${NONE} is not set; set it, or write ${NONE:-default}"
    );
    let text = "[env]\nA = \"${NONE}\"\n[jobs.a]\nrun = \"x\"\nenv = { B = \"${REMOVED}\" }\n";
    assert_eq!(
        one(text, &[]).unwrap_err(),
        "bgproc.toml:2:5: \"[env].A\" in [jobs.a]: ${NONE} is not set; set it, or write ${NONE:-default}\n\
         bgproc.toml:5:13: \"env.B\" in [jobs.a]: ${REMOVED} is not set; set it, or write ${REMOVED:-default}"
    );
    let text = "[jobs.a]\ncmd = [\"${P}\"]\nready = { port = \"${Q}\" }\n";
    let said = one(text, &[("P", ""), ("Q", "x")]).unwrap_err();
    assert_eq!(
        said,
        "bgproc.toml:2:8: \"cmd[0]\" in [jobs.a]: it must be a program, and is empty\n\
         bgproc.toml:3:18: \"ready.port\" in [jobs.a]: it must be a number from 1 to 65535, not \"x\""
    );
}

#[test]
fn values_that_are_too_long_for_the_system() {
    let long = "x".repeat(100_000);
    let text = "[jobs.a]\ncmd = [\"x\", \"${A}${A}\"]\n";
    let said = one(text, &[("A", &long)]).unwrap_err();
    assert_eq!(
        said,
        "bgproc.toml:2:13: \"cmd[1]\" in [jobs.a]: it must be at most 131071 bytes long, which is the limit of the system, not 200000; put it into a file"
    );
}

#[test]
fn env_files_expand_what_is_set() {
    let text = "[jobs.a]\nrun = \"x\"\nport = 3000\n";
    let env = "A=1\nB=$A-${HOME}\nC='$A'\nD=pa$$word\nE=\"${F:-x}\"\nG=$PORT\n";
    let (made, _) = run(
        &[("/p/bgproc.toml", text), ("/p/.env", env)],
        &[("HOME", "/h")],
    )
    .unwrap();
    for (name, text) in [
        ("B", "1-/h"),
        ("C", "$A"),
        ("D", "pa$$word"),
        ("E", "x"),
        ("G", "3000"),
    ] {
        assert_eq!(made.get(name), Some(text), "{name}");
    }
    assert_eq!(
        shown(&made.warnings),
        ".env:4:1: $word in D is not set and stays as it is; quote the value with ' if that is meant"
    );
}

#[test]
fn an_env_file_that_only_the_main_checkout_has_is_a_warning() {
    let files = Memory::with(&[
        ("/p/bgproc.toml", "[jobs.a]\nrun = \"x\"\n"),
        ("/p/.git", "gitdir: /main/.git/worktrees/p\n"),
        ("/main/.git/worktrees/p/HEAD", "ref: refs/heads/x\n"),
        ("/main/.git/worktrees/p/commondir", "../..\n"),
        ("/main/.env", "A=1\n"),
    ]);
    let project = load_files(&files).unwrap();
    assert_eq!(
        shown(&project.warnings),
        ".env: does not exist in this worktree, but the main checkout has /main/.env; copy or link it"
    );
}

#[test]
fn a_port_that_is_a_number_is_a_warning_in_a_worktree() {
    let text = "[jobs.a]\ncmd = [\"x\", \"--port=3000\", \"30001\"]\nport = 3000\nready = { port = 3000 }\n\
                open = \"http://localhost:${PORT}\"\n[jobs.b]\nrun = \"x\"\nport = { http = 80 }\nready = { port = 80 }\n";
    let main = [("/p/bgproc.toml", text)];
    let linked = [
        ("/p/bgproc.toml", text),
        ("/p/.git", "gitdir: /main/.git/worktrees/p\n"),
        ("/main/.git/worktrees/p/commondir", "../..\n"),
    ];
    let project = load_files(&Memory::with(&main)).unwrap();
    assert_eq!(project.warnings, []);
    let check = |name: &str| project.jobs[name].ready.clone().unwrap().check;
    // A check of a number that is a port of the job follows it.
    assert_eq!(check("a"), Check::Port("${PORT}".to_owned()));
    assert_eq!(check("b"), Check::Port("${port.b.http}".to_owned()));
    let project = load_files(&Memory::with(&linked)).unwrap();
    assert_eq!(
        shown(&project.warnings),
        "bgproc.toml:2:13: \"cmd[1]\" in [jobs.a] has the port 3000 as a number, but the job has another one in this worktree; write ${PORT}"
    );
}

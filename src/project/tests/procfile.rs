//! Procfiles.

use std::path::PathBuf;

use super::super::job::{PortBusy, Program};
use super::super::memory::Memory;
use super::super::{ProcfileOptions, Project, Source, load};
use super::shown;

fn read(text: &str, env: &str, options: &ProcfileOptions) -> Result<Project, String> {
    let files = Memory::with(&[("/p/Procfile", text), ("/p/.env", env)]);
    let source = Source {
        dir: PathBuf::from("/p"),
        paths: vec![PathBuf::from("Procfile")],
        procfile: options.clone(),
    };
    load(&files, &source).map_err(|faults| shown(&faults))
}

fn ports(project: &Project) -> Vec<(&str, u16)> {
    let order = project.order.iter();
    order
        .map(|name| (name.as_str(), project.jobs[name].ports[""]))
        .collect()
}

#[test]
fn lines_become_jobs() {
    let text = "# comment\r\nweb:  bundle exec rails s -p $PORT # x\r\n\r\nworker_1: ./w ${A:-b}\n";
    let project = read(text, "", &ProcfileOptions::default()).unwrap();
    assert_eq!(ports(&project), [("web", 5000), ("worker_1", 5100)]);
    let web = &project.jobs["web"];
    let line = "bundle exec rails s -p $PORT # x".to_owned();
    assert_eq!(web.program, Program::Line(line));
    assert_eq!(web.own_env, [("PS".to_owned(), Some("web.1".to_owned()))]);
    assert_eq!((web.stop.grace_ms, web.port_busy), (5000, PortBusy::Next));
    assert_eq!(project.warnings, []);
}

#[test]
fn the_base_port() {
    let base = |env: &str, port, inherited_port| {
        let options = ProcfileOptions {
            port,
            inherited_port,
            ..ProcfileOptions::default()
        };
        ports(&read("web: x\n", env, &options).unwrap())[0].1
    };
    assert_eq!(base("", None, None), 5000);
    assert_eq!(base("", None, Some(4000)), 4000);
    assert_eq!(base("PORT=1\nPORT=3000\n", None, Some(4000)), 3000);
    assert_eq!(base("PORT=3000\n", Some(2000), Some(4000)), 2000);
}

#[test]
fn formations() {
    let options = |text: &str| ProcfileOptions {
        formation: ProcfileOptions::parse_formation(text).unwrap(),
        ..ProcfileOptions::default()
    };
    let text = "web: x\nworker: y\nclock: z\n";
    let project = read(text, "", &options("all=1,worker=2,clock=0")).unwrap();
    let expected = [
        ("web", 5000),
        ("worker.1", 5100),
        ("worker.2", 5101),
        ("clock", 5200),
    ];
    assert_eq!(ports(&project), expected);
    assert!(!project.jobs["clock"].autostart);
    let name = project.jobs["worker.2"].own_env[0].1.as_deref();
    assert_eq!(name, Some("worker.2"));
    let said = read(text, "", &options("wroker=2")).unwrap_err();
    assert_eq!(
        said,
        "Procfile: -m names \"wroker\", which is not in the file"
    );
    for text in ["", "web", "web=", "web=-1", "=1", "web=101", "web=1,"] {
        assert!(ProcfileOptions::parse_formation(text).is_err(), "{text}");
    }
}

#[test]
fn bad_lines() {
    let usual = ProcfileOptions::default();
    let said = read("web: x\nworker: y\nweb: z\n-x: y\n", "", &usual).unwrap_err();
    assert!(
        said.starts_with("Procfile:3:1: \"web\" is there twice\n  Procfile:1:1: is the other place\nProcfile:4:1: \"-x\" is not"),
        "{said}"
    );
    let project = read("web: x\nnonsense\nempty:\n a: b\n", "", &usual).unwrap();
    let lines: Vec<u32> = project.warnings.iter().map(|fault| fault.line).collect();
    assert_eq!(lines, [2, 3, 4]);
    let said = read("\n# nothing\n", "", &usual).unwrap_err();
    assert_eq!(
        said,
        "Procfile:1:1: the file has no job; add a line such as \"web: npm start\""
    );
    let said = read("web: x\n", "PORT=x\n", &usual).unwrap_err();
    assert!(
        said.starts_with(".env:1:1: PORT must be a number"),
        "{said}"
    );
    let many: String = (0..700).map(|n| format!("j{n}: x\n")).collect();
    let said = read(&many, "", &usual).unwrap_err();
    assert!(
        said.contains("the port of \"j606\" would be above 65535"),
        "{said}"
    );
}

#[test]
fn what_foreman_and_overmind_read_is_named_with_its_options() {
    let files = Memory::with(&[
        ("/p/Procfile", "web: x\nworker: y\n"),
        (
            "/p/.overmind.env",
            "OVERMIND_FORMATION=web=2,worker=0\nOVERMIND_SOCKET=x\nOVERMIND_PORT=$X\nA=1\n",
        ),
        ("/p/.env", "OVERMIND_PORT=3000\n"),
        ("/p/.foreman", "formation: \"a b\"\nport: 80\nenv: x\n"),
    ]);
    let warnings = |options: ProcfileOptions| {
        let source = Source {
            dir: PathBuf::from("/p"),
            paths: vec![PathBuf::from("Procfile")],
            procfile: options,
        };
        shown(&load(&files, &source).unwrap().warnings)
    };
    assert_eq!(
        warnings(ProcfileOptions::default()),
        ".overmind.env: is not read; instead of OVERMIND_FORMATION: bgproc up -m web=2,worker=0; \
         instead of OVERMIND_PORT: bgproc up --port N; variables of the processes belong into .env\n\
         .env: what is for overmind has no effect; instead of OVERMIND_PORT: bgproc up --port 3000\n\
         .foreman: is not read; instead of formation: bgproc up -m NAME=N; \
         instead of port: bgproc up --port 80"
    );
    let told = warnings(ProcfileOptions {
        port: Some(80),
        formation: ProcfileOptions::parse_formation("all=1").unwrap(),
        ..ProcfileOptions::default()
    });
    assert_eq!(
        told,
        ".overmind.env: is not read; variables of the processes belong into .env"
    );
}

//! Files of other programs become files that the reader of project files takes.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::project::memory::Memory;
use crate::project::ready::Check;
use crate::project::stop::StopHow;
use crate::project::{Job, Project, load};
use crate::protocol::policy::RestartWhen;
use crate::protocol::project::Level;

const DIR: &str = "/p";

fn memory(files: &[(&str, &str)]) -> Memory {
    let mut memory = Memory::default();
    for (name, text) in files {
        memory.put(&format!("{DIR}/{name}"), text.as_bytes());
    }
    memory
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

/// Takes the jobs of files, and reads the result as `bgproc up` does.
fn taken(files: &[(&str, &str)], from: &[&str]) -> (Project, String) {
    let mut memory = memory(files);
    let imported = import(&memory, Path::new(DIR), &names(from)).unwrap();
    memory.put(&format!("{DIR}/bgproc.toml"), imported.text.as_bytes());
    let source = crate::project::Source {
        dir: DIR.into(),
        paths: vec![format!("{DIR}/bgproc.toml").into()],
        procfile: Default::default(),
    };
    let project = load(&memory, &source);
    let project = project.unwrap_or_else(|faults| panic!("{faults:#?}\n{}", imported.text));
    assert_eq!(project.order, imported.jobs, "{}", imported.text);
    (project, imported.text)
}

/// The one file `name`.
fn of(name: &str, text: &str) -> (Project, String) {
    taken(&[(name, text)], &[name])
}

fn fault(name: &str, text: &str) -> String {
    let memory = memory(&[(name, text)]);
    let faults = import(&memory, Path::new(DIR), &names(&[name])).unwrap_err();
    let faults = faults.iter().map(|fault| fault.seen_from(Path::new(DIR)));
    faults
        .map(|fault| fault.to_string())
        .collect::<Vec<_>>()
        .join("\n")
}

fn line(job: &Job) -> &str {
    match &job.program {
        crate::project::job::Program::Line(line) => line,
        other => panic!("{other:?}"),
    }
}

fn argv(job: &Job) -> &[String] {
    match &job.program {
        crate::project::job::Program::Argv(words) => words,
        other => panic!("{other:?}"),
    }
}

#[test]
fn process_compose_arrives() {
    let (project, text) = of(
        "process-compose.yaml",
        r#"
version: "0.5"
name: my shop
environment: ["A=1", "HOST=${HOST}"]
vars: {PORT: 8080}
processes:
  db:
    command: "postgres -D $$PGDATA"
    description: the database
    working_dir: ./data
    availability: {restart: on_failure, max_restarts: 3, backoff_seconds: 2}
    readiness_probe:
      exec: {command: pg_isready}
      period_seconds: 2
      failure_threshold: 3
    shutdown: {signal: 2, timeout_seconds: 30}
  migrate:
    command: |
      ./migrate up
      ./seed
    depends_on: {db: {condition: process_healthy}}
  api:
    entrypoint: ["./api", "--port", "${PORT:-1}"]
    environment: {TOKEN: "a$${b}", "BAD NAME": "x"}
    depends_on:
      migrate: {condition: process_completed_successfully}
      cache: {condition: process_log_ready}
      ghost: {}
    readiness_probe:
      http_get: {host: localhost, port: "{{.PORT}}", path: /health, status_code: 204}
    liveness_probe: {exec: {command: x}}
    namespace: back
    log_location: ./api.log
    frobnicate: 3
  cache:
    command: redis-server
    ready_log_line: "Ready (accept)"
    disabled: true
    is_daemon: true
    shutdown: {command: redis-cli shutdown}
    namespace: [a b, c]
  nightly:
    command: ./backup
    schedule: {cron: "0 2 * * *", timezone: Europe/Berlin}
    availability: {restart: always}
    depends_on: {nightlier: {}}
  nightlier:
    command: ./backup
    schedule: {cron: "0 0 2 * * * *"}
  watched:
    command: ./x
    watch: {paths: [{path: src, include: ["*.rs"]}], debounce: 1s}
"#,
    );
    let job = |name: &str| &project.jobs[name];
    assert_eq!(project.name, "my-shop");
    let db = job("db");
    assert_eq!(line(db), "postgres -D $PGDATA");
    assert_eq!(db.description.as_deref(), Some("the database"));
    assert_eq!(db.restart.when, RestartWhen::OnFailure);
    assert_eq!((db.restart.max, db.restart.first_ms), (3, 2000));
    let ready = db.ready.as_ref().unwrap();
    assert_eq!(ready.check, Check::Exec("pg_isready".to_owned()));
    assert_eq!(ready.every_ms, 2000);
    assert_eq!(db.stop.how, StopHow::Signal("INT".to_owned()));
    assert_eq!(db.stop.grace_ms, 30_000);
    assert!(
        text.contains("failure_threshold of readiness_probe"),
        "{text}"
    );

    assert_eq!(line(job("migrate")), "./migrate up\n./seed\n");
    assert!(job("migrate").is_task);
    let api = job("api");
    assert_eq!(argv(api), ["./api", "--port", "${PORT:-1}"]);
    let needs: Vec<_> = api
        .needs
        .iter()
        .map(|need| (need.job.as_str(), need.is))
        .collect();
    assert_eq!(needs, [("migrate", Level::Ok), ("cache", Level::Ready)]);
    let http = Check::Http {
        url: "http://localhost:8080/health".to_owned(),
        status: vec![204],
    };
    assert_eq!(api.ready.as_ref().unwrap().check, http);
    assert_eq!(api.group.as_deref(), Some("back"));
    for note in [
        "needs \"ghost\"",
        "liveness_probe",
        "\"BAD NAME\"",
        "./api.log",
        "Not taken over: frobnicate.",
    ] {
        assert!(text.contains(note), "{note}\n{text}");
    }
    let cache = job("cache");
    let log = Check::Log("Ready \\(accept\\)".to_owned());
    assert_eq!(cache.ready.as_ref().unwrap().check, log);
    assert!(!cache.autostart);
    assert_eq!(cache.tags, ["a-b", "c"]);
    assert_eq!(
        cache.stop.how,
        StopHow::Run("redis-cli shutdown".to_owned())
    );
    assert!(text.contains("is_daemon"), "{text}");
    assert!(job("nightly").schedule.is_some());
    assert!(job("nightlier").schedule.is_none());
    assert!(text.contains("Not taken over: schedule: "), "{text}");
    assert!(job("watched").watch.is_some());
    assert!(text.contains("shell = [\"bash\", \"-c\"]"), "{text}");
}

#[test]
fn processes_take_what_they_do_not_say_from_those_that_they_extend() {
    let (project, text) = of(
        "process-compose.yml",
        r#"
processes:
  base: {command: echo base, working_dir: /tmp, environment: ["A=1", "B=1"], availability: {restart: always}}
  derived: {extends: base, environment: ["B=2"], availability: {backoff_seconds: 7}}
  top: {extends: derived, command: echo top}
"#,
    );
    let top = &project.jobs["top"];
    assert_eq!(line(top), "echo top");
    assert_eq!(top.restart.first_ms, 7000);
    assert!(text.contains("env = { A = \"1\", B = \"2\" }"), "{text}");
    assert!(!text.contains("Not taken over"), "{text}");
    let circle = fault(
        "process-compose.yml",
        "processes: {a: {extends: b}, b: {extends: a}}",
    );
    assert!(circle.contains("extends itself"), "{circle}");
    let unknown = fault("process-compose.yml", "processes: {a: {extends: b}}");
    assert!(unknown.contains("is not in the file"), "{unknown}");
}

#[test]
fn mprocs_arrives() {
    let (project, text) = of(
        "mprocs.yaml",
        r#"
server: 127.0.0.1:4050
hide_keymap_window: true
procs:
  short: echo short
  list: [echo, "a b", "${X}"]
  gone: null
  web:
    shell: npm run "dev"
    cwd: <CONFIG_DIR>/apps/web
    env: {NODE_ENV: test, DROPPED: null}
    add_path: [node_modules/.bin]
    autostart: false
    autorestart: true
    stop: SIGINT
    deps: [list]
  editor:
    cmd: [vim]
    stop: {send-keys: ["<Esc>", ":", "q", "<Enter>", "<C-c>", "<C-S-Left>"]}
    log: true
  pod:
    shell:
      $select: os
      linux: podman compose up
      $else: false
    stop: {cmd: podman compose down}
  hard: {shell: x, stop: hard-kill}
"#,
    );
    let job = |name: &str| &project.jobs[name];
    assert_eq!(project.order.len(), 6, "{text}");
    assert_eq!(line(job("short")), "echo short");
    assert_eq!(argv(job("list")), ["echo", "a b", "$${X}"]);
    let web = job("web");
    assert_eq!(line(web), "npm run \"dev\"");
    assert!(text.contains("cwd = \"apps/web\""), "{text}");
    assert!(text.contains("DROPPED = false"), "{text}");
    assert!(
        text.contains("PATH = \"node_modules/.bin:${PATH}\""),
        "{text}"
    );
    assert!(!web.autostart);
    assert_eq!(web.restart.when, RestartWhen::Always);
    assert_eq!(web.restart.max, u32::MAX);
    assert_eq!(web.stop.how, StopHow::Signal("INT".to_owned()));
    assert_eq!(web.needs[0].job, "list");
    let keys = ["Escape", ":", "q", "Enter", "C-c", "C-S-Left"];
    assert_eq!(job("editor").stop.how, StopHow::Keys(names(&keys)));
    assert_eq!(line(job("pod")), "podman compose up");
    let down = StopHow::Run("podman compose down".to_owned());
    assert_eq!(job("pod").stop.how, down);
    assert_eq!(job("hard").stop.how, StopHow::Signal("KILL".to_owned()));
    assert!(
        text.contains("mprocs.yaml: Not taken over: server."),
        "{text}"
    );
    assert!(text.contains("log files are left out"), "{text}");
}

#[test]
fn compose_services_become_jobs() {
    let (project, text) = of(
        "compose.yaml",
        r#"
x-base: &base {image: x}
services:
  db:
    <<: *base
    ports: ["127.0.0.1:${DB_PORT:-5432}:5432/tcp"]
    stop_grace_period: 1m
  cache: {image: redis, ports: [{target: 6379, published: 6379}]}
  queue: {image: q, healthcheck: {test: x}, ports: ["5672"]}
  migrate: {image: m}
  api:
    build: .
    ports: ["3000-3001:3000-3001", "53:53/udp"]
    depends_on:
      db: {condition: service_healthy}
      migrate: {condition: service_completed_successfully}
      queue: {condition: service_started}
  debug: {image: d, profiles: [debug], depends_on: [api, cache]}
  mail: {image: m, ports: ["25"]}
"#,
    );
    let job = |name: &str| &project.jobs[name];
    let tcp = |name: &str| match &job(name).ready.as_ref().unwrap().check {
        Check::Tcp(address) => address.clone(),
        other => panic!("{other:?}"),
    };
    assert_eq!(line(job("db")), "docker compose up db");
    let stop = StopHow::Run("docker compose stop db".to_owned());
    assert_eq!(
        (&job("db").stop.how, job("db").stop.grace_ms),
        (&stop, 65_000)
    );
    assert_eq!(tcp("db"), "127.0.0.1:${DB_PORT:-5432}");
    assert_eq!(tcp("cache"), "localhost:6379");
    assert_eq!(tcp("api"), "localhost:3000");
    let health = &job("queue").ready.as_ref().unwrap().check;
    assert!(matches!(health, Check::Exec(line) if line.contains("'{{.Health}}' queue")));
    assert!(job("mail").ready.is_none());
    assert!(text.contains("no fixed number"), "{text}");
    assert!(job("migrate").is_task);
    assert_eq!(
        line(job("migrate")),
        "docker compose run --rm --no-deps migrate"
    );
    let levels: Vec<_> = job("api").needs.iter().map(|need| need.is).collect();
    assert_eq!(levels, [Level::Ready, Level::Ok, Level::Started]);
    assert!(!job("debug").autostart);
    let (project, _) = of("stack.yml", "services: {\"a b\": {image: x}}");
    assert_eq!(
        line(&project.jobs["a-b"]),
        "docker compose -f stack.yml up 'a b'"
    );
}

#[test]
fn scripts_run_with_the_manager_of_the_lock_file() {
    let package = r#"{
  "scripts": {
    "build": "vite build",
    "prebuild": "rm -rf dist",
    "postinstall": "husky",
    "start": "node .",
    "dev": "vite",
    "@scope/x y:watch": "echo \"ü\" '${X}'\n"
  }, "workspaces": ["packages/*"] }"#;
    let dir = [("package.json", package), ("pnpm-lock.yaml", "")];
    let (project, text) = taken(&dir, &["package.json"]);
    assert_eq!(project.order, ["build", "start", "dev", "scope-x-y-watch"]);
    assert_eq!(argv(&project.jobs["dev"]), ["pnpm", "run", "dev"]);
    let odd = &project.jobs["scope-x-y-watch"];
    assert_eq!(argv(odd)[2], "@scope/x y:watch");
    assert!(!odd.is_task && !odd.autostart);
    assert!(project.jobs["build"].is_task);
    let starting = |name: &&String| project.jobs[*name].autostart;
    assert_eq!(project.order.iter().filter(starting).count(), 1);
    assert!(project.jobs["dev"].autostart);
    assert!(text.contains("with pnpm (pnpm-lock.yaml)"), "{text}");
    assert!(text.contains("prebuild, postinstall"), "{text}");
    assert!(text.contains("workspaces"), "{text}");
    let (project, _) = of(
        "package.json",
        r#"{"scripts": {"x": "y"}, "packageManager": "yarn@4.1.0+sha"}"#,
    );
    assert_eq!(argv(&project.jobs["x"])[0], "yarn");
}

#[test]
fn a_cargo_workspace_has_its_binaries() {
    let files = [
        (
            "Cargo.toml",
            "[workspace]\nmembers = [\"crates/*\", \"x\"]\nexclude = [\"crates/old\"]\n",
        ),
        ("crates/api/Cargo.toml", "[package]\nname = \"api\"\n"),
        ("crates/api/src/main.rs", ""),
        ("crates/api/src/bin/seed.rs", ""),
        ("crates/lib/Cargo.toml", "[package]\nname = \"lib\"\n"),
        ("crates/lib/src/lib.rs", ""),
        ("crates/old/Cargo.toml", "[package]\nname = \"old\"\n"),
        ("crates/old/src/main.rs", ""),
        (
            "x/Cargo.toml",
            "[package]\nname = \"x\"\n[[bin]]\nname = \"xd\"\npath = \"src/main.rs\"\n",
        ),
        ("x/src/main.rs", ""),
    ];
    let (project, text) = taken(&files, &["Cargo.toml"]);
    assert_eq!(project.order, ["api", "seed", "xd"]);
    let api = ["cargo", "run", "--package", "api", "--bin", "api"];
    assert_eq!(argv(&project.jobs["api"]), api);
    assert!(project.jobs["api"].autostart && project.jobs["xd"].autostart);
    assert!(!project.jobs["seed"].autostart);
    assert_eq!(
        argv(&project.jobs["xd"]),
        ["cargo", "run", "--package", "x"]
    );
    assert!(
        text.contains("# crates/api/Cargo.toml, binary \"api\""),
        "{text}"
    );
    let one = [
        ("Cargo.toml", "[package]\nname = \"one\"\n"),
        ("src/main.rs", ""),
    ];
    let (project, _) = taken(&one, &["Cargo.toml"]);
    assert_eq!(argv(&project.jobs["one"]), ["cargo", "run"]);
}

#[test]
fn procfiles_and_makefiles_arrive() {
    let (project, text) = of(
        "Procfile",
        "web: npm start\r\n# x\nodd line\nworker: a 'b' \"c\"\n",
    );
    assert_eq!(project.order, ["web", "worker"]);
    assert_eq!(line(&project.jobs["worker"]), "a 'b' \"c\"");
    assert_eq!(project.jobs["worker"].ports[""], 5100);
    assert_eq!(project.jobs["web"].stop.grace_ms, 5000);
    assert!(
        text.contains("Procfile, line 3: this line is ignored"),
        "{text}"
    );
    let (project, _) = of(
        "Makefile",
        "CC := x\nserve: build\n\tx\ndev:\n\tdev: x\nbuild:\n",
    );
    assert_eq!(project.order, ["dev", "serve"]);
    assert_eq!(argv(&project.jobs["dev"]), ["make", "dev"]);
    assert!(!project.jobs["serve"].autostart);
    let (project, _) = of("justfile", "run := 'x'\n@dev port='1':\n  x\n");
    assert_eq!(argv(&project.jobs["dev"]), ["just", "dev"]);
}

#[test]
fn what_a_directory_has_is_chosen_from() {
    let chosen = |files: &[(&str, &str)]| {
        let seen = look(&memory(files), Path::new(DIR)).unwrap();
        let chosen = seen.iter().filter(|seen| seen.is_chosen);
        let chosen: Vec<String> = chosen.map(|seen| seen.name.clone()).collect();
        (chosen, seen.len())
    };
    let package = ("package.json", "{\"scripts\": {\"dev\": \"x\"}}");
    let compose = ("compose.yaml", "services: {db: {image: x}}");
    let old = ("docker-compose.yml", "services: {db: {image: x}}");
    let make = ("Makefile", "dev:\n");
    let mprocs = ("mprocs.yaml", "procs: {a: b}");
    let procfile = ("Procfile", "a: b");
    assert_eq!(
        chosen(&[package, compose, make]),
        (names(&["package.json", "compose.yaml"]), 3)
    );
    assert_eq!(chosen(&[compose, old]), (names(&["compose.yaml"]), 2));
    assert_eq!(
        chosen(&[package, mprocs, procfile]),
        (names(&["mprocs.yaml"]), 3)
    );
    assert_eq!(
        chosen(&[make, ("justfile", "dev:\n")]),
        (names(&["justfile"]), 2)
    );
    assert_eq!(
        chosen(&[("package.json", "{}"), ("Makefile", "all:\n")]),
        (vec![], 0)
    );
    let other = ("compose.yaml", "processes: {a: {command: x}}");
    assert_eq!(chosen(&[other, package]), (names(&["compose.yaml"]), 2));
    let bad = memory(&[("package.json", "{")]);
    assert!(look(&bad, Path::new(DIR)).is_err());
}

#[test]
fn files_of_other_directories_keep_them() {
    let files = [
        ("apps/web/Procfile", "web: x"),
        ("mprocs.yaml", "procs: {web: {shell: y, cwd: sub}}"),
        (
            "deploy/mprocs.yaml",
            "procs: {web: {shell: z, cwd: sub}, \"Web\": a}",
        ),
    ];
    let from = ["apps/web/Procfile", "mprocs.yaml", "./deploy/mprocs.yaml"];
    let (project, text) = taken(&files, &from);
    assert_eq!(project.order, ["web", "web-2", "web-3", "Web"]);
    assert!(text.contains("cwd = \"apps/web\""), "{text}");
    assert!(text.contains("cwd = \"deploy/sub\""), "{text}");
    assert!(text.contains("(\"web\")"), "{text}");
}

#[test]
fn mistakes_name_file_and_line() {
    for (name, text, expected) in [
        (
            "mprocs.yaml",
            "procs:\n  a: [\n",
            "mprocs.yaml:3:1: is not valid YAML",
        ),
        (
            "mprocs.yaml",
            "procs:\n  a: {}\n",
            "mprocs.yaml:2:6: has neither shell nor cmd",
        ),
        ("mprocs.yaml", "x: 1\n", "the file has no map \"procs\""),
        (
            "package.json",
            "{\n  \"scripts\": {,\n}",
            "package.json:2:15: is not valid",
        ),
        (
            "package.json",
            "{\"scripts\": {\"x\": 1}}",
            "package.json:1:",
        ),
        ("package.json", "{}", "nothing that bgproc could run"),
        ("Cargo.toml", "[package]\nname = \n", "Cargo.toml:2:"),
        (
            "Procfile",
            "a: x\na: y\n",
            "Procfile:2:1: \"a\" is there twice",
        ),
        (
            "process-compose.yaml",
            "processes:\n  a:\n    command: x\n    depends_on: {b: {condition: y}}\n",
            "is not a condition",
        ),
        ("x.txt", "", "is of no kind that bgproc init knows"),
        ("x.yaml", "a: b", "is of no kind that bgproc init knows"),
    ] {
        let fault = fault(name, text);
        assert!(fault.contains(expected), "{name}: {fault}");
    }
    let circle = fault(
        "process-compose.yaml",
        "processes:\n  a: {command: x, depends_on: {b: {}}}\n  b: {command: x, depends_on: {a: {}}}\n",
    );
    let expected = "process-compose.yaml: jobs need each other in a circle: a -> b -> a";
    assert_eq!(circle, expected);
    let missing = import(&memory(&[]), Path::new(DIR), &names(&["mprocs.yaml"])).unwrap_err();
    assert!(missing[0].message.contains("does not exist"), "{missing:?}");
}

/// A scalar of YAML in double quotes.
fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap()
}

proptest! {
    #[test]
    fn any_names_commands_and_values_arrive(
        jobs in proptest::collection::vec(("\\PC{0,20}", "[^\0]{1,40}", "\\PC{0,10}", "[^\0]{0,20}"), 1..5),
    ) {
        let mut text = "procs:\n".to_owned();
        let mut expected = Vec::new();
        let mut seen = Vec::new();
        for (name, command, variable, value) in &jobs {
            if seen.contains(name) || command.trim().is_empty() {
                continue;
            }
            seen.push(name.clone());
            text.push_str(&format!(
                "  {}: {{shell: {}, env: {{{}: {}}}}}\n",
                quoted(name), quoted(command), quoted(variable), quoted(value)
            ));
            expected.push(command.clone());
        }
        prop_assume!(!expected.is_empty());
        let (project, _) = of("mprocs.yaml", &text);
        let found: Vec<&str> = project.order.iter().map(|name| line(&project.jobs[name])).collect();
        prop_assert_eq!(found, expected);
    }

    #[test]
    fn no_file_makes_it_panic(text in "\\PC{0,60}|[-a-z:{}\\[\\]&*<> \n\"'$!|]{0,80}") {
        for (name, _) in NAMES {
            let memory = memory(&[(name, &text)]);
            if let Ok(new) = import(&memory, Path::new(DIR), &names(&[name])) {
                prop_assert!(verify::read(&new.text).is_ok(), "{}", new.text);
            }
        }
    }
}

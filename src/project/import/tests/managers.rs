//! The files of process managers.

use super::*;
use crate::project::ready::Check;
use crate::project::stop::StopHow;
use crate::protocol::policy::RestartWhen;
use crate::protocol::project::Level;

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
      timeout_seconds: 3
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
  alive:
    command: ./alive
    availability: {restart: always}
    liveness_probe: {http_get: {port: 80}}
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
    assert_eq!(db.restart.unready_ms, Some(6000));

    assert_eq!(line(job("migrate")), "./migrate up\n./seed\n");
    assert!(job("migrate").is_task);
    let api = job("api");
    assert_eq!(argv(api), ["./api", "--port", "${PORT:-1}"]);
    let needs: Vec<_> = api
        .needs
        .iter()
        .map(|need| (need.job.as_str(), need.is))
        .collect();
    assert_eq!(needs, [("migrate", Level::Ok), ("cache", Level::Ok)]);
    let http = Check::Http {
        url: "http://localhost:8080/health".to_owned(),
        status: vec![204],
    };
    assert_eq!(api.ready.as_ref().unwrap().check, http);
    assert_eq!(api.group.as_deref(), Some("back"));
    for note in [
        "needs \"ghost\"",
        "liveness_probe",
        "timeout_seconds of readiness_probe",
        "Here it goes on, because nothing restarts it.",
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
    // A task has ended when it would be stopped, or be ready.
    assert_eq!(cache.stop.how, StopHow::Signal("TERM".to_owned()));
    for note in [
        "is_daemon",
        "shutdown.command (redis-cli shutdown)",
        "cache is a task here",
    ] {
        assert!(text.contains(note), "{note}\n{text}");
    }
    assert!(job("nightly").schedule.is_some());
    assert!(job("nightlier").schedule.is_none());
    assert!(text.contains("Not taken over: schedule: "), "{text}");
    assert!(job("watched").watch.is_some());
    let alive = job("alive");
    assert!(matches!(
        &alive.ready.as_ref().unwrap().check,
        Check::Http { url, .. } if url == "http://127.0.0.1:80/"
    ));
    assert_eq!(alive.restart.unready_ms, Some(30_000));
    assert!(text.contains("shell = [\"bash\", \"-c\"]"), "{text}");
}

#[test]
fn files_of_variables_are_taken_over_from_the_directory_of_the_process() {
    let file = r#"
processes:
  api: {command: ./api, working_dir: ./api/, env_file: [.env.api, /p/etc/shop.env]}
  web: {command: ./web, env_file: ./web.env}
"#;
    let (project, text) = taken(
        &[
            ("process-compose.yaml", file),
            ("api/.env.api", "A=1\n"),
            ("etc/shop.env", "B=1\n"),
            ("web.env", "C=1\n"),
        ],
        &["process-compose.yaml"],
    );
    assert!(!text.contains("Not taken over"), "{text}");
    assert!(
        text.contains("\"api/.env.api\", \"/p/etc/shop.env\""),
        "{text}"
    );
    let files = |name: &str| -> Vec<String> {
        let files = project.jobs[name].own_env_files.iter();
        files.map(|file| file.path.display().to_string()).collect()
    };
    assert_eq!(files("api"), ["/p/api/.env.api", "/p/etc/shop.env"]);
    assert_eq!(files("web"), ["/p/web.env"]);
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
        text.contains("PATH = \"${PATH}:node_modules/.bin\""),
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
fn paths_of_mprocs_are_added_behind_the_path_of_the_job() {
    for (env, expected) in [
        ("{PATH: '/opt/${X}/bin'}", "/opt/$${X}/bin:tools:more"),
        ("{PATH: null}", "${PATH}:tools:more"),
        ("{OTHER: x}", "${PATH}:tools:more"),
    ] {
        let file = format!("procs:\n  a: {{shell: b, env: {env}, add_path: [tools, more]}}\n");
        let (_, text) = of("mprocs.yaml", &file);
        let line = format!("PATH = \"{expected}\"");
        assert_eq!(text.matches("PATH = ").count(), 1, "{text}");
        assert!(text.contains(&line), "no {line}: {text}");
    }
}

#[test]
fn a_command_of_dekit_may_be_a_text_without_a_shell() {
    let (project, _) = of(
        "dekit.yaml",
        "procs:\n  web: {cmd: 'npm run \"my dev\" ${X} a\\ b'}\n",
    );
    let words = ["npm", "run", "my dev", "$${X}", "a b"];
    assert_eq!(argv(&project.jobs["web"]), words);
    for text in ["' '", "\"npm 'run\"", "[]", "{a: b}"] {
        let refused = fault("dekit.yaml", &format!("procs: {{web: {{cmd: {text}}}}}"));
        assert!(refused.contains("cmd must be a list of texts"), "{refused}");
    }
}

#[test]
fn dekit_yaml_is_read_like_mprocs_yaml() {
    let (project, text) = of(
        "dekit.yaml",
        "procs:\n  web: {shell: npm start, deps: [db]}\n  db: {cmd: [pg]}\n",
    );
    assert_eq!(line(&project.jobs["web"]), "npm start");
    assert_eq!(project.jobs["web"].needs[0].job, "db");
    assert!(text.contains("from dekit.yaml."), "{text}");
}

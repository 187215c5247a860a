//! Compose files, scripts of packages, workspaces, and rules of make.

use super::*;
use crate::project::ready::Check;
use crate::project::stop::StopHow;
use crate::protocol::project::Level;

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

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
fn a_health_check_that_others_wait_for_is_not_replaced_by_a_port() {
    let (project, _) = of(
        "compose.yaml",
        r#"
services:
  db: {image: x, ports: ["5432:5432"], healthcheck: {test: pg_isready}}
  cache: {image: x, ports: ["6379:6379"], healthcheck: {test: ping}}
  off: {image: x, healthcheck: {disable: true}}
  none: {image: x, healthcheck: {test: ["NONE"]}}
  api:
    image: x
    depends_on: {db: {condition: service_healthy}, cache: {condition: service_started}}
"#,
    );
    let check = |name: &str| project.jobs[name].ready.as_ref().map(|ready| &ready.check);
    assert!(matches!(check("db"), Some(Check::Exec(line)) if line.contains("'{{.Health}}' db")));
    assert_eq!(
        check("cache"),
        Some(&Check::Tcp("localhost:6379".to_owned()))
    );
    // A check that is turned off would never succeed.
    assert_eq!((check("off"), check("none")), (None, None));
}

#[test]
fn ports_of_variables_are_those_of_docker() {
    let file = r#"
services:
  cache: {image: x, ports: ["${CACHE_PORT}:6379"]}
  must: {image: x, ports: ["127.0.0.1:${CACHE_PORT:?no port}:6379"]}
  bare: {image: x, ports: ["$CACHE_PORT:6379"]}
  dash: {image: x, ports: ["${D-7000}:80"]}
  unset: {image: x, ports: ["${GONE:?must be set}:80"]}
  chosen: {image: x, ports: ["${D:-}:80", "80"]}
"#;
    let files = [("compose.yaml", file), (".env", "CACHE_PORT=6380\n")];
    let (project, text) = taken(&files, &["compose.yaml"]);
    let tcp = |project: &Project, name: &str| match project.jobs[name].ready.as_ref() {
        Some(ready) => match &ready.check {
            Check::Tcp(address) => address.clone(),
            other => panic!("{other:?}"),
        },
        None => String::new(),
    };
    assert_eq!(tcp(&project, "cache"), "localhost:${CACHE_PORT}");
    assert_eq!(tcp(&project, "must"), "127.0.0.1:${CACHE_PORT}");
    assert_eq!(tcp(&project, "bare"), "localhost:${CACHE_PORT}");
    assert_eq!(tcp(&project, "dash"), "localhost:${D:-7000}");
    assert_eq!(tcp(&project, "unset"), "");
    assert!(
        text.contains("the value of GONE, which .env does not have"),
        "{text}"
    );
    assert_eq!(tcp(&project, "chosen"), "");
    assert!(text.contains("no fixed number"), "{text}");
    // The jobs of a file in another directory do not have that `.env`.
    let files = [
        ("dev/compose.yaml", file),
        ("dev/.env", "CACHE_PORT=6380\n"),
    ];
    let (project, _) = taken(&files, &["dev/compose.yaml"]);
    assert_eq!(tcp(&project, "cache"), "localhost:6380");
}

#[test]
fn what_docker_compose_reads_besides_is_named() {
    let file = r#"
name: my_shop
include: [more.yaml]
services:
  web: {extends: {file: base.yaml, service: web}}
"#;
    let overlay = ("docker-compose.override.yml", "services: {}");
    let (project, text) = taken(&[("compose.yaml", file), overlay], &["compose.yaml"]);
    assert_eq!(project.name, "my_shop");
    for note in [
        "the services of include",
        "also reads docker-compose.override.yml",
        "extends another service",
    ] {
        assert!(text.contains(note), "{note}\n{text}");
    }
    // With `-f` it reads no other file.
    let (_, text) = taken(&[("stack.yml", file), overlay], &["stack.yml"]);
    assert!(!text.contains("override"), "{text}");
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
    let include = "list them here: include = [\"packages/*/bgproc.toml\"]";
    assert!(text.contains(include), "{text}");
    // Its name is said once.
    let origin = "# package.json, script \"@scope/x y:watch\"\n";
    assert!(text.contains(origin), "{text}");
    let (project, _) = of(
        "package.json",
        r#"{"scripts": {"x": "y"}, "packageManager": "yarn@4.1.0+sha"}"#,
    );
    assert_eq!(argv(&project.jobs["x"])[0], "yarn");
}

#[test]
fn the_workspaces_of_a_package_are_named() {
    for (workspaces, expected) in [
        (
            r#"["apps/*", "./site/"]"#,
            r#"["apps/*/bgproc.toml", "site/bgproc.toml"]"#,
        ),
        (
            r#"{"packages": ["libs/**", "!libs/old"], "nohoist": []}"#,
            r#"["libs/**/bgproc.toml"]"#,
        ),
        ("[]", r#"["packages/*/bgproc.toml"]"#),
    ] {
        let package = format!(r#"{{"scripts": {{"dev": "x"}}, "workspaces": {workspaces}}}"#);
        let (_, text) = of("package.json", &package);
        let include = format!("include = {expected}\n");
        assert!(text.contains(&include), "{text}");
    }
    let package = r#"{"scripts": {"dev": "x"}, "workspaces": ["apps/*"]}"#;
    let (_, text) = taken(&[("web/package.json", package)], &["web/package.json"]);
    assert!(
        text.contains("include = [\"web/apps/*/bgproc.toml\"]"),
        "{text}"
    );
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

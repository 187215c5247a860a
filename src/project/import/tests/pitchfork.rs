//! `pitchfork.toml`.

use std::path::Path;

use super::*;
use crate::project::job::PortBusy;
use crate::project::ready::Check;
use crate::project::stop::StopHow;
use crate::protocol::policy::RestartWhen;

const FILE: &str = r#"
namespace = "my-shop"

[env]
LOG = "${X}"

[settings.general]
interval = "5s"

[groups.backend]
daemons = ["api", "db"]

[groups.all]
daemons = ["api"]

[daemons.db]
run = "exec postgres -D data"
dir = "~/data"
ready_output = { pattern = "ready to accept", timeout = "5m" }
ready_delay = 5
boot_start = true
retry = true
stop_signal = { signal = "SIGINT", timeout = "20s" }
memory_limit = "512MB"
cpu_limit = 80

[daemons.api]
run = "node server.js {{ daemons.db.port }}"
dir = "api"
env = { NODE_ENV = "development", URL = "http://${HOST}" }
depends = ["db", "global/cache"]
auto = ["start", "stop"]
retry = 3
port = { expect = [3000], bump = 10 }
ready_http = "http://localhost:3000/health"
ready_port = 3000
watch = ["src/**/*.ts", "package.json", "../shared/*.ts"]
mise = true
user = "app"

[daemons.api.hooks]
on_ready = "curl http://x"
on_fail = "./alert $PITCHFORK_DAEMON_ID"
on_retry = "x"

[daemons.worker]
run = "./worker"
port = [8080, 8443]
ready_port = 8080
pty = false

[daemons.proxy]
run = "./proxy"
ready_port = 9000

[daemons.slow]
run = "./slow"
ready_delay = 5

[daemons.secure]
run = "./secure"
ready_http = { url = "https://localhost/x y", status = [401] }

[daemons.backup]
run = "./backup.sh"
cron = { schedule = "0 30 2 * * 1-5", retrigger = "always" }

[daemons.often]
run = "./often"
cron = "*/10 * * * * *"
"#;

#[test]
fn pitchfork_arrives() {
    let (project, text) = of("pitchfork.toml", FILE);
    let job = |name: &str| &project.jobs[name];
    assert_eq!(project.name, "my-shop");
    assert!(text.contains("[env]\nLOG = \"$${X}\""), "{text}");
    let db = job("db");
    assert_eq!(line(db), "exec postgres -D data");
    assert!(text.contains("cwd = \"${HOME}/data\""), "{text}");
    let ready = db.ready.as_ref().unwrap();
    assert_eq!(ready.check, Check::Log("ready to accept".to_owned()));
    assert_eq!(ready.timeout_ms, 300_000);
    assert_eq!(db.restart.when, RestartWhen::OnFailure);
    assert_eq!(db.restart.max, u32::MAX);
    assert_eq!(db.stop.how, StopHow::Signal("INT".to_owned()));
    assert_eq!(db.stop.grace_ms, 20_000);
    assert_eq!(db.limits.memory_bytes, Some(512 << 20));
    assert!(db.autostart, "it starts at boot");
    assert_eq!(db.group.as_deref(), Some("backend"));

    let api = job("api");
    assert!(api.autostart && !job("worker").autostart);
    assert_eq!(api.ports[""], 3000);
    assert_eq!(api.port_busy, PortBusy::Next);
    let check = &api.ready.as_ref().unwrap().check;
    let http = Check::Http {
        url: "http://localhost:3000/health".to_owned(),
        status: vec![200, 201, 202, 204],
    };
    assert_eq!(*check, http);
    assert_eq!(api.restart.max, 3);
    assert_eq!(api.needs.len(), 1, "{text}");
    assert_eq!(api.tags, ["backend", "all"]);
    let watch = api.watch.as_ref().unwrap();
    assert_eq!(
        watch.paths,
        [Path::new("/p/src"), Path::new("/p/package.json")]
    );
    assert_eq!(watch.only, ["src/**/*.ts", "./package.json"]);
    assert_eq!(watch.debounce_ms, 1000);
    assert_eq!(api.on.ready.as_deref(), Some("curl http://x"));
    assert!(api.on.failed.is_some() && api.on.exit.is_none());

    let worker = job("worker");
    assert_eq!((worker.ports["port0"], worker.ports["port1"]), (8080, 8443));
    assert!(matches!(
        worker.ready.as_ref().unwrap().check,
        Check::Port(_)
    ));
    assert!(!worker.pty);
    let tcp = Check::Tcp("localhost:9000".to_owned());
    assert_eq!(job("proxy").ready.as_ref().unwrap().check, tcp);
    assert!(job("slow").ready.is_none());
    let curl = Check::Exec("curl -fsS 'https://localhost/x y'".to_owned());
    assert_eq!(job("secure").ready.as_ref().unwrap().check, curl);
    assert!(
        text.contains("cron = \"30 2 * * 1-5\", overlap = \"restart\""),
        "{text}"
    );
    assert!(job("often").schedule.is_none());
    for note in [
        "pitchfork.toml: Not taken over: settings.",
        "the weekdays 1-5 are read as pitchfork's manual has them",
        "`bgproc up` starts what pitchfork.toml starts then or at boot",
        "Not taken over: cpu_limit.",
        "Not taken over: ready_port, because there is ready_http.",
        "Not taken over: ready_delay: 5.",
        "Not taken over: cron: */10 * * * * *.",
        "Not taken over: watch: \"../shared/*.ts\"",
        "Not taken over: mise.",
        "Not taken over: status of ready_http",
        "Not taken over: user.",
        "hooks: Not taken over: on_retry.",
        "Look at on.failed",
        "It has a template",
        "needs \"global/cache\", which is not in the file",
        "daemon install",
    ] {
        assert!(text.contains(note), "{note}\n{text}");
    }
}

#[test]
fn without_automatic_starts_up_starts_all_daemons() {
    let (project, text) = of(
        "pitchfork.toml",
        "[daemons.a]\nrun = \"x\"\n[daemons.b]\nrun = \"y\"\n",
    );
    assert!(project.jobs.values().all(|job| job.autostart), "{text}");
    assert!(text.contains("# pitchfork.toml, line 1"), "{text}");
    assert!(!text.contains("shell enters"), "{text}");
}

#[test]
fn mistakes_in_pitchfork_toml_have_places() {
    for (text, expected) in [
        ("[daemons.a]\nrun = \n", "pitchfork.toml:2:"),
        (
            "[daemons.a]\ndir = \"x\"\n",
            "pitchfork.toml:1:10: daemon \"a\" has no run",
        ),
        ("[slugs]\n", "the file has no [daemons.NAME]"),
        (
            "[daemons]\na = 1\n",
            "pitchfork.toml:2:5: a daemon must be a table",
        ),
    ] {
        let fault = fault("pitchfork.toml", text);
        assert!(fault.contains(expected), "{fault}");
    }
}

//! A service that is ready can lose that again.

use serde_json::json;

use super::Project;
use crate::secrets::file_with;
use crate::support::needs::have;
use crate::support::{Person, eventually};

const SHOP: &str = "version = 1\n[jobs.api]\nrun = \"exec sleep 1000\"\n\
                    ready = { file = \"up\", every = \"20ms\" }\n\
                    [jobs.web]\nrun = \"exec sleep 1000\"\nneeds = [\"api\"]\n\
                    [jobs.late]\nrun = \"exec sleep 1000\"\nneeds = [\"api\"]\nautostart = false\n";

#[test]
fn readiness_that_is_lost_stops_nobody_and_who_comes_late_waits() {
    let shop = Project::new(SHOP);
    let file = shop.dir.join("up");
    std::fs::write(&file, "").unwrap();
    shop.ok(&["up"]);
    let pids = (shop.pid("api"), shop.pid("web"));
    let mut view = Person::new(&shop.home);
    view.ok(json!({"action": "subscribe", "events": ["phase", "ready"]}));
    std::fs::remove_file(&file).unwrap();
    let told =
        view.next(|line| line["data"]["job"] == "api" && line["data"]["phase"] == "starting");
    let why = format!("not ready any more: {} does not exist", file.display());
    assert_eq!(told["data"]["why"], why, "{told}");
    let said = shop.ok(&["why", "api"]);
    assert!(said[0].contains(&why), "{said:?}");
    // Also for the next daemon.
    shop.home.kill_daemon();
    let ran = shop.run(&["up", "late"]).expect_code(124);
    assert!(ran.stdout.contains("late queued: needs api ready"), "{ran}");
    assert_eq!((shop.pid("api"), shop.pid("web")), pids);
    std::fs::write(&file, "").unwrap();
    shop.until("late", "running");
    assert_eq!(shop.phase("api"), "ready");
    assert_eq!((shop.pid("api"), shop.pid("web")), pids);
}

#[test]
fn a_server_that_fails_its_probe_is_stopped_as_its_file_says_and_run_again() {
    if !have("python3") {
        return;
    }
    let server = "import http.server, os\n\
                  class Api(http.server.BaseHTTPRequestHandler):\n\
                  \x20   def do_GET(self):\n\
                  \x20       self.send_response(503 if os.path.exists('sick') else 200)\n\
                  \x20       self.end_headers()\n\
                  try: http.server.HTTPServer(('127.0.0.1', int(os.environ['PORT'])), Api).serve_forever()\n\
                  except KeyboardInterrupt: os.remove('sick')\n";
    let port = super::free_port();
    let shop = Project::new(&format!(
        "version = 1\n[jobs.api]\nrun = \"exec python3 server.py\"\nport = {port}\n\
         ready = {{ http = \"http://127.0.0.1:${{PORT}}/\", every = \"20ms\" }}\n\
         restart = {{ when = \"on-failure\", backoff = \"20ms\", unready = \"100ms\" }}\n\
         stop = {{ signal = \"INT\", grace = \"30s\" }}\n"
    ));
    std::fs::write(shop.dir.join("server.py"), server).unwrap();
    shop.ok(&["up"]);
    let first = shop.pid("api");
    let mut view = Person::new(&shop.home);
    view.ok(json!({"action": "subscribe", "events": ["restarted", "phase"]}));
    std::fs::write(shop.dir.join("sick"), "").unwrap();
    let restarted = view.next(|line| line["event"] == "restarted");
    let why = format!(
        "it was not ready any more for 0.1s: http://127.0.0.1:{port}/ answered 503, not 200 (exit code 0); \
         it is run again (1 of 5)"
    );
    assert_eq!(restarted["data"]["reason"], why, "{restarted}");
    shop.until("api", "ready");
    assert_ne!(shop.pid("api"), first);
}

#[test]
fn a_port_that_is_closed_is_noticed() {
    let server = "import os, socket, time\ns = socket.socket()\n\
                  s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)\n\
                  s.bind(('127.0.0.1', int(os.environ['PORT'])))\ns.listen()\n\
                  while not os.path.exists('close'): time.sleep(0.02)\ns.close()\n\
                  while True: time.sleep(1)\n";
    if !have("python3") {
        return;
    }
    let port = super::free_port();
    let shop = Project::new(&format!(
        "version = 1\n[jobs.api]\nrun = \"exec python3 server.py\"\nport = {port}\n\
         ready = {{ port = {port}, every = \"20ms\" }}\n"
    ));
    std::fs::write(shop.dir.join("server.py"), server).unwrap();
    shop.ok(&["up"]);
    std::fs::write(shop.dir.join("close"), "").unwrap();
    eventually("api is not ready any more", || {
        (shop.phase("api") == "starting").then_some(())
    });
}

#[test]
fn a_secret_value_in_a_probe_is_looked_for_and_never_told() {
    let mut shop = Project::new(
        "version = 1\n[jobs.api]\nrun = \"exec sleep 1000\"\n\
         ready = { file = \"up-${API_TOKEN}\", every = \"20ms\", timeout = \"50ms\" }\n",
    );
    shop.home.set("API_TOKEN", "hunter-probe".to_owned());
    let mut said = vec![shop.run(&["up"]).to_string()];
    // The keeper has the probe for the next daemon.
    shop.home.kill_daemon();
    for args in [
        &["why", "api"][..],
        &["status", "api"],
        &["ls", "--wide"],
        &["events"],
    ] {
        said.push(shop.run(args).to_string());
    }
    said.push(shop.job("api").to_string());
    for text in &said {
        assert!(!text.contains("hunter-probe"), "{text}");
    }
    assert!(said[1].contains("up-*** does not exist"), "{}", said[1]);
    assert_eq!(file_with(shop.home.path(), "hunter-probe"), None);
    std::fs::write(shop.dir.join("up-hunter-probe"), "").unwrap();
    shop.until("api", "ready");
}

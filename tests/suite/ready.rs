//! Whether a job is ready: by what it writes, or by the port that it listens on.

use std::net::{Ipv4Addr, SocketAddrV4, TcpListener};
use std::os::fd::OwnedFd;
use std::path::Path;

use rustix::net::{AddressFamily, SocketType, bind, getsockname, socket, sockopt};
use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::process::sleeps;
use crate::support::{Home, Serve, daemon};

/// A shell line that listens on a port that is reserved, once the gate was opened.
fn server(gate: &Path, port: u16) -> String {
    let code = format!(
        "import socket,sys; s=socket.socket(); s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1); \
         s.bind((\"127.0.0.1\", {port})); s.listen(); sys.stdin.read()"
    );
    format!("cat {}; python3 -c '{code}'", gate.display())
}

/// What `python3 -m http.server` does, on a port that is reserved.
fn web_server(port: u16) -> String {
    let code = format!(
        "import http.server as h, socket
class Server(h.HTTPServer):
    def server_bind(self):
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        super().server_bind()
h.test(h.SimpleHTTPRequestHandler, Server, port={port}, bind=\"127.0.0.1\")"
    );
    format!("python3 -u -c '{code}'")
}

/// A port that is bound here without listening, and that only our own jobs can bind, too: nobody else is given
/// it meanwhile.
struct Reserved {
    port: u16,
    _socket: OwnedFd,
}

impl Reserved {
    fn new() -> Self {
        let socket = socket(AddressFamily::INET, SocketType::STREAM, None).unwrap();
        sockopt::set_socket_reuseport(&socket, true).unwrap();
        bind(&socket, &SocketAddrV4::new(Ipv4Addr::LOCALHOST, 0)).unwrap();
        let address = SocketAddrV4::try_from(getsockname(&socket).unwrap()).unwrap();
        Self {
            port: address.port(),
            _socket: socket,
        }
    }
}

fn ready(serve: &mut Serve, job: &Job) -> Value {
    job.ask(serve, "status", json!({}))["ready"].clone()
}

#[test]
fn a_line_makes_a_job_ready_and_each_run_begins_anew() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["ready"]}));
    let start = json!({"command": "read a; echo listening on 80; read b",
        "ready": {"pattern": "^listening on (\\d+)"}});
    let job = Job::request(&mut serve, start);
    assert_eq!(ready(&mut serve, &job), false);
    let pending =
        serve.send(json!({"action": "wait", "sessionId": job.id, "until": [{"ready": true}]}));
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    let waited = serve.reply(pending)["result"].take();
    assert_eq!(waited["outcome"], "matched", "{waited}");
    assert_eq!(waited["matched"]["kind"], "ready");
    let event = serve.event("ready");
    assert!(event["data"]["tookMs"].is_u64(), "{event}");
    assert_eq!(ready(&mut serve, &job), true);
    // What is there already is said to be so.
    let again = job.wait_until(&mut serve, json!({"until": [{"ready": true}]}));
    assert_eq!(again["matchedAtEntry"], true);
    // The next daemon knows, and tells it no second time.
    daemon::kill(&mut serve);
    assert_eq!(ready(&mut serve, &job), true);
    assert!(serve.told("ready").is_empty());
    // The line of the run before makes no other run ready.
    job.ask(&mut serve, "restart", json!({}));
    assert_eq!(ready(&mut serve, &job), false);
    job.say(&mut serve, "", "listening");
    job.wait_until(&mut serve, json!({"until": [{"ready": true}]}));
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    job.end(&mut serve);
    assert_eq!(
        ready(&mut serve, &job),
        false,
        "nothing of it serves any more"
    );
}

#[test]
fn a_daemon_that_takes_over_goes_on_probing() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let start = json!({"command": "read a; echo up; read b", "ready": {"pattern": "^up$"}});
    let job = Job::request(&mut serve, start);
    daemon::kill(&mut serve);
    let pending =
        serve.send(json!({"action": "wait", "sessionId": job.id, "until": [{"ready": true}]}));
    job.ask(&mut serve, "write", json!({"data": "\n"}));
    assert_eq!(serve.reply(pending)["result"]["outcome"], "matched");
}

#[test]
fn a_port_of_its_own_makes_a_job_ready_and_nobody_else_s() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let (reserved, gate) = (Reserved::new(), home.gate());
    let own = reserved.port;
    let foreign = TcpListener::bind("127.0.0.1:0").unwrap();
    let taken = foreign.local_addr().unwrap().port();
    let start = json!({"command": server(&gate, own), "ready": {"port": own}});
    let job = Job::request(&mut serve, start);
    let stranger = job.ask(
        &mut serve,
        "wait",
        json!({"until": [{"port": taken}], "timeoutMs": 300}),
    );
    assert_eq!(stranger["outcome"], "timeout", "that is ours: {stranger}");
    let by_port =
        serve.send(json!({"action": "wait", "sessionId": job.id, "until": [{"port": own}]}));
    let by_probe =
        serve.send(json!({"action": "wait", "sessionId": job.id, "until": [{"ready": true}]}));
    std::fs::write(&gate, "").unwrap();
    for (id, kind) in [(by_port, "port"), (by_probe, "ready")] {
        let waited = serve.reply(id)["result"].take();
        assert_eq!(waited["outcome"], "matched", "{waited}");
        assert_eq!(waited["matched"]["kind"], kind);
    }
    let entry = job.wait_until(&mut serve, json!({"until": [{"port": own}]}));
    assert_eq!(entry["matchedAtEntry"], true);
    let detail = job.ask(&mut serve, "status", json!({"detail": true}));
    assert_eq!(detail["detail"]["ports"], json!([own]));
}

#[test]
fn ports_and_urls_of_what_a_job_serves_are_listed() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let reserved = Reserved::new();
    let port = reserved.port;
    let line = web_server(port);
    let id = home.start(&["-n", "web", "--ready-port", &port.to_string(), &line]);
    home.ok(&["wait", "web", "--for", "ready", "--timeout", "18s"]);
    home.ok(&[
        "wait",
        "web",
        "--for",
        &format!("port:{port}"),
        "--timeout",
        "18s",
    ]);
    home.ok(&["wait", "web", "--for", "match:Serving", "--timeout", "18s"]);
    let url = format!("http://127.0.0.1:{port}/");
    let status = home.json(&["status", "web"]);
    assert_eq!(status["detail"]["urls"], json!([url]), "{status}");
    let list = home.json(&["ls"]);
    assert_eq!(list["sessions"][0]["sessionId"], id.as_str());
    assert_eq!(list["sessions"][0]["ports"], json!([port]));
    assert_eq!(list["sessions"][0]["urls"], json!([url]));
    let table = home.ok(&["ls", "-o", "table"]);
    assert!(
        table.contains("PORT") && table.contains(&port.to_string()),
        "{table}"
    );
}

#[test]
fn one_that_is_not_ready_in_time_says_so_and_goes_on() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    serve.ok(json!({"action": "subscribe", "events": ["limit"]}));
    let start = json!({"command": "read a; echo up; read b",
        "ready": {"pattern": "^up$", "timeoutMs": 50}});
    let job = Job::request(&mut serve, start);
    let late = serve.event("limit");
    assert_eq!(late["data"]["limit"], "ready.timeoutMs", "{late}");
    let status = job.ask(&mut serve, "status", json!({}));
    let reason = status["reason"].as_str().unwrap();
    assert!(
        reason.contains("not ready after 50ms: no line matches `^up$`"),
        "{reason}"
    );
    assert_eq!(
        (&status["ready"], &status["status"]),
        (&json!(false), &json!("running"))
    );
    // Better late than never.
    job.say(&mut serve, "", "^up$");
    job.wait_until(&mut serve, json!({"until": [{"ready": true}]}));
    assert_eq!(
        job.ask(&mut serve, "status", json!({}))["reason"],
        Value::Null
    );
}

#[test]
fn what_makes_no_sense_is_refused() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    for (ready, word) in [
        (json!({}), "exactly one"),
        (json!({"port": 0}), "1 to 65535"),
        (json!({"port": 1, "pattern": "x"}), "exactly one"),
        (json!({"pattern": "(?=x)"}), "look-around"),
        (json!({"port": 80, "timeout": 5}), "timeout"),
        (json!({"port": 80, "timeoutMs": 0}), "at least 1"),
    ] {
        let start = json!({"action": "start", "command": "true", "ready": ready});
        let error = serve.err(start, "invalid_params");
        assert!(error["message"].as_str().unwrap().contains(word), "{error}");
    }
    let job = Job::start(&mut serve, "read x");
    let wait = json!({"action": "wait", "sessionId": job.id, "until": [{"ready": true}]});
    let error = serve.err(wait, "invalid_params");
    assert!(
        error["message"]
            .as_str()
            .unwrap()
            .contains("no readiness probe"),
        "{error}"
    );
    let ran = home.run(&["run", "--ready-log", "x", "--ready-port", "80", "true"]);
    ran.expect_code(2);
}

#[test]
fn thousands_of_pending_waits_cost_no_time_of_the_processor() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let jobs: Vec<Job> = (0..5).map(|_| Job::start(&mut serve, "read x")).collect();
    // A connection has 256 requests in flight at most.
    let mut agents: Vec<Serve> = (0..8).map(|_| scoped(&home, &serve)).collect();
    for agent in &mut agents {
        for count in 0..250 {
            let job = &jobs[count % jobs.len()];
            let until = json!([{"pattern": format!("never {count}")}, {"idleMs": 600_000},
                {"exit": true}]);
            agent.send(
                json!({"action": "wait", "sessionId": job.id, "until": until,
                "timeoutMs": 600_000}),
            );
        }
        // Answered after all of them were taken.
        agent.ok(json!({"action": "list"}));
    }
    let (daemon, _) = daemon::pids(&mut serve);
    let before = sleeps(daemon);
    // The end of a wait is the named event that tells that this time is over.
    let pause = json!({"until": [{"pattern": "never"}], "timeoutMs": 1500});
    assert_eq!(jobs[0].ask(&mut serve, "wait", pause)["outcome"], "timeout");
    let woken = sleeps(daemon) - before;
    eprintln!("the daemon was woken {woken} times in 1500 ms with 2000 waits that wait");
    // For the request, its time, and a few looks at what the jobs do with their input.
    assert!(woken <= 30, "{woken} times for 2000 waits that wait");
}

/// Another connection of the same scope.
fn scoped(home: &Home, serve: &Serve) -> Serve {
    let scope = serve.hello["scope"].as_str().unwrap().to_owned();
    Serve::new(home, &["--scope", &scope])
}

#[test]
fn a_server_that_listens_to_keys_while_it_starts_is_waited_for() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--lean"]);
    let code = "import sys,time,tty; tty.setcbreak(0); print('starting', flush=True); time.sleep(1); \
                print('listening', flush=True); sys.stdin.read()";
    let started = serve.ok(
        json!({"action": "start", "command": "python3", "args": ["-c", code],
        "ready": {"pattern": "listening"}, "waitMs": 20_000}),
    );
    assert_eq!(started["ready"], true, "{started}");
}

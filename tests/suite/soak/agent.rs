//! An agent that does what agents do, and knows how each of its jobs has to end.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde_json::{Value, json};

use crate::support::Dice;
use crate::support::job::Job;
use crate::support::numbers::{self, COUNT_GENTLY, Reader};
use crate::support::{Home, Serve};

/// Jobs at once, beside those that stay.
const AT_ONCE: usize = 12;

/// How a job ends: exit code, signal, status.
type End = (Value, Value, &'static str);

pub(super) struct Agent {
    pub(super) serve: Serve,
    scope: String,
    /// Ends that are still to be told.
    expected: HashMap<String, End>,
    told: HashSet<String>,
    /// Those that restart, of whom several ends may be told.
    restarting: HashSet<String>,
    /// Jobs that end when they are asked to.
    sleepers: Vec<Job>,
    /// Counting jobs and their last number, to be looked at when they have ended.
    floods: HashMap<String, u64>,
    /// Finished ones that may be forgotten.
    finished: Vec<String>,
    repl: Option<Job>,
    said: u64,
    pub(super) counting: Option<Job>,
    reader: Reader,
    starts: u64,
}

impl Agent {
    pub(super) fn new(home: &Home, program: &Path, scope: &str) -> Self {
        let words = [program.to_str().unwrap(), "--serve", "--scope", scope];
        let mut serve = Serve::spawn(home.command_through(&words));
        serve.ok(json!({"action": "subscribe", "events": ["exited"]}));
        Self {
            serve,
            scope: scope.to_owned(),
            expected: HashMap::new(),
            told: HashSet::new(),
            restarting: HashSet::new(),
            sleepers: Vec::new(),
            floods: HashMap::new(),
            finished: Vec::new(),
            repl: None,
            said: 0,
            counting: None,
            reader: Reader::default(),
            starts: 0,
        }
    }

    /// Starts the jobs that stay.
    pub(super) fn begin(&mut self) {
        let unlimited = |command: &str| json!({"command": command, "timeoutMs": 0});
        let python = unlimited("exec python3 -i -q");
        let python = Job::request(&mut self.serve, python);
        python.wait_screen(&mut self.serve, "^>>>$");
        python.say(&mut self.serve, "n = 0; print('at', n)", "^at 0$");
        self.repl = Some(python);
        self.counting = Some(Job::request(&mut self.serve, unlimited(COUNT_GENTLY)));
    }

    /// A job that is there.
    pub(super) fn any_job(&self) -> String {
        self.counting.as_ref().unwrap().id.clone()
    }

    /// Says how a job has to end.
    pub(super) fn expect(&mut self, job: &Job, code: Value, signal: Value, status: &'static str) {
        self.expected.insert(job.id.clone(), (code, signal, status));
    }

    fn request(&mut self, command: String, mode: &str) -> Value {
        self.starts += 1;
        let key = format!("{}-{}", self.scope, self.starts);
        json!({"action": "start", "command": command, "mode": mode, "key": key, "background": true})
    }

    fn start(&mut self, command: String, mode: &str) -> Job {
        let request = self.request(command, mode);
        Job::request(&mut self.serve, request)
    }

    /// Does something.
    pub(super) fn act(&mut self, dice: &mut Dice) {
        match dice.below(20) {
            0..7 => {
                let (command, code, status) = short(dice);
                let job = self.start(command, dice.pick(&["pty", "pipe"]));
                self.expect(&job, json!(code), Value::Null, status);
            }
            7 => {
                let signal = dice.pick(&["KILL", "SEGV", "TERM", "HUP"]);
                let job = self.start(format!("ulimit -c 0; kill -{signal} $$"), "pty");
                self.expect(&job, Value::Null, json!(format!("SIG{signal}")), "error");
            }
            8..10 => self.flood(dice),
            10..12 => {
                let job = self.start("exec sleep 100000".to_owned(), "pty");
                self.sleepers.push(job);
            }
            12..14 => self.kill_one(dice),
            14 => self.restart_one(dice),
            15..17 => self.type_a_line(),
            17 => {
                let repl = self.repl.as_ref().unwrap();
                repl.ask(&mut self.serve, "clear", json!({}));
                let log = repl.ask(&mut self.serve, "log", json!({}));
                assert_eq!(log["firstOffset"], log["totalBytes"], "{log}");
            }
            _ => {
                if let Some(id) = self.finished.pop() {
                    let remove = json!({"action": "remove", "sessionId": id});
                    // It may be one too many already.
                    let removed = self.serve.call(remove);
                    let gone = removed["error"]["code"] == "session_removed";
                    assert!(removed["ok"] == true || gone, "{removed}");
                }
            }
        }
    }

    /// A daemon dies over a start and a wait; both are answered as if nothing had been.
    pub(super) fn outlive(&mut self, dice: &mut Dice, kill: fn(&mut Serve) -> u32) {
        let (command, code, status) = short(dice);
        let waiting = self.start(command, "pty");
        self.expect(&waiting, json!(code), Value::Null, status);
        let wait = json!({"action": "wait", "sessionId": waiting.id, "timeoutMs": 600_000});
        let wait = self.serve.send(wait);
        let (command, other, status) = short(dice);
        let request = self.request(command, "pipe");
        let start = self.serve.send(request);
        kill(&mut self.serve);
        let started = self.serve.reply(start);
        let id = started["result"]["sessionId"].as_str();
        let id = id.unwrap_or_else(|| panic!("{started}")).to_owned();
        self.expect(&Job { id, pid: None }, json!(other), Value::Null, status);
        let waited = self.serve.reply(wait);
        assert_eq!(waited["result"]["exitCode"], code, "{waited}");
    }

    fn flood(&mut self, dice: &mut Dice) {
        let last = dice.below(150_000);
        let job = self.start(format!("seq -f %012.0f 0 {last}; exit 9"), "pty");
        self.expect(&job, json!(9), Value::Null, "error");
        self.floods.insert(job.id, last);
    }

    fn kill_one(&mut self, dice: &mut Dice) {
        if self.sleepers.is_empty() {
            return;
        }
        let which = dice.below(self.sleepers.len() as u64) as usize;
        let job = self.sleepers.swap_remove(which);
        let (force, signal) = dice.pick(&[(true, "SIGKILL"), (false, "SIGTERM")]);
        self.expect(&job, Value::Null, json!(signal), "killed");
        let killed = job.ask(&mut self.serve, "kill", json!({"force": force}));
        assert_eq!(killed["status"], "killed", "{killed}");
        assert_eq!(killed["survivors"], json!([]), "{killed}");
    }

    fn restart_one(&mut self, dice: &mut Dice) {
        if self.sleepers.is_empty() {
            return;
        }
        let which = dice.below(self.sleepers.len() as u64) as usize;
        let job = &self.sleepers[which];
        self.restarting.insert(job.id.clone());
        let before = job.ask(&mut self.serve, "status", json!({}));
        let after = job.ask(&mut self.serve, "restart", json!({}));
        let runs = |record: &Value| record["restarts"].as_u64().unwrap();
        assert_eq!(runs(&after), runs(&before) + 1, "{after}");
        assert_eq!(after["status"], "running", "{after}");
        assert_ne!(after["pid"], before["pid"]);
    }

    fn type_a_line(&mut self) {
        self.said += 1;
        let at = format!("^at {}$", self.said);
        let repl = self.repl.as_ref().unwrap();
        repl.say(&mut self.serve, "n += 1; print('at', n)", &at);
    }

    /// Fails if something that was told or is counted is not so.
    pub(super) fn check(&mut self, home: &Home, dice: &mut Dice) {
        for event in self.serve.told("exited") {
            self.hear(home, &event);
        }
        while self.expected.len() > AT_ONCE {
            let event = self.serve.event("exited");
            self.hear(home, &event);
        }
        while self.sleepers.len() > AT_ONCE {
            self.kill_one(dice);
        }
        let counting = self.counting.as_ref().unwrap();
        self.reader.read(&mut self.serve, counting);
    }

    fn hear(&mut self, home: &Home, event: &Value) {
        let id = event["sessionId"].as_str().unwrap().to_owned();
        if self.restarting.contains(&id) && event["data"]["signal"].is_string() {
            self.expected.remove(&id);
            return;
        }
        assert!(self.told.insert(id.clone()), "told twice: {event}");
        let expected = self.expected.remove(&id);
        let (code, signal, status) = expected.unwrap_or_else(|| panic!("not ours: {event}"));
        let end = &event["data"];
        assert_eq!(
            (&end["exitCode"], &end["signal"], &end["status"]),
            (&code, &signal, &json!(status)),
            "{event}"
        );
        if let Some(last) = self.floods.remove(&id) {
            assert_eq!(numbers::check(home, &id), (0, (last + 1) * 14));
        }
        self.finished.push(id);
    }

    /// Fails unless this agent sees its own sessions and no other's.
    pub(super) fn check_foreign(&mut self, stranger: &str) {
        let foreign = json!({"action": "status", "sessionId": stranger});
        self.serve.err(foreign, "session_not_found");
        let list = self.serve.ok(json!({"action": "list", "limit": 1000}));
        let sessions = list["sessions"].as_array().unwrap();
        let counted = list["counts"].as_object().unwrap().values();
        let counted: u64 = counted.map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(counted, sessions.len() as u64, "{}", list["counts"]);
        for session in sessions {
            assert_ne!(session["sessionId"], stranger);
        }
    }

    /// Ends everything, and fails unless all of it is told.
    pub(super) fn finish(&mut self, home: &Home, dice: &mut Dice) {
        self.check(home, dice);
        while !self.sleepers.is_empty() {
            self.kill_one(dice);
        }
        let counting = self.counting.take().unwrap();
        self.expect(&counting, Value::Null, json!("SIGTERM"), "killed");
        counting.ask(&mut self.serve, "kill", json!({}));
        self.reader.read(&mut self.serve, &counting);
        numbers::check(home, &counting.id);
        let repl = self.repl.take().unwrap();
        self.expect(&repl, json!(6), Value::Null, "error");
        repl.ask(&mut self.serve, "write", json!({"data": "exit(6)\n"}));
        while !self.expected.is_empty() {
            let event = self.serve.event("exited");
            self.hear(home, &event);
        }
        let list = self.serve.ok(json!({"action": "list", "limit": 1000}));
        for session in list["sessions"].as_array().unwrap() {
            let ended = ["done", "error", "killed"].contains(&session["status"].as_str().unwrap());
            assert!(ended, "{session}");
        }
        let told = self.serve.told("exited");
        let again = |event: &&Value| {
            !self
                .restarting
                .contains(event["sessionId"].as_str().unwrap())
        };
        assert!(
            !told.iter().any(|event| again(&event)),
            "told twice: {told:?}"
        );
    }
}

/// A job that ends by itself: its line, its exit code and its status.
fn short(dice: &mut Dice) -> (String, u64, &'static str) {
    let code = dice.pick(&[0, 0, 1, 7, 42, 126, 255]);
    let first = dice.pick(&["", "sleep 0.05; ", "echo some; ", "(sleep 0.2 &) ; "]);
    let status = if code == 0 { "done" } else { "error" };
    (format!("{first}exit {code}"), code, status)
}

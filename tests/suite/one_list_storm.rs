//! Work on a host goes on while each side of the link is killed again and again: output is read, lines are typed, jobs
//! end (issue 18). `BGPROC_SOAK=1` kills each side a hundred times.

use std::collections::{BTreeMap, BTreeSet};

use rustix::process::Signal;
use serde_json::{Value, json};

use crate::support::{Home, Serve, Sshd, eventually, process, rounds};

/// What is killed.
const SIDES: [&str; 4] = ["our daemon", "its daemon", "ssh", "the server's connection"];

/// Writes a number every few milliseconds.
const COUNT: &str = "i=0; while :; do i=$((i+1)); echo $i; sleep 0.005; done";

fn kill(sshd: &Sshd, side: &str) {
    match side {
        "our daemon" => sshd.home.kill_daemon(),
        "its daemon" => sshd.hosts[0].kill_daemon(),
        "ssh" => {
            let home = format!("BGPROC_HOME={}", sshd.home.path().display());
            for ssh in process::named("ssh", &home) {
                ssh.signal(Signal::KILL);
            }
        }
        _ => drop(sshd.cut()),
    }
}

/// Starts a job on the host, and returns its id.
fn start(serve: &mut Serve, mut request: Value) -> String {
    request["action"] = json!("start");
    request["host"] = json!("h1");
    request["background"] = json!(true);
    // Its key sees to it that there is one, however often it is asked for.
    let started = answer(serve, &request);
    started["sessionId"].as_str().unwrap().to_owned()
}

/// Asks until the host can be reached: after several failures attempts are some seconds apart.
fn answer(serve: &mut Serve, request: &Value) -> Value {
    loop {
        let mut reply = serve.call(request.clone());
        if reply["ok"] == true {
            return reply["result"].take();
        }
        assert_eq!(reply["error"]["code"], "host_unreachable", "{reply}");
    }
}

/// What a job has written, read on from where it was read to.
#[derive(Default)]
struct Reader {
    text: String,
    offset: u64,
}

impl Reader {
    /// Reads what can be read now; nothing while the host cannot be reached.
    fn read(&mut self, serve: &mut Serve, id: &str) {
        let log = json!({"action": "log", "sessionId": id, "offset": self.offset, "limit": 20_000});
        let reply = serve.call(log);
        let Some(part) = reply["result"]["output"].as_str() else {
            assert_eq!(reply["error"]["code"], "host_unreachable", "{reply}");
            return;
        };
        self.text.push_str(part);
        self.offset = reply["result"]["nextOffset"].as_u64().unwrap();
    }
}

/// Types a number until the job has read it. Returns whether that took more than one attempt that may have succeeded.
fn type_number(serve: &mut Serve, id: &str, number: u32) -> bool {
    let mut doubtful = 0;
    loop {
        let typed =
            serve.call(json!({"action": "write", "sessionId": id, "data": format!("{number}\n")}));
        if typed["ok"] == true {
            break;
        }
        let error = &typed["error"];
        let codes = ["host_unreachable", "daemon_unavailable"];
        assert!(codes.iter().any(|code| error["code"] == *code), "{typed}");
        if error["data"]["mayHaveHappened"] == false {
            continue;
        }
        doubtful += 1;
        let got = json!([{"pattern": format!("^got {number}$")}]);
        let wait =
            json!({"action": "wait", "sessionId": id, "since": "c0", "until": got, "waitMs": 1000});
        if serve.call(wait)["result"]["outcome"] == "matched" {
            break;
        }
    }
    doubtful > 0
}

fn exits(home: &Home) -> BTreeMap<String, usize> {
    let mut exits = BTreeMap::new();
    let printed = home.ok(&["--json", "events", "--since", "0"]);
    for line in printed.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        if event["event"] == "exited" {
            let label = event["data"]["label"].as_str().unwrap_or_default();
            *exits.entry(label.to_owned()).or_default() += 1;
        }
    }
    exits
}

#[test]
fn kills_of_each_side_lose_and_double_nothing() {
    let Some(sshd) = Sshd::new(1) else { return };
    let mut serve = Serve::new(&sshd.home, &["--hosts", "h1"]);
    let counter = start(
        &mut serve,
        json!({"command": COUNT, "mode": "pipe", "key": "count"}),
    );
    let typed = json!({"command": "stty -echo; echo ready; while read n; do echo got $n; done", "key": "typed"});
    let typed = start(&mut serve, typed);
    let ready = json!({"action": "wait", "sessionId": typed, "until": [{"pattern": "^ready$"}], "waitMs": 20_000});
    assert_eq!(serve.ok(ready)["outcome"], "matched");
    let mut reader = Reader::default();
    let (mut number, mut doubtful) = (0, BTreeSet::new());
    for _ in 0..rounds(2, 100) {
        for side in SIDES {
            number += 1;
            let brief = json!({"command": "read x; exit 7", "label": format!("b{number}"), "key": format!("b{number}")});
            let brief = start(&mut serve, brief);
            let wait = json!({"action": "wait", "sessionId": brief, "waitMs": 60_000});
            let waits = serve.send(wait.clone());
            kill(&sshd, side);
            if type_number(&mut serve, &typed, number) {
                doubtful.insert(number);
            }
            type_number(&mut serve, &brief, number);
            let mut ended = serve.reply(waits)["result"].take();
            if ended.is_null() {
                ended = answer(&mut serve, &wait);
            }
            assert_eq!(ended["exitCode"], 7, "after a kill of {side}: {ended}");
            reader.read(&mut serve, &counter);
        }
    }
    eventually("the rest is read", || {
        reader.read(&mut serve, &counter);
        reader.text.ends_with('\n').then_some(())
    });
    let expected: String = (1..=reader.text.lines().count())
        .map(|n| format!("{n}\n"))
        .collect();
    assert!(reader.text == expected, "a byte is lost or doubled");
    // What may have happened may have happened twice; nothing else has.
    let mut all = Reader::default();
    eventually("all that was typed is read", || {
        all.read(&mut serve, &typed);
        let last = format!("got {number}");
        let mut lines = all.text.lines();
        lines.any(|line| line.trim_end() == last).then_some(())
    });
    let got: Vec<u32> = all
        .text
        .lines()
        .filter_map(|line| line.trim_end().strip_prefix("got ")?.parse().ok())
        .collect();
    assert!(got.is_sorted(), "{got:?}");
    for typed in 1..=number {
        let times = got.iter().filter(|one| **one == typed).count();
        assert!(
            times == 1 || times > 1 && doubtful.contains(&typed),
            "{typed}: {times} times in {got:?}"
        );
    }
    eventually("each end is told once", || {
        let exits = exits(&sshd.home);
        let told: Vec<usize> = (1..=number)
            .filter_map(|n| exits.get(&format!("b{n}")).copied())
            .collect();
        assert!(told.iter().all(|times| *times == 1), "{exits:?}");
        (told.len() == number as usize).then_some(())
    });
    serve.ok(json!({"action": "kill", "sessionIds": [counter, typed]}));
}

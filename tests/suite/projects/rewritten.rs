//! A project file that is written while it is read.

use std::collections::BTreeSet;
use std::fs::File;
use std::io::Write;
use std::sync::mpsc::{Receiver, channel};

use serde_json::{Value, json};

use super::Project;
use crate::support::Serve;

/// Reloads that are asked for, and how many of them at once.
const RELOADS: usize = 1000;
const AT_ONCE: usize = 25;

/// How often the file is rewritten during each group of reloads, in turn: left alone, once, and without a pause.
const REWRITES: [usize; 4] = [0, 1, 3, 60];

/// A file with these jobs. Each prefix that ends with a job is a valid file with fewer jobs.
fn parts(names: &[&str]) -> Vec<String> {
    let head = "version = 1\nagents = \"write\"\n".to_owned();
    let jobs = names.iter().map(|name| {
        // Longer than the blocks in which a disk is written.
        let filler = format!("# {}\n", "x".repeat(78)).repeat(60);
        format!("[jobs.{name}]\ncmd = [\"sleep\", \"1000\"]\n{filler}")
    });
    std::iter::once(head).chain(jobs).collect()
}

/// Rewrites the file as often as it is told, as an editor does that truncates it first. Returns how often it did.
fn rewrite(shop: &Project, sets: [&[&str]; 2], told: Receiver<usize>) -> usize {
    let mut sets = sets.iter().cycle();
    let mut done = 0;
    for times in told {
        for set in sets.by_ref().take(times) {
            let mut file = File::create(shop.dir.join("bgproc.toml")).unwrap();
            for part in parts(set) {
                file.write_all(part.as_bytes()).unwrap();
            }
            done += 1;
        }
    }
    done
}

/// The jobs that a reload has found in the file.
fn found(reply: &Value) -> BTreeSet<String> {
    let plan = reply["result"]["plan"].as_array().unwrap();
    let in_file = plan.iter().filter(|change| change["change"] != "gone");
    in_file
        .map(|change| change["job"].as_str().unwrap().to_owned())
        .collect()
}

#[test]
fn a_thousand_reloads_during_which_it_is_rewritten_stop_nothing() {
    let old = ["a", "b", "c"];
    let new = ["a", "b", "c", "d", "e"];
    let shop = Project::new(&parts(&old).concat());
    shop.ok(&["up"]);
    let pids = old.map(|name| shop.pid(name));
    let sets: [BTreeSet<String>; 2] =
        [&old[..], &new[..]].map(|set| set.iter().map(|job| (*job).to_owned()).collect());
    let mut serve = Serve::new(&shop.home, &[]);
    let (mut seen, mut refused) = ([0, 0], 0);
    let rewritten = std::thread::scope(|scope| {
        let (tell, told) = channel();
        let writer = scope.spawn(|| rewrite(&shop, [&new, &old], told));
        let reload = || json!({"action": "project", "op": "reload", "dir": shop.dir, "waitMs": 0});
        for round in 0..RELOADS / AT_ONCE {
            tell.send(REWRITES[round % REWRITES.len()]).unwrap();
            for id in serve.send_together((0..AT_ONCE).map(|_| reload())) {
                let reply = serve.reply(id);
                if reply["ok"] == true {
                    let found = found(&reply);
                    let which = sets.iter().position(|set| *set == found);
                    seen[which.unwrap_or_else(|| panic!("{found:?}: {reply}"))] += 1;
                } else {
                    assert_eq!(reply["error"]["code"], "invalid_project", "{reply}");
                    refused += 1;
                }
            }
        }
        for times in [1, 3, 60, 60] {
            tell.send(times).unwrap();
            let ran = shop.run(&["reload", "--wait=false"]);
            assert!(matches!(ran.code, Some(0 | 2)), "{ran}");
        }
        drop(tell);
        writer.join().unwrap()
    });
    eprintln!("{rewritten} rewrites: {seen:?} reloads of each set, {refused} refused");
    assert!(seen[0] > 0 && seen[1] > 0, "{seen:?}");
    shop.write(&parts(&new).concat());
    shop.ok(&["reload"]);
    assert_eq!(old.map(|name| shop.pid(name)), pids);
    for name in new {
        assert_eq!(shop.job(name)["restarts"], 0, "{name}");
        assert_eq!(shop.phase(name), "running", "{name}");
    }
}

#[test]
fn a_file_that_is_written_slowly_is_waited_for() {
    let shop = Project::new(&parts(&["a", "b", "c"]).concat());
    shop.ok(&["up"]);
    let pids = ["a", "b", "c"].map(|name| shop.pid(name));
    let mut serve = Serve::new(&shop.home, &[]);
    let quiet = shop.job("a")["sessionId"].clone();
    // What is there so far is a valid file that lacks two jobs.
    let written = parts(&["a", "b", "c"]);
    let mut file = File::create(shop.dir.join("bgproc.toml")).unwrap();
    file.write_all(written[..2].concat().as_bytes()).unwrap();
    let reload = json!({"action": "project", "op": "reload", "dir": shop.dir, "prune": true});
    let pause = json!({"action": "wait", "sessionId": quiet, "until": [{"pattern": "never"}], "timeoutMs": 100});
    let ids = serve.send_together([reload, pause]);
    // A tenth of a second later by the daemon's clock.
    serve.reply(ids[1]);
    file.write_all(written[2..].concat().as_bytes()).unwrap();
    drop(file);
    let reply = serve.reply(ids[0]);
    assert_eq!(found(&reply).len(), 3, "{reply}");
    assert_eq!(["a", "b", "c"].map(|name| shop.pid(name)), pids);
}

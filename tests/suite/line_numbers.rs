//! Line numbers are permanent: line k of `seq` has the number k, whatever of the log was dropped,
//! and before the daemon had read it.

use serde_json::{Value, json};

use crate::support::daemon::{kill, kill_keeper};
use crate::support::job::Job;
use crate::support::{Home, Serve};

/// Asserts that each line has the number that is its text, except that the first line that is kept
/// may lack its beginning.
#[track_caller]
fn check(lines: &Value, first_line: &Value) {
    for line in lines.as_array().unwrap() {
        let number = line["n"].to_string();
        let text = line["text"].as_str().unwrap();
        if line["n"] == *first_line {
            assert!(number.ends_with(text), "{line}")
        } else {
            assert_eq!(number, text)
        }
    }
}

/// Asserts that all ways to read lines number them correctly, for a job that wrote the numbers up
/// to `last`.
#[track_caller]
fn check_all(serve: &mut Serve, job: &Job, last: u64, case: &str) {
    let first = check_log(serve, job, last, case);
    for wanted in [first + 1, u64::midpoint(first, last), last] {
        let matched = job.wait_for(serve, &format!("^{wanted}$"));
        assert_eq!(matched["matched"]["line"], wanted, "{case}: {matched}");
    }
}

/// As [`check_all`], without `wait`. Returns the number of the first line that is kept.
#[track_caller]
fn check_log(serve: &mut Serve, job: &Job, last: u64, case: &str) -> u64 {
    let record = job.ask(serve, "status", json!({}));
    assert_eq!(record["outputLines"], last, "{case}");
    let begin = job.ask(serve, "log", json!({"fromLine": 1, "lines": 3}));
    let first = begin["firstLine"].as_u64().unwrap();
    assert_eq!(begin["lines"][0]["n"], first, "{case}: {begin}");
    check(&begin["lines"], &begin["firstLine"]);
    for from in [first + 1, u64::midpoint(first, last), last - 1] {
        let lines = job.ask(serve, "log", json!({"fromLine": from, "lines": 2}));
        assert_eq!(lines["lines"][0]["n"], from, "{case}: {lines}");
        check(&lines["lines"], &lines["firstLine"]);
    }
    let tail = job.ask(serve, "log", json!({"tail": 2}));
    assert_eq!(tail["lines"][1]["n"], last, "{case}: {tail}");
    check(&tail["lines"], &tail["firstLine"]);
    for wanted in [first + 1, u64::midpoint(first, last), last] {
        let pattern = format!("^{wanted}$");
        let found = job.ask(serve, "log", json!({"grep": pattern}));
        assert_eq!(found["matches"][0]["n"], wanted, "{case}: {found}");
    }
    first
}

#[test]
fn lines_keep_their_numbers_whatever_was_dropped() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let mut jobs = Vec::new();
    for mode in ["pty", "pipe"] {
        for (last, limit) in [
            (3_000, 65_536),
            (30_000, 65_536),
            (300_000, 65_536),
            (100_000, 300_000),
            (300_000, 1_000_000),
        ] {
            let request = json!({
                "command": format!("seq 1 {last}"), "mode": mode, "limits": {"logBytes": limit},
            });
            let job = Job::request(&mut serve, request);
            // This wait reads the output while it is written.
            let matched = job.wait_for(&mut serve, &format!("^{last}$"));
            assert_eq!(matched["matched"]["line"], last, "{mode} {limit}");
            job.end(&mut serve);
            let case = format!("{mode}, {last} lines, {limit} bytes");
            check_all(&mut serve, &job, last, &case);
            jobs.push((job, last, case));
        }
    }
    kill(&mut serve);
    for (job, last, case) in jobs {
        check_all(&mut serve, &job, last, &format!("{case}, after a restart"));
    }
}

#[test]
fn lines_keep_their_numbers_when_the_size_changes() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let command = r"stty -echo; echo start
        for n in $(seq 50); do seq 20; printf '\033[20A'; done
        printf '\033[20B'; echo end of first; read x; echo second; read x";
    let mut jobs = Vec::new();
    for (rows, then) in [(24, 10), (10, 24)] {
        let request = json!({"command": command, "rows": rows, "cols": 80});
        let job = Job::request(&mut serve, request);
        let last = job.wait_for(&mut serve, "^end of first$")["matched"]["line"].clone();
        let last = last.as_u64().unwrap();
        // A screen of 24 rows has room for the whole block, which is then written over again and again.
        assert_eq!(last == 22, rows == 24, "{last}");
        job.ask(&mut serve, "resize", json!({"rows": then, "cols": 80}));
        check_end(&mut serve, &job, last, "end of first");
        job.ask(&mut serve, "write", json!({"data": "\n"}));
        let matched = job.wait_for(&mut serve, "^second$");
        assert_eq!(matched["matched"]["line"], last + 1, "{matched}");
        check_end(&mut serve, &job, last + 1, "second");
        jobs.push((job, last + 1));
    }
    kill(&mut serve);
    for (job, last) in jobs {
        let matched = job.wait_for(&mut serve, "^second$");
        assert_eq!(matched["matched"]["line"], last, "{matched}");
        check_end(&mut serve, &job, last, "second");
    }
}

/// Asserts that all ways to read the last line, whose text this is, give it this number.
#[track_caller]
fn check_end(serve: &mut Serve, job: &Job, last: u64, text: &str) {
    assert_eq!(job.ask(serve, "status", json!({}))["outputLines"], last);
    let tail = job.ask(serve, "log", json!({"tail": 2}));
    let shown = tail["lines"].as_array().unwrap();
    let shown: Vec<_> = shown.iter().map(|line| &line["n"]).collect();
    assert_eq!(shown, [last - 1, last], "{tail}");
    assert_eq!(tail["lines"][1]["text"], text, "{tail}");
    let found = job.ask(serve, "log", json!({"grep": format!("^{text}$")}));
    assert_eq!(found["matches"][0]["n"], last, "{found}");
    let all = job.ask(serve, "log", json!({"fromLine": 1, "lines": 5000}));
    let lines = all["lines"].as_array().unwrap();
    assert_eq!(
        (lines.len() as u64, &all["totalLines"]),
        (last, &json!(last))
    );
    let export = job.ask(serve, "export", json!({"format": "text"}));
    let lines = export["data"].as_str().unwrap().lines();
    assert_eq!(lines.count() as u64, last, "{export}");
}

#[test]
fn lines_keep_their_numbers_with_the_default_limit() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let last = 12_000_000;
    let request = json!({"command": format!("seq 1 {last}"), "mode": "pipe"});
    let job = Job::request(&mut serve, request);
    job.wait_for(&mut serve, &format!("^{last}$"));
    job.end(&mut serve);
    check_all(&mut serve, &job, last, "the default limit");
    kill(&mut serve);
    check_all(&mut serve, &job, last, "the default limit, after a restart");
}

#[test]
fn lines_keep_their_numbers_when_daemon_and_keeper_die_in_a_flood() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let last = 900_000;
    let gate = home.gate();
    for mode in ["pty", "pipe"] {
        let command = format!(
            "seq 1 300000; read x < {gate}; seq 300001 600000; read x < {gate}; seq 600001 {last}; \
             exec sleep 1000",
            gate = gate.display()
        );
        let request = json!({"command": command, "mode": mode, "limits": {"logBytes": 200_000}});
        let job = Job::request(&mut serve, request);
        // In the middle of the output, wherever that is.
        kill(&mut serve);
        let matched = job.wait_for(&mut serve, "^300000$");
        assert_eq!(matched["matched"]["line"], 300_000, "{mode}");
        std::fs::write(&gate, "\n").unwrap();
        kill_keeper(&mut serve);
        let matched = job.wait_for(&mut serve, "^600000$");
        assert_eq!(matched["matched"]["line"], 600_000, "{mode}");
        std::fs::write(&gate, "\n").unwrap();
        let matched = job.wait_for(&mut serve, &format!("^{last}$"));
        assert_eq!(matched["matched"]["line"], last, "{mode}");
        check_all(&mut serve, &job, last, mode);
        kill(&mut serve);
        check_all(&mut serve, &job, last, mode);
    }
}

#[test]
fn lines_keep_their_numbers_in_later_runs_and_after_clear() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let request = json!({"command": "seq 1 100000", "limits": {"logBytes": 65_536}});
    let job = Job::request(&mut serve, request);
    job.end(&mut serve);
    job.ask(&mut serve, "restart", json!({}));
    job.end(&mut serve);
    job.ask(&mut serve, "clear", json!({}));
    job.ask(&mut serve, "restart", json!({}));
    job.end(&mut serve);
    let tail = job.ask(&mut serve, "log", json!({"tail": 1}));
    assert_eq!(tail["lines"][0]["n"], 300_000, "{tail}");
    assert_eq!(tail["lines"][0]["text"], "100000", "{tail}");
    kill(&mut serve);
    let found = job.ask(&mut serve, "log", json!({"grep": "^99990$"}));
    assert_eq!(found["matches"][0]["n"], 299_990, "{found}");
}

//! `find`: the lines of all jobs that match.

use serde_json::{Value, json};

use crate::support::{Home, Serve};

fn home() -> Home {
    let home = Home::new();
    home.start(&[
        "-n",
        "web",
        "printf 'one\\nTypeError: x\\ntwo\\nthree\\nTypeError: y\\n'",
    ]);
    home.start(&["-n", "api", "-g", "shop", "printf 'all is well\\n'"]);
    home.start(&["-n", "db", "-g", "shop", "printf 'typeerror\\n'"]);
    home.run(&["wait", "web", "api", "db"]).expect_code(0);
    home
}

/// Lines without the time, which is between the first two colons.
fn without_times(text: &str) -> Vec<String> {
    let cut = |line: &str| match line.split_once(':') {
        Some((name, rest)) => {
            let (time, text) = rest.split_at(8);
            let digits = time.chars().filter(char::is_ascii_digit).count();
            assert_eq!((digits, time.matches(':').count()), (6, 2), "{line}");
            format!("{name}{text}")
        }
        None => line.to_owned(),
    };
    text.lines().map(cut).collect()
}

#[test]
fn matches_of_all_jobs_come_with_name_and_time_as_grep_would_tell() {
    let home = home();
    let found = home.run(&["find", "TypeError"]);
    assert_eq!(
        without_times(&found.stdout),
        ["web: TypeError: x", "web: TypeError: y"]
    );
    found.expect_code(0);
    let found = home.ok(&["grep", "-i", "typeerror", "--jobs", "g:shop"]);
    assert_eq!(without_times(&found), ["db: typeerror"]);
    let found = home.ok(&["find", "^TypeError", "-C", "1", "--since", "1h"]);
    assert_eq!(
        without_times(&found),
        [
            "web- one",
            "web: TypeError: x",
            "web- two",
            "web- three",
            "web: TypeError: y"
        ]
    );
    let found = home.ok(&["find", "x|y", "-C", "1", "--jobs", "web"]);
    assert_eq!(found.lines().count(), 5, "{found}");
    home.run(&["find", "nothing like it"]).expect_code(1);
    home.run(&["find", "("]).expect_code(2);
    home.run(&["find", "x", "--jobs", "nobody"]).expect_code(4);
    home.run(&["find", "well", "--jobs", "api,nobody"])
        .expect_code(4);
}

#[test]
fn matches_are_objects_with_json_and_none_is_left_out() {
    let home = home();
    let found = home.ok(&["--json", "find", "TypeError", "--jobs", "web"]);
    let found: Vec<Value> = found
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(found.len(), 2);
    assert_eq!(
        (found[1]["name"].as_str(), found[1]["n"].as_u64()),
        (Some("web"), Some(5))
    );
    assert!(found[0]["at"].is_string() && found[0]["sessionId"].is_string());
    // More than a daemon tells at once.
    home.start(&["-n", "many", "seq 1 25000"]);
    home.run(&["wait", "many"]).expect_code(0);
    let found = home.ok(&["find", ".", "--jobs", "many"]);
    assert_eq!(found.lines().count(), 25_000);
    assert!(found.ends_with(": 25000\n"));
}

#[test]
fn of_too_many_matches_the_newest_can_be_asked_for() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let started = serve.ok(json!({ "action": "start", "command": "seq 1 500", "wait": true }));
    let ask = json!({
        "action": "log", "sessionId": started["sessionId"], "grep": "5$", "maxMatches": 3, "newest": true, "context": 1,
    });
    let found = serve.ok(ask);
    let numbers: Vec<u64> = found["matches"]
        .as_array()
        .unwrap()
        .iter()
        .map(|found| found["n"].as_u64().unwrap())
        .collect();
    assert_eq!(numbers, [475, 485, 495]);
    assert_eq!(found["truncated"], true);
    assert_eq!(found["matches"][2]["after"][0], "496");
}

#[test]
fn lines_around_matches_are_those_beside_them() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let last = 100_000;
    for command in ["seq 1 100000", "seq -f '\u{1b}[32m%.0f\u{1b}[m' 1 100000"] {
        let started = serve.ok(json!({ "action": "start", "command": command, "wait": true }));
        let found = serve.ok(json!({
            "action": "log", "sessionId": started["sessionId"], "grep": "[0-9]{2}(050|051|999)$",
            "maxMatches": 10_000, "context": 2,
        }));
        let is_found = |n: &u64| *n >= 10_000 && [50, 51, 999].contains(&(n % 1000));
        let texts = |numbers: std::ops::Range<u64>| -> Vec<String> {
            numbers.map(|n| n.to_string()).collect()
        };
        let expected: Vec<_> = (1..=last).filter(is_found).collect();
        let matches = found["matches"].as_array().unwrap();
        assert_eq!(
            (matches.len(), found["truncated"].as_bool()),
            (expected.len(), Some(false))
        );
        for (n, found) in expected.into_iter().zip(matches) {
            assert_eq!(found["n"], n);
            assert_eq!(found["before"], json!(texts(n - 2..n)), "{n}");
            assert_eq!(
                found["after"],
                json!(texts(n + 1..last.min(n + 2) + 1)),
                "{n}"
            );
        }
    }
}

#[test]
fn a_line_that_is_cut_is_said() {
    let home = Home::new();
    home.start(&["-n", "long", "head -c 300000 /dev/zero | tr '\\0' x; echo"]);
    home.run(&["wait", "long"]).expect_code(0);
    let found = home.run(&["find", "xxx"]);
    assert!(found.stderr.contains("too long"), "{}", found.stderr);
    found.expect_code(0);
}

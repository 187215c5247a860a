//! `capture` in its forms, and `export`: what a job shows, for people, models and other programs.

use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::{Value, json};

use crate::support::job::Job;
use crate::support::{Home, Serve};

/// A screen with a box, colours, a wide character, a title and a cursor of its own shape.
const SCENE: &str = r"printf '\033]2;scene\007┌──┐\r\n\033[1;31m│漢\033[0m│\r\n\033[38;2;1;2;3;48;5;208m<&>\033[0m\033[6 q'; exec cat";

fn scene(serve: &mut Serve) -> Job {
    let job = Job::request(serve, json!({"command": SCENE, "rows": 5, "cols": 12}));
    job.wait_screen(serve, "<&>");
    job
}

#[test]
fn a_screen_is_captured_as_cells_page_and_picture() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = scene(&mut serve);
    let shot = job.ask(&mut serve, "capture", json!({"format": "json"}));
    assert_eq!(shot["title"], "scene");
    let cursor = json!({"row": 2, "col": 3, "visible": true, "shape": "bar"});
    assert_eq!(shot["cursor"], cursor);
    let cells = shot["cells"].as_array().unwrap();
    assert_eq!(cells.len(), 5);
    assert!(cells.iter().all(|row| row.as_array().unwrap().len() == 12));
    let red = |ch: &str, more: Value| {
        let mut cell = json!({"ch": ch, "fg": 1, "bold": true});
        cell.as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        cell
    };
    assert_eq!(cells[1][1], red("漢", json!({"width": 2})));
    assert_eq!(cells[1][2], red("", json!({"width": 0})));
    assert_eq!(cells[2][0], json!({"ch": "<", "fg": "#010203", "bg": 208}));
    assert_eq!(cells[4][11], json!({"ch": " "}));

    let shot = job.ask(&mut serve, "capture", json!({"format": "html"}));
    let page = shot["html"].as_str().unwrap();
    assert!(
        page.contains("<title>scene</title>") && page.contains("&lt;&amp;&gt;"),
        "{page}"
    );
    let shot = job.ask(&mut serve, "capture", json!({"format": "svg"}));
    let picture = shot["svg"].as_str().unwrap();
    assert!(
        picture.starts_with("<svg ") && picture.contains("&lt;&amp;&gt;"),
        "{picture}"
    );
    assert!(shot["text"].is_null() && shot["html"].is_null(), "{shot}");

    let again = json!({"format": "svg", "since": shot["screenSeq"]});
    let same = job.ask(&mut serve, "capture", again);
    assert_eq!(
        (&same["changed"], &same["svg"]),
        (&json!(false), &Value::Null)
    );
}

#[test]
fn what_has_scrolled_off_stands_above_in_every_form() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let lines = json!({"command": "for n in 1 2 3 4 5 6 7 8; do echo \"\u{1b}[32mline $n\u{1b}[0m\"; done", "rows": 4, "cols": 20});
    let job = Job::request(&mut serve, lines);
    job.end(&mut serve);
    let mut shot = |format: &str| {
        job.ask(
            &mut serve,
            "capture",
            json!({"format": format, "scrollback": 2}),
        )
    };
    let text = shot("text");
    assert_eq!(text["text"], "line 4\nline 5\nline 6\nline 7\nline 8");
    assert_eq!((&text["scrollback"], &text["rows"]), (&json!(2), &json!(4)));
    assert!(
        shot("ansi")["text"]
            .as_str()
            .unwrap()
            .starts_with("\u{1b}[0;32mline 4\u{1b}[0m\n")
    );
    assert_eq!(shot("json")["cells"].as_array().unwrap().len(), 6);
    assert!(shot("html")["html"].as_str().unwrap().contains(">line 4<"));
    assert!(
        shot("svg")["svg"]
            .as_str()
            .unwrap()
            .contains("height=\"114\"")
    );
}

#[test]
fn a_picture_that_no_reply_holds_is_refused() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let job = Job::request(
        &mut serve,
        json!({"command": "exec cat", "rows": 1000, "cols": 1000}),
    );
    let request = json!({"action": "capture", "sessionId": job.id, "format": "json"});
    let error = serve.err(request, "too_large");
    assert_eq!(error["data"]["limit"], 36_000);
}

#[test]
fn people_capture_to_a_file_in_the_form_of_its_ending() {
    let home = Home::new();
    home.start(&["-n", "scene", "--size", "12x5", SCENE]);
    home.ok(&["wait", "scene", "--for", "match:<&>"]);
    let file = home.scratch("scene.svg");
    home.ok(&["capture", "scene", "-o", file.to_str().unwrap()]);
    assert!(std::fs::read_to_string(&file).unwrap().starts_with("<svg "));
    assert!(
        home.ok(&["capture", "scene", "--html"])
            .starts_with("<!DOCTYPE html>")
    );
    let ran = home.run(&["capture", "scene", "--cursor"]).expect_code(0);
    assert!(ran.stdout.starts_with("┌──┐\n"), "{ran}");
    assert!(
        ran.stderr.contains("cursor: row 2 column 3 (from 0), bar"),
        "{ran}"
    );
    home.run(&["capture", "scene", "--svg", "--html"])
        .expect_code(2);
    let ran = home.run(&["capture", "scene", "-o", "/no/such/dir/x.svg"]);
    ran.expect_code(1)
        .expect_said("cannot write /no/such/dir/x.svg");
}

#[test]
fn a_log_is_exported_as_a_recording_with_its_times() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &[]);
    let gate = home.gate();
    let line = format!(
        "printf 'one \\346\\274'; cat {} >/dev/null; printf '\\242 two\\n'",
        gate.display()
    );
    let job = Job::request(
        &mut serve,
        json!({"command": line, "label": "rec", "rows": 5, "cols": 20}),
    );
    job.wait_for(&mut serve, "one");
    std::fs::write(&gate, "").unwrap();
    job.end(&mut serve);
    job.ask(&mut serve, "restart", json!({}));
    std::fs::write(&gate, "").unwrap();
    job.end(&mut serve);
    let exported = job.ask(&mut serve, "export", json!({}));
    let data = exported["data"].as_str().unwrap();
    assert_eq!(exported["bytes"], data.len());
    let lines: Vec<Value> = data
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["version"], 2);
    assert_eq!(
        (&lines[0]["width"], &lines[0]["height"]),
        (&json!(20), &json!(5))
    );
    assert_eq!(lines[0]["title"], "rec");
    let said: String = lines[1..]
        .iter()
        .filter(|event| event[1] == "o")
        .map(|event| event[2].as_str().unwrap())
        .collect();
    assert_eq!(said, "one 漢 two\r\none 漢 two\r\n", "{data}");
    assert!(
        lines
            .iter()
            .any(|event| event[1] == "m" && event[2] == "run 2"),
        "{data}"
    );
    let times: Vec<f64> = lines[1..]
        .iter()
        .map(|event| event[0].as_f64().unwrap())
        .collect();
    assert!(times[0] == 0.0 && times.is_sorted(), "{times:?}");
}

#[test]
fn an_export_is_a_file_of_ones_own_there_whole() {
    let home = Home::new();
    let dir = home.scratch("out");
    std::fs::create_dir(&dir).unwrap();
    let mut command = home.command(&["--serve"]);
    command.current_dir(&dir);
    let mut serve = Serve::spawn(command);
    let job = Job::start(&mut serve, "seq 1 300000; printf '\\033[31mred\\033[0m\\n'");
    job.end(&mut serve);
    let request = json!({"action": "export", "sessionId": job.id, "format": "text"});
    let error = serve.err(request, "too_large");
    assert!(error["hint"].as_str().unwrap().contains("path"), "{error}");

    let done = job.ask(
        &mut serve,
        "export",
        json!({"format": "text", "path": "log.txt"}),
    );
    let file = dir.join("log.txt");
    assert_eq!(done["path"], file.to_str().unwrap());
    let text = std::fs::read_to_string(&file).unwrap();
    assert_eq!(
        (text.lines().count(), text.len() as u64),
        (300_001, done["bytes"].as_u64().unwrap())
    );
    assert!(text.starts_with("1\n2\n") && text.ends_with("\n300000\nred\n"));
    let mode = std::fs::metadata(&file).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);

    job.ask(
        &mut serve,
        "export",
        json!({"format": "raw", "path": "log.txt"}),
    );
    let raw = std::fs::read(&file).unwrap();
    assert!(raw.starts_with(b"1\r\n2\r\n") && raw.ends_with(b"\x1b[31mred\x1b[0m\r\n"));
    std::os::unix::fs::symlink("log.txt", dir.join("link")).unwrap();
    for path in ["link", ".", "no/such/dir"] {
        let reply = serve.call(json!({"action": "export", "sessionId": job.id, "path": path}));
        assert_eq!(reply["ok"], false, "{reply}");
    }
    assert_eq!(
        std::fs::read_dir(&dir).unwrap().count(),
        2,
        "and nothing half"
    );
}

#[test]
fn who_may_not_change_anything_writes_no_file() {
    let home = Home::new();
    let mut serve = Serve::new(&home, &["--scope", "s"]);
    let job = Job::start(&mut serve, "echo hello");
    job.end(&mut serve);
    for policy in [&["--read-only"][..], &["--allow", "echo"]] {
        let args: Vec<&str> = ["--scope", "s"].iter().chain(policy).copied().collect();
        let mut other = Serve::new(&home, &args);
        let read = job.ask(&mut other, "export", json!({"format": "text"}));
        assert_eq!(
            (&read["data"], &read["encoding"]),
            (&json!("hello\n"), &json!("utf8"))
        );
        let path = home.scratch("x").display().to_string();
        other.err(
            json!({"action": "export", "sessionId": job.id, "path": path}),
            "permission_denied",
        );
    }
}

#[test]
fn people_export_to_a_file_or_to_standard_output() {
    let home = Home::new();
    home.ok(&["run", "-n", "long", "-w", "seq 1 200000"]);
    let cast = home.scratch("long.cast");
    home.ok(&["export", "long", "-o", cast.to_str().unwrap()]);
    assert!(
        std::fs::read_to_string(&cast)
            .unwrap()
            .starts_with("{\"version\":2,")
    );
    // As a shell would create it.
    let beside = home.scratch("beside");
    std::fs::write(&beside, "").unwrap();
    let mode = |path: &Path| path.metadata().unwrap().permissions();
    assert_eq!(mode(&cast), mode(&beside));
    let piped = ["export", "long", "--format", "text", "-o", "/dev/stdout"];
    assert_eq!(home.ok(&piped).lines().count(), 200_000);
    home.run(&["export", "long", "-o", "/no/such/dir/long.cast"])
        .expect_code(1)
        .expect_said("cannot write /no/such/dir/long.cast");
    // More than a reply holds.
    let text = home.ok(&["export", "long", "--format", "text"]);
    assert_eq!(text.lines().count(), 200_000);
    assert!(
        home.ok(&["export", "long", "--format", "raw"])
            .ends_with("199999\r\n200000\r\n")
    );
}

#[test]
fn a_screen_that_is_being_painted_is_not_shown() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    // Each Enter begins an update and paints a half of it; the next one ends it.
    let command = "stty -echo; printf old; while read -r _; do printf '\\033[?2026h\\033[2J\\033[Hhalf'; read -r _; \
        printf ' whole\\033[?2026l'; done";
    let job = Job::start(&mut agent, command);
    job.wait_screen(&mut agent, "old");
    agent.ok(json!({"action": "watch", "sessionId": job.id, "maxFps": 60}));
    agent.event("screen");
    job.ask(&mut agent, "write", json!({"data": "\n\n"}));
    let whole = agent.event("screen");
    let bytes = STANDARD
        .decode(whole["data"]["bytes"].as_str().unwrap())
        .unwrap();
    let shown = String::from_utf8(bytes).unwrap();
    assert!(shown.contains("whole"), "{shown:?}");
    // A program that does not go on is shown after a moment.
    job.ask(&mut agent, "write", json!({"data": "\n"}));
    agent.event("screen");
    let captured = job.ask(&mut agent, "capture", json!({}));
    assert_eq!(captured["text"], "half", "{captured}");
}

#[test]
fn a_screen_that_is_being_painted_is_neither_matched_nor_in_a_reply() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &["--lean"]);
    let command = "stty -echo; printf old; while read -r _; do printf '\\033[?2026h\\033[2J\\033[Hhalf'; read -r _; \
        printf ' whole\\033[?2026l'; done";
    let job = Job::start(&mut agent, command);
    job.wait_screen(&mut agent, "old");
    let until = |pattern: &str| json!([{"pattern": pattern}]);
    // `half` alone is on the screen only while it is painted.
    let request = json!({"data": "\n\n", "until": until("^half"), "view": "screen"});
    let matched = job.ask(&mut agent, "write", request);
    assert_eq!(matched["matched"]["text"], "half whole", "{matched}");
    assert_eq!(matched["screen"]["text"], "half whole", "{matched}");
    // A program that does not go on is matched after a moment.
    let request = json!({"data": "\n", "until": until("^half$"), "view": "screen"});
    let matched = job.ask(&mut agent, "write", request);
    assert_eq!(matched["matched"]["text"], "half", "{matched}");
}

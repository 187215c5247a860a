//! The screens of sessions: `capture`, `resize` and `watch`.

use serde_json::{Value, json};

use super::{background, serve, wait_for, wait_for_since_start};
use crate::support::job::Job;
use crate::support::{Home, Mcp, Serve};

#[test]
fn the_screen_is_captured_resized_and_compared() {
    let (_home, mut serve) = serve();
    let line = "printf '\\033]2;my title\\007\\033[2J\\033[2;3Hhello\\033[1m bold'; read x; stty size; read x";
    let started = serve.ok(
        json!({"action": "start", "command": line, "rows": 10, "cols": 40, "background": true}),
    );
    let id = started["sessionId"].as_str().unwrap().to_owned();
    wait_for_since_start(&mut serve, &id, "bold");
    let shot = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert_eq!(shot["text"], "\n  hello bold");
    assert_eq!(
        (&shot["rows"], &shot["cols"], &shot["title"]),
        (&json!(10), &json!(40), &json!("my title"))
    );
    assert_eq!(
        shot["cursor"],
        json!({"row": 1, "col": 12, "visible": true, "shape": "block"})
    );
    let same = serve.ok(json!({"action": "capture", "sessionId": id, "since": shot["screenSeq"]}));
    assert_eq!((&same["changed"], same.get("text")), (&json!(false), None));
    let ansi = serve.ok(json!({"action": "capture", "sessionId": id, "format": "ansi"}));
    assert_eq!(ansi["text"], "\n  hello\u{1b}[0;1m bold\u{1b}[0m");
    let size = serve.ok(json!({"action": "resize", "sessionId": id, "rows": 12, "cols": 50}));
    assert_eq!(size, json!({"rows": 12, "cols": 50}));
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    wait_for(&mut serve, &id, "^12 50");
    serve.err(
        json!({"action": "resize", "sessionId": id, "rows": 0, "cols": 50}),
        "invalid_params",
    );
}

#[test]
fn lines_above_the_screen_can_be_captured() {
    let (_home, mut serve) = serve();
    let started =
        serve.ok(json!({"action": "start", "command": "seq 1 30", "rows": 5, "wait": true}));
    let id = &started["sessionId"];
    let shot = serve.ok(json!({"action": "capture", "sessionId": id, "scrollback": 3}));
    assert_eq!(shot["text"], "24\n25\n26\n27\n28\n29\n30");
}

#[test]
fn a_narrower_screen_keeps_its_text_when_it_widens_again() {
    let (_home, mut serve) = serve();
    let started = serve.ok(json!({"action": "start", "command": "echo 0123456789; read x", "rows": 5, "cols": 20, "background": true}));
    let id = started["sessionId"].as_str().unwrap().to_owned();
    wait_for_since_start(&mut serve, &id, "0123456789");
    serve.ok(json!({"action": "resize", "sessionId": id, "rows": 5, "cols": 6}));
    let narrow = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert_eq!(narrow["text"], "012345\n6789");
    serve.ok(json!({"action": "resize", "sessionId": id, "rows": 5, "cols": 20}));
    let wide = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert_eq!(wide["text"], "0123456789");
}

#[test]
fn a_lower_screen_keeps_its_text_when_it_becomes_higher_again() {
    let (_home, mut serve) = serve();
    let started = serve.ok(json!({"action": "start", "command": "seq 1 10; read x", "rows": 40, "cols": 80, "background": true}));
    let id = started["sessionId"].as_str().unwrap().to_owned();
    wait_for_since_start(&mut serve, &id, "^10$");
    serve.ok(json!({"action": "resize", "sessionId": id, "rows": 5, "cols": 80}));
    let low = serve.ok(json!({"action": "capture", "sessionId": id, "scrollback": 100}));
    assert_eq!(low["text"], "1\n2\n3\n4\n5\n6\n7\n8\n9\n10");
    serve.ok(json!({"action": "resize", "sessionId": id, "rows": 40, "cols": 80}));
    for scrollback in [0, 100] {
        let high =
            serve.ok(json!({"action": "capture", "sessionId": id, "scrollback": scrollback}));
        assert_eq!(high["text"], "1\n2\n3\n4\n5\n6\n7\n8\n9\n10");
    }
}

#[test]
fn the_main_screen_keeps_its_text_if_the_size_changes_under_a_full_screen_program() {
    let (_home, mut serve) = serve();
    let line = "0123456789".repeat(6);
    // The second time, the program has painted more than a screen is repainted from.
    for painted in [0, 3_000_000] {
        let command = format!(
            "stty -echo; echo {line}; printf '\\033[?1049h'; yes | tr '\\n' '\\r' | head -c {painted}; \
             printf full; read x; printf '\\033[?1049l'; echo after; read x"
        );
        let request = json!({"command": command, "rows": 10, "cols": 100});
        let job = Job::request(&mut serve, request);
        job.wait_screen(&mut serve, "full");
        for cols in [30, 100] {
            job.ask(&mut serve, "resize", json!({"rows": 10, "cols": cols}));
        }
        job.ask(&mut serve, "write", json!({"data": "\n"}));
        job.wait_screen(&mut serve, "^after");
        let main = job.ask(&mut serve, "capture", json!({}));
        assert_eq!(main["text"], format!("{line}\nafter"));
    }
}

#[test]
fn a_screen_keeps_the_lines_above_a_long_progress_line_when_it_becomes_narrower() {
    let (_home, mut serve) = serve();
    let command = r"stty -echo; echo one; echo two; echo three
        yes '50 %' | tr '\n' '\r' | head -c 3000000; printf '\rdone'; read x";
    let request = json!({"command": command, "rows": 10, "cols": 40});
    let job = Job::request(&mut serve, request);
    job.wait_screen(&mut serve, "done");
    job.ask(&mut serve, "resize", json!({"rows": 10, "cols": 30}));
    let narrow = job.ask(&mut serve, "capture", json!({}));
    assert_eq!(narrow["text"], "one\ntwo\nthree\ndone");
}

#[test]
fn a_watcher_gets_the_screen_and_then_what_changes() {
    let (_home, mut serve) = serve();
    let id = background(&mut serve, "echo first; read x; echo second; read x");
    wait_for_since_start(&mut serve, &id, "first");
    serve.ok(json!({"action": "watch", "sessionId": id}));
    let mut screen = bgproc::term::screen::Screen::new(bgproc::term::size::Size::default());
    let mut feed = |event: &Value| {
        use base64::Engine;
        let bytes = event["data"]["bytes"].as_str().unwrap();
        screen.feed(
            &base64::engine::general_purpose::STANDARD
                .decode(bytes)
                .unwrap(),
        );
        screen.text(true)
    };
    let whole = serve.event("screen");
    assert_eq!(whole["data"]["full"], true);
    assert_eq!(feed(&whole), "first");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "\n"}));
    while !feed(&serve.event("screen")).contains("second") {}
    serve.ok(json!({"action": "unwatch", "sessionId": id}));
    serve.err(
        json!({"action": "unwatch", "sessionId": id}),
        "invalid_params",
    );
    serve.err(
        json!({"action": "watch", "sessionId": id, "maxFps": 0}),
        "invalid_params",
    );
}

#[test]
fn terminal_queries_are_answered_once() {
    let (_home, mut serve) = serve();
    let line = "stty raw -echo; printf '\\033[6n\\033[c'; exec od -An -c -v -w1";
    let id = background(&mut serve, line);
    let until = json!([{"pattern": "c$"}]);
    let wait = json!({"action": "wait", "sessionId": id, "until": until, "since": "c0"});
    let answered = serve.ok(wait);
    assert_eq!(answered["outcome"], "matched");
    let text: String = answered["output"]
        .as_str()
        .unwrap()
        .split_whitespace()
        .collect();
    assert!(text.starts_with("033[1;1R033[?"), "{text}");
}

#[test]
fn lines_from_a_pipe_stand_below_each_other() {
    let (_home, mut serve) = serve();
    let start =
        json!({"action": "start", "command": "printf 'a\\nb\\n'", "mode": "pipe", "wait": true});
    let id = serve.ok(start)["sessionId"].clone();
    let shot = serve.ok(json!({"action": "capture", "sessionId": id}));
    assert_eq!(shot["text"], "a\nb");
}

#[test]
fn a_screen_is_drawn_as_pixels() {
    use base64::Engine;
    use base64::engine::general_purpose::STANDARD;
    let home = Home::new();
    let mut model = Mcp::model(&home, &[]);
    let start = json!({"command": "echo hello", "label": "hello", "rows": 10, "cols": 40});
    model.text("start", start);
    let result = model.result("capture", json!({"sessionId": "hello", "format": "png"}));
    let content = result["content"].as_array().unwrap();
    assert!(
        content[0]["text"].as_str().unwrap().contains("40x10"),
        "{result}"
    );
    assert_eq!(
        (&content[1]["type"], &content[1]["mimeType"]),
        (&json!("image"), &json!("image/png"))
    );
    let picture = STANDARD
        .decode(content[1]["data"].as_str().unwrap())
        .unwrap();
    assert!(picture.starts_with(b"\x89PNG\r\n"));
    let file = home.path().join("screen.png");
    home.ok(&["capture", "hello", "-o", file.to_str().unwrap()]);
    assert_eq!(
        std::fs::read(&file).unwrap(),
        picture,
        "the extension selects the format"
    );
    let mut serve = Serve::new(&home, &[]);
    let start =
        json!({"action": "start", "command": "true", "rows": 1000, "cols": 1000, "wait": true});
    let id = serve.ok(start)["sessionId"].clone();
    let huge = json!({"action": "capture", "sessionId": id, "format": "png"});
    let error = serve.err(huge, "too_large");
    assert_eq!(error["data"]["unit"], "pixels");
}

#[test]
fn a_capture_that_cannot_be_written_leaves_the_older_file_alone() {
    let home = Home::new();
    home.start(&["-n", "hello", "-w", "echo hello"]);
    let file = home.scratch("screen.txt");
    std::fs::write(&file, "older\n").unwrap();
    let args = ["capture", "hello", "-o", file.to_str().unwrap()];
    // As on a full disk, files cannot become longer.
    let command = home.command_after("trap '' XFSZ; ulimit -f 0", &args);
    let ran = home.run_command(command, &args).expect_code(1);
    ran.expect_said(&format!("cannot write {}: ", file.display()));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "older\n");
    home.ok(&args);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "hello\n");
    let names = std::fs::read_dir(file.parent().unwrap()).unwrap();
    assert_eq!(names.count(), 1, "nothing is left beside it");
}

#[test]
fn a_new_run_begins_on_a_terminal_as_a_new_one() {
    let home = Home::new();
    let line = "if [ -e again ]; then echo plain second run; else touch again; \
                printf '\\033[?1049h\\033[1;31mFULL\\033(0lqqk\\033[?25l'; fi; exec sleep 1000";
    let dir = home.scratch("here");
    std::fs::create_dir_all(&dir).unwrap();
    home.start(&["-n", "job", "-C", &dir.display().to_string(), line]);
    home.ok(&["wait", "job", "--for", "quiet:100ms"]);
    home.ok(&["restart", "job"]);
    home.ok(&["wait", "job", "--for", "match:second run"]);
    assert_eq!(
        home.ok(&["logs", "job"]).lines().last(),
        Some("plain second run")
    );
    assert_eq!(
        home.ok(&["logs", "--run", "2", "job"]).trim(),
        "plain second run"
    );
    let shot = home.json(&["capture", "job"]);
    assert_eq!(shot["altScreen"], false, "{shot}");
    assert_eq!(shot["cursor"]["visible"], true, "{shot}");
    let text = shot["text"].as_str().unwrap();
    assert_eq!(text.lines().last(), Some("plain second run"), "{text}");
}

#[test]
fn a_new_run_begins_on_a_line_of_its_own() {
    let home = Home::new();
    let line = "printf 'Name? '; read x; echo $x";
    home.start(&["-n", "ask", line]);
    home.ok(&["wait", "ask", "--for", "input"]);
    home.ok(&["restart", "ask"]);
    home.ok(&["wait", "ask", "--for", "input"]);
    let runs = home.json(&["status", "ask"])["detail"]["runs"].clone();
    assert_eq!(runs[1]["firstLine"], 2, "{runs}");
    home.ok(&["send", "ask", "me"]);
    home.run(&["wait", "ask"]).expect_code(0);
    assert_eq!(home.ok(&["logs", "ask"]), "Name? \nName? me\nme\n");
    // Pipes have the bytes of the program only.
    home.run(&["run", "-w", "-n", "raw", "--no-pty", "printf a"])
        .expect_code(0);
    home.ok(&["restart", "raw"]);
    home.run(&["wait", "raw"]).expect_code(0);
    assert_eq!(home.ok(&["logs", "--raw", "raw"]), "aa");
}

#[test]
fn the_number_of_a_screen_grows_over_the_death_of_the_daemon() {
    let (home, mut serve) = serve();
    let id = background(
        &mut serve,
        "printf 'one\ntwo\nthree\n'; while read x; do echo $x; done",
    );
    wait_for_since_start(&mut serve, &id, "three");
    let capture = |serve: &mut Serve| serve.ok(json!({"action": "capture", "sessionId": id}));
    let before = capture(&mut serve)["screenSeq"].as_u64().unwrap();
    home.kill_daemon();
    let since = json!({"action": "capture", "sessionId": id, "since": before});
    let again = serve.ok(since.clone());
    assert!(again["screenSeq"].as_u64().unwrap() >= before, "{again}");
    serve.ok(json!({"action": "write", "sessionId": id, "data": "more", "newline": true}));
    wait_for(&mut serve, &id, "more");
    assert_eq!(serve.ok(since)["changed"], true);
}

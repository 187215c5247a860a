//! A person at the dashboard, key by key: starting, typing, stopping, looking back.

use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve, Terminal};

/// Split with room, split, and one pane at a time.
const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

/// The leave key.
const LEAVE: &str = "\x1d";

/// Waits until a row ends with `text`, as a whole line of a job does.
#[track_caller]
fn wait_line(view: &mut Terminal, text: &str) {
    view.wait_for(&format!("line `{text}`"), |screen| {
        let is_line = |row: &String| {
            let end = row.trim_end().strip_suffix(text);
            end.is_some_and(|before| before.is_empty() || before.ends_with("│ "))
        };
        screen.rows_text(true).iter().any(is_line)
    });
}

fn status(home: &Home, job: &str) -> String {
    home.record(job)["status"].as_str().unwrap().to_owned()
}

#[test]
fn from_the_first_run_to_an_answer_and_out() {
    if !have("python3") {
        return;
    }
    for size in SIZES {
        let home = Home::new();
        let mut view = Terminal::dashboard(&home, size, "Nothing is running yet.");
        view.wait_for_text("q closes this view");
        view.send("n");
        view.wait_mode("PROMPT");
        view.send("python3 -i -q\t");
        view.wait_for_text("name:");
        view.send("py\r");
        view.wait_mode("NORMAL");
        view.wait_for_text("py ●");
        view.send("\r");
        if size.0 < 60 {
            // The first Enter opens the pane, in which one types with i.
            view.wait_gone("open");
            view.send("i");
        }
        view.wait_mode("INSERT");
        view.wait_for_text(">>>");
        view.send("6 * 7\r");
        wait_line(&mut view, "42");
        view.send(LEAVE);
        view.wait_mode("NORMAL");
        view.send("q");
        assert_eq!(view.exit_code(), 0);
        let text = view.text().replace('\n', " ");
        assert!(text.contains("1 job keeps running"), "{text}");
        assert_eq!(status(&home, "py"), "running");
    }
}

#[test]
fn enter_never_stops_a_job_and_y_does() {
    for size in SIZES {
        let home = Home::new();
        home.start(&["-n", "web", "exec sleep 1000"]);
        let mut view = Terminal::dashboard(&home, size, "web ●");
        view.send("x");
        view.wait_for_text("STOP");
        view.send("\r");
        view.wait_mode("NORMAL");
        assert_eq!(status(&home, "web"), "running");
        view.send("xn");
        view.wait_mode("NORMAL");
        view.press("x");
        view.wait_for_text("STOP");
        view.press("y");
        view.wait_for_text("web stopped (SIGTERM)");
        assert_eq!(status(&home, "web"), "killed");
        view.wait_for_text("web ■");
        // No job runs, and so nothing is said on the way out.
        view.send("q");
        assert_eq!(view.exit_code(), 0);
        assert!(!view.text().contains("keep"), "{}", view.text());
    }
}

#[test]
fn a_job_is_paused_restarted_and_removed() {
    let home = Home::new();
    home.start(&["-n", "web", "exec sleep 1000"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "web ● running");
    view.send("p");
    view.wait_for_text("PAUSE");
    view.send("y");
    view.wait_for_text("web ‖ paused");
    view.wait_for_text("p continues it.");
    assert_eq!(status(&home, "web"), "paused");
    view.send("p");
    view.wait_for_text("web ● running");
    let pid = home.record("web")["pid"].clone();
    view.send("r");
    view.wait_for_text("RESTART");
    view.send("\r");
    view.wait_mode("NORMAL");
    assert_eq!(home.record("web")["pid"], pid, "Enter is no");
    view.send("r");
    view.wait_for_text("RESTART");
    view.send("y");
    view.wait_for_text("↻1");
    assert_ne!(home.record("web")["pid"], pid);
    // What runs is not removed, and is told why.
    view.send("d");
    view.wait_mode("NORMAL");
    assert_eq!(status(&home, "web"), "running");
    view.press("X");
    view.wait_for_text("KILL -9");
    view.press("y");
    view.wait_for_text("web stopped (SIGKILL)");
    view.wait_for_text("web ■");
    view.send("r");
    view.wait_for_text("↻2");
    view.press("xX");
    view.wait_for_text("web ■");
    view.press("d");
    view.wait_for_text("REMOVE");
    view.send("y");
    view.wait_for_text("Nothing is running yet.");
    // It could be put back until now.
    home.run(&["status", "web"]).expect_code(3);
    view.send("q");
    view.exit_code();
    home.run(&["status", "web"]).expect_code(4);
}

#[test]
fn the_leave_key_leaves_and_pressed_twice_is_sent() {
    for size in SIZES {
        let home = Home::new();
        home.start(&["-n", "cat", "stty -echo -icanon; echo up; exec cat -v"]);
        let mut view = Terminal::dashboard(&home, size, "cat ●");
        let enter = if size.0 < 60 { "\ri" } else { "\r" };
        view.send(enter);
        view.wait_mode("INSERT");
        wait_line(&mut view, "up");
        view.send("one\r");
        wait_line(&mut view, "one");
        view.send(LEAVE);
        view.wait_mode("NORMAL");
        view.send(LEAVE);
        view.wait_mode("INSERT");
        view.send("\r");
        wait_line(&mut view, "^]");
        view.send([LEAVE, LEAVE, "two\r"].concat());
        wait_line(&mut view, "^]two");
        view.send(LEAVE);
        view.wait_mode("NORMAL");
        // In NORMAL no key reaches the job: these scroll back and return.
        view.send("%");
        view.wait_for_text("No command");
        let typed = home.ok(&["logs", "cat"]);
        assert_eq!(typed, "up\none\n^]\n^]two\n");
    }
}

#[test]
fn looking_never_resizes_and_typing_in_place_does() {
    let home = Home::new();
    let line = "stty -echo -icanon; echo up; while read x; do stty size; done";
    home.start(&["-n", "sized", line]);
    let mut view = Terminal::dashboard(&home, (100, 30), "sized ●");
    wait_line(&mut view, "up");
    let size = |home: &Home| {
        let job = home.record("sized");
        (job["rows"].clone(), job["cols"].clone())
    };
    let before = size(&home);
    view.send("z");
    view.wait_gone("▌");
    view.send("z");
    view.wait_for_text("▌");
    assert_eq!(size(&home), before, "nobody types yet");
    view.send("i");
    view.wait_mode("INSERT");
    view.send("\r");
    view.wait_for("a size", |screen| {
        let rows = screen.rows_text(true);
        let last = rows.iter().filter_map(|row| row.split("│ ").nth(1));
        last.into_iter().any(|row| {
            let mut words = row.split(' ').map(str::parse::<u16>);
            matches!(
                (words.next(), words.next()),
                (Some(Ok(20..30)), Some(Ok(50..70)))
            )
        })
    });
    let (rows, cols) = size(&home);
    assert_ne!((&rows, &cols), (&before.0, &before.1));
    // In place: the list has stayed where it is.
    assert!(view.text().contains("▌"), "{}", view.text());
    view.send(LEAVE);
    view.wait_mode("NORMAL");
    view.send("q");
    view.exit_code();
    assert_eq!(size(&home), (rows, cols));
}

/// Such a program, as nano or less, drops what it has not read when its terminal gets another size.
#[test]
fn the_first_key_after_a_resize_reaches_a_program_that_flushes_its_input() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let program = "
import os, signal, termios, tty
tty.setraw(0)
def resized(*_):
    termios.tcflush(0, termios.TCIFLUSH)
    os.write(1, b'resized\\r\\n')
signal.signal(signal.SIGWINCH, resized)
os.write(1, b'up\\r\\n')
while True:
    os.write(1, b'got ' + os.read(0, 100) + b'\\r\\n')
";
    home.start(&["-n", "flushes", "python3", "-c", program]);
    let mut view = Terminal::dashboard(&home, (100, 30), "flushes ●");
    wait_line(&mut view, "up");
    view.send("ix");
    wait_line(&mut view, "got x");
    view.resize(90, 28);
    wait_line(&mut view, "resized");
}

#[test]
fn the_list_is_filtered() {
    let home = Home::new();
    for name in ["web", "worker", "database"] {
        home.start(&["-n", name, "exec sleep 1000"]);
    }
    home.run(&["run", "-q", "-n", "broken", "--wait", "exit 3"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "database");
    view.send("/wor");
    view.wait_mode("FILTER");
    view.wait_for_text("1 of 4");
    view.wait_gone("database");
    view.send("\r");
    view.wait_mode("NORMAL");
    view.wait_for_text("worker ●");
    view.send("\x1b");
    view.wait_for_text("database");
    view.send("/failed");
    view.wait_gone("worker");
    view.wait_for_text("broken");
    view.send("\x1b");
    view.wait_mode("NORMAL");
    view.wait_for_text("worker");
}

#[test]
fn the_log_is_read_back_and_searched_while_it_grows() {
    for size in SIZES {
        let home = Home::new();
        let line = "stty -echo; seq 1 3000; read x; echo more; read x";
        home.start(&["-n", "seq", line]);
        let mut view = Terminal::dashboard(&home, size, "seq");
        if size.0 < 60 {
            view.send("\r");
        }
        wait_line(&mut view, "3000");
        view.send("s");
        view.wait_mode("SCROLL");
        view.wait_for_text("line 3000/3000");
        view.send("/^150$\r");
        view.wait_for_text("1 of 1");
        wait_line(&mut view, "150");
        home.ok(&["send", "seq", "go"]);
        if size.0 >= 60 {
            view.wait_for_text("1 new below");
        }
        wait_line(&mut view, "150");
        view.send("g");
        wait_line(&mut view, "1");
        view.send("G");
        view.wait_mode("NORMAL");
        wait_line(&mut view, "more");
    }
}

#[test]
fn zoom_help_and_control_c_do_what_they_say() {
    let home = Home::new();
    home.start(&["-n", "web", "echo up; exec sleep 1000"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "web ● running");
    view.wait_for_text("▌");
    view.send("z");
    view.wait_gone("▌");
    // No border and no list: what is copied is the job's text alone.
    wait_line(&mut view, "up");
    assert!(!view.text().contains('│'), "{}", view.text());
    view.send("z");
    view.wait_for_text("▌");
    view.press("?");
    view.wait_mode("HELP");
    view.wait_for_text("NORMAL: commands; no key reaches a job");
    view.send("\x1b");
    view.wait_mode("NORMAL");
    view.wait_for_text("▌");
    view.send("\x1b");
    view.send("\x03");
    view.wait_for_text("Ctrl-C was not sent.");
    view.send("\x03");
    assert_eq!(view.exit_code(), 0);
    assert_eq!(status(&home, "web"), "running");
}

#[test]
fn a_person_answers_what_an_agents_job_asks() {
    for size in SIZES {
        let home = Home::new();
        let mut agent = Serve::new(&home, &["--scope", "claude"]);
        let line = "printf 'your name? '; read name; echo \"hello $name\"; exec sleep 1000";
        let request = json!({"command": line, "label": "asker"});
        let job = Job::request(&mut agent, request);
        let until = json!([{"pattern": "^hello (\\w+)$"}]);
        let wait = json!({"action": "wait", "sessionId": job.id, "until": until,
            "timeoutMs": 60_000});
        let pending = agent.send(wait);
        let mut view = Terminal::dashboard(&home, size, "asker");
        view.wait_for("the mark of an agent's job", |screen| {
            let rows = screen.rows_text(true);
            let left = rows.iter().map(|row| row.split('│').next().unwrap_or(""));
            left.into_iter()
                .any(|row| row.contains("asker") && row.trim_end().ends_with(" A"))
        });
        view.send(if size.0 < 60 { "\ri" } else { "\r" });
        view.wait_mode("INSERT");
        view.wait_for_text("your name?");
        view.send("Ann\r");
        let answered = agent.reply(pending);
        assert_eq!(
            answered["result"]["matched"]["groups"],
            json!(["Ann"]),
            "{answered}"
        );
        wait_line(&mut view, "hello Ann");
        view.send(LEAVE);
        view.wait_mode("NORMAL");
        // And the other way round: what the agent ends is told to the person.
        job.ask(&mut agent, "kill", json!({}));
        view.wait_for_text("asker ■");
    }
}

#[test]
fn a_person_watches_an_agent_in_vim() {
    if !have("vim") {
        return;
    }
    let home = Home::new();
    let mut agent = Serve::new(&home, &["--scope", "claude"]);
    let file = home.scratch("note.txt");
    let args = json!(["-n", "-u", "NONE", "-i", "NONE", "-N", file]);
    let request =
        json!({"command": "vim", "args": args, "label": "editor", "rows": 20, "cols": 50});
    let vim = Job::request(&mut agent, request);
    agent.ok(json!({"action": "subscribe"}));
    vim.wait_screen(&mut agent, "^~$");
    let mut view = Terminal::dashboard(&home, (80, 24), "editor ●");
    wait_line(&mut view, "~");
    vim.press(&mut agent, json!(["i", {"text": "while you watch"}]));
    wait_line(&mut view, "while you watch");
    vim.press(&mut agent, json!(["Enter", {"text": "漢字 and é"}]));
    wait_line(&mut view, "漢字 and é");
    // The person goes on where the agent stopped.
    view.send("i");
    view.wait_mode("INSERT");
    view.send(", and I");
    wait_line(&mut view, "漢字 and é, and I");
    view.send("\x1b");
    let typed = json!({"until": [{"gone": "-- INSERT --"}], "view": "screen"});
    vim.wait_until(&mut agent, typed);
    agent.event("released");
    vim.press(&mut agent, json!([{"text": ":wq"}, "Enter"]));
    assert_eq!(vim.end(&mut agent)["exitCode"], 0);
    view.wait_for_text("editor has ended: exit 0.");
    let written = std::fs::read_to_string(file).unwrap();
    assert_eq!(written, "while you watch\n漢字 and é, and I\n");
}

#[test]
fn attaching_is_typing_at_once_and_q_returns() {
    let home = Home::new();
    home.start(&["-n", "cat", "stty -echo; echo up; exec cat"]);
    for size in SIZES {
        let mut view = Terminal::new(&home, &["attach", "cat"], size);
        view.wait_mode("INSERT");
        wait_line(&mut view, "up");
        assert!(!view.text().contains('│'), "{}", view.text());
        let word = format!("at {} columns", size.0);
        view.send(format!("{word}\r"));
        wait_line(&mut view, &word);
        view.send(LEAVE);
        view.wait_mode("NORMAL");
        view.send("q");
        assert_eq!(view.exit_code(), 0);
        let text = view.text().replace('\n', " ");
        assert!(text.contains("cat keeps running."), "{text}");
    }
    assert_eq!(status(&home, "cat"), "running");
}

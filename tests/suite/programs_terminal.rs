//! Programs that ask the terminal what it is before they use it: what they then use is there.

use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::job::Job;
use crate::support::needs::have;
use crate::support::{Home, Serve, Terminal};

fn serve() -> (Home, Serve) {
    let home = Home::new();
    let serve = Serve::new(&home, &[]);
    (home, serve)
}

/// The end of a tmux with its last client, so that a test that fails leaves none.
const ENDS_ALONE: &str = "set-option -g destroy-unattached on";

#[test]
fn neovim_asks_much_and_shows_only_the_file() {
    if !have("nvim") {
        return;
    }
    let (home, mut serve) = serve();
    let file = home.scratch("note.txt");
    std::fs::write(&file, "first line\n").unwrap();
    let request = json!({"command": "nvim", "args": ["--clean", file], "rows": 24, "cols": 80});
    let nvim = Job::request(&mut serve, request);
    nvim.wait_screen(&mut serve, "^first line$");
    nvim.press(&mut serve, json!(["o", {"text": "written by an agent"}]));
    nvim.wait_screen(&mut serve, "^written by an agent$");
    let screen = nvim.screen(&mut serve);
    let rows: Vec<&str> = screen.lines().collect();
    assert_eq!(rows[..2], ["first line", "written by an agent"], "{screen}");
    // Nothing else has been typed or drawn into the text.
    assert!(rows[2..22].iter().all(|row| *row == "~"), "{screen}");
    nvim.press(&mut serve, json!(["Escape", {"text": ":wq"}, "Enter"]));
    assert_eq!(nvim.end(&mut serve)["exitCode"], 0);
    let written = std::fs::read_to_string(file).unwrap();
    assert_eq!(written, "first line\nwritten by an agent\n");
}

#[test]
fn fish_shows_its_prompt_without_waiting_for_an_answer() {
    if !have("fish") {
        return;
    }
    let (_home, mut serve) = serve();
    let prompt = "function fish_prompt; echo -n 'ready> '; end; set fish_greeting";
    let request = json!({"command": "fish", "args": ["--no-config", "-C", prompt]});
    let begun = Instant::now();
    let fish = Job::request(&mut serve, request);
    fish.wait_screen(&mut serve, "^ready>");
    // Version 4 waits 10 seconds for the answer to DA1.
    assert!(begun.elapsed() < Duration::from_secs(9), "{begun:?}");
    fish.press(&mut serve, json!([{"text": "echo one; echo two"}, "Enter"]));
    fish.wait_screen(&mut serve, "^two$");
    let screen = fish.screen(&mut serve);
    let rows: Vec<&str> = screen.lines().collect();
    assert_eq!(
        rows[..3],
        ["ready> echo one; echo two", "one", "two"],
        "{screen}"
    );
    fish.press(&mut serve, json!([{"text": "exit"}, "Enter"]));
    assert_eq!(fish.end(&mut serve)["exitCode"], 0);
}

#[test]
fn tmux_in_a_job_scrolls_each_pane_alone_and_detaches() {
    if !have("tmux") {
        return;
    }
    let (home, mut serve) = serve();
    let command = format!(
        "exec tmux -f /dev/null new-session 'exec sh' ';' {ENDS_ALONE} ';' split-window -h 'exec sh'"
    );
    let request = json!({"command": command, "rows": 24, "cols": 80,
        "env": {"TMUX_TMPDIR": home.path(), "ENV": ""}});
    let tmux = Job::request(&mut serve, request);
    tmux.wait_screen(&mut serve, "│[#$]");
    tmux.press(&mut serve, json!([{"text": "seq 101 170"}, "Enter"]));
    tmux.wait_screen(&mut serve, "│170$");
    tmux.press(
        &mut serve,
        json!(["C-b", "o", {"text": "seq 1 60"}, "Enter"]),
    );
    tmux.wait_screen(&mut serve, "^60 +│170$");
    let screen = tmux.screen(&mut serve);
    for n in 41..=60 {
        let row = format!("{n:<40}│{}", n + 110);
        assert!(screen.lines().any(|line| line == row), "{row}\n{screen}");
    }
    tmux.press(&mut serve, json!(["C-b", "d"]));
    assert_eq!(tmux.end(&mut serve)["exitCode"], 0);
}

#[test]
fn attach_and_the_dashboard_work_inside_tmux() {
    if !have("tmux") {
        return;
    }
    let home = Home::new();
    home.start(&["-n", "web", "cat"]);
    let bgproc = env!("CARGO_BIN_EXE_bgproc");
    let mut terminal = Terminal::shell(&home, (80, 24));
    terminal.send(format!(
        "TMUX_TMPDIR=$HOME exec tmux -f /dev/null new-session '{bgproc} attach web; echo between; read x; exec {bgproc}' ';' {ENDS_ALONE}\r"
    ));
    terminal.wait_for_text("INSERT");
    terminal.send("typed in tmux\r");
    terminal.wait_for("the line and its echo", |screen| {
        screen.text(true).matches("typed in tmux").count() == 2
    });
    terminal.send("\x1d");
    terminal.wait_for_text("NORMAL");
    terminal.send("q");
    terminal.wait_for_text("between");
    terminal.send("\r");
    terminal.wait_for_text("NORMAL");
    terminal.send("q");
    assert_eq!(terminal.exit_code(), 0, "{}", terminal.text());
}

#[test]
fn a_terminal_that_was_closed_and_is_opened_again_is_logged() {
    let (_home, mut serve) = serve();
    // As programs do that ask for a password while their output goes elsewhere.
    let line = "exec </dev/null >/dev/null 2>&1; sleep 0.3; seq 1 20000 >/dev/tty; sleep 0.3; \
                echo password >/dev/tty; read answer </dev/tty; echo got $answer >/dev/tty";
    let job = Job::start(&mut serve, line);
    job.wait_for(&mut serve, "^20000$");
    job.wait_for(&mut serve, "^password$");
    let say = json!({"data": "yes", "newline": true});
    job.ask(&mut serve, "write", say);
    assert_eq!(job.end(&mut serve)["exitCode"], 0);
    let tail = job.ask(&mut serve, "log", json!({"tail": 4}));
    assert_eq!(tail["totalLines"], 20_003, "{tail}");
    let lines = tail["lines"].as_array().unwrap().iter();
    let texts: Vec<_> = lines.map(|line| &line["text"]).collect();
    assert_eq!(texts, ["20000", "password", "yes", "got yes"]);
}

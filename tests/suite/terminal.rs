//! The command line on a real terminal.

use crate::support::{Home, Terminal};

#[test]
fn a_terminal_gets_colour_unless_it_is_not_wanted() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    let green = |args: &[&str]| {
        let mut terminal = Terminal::new(&home, args, (80, 24));
        let code = terminal.exit_code();
        assert_eq!(code, 0, "{}", terminal.text());
        terminal.wait_for_text("running");
        terminal.is_coloured("running")
    };
    assert!(green(&["ls"]));
    assert!(!green(&["ls", "--color", "never"]));
}

#[test]
fn no_jobs_is_said_and_not_shown_as_an_empty_table() {
    let home = Home::new();
    let mut terminal = Terminal::new(&home, &["ls"], (80, 24));
    assert_eq!(terminal.exit_code(), 0);
    assert_eq!(
        terminal.text(),
        "bgproc: no jobs; bgproc run COMMAND starts one"
    );
}

#[test]
fn following_on_a_terminal_ends_with_ctrl_c() {
    let home = Home::new();
    let args = ["run", "-f", "-n", "web", "echo up; exec sleep 1000"];
    let mut terminal = Terminal::new(&home, &args, (80, 24));
    terminal.wait_for_text("up");
    terminal.send("\x03");
    terminal.expect_signal("Interrupt");
    assert!(
        terminal.text().contains("web keeps running"),
        "{}",
        terminal.text()
    );
    assert!(home.ok(&["ls", "--no-header"]).starts_with("web\trunning"));
}

#[test]
fn attaching_types_into_the_job_and_leaves_it_running() {
    let home = Home::new();
    home.start(&["-n", "cat", "cat"]);
    let mut terminal = Terminal::new(&home, &["attach", "cat"], (80, 24));
    terminal.wait_for_text("INSERT");
    terminal.send("typed by hand\r");
    terminal.wait_for("the line and its echo", |screen| {
        screen.text(true).matches("typed by hand").count() == 2
    });
    terminal.send("\x1d");
    terminal.wait_for_text("NORMAL");
    terminal.send("q");
    assert_eq!(terminal.exit_code(), 0, "{}", terminal.text());
    assert!(home.ok(&["logs", "cat"]).starts_with("typed by hand\n"));
    assert!(home.ok(&["ls", "--no-header"]).starts_with("cat\trunning"));
}

#[test]
fn run_attached_is_a_new_job_on_the_screen() {
    let home = Home::new();
    let args = [
        "run",
        "-a",
        "-n",
        "shell",
        "read x; echo got $x; sleep 1000",
    ];
    let mut terminal = Terminal::new(&home, &args, (80, 24));
    terminal.wait_for_text("INSERT");
    terminal.send("this\r");
    terminal.wait_for_text("got this");
    terminal.send("\x1d");
    terminal.wait_for_text("NORMAL");
    terminal.send("q");
    assert_eq!(terminal.exit_code(), 0);
    assert!(
        home.ok(&["ls", "--no-header"])
            .starts_with("shell\trunning")
    );
}

#[test]
fn a_bare_bgproc_on_a_terminal_is_the_dashboard() {
    let home = Home::new();
    home.start(&["-n", "web", "sleep 1000"]);
    let mut terminal = Terminal::new(&home, &[], (80, 24));
    terminal.wait_for_text("NORMAL");
    terminal.wait_for_text("web");
    terminal.send("q");
    assert_eq!(terminal.exit_code(), 0);
    terminal.wait_for_text("1 job");
}

#[test]
fn a_long_chapter_is_rendered_and_paged_on_a_terminal() {
    let home = Home::new();
    let paged = |program: &str, topic: &str, rows: u16| {
        let args = ["help", topic];
        let mut terminal = Terminal::with_env(&home, &args, (80, rows), &[("PAGER", program)]);
        let code = terminal.exit_code();
        assert_eq!(code, 0, "{program}: {}", terminal.text());
        terminal.text()
    };
    let head = paged("head -n 3", "targets", 10);
    assert_eq!(head.lines().next(), Some("Targets"), "{head}");
    assert_eq!(head.lines().count(), 3, "{head}");
    // What fits needs no pager, and without one everything is printed.
    let whole = paged("head -n 3", "targets", 100);
    assert!(whole.contains("bgproc stop g:shop"), "{whole}");
    let whole = paged("/surely/not/there", "targets", 10);
    assert!(whole.contains("bgproc stop g:shop"), "{whole}");
}

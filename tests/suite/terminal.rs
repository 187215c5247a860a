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
    assert_eq!(terminal.exit_code(), 130);
    assert!(
        terminal.text().contains("web goes on"),
        "{}",
        terminal.text()
    );
    assert!(home.ok(&["ls"]).starts_with("web\trunning"));
}

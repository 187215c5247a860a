//! A person at the list of the dashboard: what rows tell, marks, all about a job, and finding a line in all jobs.

use crate::support::needs::have;
use crate::support::{Home, Terminal};

#[test]
fn a_row_shows_the_port_and_the_output_of_its_job() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    // It listens on a free port, writes once, and sleeps.
    let serve = "import socket, time\n\
                 s = socket.socket(); s.bind(('127.0.0.1', 0)); s.listen()\n\
                 print('port', s.getsockname()[1], flush=True)\n\
                 time.sleep(1000)";
    let script = home.scratch("serve.py");
    std::fs::write(&script, serve).unwrap();
    home.start(&["-n", "web", &format!("exec python3 {}", script.display())]);
    home.ok(&["wait", "web", "--for", "match:port \\d+"]);
    let port = home.ok(&["logs", "web"]);
    let port = format!(":{}", port.trim().strip_prefix("port ").unwrap());
    let mut view = Terminal::dashboard(&home, (120, 40), "web");
    view.wait_for_text(&port);
    view.wait_for_text("mem ");
    // What another job writes shows in its row, which is not the selected one.
    let gate = home.gate();
    home.start(&[
        "-n",
        "tests",
        &format!("read x < {}; seq 1000; exec sleep 1000", gate.display()),
    ]);
    view.wait_for_text("tests");
    std::fs::write(&gate, "go\n").unwrap();
    view.wait_for("a sparkline", |screen| {
        let rows = screen.rows_text(true);
        let row = rows.iter().find(|row| row.contains("tests"));
        row.is_some_and(|row| row.contains('▄') || row.contains('▅'))
    });
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn keys_reach_every_marked_job_and_no_other() {
    for size in [(120, 40), (40, 12)] {
        let home = Home::new();
        for name in ["alpha", "beta", "gamma"] {
            home.start(&["-n", name, "stty -echo; exec cat"]);
        }
        let mut view = Terminal::dashboard(&home, size, "gamma");
        // Who waits for a person comes first otherwise, and that changes.
        view.send("S");
        view.wait_for_text("Sorted by name.");
        view.send("g ");
        view.wait_for_text("marked 1");
        view.send("j ");
        view.wait_for_text("marked 2");
        view.send("b");
        view.wait_for_text("TYPING INTO 2 JOBS");
        view.send("hello\r");
        home.ok(&["wait", "alpha", "beta", "--for", "match:hello"]);
        view.send("\x1d");
        view.wait_gone("TYPING INTO");
        view.send("\x1b");
        view.wait_gone("marked");
        assert_eq!(home.ok(&["logs", "gamma"]), "");
        // Verbs act on marks, and ask by name where there is room beside the answers.
        view.send("g ");
        view.wait_for_text("marked 1");
        view.send("j ");
        view.wait_for_text("marked 2");
        view.send("x");
        view.wait_for_text(if size.0 < 60 {
            "STOP 2 jobs?"
        } else {
            "2 jobs: alpha, beta"
        });
        view.send("y");
        home.run(&["wait", "alpha", "beta"]);
        home.run(&["status", "gamma"]).expect_code(0);
        view.send("q");
        assert_eq!(view.exit_code(), 0);
    }
}

#[test]
fn a_line_is_found_in_all_jobs_and_shown_in_its_own() {
    for size in [(120, 40), (80, 24), (40, 12)] {
        let home = Home::new();
        home.start(&[
            "-n",
            "web",
            "seq 1 3000 | sed 's/^/web line /'; exec sleep 1000",
        ]);
        home.start(&[
            "-n",
            "api",
            "seq 1 30 | sed 's/^/api line /'; exec sleep 1000",
        ]);
        home.ok(&["wait", "web", "--for", "match:line 3000"]);
        home.ok(&["wait", "api", "--for", "match:line 30"]);
        let mut view = Terminal::dashboard(&home, size, "api");
        view.send("F");
        view.wait_for_text("find in all jobs");
        view.send("line 1?17$");
        view.wait_for_text("web:117: web line 117");
        view.wait_for_text("web:17: web line 17");
        view.wait_for_text("api:17: api line 17");
        view.send("\x1b[B\r");
        view.wait_for_text(" SCROLL ");
        view.wait_gone("find in all jobs");
        view.wait_for_text("web line 17");
        view.wait_for_text("1 of 2");
        view.send("\x1b");
        view.wait_for_text(" NORMAL ");
        view.send("q");
        assert_eq!(view.exit_code(), 0);
    }
}

#[test]
fn all_about_a_job_is_a_page_that_follows_it() {
    let home = Home::new();
    home.start(&["-n", "web", "-e", "STAGE=test", "sleep 1000 & exec cat"]);
    home.ok(&["send", "web", "hello there"]);
    let mut view = Terminal::dashboard(&home, (80, 24), "web");
    view.send("I");
    view.wait_for_text(" DETAILS ");
    view.wait_for_text("STAGE");
    // The title has the command too; processes come later, and then who typed.
    view.wait_for_text("sleeps  sleep 1000");
    view.wait_for_text("Who typed, newest first");
    view.send("G");
    view.wait_for_text("hello there");
    view.send("g");
    home.run(&["stop", "web"]);
    view.wait_for_text("killed by you");
    view.send("\x1b");
    view.wait_for_text(" NORMAL ");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

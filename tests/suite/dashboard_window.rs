//! The dashboard and the window it is in: its size, its colours, its signs, and leaving it as it was.

use rustix::process::Signal;

use crate::support::{Home, Terminal};
use bgproc::term::screen::{Color, Screen};

fn home_with_a_job() -> Home {
    let home = Home::new();
    home.start(&["-n", "web", "echo up; exec sleep 1000"]);
    home
}

/// Cells in a colour of their own.
fn coloured(screen: &Screen) -> usize {
    let size = screen.size();
    let cells = (0..size.rows()).flat_map(|row| (0..size.cols()).map(move |col| (row, col)));
    cells
        .filter_map(|(row, col)| screen.cell(row, col))
        .filter(|cell| cell.fg != Color::Default || cell.bg != Color::Default)
        .count()
}

#[test]
fn the_window_is_left_as_it_was() {
    let home = home_with_a_job();
    let leave: [fn(&mut Terminal); 4] = [
        |view| view.send("q"),
        |view| view.signal(Signal::TERM),
        |view| view.signal(Signal::HUP),
        |view| {
            // From within a job, where the cursor is shown and keys are raw.
            view.send("\r");
            view.wait_for_text("INSERT");
            view.signal(Signal::TERM);
        },
    ];
    const HANG_UP: usize = 2;
    for (way, leave) in leave.into_iter().enumerate() {
        let mut view = Terminal::new(&home, &[], (80, 24));
        let before = view.settings_before.clone();
        view.wait_for_text("web ● running");
        assert!(view.screen().alt_screen() && view.screen().modes().bracketed_paste);
        assert!(!view.screen().cursor().visible);
        assert_ne!(view.settings(), before, "keys are not raw");
        leave(&mut view);
        view.exit_code();
        let screen = view.screen();
        assert!(!screen.alt_screen(), "way {way}: {}", view.text());
        assert!(screen.cursor().visible, "way {way}");
        assert!(!screen.modes().bracketed_paste, "way {way}");
        assert_eq!(view.settings(), before, "way {way}");
        // Who hangs up has nobody left to read it.
        let told = view.text().contains("1 job keeps running. Back: bgproc");
        assert_eq!(told, way != HANG_UP, "way {way}: {}", view.text());
    }
    assert!(home.ok(&["ls", "--no-header"]).starts_with("web\trunning"));
}

#[test]
fn a_window_of_any_size_is_used_or_said_to_be_too_small() {
    let home = home_with_a_job();
    let mut view = Terminal::new(&home, &[], (50, 4));
    view.wait_for_text("bgproc: 1● (make the window larger)");
    view.resize(80, 24);
    view.wait_for_text("web ● running");
    view.wait_for_text("│ up");
    view.resize(40, 12);
    view.wait_for("one pane at a time", |screen| {
        let text = screen.text(true);
        text.contains("web ●") && !text.contains('│')
    });
    view.send("\r");
    view.wait_for("the pane", |screen| screen.text(true).starts_with("up"));
    view.send("\x1b");
    view.wait_for_text("▌");
    view.resize(120, 40);
    view.wait_for_text("│ up");
    view.wait_for("a status line at the bottom", |screen| {
        screen.rows_text(true)[38].starts_with(" NORMAL  web ● running")
    });
    view.resize(19, 5);
    view.wait_for_text("bgproc: 1●");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn no_colour_means_none_and_ascii_means_ascii() {
    let home = home_with_a_job();
    let shown = |args: &[&str], vars: &[(&str, &str)], sign: &str| {
        let mut view = Terminal::with_env(&home, args, (80, 24), vars);
        view.wait_for_text(&format!("web {sign} running"));
        view.wait_for_text(" up");
        (coloured(view.screen()), view.text())
    };
    let (cells, text) = shown(&[], &[], "●");
    assert!(cells > 0, "{text}");
    let (cells, text) = shown(&[], &[("NO_COLOR", "1")], "●");
    assert_eq!(cells, 0, "{text}");
    let (cells, text) = shown(&[], &[("NO_COLOR", "")], "●");
    assert!(cells > 0, "empty is as if it were not set: {text}");
    for (args, vars) in [
        (&["--ascii"][..], &[][..]),
        (&[], &[("LC_ALL", "C")]),
        (&[], &[("TERM", "linux")]),
    ] {
        let (_, text) = shown(args, vars, "*");
        assert!(text.is_ascii(), "{args:?} {vars:?}: {text}");
    }
}

#[test]
fn a_jobs_own_colours_stay_without_ours() {
    let home = Home::new();
    let line = "printf 'plain \\033[31m\\122\\105\\104\\033[0m\\n'; exec sleep 1000";
    home.start(&["-n", "web", line]);
    let mut view = Terminal::with_env(&home, &[], (80, 24), &[("NO_COLOR", "1")]);
    view.wait_for_text("plain RED");
    assert!(view.is_coloured("RED"));
    assert!(!view.is_coloured("plain RED"));
}

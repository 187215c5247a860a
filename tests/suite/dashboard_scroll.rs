//! A person looks back through a log, copies from it, with keys and with the mouse, and opens it in a pager.

use rustix::process::Signal;

use crate::support::{Home, Terminal};

/// A terminal that is known not to take what is copied, and no other way than a file.
const NO_CLIPBOARD: [(&str, &str); 4] = [
    ("TERM_PROGRAM", "Apple_Terminal"),
    ("TMUX", ""),
    ("DISPLAY", ""),
    ("WAYLAND_DISPLAY", ""),
];

/// A job that has written three hundred lines, two of them errors, and goes on.
const LOG: &str = "i=0; while [ $i -lt 300 ]; do i=$((i+1)); echo line $i of it; \
    [ $((i % 100)) = 42 ] && echo \"TypeError: bad $i\"; done; echo the end; exec sleep 1000";

#[track_caller]
fn open(home: &Home, size: (u16, u16), vars: &[(&str, &str)]) -> Terminal {
    home.start(&["-n", "log", LOG]);
    let mut vars = vars.to_vec();
    vars.extend(NO_CLIPBOARD);
    let mut view = Terminal::with_env(home, &[], size, &vars);
    view.wait_for_text("log ●");
    view.wait_mode("NORMAL");
    if size.0 < 60 {
        view.send("\r");
    }
    view.wait_for_text("the end");
    view
}

/// What was copied last, once a toast has said so.
#[track_caller]
fn copied(home: &Home, view: &mut Terminal, toast: &str) -> String {
    view.wait_for_text(toast);
    std::fs::read_to_string(home.path().join("cache/copy.txt")).unwrap()
}

#[test]
fn a_log_is_searched_and_copied_from() {
    let home = Home::new();
    let mut view = open(&home, (80, 24), &[]);
    view.send("s");
    view.wait_for_text("line 304/304");
    view.send("E");
    view.wait_for_text("TypeError: bad 242");
    view.wait_for_text("line 245/304");
    view.send("/LINE 1?7 of\r");
    view.wait_for_text("no match");
    view.send("/line 1?7 of\r");
    view.wait_for_text("2 of 2");
    view.send("n");
    view.wait_for_text("1 of 2");
    view.wait_for_text("line 7 of it");
    view.send("Vjy");
    let toast = "Saved to ~/cache/copy.txt";
    let text = copied(&home, &mut view, toast);
    assert_eq!(text, "line 7 of it\nline 8 of it");
    view.send("\x1b");
    view.wait_mode("NORMAL");
    view.wait_for_text("the end");
    // Dragged over with the mouse: from `line 3` of one row to the end of the next, in the pane only.
    view.wait_for_text("line 299 of it");
    let rows = view.screen().rows_text(true);
    let y = 1 + rows
        .iter()
        .position(|row| row.contains("line 299 of it"))
        .unwrap();
    let row = &rows[y - 1];
    let x = 1 + row[..row.find("299").unwrap()].chars().count();
    view.send(format!(
        "\x1b[<0;{x};{y}M\x1b[<32;80;{0}M\x1b[<0;80;{0}m",
        y + 1
    ));
    let text = copied(&home, &mut view, &format!("{toast} (x2)"));
    assert_eq!(text, "299 of it\nline 300 of it");
    view.send("q");
    assert_eq!(view.exit_code(), 0);
}

#[test]
fn the_pager_has_the_terminal_to_itself() {
    let home = Home::new();
    let script = home.scratch("pager");
    // It shows the first line, then reads a line from the terminal as pagers read keys.
    let text = "read first; echo \"$first\"; read answer < /dev/tty; echo \"got $answer\" > \"$0.out\"; cat > \"$0.rest\"";
    std::fs::write(&script, text).unwrap();
    let pager = format!("sh {}", script.display());
    let mut view = open(&home, (80, 24), &[("PAGER", &pager)]);
    let raw = view.settings();
    view.send("L");
    view.wait_for("the pager alone", |screen| {
        screen.text(true).starts_with("line 1 of it") && !screen.alt_screen()
    });
    assert_eq!(
        view.settings(),
        view.settings_before,
        "as the shell left it"
    );
    view.send("xyq\r");
    view.wait_mode("NORMAL");
    view.wait_for_text("the end");
    assert_eq!(view.settings(), raw);
    let out = |end: &str| std::fs::read_to_string(format!("{}.{end}", script.display())).unwrap();
    assert_eq!(out("out"), "got xyq\n");
    assert!(out("rest").ends_with("the end\r\n"), "all of the log");
    // The keys are ours again.
    view.press("x");
    view.wait_mode("STOP");
    view.send("n");
    view.wait_mode("NORMAL");
    view.press("q");
    assert_eq!(view.exit_code(), 0);
    assert_eq!(view.settings(), view.settings_before);
}

#[test]
fn a_signal_after_the_pager_ends_the_view() {
    let home = Home::new();
    let script = home.scratch("pager");
    std::fs::write(&script, "echo paging; read answer < /dev/tty").unwrap();
    let pager = format!("sh {}", script.display());
    let mut view = open(&home, (80, 24), &[("PAGER", &pager)]);
    view.send("L");
    view.wait_for_text("paging");
    // What comes while the pager has the terminal is meant for the pager.
    view.signal(Signal::INT);
    view.send("\r");
    view.wait_mode("NORMAL");
    view.signal(Signal::INT);
    view.exit_code();
    view.wait_for_text("1 job keeps running");
}

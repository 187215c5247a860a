//! The dashboard's colours and signs in terminals of all kinds.

use bgproc::term::screen::{Color, Screen};

use crate::support::{Home, Terminal};

/// Variables that say what a terminal is.
type Vars = &'static [(&'static str, &'static str)];

/// Terminals by what they can do, and the colour of a running job there; none has a sign of ASCII.
const DEPTHS: [(Vars, Option<Color>); 4] = [
    (
        &[("TERM", "xterm"), ("COLORTERM", "truecolor")],
        Some(Color::Rgb(0, 0x9e, 0x73)),
    ),
    (&[("TERM", "xterm-256color")], Some(Color::Idx(35))),
    (&[("TERM", "xterm")], Some(Color::Idx(2))),
    (
        &[("TERM", "xterm"), ("NO_COLOR", "1")],
        Some(Color::Default),
    ),
];

fn home() -> Home {
    let home = Home::new();
    let line = "printf 'plain \\033[31m\\122\\105\\104\\033[0m\\n'; exec sleep 1000";
    home.start(&["-n", "web", line]);
    home
}

/// The colour of the sign of the running job in the status line.
fn sign(screen: &Screen) -> Option<Color> {
    let rows = screen.rows_text(true);
    let row = rows.iter().position(|row| row.starts_with(" NORMAL"))?;
    let column = rows[row].chars().position(|c| c == '●')?;
    let cell = screen.cell(row.try_into().ok()?, column.try_into().ok()?)?;
    Some(cell.fg)
}

#[test]
fn each_terminal_gets_the_colours_it_has() {
    let home = home();
    for (vars, colour) in DEPTHS {
        let mut view = Terminal::with_env(&home, &[], (80, 24), vars);
        view.wait_for_text("plain RED");
        view.wait_for_text(" NORMAL  web ");
        assert_eq!(sign(view.screen()), colour, "{vars:?}\n{}", view.text());
        // The job's own are its own everywhere.
        assert!(view.is_coloured("RED"), "{vars:?}");
    }
}

#[test]
fn mono_greys_the_panes_too() {
    let home = home();
    let mut view = Terminal::new(&home, &["--mono"], (80, 24));
    view.wait_for_text("plain RED");
    view.wait_for_text(" NORMAL  web ");
    assert!(!view.is_coloured("RED"));
    assert_eq!(sign(view.screen()), Some(Color::Default));
}

#[test]
fn a_light_terminal_is_found_out_and_nothing_waits_for_it() {
    let home = home();
    let vars = [("TERM", "xterm"), ("COLORTERM", "truecolor")];
    let mut view = Terminal::with_env(&home, &[], (80, 24), &vars);
    view.mute();
    view.wait_for_text(" NORMAL  web ");
    let dark = Some(Color::Rgb(0, 0x9e, 0x73));
    view.wait_for("the colours for dark", |screen| sign(screen) == dark);
    assert!(view.asked("\x1b]11;?"), "it was not asked");
    view.send("\x1b]11;rgb:fdfd/f6f6/e3e3\x1b\\\x1b[?62c");
    let light = Some(Color::Rgb(0, 0x73, 0x53));
    view.wait_for("the colours for light", |screen| sign(screen) == light);
    // The answers are no keys, and what comes after them is.
    assert!(!view.text().contains("No command"), "{}", view.text());
    view.send("?");
    view.wait_for_text(" HELP ");
}

#[test]
fn a_console_is_not_asked() {
    let home = home();
    let mut view = Terminal::with_env(&home, &[], (80, 24), &[("TERM", "linux")]);
    view.mute();
    view.wait_for_text("web * running");
    assert!(!view.asked("\x1b]11;?"));
    assert!(view.text().is_ascii(), "{}", view.text());
}

#[test]
fn a_theme_is_chosen_by_flag_variable_and_file_in_this_order() {
    let home = Home::with_config("theme = \"mine\"\n");
    let themes = home.path().join("themes");
    std::fs::create_dir(&themes).unwrap();
    std::fs::write(themes.join("mine.toml"), "[dark]\nrunning = \"#010203\"\n").unwrap();
    home.start(&["-n", "web", "exec sleep 1000"]);
    let shown = |args: &[&str], theme: &str| {
        let vars = [("COLORTERM", "truecolor"), ("BGPROC_THEME", theme)];
        let mut view = Terminal::with_env(&home, args, (80, 24), &vars);
        view.wait_for_text(" NORMAL  web ");
        sign(view.screen()).unwrap()
    };
    assert_eq!(shown(&[], ""), Color::Rgb(1, 2, 3));
    assert_eq!(shown(&[], "nord"), Color::Rgb(0xa6, 0xc4, 0x8c));
    assert_eq!(shown(&["--theme", "terminal"], "nord"), Color::Idx(2));
    let ran = home.run(&["--theme", "nord", "ls"]).expect_code(2);
    ran.expect_said("--theme cannot be used with a verb");
}

#[test]
fn a_rebound_key_does_what_it_says() {
    let home = Home::with_config("[keys.normal]\nstop = \"ctrl-x\"\n[keys.confirm]\nyes = \"J\"\n");
    home.start(&["-n", "web", "exec sleep 1000"]);
    let mut view = Terminal::new(&home, &[], (80, 24));
    view.wait_for_text("ctrl-x stop");
    view.send("x");
    view.wait_for_text("No command on \"x\"");
    view.send("\x18");
    view.wait_for_text("J yes");
    view.send("J");
    view.wait_for_text("web stopped (SIGTERM)");
}

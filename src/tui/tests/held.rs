//! Tests of text typed in NORMAL by mistake: it is held, and does nothing.

use super::harness::Dash;
use super::jobs::{ended, id, shop_records};
use crate::protocol::{EventKind, Status};
use crate::tui::message::Cmd;
use crate::tui::model::Selected;
use crate::tui::options::Options;

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("2").later(2000);
    dash.asked();
    dash
}

fn mode(dash: &Dash) -> String {
    let status = dash.status();
    let mode = status.split_whitespace().next();
    mode.unwrap_or_default().to_owned()
}

#[test]
fn a_sentence_in_one_read_does_nothing() {
    for text in [
        "make test",
        "rm -rf x\r",
        "please stop\r",
        "xyz",
        "KKt",
        "yes",
    ] {
        let mut dash = shop(80, 24);
        dash.read(text.as_bytes()).later(1000);
        assert_eq!(mode(&dash), "HELD", "{text}");
        assert_eq!(dash.actions(), [""; 0], "{text}");
        dash.press("\x1b");
        assert_eq!(mode(&dash), "NORMAL", "{text}");
        assert_eq!(dash.asked(), [], "{text}");
    }
}

#[test]
fn a_sentence_typed_by_hand_ends_nothing() {
    for gap in [11, 50, 120, 200, 250] {
        for text in [
            "try again",
            "pyyyy",
            "xxyy",
            "Kty",
            "dryly",
            "Xtyt",
            "%ty",
            "Rqy",
        ] {
            let mut dash = shop(80, 24);
            dash.types(gap, text).later(1000);
            let acted: Vec<_> = dash
                .actions()
                .into_iter()
                .filter(|name| ["kill", "signal", "restart", "remove"].contains(name))
                .collect();
            assert_eq!(acted, [""; 0], "{text} every {gap} ms");
        }
    }
}

#[test]
fn a_question_that_a_typed_run_has_opened_is_closed() {
    let mut dash = shop(80, 24);
    dash.types(100, "tr");
    assert_eq!(mode(&dash), "RESTART");
    dash.types(100, "y");
    assert_eq!(mode(&dash), "HELD");
    assert!(dash.status().contains("held: \"try\""), "{}", dash.status());
    assert!(!dash.actions().contains(&"restart"));
    // The same for an answer that somebody thinks about.
    dash.press("\x1b");
    dash.types(100, "tr").types(300, "y");
    assert!(dash.actions().contains(&"restart"));
}

#[test]
fn held_text_shows_and_can_be_typed() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.read(b"make test\r");
        dash.snapshot(&format!("held-{width}x{height}"));
    }
    let mut dash = shop(120, 40);
    dash.read(b"make").types(300, " diii").read(b"\x7f\x7f\r");
    assert!(
        dash.status()
            .contains("You are in NORMAL; i types into web."),
        "{}",
        dash.status()
    );
    assert!(dash.status().contains("held: \"make di⏎\""));
    dash.later(599).read(b"i");
    assert!(dash.status().contains("held: \"make di⏎i\""), "text still");
    dash.read(b"\x7f").later(600);
    assert_eq!(dash.typed("web"), "");
    dash.read(b"i");
    assert_eq!(mode(&dash), "INSERT");
    assert_eq!(dash.typed("web"), "make di\r");
    assert!(!dash.model.frame.zoom, "in place");
}

#[test]
fn every_other_key_forgets_the_text_and_acts() {
    let mut dash = shop(80, 24);
    dash.read(b"make").later(700).read(b"x");
    assert_eq!(mode(&dash), "STOP");
    dash.press("n").read(b"make").read(b"\x1b");
    assert_eq!(mode(&dash), "NORMAL");
    dash.read(b"make").read(b"\x7f\x7f\x7f\x7f");
    assert_eq!(mode(&dash), "NORMAL", "nothing is left");
    dash.read(b"make").read(b"\x03");
    assert!(dash.text().contains("Ctrl-C was not sent"));
    assert_eq!(dash.typed("web"), "");
}

#[test]
fn the_text_is_typed_into_the_job_that_was_in_the_pane() {
    let gone = |dash: &mut Dash, name: &str| {
        dash.event(EventKind::Removed, name, serde_json::json!({}));
        dash.later(1000).asked();
    };
    let mut dash = shop(80, 24);
    dash.read(b"make\r");
    gone(&mut dash, "web");
    assert!(!dash.status().contains("type it"), "{}", dash.status());
    dash.read(b"i");
    let typed: Vec<_> = dash.asked().into_iter().collect();
    let types = |cmd: &Cmd| matches!(cmd, Cmd::Type(..));
    assert!(!typed.iter().any(types), "{typed:?}");
    // With a group in the pane there is no job.
    let mut dash = shop(80, 24);
    dash.press("g").read(b"make\r").later(1000);
    assert!(!dash.status().contains("type it"), "{}", dash.status());
    // Another job is selected meanwhile.
    let mut dash = shop(80, 24);
    dash.read(b"make\r");
    dash.model.list.selected = Selected::Job(id("api"));
    dash.later(1000).read(b"i");
    assert_eq!(dash.typed("web"), "make\r");
    assert_eq!(dash.model.current_id(), Some(&id("web")));
}

#[test]
fn keys_that_are_no_letters_do_not_end_a_text_that_is_being_typed() {
    let mut dash = shop(80, 24);
    dash.read(b"cd sr").read(b"\t").read(b"\r");
    assert!(
        dash.status().contains("held: \"cd sr⇥⏎\""),
        "{}",
        dash.status()
    );
    for key in ["\x1b[A", "\x1b[15~", "\x15", "\x1b[Z"] {
        dash.read(key.as_bytes());
        assert_eq!(mode(&dash), "HELD", "{key:?}");
    }
    dash.later(600).read(b"i");
    assert_eq!(dash.typed("web"), "cd sr\t\r");
    // After the pause they act.
    for key in ["\r", "\t", "\x1b[B"] {
        let mut dash = shop(80, 24);
        dash.read(b"make").later(600).read(key.as_bytes());
        assert_ne!(mode(&dash), "HELD", "{key:?}");
        assert!(!dash.text().contains("make"), "{}", dash.text());
    }
}

#[test]
fn commands_and_motions_are_not_held() {
    let mut dash = shop(80, 24);
    dash.read(b"xy");
    assert!(dash.actions().contains(&"kill"));
    for text in ["jjkk", "12", "jjgG3", "tttt", "    "] {
        let mut dash = shop(80, 24);
        dash.read(text.as_bytes());
        assert_eq!(mode(&dash), "NORMAL", "{text}");
    }
    // Text that was announced goes where it belongs.
    for (text, wanted) in [
        ("/web", "FILTER"),
        (":stop", "PROMPT"),
        ("iecho hi", "INSERT"),
    ] {
        let mut dash = shop(80, 24);
        dash.read(text.as_bytes());
        assert_eq!(mode(&dash), wanted, "{text}");
    }
    let mut dash = shop(80, 24);
    dash.types(50, "/webi").read(b"\r");
    assert_eq!(dash.model.list.filter, "webi");
    dash.press("\x1b").types(50, "xn");
    assert_eq!(mode(&dash), "NORMAL");
}

#[test]
fn marks_are_no_text() {
    let mut dash = shop(80, 24);
    dash.types(120, "*xy").later(1000);
    assert!(dash.actions().contains(&"kill"), "{}", dash.status());
}

#[test]
fn a_hasty_answer_waits_for_the_next_letter() {
    let mut dash = shop(80, 24);
    dash.types(100, "py");
    assert_eq!((mode(&dash).as_str(), dash.actions()), ("PAUSE", vec![]));
    assert!(dash.model.next_due().unwrap() <= dash.model.now.ms + 251);
    dash.later(251);
    assert_eq!(dash.actions(), ["signal"], "nothing has followed");
    dash.types(100, "python3 x.py");
    assert!(dash.status().contains("held: \"python3 x.py\""));
    assert!(!dash.press("\x1b").actions().contains(&"signal"));
    let mut dash = shop(80, 24);
    for (after, acts) in [("\r", 0), ("\x7f", 0), ("\x1b", 0), ("\x1b[B", 1)] {
        dash.types(100, "py")
            .later(100)
            .read(after.as_bytes())
            .later(1000);
        assert_eq!(
            dash.actions()
                .iter()
                .filter(|one| **one == "signal")
                .count(),
            acts
        );
        assert_eq!(mode(&dash), "NORMAL");
    }
    // An answer to a question that was read is taken at once.
    dash.types(300, "py");
    assert!(dash.actions().contains(&"signal"));
}

#[test]
fn a_letter_without_a_command_soon_after_another_is_text() {
    let mut dash = shop(80, 24);
    dash.types(300, "t%");
    assert!(dash.status().contains("held: \"t%\""), "{}", dash.status());
    dash.press("\x1b").types(500, "t%");
    assert!(dash.text().contains("No command on \"%\""));
}

#[test]
fn text_for_a_job_that_is_removed_meanwhile_does_nothing() {
    let mut dash = shop(80, 24);
    dash.types(100, "isecre");
    dash.event(EventKind::Removed, "web", serde_json::json!({}));
    dash.asked();
    assert!(
        dash.status().contains("web was removed."),
        "{}",
        dash.status()
    );
    dash.later(5000).types(700, "xy");
    assert_eq!(dash.asked(), [], "no letter is a command");
    assert!(dash.text().contains("web was removed; ctrl-] leaves."));
    dash.press("\x1d");
    assert!(dash.model.is_normal() && dash.model.current().is_some());
}

#[test]
fn without_a_running_job_the_text_can_only_be_forgotten() {
    let mut dash = Dash::new(80, 24, vec![ended("lint", Status::Error, Some(1), 0)]);
    dash.read(b"make").later(1000);
    assert!(!dash.status().contains("type it"), "{}", dash.status());
    assert!(dash.status().contains("esc forget"), "{}", dash.status());
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("2").read(b"make").later(1000).read(b"i");
    assert!(dash.text().contains("read-only"));
    assert_eq!(dash.typed("web"), "");
}

#[test]
fn what_may_be_a_password_is_not_shown() {
    let mut dash = Dash::new(80, 24, shop_records());
    let migrate = dash
        .model
        .jobs
        .iter()
        .position(|job| *job.id() == id("migrate"));
    assert!(migrate.is_some() && dash.model.current_id() == Some(&id("migrate")));
    dash.read(b"hunter2\r");
    assert!(!dash.text().contains("hunter"), "{}", dash.text());
    assert!(dash.status().contains("held (hidden)"), "{}", dash.status());
    dash.later(600).read(b"i");
    assert_eq!(dash.typed("migrate"), "hunter2\r");
    // Nor when the job is gone.
    let mut dash = Dash::new(80, 24, shop_records());
    dash.read(b"hunter2\r");
    dash.event(EventKind::Removed, "migrate", serde_json::json!({}));
    assert!(!dash.text().contains("hunter"), "{}", dash.text());
}

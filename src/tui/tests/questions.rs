//! Questions: a key that is not shown means no, and what is asked stays readable in a small window.

use super::harness::Dash;
use super::jobs::{ended, record};
use crate::protocol::{Action, Record, Status};
use crate::tui::message::Cmd;
use crate::tui::modes::confirm::acts;

fn workers(n: usize) -> Vec<Record> {
    (1..=n)
        .map(|at| named(&format!("delta-w{at}"), at))
        .collect()
}

/// The record of a job whose name is not allowed in an id.
fn named(name: &str, at: usize) -> Record {
    let mut one = record(&format!("w{at}"));
    one.summary.label = Some(name.to_owned());
    one
}

/// Whether each request to end a job since the last call is forced.
fn kills(dash: &mut Dash) -> Vec<bool> {
    let cmds = dash.asked().into_iter();
    cmds.filter_map(|cmd| match cmd {
        Cmd::Request(_, Action::Kill(kill)) => Some(kill.force == Some(true)),
        _ => None,
    })
    .collect()
}

#[test]
fn the_key_that_kills_is_shown_wherever_it_acts() {
    for (width, height) in [(120, 40), (80, 24), (60, 10), (40, 12)] {
        for marks in ["", "*"] {
            let mut dash = Dash::new(width, height, workers(5));
            dash.press(marks).press("x");
            assert!(dash.status().contains("X kill -9"), "{}", dash.status());
            assert!(dash.status().contains("y yes"), "{}", dash.status());
            dash.asked();
            dash.press("X");
            let all = if marks.is_empty() { 1 } else { 5 };
            assert_eq!(kills(&mut dash), vec![true; all], "{width}x{height}");
        }
    }
}

#[test]
fn a_key_that_is_not_shown_means_no() {
    let mut dash = Dash::new(20, 5, workers(2));
    dash.press("x");
    assert!(!dash.status().contains('X'), "{}", dash.status());
    dash.press("X");
    assert_eq!(kills(&mut dash), Vec::<bool>::new());
    assert!(dash.model.is_normal());
    dash.press("xy");
    assert_eq!(kills(&mut dash), [false]);
    // Nothing is shown at all.
    dash.press("jx");
    dash.model.window = (19, 4);
    dash.press("y");
    assert_eq!(kills(&mut dash), Vec::<bool>::new());
}

#[test]
fn a_question_in_a_narrow_window_has_whole_words() {
    let asked = |keys: &str, records: Vec<Record>| {
        let mut dash = Dash::new(40, 12, records);
        dash.press(keys);
        dash.status()
    };
    let one = |keys: &str| asked(keys, vec![named("alpha-w1", 1)]);
    let gone = |n: usize| -> Vec<Record> {
        let names = (0..n).map(|at| format!("gone{at}"));
        let ended = names.map(|name| ended(&name, Status::Error, Some(1), 1000));
        ended.collect()
    };
    assert!(one("x").starts_with(" STOP alpha-w1? "), "{}", one("x"));
    let shown = one("p");
    assert!(shown.starts_with(" PAUSE alpha-w1? "), "{shown}");
    let shown = asked("D", gone(17));
    assert!(shown.starts_with(" REMOVE 17 jobs, logs ("), "{shown}");
    assert!(one("Q").contains("stop it"), "{}", one("Q"));
    let shown = asked("Q", workers(12));
    assert!(shown.contains("A stop all 12"), "{shown}");
    // What is cut has a sign, at any width.
    for width in 20..60 {
        let mut dash = Dash::new(width, 5, vec![named("a-name-of-some-length", 1)]);
        dash.press("x");
        let status = dash.status();
        let words = status.trim_start_matches(" STOP ").split(" y yes").next();
        let words = words.unwrap_or_default().trim_end();
        assert!(words.ends_with(['?', '…']), "{width}: {status}");
    }
}

#[test]
fn only_what_a_question_offers_is_an_answer() {
    let lint = || vec![record("web"), ended("lint", Status::Error, Some(1), 1000)];
    let answers = |dash: &Dash| -> String {
        let keys = ["y", "X", "s", "A", "n"].into_iter();
        keys.filter(|key| acts(&dash.model, key)).collect()
    };
    for (keys, expected) in [("2", ""), ("2x", "yX"), ("1d", "y"), ("2Q", "A")] {
        let mut dash = Dash::new(80, 24, lint());
        dash.press(keys);
        assert_eq!(answers(&dash), expected, "{keys}: {}", dash.status());
    }
    // What has no room is none.
    let mut dash = Dash::new(20, 5, workers(5));
    dash.press("x");
    assert_eq!(answers(&dash), "y", "{}", dash.status());
}

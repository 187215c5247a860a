//! Tests of the input state: when it is checked, what it is, and who is told.

use super::*;
use crate::protocol::keeper::LineModes;

const ALIVE: Situation = Situation {
    alive: true,
    closed: false,
    alt_screen: false,
};

fn report(reading: Option<bool>, canonical: bool, echo: bool) -> InputReport {
    InputReport {
        reading,
        in_event_loop: false,
        in_read: false,
        line: Some(LineModes { canonical, echo }),
        unread: Some(0),
    }
}

fn state(report: InputReport, situation: Situation) -> InputState {
    let mut watch = InputWatch::default();
    watch.record(Some(report), 0);
    watch.state(situation)
}

#[test]
fn terminal_modes_decide_the_input_state() {
    let alt = Situation {
        alt_screen: true,
        ..ALIVE
    };
    assert_eq!(
        state(report(Some(true), true, true), ALIVE),
        InputState::Line
    );
    assert_eq!(
        state(report(Some(true), true, false), ALIVE),
        InputState::Password
    );
    assert_eq!(
        state(report(Some(true), false, false), ALIVE),
        InputState::Raw
    );
    assert_eq!(
        state(report(Some(true), false, false), alt),
        InputState::Tui
    );
    assert_eq!(
        state(report(Some(false), true, true), ALIVE),
        InputState::None
    );
}

#[test]
fn a_program_that_may_not_be_inspected_is_unknown_except_for_passwords() {
    assert_eq!(state(report(None, true, true), ALIVE), InputState::Unknown);
    assert_eq!(
        state(report(None, true, false), ALIVE),
        InputState::Password
    );
    assert_eq!(
        state(report(Some(false), true, false), ALIVE),
        InputState::None
    );
}

#[test]
fn a_program_with_unread_input_does_not_wait() {
    let unread = InputReport {
        unread: Some(3),
        ..report(Some(true), true, true)
    };
    assert_eq!(state(unread, ALIVE), InputState::None);
    let closed = Situation {
        closed: true,
        ..ALIVE
    };
    assert_eq!(state(unread, closed), InputState::Closed);
}

#[test]
fn a_read_lasts_until_a_check_finds_none_or_something_is_typed() {
    let polls = report(Some(true), true, true);
    let works = report(Some(false), true, true);
    let reads = InputReport {
        in_read: true,
        ..polls
    };
    let mut watch = InputWatch::default();
    for (now, report, since) in [
        (1000, reads, Some(1000)),
        (1500, reads, Some(1000)),
        (1600, works, None),
        (1700, reads, Some(1700)),
    ] {
        watch.record(Some(report), now);
        assert_eq!(watch.reads_since(), since, "{now}");
    }
    watch.typed(1800, true, 0, false);
    assert_eq!(watch.reads_since(), None);
    watch.record(Some(polls), 1900);
    assert_eq!(watch.reads_since(), None);
}

#[test]
fn checks_start_after_quiet_and_become_rarer() {
    let mut watch = InputWatch::default();
    watch.begin(1000);
    assert_eq!(watch.next(), Some(1100));
    assert!(
        !watch.on_activity(1060, false),
        "output must not move the next check"
    );
    assert!(!watch.take_due(1100, false));
    assert_eq!(watch.next(), Some(1200));
    let mut checks = 0;
    let mut now = 1200;
    while now < 3_600_000 {
        assert!(watch.take_due(now, false));
        checks += 1;
        now = watch.next().unwrap_or(u64::MAX);
    }
    assert!(checks < 20, "{checks} in an hour");
}

#[test]
fn idle_sessions_are_checked_together() {
    let mut moments = std::collections::BTreeSet::new();
    for started in (1000..2000).step_by(10) {
        let mut watch = InputWatch::default();
        watch.begin(started);
        while let Some(now) = watch.next().filter(|now| *now < 3_600_000) {
            assert!(watch.take_due(now, false));
            moments.insert(now);
        }
    }
    // One second of starts, and then fewer and fewer checks.
    assert!(moments.len() < 40, "{moments:?}");
}

#[test]
fn a_session_that_is_never_quiet_is_still_checked() {
    let mut watch = InputWatch::default();
    watch.begin(0);
    let mut checks = 0;
    for now in 0..10_000 {
        watch.on_activity(now, false);
        checks += u32::from(watch.next() == Some(now) && watch.take_due(now, false));
    }
    assert!((5..=12).contains(&checks), "{checks} in ten seconds");
}

#[test]
fn answers_to_questions_before_typing_are_stale() {
    let mut watch = InputWatch::default();
    watch.begin(0);
    assert!(!watch.is_stale(1));
    watch.typed(10, false, 3, false);
    assert!(watch.is_stale(3));
    assert!(!watch.is_stale(4));
}

#[test]
fn people_are_notified_once_until_something_is_typed() {
    let mut watch = InputWatch::default();
    watch.begin(0);
    assert_eq!(
        watch.news(InputState::Line, 50),
        None,
        "a short wait needs no notification"
    );
    assert_eq!(watch.news(InputState::Line, 100), Some(InputState::Line));
    assert_eq!(watch.news(InputState::Line, 200), None);
    watch.on_activity(300, false);
    assert_eq!(watch.news(InputState::Line, 500), None, "it only wrote");
    watch.typed(520, false, 6, true);
    assert_eq!(watch.news(InputState::Line, 620), None, "half a line");
    watch.typed(630, false, 7, false);
    assert_eq!(watch.news(InputState::Line, 730), Some(InputState::Line));
    watch.typed(740, false, 8, true);
    assert_eq!(watch.news(InputState::Raw, 800), None);
    watch.typed(810, false, 9, true);
    assert_eq!(
        watch.news(InputState::Line, 910),
        Some(InputState::Line),
        "it has waited for something else"
    );
}

#[test]
fn people_whom_an_earlier_daemon_has_notified_are_not_notified_again() {
    let mut watch = InputWatch::default();
    watch.was_notified(InputState::Line);
    assert_eq!(watch.news(InputState::Unknown, 500), None);
    assert_eq!(watch.news(InputState::Line, 600), None);
    let password = InputState::Password;
    assert_eq!(watch.news(password, 700), Some(password));
}

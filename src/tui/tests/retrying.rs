//! A job between two attempts of its restart policy.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{NOW, id, record};
use crate::protocol::{EventKind, Record, Status, Timestamp};
use crate::tui::message::{Cmd, RequestKind};

/// The job after a run that has just failed, as the daemon tells it.
fn waiting(until: i64) -> Record {
    let mut flappy = record("flappy");
    flappy.summary.status = Status::Retrying;
    flappy.summary.pid = None;
    flappy.summary.restarts = 2;
    flappy.summary.ended_at = Some(Timestamp(NOW));
    flappy.summary.runtime_ms = 500;
    flappy.summary.exit_code = Some(3);
    flappy.retry_at = Some(Timestamp(until));
    flappy
}

#[test]
fn an_event_tells_that_a_run_has_ended_and_the_next_one_waits() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = Dash::new(width, height, vec![record("flappy"), record("web")]);
        dash.asked();
        dash.event(EventKind::Retrying, "flappy", json!({}));
        let asked = dash.asked();
        let is_asked = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Record(of), _) if *of == id("flappy"));
        assert!(asked.iter().any(is_asked), "{asked:?}");
        dash.record(&waiting(NOW + 8000));
        let text = dash.text();
        let row = text.lines().find(|row| row.contains("↻ flappy"));
        let row = row.unwrap_or_default();
        assert!(row.contains("retry 3") && row.contains("in 8s"), "{text}");
        assert!(!text.contains("48213"), "the pid of a dead process: {text}");
        dash.later(3000);
        assert!(dash.text().contains("in 5s"), "{}", dash.text());
        let title = dash.model.layout().title.map(|area| usize::from(area.y));
        let title = title.and_then(|y| dash.text().lines().nth(y).map(str::to_owned));
        assert!(
            title.is_none_or(|title| title.contains("exit 3; retry 3 in 5s")),
            "{}",
            dash.text()
        );
        let due = dash.model.next_due().unwrap_or(i64::MAX) - dash.model.now.ms;
        assert!(due <= 1000, "the time is counted: {due}");
    }
}

#[test]
fn the_question_says_that_it_waits() {
    let mut dash = Dash::new(80, 24, vec![waiting(NOW + 8000)]);
    dash.press("x");
    assert!(
        dash.status().contains("flappy (retry 3 in 7s)?"),
        "{}",
        dash.status()
    );
}

#[test]
fn keys_are_not_sent_and_that_is_said() {
    let mut dash = Dash::new(80, 24, vec![waiting(NOW + 8000)]);
    dash.press("i");
    assert!(
        dash.status().contains("keys are not sent"),
        "{}",
        dash.status()
    );
    dash.asked();
    dash.press("hello\r");
    assert_eq!(dash.typed("flappy"), "");
    let text = dash.text();
    assert!(text.contains("waits for its next run (retry 3)"), "{text}");
    dash.record(&record("flappy")).press("x");
    assert!(
        dash.status().contains("keys go to the job"),
        "{}",
        dash.status()
    );
    assert_eq!(dash.typed("flappy"), "x");
}

#[test]
fn nothing_is_there_to_be_paused_or_sent_a_signal() {
    for keys in ["p", "K"] {
        let mut dash = Dash::new(120, 24, vec![waiting(NOW + 8000)]);
        dash.press(keys);
        assert!(
            dash.text().contains("flappy does not run now (retry 3)."),
            "{}",
            dash.text()
        );
    }
}

#[test]
fn an_older_daemon_does_not_tell_when() {
    let mut record = waiting(NOW);
    record.retry_at = None;
    let mut dash = Dash::new(80, 24, vec![record]);
    dash.later(4000);
    assert!(dash.text().contains("4s ago"), "{}", dash.text());
}

#[test]
fn it_is_counted_as_what_it_is_and_one_that_keeps_ending_is_told_once() {
    let mut dash = Dash::new(120, 40, vec![record("web"), waiting(NOW + 8000)]);
    let top = |dash: &Dash| dash.text().lines().next().unwrap_or_default().to_owned();
    assert!(
        top(&dash).contains("1 running   1 retrying"),
        "{}",
        top(&dash)
    );
    dash.press("/web\r").press("\x1b").press("!");
    assert_eq!(dash.model.current_id(), Some(&id("web")), "it may yet work");
    for retry in [4, 5, 6] {
        let data = json!({"retry": retry});
        dash.event(EventKind::Retrying, "flappy", data);
        let text = dash.text();
        assert_eq!(text.contains("flappy keeps ending"), retry >= 5, "{text}");
        let mut record = waiting(NOW + 60_000);
        record.retry = Some(retry);
        dash.record(&record);
    }
    let told = dash.model.toasts.said();
    let told = told.filter(|toast| toast.text.contains("keeps ending"));
    assert_eq!(told.count(), 1);
    dash.press("!");
    assert_eq!(dash.model.current_id(), Some(&id("flappy")));
}

#[test]
fn a_job_that_takes_no_keys_offers_none_to_send() {
    let mut dash = Dash::new(80, 24, vec![record("flappy")]);
    dash.press("i");
    assert!(
        dash.text().contains("sends ctrl-] itself"),
        "{}",
        dash.text()
    );
    dash.record(&waiting(NOW + 8000));
    assert!(
        !dash.text().contains("sends ctrl-] itself"),
        "{}",
        dash.text()
    );
    assert!(dash.status().contains("ctrl-] leave"), "{}", dash.status());
}

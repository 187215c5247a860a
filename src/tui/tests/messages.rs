//! What messages say about what was done.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use crate::protocol::record::Asked;
use crate::protocol::status::InputState;
use crate::protocol::{Error, ErrorCode, Scope, Status, Timestamp};
use crate::tui::message::{LinkEvent, RequestKind};

#[test]
fn the_command_of_a_kill_is_that_of_a_kill() {
    for (keys, force, command) in [
        ("Xy", true, "bgproc kill web"),
        ("xy", false, "bgproc stop web"),
    ] {
        let mut dash = Dash::new(80, 24, vec![record("web")]);
        dash.press(keys);
        let killed = json!({
            "sessionId": id("web"), "previousStatus": "running", "status": "killed", "exitCode": null,
            "signal": "SIGKILL", "killedPids": [1], "survivors": [], "output": "",
            "alreadyEnded": false, "removed": false,
        });
        let tag = dash.asked().into_iter().find_map(|cmd| match cmd {
            crate::tui::message::Cmd::Request(tag @ RequestKind::Kill(..), _) => Some(tag),
            _ => None,
        });
        let tag = tag.unwrap();
        assert_eq!(tag, RequestKind::Kill(id("web"), force));
        dash.link(LinkEvent::Reply(tag, Ok(killed)));
        assert!(dash.text().contains(command), "{}", dash.text());
    }
}

#[test]
fn a_selected_group_is_no_job() {
    for key in ["I", "e", "i", "T", "o", "c", "s", "\t"] {
        let mut dash = Dash::new(120, 40, shop_records());
        dash.press("g").press(key);
        let text = dash.text();
        assert!(
            text.contains("A group is selected; j selects a job."),
            "{key}: {text}"
        );
        assert!(!text.contains("There is no job"), "{key}: {text}");
    }
}

#[test]
fn a_folded_group_is_unfolded() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("g");
    assert!(dash.text().contains("enter fold"), "{}", dash.text());
    dash.press("\r");
    assert!(dash.text().contains("enter unfold"), "{}", dash.text());
}

#[test]
fn declining_a_question_is_told() {
    let mut builder = record("builder");
    builder.asked = vec![Asked {
        message: "your code".to_owned(),
        by: Scope::named("claude-a").unwrap(),
        at: Timestamp(0),
        until: Timestamp(i64::MAX),
    }];
    let mut dash = Dash::new(120, 40, vec![builder]);
    dash.press("N");
    dash.link(LinkEvent::Reply(
        RequestKind::Decline(id("builder")),
        Ok(json!({})),
    ));
    let text = dash.text();
    assert!(
        text.contains("Declined what claude-a asked about builder"),
        "{text}"
    );
    assert!(text.contains("bgproc decline builder"), "{text}");
}

#[test]
fn a_message_replaces_one_that_is_not_true_any_more() {
    let mut dash = Dash::new(120, 40, vec![record("repl")]);
    let hold = |on| LinkEvent::Reply(RequestKind::Hold(id("repl"), on), Ok(json!({})));
    dash.link(hold(true));
    assert!(dash.text().contains("You hold the keyboard"));
    dash.link(hold(false));
    let text = dash.text();
    assert!(text.contains("Agents may type into repl again."), "{text}");
    assert!(!text.contains("You hold the keyboard"), "{text}");
    for (key, once, twice) in [
        ("t", "Times of the lines: on.", "Times of the lines: off."),
        ("m", "is for your terminal", "is for bgproc"),
        ("w", "The screen as it is", "Long lines wrap."),
    ] {
        dash.press(key);
        assert!(dash.text().contains(once), "{key}: {}", dash.text());
        dash.press(key);
        let text = dash.text();
        assert!(
            text.contains(twice) && !text.contains(once),
            "{key}: {text}"
        );
    }
}

#[test]
fn two_jobs_ask_and_one_asks() {
    let asks = |name: &str| {
        let mut job = record(name);
        job.summary.input_state = InputState::Password;
        job
    };
    let dash = Dash::new(120, 40, vec![asks("a"), record("z")]);
    assert!(dash.text().contains("1 asks"), "{}", dash.text());
    let dash = Dash::new(120, 40, vec![asks("a"), asks("b"), record("z")]);
    assert!(dash.text().contains(" 2 ask "), "{}", dash.text());
}

#[test]
fn one_character_is_too_little_to_search_all_jobs_for() {
    let done = ended("x", Status::Done, Some(0), 1000);
    let mut dash = Dash::new(80, 24, vec![record("web"), done]);
    dash.press("F(").later(3000);
    assert!(
        dash.text().contains("One more character"),
        "{}",
        dash.text()
    );
}

#[test]
fn how_the_view_closes_is_told_in_the_first_view_only() {
    let told = "q closes this view, jobs keep running";
    let mut dash = Dash::new(80, 24, Vec::new());
    assert!(dash.text().contains(told), "{}", dash.text());
    dash.later(10_000);
    dash.model.last_open = Some((0, 1));
    dash.model.daemon.listed = false;
    dash.list(Vec::new());
    assert!(!dash.text().contains(told), "{}", dash.text());
}

#[test]
fn a_daemon_that_answers_again_is_not_silent() {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    let error = Error::new(
        ErrorCode::DaemonUnavailable,
        "the daemon (pid 7) is stopped, by SIGSTOP",
    );
    dash.link(LinkEvent::Silent(error));
    assert!(
        dash.text().contains("is stopped, by SIGSTOP"),
        "{}",
        dash.text()
    );
    dash.later(10_000);
    assert!(
        dash.text().contains("is stopped, by SIGSTOP"),
        "{}",
        dash.text()
    );
    dash.record(&record("web"));
    assert!(!dash.text().contains("is stopped"), "{}", dash.text());
    let said = dash
        .model
        .toasts
        .said()
        .next_back()
        .map(|said| said.text.clone());
    assert!(said.unwrap().contains("is stopped"), "the history keeps it");
}

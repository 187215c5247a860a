//! A line becomes an action, or one clear error.
#![allow(clippy::unwrap_used, clippy::panic)]

use serde_json::json;

use super::*;
use crate::protocol::Condition;

fn action(line: &str) -> Action {
    Request::parse(line.as_bytes()).unwrap().action
}

fn error(line: &str) -> Error {
    Request::parse(line.as_bytes()).unwrap_err().1
}

#[test]
fn snake_case_is_taken_and_null_is_absent() {
    let line = r#"{"id":1,"action":"poll","session_id":"a","max_chars":9,"since":null}"#;
    let Action::Poll(poll) = action(line) else {
        panic!()
    };
    assert_eq!(
        (poll.session_id.as_str(), poll.max_chars, poll.since),
        ("a", Some(9), None)
    );
}

#[test]
fn names_of_variables_are_left_alone() {
    let line = r#"{"action":"start","command":"x","env":{"MY_VAR":"1","GONE":null}}"#;
    let Action::Start(start) = action(line) else {
        panic!()
    };
    let env = start.env.unwrap();
    assert_eq!(env["MY_VAR"], Some("1".to_owned()));
    assert_eq!(env["GONE"], None);
}

#[test]
fn conditions_are_read_inside_lists() {
    let line = r#"{"action":"wait","sessionId":"a","until":[{"idle_ms":5},{"pattern":"x"}]}"#;
    let Action::Wait(wait) = action(line) else {
        panic!()
    };
    let until = vec![Condition::IdleMs(5), Condition::Pattern("x".to_owned())];
    assert_eq!(wait.until.unwrap(), until);
}

#[test]
fn an_unknown_parameter_names_the_nearest() {
    let error = error(r#"{"action":"poll","sessionId":"a","maxChar":1}"#);
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert_eq!(error.message, "Unknown parameter `maxChar` for `poll`");
    assert_eq!(error.hint.unwrap(), "did you mean `maxChars`?");
}

#[test]
fn an_unknown_nested_parameter_says_where() {
    let error = error(r#"{"action":"write","sessionId":"a","wait":{"untill":[]}}"#);
    assert_eq!(
        error.message,
        "Unknown parameter `untill` for `wait` of `write`"
    );
    assert_eq!(error.hint.unwrap(), "did you mean `until`?");
}

#[test]
fn a_wrong_type_says_where() {
    let wrong = error(r#"{"action":"poll","sessionId":"a","maxChars":-1}"#);
    assert!(
        wrong
            .message
            .starts_with("`maxChars` of `poll`: invalid value"),
        "{wrong:?}"
    );
    let nested = error(r#"{"action":"wait","sessionId":"a","until":[{"pattern":5}]}"#);
    assert!(nested.message.contains("until[0]"), "{nested:?}");
    let huge = error(r#"{"action":"log","sessionId":"a","offset":1e400}"#);
    assert_eq!(huge.code, ErrorCode::ParseError);
}

#[test]
fn a_missing_parameter_is_named() {
    let missing = error(r#"{"action":"poll"}"#);
    assert_eq!(missing.message, "`poll` needs the parameter `sessionId`");
}

#[test]
fn an_unknown_action_names_the_nearest_and_a_later_one_is_unsupported() {
    let near = error(r#"{"action":"pol"}"#);
    assert_eq!(near.code, ErrorCode::UnknownAction);
    assert_eq!(near.hint.unwrap(), "did you mean `poll`?");
    assert_eq!(error(r#"{"action":"export"}"#).code, ErrorCode::Unsupported);
}

#[test]
fn the_id_is_echoed_with_the_error() {
    let (id, error) = Request::parse(br#"{"id":{"a":[1]},"action":7}"#).unwrap_err();
    assert_eq!(
        (id, error.code),
        (json!({"a":[1]}), ErrorCode::InvalidParams)
    );
}

#[test]
fn garbage_is_a_parse_error_and_deep_nesting_does_no_harm() {
    assert_eq!(error("{nonsense").code, ErrorCode::ParseError);
    assert_eq!(error(&"[".repeat(100_000)).code, ErrorCode::ParseError);
    assert_eq!(error("[1]").code, ErrorCode::InvalidRequest);
    assert_eq!(error("{}").code, ErrorCode::InvalidRequest);
}

#[test]
fn what_is_written_is_read_again() {
    let request = Request {
        id: json!(7),
        action: Action::Poll(Poll {
            session_id: "a".to_owned(),
            wait_ms: Some(5),
            ..Poll::default()
        }),
    };
    let line = request.to_line();
    assert_eq!(line.last(), Some(&b'\n'));
    assert_eq!(Request::parse(&line).unwrap(), request);
}

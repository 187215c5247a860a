//! Tests that a line becomes an action, or one clear error.
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
fn snake_case_is_accepted_and_null_is_absent() {
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
fn names_of_variables_are_not_converted() {
    let line = r#"{"action":"start","command":"x","env":{"MY_VAR":"1","GONE":null}}"#;
    let Action::Start(start) = action(line) else {
        panic!()
    };
    let env = start.env.unwrap();
    assert_eq!(env["MY_VAR"], Some("1".to_owned()));
    assert_eq!(env["GONE"], None);
}

#[test]
fn a_variable_may_be_a_number_or_a_truth_value() {
    let line =
        r#"{"action":"start","command":"x","env":{"PORT":3000,"DEBUG":true,"RATIO":-0.5,"N":7.0}}"#;
    let Action::Start(start) = action(line) else {
        panic!()
    };
    let env = start.env.unwrap();
    for (name, text) in [
        ("PORT", "3000"),
        ("DEBUG", "true"),
        ("RATIO", "-0.5"),
        ("N", "7"),
    ] {
        assert_eq!(env[name].as_deref(), Some(text), "{name}");
    }
    let wrong = error(r#"{"action":"start","command":"x","env":{"A":["b"]}}"#);
    assert!(wrong.message.contains("a text, a number"), "{wrong:?}");
}

#[test]
fn a_flag_of_a_condition_can_only_be_true() {
    for flag in ["exit", "input", "ready", "command"] {
        let line = |value: &str| {
            format!(r#"{{"action":"wait","sessionId":"a","until":[{{"{flag}":{value}}}]}}"#)
        };
        action(&line("true"));
        let refused = error(&line("false"));
        assert!(refused.message.contains("can only be true"), "{refused:?}");
    }
}

#[test]
fn conditions_in_lists_are_converted() {
    let line = r#"{"action":"wait","sessionId":"a","until":[{"idle_ms":5},{"pattern":"x"}]}"#;
    let Action::Wait(wait) = action(line) else {
        panic!()
    };
    let until = vec![Condition::IdleMs(5), Condition::Pattern("x".to_owned())];
    assert_eq!(wait.until.unwrap(), until);
}

#[test]
fn an_unknown_parameter_gets_a_suggestion() {
    let error = error(r#"{"action":"poll","sessionId":"a","maxChar":1}"#);
    assert_eq!(error.code, ErrorCode::InvalidParams);
    assert_eq!(error.message, "Unknown parameter `maxChar` for `poll`");
    assert_eq!(error.hint.unwrap(), "did you mean `maxChars`?");
}

#[test]
fn an_unknown_nested_parameter_gives_its_position() {
    let error = error(r#"{"action":"write","sessionId":"a","wait":{"untill":[]}}"#);
    assert_eq!(
        error.message,
        "Unknown parameter `untill` for `wait` of `write`"
    );
    assert_eq!(error.hint.unwrap(), "did you mean `until`?");
}

#[test]
fn a_wrong_type_gives_its_position() {
    let wrong = error(r#"{"action":"poll","sessionId":"a","maxChars":-1}"#);
    assert_eq!(
        wrong.message,
        "`maxChars` of `poll`: expected a whole number from 0, not -1"
    );
    let nested = error(r#"{"action":"wait","sessionId":"a","until":[{"pattern":5}]}"#);
    assert_eq!(
        nested.message,
        "`until[0].pattern` of `wait`: expected a string, not 5"
    );
    let huge = error(r#"{"action":"log","sessionId":"a","offset":1e400}"#);
    assert_eq!(huge.code, ErrorCode::ParseError);
}

#[test]
fn wrong_types_are_described_for_people() {
    for (parameters, said) in [
        (
            r#""maxChars":1.5"#,
            "`maxChars` of `poll`: expected a whole number from 0, not 1.5",
        ),
        (
            r#""maxChars":"9 lines""#,
            "`maxChars` of `poll`: expected a whole number from 0, not the text \"9 lines\"",
        ),
        (
            r#""maxChars":18446744073709551616"#,
            "`maxChars` of `poll`: expected a whole number from 0, not 1.8446744073709552e+19",
        ),
        (
            r#""since":[1]"#,
            "`since` of `poll`: expected a string, not a list",
        ),
        (
            r#""since":{}"#,
            "`since` of `poll`: expected a string, not an object",
        ),
        (
            r#""stream":true"#,
            "`stream` of `poll`: expected a word, not true",
        ),
    ] {
        let error = error(&format!(
            r#"{{"action":"poll","sessionId":"a",{parameters}}}"#
        ));
        assert_eq!(error.code, ErrorCode::InvalidParams);
        assert_eq!(error.message, said);
    }
    let rows = error(r#"{"action":"resize","sessionId":"a","rows":70000,"cols":1}"#);
    assert_eq!(
        rows.message,
        "`rows` of `resize`: expected a whole number from 0 to 65535, not 70000"
    );
    let signal = error(r#"{"action":"signal","sessionId":"a","signal":[]}"#);
    assert_eq!(
        signal.message,
        "`signal` of `signal`: expected the name or number of a signal"
    );
    let key = error(r#"{"action":"send_keys","sessionId":"a","keys":[{"text":"a","more":1}]}"#);
    assert!(
        key.message
            .starts_with("`keys[0]` of `send_keys`: expected the name of a key")
    );
    let condition =
        error(r#"{"action":"wait","sessionId":"a","until":[{"exit":true,"gone":"x"}]}"#);
    assert!(condition.message.contains("exactly one of"), "{condition}");
}

#[test]
fn a_null_is_absent_for_a_known_parameter_and_an_error_for_an_unknown_one() {
    for (line, said) in [
        (
            r#"{"action":"poll","sessionId":null}"#,
            "`poll` needs the parameter `sessionId`",
        ),
        (
            r#"{"action":"poll","sessionId":"a","bogus":null}"#,
            "Unknown parameter `bogus` for `poll`",
        ),
        (
            r#"{"action":"write","sessionId":"a","wait":{"bogus":null}}"#,
            "Unknown parameter `bogus` for `wait` of `write`",
        ),
        (
            r#"{"action":"wait","sessionId":"a","until":[{"exit":true,"bogus":null}]}"#,
            "Unknown parameter `bogus` for `until[0]` of `wait`",
        ),
    ] {
        assert_eq!(error(line).message, said);
    }
    let line =
        r#"{"action":"wait","sessionId":"a","until":[{"exit":true,"gone":null}],"fail":null}"#;
    let Action::Wait(wait) = action(line) else {
        panic!()
    };
    assert_eq!(
        (wait.until, wait.fail),
        (Some(vec![Condition::Exit(true)]), None)
    );
    assert_eq!(error(r#"{"action":null}"#).code, ErrorCode::InvalidRequest);
}

#[test]
fn a_parameter_given_twice_is_named() {
    for (line, said, echoed) in [
        (
            r#"{"id":7,"action":"poll","sessionId":"a","sessionId":"b"}"#,
            "`sessionId` is given twice",
            json!(7),
        ),
        (
            r#"{"id":7,"action":"poll","sessionId":"a","session_id":"b"}"#,
            "`sessionId` is given twice",
            json!(7),
        ),
        (
            r#"{"id":7,"id":8,"action":"list"}"#,
            "`id` is given twice",
            json!(8),
        ),
        (
            r#"{"id":7,"action":"list","action":"stats"}"#,
            "`action` is given twice",
            json!(7),
        ),
        (
            r#"{"id":7,"action":"start","command":"x","env":{"A":"1","A":"2"}}"#,
            "`A` is given twice",
            json!(7),
        ),
    ] {
        let (id, error) = Request::parse(line.as_bytes()).unwrap_err();
        assert_eq!(error.code, ErrorCode::InvalidRequest);
        assert_eq!((error.message.as_str(), id), (said, echoed));
    }
}

#[test]
fn a_missing_parameter_is_named() {
    let missing = error(r#"{"action":"poll"}"#);
    assert_eq!(missing.message, "`poll` needs the parameter `sessionId`");
}

#[test]
fn an_unknown_action_gets_a_suggestion() {
    let near = error(r#"{"action":"pol"}"#);
    assert_eq!(near.code, ErrorCode::UnknownAction);
    assert_eq!(near.hint.unwrap(), "did you mean `poll`?");
}

#[test]
fn the_id_is_echoed_with_the_error() {
    let (id, error) = Request::parse(br#"{"id":"a","action":7}"#).unwrap_err();
    assert_eq!((id, error.code), (json!("a"), ErrorCode::InvalidParams));
    let (id, error) = Request::parse(br#"{"id":1.5,"action":"list"}"#).unwrap_err();
    assert_eq!((id, error.code), (json!(1.5), ErrorCode::InvalidRequest));
}

#[test]
fn garbage_is_a_parse_error_and_deep_nesting_is_harmless() {
    assert_eq!(error("{nonsense").code, ErrorCode::ParseError);
    assert_eq!(error(&"[".repeat(100_000)).code, ErrorCode::ParseError);
    assert_eq!(error("[1]").code, ErrorCode::InvalidRequest);
    assert_eq!(error("{}").code, ErrorCode::InvalidRequest);
}

#[test]
fn parses_the_lines_that_it_writes() {
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

#[test]
fn a_whole_number_may_be_written_with_a_fraction_of_zero() {
    let parse = |value: &str| {
        let line = format!(r#"{{"id":1,"action":"poll","sessionId":"x","waitMs":{value}}}"#);
        Request::parse(line.as_bytes()).map(|request| request.action)
    };
    let Ok(Action::Poll(five)) = parse("5") else {
        panic!("a plain number");
    };
    assert_eq!(five.wait_ms, Some(5));
    for same in ["5.0", "5e0", "0.5e1"] {
        assert_eq!(parse(same), Ok(Action::Poll(five.clone())), "{same}");
    }
    for wrong in ["5.5", "-1.0", "1e30"] {
        assert!(parse(wrong).is_err(), "{wrong}");
    }
    let line = br#"{"id":1.0,"action":"list"}"#;
    let (id, _) = Request::parse(line).unwrap_err();
    assert_eq!(id, serde_json::json!(1.0), "an id is echoed as it was");
}

#[test]
fn a_line_that_is_nested_too_deep_keeps_its_id() {
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    for (depth, message) in [(126, "expected"), (127, "deep"), (100_000, "deep")] {
        let line = format!(r#"{{"id":7,"action":"poll","sessionId":{}}}"#, deep(depth));
        let (id, error) = Request::parse(line.as_bytes()).unwrap_err();
        assert_eq!(id, 7, "{depth}");
        assert!(error.message.contains(message), "{depth}: {error}");
    }
}

#[test]
fn forms_that_can_mean_only_one_thing_are_taken() {
    let same = |loose: &str, exact: &str| {
        let of = |text: &str| Request::parse(text.as_bytes()).unwrap().action;
        assert_eq!(of(loose), of(exact), "{loose}");
    };
    same(
        r#"{"action":"wait","sessionId":"a","until":{"exit":true},"fail":[{"port":"80"}],"waitMs":"500"}"#,
        r#"{"action":"wait","sessionId":"a","until":[{"exit":true}],"fail":[{"port":80}],"waitMs":500}"#,
    );
    same(
        r#"{"action":"send_keys","sessionId":"a","keys":"Enter","repeat":" 2 "}"#,
        r#"{"action":"send_keys","sessionId":"a","keys":["Enter"],"repeat":2}"#,
    );
    same(
        r#"{"action":"write","sessionId":"a","data":"5","submit":"true"}"#,
        r#"{"action":"write","sessionId":"a","data":"5","submit":true}"#,
    );
    for (wrong, hint) in [
        (
            r#"{"action":"wait","sessionId":"a","until":5}"#,
            r#"for example "until":[{"pattern":"ready"},{"exit":true}]"#,
        ),
        (
            r#"{"action":"start"}"#,
            r#"for example "command":"make test""#,
        ),
        (
            r#"{"action":"start","command":"x","env":"A=1"}"#,
            r#"for example "env":{"NAME":"value"}"#,
        ),
    ] {
        assert_eq!(error(wrong).hint.as_deref(), Some(hint), "{wrong}");
    }
}

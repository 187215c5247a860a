//! The exit code of a process, as .NET reports it.

use serde_json::Value;

/// The signals that usually end a process, which have the same number on every Linux.
const SIGNALS: [(&str, u8); 11] = [
    ("SIGHUP", 1),
    ("SIGINT", 2),
    ("SIGQUIT", 3),
    ("SIGILL", 4),
    ("SIGABRT", 6),
    ("SIGFPE", 8),
    ("SIGKILL", 9),
    ("SIGSEGV", 11),
    ("SIGPIPE", 13),
    ("SIGALRM", 14),
    ("SIGTERM", 15),
];

/// The exit code as .NET reports it: 128 and the number of the signal for a process that died of one.
pub fn exit_code(session: &Value) -> Value {
    let signal = session["signal"].as_str();
    let number = signal.and_then(|signal| SIGNALS.iter().find(|(name, _)| *name == signal));
    match (session["exitCode"].is_null(), number) {
        (true, Some((_, number))) => (128 + number).into(),
        _ => session["exitCode"].clone(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_process_that_died_of_a_signal_has_an_exit_code() {
        for (exit_code, signal, expected) in [
            (json!(3), Value::Null, json!(3)),
            (Value::Null, json!("SIGTERM"), json!(143)),
            (Value::Null, json!("SIGRTMIN+1"), Value::Null),
            (Value::Null, Value::Null, Value::Null),
        ] {
            let session = json!({ "exitCode": exit_code, "signal": signal });
            assert_eq!(super::exit_code(&session), expected, "{session}");
        }
    }
}

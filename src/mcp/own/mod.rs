//! bgproc's own tools: the actions of the protocol under their names.
//!
//! Parameters and results are those of the actions, checked by the daemon, so that
//! what an action learns the tool knows. What a model reads is written for readers
//! ([`text`]); what a program reads is the result itself.

pub mod catalog;
pub mod text;

use serde_json::Value;

use super::call::{Arguments, Call, Done, Outcome};
use crate::protocol::Error;

/// Lines of a `log` that does not say which ones it wants.
const TAIL: u64 = 100;

/// Does what a tool was called for.
pub async fn call(call: &Call, tool: &str, mut arguments: Arguments) -> Outcome {
    let action = match tool {
        // Its `action` is one of those that its schema lists.
        catalog::SESSION => arguments.remove("action"),
        tool => Some(tool.into()),
    };
    let action = action.as_ref().and_then(Value::as_str).unwrap_or_default();
    if action == "log" && !is_part(&arguments) {
        arguments.insert("tail".to_owned(), TAIL.into());
    }
    let result = call.action(action, Value::Object(arguments)).await?;
    let text = text::of(action, &result);
    Ok(Done::new(result, text))
}

/// Whether a `log` says which part it wants.
fn is_part(arguments: &Arguments) -> bool {
    let names = [
        "offset",
        "limit",
        "fromLine",
        "from_line",
        "lines",
        "tail",
        "grep",
        "format",
        "sinceTime",
        "since_time",
        "run",
    ];
    let given = |name: &&str| arguments.get(*name).is_some_and(|value| !value.is_null());
    names.iter().any(given)
}

/// An error: its words, its code, what to do next, and what the job said last.
pub fn failed(error: &Error) -> Done {
    let code = serde_json::to_value(error.code).unwrap_or_default();
    let mut text = format!("{} [{}]", error.message, code.as_str().unwrap_or_default());
    if let Some(hint) = &error.hint {
        text.push_str(&format!("\nhint: {hint}"));
    }
    for (name, value) in error.data.iter().filter_map(Value::as_object).flatten() {
        match value.as_str() {
            Some(value) if value.contains('\n') => {
                text.push_str(&format!("\n{name}:\n{}", value.trim_end()));
            }
            Some(value) => text.push_str(&format!("\n{name}: {value}")),
            None => text.push_str(&format!("\n{name}: {value}")),
        }
    }
    Done::error(text)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::ErrorCode;

    #[test]
    fn an_error_has_its_code_and_what_to_do_next() {
        let error = Error::new(ErrorCode::SessionNotRunning, "Session x is not running")
            .hint("`restart` runs it again")
            .data(json!({"exitCode": 3, "output": "a\nb\n"}));
        let done = failed(&error);
        let expected = "Session x is not running [session_not_running]\nhint: `restart` runs it \
            again\nexitCode: 3\noutput:\na\nb";
        assert!(done.is_error && done.structured.is_none());
        assert_eq!(done.text, expected);
    }
}

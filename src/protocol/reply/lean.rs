//! Lean replies: results without the fields that say nothing.
//!
//! A model pays for every byte that it reads. A field that is absent here has its default: `null`,
//! `false`, 0, or an empty list. The names of the fields are those of the full replies, so a
//! program that treats absent fields as defaults can read both forms.

use serde_json::{Map, Value};

/// Lists that are the content of a result. They stay, even if they are empty.
const CONTENT: [&str; 6] = ["sessions", "lines", "matches", "events", "results", "cells"];

/// Flags and numbers that mean something only if they are not `false` or 0.
const DEFAULTS: [&str; 15] = [
    "matchedAtEntry",
    "offloaded",
    "truncated",
    "eof",
    "alreadyEnded",
    "removed",
    "restarts",
    "viewers",
    "droppedBytes",
    "unreadInputBytes",
    "bytes",
    "lines",
    "scrollback",
    "index",
    "keep",
];

/// Removes the fields of a result that say nothing.
pub fn strip(result: &mut Value) {
    match result {
        Value::Object(fields) => {
            fields.values_mut().for_each(strip);
            fields.retain(|name, value| says_something(name, value));
            drop_repeated(fields);
        }
        Value::Array(items) => items.iter_mut().for_each(strip),
        _ => {}
    }
}

fn says_something(name: &str, value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::Bool(value) => *value || !DEFAULTS.contains(&name),
        Value::Number(number) => number.as_u64() != Some(0) || !DEFAULTS.contains(&name),
        Value::Array(items) => !items.is_empty() || CONTENT.contains(&name),
        Value::Object(fields) => !fields.is_empty() || name == "counts",
        Value::String(text) => !(name == "stream" && text == "stdout"),
    }
}

/// Removes what another field of the same result says as well.
fn drop_repeated(fields: &mut Map<String, Value>) {
    // The files are `outputFile` and those before it; a single one is named once.
    if fields
        .get("outputFiles")
        .and_then(Value::as_array)
        .is_some_and(|files| files.len() == 1)
    {
        fields.remove("outputFiles");
    }
    // With pipes, `output` has both streams. A stream that is empty, or all of it, adds nothing.
    for stream in ["stdout", "stderr"] {
        let text = fields.get(stream).and_then(Value::as_str);
        if text.is_some_and(|text| text.is_empty() || fields["output"] == text) {
            fields.remove(stream);
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn fields_that_say_nothing_are_omitted() {
        let mut result = json!({
            "sessionId": "k3v", "exitCode": null, "signal": null, "output": "",
            "omitted": {"bytes": 0, "lines": 0}, "offloaded": false, "outputFile": null,
            "outputFiles": [], "matched": {"index": 0, "kind": "exit", "groups": []},
            "consumed": false, "outputBytes": 0, "exit": 0, "sessions": [],
        });
        strip(&mut result);
        let lean = json!({
            "sessionId": "k3v", "output": "", "matched": {"kind": "exit"}, "consumed": false,
            "outputBytes": 0, "exit": 0, "sessions": [],
        });
        assert_eq!(result, lean);
    }

    #[test]
    fn a_stream_is_shown_once() {
        let mut result = json!({"output": "a", "stdout": "a", "stderr": ""});
        strip(&mut result);
        assert_eq!(result, json!({"output": "a"}));
        let mut both = json!({"output": "ab", "stdout": "a", "stderr": "b"});
        strip(&mut both);
        assert_eq!(both, json!({"output": "ab", "stdout": "a", "stderr": "b"}));
    }
}

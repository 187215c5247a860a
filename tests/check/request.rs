//! What has to hold for any line that a client sends, whatever it is.
//!
//! Shared by the fuzz target `request` and the test that replays its corpus.

use bgproc::protocol::{Error, Request};
use serde_json::Value;

/// Characters of an error at most: what a client says is not repeated at length.
const LONGEST_ERROR: usize = 2000;

pub(crate) fn request(line: &[u8]) {
    match Request::parse(line) {
        Ok(request) => reads_as_written(&request),
        Err((_, error)) => is_for_people(&error),
    }
}

/// A request is the same after a round trip. An empty name counts as absent when
/// it is written, and floats may differ in their last digit.
fn reads_as_written(request: &Request) {
    let line = request.to_line();
    let value: Value = serde_json::from_slice(&line).expect("what we write is JSON");
    if let Ok(again) = Request::parse(&line)
        && !has_float(&value)
    {
        assert_eq!(again, *request);
    }
}

fn has_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => number.is_f64(),
        Value::Array(items) => items.iter().any(has_float),
        Value::Object(map) => map.values().any(has_float),
        _ => false,
    }
}

fn is_for_people(error: &Error) {
    let words = format!("{} {}", error.message, error.hint.as_deref().unwrap_or(""));
    assert!(error.message.len() > 3, "{words}");
    assert!(words.chars().count() <= LONGEST_ERROR, "{words}");
    for jargon in ["usize", "u64", "struct ", "untagged"] {
        let said = words.contains(jargon);
        // The client may have said it itself.
        assert!(!said || words.contains('`'), "{words}");
    }
}

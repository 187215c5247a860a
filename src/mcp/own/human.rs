//! What a model is told of a question to a person (`ask_human`).

use serde_json::{Value, json};

use super::{ceiling, is_given, text};
use crate::mcp::call::{Arguments, Call, Done};
use crate::protocol::reply::AskOutcome;

/// How long to wait for the reaction of the program to an answer, in milliseconds.
const REACTION_MS: u64 = 2000;

/// Takes `waitMs`, as it is called everywhere else, for the time limit of a question.
pub fn name_time(arguments: &mut Arguments) {
    for name in ["waitMs", "wait_ms"] {
        if let Some(ms) = arguments.remove(name)
            && !is_given(arguments, "timeoutMs")
        {
            arguments.remove("timeout_ms");
            arguments.insert("timeoutMs".to_owned(), ms);
        }
    }
}

/// The result of `ask_human`, and after an answer what the program did with it.
pub async fn told(call: &Call, session: &Value, result: Value) -> Done {
    let is_answered = result["outcome"] == json!(AskOutcome::Answered);
    let mut told = of(result);
    if is_answered {
        let wait = json!({ "sessionId": session, "waitMs": REACTION_MS });
        // Without it the model knows that there is an answer, and can look itself.
        if let Ok(reaction) = call.action("wait", wait).await {
            add(&mut told, "poll", &reaction);
        }
    }
    told
}

/// The result of `ask_human` alone.
pub fn of(result: Value) -> Done {
    let text = text::of("ask_human", &result, text::Asked::default());
    Done::new(result, text)
}

/// Adds the result of an action below what is told.
pub fn add(told: &mut Done, action: &str, result: &Value) {
    told.text.push('\n');
    told.text
        .push_str(&text::of(action, result, text::Asked::default()));
    told.text = ceiling::cut(std::mem::take(&mut told.text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_of_a_question_has_the_name_of_all_waits() {
        for (given, named) in [
            (json!({"waitMs": 5}), json!({"timeoutMs": 5})),
            (json!({"wait_ms": 5}), json!({"timeoutMs": 5})),
            (
                json!({"waitMs": 5, "timeoutMs": 6}),
                json!({"timeoutMs": 6}),
            ),
            (
                json!({"waitMs": 5, "timeout_ms": 6}),
                json!({"timeout_ms": 6}),
            ),
            (
                json!({"waitMs": 5, "timeoutMs": null}),
                json!({"timeoutMs": 5}),
            ),
            (json!({"message": "x"}), json!({"message": "x"})),
        ] {
            let mut arguments = given.as_object().cloned().unwrap_or_default();
            name_time(&mut arguments);
            assert_eq!(Value::Object(arguments), named);
        }
    }
}

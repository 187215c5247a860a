//! bgproc's own tools: the actions of the protocol, with the same names.
//!
//! Parameters and results are those of the actions. The daemon checks them, so a tool supports everything
//! that its action does. A model gets a text ([`text`]); a program gets the result itself.

mod background;
pub mod catalog;
mod ceiling;
pub mod human;
pub mod screens;
pub mod text;

use serde_json::Value;

use self::screens::Screens;
use super::call::{Arguments, Call, Done, Outcome};
use crate::protocol::traits::{param, spellings};
use crate::protocol::{Error, ErrorCode};

/// Default time until the jobs of a project have settled, in milliseconds: builds and migrations take their time. Clients
/// give up a call after 60 seconds by default.
const SETTLE_MS: u64 = 30_000;

/// Default number of lines of a `log` that names no part.
const TAIL: u64 = 100;

/// Runs a tool.
pub async fn call(call: &Call, screens: &Screens, tool: &str, mut arguments: Arguments) -> Outcome {
    let rare = match tool {
        catalog::SESSION => Some(rare_action(&mut arguments)?),
        _ => None,
    };
    let action = rare.unwrap_or(tool);
    check_names(tool, &arguments)?;
    if action == "ask_human" {
        return ask_human(call, screens, arguments).await;
    }
    fill_in(action, &mut arguments);
    let asked = asked(action, &arguments);
    let wants_screen = arguments.get("view") == Some(&"screen".into());
    let mut result = call.action(action, Value::Object(arguments)).await?;
    if ["capture", "resize", "restart"].contains(&action) {
        screens.clear();
    }
    screens.show(&mut result, !wants_screen);
    let png = match result.get_mut("png").map(Value::take) {
        Some(Value::String(png)) => Some(png),
        _ => None,
    };
    let text = text::of(action, &result, asked);
    Screens::clean(&mut result);
    let text = if is_document(action, &result) {
        ceiling::whole(text)?
    } else {
        cut(text, screens)
    };
    Ok(Done {
        png,
        ..Done::new(result, text)
    })
}

/// Asks the person, and tells what was answered.
async fn ask_human(call: &Call, screens: &Screens, mut arguments: Arguments) -> Outcome {
    human::name_time(&mut arguments);
    let session = param(&arguments, "sessionId").cloned().unwrap_or_default();
    let result = call.action("ask_human", Value::Object(arguments)).await?;
    screens.clear();
    Ok(human::told(call, &session, result).await)
}

/// Fills in what is better for a model than the defaults of an action.
fn fill_in(action: &str, arguments: &mut Arguments) {
    match action {
        // Clients with a strict schema fill in what may be left out. A program without arguments is a line, too.
        "start" if arguments.get("args") == Some(&Value::Array(Vec::new())) => {
            arguments.remove("args");
        }
        "project" => wait_until_settled(arguments),
        "log" if !is_part(arguments) => {
            arguments.insert("tail".to_owned(), TAIL.into());
        }
        _ => {}
    }
}

/// What of a request decides how its result is told.
fn asked(action: &str, arguments: &Arguments) -> text::Asked {
    let line = arguments.get("command").and_then(Value::as_str);
    let line = line.filter(|_| action == "start" && !arguments.contains_key("args"));
    text::Asked {
        until: ["until", "wait"]
            .iter()
            .any(|name| arguments.contains_key(*name)),
        newest: arguments.get("newest") == Some(&true.into()),
        limit: is_given(arguments, "limit"),
        up: arguments.get("op") == Some(&"up".into()),
        apply: arguments.get("apply") == Some(&true.into()),
        background: line.is_some_and(background::leaves_running),
    }
}

/// Cuts a text that is too long for a model. A screen in it may be cut, and is shown as a whole again next time.
fn cut(text: String, screens: &Screens) -> String {
    let length = text.len();
    let shown = ceiling::cut(text);
    if shown.len() != length {
        screens.clear();
    }
    shown
}

/// Whether a result is of use only as a whole.
fn is_document(action: &str, result: &Value) -> bool {
    let parts = ["html", "svg", "cells"];
    action == "capture" && parts.iter().any(|part| !result[*part].is_null())
}

/// The action that the tool for rare actions is called for.
fn rare_action(arguments: &mut Arguments) -> Result<&'static str, Error> {
    let given = arguments.remove("action").unwrap_or_default();
    let found = catalog::RARE.iter().find(|action| given == **action);
    found.copied().ok_or_else(|| {
        let message = format!("`action` must be one of {}", catalog::RARE.join(", "));
        let given = given.as_str().unwrap_or_default();
        let meant = match given {
            "stop" | "terminate" | "end" | "close" => "kill",
            given => given,
        };
        let tools = catalog::tools();
        Error::invalid(message).hint(match tools.iter().find(|tool| tool.name == meant) {
            Some(tool) => format!("`{}` is a tool of its own", tool.name),
            None => r#"for example {"action":"status","sessionId":"k3v9xq2mwt7b"}"#.to_owned(),
        })
    })
}

/// Refuses arguments with the names of what every request has, which would be overwritten.
fn check_names(tool: &str, arguments: &Arguments) -> Result<(), Error> {
    let hints = [
        ("id", "did you mean `sessionId`?"),
        (
            "action",
            "only `session` takes it; the other tools are actions themselves",
        ),
    ];
    match hints.iter().find(|(name, _)| arguments.contains_key(*name)) {
        Some((name, hint)) => {
            let message = format!("`{name}` is no parameter of `{tool}`");
            Err(Error::invalid(message).hint(*hint))
        }
        None => Ok(()),
    }
}

/// Has a request that changes a project wait until its jobs have settled.
fn wait_until_settled(arguments: &mut Arguments) {
    let changes = matches!(
        arguments.get("op").and_then(Value::as_str),
        Some("up" | "down" | "reload")
    );
    if changes && !is_given(arguments, "waitMs") {
        arguments.insert("waitMs".to_owned(), SETTLE_MS.into());
    }
}

/// Whether a `log` names the part it wants.
fn is_part(arguments: &Arguments) -> bool {
    let names = [
        "offset",
        "limit",
        "fromLine",
        "lines",
        "tail",
        "grep",
        "format",
        "sinceTime",
        "run",
        "command",
    ];
    names.iter().any(|name| is_given(arguments, name))
}

/// Whether an argument is given, in either spelling. `null` counts as absent.
fn is_given(arguments: &Arguments, name: &str) -> bool {
    let mut spellings = spellings(name).into_iter();
    spellings.any(|name| arguments.get(&name).is_some_and(|value| !value.is_null()))
}

/// An error as text: message, code, hint, and data such as the last output.
pub fn failed(error: &Error) -> Done {
    let code = serde_json::to_value(error.code).unwrap_or_default();
    let mut text = format!("{} [{}]", error.message, code.as_str().unwrap_or_default());
    if let Some(hint) = &error.hint {
        // Where parameters are wrong, a name in the hint is that of a parameter.
        let hint = match error.code {
            ErrorCode::InvalidParams => hint.clone(),
            _ => text::calls(hint),
        };
        text.push_str(&format!("\nhint: {hint}"));
    }
    // The whole PATH, or what the message says.
    let is_known = |name: &str| match error.code {
        ErrorCode::SpawnFailed => ["path", "searched"].contains(&name),
        ErrorCode::InvalidProject => name == "faults",
        ErrorCode::SessionNotRunning => name == "sessionId",
        _ => false,
    };
    let mut blocks = String::new();
    let data = error.data.iter().filter_map(Value::as_object).flatten();
    for (name, value) in data.filter(|(name, _)| !is_known(name)) {
        match value.as_str() {
            // After the others, which would look like its last lines.
            Some(value) if value.contains('\n') => {
                blocks.push_str(&format!("\n{name}:\n{}", value.trim_end()));
            }
            Some(value) => text.push_str(&format!("\n{name}: {value}")),
            None if value.is_null() => {}
            None => text.push_str(&format!("\n{name}: {value}")),
        }
    }
    Done::error(text::carrier::commands(text + &blocks))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_every_request_has_is_no_argument() {
        let given = |name: &str| Arguments::from_iter([(name.to_owned(), "k3v".into())]);
        let error = check_names("status", &given("id")).unwrap_err();
        assert_eq!(error.message, "`id` is no parameter of `status`");
        assert_eq!(error.hint.as_deref(), Some("did you mean `sessionId`?"));
        assert!(check_names("poll", &given("action")).is_err());
        assert!(check_names("poll", &given("sessionId")).is_ok());
        let stop = rare_action(&mut given("action"));
        assert!(stop.unwrap_err().hint.unwrap().contains("status"));
        let mut stop = Arguments::from_iter([("action".to_owned(), "stop".into())]);
        let hint = rare_action(&mut stop).unwrap_err().hint.unwrap();
        assert_eq!(hint, "`kill` is a tool of its own");
    }

    #[test]
    fn the_whole_path_is_not_told_to_a_model() {
        let error = Error::new(ErrorCode::SpawnFailed, "nope was not found on PATH").data(
            json!({"errno": 2, "path": "nope", "searched": "/usr/bin:/bin", "command": "nope"}),
        );
        let text = failed(&error).text;
        assert!(
            !text.contains("/usr/bin") && text.contains("errno: 2"),
            "{text}"
        );
    }

    #[test]
    fn an_error_has_its_code_and_hint() {
        let error = Error::new(ErrorCode::SessionNotRunning, "Session x is not running")
            .hint("`restart` runs it again")
            .data(json!({
                "sessionId": "x", "exitCode": 3, "output": "a\nb\n", "signal": null, "status": "error",
            }));
        let done = failed(&error);
        let expected = "Session x is not running [session_not_running]\nhint: `session \
            {action:\"restart\"}` runs it again\nexitCode: 3\nstatus: error\noutput:\na\nb";
        assert!(done.is_error && done.structured.is_none());
        assert_eq!(done.text, expected);
        let parameter = failed(&Error::invalid("x").hint("did you mean `restart`?")).text;
        assert!(
            parameter.ends_with("did you mean `restart`?"),
            "{parameter}"
        );
    }
}

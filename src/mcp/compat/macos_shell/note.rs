//! What a session's description remembers of a process: the size of its buffer, and its arguments, which
//! are part of the shell line that runs.

use serde_json::{Value, json};

/// Default size of the buffer in lines.
const BUFFER_SIZE: u64 = 300;

/// How the description of a process begins.
const SIZE: &str = "bufferSize ";

/// What is before its arguments.
const ARGS: &str = "; args ";

/// The description of a command in the foreground, which is no background process.
pub const FOREGROUND: &str = "run_command";

/// The description of a process.
pub fn write(size: Option<u64>, args: &[&str]) -> String {
    let size = size.unwrap_or(BUFFER_SIZE);
    match args {
        [] => format!("{SIZE}{size}"),
        args => format!("{SIZE}{size}{ARGS}{}", json!(args)),
    }
}

fn parts(session: &Value) -> (&str, &str) {
    let note = session["description"].as_str().unwrap_or_default();
    let note = note.strip_prefix(SIZE).unwrap_or_default();
    note.split_once(ARGS).unwrap_or((note, ""))
}

/// The size of the buffer in lines.
pub fn buffer_size(session: &Value) -> u64 {
    parts(session).0.parse().unwrap_or(BUFFER_SIZE)
}

/// The command and its arguments, as they were given.
pub fn command(session: &Value) -> (String, Value) {
    let line = session["command"].as_str().unwrap_or_default();
    if let Some(args) = session["args"].as_array() {
        return (line.to_owned(), json!(args));
    }
    let args: Vec<String> = serde_json::from_str(parts(session).1).unwrap_or_default();
    // A person may have changed the command.
    match line.strip_suffix(&format!(" {}", args.join(" "))) {
        Some(command) if !args.is_empty() => (command.to_owned(), json!(args)),
        _ => (line.to_owned(), json!([])),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_size_of_the_buffer_is_in_the_description() {
        assert_eq!(buffer_size(&json!({"description": "bufferSize 5"})), 5);
        assert_eq!(
            buffer_size(&json!({"description": write(Some(7), &["; args 1"])})),
            7
        );
        assert_eq!(buffer_size(&json!({"description": null})), BUFFER_SIZE);
    }

    #[test]
    fn the_arguments_are_found_in_the_shell_line() {
        let args = ["a", "b c", "; args x"];
        let of = |line: &str, note: String| command(&json!({"command": line, "description": note}));
        let note = || write(None, &args);
        assert_eq!(
            of("echo -n a b c ; args x", note()),
            ("echo -n".to_owned(), json!(args))
        );
        assert_eq!(of("changed", note()), ("changed".to_owned(), json!([])));
        assert_eq!(of("echo", write(None, &[])), ("echo".to_owned(), json!([])));
        let direct = json!({"command": "bash", "args": ["-c", "x"], "description": "bufferSize 3"});
        assert_eq!(command(&direct), ("bash".to_owned(), json!(["-c", "x"])));
    }
}

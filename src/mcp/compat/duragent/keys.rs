//! The keys of `send_keys`, as `tmux send-keys` reads them.
//!
//! What is a name of a key in tmux is pressed, anything else is typed. Names that bgproc has beside those of
//! tmux, such as `Return`, are text here, because they are text there.

use serde_json::{Value, json};

use crate::term::keys::encode;
use crate::term::modes::Modes;

/// The names of keys in tmux, which ignores their case. `F1` to `F12` are added to them.
const NAMES: [&str; 38] = [
    "Enter", "Escape", "Tab", "BTab", "Space", "BSpace", "Up", "Down", "Left", "Right", "Home",
    "End", "IC", "Insert", "DC", "Delete", "PPage", "PageUp", "PgUp", "NPage", "PageDown", "PgDn",
    "KP0", "KP1", "KP2", "KP3", "KP4", "KP5", "KP6", "KP7", "KP8", "KP9", "KP/", "KP*", "KP-",
    "KP+", "KP.", "KPEnter",
];

/// The number of function keys.
const FUNCTIONS: u8 = 12;

/// The keys to press. Each element of a list is one key, or text if it names none. A string is what
/// `tmux send-keys "KEYS" Enter` would press, or several keys if each of its words names one.
pub fn list(keys: &Value, enter: Option<bool>) -> Vec<Value> {
    let (mut list, enter): (Vec<Value>, bool) = match keys {
        Value::Array(list) => {
            let elements = list.iter().filter_map(Value::as_str);
            (elements.map(key).collect(), enter.unwrap_or(false))
        }
        keys => {
            let text = keys.as_str().unwrap_or_default();
            let words: Vec<&str> = text.split_whitespace().collect();
            let list = match words.is_empty() {
                true if text.is_empty() => Vec::new(),
                false if words.iter().all(|word| is_key(word)) => {
                    words.into_iter().map(Value::from).collect()
                }
                _ => vec![json!({ "text": text })],
            };
            let has_enter = list
                .last()
                .and_then(Value::as_str)
                .is_some_and(|key| key.eq_ignore_ascii_case("Enter"));
            (list, enter.unwrap_or(!has_enter))
        }
    };
    if enter {
        list.push("Enter".into());
    }
    list
}

fn key(element: &str) -> Value {
    if is_key(element) {
        element.into()
    } else {
        json!({ "text": element })
    }
}

/// Whether tmux takes a word for a key: a character or a name, after any of `C-`, `M-`, `S-` and `^`.
fn is_key(word: &str) -> bool {
    let mut rest = word;
    while let Some(tail) = without_modifier(rest) {
        rest = tail;
    }
    let is_char = rest.chars().count() == 1;
    let is_name = || NAMES.iter().any(|name| name.eq_ignore_ascii_case(rest)) || is_function(rest);
    (is_char || is_name()) && encode(word, Modes::default()).is_ok()
}

fn without_modifier(word: &str) -> Option<&str> {
    let tail = match word.as_bytes() {
        [b'^', _, ..] => &word[1..],
        [b'C' | b'c' | b'M' | b'm' | b'S' | b's', b'-', _, ..] => &word[2..],
        _ => return None,
    };
    Some(tail)
}

fn is_function(word: &str) -> bool {
    let number = word.strip_prefix(['F', 'f']);
    number.is_some_and(|number| (1..=FUNCTIONS).any(|key| key.to_string() == number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_names_or_text() {
        for (keys, enter, pressed) in [
            (json!("n"), None, json!(["n", "Enter"])),
            (json!("Down Enter"), None, json!(["Down", "Enter"])),
            (json!("C-c"), Some(false), json!(["C-c"])),
            (
                json!("print(1)"),
                None,
                json!([{"text": "print(1)"}, "Enter"]),
            ),
            (json!(["y", "Enter"]), None, json!(["y", "Enter"])),
            (json!(["y"]), Some(true), json!(["y", "Enter"])),
            (json!(""), None, json!(["Enter"])),
            (
                json!(["Escape", ":wq", "Enter"]),
                None,
                json!(["Escape", {"text": ":wq"}, "Enter"]),
            ),
        ] {
            assert_eq!(json!(list(&keys, enter)), pressed, "{keys}");
        }
    }

    #[test]
    fn only_the_names_of_tmux_are_keys() {
        for key in [
            "a", "é", "enter", "C-c", "^C", "M-S-Left", "F1", "f12", "KPEnter", "-", "C--",
        ] {
            assert!(is_key(key), "{key}");
        }
        for text in [
            "",
            "Return",
            "Backspace",
            "F13",
            "F01",
            "ctrl+c",
            "C-",
            "ab",
            "C-ab",
            "c-é2",
        ] {
            assert!(!is_key(text), "{text}");
        }
    }
}

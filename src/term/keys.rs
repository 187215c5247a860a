//! Names of keys to the bytes that xterm sends for them.

use super::modes::Modes;

/// A name that is no key.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("unknown key {name:?}")]
pub struct UnknownKey {
    /// The name as it was given.
    pub name: String,
    /// The nearest name that is a key.
    pub suggestion: Option<String>,
}

/// The bytes of the key called `name` in a terminal with these `modes`.
pub fn encode(name: &str, modes: Modes) -> Result<Vec<u8>, UnknownKey> {
    let bytes: &[u8] = match name.to_ascii_lowercase().as_str() {
        "enter" => b"\r",
        "tab" => b"\t",
        "escape" => b"\x1b",
        "up" if modes.app_cursor => b"\x1bOA",
        "up" => b"\x1b[A",
        _ if name.chars().count() == 1 => return Ok(name.as_bytes().to_vec()),
        _ => {
            return Err(UnknownKey {
                name: name.to_string(),
                suggestion: None,
            });
        }
    };
    Ok(bytes.to_vec())
}

/// Every key name that stands on its own, in the order the documentation lists them.
pub fn names() -> impl Iterator<Item = &'static str> {
    ["Enter", "Tab", "Escape", "Up"].into_iter()
}

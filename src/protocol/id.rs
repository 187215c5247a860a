//! Names of sessions and scopes.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Length of a session id in characters.
const ID_LEN: usize = 12;

/// Alphabet of session ids: safe in file names, shells and double clicks.
const ID_ALPHABET: [char; 36] = [
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i',
    'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
];

/// Name of one session: a nanoid of 12 characters of `0-9a-z`, never reused.
#[derive(
    Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct SessionId(String);

impl SessionId {
    /// A fresh id from the operating system's random source.
    pub fn fresh() -> Self {
        Self(nanoid::nanoid!(ID_LEN, &ID_ALPHABET))
    }

    /// Takes `text` as an id if it has the shape of one, so that nothing else
    /// (a path, say) ever reaches the file system.
    pub fn parse(text: &str) -> Option<Self> {
        let shaped = text.len() == ID_LEN
            && text
                .bytes()
                .all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
        shaped.then(|| Self(text.to_owned()))
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Whose sessions these are: an agent sees its own scope only.
#[derive(
    Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Scope(String);

impl Scope {
    /// The scope of what people start from the dashboard and the command line.
    pub fn human() -> Self {
        Self("human".to_owned())
    }

    /// A fresh scope, for an agent that named none.
    pub fn fresh() -> Self {
        Self(nanoid::nanoid!(ID_LEN, &ID_ALPHABET))
    }

    /// A scope by its name: 1 to 64 of letters, digits and `._:@/-`; `human` is reserved.
    pub fn named(name: &str) -> Option<Self> {
        let fine = (1..=64).contains(&name.len())
            && name
                .bytes()
                .all(|b| b.is_ascii_alphanumeric() || b"._:@/-".contains(&b))
            && name != "human";
        fine.then(|| Self(name.to_owned()))
    }

    /// The scope as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether people own it.
    pub fn is_human(&self) -> bool {
        self.0 == "human"
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_fresh_id_parses() {
        let id = SessionId::fresh();
        assert_eq!(SessionId::parse(id.as_str()).unwrap(), id);
    }

    #[test]
    fn paths_are_no_ids() {
        for text in [
            "../../x",
            "",
            "ABCDEFGHIJKL",
            "abcdefghijk/",
            "abcdefghijklm",
        ] {
            assert!(SessionId::parse(text).is_none(), "{text}");
        }
    }

    #[test]
    fn the_scope_of_people_cannot_be_taken() {
        assert!(Scope::named("human").is_none());
        assert!(Scope::named("agent-1").is_some());
        assert!(Scope::named("a b").is_none());
    }
}

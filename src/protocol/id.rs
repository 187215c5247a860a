//! Ids of sessions and names of scopes.

use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

use super::hello::Role;

/// Length of a session id in characters.
const ID_LEN: usize = 12;

/// Alphabet of session ids: safe in file names and shells, and selected as one word by a double
/// click.
const ID_ALPHABET: [char; 36] = [
    '0', '1', '2', '3', '4', '5', '6', '7', '8', '9', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i',
    'j', 'k', 'l', 'm', 'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
];

/// Id of a session: a nanoid of 12 characters of `0-9a-z`, never reused; `ID@HOST` if it is on another host.
///
/// The characters of a session of this machine are stored inline, because the id is the key of every table of
/// sessions.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SessionId(Repr);

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
enum Repr {
    Here([u8; ID_LEN]),
    /// `ID@HOST`.
    There(Arc<str>),
}

impl SessionId {
    /// Creates an id from the operating system's random source.
    pub fn fresh() -> Self {
        let mut id = [0; ID_LEN];
        let random = nanoid::nanoid!(ID_LEN, &ID_ALPHABET);
        id.copy_from_slice(random.as_bytes());
        Self(Repr::Here(id))
    }

    /// Parses the id of a session of this machine. Only text with the shape of an id is accepted, so that nothing
    /// else (such as a path) reaches the file system.
    pub fn parse(text: &str) -> Option<Self> {
        let id: [u8; ID_LEN] = text.as_bytes().try_into().ok()?;
        let shaped = id
            .iter()
            .all(|b| b.is_ascii_digit() || b.is_ascii_lowercase());
        shaped.then_some(Self(Repr::Here(id)))
    }

    /// Parses an id, of this machine or `ID@HOST`.
    pub fn parse_any(text: &str) -> Option<Self> {
        match text.split_once('@') {
            None => Self::parse(text),
            Some((id, host)) => Self::parse(id)?.at(host),
        }
    }

    /// The id of the same session, seen from a machine that reaches it on `host`. `None` if that cannot be the name
    /// of a host, or the session is on a host already.
    pub fn at(&self, host: &str) -> Option<Self> {
        let fits = is_host(host) && self.host().is_none();
        fits.then(|| Self(Repr::There(format!("{self}@{host}").into())))
    }

    /// The host that it is on; `None` if it is on this machine.
    pub fn host(&self) -> Option<&str> {
        match &self.0 {
            Repr::Here(_) => None,
            Repr::There(text) => text.split_once('@').map(|(_, host)| host),
        }
    }

    /// The id on its own machine, without the host.
    pub fn bare(&self) -> &str {
        let text = self.as_str();
        text.get(..ID_LEN).unwrap_or(text)
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        match &self.0 {
            // `parse` and `fresh` accept only ASCII letters and digits.
            Repr::Here(id) => std::str::from_utf8(id).unwrap_or_default(),
            Repr::There(text) => text,
        }
    }
}

/// Whether a word can be the name of a host: letters, digits, `-`, `_` and `.`.
pub fn is_host(word: &str) -> bool {
    let fits = |c: char| c.is_alphanumeric() || ['-', '_', '.'].contains(&c);
    word.starts_with(char::is_alphanumeric) && word.chars().all(fits)
}

impl fmt::Display for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for SessionId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("SessionId").field(&self.as_str()).finish()
    }
}

impl Serialize for SessionId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

impl<'de> Deserialize<'de> for SessionId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse_any(&text)
            .ok_or_else(|| de::Error::custom(format!("`{text}` is not a session id")))
    }
}

impl JsonSchema for SessionId {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "SessionId".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "Id of a session: a nanoid of 12 characters of `0-9a-z`, never reused; `ID@HOST` if it is on another host.",
            "type": "string",
        })
    }
}

/// The owner of a group of sessions. An agent sees its own scope only.
#[derive(
    Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Serialize, Deserialize, JsonSchema,
)]
#[serde(transparent)]
pub struct Scope(String);

impl Scope {
    /// The scope of jobs that people start from the dashboard and the command line.
    pub fn human() -> Self {
        Self("human".to_owned())
    }

    /// Creates a scope for an agent that named none.
    pub fn fresh() -> Self {
        Self(nanoid::nanoid!(ID_LEN, &ID_ALPHABET))
    }

    /// Parses the name of a scope: 1 to 64 of letters, digits and `._:@/-`. `human` is reserved.
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

    /// Whether this is the scope of people.
    pub fn is_human(&self) -> bool {
        self.0 == "human"
    }

    /// Whose scope it is: only people have the scope `human`.
    pub fn role(&self) -> Role {
        if self.is_human() {
            Role::Human
        } else {
            Role::Agent
        }
    }
}

impl fmt::Display for Scope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Splits `NAME@HOST`, which names a session of another machine by its id or label, at the last `@`. `None` if either
/// part is missing, or if what follows is no host: `shop@branch/job` is the job of a worktree.
pub fn split_host(name: &str) -> Option<(&str, &str)> {
    let parts = name.rsplit_once('@');
    parts.filter(|(name, host)| !name.is_empty() && !host.is_empty() && !host.contains('/'))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_last_at_splits() {
        assert_eq!(split_host("a@b@c"), Some(("a@b", "c")));
        assert_eq!(split_host("@c"), None);
        assert_eq!(split_host("web@"), None);
        assert_eq!(split_host("web"), None);
        assert_eq!(split_host("shop@two/web"), None);
        let there = Some(("shop@feature/x/web", "gpu1"));
        assert_eq!(split_host("shop@feature/x/web@gpu1"), there);
    }

    #[test]
    fn a_fresh_id_parses() {
        let id = SessionId::fresh();
        assert_eq!(SessionId::parse(id.as_str()).unwrap(), id);
        let json = serde_json::to_string(&id).unwrap();
        assert_eq!(json, format!("\"{id}\""));
        assert_eq!(serde_json::from_str::<SessionId>(&json).unwrap(), id);
    }

    #[test]
    fn an_id_of_another_host_names_it() {
        let id = SessionId::parse("0123456789ab").unwrap();
        let there = id.at("gpu-1.lab").unwrap();
        assert_eq!(there.as_str(), "0123456789ab@gpu-1.lab");
        assert_eq!(
            (there.host(), there.bare()),
            (Some("gpu-1.lab"), id.as_str())
        );
        assert_eq!((id.host(), id.bare()), (None, id.as_str()));
        assert_eq!(SessionId::parse_any(there.as_str()), Some(there.clone()));
        assert_eq!(SessionId::parse(there.as_str()), None);
        assert_eq!(there.at("b"), None);
        assert_eq!(SessionId::parse_any("0123456789ab@a@b"), None);
        assert_eq!(SessionId::parse_any("0123456789ab@../x"), None);
    }

    #[test]
    fn paths_are_not_ids() {
        for text in [
            "../../x",
            "",
            "ABCDEFGHIJKL",
            "abcdefghijk/",
            "abcdefghijklm",
        ] {
            assert!(SessionId::parse(text).is_none(), "{text}");
            let json = serde_json::to_string(text).unwrap();
            assert!(serde_json::from_str::<SessionId>(&json).is_err(), "{text}");
        }
    }

    #[test]
    fn the_scope_of_people_is_reserved() {
        assert!(Scope::named("human").is_none());
        assert!(Scope::named("agent-1").is_some());
        assert!(Scope::named("a b").is_none());
    }
}

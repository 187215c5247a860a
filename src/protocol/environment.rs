//! The environment of a job. The keeper and the daemon each store one per session with about a
//! hundred strings, so it is kept in one block of memory.

use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The variable with the id of a session. It marks each of the session's processes.
pub const MARK: &str = "BGPROC_SESSION";

/// Names and values, in order. On the wire it is a list of pairs.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Environment {
    /// Name, value, name, value, … without separators.
    text: Box<str>,
    /// End offset of each name and each value.
    ends: Box<[u32]>,
}

impl Environment {
    /// Iterates over the names and their values.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        let part = |at: usize| {
            let start = at.checked_sub(1).map_or(0, |before| self.ends[before]);
            &self.text[start as usize..self.ends[at] as usize]
        };
        (0..self.ends.len() / 2).map(move |pair| (part(2 * pair), part(2 * pair + 1)))
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&str> {
        let found = self.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value)
    }
}

impl<S: AsRef<str>> FromIterator<(S, S)> for Environment {
    /// Variables beyond 4 GiB are dropped; no program could receive them.
    fn from_iter<I: IntoIterator<Item = (S, S)>>(pairs: I) -> Self {
        let (mut text, mut ends) = (String::new(), Vec::new());
        for (name, value) in pairs {
            let (name, value) = (name.as_ref(), value.as_ref());
            let name_end = u32::try_from(text.len() + name.len());
            let value_end = u32::try_from(text.len() + name.len() + value.len());
            if let (Ok(name_end), Ok(value_end)) = (name_end, value_end) {
                text.push_str(name);
                text.push_str(value);
                ends.extend([name_end, value_end]);
            }
        }
        Self {
            text: text.into(),
            ends: ends.into(),
        }
    }
}

impl Serialize for Environment {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.iter())
    }
}

impl<'de> Deserialize<'de> for Environment {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let pairs = Vec::<(String, String)>::deserialize(deserializer)?;
        Ok(pairs.into_iter().collect())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn returns_the_pairs_it_was_made_of() {
        let pairs = [("A", "1"), ("EMPTY", ""), ("ä", "ü\0="), ("A", "2")];
        let env = Environment::from_iter(pairs);
        assert_eq!(Vec::from_iter(env.iter()), pairs);
        assert_eq!((env.get("EMPTY"), env.get("B")), (Some(""), None));
        let wire = serde_json::to_value(&env).unwrap();
        assert_eq!(wire, serde_json::to_value(pairs).unwrap());
        assert_eq!(serde_json::from_value::<Environment>(wire).unwrap(), env);
        assert_eq!(Environment::default().iter().count(), 0);
    }
}

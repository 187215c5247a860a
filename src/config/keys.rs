//! `[keys.PLACE]`: actions and the keys they get instead. What places, actions and keys there are is the
//! dashboard's to say, which checks these against its table.

use toml::de::DeTable;

use super::error::{Spot, Wrong};
use super::value::Entry;

/// A word of the file, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelt {
    /// The word.
    pub word: String,
    /// Where it begins.
    pub at: Spot,
}

/// A line of `[keys.PLACE]`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rebinding {
    /// Where it is to hold: `normal`, `scroll`, …
    pub place: Spelt,
    /// The action, by name.
    pub action: Spelt,
    /// Its keys; none: it has none any more.
    pub keys: Vec<Spelt>,
}

/// Reads `[keys]`: the lines of all its tables, from top to bottom.
pub(super) fn read(keys: &DeTable<'_>, text: &str) -> Result<Vec<Rebinding>, Wrong> {
    let mut lines = Vec::new();
    for (place, table) in keys {
        let entry = Entry {
            key: place.get_ref(),
            value: table,
        };
        let place = Spelt {
            word: place.get_ref().to_string(),
            at: Spot::of(text, place.span().start),
        };
        for (action, value) in entry.table()? {
            let entry = Entry {
                key: action.get_ref(),
                value,
            };
            let mut keys = entry.words(text)?;
            keys.retain(|key| !key.word.is_empty());
            lines.push(Rebinding {
                place: place.clone(),
                action: Spelt {
                    word: action.get_ref().to_string(),
                    at: Spot::of(text, action.span().start),
                },
                keys,
            });
        }
    }
    lines.sort_by_key(|line| line.action.at);
    Ok(lines)
}

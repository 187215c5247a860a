//! `[keys.PLACE]`: actions and the keys they get instead. What places, actions and keys there are is the
//! dashboard's to say, which checks these against its table.

use std::collections::BTreeMap;

use toml::Spanned;

use super::error::Spot;
use super::value::Words;

/// What `[keys]` says: for each place its actions, and for each action its keys.
pub type Keys = BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Words>>;

/// A word of the file, and where it stands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelt {
    /// The word.
    pub word: String,
    /// Where it begins.
    pub at: Spot,
}

impl Spelt {
    /// A word of `text`.
    pub(super) fn of(text: &str, word: &Spanned<String>) -> Self {
        Self {
            word: word.get_ref().clone(),
            at: Spot::of(text, word.span().start),
        }
    }
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

/// The lines of all tables of `[keys]` in `text`, from top to bottom.
pub(super) fn lines(keys: &Keys, text: &str) -> Vec<Rebinding> {
    let line = |place, (action, keys): (_, &Words)| Rebinding {
        place: Spelt::of(text, place),
        action: Spelt::of(text, action),
        keys: keys
            .0
            .iter()
            .filter(|key| !key.get_ref().is_empty())
            .map(|key| Spelt::of(text, key))
            .collect(),
    };
    let mut lines: Vec<_> = keys
        .iter()
        .flat_map(|(place, actions)| actions.iter().map(move |action| line(place, action)))
        .collect();
    lines.sort_by_key(|line| line.action.at);
    lines
}

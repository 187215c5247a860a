//! `[keys.PLACE]`: key bindings by action. Places, actions and keys are only parsed here; the dashboard
//! checks them against its table.

use std::collections::BTreeMap;

use toml::Spanned;

use super::error::Spot;
use super::value::Words;

/// The table `[keys]`: the actions of each place, and the keys of each action.
pub type Keys = BTreeMap<Spanned<String>, BTreeMap<Spanned<String>, Words>>;

/// A word of the file with its position.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spelt {
    /// The word.
    pub word: String,
    /// The position of its first character.
    pub at: Spot,
}

impl Spelt {
    /// A word of `text` with its position.
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
    /// The place in which the keys apply: `normal`, `scroll`, …
    pub place: Spelt,
    /// The name of the action.
    pub action: Spelt,
    /// The keys of the action. If empty, the action has no key.
    pub keys: Vec<Spelt>,
}

/// The lines of all `[keys]` tables in `text`, from top to bottom.
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

//! How much of the output each scope has been shown.

use std::collections::HashMap;

use crate::protocol::Scope;

/// Maximum number of scopes of which it is known.
const MOST: usize = 64;

/// Offset up to which each scope has been shown the output.
#[derive(Default)]
pub(super) struct Shown(HashMap<Scope, u64>);

impl Shown {
    /// Offset up to which a scope has been shown the output.
    pub(super) fn of(&self, scope: &Scope) -> u64 {
        self.0.get(scope).copied().unwrap_or(0)
    }

    /// Records that a scope has been shown everything up to `offset`. People are never forgotten.
    pub(super) fn add(&mut self, scope: &Scope, offset: u64) {
        if !self.0.contains_key(scope) && self.0.len() >= MOST {
            // Whoever is furthest behind is most likely gone.
            let agents = self.0.iter().filter(|(scope, _)| !scope.is_human());
            let last = agents.min_by_key(|(_, shown)| **shown);
            if let Some(last) = last.map(|(scope, _)| scope.clone()) {
                self.0.remove(&last);
            }
        }
        let shown = self.0.entry(scope.clone()).or_default();
        *shown = offset.max(*shown);
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn what_many_scopes_were_shown_takes_no_more_room() {
        let mut shown = Shown::default();
        let scope = |name: &str| Scope::named(name).unwrap();
        shown.add(&Scope::human(), 1);
        shown.add(&scope("behind"), 2);
        for count in 0..MOST {
            shown.add(&scope(&format!("s{count}")), 5);
        }
        shown.add(&scope("last"), 3);
        assert_eq!(shown.0.len(), MOST);
        assert_eq!(shown.of(&Scope::human()), 1);
        assert_eq!(shown.of(&scope("behind")), 0);
        assert_eq!(shown.of(&scope("last")), 3);
    }
}

//! The screens that a model has been shown, so that a later result needs only the rows that have changed: each key in an
//! editor would otherwise cost a whole screen.

use std::cell::RefCell;
use std::collections::VecDeque;

use serde_json::Value;

/// Maximum number of sessions whose screens are remembered. The one that was shown longest ago is forgotten first.
const MOST: usize = 16;

/// The field that a screen has for the time in which its text is made: the rows that were shown before.
pub(super) const BEFORE: &str = "before";

/// The rows that were shown last, by session.
#[derive(Debug, Default)]
pub struct Screens(RefCell<VecDeque<(String, String)>>);

impl Screens {
    /// Notes the screens of a result, which are about to be shown. With `only_changes`, the screen of a single session
    /// gets the rows that were shown before, as [`BEFORE`].
    pub(super) fn show(&self, result: &mut Value, only_changes: bool) {
        for one in result["results"].as_array().into_iter().flatten() {
            self.replace(one);
        }
        let before = self.replace(result);
        if let Some(before) = before.filter(|_| only_changes) {
            result["screen"][BEFORE] = before.into();
        }
    }

    /// Takes out what [`Self::show`] has added.
    pub(super) fn clean(result: &mut Value) {
        if let Some(screen) = result.get_mut("screen").and_then(Value::as_object_mut) {
            screen.remove(BEFORE);
        }
    }

    /// Forgets all screens: the model was shown one in another way, or not all of it, or there may be another model.
    pub fn clear(&self) {
        self.0.borrow_mut().clear();
    }

    /// Notes the screen of a session, and returns the rows that were shown before.
    fn replace(&self, result: &Value) -> Option<String> {
        let (session, rows) = (
            result["sessionId"].as_str()?,
            result["screen"]["text"].as_str()?,
        );
        let mut shown = self.0.borrow_mut();
        let known = shown.iter().position(|(known, _)| known == session);
        let before = known.and_then(|at| shown.remove(at));
        shown.push_back((session.to_owned(), rows.to_owned()));
        if shown.len() > MOST {
            shown.pop_front();
        }
        before.map(|(_, rows)| rows)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn before(screens: &Screens, session: &str, rows: &str) -> Value {
        let plain = json!({"sessionId": session, "screen": {"text": rows}});
        let mut result = plain.clone();
        screens.show(&mut result, true);
        let before = result["screen"][BEFORE].clone();
        Screens::clean(&mut result);
        assert_eq!(result, plain);
        before
    }

    #[test]
    fn a_screen_is_compared_with_the_one_before_of_its_session() {
        let screens = Screens::default();
        assert_eq!(before(&screens, "a", "one"), Value::Null);
        assert_eq!(before(&screens, "b", "other"), Value::Null);
        assert_eq!(before(&screens, "a", "two"), "one");
        let mut all = json!({"results": [{"sessionId": "a", "screen": {"text": "three"}}]});
        screens.show(&mut all, true);
        assert_eq!(before(&screens, "a", "four"), "three");
        let mut whole = json!({"sessionId": "a", "screen": {"text": "five"}});
        screens.show(&mut whole, false);
        assert_eq!(whole["screen"][BEFORE], Value::Null);
        assert_eq!(before(&screens, "a", "six"), "five");
        assert_eq!(before(&screens, "b", "last"), "other");
    }

    #[test]
    fn only_so_many_screens_are_remembered() {
        let screens = Screens::default();
        for n in 0..=MOST {
            before(&screens, &n.to_string(), "x");
        }
        assert_eq!(before(&screens, "1", "y"), "x");
        assert_eq!(before(&screens, "0", "y"), Value::Null);
        screens.clear();
        assert_eq!(before(&screens, "1", "z"), Value::Null);
    }
}

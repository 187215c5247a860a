//! Key bindings from `[keys.PLACE]` in `config.toml`, checked against the table when the view
//! opens, so that a mistake is reported before the first key is pressed.

use super::{Action, Binding, LEAVE, Place, TABLE};
use crate::config::{Rebinding, Spelt, Spot};
use crate::protocol::suggest::nearest;
use crate::tui::chord;

/// A binding of the table and the keys that replace its default keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rebound {
    /// The binding.
    pub binding: &'static Binding,
    /// Its keys; if empty, the action has no key.
    pub keys: Vec<String>,
}

/// Why a key binding is rejected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Refused {
    /// Its position in the file.
    pub at: Spot,
    /// The position of the setting that conflicts with it.
    pub other: Option<Spot>,
    /// What is wrong, and what would be valid.
    pub message: String,
}

/// The setting of the keys that leave INSERT: `[keys.insert] leave`.
pub fn leave_line(lines: &[Rebinding]) -> Option<&Rebinding> {
    lines.iter().find(|line| is_leave(line))
}

/// Parses the key bindings of the file; `leave` are the keys that leave INSERT.
///
/// # Errors
/// An unknown place, action or key; a key with two actions in one place; a mode without a key that
/// leaves it; a confirmation that Enter would answer.
pub fn rebind(lines: &[Rebinding], leave: &[String]) -> Result<Vec<Rebound>, Refused> {
    let mut read: Vec<Read> = Vec::new();
    for line in lines {
        let binding = find(line)?;
        let mut keys: Vec<(String, Spot)> = Vec::new();
        for spelt in &line.keys {
            let key = key(spelt)?;
            if keys.iter().any(|(other, _)| *other == key) {
                return refuse(spelt.at, format!("\"{key}\" stands here twice"));
            }
            allowed(binding, &key, spelt.at)?;
            keys.push((key, spelt.at));
        }
        if keys.is_empty() && binding.action == Action::Leave {
            let place = binding.place.name();
            let message = format!(
                "\"{}\" of [keys.{place}] is the way out; it needs a key",
                binding.name
            );
            return refuse(line.action.at, message);
        }
        if !is_leave(line) {
            read.push(Read { binding, keys });
        }
    }
    for (at, one) in read.iter().enumerate() {
        clashes(one, &read[at + 1..], &read, leave)?;
    }
    let rebound = |line: Read| Rebound {
        binding: line.binding,
        keys: line.keys.into_iter().map(|(key, _)| key).collect(),
    };
    Ok(read.into_iter().map(rebound).collect())
}

/// The name of a key as spelled by [`chord::name`].
///
/// # Errors
/// If there is no such key.
pub fn key(spelt: &Spelt) -> Result<String, Refused> {
    match chord::parse(&spelt.word) {
        Some(key) => Ok(key),
        None => refuse(
            spelt.at,
            format!(
                "there is no key \"{}\". Known: {}",
                spelt.word,
                chord::KNOWN
            ),
        ),
    }
}

/// A line of the file that is valid by itself.
struct Read {
    binding: &'static Binding,
    keys: Vec<(String, Spot)>,
}

fn is_leave(line: &Rebinding) -> bool {
    line.place.word == Place::Insert.name() && line.action.word == "leave"
}

/// The binding that a line of the file refers to.
fn find(line: &Rebinding) -> Result<&'static Binding, Refused> {
    let places = || Place::ALL.into_iter().map(Place::name);
    let word = line.place.word.as_str();
    let Some(place) = Place::ALL.into_iter().find(|place| place.name() == word) else {
        let hint = suggestion(word, places());
        return refuse(
            line.place.at,
            format!("there is no place \"{word}\" for keys. {hint}"),
        );
    };
    let names = || TABLE.iter().filter(move |one| one.place == place);
    let word = line.action.word.as_str();
    let Some(binding) = names().find(|one| one.name == word) else {
        let hint = suggestion(word, names().map(|one| one.name));
        let message = format!(
            "there is no action \"{word}\" in [keys.{}]. {hint}",
            place.name()
        );
        return refuse(line.action.at, message);
    };
    if binding.action == Action::Literal {
        let message = "\"literal\" is always on the keys that leave INSERT: pressed twice they send themselves";
        return refuse(line.action.at, message.to_owned());
    }
    Ok(binding)
}

fn suggestion<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => format!("Known: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Rejects what no key binding may do: answer a confirmation with Enter, or take letters away from
/// text input.
fn allowed(binding: &Binding, key: &str, at: Spot) -> Result<(), Refused> {
    let answers = matches!(
        binding.action,
        Action::Yes | Action::YesKill | Action::StopGroup | Action::StopAll
    );
    if answers && key == "enter" {
        return refuse(
            at,
            "Enter never confirms: it is too easily pressed".to_owned(),
        );
    }
    let typed = matches!(
        binding.place,
        Place::Filter | Place::Prompt | Place::Reply | Place::Palette | Place::Line
    );
    if typed && (key == "space" || key.chars().count() == 1) {
        let place = binding.place.name();
        return refuse(
            at,
            format!("\"{key}\" is text in [keys.{place}], and so cannot be a key there"),
        );
    }
    Ok(())
}

/// Fails if a key of `one` already has another action in the same place.
fn clashes(one: &Read, later: &[Read], all: &[Read], leave: &[String]) -> Result<(), Refused> {
    let (place, name) = (one.binding.place, one.binding.name);
    for (key, at) in &one.keys {
        let same = |other: &&Read| other.binding.place == place;
        for other in later.iter().filter(same) {
            if let Some((_, second)) = other.keys.iter().find(|(other, _)| other == key) {
                return Err(Refused {
                    at: *at,
                    other: Some(*second),
                    message: format!(
                        "\"{key}\" is bound to `{name}` and to `{}` in [keys.{}]; it can do one of them",
                        other.binding.name,
                        place.name()
                    ),
                });
            }
        }
        if place == Place::Normal && leave.contains(key) {
            return refuse(
                *at,
                format!("\"{key}\" leaves INSERT; pressed twice it sends itself"),
            );
        }
        let rebound = |line: &Binding| all.iter().any(|other| other.binding == line);
        let by_default = TABLE.iter().find(|line| {
            line.place == place
                && line.keys != [LEAVE]
                && line.keys.contains(&key.as_str())
                && !rebound(line)
        });
        if let Some(line) = by_default {
            let message = format!(
                "\"{key}\" is bound to `{}` by default; bind that elsewhere",
                line.name
            );
            return refuse(*at, message);
        }
    }
    Ok(())
}

fn refuse<T>(at: Spot, message: String) -> Result<T, Refused> {
    Err(Refused {
        at,
        other: None,
        message,
    })
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::tui::keymap::Keymap;

    fn spelt(word: &str, line: usize, column: usize) -> Spelt {
        Spelt {
            word: word.to_owned(),
            at: Spot { line, column },
        }
    }

    /// Line `n` of a file: a place, an action and its keys.
    fn line(n: usize, place: &str, action: &str, keys: &[&str]) -> Rebinding {
        Rebinding {
            place: spelt(place, n, 1),
            action: spelt(action, n, 1),
            keys: keys.iter().map(|key| spelt(key, n, 9)).collect(),
        }
    }

    fn refused(lines: &[Rebinding]) -> String {
        let refused = rebind(lines, &["ctrl-]".to_owned()]).unwrap_err();
        match refused.other {
            Some(other) => format!("{} and :{other}: {}", refused.at, refused.message),
            None => format!("{}: {}", refused.at, refused.message),
        }
    }

    fn keymap(lines: &[Rebinding]) -> Keymap {
        let leave = vec!["ctrl-]".to_owned()];
        let rebound = rebind(lines, &leave).unwrap();
        Keymap::new(&leave, &rebound)
    }

    #[test]
    fn a_rebound_action_has_only_its_new_keys() {
        let keymap = keymap(&[
            line(1, "normal", "stop", &["ctrl-x", "F9"]),
            line(2, "confirm", "yes", &["Y"]),
            line(3, "normal", "quit", &[]),
        ]);
        assert_eq!(keymap.action(Place::Normal, "ctrl-x"), Some(Action::Stop));
        assert_eq!(keymap.action(Place::Normal, "f9"), Some(Action::Stop));
        assert_eq!(keymap.action(Place::Normal, "x"), None);
        assert_eq!(keymap.action(Place::Confirm, "y"), None);
        assert_eq!(keymap.action(Place::Confirm, "Y"), Some(Action::Yes));
        assert_eq!(keymap.action(Place::Normal, "q"), None);
        assert_eq!(keymap.key(Place::Normal, Action::Quit), None);
    }

    #[test]
    fn two_actions_may_swap_keys() {
        let keymap = keymap(&[
            line(1, "normal", "stop", &["r"]),
            line(2, "normal", "restart", &["x"]),
        ]);
        assert_eq!(keymap.action(Place::Normal, "r"), Some(Action::Stop));
        assert_eq!(keymap.action(Place::Normal, "x"), Some(Action::Restart));
    }

    #[test]
    fn a_conflict_names_both_lines() {
        assert_eq!(
            refused(&[
                line(14, "normal", "stop", &["ctrl-x"]),
                line(15, "normal", "kill", &["C-x"]),
            ]),
            "14:9 and :15:9: \"ctrl-x\" is bound to `stop` and to `kill` in [keys.normal]; it can do one of them"
        );
        assert_eq!(
            refused(&[line(3, "normal", "stop", &["X"])]),
            "3:9: \"X\" is bound to `kill` by default; bind that elsewhere"
        );
        // The same key in another place is not a conflict.
        keymap(&[line(1, "scroll", "times", &["x"])]);
        assert!(refused(&[line(1, "normal", "stop", &["ctrl-]"])]).contains("leaves INSERT"));
        assert!(refused(&[line(1, "normal", "stop", &["f2", "F2"])]).contains("twice"));
    }

    #[test]
    fn suggests_the_nearest_known_word() {
        assert_eq!(
            refused(&[line(2, "norml", "stop", &["f2"])]),
            "2:1: there is no place \"norml\" for keys. Did you mean \"normal\"?"
        );
        assert_eq!(
            refused(&[line(2, "normal", "stopp", &["f2"])]),
            "2:1: there is no action \"stopp\" in [keys.normal]. Did you mean \"stop\"?"
        );
        assert!(refused(&[line(2, "reply", "zzz", &["f2"])]).ends_with("Known: send, cancel"));
        assert!(refused(&[line(2, "normal", "stop", &["ctr-x"])]).contains("Known: a character"));
    }

    #[test]
    fn rejects_bindings_that_break_an_invariant() {
        for enter in ["enter", "return", "ctrl-m"] {
            assert!(
                refused(&[line(1, "confirm", "yes", &[enter])]).contains("Enter never confirms")
            );
            assert!(
                refused(&[line(1, "confirm", "kill", &[enter])]).contains("Enter never confirms")
            );
        }
        for (place, action) in [("insert", "leave"), ("help", "close"), ("scroll", "leave")] {
            assert!(
                refused(&[line(1, place, action, &[])]).contains("it needs a key"),
                "{place}"
            );
        }
        assert!(refused(&[line(1, "normal", "literal", &["f2"])]).contains("always on the keys"));
        assert!(refused(&[line(1, "line", "yank", &["y"])]).contains("is text"));
        assert!(refused(&[line(1, "filter", "keep", &["space"])]).contains("is text"));
    }

    #[test]
    fn every_binding_can_be_rebound() {
        for binding in TABLE.iter().filter(|one| one.action != Action::Literal) {
            let keymap = keymap(&[line(1, binding.place.name(), binding.name, &["f24"])]);
            let found = keymap.action(binding.place, "f24");
            let is_leave = binding.place == Place::Insert;
            assert_eq!(found, (!is_leave).then_some(binding.action), "{binding:?}");
        }
    }
}

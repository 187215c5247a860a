//! Key bindings: the declared ones, and those of the configuration.

use crate::config::{Rebinding, Spelt, Spot};
use crate::tui::keymap::rebind::rebind;
use crate::tui::keymap::{KeyAction, Keymap, Rule};
use crate::tui::line;
use crate::tui::modes::confirm::Answer;
use crate::tui::modes::normal::Action;
use crate::tui::modes::{CONTEXTS, filter, form, reply};

fn standard() -> Keymap {
    Keymap::new(&CONTEXTS, &["ctrl-]".to_owned()], &[])
}

#[test]
fn each_key_has_one_action_per_context() {
    for bindings in standard().contexts() {
        let all = bindings.bound.iter().flat_map(|bound| &bound.keys);
        let mut keys: Vec<_> = all.collect();
        let count = keys.len();
        keys.sort();
        keys.dedup();
        assert_eq!(keys.len(), count, "{}", bindings.context.name);
    }
}

#[test]
fn names_are_unique_within_a_context() {
    for context in CONTEXTS {
        for (at, binding) in context.bindings.iter().enumerate() {
            let mut before = context.bindings[..at].iter();
            let twin = before.find(|other| other.name == binding.name);
            assert_eq!(twin, None, "{} in {}", binding.name, context.name);
            let plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            assert!(binding.name.chars().all(plain), "{}", binding.name);
        }
        for (name, _) in context.headings {
            let mut names = context.bindings.iter().map(|binding| binding.name);
            assert!(names.any(|other| other == *name), "{name}");
        }
    }
}

#[test]
fn line_editing_never_hides_keys_of_its_mode() {
    let keymap = standard();
    let contexts = [
        filter::Action::CONTEXT,
        form::Action::CONTEXT,
        reply::Action::CONTEXT,
    ];
    for context in contexts {
        for key in context.bindings.iter().flat_map(|binding| binding.keys) {
            let edits = keymap.action::<line::Action>(key);
            assert_eq!(edits, None, "{key} in {}", context.name);
        }
    }
}

#[test]
fn no_control_key_ends_a_job() {
    let ends = ["stop", "kill", "remove", "remove-ended", "quit-and-stop"];
    let ends = ends.into_iter().chain(["stop-all", "stop-group", "yes"]);
    let ends: Vec<&str> = ends.collect();
    for context in CONTEXTS {
        for binding in context.bindings {
            let mut keys = binding.keys.iter();
            let chord = keys.any(|key| key.starts_with("ctrl-") || *key == "enter");
            let is_end = ends.contains(&binding.name) || binding.rule == Rule::Confirms;
            assert!(!(is_end && chord), "{binding:?}");
        }
    }
}

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
    let (_, refused) = rebind(&CONTEXTS, lines, &["ctrl-]".to_owned()]);
    let lines = refused.iter().map(|refused| match refused.other {
        Some(other) => format!("{} and :{other}: {}", refused.at, refused.message),
        None => format!("{}: {}", refused.at, refused.message),
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn keymap(lines: &[Rebinding]) -> Keymap {
    let leave = vec!["ctrl-]".to_owned()];
    let (rebound, refused) = rebind(&CONTEXTS, lines, &leave);
    assert_eq!(refused, []);
    Keymap::new(&CONTEXTS, &leave, &rebound)
}

#[test]
fn a_rebound_action_has_only_its_new_keys() {
    let keymap = keymap(&[
        line(1, "normal", "stop", &["ctrl-x", "F9"]),
        line(2, "confirm", "yes", &["Y"]),
        line(3, "normal", "quit", &[]),
    ]);
    assert_eq!(keymap.action::<Action>("ctrl-x"), Some(Action::Stop));
    assert_eq!(keymap.action::<Action>("f9"), Some(Action::Stop));
    assert_eq!(keymap.action::<Action>("x"), None);
    assert_eq!(keymap.action::<Answer>("y"), None);
    assert_eq!(keymap.action::<Answer>("Y"), Some(Answer::Yes));
    assert_eq!(keymap.action::<Action>("q"), None);
    assert_eq!(keymap.key(Action::Quit), None);
}

#[test]
fn two_actions_may_swap_keys() {
    let keymap = keymap(&[
        line(1, "normal", "stop", &["r"]),
        line(2, "normal", "restart", &["x"]),
    ]);
    assert_eq!(keymap.action::<Action>("r"), Some(Action::Stop));
    assert_eq!(keymap.action::<Action>("x"), Some(Action::Restart));
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
        assert!(refused(&[line(1, "confirm", "yes", &[enter])]).contains("Enter never confirms"));
        assert!(refused(&[line(1, "confirm", "kill", &[enter])]).contains("Enter never confirms"));
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
    for context in CONTEXTS {
        for binding in context
            .bindings
            .iter()
            .filter(|one| one.rule != Rule::Fixed)
        {
            let keymap = keymap(&[line(1, context.name, binding.name, &["f24"])]);
            let is_leave = context.name == "insert";
            let keys = keymap.keys_named(context.name, binding.name);
            assert_eq!(keys == ["f24"], !is_leave, "{binding:?}");
        }
    }
}

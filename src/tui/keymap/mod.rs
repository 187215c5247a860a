//! Key bindings: what each key does in each context.
//!
//! Every mode declares its `actions!` with their default keys beside the code that performs them.
//! A [`Keymap`] holds the keys of all contexts as the configuration has changed them. Key lookup,
//! the hints in the last line, the help screen and the manual all read it, so they cannot disagree.

mod actions;
pub mod chord;
pub mod rebind;

use std::borrow::Cow;

pub(in crate::tui) use self::actions::actions;
pub use self::actions::{Binding, CONFIRM, INSERT, KeyAction, KeyContext, NORMAL, Rule, SCROLL};
pub use self::rebind::Rebound;
use crate::config::Config;
use crate::term::keyparse::Key;

/// Stands in the declarations for the keys that leave INSERT.
pub const LEAVE: &str = "leave-key";

/// The default key that leaves INSERT.
pub const LEAVE_KEY: &str = "ctrl-]";

impl Binding {
    /// The description with the configured grace period; the text of the declaration mentions the
    /// default.
    pub fn help_with_grace(&self, grace_ms: u64) -> Cow<'static, str> {
        let usual = Config::default().stop_grace_ms();
        if self.name != "stop" || grace_ms == usual {
            return Cow::Borrowed(self.help);
        }
        let grace = |ms: u64| match ms % 1000 {
            0 => format!("{} s", ms / 1000),
            _ => format!("{ms} ms"),
        };
        Cow::Owned(self.help.replace(&grace(usual), &grace(grace_ms)))
    }

    /// Its name in a hint.
    pub fn label(&self) -> String {
        self.name.replace('-', " ")
    }
}

/// A key that was pressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct KeyPress {
    /// The key.
    pub key: Key,
    /// Its name.
    pub name: String,
    /// The bytes that the terminal sent for it.
    pub raw: Vec<u8>,
}

impl KeyPress {
    /// A key with the bytes that the terminal sent for it.
    pub fn new(key: Key, raw: Vec<u8>) -> Self {
        let name = chord::name(key);
        Self { key, name, raw }
    }
}

/// A binding with its current keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bound {
    /// The binding.
    pub binding: &'static Binding,
    /// Names of its keys, as spelled by [`chord::name`]; the first one is displayed.
    pub keys: Vec<String>,
}

impl Bound {
    /// Its keys as displayed.
    pub fn shown(&self) -> String {
        let digits = ["1", "2", "3", "4", "5", "6", "7", "8", "9"];
        if self.keys == digits {
            return "1..9".to_owned();
        }
        self.keys.join(" ")
    }
}

/// The bindings of one context with their current keys, in the order of its actions.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Bindings {
    /// The context.
    pub context: &'static KeyContext,
    /// The bindings.
    pub bound: Vec<Bound>,
}

/// The current key bindings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Keymap {
    contexts: Vec<Bindings>,
}

impl Keymap {
    /// The default keys of these contexts, except for the bindings in `rebound`; `leave` are the
    /// keys that leave INSERT.
    pub fn new(contexts: &[&'static KeyContext], leave: &[String], rebound: &[Rebound]) -> Self {
        let keys = |context: &KeyContext, binding: &'static Binding| {
            let other = rebound.iter().find(|line| line.is_of(context, binding));
            match (binding.keys, other) {
                ([LEAVE], _) => leave.to_vec(),
                (_, Some(other)) => other.keys.clone(),
                (keys, None) => keys.iter().map(|&key| key.to_owned()).collect(),
            }
        };
        let bindings = |&context: &&'static KeyContext| {
            let bound = context.bindings.iter().map(|binding| Bound {
                binding,
                keys: keys(context, binding),
            });
            Bindings {
                context,
                bound: bound.collect(),
            }
        };
        Self {
            contexts: contexts.iter().map(bindings).collect(),
        }
    }

    /// Every context with its bindings, in the order of the help screen.
    pub fn contexts(&self) -> &[Bindings] {
        &self.contexts
    }

    /// The bindings of a context.
    fn of(&self, context: &str) -> &[Bound] {
        let found = self.contexts.iter().find(|one| one.context.name == context);
        found.map_or(&[], |one| &one.bound)
    }

    /// The bindings of the context of `A`, each with its action.
    pub fn actions<A: KeyAction>(&self) -> impl Iterator<Item = (A, &Bound)> {
        A::ALL.iter().copied().zip(self.of(A::CONTEXT.name))
    }

    /// The action of `key` in the context of `A`.
    pub fn action<A: KeyAction>(&self, key: &str) -> Option<A> {
        let mut actions = self.actions::<A>();
        let found = actions.find(|(_, bound)| bound.keys.iter().any(|name| name == key));
        found.map(|(action, _)| action)
    }

    /// The keys of an action.
    pub fn keys<A: KeyAction>(&self, action: A) -> &[String] {
        let bound = self.of(A::CONTEXT.name).get(action.index());
        bound.map_or(&[], |bound| &bound.keys)
    }

    /// The displayed key of an action; `None` if it has no key.
    pub fn key<A: KeyAction>(&self, action: A) -> Option<&str> {
        self.keys(action).first().map(String::as_str)
    }

    /// The keys of the action with this name in a context.
    pub fn keys_named(&self, context: &str, name: &str) -> &[String] {
        let mut bound = self.of(context).iter();
        let found = bound.find(|bound| bound.binding.name == name);
        found.map_or(&[], |bound| &bound.keys)
    }

    /// The displayed key of the action with this name in a context; `None` if it has no key.
    pub fn key_named(&self, context: &str, name: &str) -> Option<&str> {
        let keys = self.keys_named(context, name);
        keys.first().map(String::as_str)
    }

    /// The key that now performs the default action of `key` in a context; `key` itself if there is
    /// none.
    pub fn instead_of<'a>(&'a self, context: &str, key: &'a str) -> &'a str {
        let mut bound = self.of(context).iter();
        let found = bound.find(|bound| bound.binding.keys.contains(&key));
        found
            .and_then(|bound| bound.keys.first())
            .map_or(key, String::as_str)
    }
}

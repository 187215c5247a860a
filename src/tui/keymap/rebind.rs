//! Key bindings from `[keys.CONTEXT]` in `config.toml`, checked against the declared actions when the
//! view opens, so that a mistake is reported before the first key is pressed.

use super::{Binding, INSERT, KeyContext, LEAVE, NORMAL, Rule, chord};
use crate::config::{Rebinding, Spelt, Spot};
use crate::protocol::suggest::nearest;

/// A binding and the keys that replace its default keys.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rebound {
    /// Its context.
    pub context: &'static KeyContext,
    /// The binding.
    pub binding: &'static Binding,
    /// Its keys; if empty, the action has no key.
    pub keys: Vec<String>,
}

impl Rebound {
    /// Whether this replaces the keys of `binding`.
    pub fn is_of(&self, context: &KeyContext, binding: &Binding) -> bool {
        self.context.name == context.name && self.binding.name == binding.name
    }
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

/// Parses the key bindings of the file for these contexts; `leave` are the keys that leave INSERT. Returns those that are
/// valid, and all that is refused: an unknown context, action or key; a key with two actions in one context; a mode
/// without a key that leaves it; a confirmation that Enter would answer.
pub fn rebind(
    contexts: &[&'static KeyContext],
    lines: &[Rebinding],
    leave: &[String],
) -> (Vec<Rebound>, Vec<Refused>) {
    let (mut read, mut refused): (Vec<Read>, _) = (Vec::new(), Vec::new());
    for line in lines {
        match find(contexts, line) {
            Ok((context, binding)) => {
                let keys = keys(context, binding, line, &mut refused);
                if !is_leave(line) {
                    read.push(Read {
                        context,
                        binding,
                        keys,
                    });
                }
            }
            Err(wrong) => refused.push(wrong),
        }
    }
    for (at, one) in read.iter().enumerate() {
        for key in &one.keys {
            refused.extend(clash(one, key, &read[at + 1..], &read, leave).err());
        }
    }
    let rebound = |line: Read| Rebound {
        context: line.context,
        binding: line.binding,
        keys: line.keys.into_iter().map(|(key, _)| key).collect(),
    };
    (read.into_iter().map(rebound).collect(), refused)
}

/// The keys of a line that are valid by themselves, with their positions.
fn keys(
    context: &KeyContext,
    binding: &Binding,
    line: &Rebinding,
    refused: &mut Vec<Refused>,
) -> Vec<(String, Spot)> {
    let mut keys: Vec<(String, Spot)> = Vec::new();
    for spelt in &line.keys {
        let valid = key(spelt).and_then(|key| {
            if keys.iter().any(|(other, _)| *other == key) {
                return refuse(spelt.at, format!("\"{key}\" stands here twice"));
            }
            allowed(context, binding, &key, spelt.at)?;
            Ok(key)
        });
        match valid {
            Ok(key) => keys.push((key, spelt.at)),
            Err(wrong) => refused.push(wrong),
        }
    }
    if line.keys.is_empty() && binding.rule == Rule::Leaves {
        refused.push(Refused {
            at: line.action.at,
            other: None,
            message: format!(
                "\"{}\" of [keys.{}] is the way out; it needs a key",
                binding.name, context.name
            ),
        });
    }
    keys
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
    context: &'static KeyContext,
    binding: &'static Binding,
    keys: Vec<(String, Spot)>,
}

fn is_leave(line: &Rebinding) -> bool {
    line.place.word == INSERT && line.action.word == "leave"
}

/// The binding that a line of the file refers to, and its context.
fn find(
    contexts: &[&'static KeyContext],
    line: &Rebinding,
) -> Result<(&'static KeyContext, &'static Binding), Refused> {
    let word = line.place.word.as_str();
    let Some(&context) = contexts.iter().find(|context| context.name == word) else {
        let hint = suggestion(word, contexts.iter().map(|context| context.name));
        return refuse(
            line.place.at,
            format!("there is no place \"{word}\" for keys. {hint}"),
        );
    };
    let word = line.action.word.as_str();
    let Some(binding) = context.bindings.iter().find(|one| one.name == word) else {
        let hint = suggestion(word, context.bindings.iter().map(|one| one.name));
        let message = format!(
            "there is no action \"{word}\" in [keys.{}]. {hint}",
            context.name
        );
        return refuse(line.action.at, message);
    };
    if binding.rule == Rule::Fixed {
        let message = format!(
            "\"{word}\" is always on the keys that leave INSERT: pressed twice they send themselves"
        );
        return refuse(line.action.at, message);
    }
    Ok((context, binding))
}

fn suggestion<'a>(word: &str, known: impl Iterator<Item = &'a str> + Clone) -> String {
    match nearest(word, known.clone()) {
        Some(near) => format!("Did you mean \"{near}\"?"),
        None => format!("Known: {}", known.collect::<Vec<_>>().join(", ")),
    }
}

/// Rejects what no key binding may do: answer a confirmation with Enter, or take letters away from
/// text input.
fn allowed(context: &KeyContext, binding: &Binding, key: &str, at: Spot) -> Result<(), Refused> {
    if binding.rule == Rule::Confirms && key == "enter" {
        return refuse(
            at,
            "Enter never confirms: it is too easily pressed".to_owned(),
        );
    }
    if context.edits_text && (key == "space" || key.chars().count() == 1) {
        return refuse(
            at,
            format!(
                "\"{key}\" is text in [keys.{}], and so cannot be a key there",
                context.name
            ),
        );
    }
    Ok(())
}

/// Fails if a key of `one` already has another action in the same context.
fn clash(
    one: &Read,
    (key, at): &(String, Spot),
    later: &[Read],
    all: &[Read],
    leave: &[String],
) -> Result<(), Refused> {
    let (context, name) = (one.context, one.binding.name);
    let same = |other: &&Read| other.context == context;
    for other in later.iter().filter(same) {
        if let Some((_, second)) = other.keys.iter().find(|(other, _)| other == key) {
            return Err(Refused {
                at: *at,
                other: Some(*second),
                message: format!(
                    "\"{key}\" is bound to `{name}` and to `{}` in [keys.{}]; it can do one of them",
                    other.binding.name, context.name
                ),
            });
        }
    }
    if context.name == NORMAL && leave.contains(key) {
        let message = format!(
            "\"{key}\" cannot be bound to `{name}`: it leaves INSERT, and pressed once more it is typed into \
             the job. Choose another key here, or for leave_key"
        );
        return refuse(*at, message);
    }
    let is_rebound = |line: &Binding| {
        let mut others = all.iter().filter(same);
        others.any(|other| other.binding.name == line.name)
    };
    let by_default = context.bindings.iter().find(|line| {
        line.keys != [LEAVE] && line.keys.contains(&key.as_str()) && !is_rebound(line)
    });
    if let Some(line) = by_default {
        let message = format!(
            "\"{key}\" is bound to `{}` by default; bind that elsewhere",
            line.name
        );
        return refuse(*at, message);
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

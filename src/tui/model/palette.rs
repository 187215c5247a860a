//! The palette lists every command by name, with the equivalent shell command.

use std::borrow::Cow;

use super::Model;
use super::line::Line;
use crate::tui::keymap::{Action, Place};
use crate::tui::shell;

/// State of the palette.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Palette {
    /// The search text.
    pub line: Line,
    /// Index of the selected row.
    pub at: usize,
}

/// A command of the palette.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The action that it performs.
    pub action: Action,
    /// Its name; an exact match ranks first.
    pub name: String,
    /// Its name and what it applies to: `stop web`.
    pub title: String,
    /// Its key; empty if there is none.
    pub key: String,
    /// Its description, one sentence.
    pub help: Cow<'static, str>,
    /// The equivalent shell command for what is selected.
    pub shell: Option<String>,
}

/// Commands without a key binding.
const OWN: [(Action, &str, &str); 3] = [
    (
        Action::StopGroup,
        "stop group",
        "Stop all jobs of this group. Asks",
    ),
    (Action::StopAll, "stop all", "Stop all jobs. Asks"),
    (Action::Messages, "messages", "What was said so far"),
];

/// Every command in the order of the key table, then those without a key.
pub fn entries(model: &Model) -> Vec<Entry> {
    let lines = model.keymap.lines().filter(|bound| {
        let own_key = matches!(bound.binding.action, Action::Pick | Action::Literal);
        bound.binding.place == Place::Normal && !own_key
    });
    let bound = lines.map(|bound| {
        let key = bound.keys.first().cloned().unwrap_or_default();
        let name = bound.binding.label();
        let help = bound.binding.help_with_grace(model.stop_grace_ms);
        entry(model, bound.binding.action, name, key, help)
    });
    let own = OWN.iter().map(|(action, name, help)| {
        entry(
            model,
            *action,
            (*name).to_owned(),
            String::new(),
            Cow::Borrowed(*help),
        )
    });
    bound.chain(own).collect()
}

/// The commands that match the search text, best first.
pub fn found(model: &Model, palette: &Palette) -> Vec<Entry> {
    let typed = palette.line.text().trim().to_lowercase().replace('-', " ");
    let mut found: Vec<(u32, Entry)> = entries(model)
        .into_iter()
        .filter_map(|entry| Some((rank(&entry, &typed)?, entry)))
        .collect();
    // The sort is stable: equal ranks stay in the order of the table.
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, entry)| entry).collect()
}

fn entry(
    model: &Model,
    action: Action,
    name: String,
    key: String,
    help: Cow<'static, str>,
) -> Entry {
    let title = match about(model, action) {
        Some(object) => format!("{name} {object}"),
        None => name.clone(),
    };
    Entry {
        action,
        name,
        title,
        key,
        help,
        shell: shell::command(action, model),
    }
}

/// What an action applies to, in words.
fn about(model: &Model, action: Action) -> Option<String> {
    match action {
        Action::Stop | Action::Kill | Action::Restart | Action::Pause | Action::Remove => {
            match model.targets().as_slice() {
                [] => None,
                [id] => Some(model.name_of(id)),
                several => Some(format!("{} jobs", several.len())),
            }
        }
        Action::StopGroup | Action::RestartGroup => Some(model.group_title()?),
        Action::Attach
        | Action::Reply
        | Action::Decline
        | Action::Duplicate
        | Action::Edit
        | Action::Pager
        | Action::Details => Some(model.current()?.name.clone()),
        _ => None,
    }
}

/// How well a command matches, 0 is best; `None` if it does not match.
fn rank(entry: &Entry, typed: &str) -> Option<u32> {
    let (name, title) = (entry.name.to_lowercase(), entry.title.to_lowercase());
    if name == typed {
        return Some(0);
    }
    if title.starts_with(typed) {
        return Some(1);
    }
    let begins_a_word = |text: &str| text.split(' ').any(|word| word.starts_with(typed));
    if begins_a_word(&title) {
        return Some(2);
    }
    if let Some(spread) = spread(&title, typed) {
        return Some(3 + spread);
    }
    begins_a_word(&entry.help.to_lowercase()).then_some(1000)
}

/// Number of characters between the letters of `typed` in `text`; `None` if they do not all occur
/// in this order.
fn spread(text: &str, typed: &str) -> Option<u32> {
    let mut gaps = 0;
    let mut gap = 0;
    let mut wanted = typed.chars().filter(|c| *c != ' ').peekable();
    for c in text.chars().filter(|c| *c != ' ') {
        match wanted.peek() {
            None => break,
            Some(next) if *next == c => {
                wanted.next();
                gaps += gap;
                gap = 0;
            }
            Some(_) => gap += 1,
        }
    }
    wanted.peek().is_none().then_some(gaps)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches_letters_in_order_and_prefers_close_ones() {
        assert_eq!(spread("restart group", "restart group"), Some(0));
        assert_eq!(spread("restart group", "rg"), Some(6));
        assert_eq!(spread("restart", "trx"), None);
    }
}

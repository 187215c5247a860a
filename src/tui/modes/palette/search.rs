//! Finds commands by name, title, synonym and description.

use super::Entry;

/// The rank of commands of which letters match, but no words.
const LETTERS: u32 = 100;

/// The commands that match `typed`: better matches first; among equally good ones what is possible
/// now, and first what fits the selection.
pub(super) fn search(entries: Vec<Entry>, typed: &str) -> Vec<Entry> {
    let whole = typed.trim();
    let typed = plain(whole);
    let ranked = |entry: &Entry| match entry.text_in(whole) {
        Some(_) => Some(0),
        None => rank(entry, &typed),
    };
    let mut found: Vec<(u32, Entry)> = entries
        .into_iter()
        .filter_map(|entry| Some((ranked(&entry)?, entry)))
        .collect();
    // The sort is stable: equal ranks stay in their order.
    found.sort_by_key(|(rank, entry)| {
        let is_obstructed = entry.obstacle.is_some();
        (tier(*rank), is_obstructed, *rank, entry.fit)
    });
    found.into_iter().map(|(_, entry)| entry).collect()
}

/// A command that is impossible comes after those that match about as well, but not after any
/// command of which just some letters match: Enter would do something that nobody has asked for.
fn tier(rank: u32) -> u32 {
    match rank {
        0 => 0,
        1..LETTERS => 1,
        _ => 2,
    }
}

/// How well a command matches, 0 is best; `None` if it does not match.
fn rank(entry: &Entry, typed: &str) -> Option<u32> {
    if typed.is_empty() {
        return Some(1);
    }
    let (name, title) = (plain(&entry.name), plain(&entry.title));
    if name == typed {
        return Some(0);
    }
    if entry.synonyms.split(' ').any(|word| word == typed) {
        return Some(1);
    }
    if title.starts_with(typed) || name.starts_with(typed) {
        return Some(1);
    }
    let mut all = format!("{name} {title}");
    if contains_words(&all, typed) {
        return Some(2);
    }
    for (rank, more) in [(3, entry.synonyms), (4, &*entry.help)] {
        all.push(' ');
        all.push_str(&plain(more));
        if contains_words(&all, typed) {
            return Some(rank);
        }
    }
    Some(LETTERS + spread(&name, typed)?)
}

fn plain(text: &str) -> String {
    text.to_lowercase().replace('-', " ")
}

/// Whether each word of `typed` begins a word of `text`.
fn contains_words(text: &str, typed: &str) -> bool {
    let separates = |c: char| !c.is_alphanumeric();
    let begins = |word: &str| text.split(separates).any(|one| one.starts_with(word));
    typed.split_whitespace().all(begins)
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

    #[test]
    fn every_typed_word_must_begin_a_word() {
        assert!(contains_words("stop all jobs", "jo st"));
        assert!(!contains_words("stop all jobs", "top"));
        assert!(contains_words(
            "remove an ended job; all keys",
            "ended keys"
        ));
    }
}

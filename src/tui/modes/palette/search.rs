//! Finds commands by name.

use super::Entry;

/// The commands that match `typed`, best first.
pub(super) fn search(entries: Vec<Entry>, typed: &str) -> Vec<Entry> {
    let typed = typed.trim().to_lowercase().replace('-', " ");
    let mut found: Vec<(u32, Entry)> = entries
        .into_iter()
        .filter_map(|entry| Some((rank(&entry, &typed)?, entry)))
        .collect();
    // The sort is stable: equal ranks stay in their order.
    found.sort_by_key(|(rank, _)| *rank);
    found.into_iter().map(|(_, entry)| entry).collect()
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

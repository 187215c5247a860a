//! Cuts text to a number of columns. Wide characters count as two, and a cut is marked.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Width of `text` in columns.
pub fn width(text: &str) -> usize {
    UnicodeWidthStr::width(text)
}

/// The start of `text` in at most `max` columns, with `mark` where it was cut.
pub fn clip(text: &str, max: usize, mark: &str) -> String {
    if width(text) <= max {
        return text.to_owned();
    }
    let mark_width = width(mark);
    if max <= mark_width {
        return head(text, max).to_owned();
    }
    format!("{}{mark}", head(text, max - mark_width))
}

/// `text` in at most `max` columns with its middle cut out, because names often differ at their
/// ends.
pub fn clip_middle(text: &str, max: usize, mark: &str) -> String {
    let mark_width = width(mark);
    if width(text) <= max || max < mark_width + 2 {
        return clip(text, max, mark);
    }
    let room = max - mark_width;
    let tail_width = room / 2;
    format!(
        "{}{mark}{}",
        head(text, room - tail_width),
        tail(text, tail_width)
    )
}

/// The most detailed of the wordings that fits. A list of names may be cut after the first of them.
pub fn worded(what: &[String], room: usize, mark: &str) -> String {
    let fits = |words: &&String| {
        let least = words.find(", ").map_or(words.as_str(), |at| &words[..=at]);
        let is_list = words.contains(": ") && least.len() < words.len();
        let needs = width(if is_list { least } else { words.as_str() });
        needs + usize::from(is_list) <= room
    };
    let words = what.iter().find(fits).or(what.last());
    clip(words.map_or("", String::as_str), room, mark)
}

/// The longest start of `text` that fits `max` columns, without splitting a grapheme cluster.
pub fn head(text: &str, max: usize) -> &str {
    let mut used = 0;
    for (at, one) in text.grapheme_indices(true) {
        used += width(one);
        if used > max {
            return &text[..at];
        }
    }
    text
}

/// The longest end of `text` that fits `max` columns.
pub fn tail(text: &str, max: usize) -> &str {
    let mut used = 0;
    for (at, one) in text.grapheme_indices(true).rev() {
        used += width(one);
        if used > max {
            return &text[at + one.len()..];
        }
    }
    text
}

/// Wraps `text` to lines of at most `max` columns, preferably at spaces.
pub fn wrap(text: &str, max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word;
        if !line.is_empty() && width(&line) + 1 + width(word) > max {
            lines.push(std::mem::take(&mut line));
        }
        while width(word) > max.max(2) {
            let part = head(word, max.max(2));
            lines.push(part.to_owned());
            word = &word[part.len()..];
        }
        if !line.is_empty() {
            line.push(' ');
        }
        line.push_str(word);
    }
    lines.push(line);
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_a_cut_within_the_maximum_width() {
        assert_eq!(clip("my-worker", 9, "…"), "my-worker");
        assert_eq!(clip("my-worker", 5, "…"), "my-w…");
        assert_eq!(clip_middle("my-very-long-worker", 11, "…"), "my-ve…orker");
        for max in 0..12 {
            assert!(width(&clip("日本語テキスト", max, "…")) <= max);
            assert!(width(&clip_middle("日本語テキスト", max, "…")) <= max);
        }
    }

    #[test]
    fn never_splits_a_grapheme_cluster() {
        let family = "👨‍👩‍👧";
        let twice = format!("{family}{family}");
        assert_eq!((head(&twice, 3), tail(&twice, 3)), (family, family));
        assert_eq!((head(&twice, 1), tail(&twice, 1)), ("", ""));
        assert_eq!(
            (head("e\u{301}x", 1), tail("xe\u{301}", 1)),
            ("e\u{301}", "e\u{301}")
        );
    }

    #[test]
    fn wraps_lines_at_spaces() {
        assert_eq!(wrap("one two three", 7), ["one two", "three"]);
        assert_eq!(wrap("abcdefgh", 3), ["abc", "def", "gh"]);
        assert_eq!(wrap("", 7), [""]);
    }
}

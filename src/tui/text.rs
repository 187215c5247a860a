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

/// The start of `text` that fills a row of `max` columns, for text that goes on in further rows. It is never empty unless
/// `text` is: a grapheme cluster that is wider than a row is split into its characters, as a run of Hangul consonants, and
/// a character that is wider than a row is in it nevertheless.
pub fn row(text: &str, max: usize) -> &str {
    let whole = head(text, max);
    if !whole.is_empty() {
        return whole;
    }
    let ends = text.char_indices().map(|(at, one)| at + one.len_utf8());
    let first = ends.clone().next().unwrap_or(0);
    let fits = ends.take_while(|&end| width(&text[..end]) <= max);
    &text[..fits.last().unwrap_or(first)]
}

/// Wraps `text` to lines of at most `max` columns, preferably at spaces. A line has at least 2 columns.
pub fn wrap(text: &str, max: usize) -> Vec<String> {
    let mut lines = Vec::new();
    let mut line = String::new();
    for word in text.split(' ') {
        let mut word = word;
        if !line.is_empty() && width(&line) + 1 + width(word) > max {
            lines.push(std::mem::take(&mut line));
        }
        while width(word) > max.max(2) {
            let part = row(word, max.max(2));
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
    use proptest::prelude::*;

    use super::*;

    /// Words of characters that are narrow, wide, combining, or part of one cluster however many there are.
    fn words() -> impl Strategy<Value = String> {
        let chars = prop::sample::select(vec![
            'a', ' ', '日', '\u{1100}', '\u{1161}', '\u{11a8}', '\u{301}', '\u{200d}', '👩',
            '\u{fe0f}', '\u{0903}',
        ]);
        let runs = prop::collection::vec((chars, 1..40_usize), 0..12);
        runs.prop_map(|runs| {
            let run = |(c, n): (char, usize)| std::iter::repeat_n(c, n);
            runs.into_iter().flat_map(run).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// Wrapping ends, loses nothing but spaces, and no line is wider than a row.
        #[test]
        fn any_text_is_wrapped(text in words(), max in 0..20_usize) {
            let lines = wrap(&text, max);
            for line in &lines {
                prop_assert!(width(line) <= max.max(2), "{line:?} in {max}");
            }
            let solid = |text: &str| text.replace(' ', "");
            prop_assert_eq!(solid(&lines.concat()), solid(&text));
        }

        /// Rows of any width put together are the text.
        #[test]
        fn any_text_is_cut_into_rows(text in words(), max in 0..20_usize) {
            let mut rest = text.as_str();
            while !rest.is_empty() {
                let part = row(rest, max);
                prop_assert!(!part.is_empty());
                prop_assert!(width(part) <= max || part.chars().count() == 1);
                rest = &rest[part.len()..];
            }
        }
    }

    #[test]
    fn a_cluster_that_is_wider_than_a_line_is_split() {
        let jamo = "\u{1100}".repeat(200);
        assert_eq!(wrap(&jamo, 80).len(), 5);
        assert_eq!(row(&jamo, 1), "\u{1100}");
    }

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

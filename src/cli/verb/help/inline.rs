//! Styled text within a line: runs of characters of one tone, and wrapping.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use crate::cli::output::style::{Paint, Tone};

/// A line.
pub(super) type Line = Vec<Run>;

/// Characters of one tone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Run {
    /// The characters.
    pub text: String,
    /// Their tone.
    pub tone: Tone,
}

/// The width of a line in columns.
pub(super) fn width(line: &[Run]) -> usize {
    line.iter().map(|run| run.text.width()).sum()
}

/// The width of the longest word in columns.
pub(super) fn longest_word(line: &[Run]) -> usize {
    let words = words(line);
    words.iter().map(|word| width(word)).max().unwrap_or(0)
}

/// The line with its colours, without trailing blanks.
pub(super) fn paint(line: &[Run], paint: Paint) -> String {
    let text: String = line
        .iter()
        .map(|run| paint.apply(run.tone, &run.text))
        .collect();
    text.trim_end().to_owned()
}

/// Wraps text into lines of at most `columns`, at blanks if possible.
pub(super) fn wrap(text: &[Run], columns: usize) -> Vec<Line> {
    let columns = columns.max(1);
    let mut lines = vec![Line::new()];
    let mut used = 0;
    for word in words(text) {
        let wide = width(&word);
        if used > 0 && used + 1 + wide > columns {
            lines.push(Line::new());
            used = 0;
        }
        if used > 0 {
            let tone = blank_tone(&lines, &word);
            push(&mut lines, " ", tone);
            used += 1;
        }
        for run in word {
            for c in run.text.chars() {
                let columns_of_c = c.width().unwrap_or(0);
                if used + columns_of_c > columns {
                    lines.push(Line::new());
                    used = 0;
                }
                push(&mut lines, c.encode_utf8(&mut [0; 4]), run.tone);
                used += columns_of_c;
            }
        }
    }
    lines
}

/// The tone of the blank between two words: the tone of the words if they share it.
fn blank_tone(lines: &[Line], next: &[Run]) -> Tone {
    let before = lines
        .last()
        .and_then(|line| line.last())
        .map(|run| run.tone);
    match next.first() {
        Some(run) if Some(run.tone) == before => run.tone,
        _ => Tone::Normal,
    }
}

/// Appends characters to the last line.
fn push(lines: &mut [Line], text: &str, tone: Tone) {
    let Some(line) = lines.last_mut() else { return };
    match line.last_mut() {
        Some(run) if run.tone == tone => run.text.push_str(text),
        _ => line.push(Run {
            text: text.to_owned(),
            tone,
        }),
    }
}

/// The words of a text. One word may have several runs, such as code followed by a comma.
fn words(text: &[Run]) -> Vec<Line> {
    let mut words = Vec::new();
    let mut word = Line::new();
    for run in text {
        for (number, part) in run.text.split(char::is_whitespace).enumerate() {
            if number > 0 && !word.is_empty() {
                words.push(std::mem::take(&mut word));
            }
            if !part.is_empty() {
                word.push(Run {
                    text: part.to_owned(),
                    tone: run.tone,
                });
            }
        }
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(text: &str, tone: Tone) -> Run {
        Run {
            text: text.to_owned(),
            tone,
        }
    }

    fn wrapped(text: &[Run], columns: usize) -> Vec<String> {
        let lines = wrap(text, columns);
        lines.iter().map(|line| paint(line, Paint::Plain)).collect()
    }

    #[test]
    fn lines_break_at_blanks_and_long_words_anywhere() {
        let text = [run("one two\nthree", Tone::Normal)];
        assert_eq!(wrapped(&text, 7), ["one two", "three"]);
        assert_eq!(wrapped(&text, 4), ["one", "two", "thre", "e"]);
        assert_eq!(wrapped(&[run("日本語", Tone::Normal)], 5), ["日本", "語"]);
    }

    #[test]
    fn runs_without_a_blank_between_them_stay_together() {
        let text = [
            run("see ", Tone::Normal),
            run("ls", Tone::Code),
            run(", it", Tone::Normal),
        ];
        assert_eq!(wrapped(&text, 7), ["see ls,", "it"]);
        assert_eq!(wrapped(&text, 6), ["see", "ls, it"]);
        let lines = wrap(&text, 80);
        assert_eq!(paint(&lines[0], Paint::Colour), "see \x1b[36mls\x1b[0m, it");
    }
}

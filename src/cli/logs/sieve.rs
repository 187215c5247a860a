//! `logs --grep`: which lines are shown, and how.

use std::collections::VecDeque;

use regex::{Regex, RegexBuilder};

use crate::cli::output::Output;
use crate::cli::output::style::Tone;
use crate::protocol::reply::LogLine;

/// Passes the lines that match, with some lines around them.
#[derive(Clone, Debug)]
pub struct Sieve {
    pattern: Regex,
    context: usize,
    /// The last lines that have not been passed.
    before: VecDeque<LogLine>,
    /// Number of lines that are still passed after the last match.
    after: usize,
    /// Number of matches.
    found: usize,
    /// Whether lines were left out after the last one that was passed.
    has_gap: bool,
    /// Until [`Sieve::release`], the newest matches, and how many they may be.
    held: Option<(usize, VecDeque<Kept>)>,
}

/// A line that is shown.
#[derive(Clone, Debug)]
pub struct Kept {
    /// The line.
    pub line: LogLine,
    /// Whether it matches; else it is near a match.
    pub is_match: bool,
    /// Whether lines were left out between the one before and this one.
    pub has_gap: bool,
    /// The match to which it belongs.
    of: usize,
}

impl Sieve {
    /// Passes lines that match `pattern`, and `context` lines around each. With `most`, only so many of the newest
    /// matches until [`Sieve::release`].
    pub fn new(pattern: Regex, context: usize, most: Option<usize>) -> Self {
        Self {
            pattern,
            context,
            before: VecDeque::new(),
            after: 0,
            found: 0,
            has_gap: false,
            held: most.map(|most| (most, VecDeque::new())),
        }
    }

    /// Takes the next line. Returns the lines that can be shown.
    pub fn take(&mut self, line: LogLine) -> Vec<Kept> {
        let mut kept = Vec::new();
        let is_match = self.pattern.is_match(&line.text);
        if is_match {
            self.found += 1;
            self.after = self.context;
            for line in std::mem::take(&mut self.before) {
                kept.push(self.kept(line, false));
            }
            kept.push(self.kept(line, true));
        } else if self.after > 0 {
            self.after -= 1;
            kept.push(self.kept(line, false));
        } else {
            self.before.push_back(line);
            while self.before.len() > self.context {
                self.before.pop_front();
                self.has_gap = self.has_found();
            }
        }
        let Some((most, held)) = &mut self.held else {
            return kept;
        };
        held.extend(kept);
        let gone = self.found.saturating_sub(*most);
        while held.front().is_some_and(|first| first.of <= gone) {
            held.pop_front();
        }
        Vec::new()
    }

    /// The lines that were held back. Later ones are passed at once.
    pub fn release(&mut self) -> Vec<Kept> {
        let held = self.held.take();
        let mut kept: Vec<Kept> = held.map(|(_, held)| held.into()).unwrap_or_default();
        if let Some(first) = kept.first_mut() {
            first.has_gap = false;
        }
        kept
    }

    /// Whether a line matches that is not a part of the output.
    pub fn is_match(&self, text: &str) -> bool {
        self.pattern.is_match(text)
    }

    /// Whether any line has matched.
    pub fn has_found(&self) -> bool {
        self.found > 0
    }

    /// A line with its matches in colour.
    pub fn marked(&self, out: &Output, text: &str) -> String {
        marked(out, &self.pattern, text)
    }

    fn kept(&mut self, line: LogLine, is_match: bool) -> Kept {
        let has_gap = std::mem::take(&mut self.has_gap) && self.context > 0;
        Kept {
            line,
            is_match,
            has_gap,
            of: self.found,
        }
    }
}

/// Compiles a pattern.
pub fn compile(pattern: &str, ignore_case: bool) -> Result<Regex, String> {
    let mut builder = RegexBuilder::new(pattern);
    let built = builder.case_insensitive(ignore_case).build();
    built.map_err(|error| {
        let why = error.to_string();
        // The library draws the place into the pattern; its last line says what is wrong.
        let why = why.lines().last().unwrap_or_default();
        let why = why.trim_start_matches("error: ");
        format!("`{pattern}` is not a regular expression: {why}")
    })
}

/// `text` with what a pattern finds in colour.
pub fn marked(out: &Output, pattern: &Regex, text: &str) -> String {
    let mut marked = String::new();
    let mut end = 0;
    let parts = pattern.find_iter(text).filter(|part| !part.is_empty());
    for part in parts {
        marked.push_str(text.get(end..part.start()).unwrap_or_default());
        marked.push_str(&out.tint(Tone::Bad, part.as_str()));
        end = part.end();
    }
    marked.push_str(text.get(end..).unwrap_or_default());
    marked
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// The lines `text`, of which those with an `x` match, as they are shown: `|` is a gap.
    fn shown(text: &str, context: usize, most: Option<usize>) -> String {
        let mut sieve = Sieve::new(compile("x", false).unwrap(), context, most);
        let mut kept = Vec::new();
        for (n, word) in (1..).zip(text.split(' ')) {
            kept.extend(sieve.take(LogLine {
                n,
                at: None,
                stream: String::new(),
                text: word.to_owned(),
                by: None,
                kind: None,
                offset: None,
                goes_on: false,
            }));
        }
        kept.extend(sieve.release());
        let one = |kept: &Kept| {
            let gap = if kept.has_gap { "| " } else { "" };
            format!("{gap}{}", kept.line.text)
        };
        kept.iter().map(one).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn lines_near_a_match_are_kept() {
        assert_eq!(shown("a x1 b c x2 d", 0, None), "x1 x2");
        assert_eq!(shown("a b x1 c d e f x2 g", 1, None), "b x1 c | f x2 g");
        assert_eq!(shown("a x1 b x2 c", 1, None), "a x1 b x2 c");
        assert_eq!(shown("x1 b c x2", 1, None), "x1 b c x2");
        assert_eq!(shown("a b c", 2, None), "");
    }

    #[test]
    fn the_newest_matches_are_kept_with_their_context() {
        assert_eq!(shown("x1 a x2 b x3 c", 0, Some(2)), "x2 x3");
        assert_eq!(shown("x1 a b c x2 d", 1, Some(1)), "c x2 d");
        assert_eq!(shown("x1 a", 0, Some(0)), "");
    }

    #[test]
    fn patterns_are_explained() {
        assert!(compile("A", true).unwrap().is_match("a"));
        let why = compile("(", false).unwrap_err();
        assert_eq!(why, "`(` is not a regular expression: unclosed group");
    }
}

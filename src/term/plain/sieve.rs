//! Selects lines that match a pattern, and the lines around them.
//!
//! The pattern is not tried on each line, but searched in a text of many lines at once. That is
//! several times faster if few lines match. The pattern is modified so that a match lies within one
//! line.

use std::ops::Range;

use regex::{Regex, RegexBuilder};
use regex_syntax::ParserBuilder;
use regex_syntax::hir::{Class, ClassBytes, ClassBytesRange, ClassUnicode, ClassUnicodeRange};
use regex_syntax::hir::{Hir, HirKind, Look, Repetition};

use super::block::Block;

/// A filter for lines that match a pattern, and the lines around them.
#[derive(Clone, Debug)]
pub struct Sieve {
    pattern: Regex,
    /// Number of lines before and after each match.
    around: usize,
}

impl Sieve {
    /// Creates a sieve for a pattern that may take up to `most` bytes of memory. `None` if the
    /// pattern is invalid or needs more; each line must then be searched on its own.
    pub fn new(pattern: &str, ignore_case: bool, most: usize, around: usize) -> Option<Self> {
        let mut parser = ParserBuilder::new();
        let parser = parser.multi_line(true).case_insensitive(ignore_case);
        let within = within_line(&parser.build().parse(pattern).ok()?);
        let mut builder = RegexBuilder::new(&within.to_string());
        let pattern = builder.size_limit(most).build().ok()?;
        Some(Self { pattern, around })
    }

    /// The lines of a range that are wanted, in order. These include the first and last ones, which
    /// may be around matches outside the range.
    pub fn wanted<'a>(
        &'a self,
        block: &'a Block,
        lines: Range<usize>,
    ) -> impl Iterator<Item = usize> + 'a {
        let first = lines.start..lines.end.min(lines.start + self.around);
        let (mut told, mut searched) = (first.end, lines.start);
        let groups = std::iter::from_fn(move || {
            if searched >= lines.end {
                return None;
            }
            let found = self.find(block, searched..lines.end);
            let from = found.unwrap_or(lines.end).saturating_sub(self.around);
            let to = found.map_or(lines.end, |found| found + self.around + 1);
            let group = from.max(told)..to.min(lines.end);
            told = told.max(group.end);
            searched = found.map_or(lines.end, |found| found + 1);
            Some(group)
        });
        std::iter::once(first).chain(groups).flatten()
    }

    /// The first of `lines` that matches the pattern.
    pub fn find(&self, block: &Block, lines: Range<usize>) -> Option<usize> {
        let text = block.range(lines.clone());
        let found = self.pattern.find_at(&block.text[..text.end], text.start)?;
        // An empty pattern also matches after the last newline.
        (found.start() < text.end).then(|| block.line_at(lines.start, found.start()))
    }
}

/// A pattern that finds, in a text of lines and within one line, what `hir` finds in each line
/// alone.
fn within_line(hir: &Hir) -> Hir {
    let all = |parts: &[Hir]| parts.iter().map(within_line).collect();
    match hir.kind() {
        HirKind::Empty => Hir::empty(),
        HirKind::Look(Look::Start) => Hir::look(Look::StartLF),
        HirKind::Look(Look::End) => Hir::look(Look::EndLF),
        HirKind::Look(look) => Hir::look(*look),
        HirKind::Literal(literal) if literal.0.contains(&b'\n') => Hir::fail(),
        HirKind::Literal(literal) => Hir::literal(literal.0.clone()),
        HirKind::Class(Class::Unicode(class)) => {
            let mut class = class.clone();
            class.difference(&ClassUnicode::new([ClassUnicodeRange::new('\n', '\n')]));
            Hir::class(Class::Unicode(class))
        }
        HirKind::Class(Class::Bytes(class)) => {
            let mut class = class.clone();
            class.difference(&ClassBytes::new([ClassBytesRange::new(b'\n', b'\n')]));
            Hir::class(Class::Bytes(class))
        }
        HirKind::Repetition(repetition) => Hir::repetition(Repetition {
            sub: Box::new(within_line(&repetition.sub)),
            ..repetition.clone()
        }),
        HirKind::Capture(capture) => within_line(&capture.sub),
        HirKind::Concat(parts) => Hir::concat(all(parts)),
        HirKind::Alternation(parts) => Hir::alternation(all(parts)),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::collection::vec;
    use proptest::prelude::*;

    use super::*;

    fn block(lines: &[String]) -> Block {
        let mut block = Block::default();
        for line in lines {
            block.text.push_str(line);
            block.end_line(0);
        }
        block
    }

    /// The wanted lines, found by searching each line on its own.
    fn wanted(pattern: &Regex, lines: &[String], range: Range<usize>, around: usize) -> Vec<usize> {
        let mut wanted = vec![false; lines.len()];
        let (first, last) = (range.start + around, range.end.saturating_sub(around));
        for line in range.clone() {
            wanted[line] |= line < first || line >= last;
            if pattern.is_match(&lines[line]) {
                let near = line.saturating_sub(around)..(line + around + 1).min(lines.len());
                wanted[near].fill(true);
            }
        }
        range.filter(|line| wanted[*line]).collect()
    }

    /// Patterns with special meaning, or none, at the ends of lines.
    fn pattern() -> impl Strategy<Value = String> {
        let part = prop_oneof![
            4 => "[abc é]",
            2 => r"\^|\$|\\A|\\z|\\b|\\B|\\b\{start\}|\\n|\\r|\\s|\\S|\\d|\\W|\\w|\.|",
            2 => r"\[\^a\]|\[ab\]|\[\^b \]|\(\?s:\.\)|\(\?-m:\^\)|\(\?-m:\$\)|\(\?R:\$\)|\(\?-u:\[a-c\]\)|\(\?x: a \)",
            1 => r"a\*|b\+|\[\^a\]\*|\\s\+|\(ab\)\{2\}|\.\*\?|\(\?s:\.\*\)|\(a\|\\n\|c\)|\(\?i:B\)",
        ];
        vec(part, 1..5).prop_map(|parts| parts.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2048))]

        #[test]
        fn it_selects_the_lines_that_a_search_of_each_line_finds(
            pattern in pattern(), ignore_case: bool, around in 0..4_usize,
            lines in vec("[abcAB é\u{85}]{0,6}", 0..20), cut in 0..4_usize,
        ) {
            let mut regex = RegexBuilder::new(&pattern);
            let Ok(regex) = regex.multi_line(true).case_insensitive(ignore_case).build() else {
                return Ok(());
            };
            let sieve = Sieve::new(&pattern, ignore_case, 1 << 20, around).unwrap();
            let range = cut.min(lines.len())..lines.len().saturating_sub(cut).max(cut.min(lines.len()));
            let told: Vec<usize> = sieve.wanted(&block(&lines), range.clone()).collect();
            prop_assert_eq!(told, wanted(&regex, &lines, range, around));
        }
    }

    #[test]
    fn a_pattern_with_a_newline_matches_no_line() {
        let lines = ["a".to_owned(), "b".to_owned()];
        for pattern in [r"a\nb", r"a\s*b", r"[^c]{3}", "(?s)a.b"] {
            let sieve = Sieve::new(pattern, false, 1 << 20, 0).unwrap();
            assert_eq!(sieve.wanted(&block(&lines), 0..2).count(), 0, "{pattern}");
        }
        assert!(Sieve::new("[", false, 1 << 20, 0).is_none());
        assert!(Sieve::new("a{1000}", false, 100, 0).is_none());
    }
}

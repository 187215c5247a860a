//! The differences between two logs with a few lines around each, as `diff -u` shows them.

use std::ops::Range;

use super::align::Pair;

/// Differences that are near each other, with the lines around them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Hunk {
    /// Its lines of the first log.
    pub left: Range<usize>,
    /// Its lines of the second log.
    pub right: Range<usize>,
    /// Its lines in order. Of lines that differ, those of the first log come first.
    pub lines: Vec<Line>,
}

/// A line of a hunk, as an index of one log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    /// Both logs have it; the index is that of the second one.
    Both(usize),
    /// Only the first log has it.
    Left(usize),
    /// Only the second log has it.
    Right(usize),
}

/// The hunks of two aligned logs, with at most `context` equal lines around each difference.
pub fn hunks(pairs: &[Pair], context: usize) -> Vec<Hunk> {
    let differs = |at: usize| pairs.get(at).is_some_and(|pair| !pair.is_equal);
    let mut hunks = Vec::new();
    let mut done = 0;
    while let Some(first) = (done..pairs.len()).find(|at| differs(*at)) {
        let mut end = first + 1;
        // Hunks whose context would overlap are one.
        let reach = context.saturating_mul(2).saturating_add(1);
        while let Some(next) =
            (end..end.saturating_add(reach).min(pairs.len())).find(|at| differs(*at))
        {
            end = next + 1;
        }
        let start = first.saturating_sub(context).max(done);
        let stop = end.saturating_add(context).min(pairs.len());
        hunks.push(hunk(pairs, start..stop));
        done = stop;
    }
    hunks
}

fn hunk(pairs: &[Pair], range: Range<usize>) -> Hunk {
    // Where a log has no line in the hunk, its place is behind the line before.
    let before = |side: fn(&Pair) -> Option<usize>| {
        let before = pairs.iter().take(range.start).rev();
        before.filter_map(side).map(|at| at + 1).next().unwrap_or(0)
    };
    let (left, right) = (before(|pair| pair.left), before(|pair| pair.right));
    let mut hunk = Hunk {
        left: left..left,
        right: right..right,
        lines: Vec::new(),
    };
    let mut added = Vec::new();
    for pair in pairs.iter().take(range.end).skip(range.start) {
        hunk.left.end = pair.left.map_or(hunk.left.end, |at| at + 1);
        hunk.right.end = pair.right.map_or(hunk.right.end, |at| at + 1);
        match (pair.is_equal, pair.right) {
            (true, Some(right)) => {
                hunk.lines.append(&mut added);
                hunk.lines.push(Line::Both(right));
            }
            _ => {
                hunk.lines.extend(pair.left.map(Line::Left));
                added.extend(pair.right.map(Line::Right));
            }
        }
    }
    hunk.lines.append(&mut added);
    hunk
}

#[cfg(test)]
mod tests {
    use super::super::align::align;
    use super::*;

    fn drawn(left: &str, right: &str, context: usize) -> Vec<String> {
        let split = |text: &str| -> Vec<String> { text.chars().map(String::from).collect() };
        let (left, right) = (split(left), split(right));
        let hunks = hunks(&align(&left, &right), context);
        let one = |hunk: &Hunk| {
            let lines = hunk.lines.iter().map(|line| match line {
                Line::Both(at) => right[*at].clone(),
                Line::Left(at) => format!("-{}", left[*at]),
                Line::Right(at) => format!("+{}", right[*at]),
            });
            let (l, r) = (&hunk.left, &hunk.right);
            format!(
                "{}-{} {}-{} {}",
                l.start,
                l.end,
                r.start,
                r.end,
                lines.collect::<String>()
            )
        };
        hunks.iter().map(one).collect()
    }

    #[test]
    fn differences_are_grouped_with_their_context() {
        assert!(drawn("abc", "abc", 3).is_empty());
        assert!(drawn("", "", 3).is_empty());
        assert_eq!(drawn("abcdefg", "abcXefg", 1), ["2-5 2-5 c-d+Xe"]);
        assert_eq!(
            drawn("abcdefg", "XbcdefY", 1),
            ["0-2 0-2 -a+Xb", "5-7 5-7 f-g+Y"]
        );
        assert_eq!(drawn("abcd", "XbcY", 1), ["0-4 0-4 -a+Xbc-d+Y"]);
        assert_eq!(drawn("abc", "abcde", 0), ["3-3 3-5 +d+e"]);
        assert_eq!(drawn("", "a", 3), ["0-0 0-1 +a"]);
        assert_eq!(drawn("xyz", "ab", 3), ["0-3 0-2 -x-y-z+a+b"]);
    }

    #[test]
    fn every_difference_is_in_one_hunk() {
        let text = |seed: usize| -> String {
            (0..300)
                .map(|n| char::from(b'a' + u8::try_from((n * seed) % 23).unwrap_or(0)))
                .collect()
        };
        let (left, right) = (text(7), text(11));
        for context in [0, 1, 3, 1000] {
            let shown: String = drawn(&left, &right, context).concat();
            let split = |text: &str| -> Vec<String> { text.chars().map(String::from).collect() };
            let pairs = align(&split(&left), &split(&right));
            let unequal = pairs.iter().filter(|pair| !pair.is_equal);
            let minus = unequal.clone().filter(|pair| pair.left.is_some()).count();
            let plus = unequal.filter(|pair| pair.right.is_some()).count();
            // The ranges have one more dash each, two of them for each hunk.
            let hunks = drawn(&left, &right, context).len();
            assert_eq!(shown.matches('-').count() - 2 * hunks, minus);
            assert_eq!(shown.matches('+').count(), plus);
        }
    }
}

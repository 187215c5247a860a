//! Two logs beside each other: which line of the one stands beside which line of the other.

use std::collections::{HashMap, HashSet};

use similar::{Algorithm, DiffOp, capture_diff_slices};

use super::mask::mask;

/// Lines that stand beside each other, as indexes; `None` where one log has no line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    /// The line of the first log.
    pub left: Option<usize>,
    /// The line of the second log.
    pub right: Option<usize>,
    /// Whether both lines are equal, apart from what [`mask`] replaces.
    pub is_equal: bool,
}

/// Aligns two logs by a diff of their masked lines.
pub fn align<T: AsRef<str>>(left: &[T], right: &[T]) -> Vec<Pair> {
    // Numbers are faster to compare than lines.
    let mut numbers: HashMap<String, usize> = HashMap::new();
    let mut number = |line: &T| {
        let next = numbers.len();
        let masked = mask(line.as_ref()).trim_end().to_owned();
        *numbers.entry(masked).or_insert(next)
    };
    let left: Vec<usize> = left.iter().map(&mut number).collect();
    let right: Vec<usize> = right.iter().map(&mut number).collect();
    let mut pairs = Vec::with_capacity(left.len().max(right.len()));
    let (mut l, mut r) = (0, 0);
    for (to_l, to_r) in equal(&left, &right) {
        unequal(&mut pairs, l..to_l, r..to_r);
        let (left, right) = (Some(to_l), Some(to_r));
        pairs.push(Pair {
            left,
            right,
            is_equal: true,
        });
        (l, r) = (to_l + 1, to_r + 1);
    }
    unequal(&mut pairs, l..left.len(), r..right.len());
    pairs
}

/// The indexes of equal lines, in order.
fn equal(left: &[usize], right: &[usize]) -> Vec<(usize, usize)> {
    // Without the lines that only one log has, a diff of logs that have little in common is fast.
    let both = |own: &[usize], other: &[usize]| -> Vec<(usize, usize)> {
        let other: HashSet<usize> = other.iter().copied().collect();
        let own = own.iter().copied().enumerate();
        own.filter(|(_, line)| other.contains(line)).collect()
    };
    let (left, right) = (both(left, right), both(right, left));
    let lines =
        |side: &[(usize, usize)]| -> Vec<usize> { side.iter().map(|(_, line)| *line).collect() };
    let ops = capture_diff_slices(Algorithm::Myers, &lines(&left), &lines(&right));
    let mut pairs = Vec::new();
    for op in ops {
        if let DiffOp::Equal {
            old_index,
            new_index,
            len,
        } = op
        {
            let left = left.iter().skip(old_index).take(len);
            let right = right.iter().skip(new_index);
            pairs.extend(left.zip(right).map(|((l, _), (r, _))| (*l, *r)));
        }
    }
    pairs
}

/// Adds lines that differ: beside each other as far as both logs have some.
fn unequal(pairs: &mut Vec<Pair>, left: std::ops::Range<usize>, right: std::ops::Range<usize>) {
    let rows = left.len().max(right.len());
    let nth = |range: &std::ops::Range<usize>, n: usize| {
        Some(range.start + n).filter(|at| range.contains(at))
    };
    pairs.extend((0..rows).map(|n| Pair {
        left: nth(&left, n),
        right: nth(&right, n),
        is_equal: false,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(left: &[&str], right: &[&str]) -> Vec<String> {
        let text = |lines: &[&str], at: Option<usize>| {
            at.map_or("-".to_owned(), |at| lines[at].to_owned())
        };
        let pairs = align(left, right).into_iter();
        pairs
            .map(|pair| {
                let sign = if pair.is_equal { "=" } else { "!" };
                format!("{}{sign}{}", text(left, pair.left), text(right, pair.right))
            })
            .collect()
    }

    #[test]
    fn equal_lines_stand_beside_each_other() {
        assert_eq!(
            drawn(&["a", "b", "c", "x"], &["a", "c", "y", "z"]),
            ["a=a", "b!-", "c=c", "x!y", "-!z"]
        );
        assert_eq!(drawn(&[], &["a"]), ["-!a"]);
        assert!(drawn(&[], &[]).is_empty());
        assert_eq!(drawn(&["took 3ms"], &["took 5ms "]), ["took 3ms=took 5ms "]);
    }

    #[test]
    fn every_line_appears_once_and_in_order() {
        // Logs of the same lines in another order, the worst case of a diff.
        let left: Vec<String> = (0..400).map(|n| format!("line {}", n * 7 % 401)).collect();
        let right: Vec<String> = (0..300).map(|n| format!("line {}", n * 5 % 401)).collect();
        let pairs = align(&left, &right);
        let ls: Vec<usize> = pairs.iter().filter_map(|pair| pair.left).collect();
        let rs: Vec<usize> = pairs.iter().filter_map(|pair| pair.right).collect();
        assert!(ls.into_iter().eq(0..400) && rs.into_iter().eq(0..300));
    }
}

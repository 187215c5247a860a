//! The matches of `grep` with the lines around them, as many as a reply has room for.

use std::borrow::Cow;
use std::collections::VecDeque;

use super::Room;
use crate::protocol::Timestamp;
use crate::protocol::reply::{Left, LogMatch};

/// Which matches are wanted.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    /// Maximum number of matches.
    pub(super) most: usize,
    /// Lines before and after each.
    pub(super) context: usize,
    /// Whether the newest are wanted, and not the oldest.
    pub(super) newest: bool,
}

/// What is to be known of a line that matches.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    /// When it was written.
    pub(super) at: Option<Timestamp>,
    /// Offset of its first byte.
    pub(super) offset: u64,
    /// Number of bytes of it that are not shown.
    pub(super) cut: u64,
}

/// Collects matches from lines that are passed in order.
pub(super) struct Matches {
    room: Room,
    wanted: Wanted,
    found: VecDeque<LogMatch>,
    /// The last lines, which are those before the next match.
    before: VecDeque<String>,
    /// Number of the last line that was read.
    last: u64,
    /// Bytes that the matches take in the reply.
    size: usize,
    omitted: Left,
    truncated: bool,
}

impl Matches {
    pub(super) fn new(room: Room, wanted: Wanted) -> Self {
        Self {
            room,
            wanted,
            found: VecDeque::new(),
            before: VecDeque::new(),
            last: 0,
            size: 0,
            omitted: Left::default(),
            truncated: false,
        }
    }

    /// Notes that line `n` was read. Lines may have been skipped; those before them are no context of what follows.
    pub(super) fn read(&mut self, n: u64) {
        if n > self.last + 1 {
            self.before.clear();
        }
        self.last = n;
    }

    /// Adds line `n`, which was read. Returns whether more lines are wanted.
    pub(super) fn add(&mut self, n: u64, text: Cow<'_, str>, hit: Option<Hit>) -> bool {
        if hit.is_some() && self.shows_once() {
            self.forget_shown(n);
        }
        let needed = self.needed(&text);
        let is_full = self.found.len() == self.wanted.most || !self.has_room(needed);
        let kept = hit.filter(|_| self.wanted.newest || !is_full);
        self.truncated |= hit.is_some() && is_full;
        if self.wanted.context > 0 {
            self.follow(n, &text, kept.is_some());
        }
        if let Some(hit) = kept {
            if is_full {
                self.make_room(needed);
            }
            self.keep(n, &text, hit, needed);
        }
        if self.wanted.context > 0 {
            self.remember(text.into_owned());
        }
        self.wants_more()
    }

    /// Whether more lines are wanted: not if a match was left out and the last one has all that follows it.
    pub(super) fn wants_more(&self) -> bool {
        let context = self.wanted.context as u64;
        let is_complete = |last: &LogMatch| last.n + context <= self.last;
        self.wanted.newest || !self.truncated || !self.found.back().is_none_or(is_complete)
    }

    /// The matches, whether there are others, and what was left out.
    pub(super) fn take(mut self) -> (Vec<LogMatch>, bool, Left) {
        if self.room.is_lean && self.wanted.newest {
            show_once(self.found.make_contiguous());
        }
        (self.found.into(), self.truncated, self.omitted)
    }

    /// Whether each line is shown once, after the last match before it, as grep(1) does. Which matches are the newest is
    /// known only at the end.
    fn shows_once(&self) -> bool {
        self.room.is_lean && !self.wanted.newest
    }

    /// Drops the lines before match `n` that are shown after the match before it.
    fn forget_shown(&mut self, n: u64) {
        if let Some(last) = self.found.back() {
            let shown = last.n + last.after.len() as u64;
            let new = usize::try_from(n.saturating_sub(shown + 1)).unwrap_or(usize::MAX);
            let gone = self.before.len().saturating_sub(new);
            self.before.drain(..gone);
        }
    }

    /// Bytes that a match takes with the lines before it.
    fn needed(&self, text: &str) -> usize {
        let lines = self.before.iter().map(String::len).chain([text.len()]);
        lines.map(|length| length + self.room.per_line).sum()
    }

    fn has_room(&self, needed: usize) -> bool {
        self.found.is_empty() || self.size + needed <= self.room.text
    }

    /// Adds a line to the matches that it follows. `is_match`: it is shown as a match itself.
    fn follow(&mut self, n: u64, text: &str, is_match: bool) {
        let context = self.wanted.context;
        let followed = if self.shows_once() {
            usize::from(!is_match)
        } else {
            context
        };
        for open in self.found.iter_mut().rev().take(followed) {
            if open.n + (context as u64) < n {
                continue;
            }
            let size = self.size + text.len() + self.room.per_line;
            // After a line that did not fit, the others would have the numbers of those before them.
            let is_next = open.n + open.after.len() as u64 + 1 == n;
            if is_next && size <= self.room.text {
                self.size = size;
                open.after.push(text.to_owned());
            } else {
                self.omitted.bytes += text.len() as u64;
                self.omitted.lines += 1;
            }
        }
    }

    /// Drops the oldest matches until there is room for another one.
    fn make_room(&mut self, needed: usize) {
        while self.found.len() == self.wanted.most || !self.has_room(needed) {
            let Some(gone) = self.found.pop_front() else {
                return;
            };
            let lines = 1 + gone.before.len() + gone.after.len();
            let freed = size_of_match(&gone) + lines * self.room.per_line;
            self.size = self.size.saturating_sub(freed);
        }
    }

    fn keep(&mut self, n: u64, text: &str, hit: Hit, needed: usize) {
        self.omitted.bytes += hit.cut;
        self.size += needed;
        self.found.push_back(LogMatch {
            n,
            at: hit.at.filter(|_| !self.room.is_lean),
            offset: Some(hit.offset).filter(|_| !self.room.is_lean),
            text: text.to_owned(),
            before: self.before.iter().cloned().collect(),
            after: Vec::new(),
        });
    }

    /// Remembers a line that may be before a match.
    fn remember(&mut self, text: String) {
        self.before.push_back(text);
        let size = |before: &VecDeque<String>| before.iter().map(String::len).sum::<usize>();
        while self.before.len() > self.wanted.context || size(&self.before) > self.room.text {
            self.before.pop_front();
        }
    }
}

/// Leaves each line only once, after the last match before it.
fn show_once(matches: &mut [LogMatch]) {
    for at in 1..matches.len() {
        let (earlier, later) = matches.split_at_mut(at);
        let (last, next) = (&mut earlier[at - 1], &mut later[0]);
        let between = usize::try_from(next.n - last.n - 1).unwrap_or(usize::MAX);
        last.after.truncate(between);
        let new = between - last.after.len();
        next.before.drain(..next.before.len().saturating_sub(new));
    }
}

/// Bytes of text in a match, with its context.
pub(super) fn size_of_match(found: &LogMatch) -> usize {
    let around = found.before.iter().chain(&found.after);
    found.text.len() + around.map(String::len).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the lines of each match: those before it, its own and those after it. Lines with `!` match.
    fn found(log: &str, is_lean: bool, wanted: Wanted) -> (Vec<[Vec<u64>; 3]>, bool) {
        let room = Room {
            text: 1000,
            per_line: 0,
            is_lean,
        };
        let mut matches = Matches::new(room, wanted);
        for (n, line) in (1..).zip(log.chars()) {
            matches.read(n);
            let hit = (line == '!').then_some(Hit {
                at: None,
                offset: n,
                cut: 0,
            });
            if !matches.add(n, n.to_string().into(), hit) {
                break;
            }
        }
        let (matches, truncated, _) = matches.take();
        let numbers =
            |lines: &[String]| lines.iter().filter_map(|line| line.parse().ok()).collect();
        let lines = matches
            .iter()
            .map(|found| [numbers(&found.before), vec![found.n], numbers(&found.after)]);
        (lines.collect(), truncated)
    }

    const WANTED: Wanted = Wanted {
        most: 9,
        context: 1,
        newest: false,
    };

    #[test]
    fn a_program_gets_all_lines_around_each_match_and_a_model_each_line_once() {
        let all = [
            [vec![1], vec![2], vec![3]],
            [vec![2], vec![3], vec![4]],
            [vec![4], vec![5], vec![6]],
        ];
        assert_eq!(found(".!!.!.", false, WANTED), (all.into(), false));
        let once = [
            [vec![1], vec![2], vec![]],
            [vec![], vec![3], vec![4]],
            [vec![], vec![5], vec![6]],
        ];
        for newest in [false, true] {
            let wanted = Wanted { newest, ..WANTED };
            assert_eq!(found(".!!.!.", true, wanted), (once.clone().into(), false));
        }
    }

    #[test]
    fn a_match_that_is_left_out_is_a_line_around_the_others() {
        let few = Wanted {
            most: 1,
            context: 2,
            ..WANTED
        };
        let oldest = [[vec![1], vec![2], vec![3, 4]]];
        assert_eq!(found(".!!..!.", true, few), (oldest.into(), true));
        let newest = [[vec![4, 5], vec![6], vec![7]]];
        let few = Wanted {
            newest: true,
            ..few
        };
        assert_eq!(found(".!!..!.", true, few), (newest.into(), true));
        let newest = [[vec![1, 2], vec![3], vec![4]]];
        assert_eq!(found(".!!.", true, few), (newest.into(), true));
    }

    #[test]
    fn as_many_of_the_newest_are_kept_as_have_room() {
        let wanted = |context| Wanted {
            most: 5,
            context,
            newest: true,
        };
        let room = |text| Room {
            text,
            per_line: 24,
            is_lean: true,
        };
        // Ten matches have room, or four lines.
        for (text, context, expected) in [
            (10 * 25, 0, [96, 97, 98, 99, 100].as_slice()),
            (4 * 25, 0, &[97, 98, 99, 100]),
            (6 * 25, 1, &[99, 100]),
        ] {
            let mut matches = Matches::new(room(text), wanted(context));
            for n in 1..=100 {
                matches.read(n);
                let hit = Hit {
                    at: None,
                    offset: n,
                    cut: 0,
                };
                matches.add(n, "x".into(), Some(hit));
            }
            let (found, truncated, _) = matches.take();
            let numbers: Vec<_> = found.iter().map(|found| found.n).collect();
            assert_eq!((numbers.as_slice(), truncated), (expected, true));
        }
    }

    #[test]
    fn without_context_the_search_ends_at_the_match_that_is_left_out() {
        let one = Wanted {
            most: 1,
            context: 0,
            newest: false,
        };
        let mut matches = Matches::new(
            Room {
                text: 1000,
                per_line: 0,
                is_lean: true,
            },
            one,
        );
        let hit = Some(Hit {
            at: None,
            offset: 0,
            cut: 0,
        });
        let goes_on = [1, 2].map(|n| {
            matches.read(n);
            matches.add(n, "x".into(), hit)
        });
        assert_eq!(goes_on, [true, false]);
    }
}

//! When a job reacts to changes of files.
//!
//! Changes are gathered until nothing has changed for a while ([`Pending`]). Then it is decided for each file whether
//! its content differs ([`is_change()`]). A job that causes its own restarts is recognised by their rhythm
//! ([`Loops`]). All times are milliseconds since boot.

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

/// Longest time from the first change to the reaction, if files keep changing: 2 s.
const LONGEST_MS: u64 = 2000;

/// Longest wait while git says that it changes files: 30 s. A git that was killed leaves its lock for ever.
const LONGEST_GIT_MS: u64 = 30_000;

/// Number of files from which on it is not asked which of them really differ.
pub const MANY: usize = 500;

/// What the events about a file have said so far.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Touch {
    /// The first thing that happened to it is that it appeared.
    pub is_new: bool,
    /// It was only closed, without having been written: by touch(1), or after a write through a memory map.
    pub is_weak: bool,
    /// It was written and has not been closed yet, so it may not be complete.
    pub is_open: bool,
}

/// The changes to which a job has not reacted yet.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pending {
    debounce_ms: u64,
    batch: Option<Batch>,
}

/// Changes that belong together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Batch {
    /// When the first one was seen.
    pub first: u64,
    /// When the last one was seen.
    pub last: u64,
    /// The files, at most [`MANY`].
    pub files: BTreeMap<PathBuf, Touch>,
    /// Whether there are more files, or events were lost, so that it is certain that something has changed.
    pub is_certain: bool,
    /// Earliest reaction, while git changes files.
    not_before: u64,
    /// Whether git was changing files when it was last looked.
    is_git_at_work: bool,
}

impl Pending {
    /// Nothing has changed yet. The reaction comes `debounce_ms` after the last change.
    pub fn new(debounce_ms: u64) -> Self {
        Self {
            debounce_ms,
            batch: None,
        }
    }

    /// Something happened to a file.
    pub fn change(&mut self, path: &Path, touch: Touch, now: u64) {
        let batch = self.batch(now);
        if let Some(known) = batch.files.get_mut(path) {
            known.is_weak &= touch.is_weak;
            known.is_open = touch.is_open;
        } else if batch.files.len() < MANY {
            batch.files.insert(path.to_owned(), touch);
        } else {
            batch.is_certain = true;
        }
    }

    /// Changes were lost, or are too many to be looked at.
    pub fn certain(&mut self, now: u64) {
        self.batch(now).is_certain = true;
    }

    /// A file that has changed; `None` if nothing has, or if the files are not known.
    pub fn first_file(&self) -> Option<&Path> {
        let (path, _) = self.batch.as_ref()?.files.first_key_value()?;
        Some(path)
    }

    /// Whether it is certain that something has changed.
    pub fn is_certain(&self) -> bool {
        self.batch.as_ref().is_some_and(|batch| batch.is_certain)
    }

    fn batch(&mut self, now: u64) -> &mut Batch {
        let batch = self.batch.get_or_insert_with(|| Batch {
            first: now,
            last: now,
            files: BTreeMap::new(),
            is_certain: false,
            not_before: 0,
            is_git_at_work: false,
        });
        batch.last = batch.last.max(now);
        batch
    }

    /// When the job reacts; `None` if nothing has changed. A file that is being written is waited for as long as for
    /// further changes.
    pub fn due(&self) -> Option<u64> {
        let batch = self.batch.as_ref()?;
        let quiet = batch.last.saturating_add(self.debounce_ms);
        let longest = LONGEST_MS.max(self.debounce_ms);
        let latest = batch.first.saturating_add(longest);
        let is_complete = !batch.files.values().any(|touch| touch.is_open);
        let quiet = if is_complete { quiet } else { latest };
        Some(quiet.min(latest).max(batch.not_before))
    }

    /// The changes, if the job reacts now.
    pub fn take(&mut self, now: u64) -> Option<Batch> {
        self.due().filter(|due| *due <= now)?;
        self.batch.take()
    }

    /// Takes changes back, because git is changing files, or was when it was last looked: the reaction comes later,
    /// together with what has changed meanwhile.
    pub fn wait_for_git(&mut self, mut batch: Batch, is_at_work: bool, now: u64) {
        batch.not_before = now.saturating_add(self.debounce_ms.max(1));
        batch.is_git_at_work = is_at_work;
        if let Some(newer) = self.batch.replace(batch)
            && let Some(batch) = &mut self.batch
        {
            batch.last = batch.last.max(newer.last);
            batch.is_certain |= newer.is_certain;
            for (path, touch) in newer.files {
                self.change(&path, touch, newer.last);
            }
        }
    }
}

impl Batch {
    /// Whether it may still wait for git.
    pub fn may_wait(&self, now: u64) -> bool {
        now.saturating_sub(self.first) < LONGEST_GIT_MS
    }

    /// Whether the reaction has to wait, if git `is_at_work` now. Once it has ended there may still be changes of it that
    /// are not in the batch, so the batch waits once more.
    pub fn waits_for_git(&self, is_at_work: bool) -> bool {
        is_at_work || self.is_git_at_work
    }
}

/// What is remembered of a file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Print {
    /// A file of this size whose content has this hash.
    Content(u64, u64),
    /// A file that is too large to be read: its size, and when it was written, in nanoseconds.
    Large(u64, i64),
}

/// What is known of a file before a change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Before {
    /// It did not exist.
    Absent,
    /// It may have existed; its content is not remembered.
    Unknown,
    /// It was this.
    Was(Print),
}

/// Whether a file differs from what it was. `now` is `None` if it does not exist.
pub fn is_change(before: Before, now: Option<Print>, touch: Touch) -> bool {
    match (before, now) {
        (Before::Absent, now) => now.is_some(),
        (Before::Unknown, None) => !touch.is_new,
        (Before::Unknown, Some(_)) => !touch.is_weak,
        (Before::Was(_), None) => true,
        (Before::Was(Print::Large(old, _)), Some(Print::Large(new, _))) if touch.is_weak => {
            old != new
        }
        (Before::Was(old), Some(new)) => old != new,
    }
}

/// Files that have changed together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Changes {
    /// Some of the files.
    pub files: Vec<PathBuf>,
    /// Those of them that did not exist before.
    pub new: Vec<PathBuf>,
    /// How many there are besides, at least.
    pub more: usize,
    /// When the first one changed, in boot-time milliseconds.
    pub first: u64,
    /// When the last one changed.
    pub last: u64,
}

impl Changes {
    /// Most files that are named; the others are counted.
    pub const NAMED: usize = 20;

    /// Adds what has changed later.
    pub fn add(&mut self, later: Self) {
        let before = self.files.len();
        // Files that are counted only may be the same ones.
        self.more = self.more.max(later.more);
        for file in later.files {
            if self.files.contains(&file) {
                continue;
            }
            if self.files.len() < Self::NAMED {
                self.files.push(file);
            } else {
                self.more = self.more.saturating_add(1);
            }
        }
        let (seen, added) = self.files.split_at(before);
        let is_added = |file: &PathBuf| added.contains(file) && !seen.contains(file);
        self.new.extend(later.new.into_iter().filter(is_added));
        self.first = self.first.min(later.first);
        self.last = self.last.max(later.last);
    }
}

/// After so many restarts in a row that a job has caused itself, it is left alone.
const MOST_IN_A_ROW: usize = 5;

/// They count if they happened within this time: 1 minute.
const WITHIN_MS: u64 = 60_000;

/// How much the times between the start of a run and the change may differ for the run to be the cause: 1.5 s, because
/// the machine may be busy, and a quarter of the time. A person who saves a file again and again is less regular.
const UNEVEN_MS: u64 = 1500;

/// Number of files of each restart that are remembered.
const FILES: usize = 20;

/// The last restarts because of changes, to notice a job that restarts itself by what it writes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Loops {
    last: VecDeque<Restart>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
struct Restart {
    at: u64,
    /// From the start of the run to the change.
    delay: u64,
    files: Vec<PathBuf>,
}

impl Loops {
    /// Notes that a job is about to be restarted because these files have changed, first at `changed`; its run has
    /// begun at `began`. Returns the file by which it restarts itself; then it is to be left alone.
    pub fn note(
        &mut self,
        (began, changed, now): (Option<u64>, u64, u64),
        files: &[PathBuf],
    ) -> Option<PathBuf> {
        let Some(delay) = began.and_then(|began| changed.checked_sub(began)) else {
            self.last.clear();
            return None;
        };
        let restart = Restart {
            at: now,
            delay,
            files: files.iter().take(FILES).cloned().collect(),
        };
        let is_old = |last: &Restart| now.saturating_sub(last.at) > WITHIN_MS;
        while self.last.len() > MOST_IN_A_ROW || self.last.front().is_some_and(is_old) {
            self.last.pop_front();
        }
        self.last.push_back(restart);
        self.culprit()
    }

    fn culprit(&self) -> Option<PathBuf> {
        let newest = self.last.back()?;
        if self.last.len() <= MOST_IN_A_ROW {
            return None;
        }
        let delays = self.last.iter().map(|restart| restart.delay);
        let (least, most) = (delays.clone().min()?, delays.max()?);
        let is_even = most - least <= UNEVEN_MS + least / 4;
        let mut files = newest.files.iter().filter(|_| is_even);
        let found = files.find(|file| self.last.iter().all(|one| one.files.contains(file)));
        found.cloned()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const WRITE: Touch = Touch {
        is_new: false,
        is_weak: false,
        is_open: false,
    };
    const TOUCH: Touch = Touch {
        is_new: false,
        is_weak: true,
        is_open: false,
    };
    const NEW: Touch = Touch {
        is_new: true,
        is_weak: false,
        is_open: false,
    };

    fn path(name: &str) -> PathBuf {
        PathBuf::from(name)
    }

    #[test]
    fn changes_that_wait_name_some_files_and_count_the_others() {
        let changes = |files: std::ops::Range<usize>| Changes {
            files: files.clone().map(|n| path(&n.to_string())).collect(),
            new: files.map(|n| path(&n.to_string())).collect(),
            more: 0,
            first: 0,
            last: 0,
        };
        let mut held = changes(0..15);
        held.add(changes(10..30));
        assert_eq!(
            held,
            Changes {
                more: 10,
                ..changes(0..20)
            }
        );
        held.add(changes(0..5));
        assert_eq!(
            held,
            Changes {
                more: 10,
                ..changes(0..20)
            }
        );
    }

    #[test]
    fn it_reacts_after_the_last_change_and_two_seconds_after_the_first_at_the_latest() {
        let mut pending = Pending::new(300);
        assert_eq!(pending.due(), None);
        pending.change(Path::new("a"), WRITE, 1000);
        assert_eq!(pending.due(), Some(1300));
        for now in (1100..4000).step_by(100) {
            pending.change(Path::new("b"), WRITE, now);
            assert!(now >= 2700 || pending.due() == Some(now + 300), "{now}");
        }
        assert_eq!(pending.due(), Some(3000));
        assert_eq!(pending.take(2999), None);
        assert_eq!(pending.take(3000).unwrap().files.len(), 2);
        assert_eq!((pending.take(3000), pending.due()), (None, None));
        let mut slow = Pending::new(5000);
        slow.change(Path::new("a"), WRITE, 0);
        assert_eq!(slow.due(), Some(5000));
    }

    #[test]
    fn it_waits_for_a_file_that_is_being_written() {
        let mut pending = Pending::new(300);
        let open = Touch {
            is_open: true,
            ..WRITE
        };
        pending.change(Path::new("a"), open, 0);
        assert_eq!(pending.due(), Some(2000));
        pending.change(Path::new("a"), TOUCH, 700);
        assert_eq!(pending.due(), Some(1000));
        let batch = pending.take(1000).unwrap();
        assert!(!batch.files[Path::new("a")].is_weak, "it was written");
    }

    #[test]
    fn it_waits_while_git_works_but_not_for_ever() {
        let mut pending = Pending::new(300);
        pending.change(Path::new("a"), WRITE, 0);
        let batch = pending.take(300).unwrap();
        assert!(batch.may_wait(LONGEST_GIT_MS - 1) && !batch.may_wait(LONGEST_GIT_MS));
        pending.change(Path::new("b"), WRITE, 310);
        assert!(batch.waits_for_git(true) && !batch.waits_for_git(false));
        pending.wait_for_git(batch, true, 320);
        assert_eq!(pending.due(), Some(620));
        assert_eq!(pending.take(619), None);
        let batch = pending.take(620).unwrap();
        assert_eq!((batch.first, batch.last, batch.files.len()), (0, 310, 2));
        // After two seconds, too.
        pending.wait_for_git(batch, true, 5000);
        assert_eq!(pending.due(), Some(5300));
        // Its last changes are seen after its end.
        let batch = pending.take(5300).unwrap();
        assert!(batch.waits_for_git(false));
        pending.change(Path::new("c"), WRITE, 5301);
        pending.wait_for_git(batch, false, 5302);
        let batch = pending.take(5602).unwrap();
        assert_eq!((batch.waits_for_git(false), batch.files.len()), (false, 3));
    }

    #[test]
    fn only_another_content_is_a_change() {
        let (old, new) = (Print::Content(3, 1), Print::Content(3, 2));
        let was = |print| Before::Was(print);
        for (before, now, touch, expected) in [
            (was(old), Some(old), WRITE, false),
            (was(old), Some(new), TOUCH, true),
            (was(old), None, WRITE, true),
            (Before::Absent, Some(old), NEW, true),
            (Before::Absent, None, NEW, false),
            (Before::Unknown, Some(old), TOUCH, false),
            (Before::Unknown, Some(old), WRITE, true),
            (Before::Unknown, None, WRITE, true),
            (Before::Unknown, None, NEW, false),
            (
                was(Print::Large(9, 1)),
                Some(Print::Large(9, 2)),
                TOUCH,
                false,
            ),
            (
                was(Print::Large(9, 1)),
                Some(Print::Large(9, 2)),
                WRITE,
                true,
            ),
        ] {
            let found = is_change(before, now, touch);
            assert_eq!(found, expected, "{before:?} {now:?} {touch:?}");
        }
    }

    #[test]
    fn changes_that_come_one_after_another_become_one() {
        let changes = |files: &[&str], new: &[&str], first: u64, last: u64| Changes {
            files: files.iter().map(PathBuf::from).collect(),
            new: new.iter().map(PathBuf::from).collect(),
            more: 0,
            first,
            last,
        };
        let mut all = changes(&["/a"], &[], 10, 20);
        all.add(changes(&["/a", "/b"], &["/b"], 30, 40));
        assert_eq!(all, changes(&["/a", "/b"], &["/b"], 10, 40));
    }

    #[test]
    fn a_job_that_writes_what_it_watches_is_noticed_after_five_restarts() {
        let mut loops = Loops::default();
        let files = [path("a"), path("build.log")];
        for round in 0..5 {
            let began = round * 1000;
            let found = loops.note((Some(began), began + 200, began + 500), &files[1..]);
            assert_eq!(found, None, "restart {round}");
        }
        let found = loops.note((Some(5000), 5300, 5600), &files);
        assert_eq!(found, Some(path("build.log")));
    }

    #[test]
    fn what_others_write_is_not_held_against_a_job() {
        // Others: another file each time, no rhythm, too slow, not while it runs.
        let name = |round: u64| path(&format!("{round}"));
        let mut loops = [(); 4].map(|()| Loops::default());
        for round in 0..30_u64 {
            let began = round * 5000;
            let at = |delay: u64| (Some(began), began + delay, began + delay + 300);
            assert_eq!(loops[0].note(at(100), &[name(round)]), None);
            let irregular = [100, 2900, 300, 4500, 200][round as usize % 5];
            assert_eq!(loops[1].note(at(irregular), &[path("a")]), None);
            let slow = round * 13_000;
            let slow = (Some(slow), slow + 100, slow + 400);
            assert_eq!(loops[2].note(slow, &[path("a")]), None);
            assert_eq!(
                loops[3].note((None, began, began + 300), &[path("a")]),
                None
            );
        }
    }

    proptest! {
        /// Whatever changes and whenever: each change is followed by one reaction, after a quiet time or at the
        /// latest two seconds after the first change, and never earlier.
        #[test]
        fn each_change_is_followed_by_one_reaction(
            pauses in prop::collection::vec(0_u64..900, 1..80),
            debounce in 1_u64..1000,
        ) {
            let mut pending = Pending::new(debounce);
            let (mut now, mut open, mut first, mut last) = (1_u64, 0_usize, 0, 0);
            for (n, pause) in pauses.iter().enumerate() {
                let next = now + pause;
                while now < next {
                    now += 1;
                    if let Some(batch) = pending.take(now) {
                        prop_assert_eq!(batch.files.len(), open);
                        prop_assert!(now == last + debounce || now == first + LONGEST_MS);
                        open = 0;
                    }
                }
                if open == 0 {
                    first = now;
                }
                last = now;
                open += 1;
                pending.change(&path(&n.to_string()), WRITE, now);
                let due = pending.due().unwrap();
                prop_assert!(due > now || due == first + LONGEST_MS);
            }
            let due = pending.due().unwrap();
            prop_assert!(due <= last + debounce && due <= first + LONGEST_MS);
            prop_assert_eq!(pending.take(due).unwrap().files.len(), open);
            prop_assert_eq!(pending.due(), None);
        }

        /// A regular rhythm is noticed whatever it is, as long as five restarts fit into a minute.
        #[test]
        fn a_rhythm_is_noticed(delay in 0_u64..10_000, pause in 1_u64..1500, jitter in prop::collection::vec(0_u64..400, 6)) {
            let mut loops = Loops::default();
            let mut began = 0;
            for (round, jitter) in jitter.iter().enumerate() {
                let changed = began + delay + jitter;
                let found = loops.note((Some(began), changed, changed + 300), &[path("x")]);
                prop_assert_eq!(found.is_some(), round == MOST_IN_A_ROW);
                began = changed + 300 + pause;
            }
        }
    }
}

//! The lines of a reply, as far as it has room for them.

use std::collections::VecDeque;

use crate::daemon::actions::log::Room;
use crate::protocol::reply::{Left, LogLine};

/// The first or the last lines that fit into a reply, and what is left out.
pub(super) struct Fitting {
    room: Room,
    keep_last: bool,
    pub(super) lines: VecDeque<LogLine>,
    pub(super) omitted: Left,
    /// Bytes that the lines take.
    size: usize,
}

impl Fitting {
    /// With `keep_last`, lines that have no room beside later ones are left out, otherwise those after them.
    pub(super) fn new(room: Room, keep_last: bool) -> Self {
        Self {
            room,
            keep_last,
            lines: VecDeque::new(),
            omitted: Left::default(),
            size: 0,
        }
    }

    /// Adds the line that `make` returns for this text, which is cut if it is too long. Returns false if there is no
    /// room for it.
    pub(super) fn push(&mut self, text: &str, make: impl FnOnce(String) -> LogLine) -> bool {
        let (text, cut) = self.room.cut(text, 0..0);
        self.size += text.len() + self.room.per_line;
        if self.size > self.room.text && !self.keep_last {
            return false;
        }
        while self.size > self.room.text
            && let Some(gone) = self.pop_first()
        {
            self.omitted.bytes += gone.text.len() as u64;
            self.omitted.lines += 1;
        }
        self.omitted.bytes += cut;
        self.lines.push_back(make(text.into_owned()));
        true
    }

    /// Takes out the first line, which was not asked for.
    pub(super) fn pop_first(&mut self) -> Option<LogLine> {
        let gone = self.lines.pop_front()?;
        self.size -= gone.text.len() + self.room.per_line;
        Some(gone)
    }
}

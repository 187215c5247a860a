//! The size limit for all logs together, and the events about dropped output.

use super::State;
use crate::daemon::clock::now;
use crate::daemon::storage::log_reader::LogReader;
use crate::engine::log_start::FirstLine;
use crate::engine::output::Output;
use crate::engine::quota::{self, LogUse};
use crate::engine::timers::Due;
use crate::protocol::keeper::ToKeeper;
use crate::protocol::{EventKind, SessionId};
use crate::sys::shared_table::Slot;
use crate::term::plain::Checkpoint;

/// Total growth after which the log sizes are checked, in bytes.
const LARGEST_STEP: u64 = 16 << 20;

/// For small limits, the logs are checked after this fraction of the limit instead.
const STEPS: u64 = 16;

/// Shortest interval between two `output_dropped` events of a session, in milliseconds: a flood drops a segment
/// several times a second.
const EVENT_MS: u64 = 10_000;

/// Decides when the size of all logs is checked.
pub(crate) struct LogBudget {
    limit: u64,
    /// Growth since the last check, in bytes.
    grown: u64,
    /// Whether the logs were still over the limit after the last check.
    is_over: bool,
}

impl LogBudget {
    pub(crate) fn new(limit: u64) -> Self {
        Self {
            limit,
            grown: 0,
            is_over: false,
        }
    }

    fn step(&self) -> u64 {
        LARGEST_STEP.min(self.limit / STEPS)
    }
}

impl State {
    /// Notes that a session's log has grown up to `end`.
    pub(crate) fn log_grew(&mut self, id: &SessionId, end: u64) {
        let Some(io) = self.sessions.io_mut(id) else {
            return;
        };
        self.log_budget.grown += end.saturating_sub(io.measured);
        io.measured = end;
        if self.log_budget.grown > self.log_budget.step() {
            self.check_log_quota();
        }
    }

    /// Checks the logs again if they are over the limit, because the log of a session that has ended may be cut
    /// further.
    pub(crate) fn log_may_be_cut(&mut self) {
        if self.log_budget.is_over {
            self.check_log_quota();
        }
    }

    /// Drops the oldest output if all logs together are over the limit.
    pub(crate) fn check_log_quota(&mut self) {
        self.log_budget.grown = 0;
        let limit = self.log_budget.limit;
        // The offsets tell it without reading a directory.
        let ids = self.sessions.iter().map(|session| &session.id);
        let total: u64 = ids
            .map(|id| {
                self.sessions
                    .log_end(id)
                    .saturating_sub(self.sessions.log_first(id))
            })
            .sum();
        if total <= limit {
            self.log_budget.is_over = false;
            return;
        }
        let target = limit.saturating_sub(self.log_budget.step());
        let cut = quota::cut(self.log_uses(), limit, target, |id| {
            let io = self.sessions.io(id);
            io.map_or_else(Vec::new, |io| io.log.starts())
        });
        self.log_budget.is_over = cut.is_over;
        for (id, first) in cut.firsts {
            self.cut_log(id, first);
        }
    }

    fn log_uses(&self) -> Vec<LogUse> {
        let uses = self.sessions.iter().map(|session| LogUse {
            id: session.id.clone(),
            is_running: !self.is_log_settled(&session.id),
            keep: session.time_limits.keep,
            failed: session.has_failed(),
            accessed: session.accessed_boot(),
            range: self.sessions.log_first(&session.id)..self.sessions.log_end(&session.id),
        });
        uses.collect()
    }

    /// Whether no process writes to a session's log, and none will.
    fn is_log_settled(&self, id: &SessionId) -> bool {
        let over = self
            .sessions
            .get(id)
            .is_some_and(|session| session.life.status().is_finished() && !session.tty_open);
        over && !self.restarting.contains_key(id)
    }

    fn cut_log(&mut self, id: SessionId, first: u64) {
        if !self.is_log_settled(&id) {
            // The keeper drops the segments and reports the new start of the log, as it does for a session's
            // own limit.
            self.keeper.send(&ToKeeper::Trim { session: id, first });
            return;
        }
        let (Some(session), Some(io)) = (self.sessions.get(&id), self.sessions.io(&id)) else {
            return;
        };
        // The log of an earlier daemon may not be rendered yet, and nobody else counts its lines.
        let (rendered, newlines) = (session.output.end(), session.output.newlines());
        let newlines = (rendered < first).then(|| newlines + io.log.newlines(rendered, first));
        if rendered < first {
            self.log_begins_at(&id, first, newlines);
        }
        if let Some(io) = self.sessions.io(&id)
            && let Err(error) = io.log.drop_before(first)
        {
            tracing::warn!(session = %id, "dropping output: {error}");
        }
        self.log_begins_at(&id, first, None);
    }

    /// Number of newlines before `first`, if the log begins there and the keeper knows it.
    pub(crate) fn newlines_before(&self, id: &SessionId, first: u64) -> Option<u64> {
        let (known, newlines) = self.sessions.slot(self.sessions.io(id)?)?.dropped();
        newlines.filter(|_| known == first)
    }

    /// Notes what the keeper has dropped of a session's output since the last turn. Returns the place where the
    /// log begins if that is after `at`.
    pub(crate) fn log_start_after(&mut self, id: &SessionId, at: u64) -> Option<Checkpoint> {
        let slot = self.sessions.slot(self.sessions.io(id)?);
        if let Some((first, newlines)) = slot.map(Slot::dropped) {
            self.log_begins_at(id, first, newlines);
        }
        let beginning = self.sessions.get(id)?.output.beginning();
        (beginning.offset > at).then_some(beginning)
    }

    /// The place where a session's log goes on after a gap.
    pub(crate) fn log_goes_on_at(&self, id: &SessionId, start: u64) -> Option<Checkpoint> {
        let (session, io) = self.sessions.both(id)?;
        let place = first_line(&session.output, &io.log, start).place();
        // The gap may end within a line.
        let exact = false;
        Some(Checkpoint { exact, ..place })
    }

    /// Notes that a session's output before `first` is no longer kept. It had `newlines` newlines, if that is
    /// known.
    pub(crate) fn log_begins_at(&mut self, id: &SessionId, first: u64, newlines: Option<u64>) {
        let Some((session, io)) = self.sessions.both_mut(id) else {
            return;
        };
        let output = &mut session.output;
        let dropped = first.saturating_sub(output.first());
        if dropped == 0 {
            return;
        }
        if first <= output.end() {
            let lines = first_line(output, &io.log, first);
            output.drop_before(&lines, newlines);
        } else {
            output.skip_dropped(first, newlines);
        }
        let at = output.beginning();
        let layout = output.layout_at(at.offset);
        self.waiters.waits.skip_to(id, layout, at);
        // Save the line number of the first kept line.
        self.persist(id);
        if self.keeper.is_clearing(id) {
            return;
        }
        if let Some(io) = self.sessions.io_mut(id) {
            io.dropped += dropped;
        }
        self.tell_dropped(id);
    }

    /// Publishes how much output was dropped, now or when the next event is allowed.
    pub(crate) fn tell_dropped(&mut self, id: &SessionId) {
        let at = now().boot;
        let Some((session, io)) = self.sessions.both_mut(id) else {
            return;
        };
        let first = session.output.first();
        let next = io.next_dropped_event;
        if io.dropped == 0 {
            return;
        }
        if at < next {
            self.timers.set(Due::Dropped(id.clone()), Some(next));
            return;
        }
        let bytes = std::mem::take(&mut io.dropped);
        io.next_dropped_event = at + EVENT_MS;
        let data = serde_json::json!({ "bytes": bytes, "firstOffset": first });
        self.publish(EventKind::OutputDropped, id, data);
    }
}

/// Bytes read at once to number the first line.
const CHUNK: usize = 64 * 1024;

/// Counts the lines from `first` to the next place whose line number is known.
fn first_line(output: &Output, log: &LogReader, first: u64) -> FirstLine {
    let mut lines = output.first_line_at(first);
    let wanted = lines.wanted();
    let mut at = wanted.start;
    while at < wanted.end {
        let (start, bytes) = log.read(at, wanted.end, CHUNK);
        if bytes.is_empty() {
            break;
        }
        lines.feed(output, start, &bytes);
        at = start + bytes.len() as u64;
    }
    lines
}

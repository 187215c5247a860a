//! The limit of all logs together, and telling of output that is dropped.

use super::State;
use crate::daemon::clock::now;
use crate::engine::quota::{self, LogUse};
use crate::engine::timers::Due;
use crate::protocol::keeper::ToKeeper;
use crate::protocol::{EventKind, SessionId};

/// Logs are looked at after they have grown by so many bytes together.
const LARGEST_STEP: u64 = 16 << 20;

/// The same as a part of the limit, where that is small.
const STEPS: u64 = 16;

/// Milliseconds between two `output_dropped` events of a session: a flood drops a
/// segment several times a second.
const EVENT_MS: u64 = 10_000;

/// When all logs are to be looked at.
pub(crate) struct LogBudget {
    limit: u64,
    /// Growth since the last look.
    grown: u64,
    /// Whether the last look left more than there may be.
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
    /// A session's log has grown up to `end`.
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

    /// A session has ended: its log may be cut if that was needed already.
    pub(crate) fn log_may_be_cut(&mut self) {
        if self.log_budget.is_over {
            self.check_log_quota();
        }
    }

    /// Drops the oldest output if all logs together have too much.
    pub(crate) fn check_log_quota(&mut self) {
        self.log_budget.grown = 0;
        let limit = self.log_budget.limit;
        // By their offsets first, which costs no look at any directory.
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
        let cut = quota::cut(self.log_uses(), limit);
        self.log_budget.is_over = cut.is_over;
        for (id, first) in cut.firsts {
            self.cut_log(id, first);
        }
    }

    fn log_uses(&self) -> Vec<LogUse> {
        let uses = self.sessions.iter().filter_map(|session| {
            Some(LogUse {
                id: session.id.clone(),
                is_running: !self.is_log_settled(&session.id),
                keep: session.time_limits.keep,
                failed: session.has_failed(),
                accessed: session.accessed_boot(),
                segments: self.sessions.io(&session.id)?.log.segments(),
            })
        });
        uses.collect()
    }

    /// Whether nobody writes a session's log any more, nor is about to.
    fn is_log_settled(&self, id: &SessionId) -> bool {
        let over = self
            .sessions
            .get(id)
            .is_some_and(|session| session.life.status().is_finished() && !session.tty_open);
        over && !self.restarting.contains_key(id)
    }

    fn cut_log(&mut self, id: SessionId, first: u64) {
        if !self.is_log_settled(&id) {
            // The keeper tells where the log begins then, as for its own limit.
            self.keeper.send(&ToKeeper::Trim { session: id, first });
            return;
        }
        let Some(io) = self.sessions.io(&id) else {
            return;
        };
        if let Err(error) = io.log.drop_before(first) {
            tracing::warn!(session = %id, "dropping output: {error}");
        }
        self.log_begins_at(&id, first);
    }

    /// A session's output before `first` is no longer kept.
    pub(crate) fn log_begins_at(&mut self, id: &SessionId, first: u64) {
        let Some(session) = self.sessions.get_mut(id) else {
            return;
        };
        let dropped = first.saturating_sub(session.output.first());
        session.output.drop_before(first);
        session.output.skip_to(first);
        if dropped == 0 {
            return;
        }
        // The number of the first line that is kept is one to remember.
        self.persist(id);
        if self.keeper.is_clearing(id) {
            return;
        }
        if let Some(io) = self.sessions.io_mut(id) {
            io.dropped += dropped;
        }
        self.tell_dropped(id);
    }

    /// Tells how much was dropped, now or once it may be told again.
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

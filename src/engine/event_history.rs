//! Past lifecycle events: the events that are kept, what each scope has acknowledged, and which
//! completions have not been delivered.
//!
//! Every change is a [`Note`]. A driver writes the notes to the journal in order; reading them back
//! in the same order restores the same history.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::Now;
use super::age_clock::AgeClock;
use super::journal_note::{Entry, Note};
use super::packed::Packed;
use crate::protocol::{EventKind, Scope, SessionId};

/// Maximum number of events kept; the oldest are dropped first.
pub const KEPT: usize = 10_000;

/// Maximum memory of the events, in bytes. Ten thousand events of usual length take half of it.
/// Events of jobs with much output take up to ten times as much, so fewer of them are kept.
const KEPT_BYTES: usize = 4 << 20;

/// How long an event is kept, in milliseconds of the wall clock: 7 days.
const KEPT_MS: i64 = 7 * 24 * 3600 * 1000;

/// Maximum number of scopes whose acknowledgements are kept. One whose is forgotten gets events again.
const ACKS: usize = 1000;

/// The stored events and acknowledgements.
#[derive(Debug, Default)]
pub struct EventHistory {
    seq: u64,
    /// Oldest first; sorted by number.
    entries: VecDeque<Packed>,
    /// Memory that the entries take.
    bytes: usize,
    /// Events up to this number may be gone.
    forgotten: u64,
    acks: BTreeMap<Scope, u64>,
    /// For each host the highest of its own numbers whose event was published.
    hosts: BTreeMap<Box<str>, u64>,
    /// By which events get old.
    ages: AgeClock,
}

impl EventHistory {
    /// The highest number ever used.
    pub fn seq(&self) -> u64 {
        self.seq
    }

    /// Applies a note from the journal. Returns false if it does not follow what is already known.
    pub fn take_in(&mut self, note: Note) -> bool {
        match note {
            Note::Entry(entry) if entry.seq() <= self.seq => return false,
            Note::Entry(entry) => self.add(entry),
            Note::Ack { ack, scope } => {
                self.seq = self.seq.max(ack);
                self.acknowledge(&scope, ack);
            }
            Note::Delivered { delivered } => {
                self.deliver(&delivered);
            }
            Note::Used { used, forgotten } => {
                self.seq = self.seq.max(used);
                self.forgotten = self.forgotten.max(forgotten);
            }
            Note::Host { host, host_seq } => {
                self.hosts.insert(host, host_seq);
            }
        }
        true
    }

    /// Events up to this number may be gone; 0 if all are kept.
    pub fn forgotten(&self) -> u64 {
        self.forgotten
    }

    /// The highest number of a host's own whose event was published here. `None` if the host was never connected;
    /// 0 if nothing had happened on it when it was.
    pub fn host_seq(&self, host: &str) -> Option<u64> {
        self.hosts.get(host).copied()
    }

    /// Sets that number, if events of the host are not to be asked for again. Returns the note of it.
    pub fn set_host_seq(&mut self, host: &str, host_seq: u64) -> Note {
        self.hosts.insert(host.into(), host_seq);
        Note::Host {
            host: host.into(),
            host_seq,
        }
    }

    /// Stores an event, which must have the next number.
    pub fn add(&mut self, entry: Entry) {
        self.seq = entry.seq();
        if let (Some(host), Some(host_seq)) = (&entry.event.host, entry.event.host_seq) {
            self.hosts.insert(host.clone(), host_seq);
        }
        // Each new daemon reports `adopted` for every running session. The newest report says all
        // that the earlier ones did, and keeping those would push out other events.
        if entry.event.event == EventKind::Adopted {
            let earlier = self.entries.iter().rposition(|past| {
                past.kind == EventKind::Adopted && past.session == entry.event.session_id
            });
            if let Some(earlier) = earlier.and_then(|earlier| self.entries.remove(earlier)) {
                self.bytes -= earlier.bytes();
            }
        }
        let entry = Packed::new(entry, self.entries.back());
        self.bytes += entry.bytes();
        let is_full = |past: &Self| past.entries.len() >= KEPT || past.bytes > KEPT_BYTES;
        while is_full(self) && self.forget_oldest() {}
        self.entries.push_back(entry);
    }

    /// Returns false if there is no event.
    fn forget_oldest(&mut self) -> bool {
        let oldest = self.entries.pop_front();
        self.bytes -= oldest.as_ref().map_or(0, Packed::bytes);
        self.forgotten = oldest.as_ref().map_or(self.forgotten, |oldest| oldest.seq);
        oldest.is_some()
    }

    /// Drops events older than the retention time.
    pub fn forget_old(&mut self, now: Now) {
        let oldest = self.ages.wall(now).millis().saturating_sub(KEPT_MS);
        let is_old = |entry: &Packed| entry.at.is_some_and(|at| at.millis() < oldest);
        while self.entries.front().is_some_and(is_old) {
            self.forget_oldest();
        }
    }

    /// Number of stored events.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether no event is stored.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The events from number `from` on, oldest first.
    pub(super) fn since(&self, from: u64) -> impl Iterator<Item = &Packed> {
        let start = self.entries.partition_point(|entry| entry.seq < from);
        self.entries.range(start..)
    }

    /// The highest number that a scope has acknowledged.
    pub fn acknowledged(&self, scope: &Scope) -> u64 {
        self.acks.get(scope).copied().unwrap_or_default()
    }

    /// Acknowledges all events up to `seq` for a scope. Returns the new acknowledged number, or
    /// `None` if it did not grow.
    pub fn acknowledge(&mut self, scope: &Scope, seq: u64) -> Option<u64> {
        let seq = seq.min(self.seq);
        if seq <= self.acknowledged(scope) {
            return None;
        }
        if !self.acks.contains_key(scope) && self.acks.len() >= ACKS {
            self.forget_acks();
        }
        self.acks.insert(scope.clone(), seq);
        for entry in &mut self.entries {
            if entry.seq <= seq && *entry.scope == *scope {
                entry.undelivered = false;
            }
        }
        Some(seq)
    }

    /// Makes room for the acknowledgement of one more scope.
    fn forget_acks(&mut self) {
        // An acknowledgement below the first stored event has no effect.
        let first = self.entries.front().map_or(u64::MAX, |entry| entry.seq);
        self.acks.retain(|_, ack| *ack >= first);
        let lowest = self.acks.iter().min_by_key(|(_, ack)| **ack);
        if self.acks.len() >= ACKS
            && let Some(lowest) = lowest.map(|(scope, _)| scope.clone())
        {
            self.acks.remove(&lowest);
        }
    }

    /// Marks completions as delivered. Returns those that were not delivered before.
    pub fn deliver(&mut self, seqs: &[u64]) -> Vec<u64> {
        let mut news = Vec::new();
        for seq in seqs {
            let place = self.entries.binary_search_by_key(seq, |entry| entry.seq);
            if let Some(entry) = place.ok().and_then(|place| self.entries.get_mut(place))
                && std::mem::take(&mut entry.undelivered)
            {
                news.push(*seq);
            }
        }
        news
    }

    /// The last lifecycle step of a session that was reported: started, ended, or removed.
    pub fn last_turn(&self, session: &SessionId) -> Option<EventKind> {
        let newest_first = self.entries.iter().rev();
        let mut turns = newest_first.filter(|entry| entry.session.as_ref() == Some(session));
        turns
            .find(|entry| is_turn(entry.kind))
            .map(|entry| entry.kind)
    }

    /// The [last turn](Self::last_turn) of every session, in one pass.
    pub fn last_turns(&self) -> HashMap<SessionId, EventKind> {
        let turns = self.entries.iter().filter(|entry| is_turn(entry.kind));
        turns
            .filter_map(|entry| Some((entry.session.clone()?, entry.kind)))
            .collect()
    }

    /// The history as notes: the fewest that restore it.
    pub fn notes(&self) -> impl Iterator<Item = Note> {
        let used = Note::Used {
            used: self.seq,
            forgotten: self.forgotten,
        };
        // An acknowledgement below the first stored event has no effect.
        let first = self.entries.front().map_or(u64::MAX, |entry| entry.seq);
        let acks = self.acks.iter().filter(move |(_, ack)| **ack >= first);
        let acks = acks.map(|(scope, ack)| Note::Ack {
            ack: *ack,
            scope: scope.clone(),
        });
        let entries = self.entries.iter().map(|entry| Note::Entry(entry.unpack()));
        let hosts = self.hosts.iter().map(|(host, host_seq)| Note::Host {
            host: host.clone(),
            host_seq: *host_seq,
        });
        // The highest number comes last, because an event is only accepted if its number is higher
        // than all before it.
        entries.chain(acks).chain(hosts).chain([used])
    }
}

/// Whether an event tells how far a session is in its life.
pub(super) fn is_turn(kind: EventKind) -> bool {
    matches!(
        kind,
        EventKind::Started
            | EventKind::Restarted
            | EventKind::Exited
            | EventKind::Lost
            | EventKind::Removed
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::protocol::{Event, Timestamp};

    fn scope(name: &str) -> Scope {
        Scope::named(name).unwrap()
    }

    fn entry(seq: u64, kind: EventKind, session: &str) -> Entry {
        Entry {
            event: Event {
                seq: Some(seq),
                at: Some(Timestamp(1000 * seq as i64)),
                session_id: SessionId::parse(session),
                ..Event::of(kind)
            },
            scope: scope("a"),
            undelivered: kind == EventKind::Exited,
        }
    }

    fn used(used: u64) -> Note {
        Note::Used { used, forgotten: 0 }
    }

    fn seqs(past: &EventHistory) -> Vec<u64> {
        past.since(0).map(|entry| entry.seq).collect()
    }

    const ONE: &str = "000000000001";
    const TWO: &str = "000000000002";

    #[test]
    fn notes_restore_the_same_history() {
        let mut past = EventHistory::default();
        for seq in 1..=4 {
            past.add(entry(seq, EventKind::Exited, ONE));
        }
        past.acknowledge(&scope("a"), 2);
        past.acknowledge(&scope("b"), 1);
        past.deliver(&[3]);
        let mut again = EventHistory::default();
        for note in past.notes() {
            assert!(again.take_in(note));
        }
        assert!(again.notes().eq(past.notes()));
        let left: Vec<_> = again.since(0).map(|entry| entry.undelivered).collect();
        assert_eq!(left, [false, false, false, true]);
        assert_eq!(again.acknowledged(&scope("a")), 2);
        assert_eq!(again.seq(), 4);
    }

    #[test]
    fn numbers_continue_after_their_events_are_gone() {
        let mut past = EventHistory::default();
        past.add(entry(5, EventKind::Started, ONE));
        past.acknowledge(&scope("a"), 5);
        let later = Now {
            boot: 0,
            wall: Timestamp(5000 + KEPT_MS + 1),
        };
        past.forget_old(later);
        assert!(seqs(&past).is_empty());
        assert_eq!(past.forgotten(), 5);
        let gone = Note::Used {
            used: 5,
            forgotten: 5,
        };
        assert!(past.notes().eq([gone]));
        let mut again = EventHistory::default();
        assert!(again.take_in(used(5)));
        assert!(!again.take_in(Note::Entry(entry(5, EventKind::Started, ONE))));
        assert!(again.take_in(Note::Entry(entry(6, EventKind::Started, ONE))));
    }

    #[test]
    fn the_oldest_are_dropped_and_repeated_adoptions_take_no_room() {
        let mut past = EventHistory::default();
        past.add(entry(1, EventKind::Started, ONE));
        for seq in 2..40_000 {
            let session = if seq % 2 == 0 { ONE } else { TWO };
            past.add(entry(seq, EventKind::Adopted, session));
        }
        assert_eq!(seqs(&past), [1, 39_998, 39_999]);
        for seq in 40_000..50_000 {
            past.add(entry(seq, EventKind::Paused, ONE));
        }
        assert_eq!(past.since(0).count(), KEPT);
        assert_eq!(past.since(0).next().unwrap().seq, 40_000);
        assert_eq!(past.since(49_998).count(), 2);
    }

    #[test]
    fn long_events_stay_within_the_memory_limit() {
        let mut past = EventHistory::default();
        for seq in 1..=5000 {
            let mut long = entry(seq, EventKind::Exited, ONE);
            long.event.data = json!({"output": "x".repeat(2000)});
            past.add(long);
            assert!(past.bytes <= KEPT_BYTES);
        }
        assert!((1500..2500).contains(&past.len()), "{}", past.len());
        let bytes: usize = past.since(0).map(Packed::bytes).sum();
        assert_eq!(past.bytes, bytes);
    }

    #[test]
    fn an_acknowledgement_never_goes_back_nor_beyond_the_last_event() {
        let mut past = EventHistory::default();
        past.add(entry(1, EventKind::Exited, ONE));
        past.add(entry(2, EventKind::Exited, ONE));
        assert_eq!(past.acknowledge(&scope("a"), 99), Some(2));
        assert_eq!(past.acknowledge(&scope("a"), 1), None);
        assert_eq!(past.acknowledged(&scope("a")), 2);
        assert!(past.deliver(&[1, 2, 3]).is_empty());
    }

    #[test]
    fn acknowledgements_of_many_scopes_take_no_more_room() {
        let mut past = EventHistory::default();
        for seq in 1..=10 {
            past.add(entry(seq, EventKind::Started, ONE));
        }
        past.acknowledge(&scope("first"), 2);
        for count in 0..ACKS - 1 {
            past.acknowledge(&scope(&format!("s{count}")), 5);
        }
        assert_eq!(past.acknowledged(&scope("first")), 2);
        past.acknowledge(&scope("s0"), 6);
        past.acknowledge(&scope("last"), 7);
        assert_eq!(past.acks.len(), ACKS);
        let kept = ["first", "s0", "last"].map(|name| past.acknowledged(&scope(name)));
        assert_eq!(kept, [0, 6, 7]);
        // Those of events that are gone go first.
        while past.entries.len() > 4 {
            past.forget_oldest();
        }
        past.acknowledge(&scope("later"), 8);
        assert_eq!(past.acks.len(), 2);
    }

    #[test]
    fn last_turn_is_the_last_step_of_a_session() {
        let mut past = EventHistory::default();
        past.add(entry(1, EventKind::Started, ONE));
        past.add(entry(2, EventKind::Started, TWO));
        past.add(entry(3, EventKind::Exited, ONE));
        past.add(entry(4, EventKind::Paused, TWO));
        let turn = |id: &str| past.last_turn(&SessionId::parse(id).unwrap());
        assert_eq!(turn(ONE), Some(EventKind::Exited));
        assert_eq!(turn(TWO), Some(EventKind::Started));
        assert_eq!(turn("000000000003"), None);
    }

    #[test]
    fn what_was_taken_from_each_host_outlives_its_events() {
        let mut past = EventHistory::default();
        let mut from_host = entry(1, EventKind::Started, ONE);
        (from_host.event.host, from_host.event.host_seq) = (Some("gpu1".into()), Some(70));
        past.add(from_host);
        past.set_host_seq("gpu2", 0);
        let later = Now {
            boot: 0,
            wall: Timestamp(1000 + KEPT_MS + 1),
        };
        past.forget_old(later);
        let mut again = EventHistory::default();
        for note in past.notes() {
            let line = serde_json::to_vec(&note).unwrap();
            assert_eq!(serde_json::from_slice::<Note>(&line).unwrap(), note);
            again.take_in(note);
        }
        let numbers = ["gpu1", "gpu2", "gpu3"].map(|host| again.host_seq(host));
        assert_eq!(numbers, [Some(70), Some(0), None]);
        assert_eq!(again.forgotten(), 1);
    }
}

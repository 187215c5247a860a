//! Names and formats of the files that keeper and daemon write and read.
//!
//! ```text
//! RUNTIME/daemon.sock   keeper.lock
//! STATE/keeper.sock     the keeper tells how it is
//!      /start.lock      held by a client while it starts a keeper
//!      /sessions.lock   held by the keeper while it owns the sessions; contains the place of its socket
//!      /daemon.log(.1)  keeper.log(.1)     diagnostics, 1 MiB each
//!      /journal.jsonl   the daemon: lifecycle events
//!      /removed.jsonl   the daemon: removed sessions of the last day, at most 10,000
//!      /terminals/      clients: the last used job of each terminal
//!      /looked.json     the dashboard: how far each job was seen
//!      /list.json       the dashboard: how its list was left
//! STATE/sessions/ID/meta.json     the daemon: the record
//!                  /output.log    the keeper: raw bytes from offset 0
//!                  /output.N.log  the keeper: the segment that starts at offset N
//!                  /output.idx    the keeper: 24 bytes a record, little endian: end u64, time i64 (ms), stream u8
//!                  /input.log     the daemon: one JSON object for each write; at 1 MiB the older half goes
//!                  /exit.json     the keeper: how the last run ended
//!                  /panic-N.bin   the daemon: output before N on which the emulator failed
//! CONFIG/config.toml
//! ```
//!
//! `BGPROC_HOME` puts all three places into one directory; `sys::paths` chooses them. `meta.json` is replaced
//! by rename; one that cannot be read is renamed to `meta.json.bad`, and the session is rebuilt from the rest.
//!
//! # Segments
//!
//! A segment ends at 16 MiB, or at a quarter of a smaller `log_bytes`. The keeper deletes segments that lie
//! completely before the newest `log_bytes`. The limit of all logs together is kept by the keeper while a log
//! is written, and by the daemon afterwards.
//!
//! # The journal
//!
//! `journal.jsonl` has one note on each line:
//!
//! ```text
//! {"event":"exited","seq":7,…,"scope":"s","undelivered":true}   an event and its scope
//! {"delivered":[7]}        completions that were delivered later
//! {"ack":9,"scope":"s"}    an acknowledgement
//! {"used":9}               numbers that are used, even if their events are gone
//! ```
//!
//! A note is written before its event is sent, and the event before the session's `meta.json`. A daemon that
//! dies between the two leaves an event without its effect: the next daemon finds it as the last turn of the
//! session and completes it without publishing it again.

/// Maximum size of a log segment, in bytes.
const LARGEST_SEGMENT: u64 = 16 << 20;

/// Minimum size of a log segment, in bytes: as much as is written at once.
const LEAST_SEGMENT: u64 = 64 << 10;

/// Size, in bytes, after which a new segment begins if `keep` bytes of log are kept. It is a
/// quarter of `keep`, so that little more than `keep` is stored.
pub fn segment_bytes(keep: u64) -> u64 {
    (keep / 4).clamp(LEAST_SEGMENT, LARGEST_SEGMENT)
}

/// The index of the log.
pub const INDEX: &str = "output.idx";

/// How the last run ended. Written by the keeper.
pub const EXIT: &str = "exit.json";

/// The session's metadata. Written by the daemon.
pub const META: &str = "meta.json";

/// Tombstones of removed sessions, stored beside the directory of sessions.
pub const REMOVED: &str = "removed.jsonl";

/// The typed input. Written by the daemon.
pub const INPUT: &str = "input.log";

/// File name of the segment that starts at `offset`.
pub fn segment_name(offset: u64) -> String {
    match offset {
        0 => "output.log".to_owned(),
        offset => format!("output.{offset}.log"),
    }
}

/// The start offset of a segment with this file name; `None` if it is not a segment.
pub fn segment_start(name: &str) -> Option<u64> {
    if name == "output.log" {
        return Some(0);
    }
    name.strip_prefix("output.")?
        .strip_suffix(".log")?
        .parse()
        .ok()
}

/// One record of the index. The bytes from the end of the previous record up to `end` came from
/// `stream` at about `at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexRecord {
    /// Offset after the last byte.
    pub end: u64,
    /// Time of the first byte, in milliseconds since the epoch.
    pub at: i64,
    /// 0: stdout or the PTY, 1: stderr.
    pub stream: u8,
}

impl IndexRecord {
    /// Size of a record, in bytes.
    pub const BYTES: usize = 24;

    /// The record as stored on disk, little endian.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.end.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.at.to_le_bytes());
        bytes[16] = self.stream;
        bytes
    }

    /// Parses a record; `None` if there are too few bytes.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (end, rest) = bytes.split_first_chunk::<8>()?;
        let (at, rest) = rest.split_first_chunk::<8>()?;
        let record = Self {
            end: u64::from_le_bytes(*end),
            at: i64::from_le_bytes(*at),
            stream: *rest.first()?,
        };
        (bytes.len() >= Self::BYTES).then_some(record)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_names_and_records_that_it_wrote() {
        for start in [0, 16 << 20, u64::MAX] {
            assert_eq!(segment_start(&segment_name(start)), Some(start));
        }
        assert_eq!(segment_start("output.idx"), None);
        let record = IndexRecord {
            end: 1 << 40,
            at: -5,
            stream: 1,
        };
        assert_eq!(IndexRecord::from_bytes(&record.to_bytes()), Some(record));
        assert_eq!(IndexRecord::from_bytes(&[0; 23]), None);
    }
}

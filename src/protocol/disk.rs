//! The files of a session, as the keeper writes and the daemon reads them.

/// Bytes of a segment of the log at most.
const LARGEST_SEGMENT: u64 = 16 << 20;

/// A segment has at least what is written in one go.
const LEAST_SEGMENT: u64 = 64 << 10;

/// Bytes after which a new segment begins, where `keep` bytes are to be kept: a
/// quarter of them, so that what is kept beyond them is little.
pub fn segment_bytes(keep: u64) -> u64 {
    (keep / 4).clamp(LEAST_SEGMENT, LARGEST_SEGMENT)
}

/// The index beside the log.
pub const INDEX: &str = "output.idx";

/// How it ended; written by the keeper.
pub const EXIT: &str = "exit.json";

/// Who, what, when; written by the daemon.
pub const META: &str = "meta.json";

/// What is remembered of removed sessions, beside the directory of all.
pub const REMOVED: &str = "removed.jsonl";

/// What was typed; written by the daemon.
pub const INPUT: &str = "input.log";

/// File name of the segment that starts at `offset`.
pub fn segment_name(offset: u64) -> String {
    match offset {
        0 => "output.log".to_owned(),
        offset => format!("output.{offset}.log"),
    }
}

/// The start offset that a file name stands for, if it is a segment's.
pub fn segment_start(name: &str) -> Option<u64> {
    if name == "output.log" {
        return Some(0);
    }
    name.strip_prefix("output.")?
        .strip_suffix(".log")?
        .parse()
        .ok()
}

/// One record of the index: everything since the record before it, up to
/// `end`, came from `stream` at about `at`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IndexRecord {
    /// Offset after the last byte.
    pub end: u64,
    /// Milliseconds since the epoch, of the first byte.
    pub at: i64,
    /// 0: stdout or the PTY, 1: stderr.
    pub stream: u8,
}

impl IndexRecord {
    /// Bytes of a record.
    pub const BYTES: usize = 24;

    /// As on disk, little endian.
    pub fn to_bytes(self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.end.to_le_bytes());
        bytes[8..16].copy_from_slice(&self.at.to_le_bytes());
        bytes[16] = self.stream;
        bytes
    }

    /// Reads a record; `None` if there are too few bytes.
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
    fn names_and_records_are_read_as_they_are_written() {
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

//! The segment files in the directory of a log, for readers and writers.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use crate::protocol::disk::{segment_name, segment_start};

/// Start offsets of the segments in `dir`, oldest first. Symbolic links are skipped, because they may lead
/// anywhere.
pub fn starts(dir: &Path) -> io::Result<Vec<u64>> {
    let entries = std::fs::read_dir(dir)?.flatten();
    let files = entries.filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_file()));
    let mut starts: Vec<u64> = files
        .filter_map(|entry| segment_start(entry.file_name().to_str()?))
        .collect();
    starts.sort_unstable();
    Ok(starts)
}

/// Number of bytes in the segment that begins at `start`.
pub fn length(dir: &Path, start: u64) -> io::Result<u64> {
    Ok(std::fs::metadata(dir.join(segment_name(start)))?.len())
}

/// Number of newlines in the segment that begins at `start`.
pub fn newlines(dir: &Path, start: u64) -> io::Result<u64> {
    let mut file = File::open(dir.join(segment_name(start)))?;
    let mut chunk = [0; 64 * 1024];
    let mut count = 0;
    loop {
        match file.read(&mut chunk)? {
            0 => return Ok(count),
            read => count += memchr::memchr_iter(b'\n', &chunk[..read]).count() as u64,
        }
    }
}

/// Number of bytes that are in no file, between the segments and up to `end`. A segment whose length is not known
/// counts as empty.
pub fn gaps(dir: &Path, starts: impl Iterator<Item = u64> + Clone, end: u64) -> u64 {
    let next = starts.clone().skip(1).chain([end]);
    starts
        .zip(next)
        .map(|(start, next)| next.saturating_sub(start + length(dir, start).unwrap_or(0)))
        .sum()
}

//! Numbered output: each byte of it says where it belongs.

use std::path::Path;

use serde_json::json;

use super::job::Job;
use super::{Home, Serve};

/// Bytes of a line as the terminal sends it: twelve digits and `\r\n`.
const LINE: u64 = 14;

/// Characters of a line as a reader has it: twelve digits and `\n`.
const TEXT_LINE: u64 = 13;

/// A shell line that counts as fast as it can, for ever.
pub(crate) const COUNT: &str = "exec seq -f %012.0f 0 1000000000000";

/// The same at about 3 MB a second, which a session keeps for twenty seconds.
pub(crate) const COUNT_SLOWLY: &str = "exec python3 -c '
import sys, time
i = 0
while True:
    sys.stdout.write(\"\".join(\"%012d\\n\" % n for n in range(i, i + 1000)))
    sys.stdout.flush()
    i += 1000
    time.sleep(0.005)
'";

/// The same at about 20 kB a second, of which a reader misses nothing in ten seconds.
pub(crate) const COUNT_GENTLY: &str = "exec python3 -c '
import sys, time
i = 0
while True:
    sys.stdout.write(\"\".join(\"%012d\\n\" % n for n in range(i, i + 20)))
    sys.stdout.flush()
    i += 20
    time.sleep(0.015)
'";

/// The most that one `poll` shows, in characters.
const PAGE: u64 = 262_144;

/// One who reads a counting job along, from the cursor of the last reply.
#[derive(Default)]
pub(crate) struct Reader {
    at: u64,
    /// Characters that were left out because too many were new.
    pub(crate) omitted: u64,
}

impl Reader {
    /// Reads what is new; fails unless it is what follows.
    #[track_caller]
    pub(crate) fn read(&mut self, serve: &mut Serve, job: &Job) {
        let since = format!("c{}", self.at);
        let poll = json!({"since": since, "maxChars": PAGE});
        let poll = job.ask(serve, "poll", poll);
        // Later, if what follows is no longer kept.
        let begin = poll["prevCursor"].as_str().unwrap().trim_start_matches('c');
        assert!(begin.parse::<u64>().unwrap() >= self.at, "{poll}");
        let cursor = poll["cursor"].as_str().unwrap().trim_start_matches('c');
        let (from, end) = (text_before(self.at), text_before(cursor.parse().unwrap()));
        let text = poll["output"].as_str().unwrap();
        let begin = end - text.len() as u64;
        let numbers = begin / TEXT_LINE..=end / TEXT_LINE;
        let lines: String = numbers.map(|n| format!("{n:012}\n")).collect();
        let skipped = usize::try_from(begin % TEXT_LINE).unwrap();
        assert_eq!(text, &lines[skipped..][..text.len()], "at {begin}");
        let omitted = poll["omitted"]["bytes"].as_u64().unwrap();
        assert_eq!(omitted > 0, begin > from, "{from} {begin} {end}");
        self.omitted += begin - from;
        self.at = cursor.parse().unwrap();
    }
}

/// Characters of text that the raw bytes up to `offset` are.
fn text_before(offset: u64) -> u64 {
    offset / LINE * TEXT_LINE + (offset % LINE).min(TEXT_LINE - 1)
}

/// Fails unless every byte that is kept of a session's log is the one that
/// belongs at its offset. Returns where the log begins and ends.
#[track_caller]
pub(crate) fn check(home: &Home, session: &str) -> (u64, u64) {
    let dir = home.path().join("sessions").join(session);
    let segments = segments(&dir);
    let first = segments[0].0;
    let mut end = first;
    for (start, name) in segments {
        assert_eq!(start, end, "a gap before the segment at {start}");
        let bytes = std::fs::read(dir.join(name)).unwrap();
        check_bytes(start, &bytes);
        end = start + bytes.len() as u64;
    }
    (first, end)
}

/// Fails unless these are the bytes from `offset` on.
#[track_caller]
pub(crate) fn check_bytes(offset: u64, bytes: &[u8]) {
    let mut at = offset;
    let mut rest = bytes;
    while !rest.is_empty() {
        let line = format!("{:012}\r\n", at / LINE);
        let expected = &line.as_bytes()[(at % LINE) as usize..];
        let length = expected.len().min(rest.len());
        let (found, tail) = rest.split_at(length);
        assert_eq!(
            String::from_utf8_lossy(found),
            String::from_utf8_lossy(&expected[..length]),
            "at offset {at}"
        );
        rest = tail;
        at += length as u64;
    }
}

/// Bytes of a session's log that are in files.
pub(crate) fn log_bytes(home: &Home, session: &str) -> u64 {
    let dir = home.path().join("sessions").join(session);
    let files = std::fs::read_dir(dir).unwrap().flatten();
    files
        .filter(|file| file.path().extension().is_some_and(|end| end == "log"))
        .filter(|file| file.file_name() != "input.log")
        .map(|file| file.metadata().unwrap().len())
        .sum()
}

/// Where the segments of a log begin, in order, and their names.
pub(crate) fn segments(dir: &Path) -> Vec<(u64, String)> {
    let names = std::fs::read_dir(dir).unwrap().flatten();
    let mut segments: Vec<(u64, String)> = names
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let start = match name.as_str() {
                "output.log" => 0,
                name => name
                    .strip_prefix("output.")?
                    .strip_suffix(".log")?
                    .parse()
                    .ok()?,
            };
            Some((start, name))
        })
        .collect();
    segments.sort_unstable();
    segments
}

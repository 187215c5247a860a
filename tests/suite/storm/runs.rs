//! Logs in which each line says which run of its job wrote it, and as which one.

use std::path::Path;

use crate::support::numbers;

/// A shell line that writes such lines at about 4 MB a second, for ever: a number that no other run has,
/// and twelve digits.
pub(super) const COUNT: &str = "exec python3 -c '
import sys, time
run, i = time.time_ns() // 1000, 0
while True:
    lines = [\"r%016d %012d\\n\" % (run, n) for n in range(i, i + 400)]
    sys.stdout.write(\"\".join(lines))
    sys.stdout.flush()
    i += 400
    time.sleep(0.003)
'";

/// Bytes of a line without its end.
const LINE: usize = 30;

/// What a look at a log has found.
#[derive(Default, Debug)]
pub(super) struct Seen {
    /// Bytes that were looked at.
    pub(super) bytes: u64,
    /// Runs that were met.
    pub(super) runs: u64,
}

/// Looks at all that is kept of a log; `None` if part of it went while it was read. Fails with what is
/// wrong, and where.
pub(super) fn check(dir: &Path) -> Result<Option<Seen>, String> {
    let Some((first, bytes)) = read(dir)? else {
        return Ok(None);
    };
    let mut seen = Seen {
        bytes: bytes.len() as u64,
        runs: 0,
    };
    let mut rest = &bytes[..];
    if first > 0 {
        // The beginning was let go of in the middle of a line.
        let Some(end) = rest.iter().position(|&byte| byte == b'\n') else {
            return Ok(Some(seen));
        };
        rest = &rest[end + 1..];
    }
    let mut before: Option<(u64, u64)> = None;
    let mut is_cut = false;
    while let Some(end) = rest.iter().position(|&byte| byte == b'\n') {
        let line = rest[..end].trim_ascii_end();
        let at = first + (bytes.len() - rest.len()) as u64;
        let wrong = |why: &str| {
            let line = String::from_utf8_lossy(line);
            format!("at offset {at}, after {before:?}: {why}: {line:?}")
        };
        let next = before.map(|(run, number)| (run, number + 1));
        let is_unfinished = |part: &[u8]| {
            let line = next.map(|(run, number)| format!("r{run:016} {number:012}\r"));
            line.is_some_and(|line| line.as_bytes().starts_with(part))
        };
        if line.len() < LINE && is_unfinished(line) && !is_cut {
            // The line in which a run was ended: the next run begins on one of its own.
            is_cut = true;
            rest = &rest[end + 1..];
            continue;
        }
        // It may also have been ended between the two bytes of the end of a line.
        let (cut, whole) = line.split_at(line.len().saturating_sub(LINE));
        let (run, number) = parse(whole).ok_or_else(|| wrong("no line"))?;
        match next {
            Some((same, expected)) if same == run => {
                if number != expected || !cut.is_empty() || is_cut {
                    return Err(wrong("a line is missing"));
                }
            }
            Some(_) => {
                if number != 0 || !is_unfinished(cut) {
                    return Err(wrong("no first line of a run"));
                }
                seen.runs += 1;
                is_cut = false;
            }
            None if first == 0 && number != 0 => return Err(wrong("the first is missing")),
            // What was before it was let go of.
            None => seen.runs += 1,
        }
        before = Some((run, number));
        rest = &rest[end + 1..];
    }
    Ok(Some(seen))
}

fn parse(line: &[u8]) -> Option<(u64, u64)> {
    let text = std::str::from_utf8(line).ok()?;
    let (run, number) = text.strip_prefix('r')?.split_once(' ')?;
    let is_whole = run.len() == 16 && number.len() == 12;
    is_whole
        .then(|| Some((run.parse().ok()?, number.parse().ok()?)))
        .flatten()
}

/// Where the log begins, and its bytes.
fn read(dir: &Path) -> Result<Option<(u64, Vec<u8>)>, String> {
    // All of them are opened before the first is read: what is dropped meanwhile is read all the same.
    let mut files = Vec::new();
    for (start, name) in numbers::segments(dir) {
        match std::fs::File::open(dir.join(name)) {
            Ok(file) => files.push((start, file)),
            Err(_) => return Ok(None),
        }
    }
    let Some(&(first, _)) = files.first() else {
        return Ok(None);
    };
    let mut bytes = Vec::new();
    for (start, mut file) in files {
        let end = first + bytes.len() as u64;
        if end != start {
            return Err(format!("a gap from {end} to the segment at {start}"));
        }
        std::io::Read::read_to_end(&mut file, &mut bytes).map_err(|error| error.to_string())?;
    }
    Ok(Some((first, bytes)))
}

//! A recording in the asciicast v2 format: a header, and then one line per event
//! (<https://docs.asciinema.org>).

use serde::Serialize;

/// The first line of a recording.
#[derive(Clone, Debug, Serialize)]
pub struct Header {
    version: u8,
    width: u16,
    height: u16,
    /// Start of the recording, in seconds since 1970.
    timestamp: i64,
    command: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    env: Environment,
}

#[derive(Clone, Debug, Serialize)]
struct Environment {
    #[serde(rename = "TERM")]
    term: &'static str,
    #[serde(rename = "SHELL")]
    shell: &'static str,
}

impl Header {
    /// The header of a recording of `command` on a terminal of this size.
    pub fn new(width: u16, height: u16, timestamp: i64, command: String) -> Self {
        let (term, shell) = ("xterm-256color", "/bin/sh");
        Self {
            version: 2,
            width,
            height,
            timestamp,
            command,
            title: None,
            env: Environment { term, shell },
        }
    }

    /// Sets the title to the name that people gave the job.
    #[must_use]
    pub fn titled(self, title: Option<String>) -> Self {
        Self { title, ..self }
    }
}

/// Writes a recording.
#[derive(Debug)]
pub struct Cast {
    header: Option<Header>,
    /// Whether LF needs the CR that a terminal would have added.
    is_piped: bool,
    /// The first bytes of an incomplete character.
    split: Vec<u8>,
    /// Time of the last event. Time must not run backwards in a recording.
    last: u64,
}

impl Cast {
    /// Creates a recording. `is_piped` says whether the job ran with pipes.
    pub fn new(header: Header, is_piped: bool) -> Self {
        Self {
            header: Some(header),
            is_piped,
            split: Vec::new(),
            last: 0,
        }
    }

    /// Records output, `at` milliseconds after the beginning.
    pub(super) fn feed(&mut self, at: u64, bytes: &[u8], out: &mut Vec<u8>) {
        self.begin(out);
        self.split.extend_from_slice(bytes);
        let bytes = std::mem::take(&mut self.split);
        let whole = bytes.len() - unfinished(&bytes);
        self.split = bytes[whole..].to_vec();
        let mut text = String::from_utf8_lossy(&bytes[..whole]).into_owned();
        if self.is_piped {
            text = text.replace('\n', "\r\n");
        }
        if !text.is_empty() {
            self.event(at, "o", &text, out);
        }
    }

    /// Records a marker, to which a player can jump.
    pub(super) fn marker(&mut self, at: u64, label: &str, out: &mut Vec<u8>) {
        self.begin(out);
        self.event(at, "m", label, out);
    }

    /// Records a change of size.
    pub(super) fn resize(&mut self, at: u64, cols: u16, rows: u16, out: &mut Vec<u8>) {
        self.begin(out);
        self.event(at, "r", &format!("{cols}x{rows}"), out);
    }

    /// Replaces an incomplete character at the end and finishes the recording.
    pub(super) fn finish(mut self, out: &mut Vec<u8>) {
        self.begin(out);
        if !self.split.is_empty() {
            self.event(self.last, "o", "\u{fffd}", out);
        }
    }

    fn begin(&mut self, out: &mut Vec<u8>) {
        if let Some(header) = self.header.take() {
            line(&header, out);
        }
    }

    fn event(&mut self, at: u64, kind: &str, data: &str, out: &mut Vec<u8>) {
        self.last = self.last.max(at);
        line(&(self.last as f64 / 1000.0, kind, data), out);
    }
}

fn line(value: &impl Serialize, out: &mut Vec<u8>) {
    // Cannot fail: numbers and strings are always valid JSON.
    out.extend(serde_json::to_vec(value).unwrap_or_default());
    out.push(b'\n');
}

/// Number of bytes at the end that may be the beginning of a character.
fn unfinished(bytes: &[u8]) -> usize {
    let tail = &bytes[bytes.len().saturating_sub(3)..];
    let begins = |at: &usize| match std::str::from_utf8(&tail[*at..]) {
        Err(error) => error.valid_up_to() == 0 && error.error_len().is_none(),
        Ok(_) => false,
    };
    (0..tail.len()).find(begins).map_or(0, |at| tail.len() - at)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn lines(out: &[u8]) -> Vec<serde_json::Value> {
        let text = std::str::from_utf8(out).unwrap();
        text.lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect()
    }

    fn header() -> Header {
        Header::new(80, 24, 1_700_000_000, "make".to_owned())
    }

    #[test]
    fn a_recording_has_a_header_and_timed_events() {
        let (mut cast, mut out) = (
            Cast::new(header().titled(Some("web".to_owned())), false),
            Vec::new(),
        );
        cast.feed(0, b"a\r\n", &mut out);
        cast.marker(1500, "run 2", &mut out);
        cast.resize(1500, 120, 40, &mut out);
        cast.feed(1234, b"\x1b[1mb", &mut out);
        cast.finish(&mut out);
        let expected = r#"{"version":2,"width":80,"height":24,"timestamp":1700000000,"command":"make","title":"web","env":{"TERM":"xterm-256color","SHELL":"/bin/sh"}}
[0.0,"o","a\r\n"]
[1.5,"m","run 2"]
[1.5,"r","120x40"]
[1.5,"o","\u001b[1mb"]
"#;
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }

    #[test]
    fn characters_are_neither_split_nor_invented() {
        let text = "a漢😀é".repeat(20);
        for piece in 1..6 {
            let (mut cast, mut out) = (Cast::new(header(), false), Vec::new());
            for bytes in text.as_bytes().chunks(piece) {
                cast.feed(0, bytes, &mut out);
            }
            cast.finish(&mut out);
            let events = lines(&out);
            let said: String = events[1..]
                .iter()
                .map(|event| event[2].as_str().unwrap())
                .collect();
            assert_eq!(said, text, "pieces of {piece}");
        }
    }

    #[test]
    fn invalid_bytes_are_replaced_also_at_the_end() {
        let (mut cast, mut out) = (Cast::new(header(), true), Vec::new());
        cast.feed(0, b"a\xff\xe6\xbcb\n\xe6\xbc", &mut out);
        cast.finish(&mut out);
        let events = lines(&out);
        assert_eq!(events[1][2], "a\u{fffd}\u{fffd}b\r\n");
        assert_eq!(events[2][2], "\u{fffd}");
    }

    #[test]
    fn an_empty_recording_has_its_header() {
        let mut out = Vec::new();
        Cast::new(header(), false).finish(&mut out);
        assert_eq!(lines(&out).len(), 1);
    }
}

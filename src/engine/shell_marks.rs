//! The marks that shells write around their prompts and the outputs of commands (OSC 133), in a log as it is
//! written.

use memchr::{memchr3, memmem};

use crate::term::shell_report::Mark;

/// How a mark begins. Its parameters follow.
const BEGIN: &[u8] = b"\x1b]133;";

/// Maximum length of the parameters in bytes. Some shells add the line of the command.
const LONGEST: usize = 4096;

/// A mark in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Placed<'a> {
    /// Offset of its first byte.
    pub start: u64,
    /// Offset behind its last byte.
    pub end: u64,
    /// Its parameters: what follows `133;`.
    pub params: &'a [u8],
}

impl Placed<'_> {
    /// What it means; `None` if that is not known.
    pub fn mark(&self) -> Option<Mark> {
        Mark::of(self.params)
    }
}

/// Finds marks in a log that is read piece by piece.
#[derive(Clone, Debug)]
pub struct MarkReader {
    /// The last bytes that were read, if a mark may begin in them.
    rest: Vec<u8>,
    /// Offset behind the last byte that was read.
    position: u64,
}

impl MarkReader {
    /// A reader that begins at an offset of the log.
    pub fn new(from: u64) -> Self {
        Self {
            rest: Vec::new(),
            position: from,
        }
    }

    /// Reads the bytes at `offset`, which follow those before, and passes each complete mark to `take`.
    pub fn feed(&mut self, offset: u64, bytes: &[u8], mut take: impl FnMut(Placed<'_>)) {
        if offset != self.position {
            // The log has dropped what was between.
            self.rest.clear();
        }
        let start = offset - self.rest.len() as u64;
        let mut text = std::mem::take(&mut self.rest);
        text.extend_from_slice(bytes);
        self.position = offset + bytes.len() as u64;
        let mut at = 0;
        while let Some(found) = memmem::find(&text[at..], BEGIN) {
            let begin = at + found;
            let params = begin + BEGIN.len();
            match string_end(&text[params..]) {
                StringEnd::At(length, terminator) => {
                    let end = params + length + terminator;
                    take(Placed {
                        start: start + begin as u64,
                        end: start + end as u64,
                        params: &text[params..params + length],
                    });
                    at = end;
                }
                StringEnd::Later if text.len() - params <= LONGEST => {
                    self.rest = text.split_off(begin);
                    return;
                }
                StringEnd::Later | StringEnd::Never => at = params,
            }
        }
        let keep = text.len().saturating_sub(BEGIN.len() - 1).max(at);
        self.rest = text.split_off(keep);
    }
}

/// Where a control string ends.
enum StringEnd {
    /// After this many bytes, with a terminator of this length.
    At(usize, usize),
    /// Not in these bytes.
    Later,
    /// It is broken off by another control character.
    Never,
}

fn string_end(bytes: &[u8]) -> StringEnd {
    let Some(at) = memchr3(0x07, 0x1b, b'\n', bytes) else {
        return StringEnd::Later;
    };
    match bytes[at..] {
        [0x07, ..] => StringEnd::At(at, 1),
        [0x1b, b'\\', ..] => StringEnd::At(at, 2),
        [0x1b] => StringEnd::Later,
        _ => StringEnd::Never,
    }
}

/// The output of a command in a log.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CommandOutput {
    /// Offset of its first byte.
    pub start: u64,
    /// Offset behind its last byte; `None` while the command runs.
    pub end: Option<u64>,
    /// Its exit code, if the shell reported it.
    pub exit_code: Option<i32>,
}

/// Collects the commands of a shell, oldest first.
#[derive(Clone, Debug, Default)]
pub struct Commands(Vec<CommandOutput>);

impl Commands {
    /// Adds a mark that follows those before.
    pub fn add(&mut self, placed: Placed<'_>) {
        let last = self.0.last_mut().filter(|last| last.end.is_none());
        match (placed.mark(), last) {
            (Some(Mark::Output), last) => {
                if let Some(last) = last {
                    last.end = Some(placed.start);
                }
                self.0.push(CommandOutput {
                    start: placed.end,
                    end: None,
                    exit_code: None,
                });
            }
            (Some(Mark::End(code)), Some(last)) => {
                last.end = Some(placed.start);
                last.exit_code = code;
            }
            // A shell that does not mark the end of a command is at its next prompt.
            (Some(Mark::Prompt), Some(last)) => last.end = Some(placed.start),
            _ => {}
        }
    }

    /// The `n`th command from the end, counted from 1.
    pub fn from_end(&self, n: usize) -> Option<CommandOutput> {
        self.0.len().checked_sub(n).map(|index| self.0[index])
    }
}

/// Waits for the end of a command that a shell runs.
#[derive(Clone, Debug)]
pub struct EndSearch {
    reader: MarkReader,
    /// Whether the shell is known to be at its prompt. Some shells mark an end there also if no command ran.
    at_prompt: bool,
    ended: Option<Option<i32>>,
}

impl EndSearch {
    /// A search from an offset of the log on.
    pub fn new(from: u64) -> Self {
        Self {
            reader: MarkReader::new(from),
            at_prompt: false,
            ended: None,
        }
    }

    /// Searches the bytes at `offset`, which follow those before.
    pub fn feed(&mut self, offset: u64, bytes: &[u8]) {
        let (at_prompt, ended) = (&mut self.at_prompt, &mut self.ended);
        self.reader
            .feed(offset, bytes, |placed| match placed.mark() {
                Some(Mark::Prompt | Mark::Input) => *at_prompt = true,
                Some(Mark::Output) => *at_prompt = false,
                Some(Mark::End(code)) if !*at_prompt && ended.is_none() => *ended = Some(code),
                Some(Mark::End(_)) | None => {}
            });
    }

    /// The exit code of the command, if it has ended; the inner `None` if the shell did not report it.
    pub fn ended(&self) -> Option<Option<i32>> {
        self.ended
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const LOG: &[u8] = b"\x1b]133;D\x07\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C;cmdline_url=ls\x1b\\one\r\n\
        \x1b]133;D;2;aid=1\x07\x1b]133;A\x1b\\$ \x1b]133;D;0\x07\x1b]133;A\x07$ top\r\n\x1b]133;C\x07\x1b]133;x\nbusy";

    fn commands(log: &[u8], size: usize) -> Commands {
        let mut reader = MarkReader::new(5);
        let mut commands = Commands::default();
        for (n, piece) in log.chunks(size).enumerate() {
            reader.feed(5 + (n * size) as u64, piece, |placed| commands.add(placed));
        }
        commands
    }

    #[test]
    fn commands_are_found_in_pieces_of_any_size() {
        let at = |text: &str| 5 + memmem::find(LOG, text.as_bytes()).unwrap() as u64;
        for size in 1..=LOG.len() {
            let commands = commands(LOG, size);
            let ls = CommandOutput {
                start: at("one"),
                end: Some(at("\x1b]133;D;2")),
                exit_code: Some(2),
            };
            let top = CommandOutput {
                start: at("\x1b]133;x"),
                end: None,
                exit_code: None,
            };
            assert_eq!(commands.from_end(1), Some(top), "{size}");
            assert_eq!(commands.from_end(2), Some(ls), "{size}");
            assert_eq!(commands.from_end(3), None, "{size}");
        }
    }

    #[test]
    fn only_a_command_that_ran_has_an_end() {
        let ended = |log: &[u8]| {
            let mut search = EndSearch::new(0);
            search.feed(0, log);
            search.ended()
        };
        // It ran when the search began.
        assert_eq!(ended(b"x\x1b]133;D;1\x07"), Some(Some(1)));
        assert_eq!(
            ended(b"\x1b]133;A\x07$ \x1b]133;D;1\x07"),
            None,
            "an empty line"
        );
        assert_eq!(
            ended(b"\x1b]133;C\x07a\x1b]133;D\x07\x1b]133;D;3\x07"),
            Some(None)
        );
        assert_eq!(ended(LOG), Some(None), "before the first prompt");
    }

    #[test]
    fn a_mark_without_end_is_given_up() {
        let mut log = b"\x1b]133;C;".to_vec();
        log.extend(vec![b'a'; 2 * LONGEST]);
        log.extend(b"\x07\x1b]133;A\x07");
        let mut reader = MarkReader::new(0);
        let mut found = Vec::new();
        for (n, piece) in log.chunks(100).enumerate() {
            reader.feed(n as u64 * 100, piece, |placed| found.push(placed.mark()));
            assert!(reader.rest.len() <= LONGEST + 200);
        }
        assert_eq!(found, [Some(Mark::Prompt)]);
    }

    #[test]
    fn a_gap_in_the_log_joins_nothing() {
        let mut reader = MarkReader::new(0);
        let mut found = 0;
        reader.feed(0, b"\x1b]133;", |_| found += 1);
        reader.feed(100, b"A\x07", |_| found += 1);
        assert_eq!(found, 0);
    }
}

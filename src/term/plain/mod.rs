//! The plain renderer: bytes to the lines a reader would have seen scroll by.

use super::size::Size;

/// How the text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Layout {
    /// Rows and columns of the window.
    pub size: Size,
    /// Whether a terminal or a pipe carried the bytes.
    pub kind: LayoutKind,
}

/// What carried the bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LayoutKind {
    /// A terminal: lines wrap at the last column.
    Terminal,
    /// A pipe: no wrapping, and LF implies CR.
    Pipe,
}

/// One logical line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Line {
    /// Its number, from 1 for ever.
    pub n: u64,
    /// Absolute raw offset of its first byte.
    pub start: u64,
    /// Its text, without the newline.
    pub text: String,
}

/// A place to start rendering from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checkpoint {
    /// Absolute raw offset.
    pub offset: u64,
    /// Number of the line that begins there.
    pub line: u64,
    /// Window row of the cursor there.
    pub row: u16,
    /// Whether the alternate screen is on.
    pub alt: bool,
    /// Whether rendering from here gives the same lines as rendering from the beginning.
    pub exact: bool,
}

/// Renders a stream of bytes as lines.
#[derive(Debug)]
pub struct Plain {
    buffer: Vec<u8>,
    offset: u64,
    base: u64,
}

impl Plain {
    /// A renderer at offset 0, line 1.
    pub fn new(_layout: Layout) -> Self {
        Self {
            buffer: Vec::new(),
            offset: 0,
            base: 0,
        }
    }

    /// A renderer that goes on from `at`.
    pub fn resume(_layout: Layout, at: Checkpoint) -> Self {
        Self {
            buffer: Vec::new(),
            offset: at.offset,
            base: at.line - 1,
        }
    }

    /// Renders `bytes`; any split of a stream gives the same lines.
    pub fn feed(&mut self, bytes: &[u8]) {
        self.buffer.extend_from_slice(bytes);
        self.offset += bytes.len() as u64;
    }

    /// Absolute offset after the bytes fed.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Offset of the first byte of an unfinished escape sequence or character, else [`offset`](Self::offset).
    pub fn clean_offset(&self) -> u64 {
        self.offset
    }

    /// Whether the alternate screen is on.
    pub fn alt_screen(&self) -> bool {
        false
    }

    /// Whether [`drain_final`](Self::drain_final) is to be told the text of final lines, or they are only counted.
    pub fn set_keep_final(&mut self, _keep: bool) {}

    /// Lines that can no longer change, since the last call.
    pub fn drain_final(&mut self) -> Vec<Line> {
        Vec::new()
    }

    /// The lines still on the window, in order.
    pub fn live(&self) -> Vec<Line> {
        let text = String::from_utf8_lossy(&self.buffer);
        (self.base + 1..)
            .zip(text.lines())
            .map(|(n, text)| Line {
                n,
                start: 0,
                text: text.to_string(),
            })
            .collect()
    }

    /// Lines whose text changed since the last call, and texts that were overwritten within it.
    pub fn take_touched(&mut self) -> Vec<Line> {
        self.live()
    }

    /// Number of logical lines so far.
    pub fn total_lines(&self) -> u64 {
        self.base + self.live().len() as u64
    }

    /// Places to resume from, found since the last call.
    pub fn take_checkpoints(&mut self) -> Vec<Checkpoint> {
        Vec::new()
    }
}

/// A slice of output, rendered on its own.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Rendered {
    /// The lines, joined by `\n`; a final `\n` is kept.
    pub text: String,
    /// How many of the bytes are in it: the rest is an unfinished sequence or character.
    pub consumed: usize,
    /// Whether the alternate screen is on afterwards.
    pub alt: bool,
}

/// Renders a slice that starts in ground state on a blank window.
pub fn render(bytes: &[u8], _layout: Layout, alt: bool) -> Rendered {
    Rendered {
        text: String::from_utf8_lossy(bytes).replace('\r', ""),
        consumed: bytes.len(),
        alt,
    }
}

/// What a bounded text left out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Omitted {
    /// Bytes of text.
    pub bytes: u64,
    /// Newlines among them.
    pub lines: u64,
}

/// The last `max_chars` characters of `text`, and what was left out before them.
pub fn tail_chars(text: &str, max_chars: usize) -> (&str, Omitted) {
    // Every character has at least one byte, so a short text needs no counting.
    if text.len() <= max_chars {
        return (text, Omitted::default());
    }
    let cut = match max_chars.checked_sub(1) {
        None => text.len(),
        Some(back) => text.char_indices().rev().nth(back).map_or(0, |(at, _)| at),
    };
    let (left, kept) = text.split_at(cut);
    let lines = left.bytes().filter(|&b| b == b'\n').count();
    (
        kept,
        Omitted {
            bytes: left.len() as u64,
            lines: lines as u64,
        },
    )
}

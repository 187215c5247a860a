//! One stream of a job (its terminal, stdout or stderr), converted for stdout or stderr of this
//! command.

use super::show::How;
use crate::cli::context::Context;
use crate::cli::exit::Failure;
use crate::cli::output::style::Paint;
use crate::cli::output::{Kind, Output, Sink};
use crate::term::bidi;
use crate::term::plain::reader::{Reader, Shown};
use crate::term::plain::written::Written;
use crate::term::plain::{Checkpoint, Layout, LayoutKind, Plain};
use crate::term::relay::Relay;

/// One stream of a job.
pub struct Lane {
    sink: Sink,
    layout: Layout,
    form: Form,
    colours: bool,
    /// Whether the output is a terminal. Bidirectional text must then not reorder the prefix of the line.
    on_terminal: bool,
    /// Whether the last line was written without a newline.
    in_line: bool,
}

/// How the stream is converted.
enum Form {
    /// Raw bytes.
    Bytes,
    /// Bytes, without the sequences that must not reach a terminal.
    Relay(Relay),
    /// Lines, each written when it is complete.
    Live(Box<Written>),
    /// Final lines with colours.
    Drawn(Box<Plain>),
    /// Final lines without colours, which is faster.
    Read(Box<Reader>),
}

impl Lane {
    /// A stream that is shown from `at` on. With `plain`, escape sequences are removed.
    pub fn new(
        out: &Output,
        sink: Sink,
        layout: Layout,
        at: Checkpoint,
        how: How,
        plain: bool,
    ) -> Self {
        let terminal = out.terminal(sink);
        let colours = !plain && out.paint(sink) == Paint::Colour;
        let form = match how {
            How::Raw => Form::Bytes,
            How::Filter if layout.kind == LayoutKind::Pipe && !plain && terminal == Kind::None => {
                Form::Bytes
            }
            How::Live | How::Filter if terminal == Kind::Obeys && !plain => {
                Form::Relay(Relay::new(colours))
            }
            How::Live | How::Filter | How::Lines => Form::lines(layout, at, how, colours),
        };
        Self {
            sink,
            layout,
            form,
            colours,
            on_terminal: terminal != Kind::None,
            in_line: false,
        }
    }

    /// A stream that is read as lines, for standard output, wherever that goes: one that can only be passed on has no
    /// lines.
    pub fn of_lines(out: &Output, layout: Layout, at: Checkpoint, how: How, plain: bool) -> Self {
        let colours = !plain && out.paint(Sink::Out) == Paint::Colour;
        Self {
            sink: Sink::Out,
            layout,
            form: Form::lines(layout, at, how, colours),
            colours,
            on_terminal: out.terminal(Sink::Out) != Kind::None,
            in_line: false,
        }
    }

    /// Whether the output is a terminal.
    pub fn is_on_terminal(&self) -> bool {
        self.on_terminal
    }

    /// Appends the converted `bytes` to `out`, each line after `prefix`.
    pub fn feed(&mut self, bytes: &[u8], prefix: &str, out: &mut Vec<u8>) {
        match &mut self.form {
            Form::Bytes => out.extend_from_slice(bytes),
            Form::Relay(relay) => relay.feed(bytes, out),
            _ => {
                let (mut in_line, on_terminal) = (self.in_line, self.on_terminal);
                self.lines(bytes, &mut |line| {
                    push_line(line, (prefix, on_terminal), &mut in_line, out)
                });
                self.in_line = in_line;
            }
        }
    }

    /// Passes the lines in `bytes` to `take`, of a stream that is read as lines. Raw bytes and relayed sequences have
    /// none.
    pub fn lines(&mut self, bytes: &[u8], take: &mut impl FnMut(Shown<'_>)) {
        match &mut self.form {
            Form::Bytes | Form::Relay(_) => {}
            Form::Live(written) => written.feed(bytes, take),
            Form::Drawn(plain) => {
                plain.feed(bytes);
                plain
                    .drain_final()
                    .iter()
                    .for_each(|line| take(line.into()));
            }
            Form::Read(reader) => {
                reader.feed(bytes, &mut |line| {
                    take(line);
                    true
                });
            }
        }
    }

    /// Appends what is left of a run of the job. The following bytes belong to the next run, which
    /// starts at `at`.
    pub fn end_run(&mut self, at: Checkpoint, prefix: &str, out: &mut Vec<u8>) {
        if let Form::Relay(relay) = &mut self.form {
            return relay.end_line(out);
        }
        let Some(next) = self.form.anew(self.layout, at, self.colours) else {
            return;
        };
        self.finish(prefix, out);
        if self.in_line || out.last().is_some_and(|last| *last != b'\n') {
            out.push(b'\n');
        }
        self.in_line = false;
        self.form = next;
    }

    /// Passes the line that a gap in the log cuts to `take`. The following bytes begin at `at`.
    pub fn cut_lines(&mut self, at: Checkpoint, take: &mut impl FnMut(Shown<'_>)) {
        if let Some(next) = self.form.anew(self.layout, at, self.colours) {
            self.last_lines(take);
            self.form = next;
        }
    }

    /// Appends the rest of the stream.
    pub fn finish(&mut self, prefix: &str, out: &mut Vec<u8>) {
        if let Form::Relay(relay) = &mut self.form {
            return relay.rest(out);
        }
        let (mut in_line, on_terminal) = (self.in_line, self.on_terminal);
        let is_open = self.last_lines(&mut |line| {
            push_line(line, (prefix, on_terminal), &mut in_line, out);
        });
        self.in_line = in_line;
        // If the job did not end its last line with a newline, neither does the output.
        if is_open && prefix.is_empty() && out.last() == Some(&b'\n') {
            out.pop();
        }
    }

    /// Passes the remaining lines to `take`. Returns whether the last line must be written without a
    /// newline.
    pub fn last_lines(&mut self, take: &mut impl FnMut(Shown<'_>)) -> bool {
        match std::mem::replace(&mut self.form, Form::Bytes) {
            Form::Bytes | Form::Relay(_) => false,
            Form::Live(written) => written.finish(take),
            Form::Drawn(mut plain) => {
                let lines = [plain.drain_final(), plain.live()].concat();
                lines.iter().for_each(|line| take(line.into()));
                false
            }
            Form::Read(reader) => {
                reader.finish(&mut |line| {
                    take(line);
                    true
                });
                false
            }
        }
    }

    /// Writes `bytes` to the output stream of this lane.
    pub fn write(&self, ctx: &mut Context, bytes: &[u8]) -> Result<(), Failure> {
        match self.sink {
            Sink::Out => ctx.out.bytes(bytes),
            Sink::Err => ctx.out.errors(bytes),
        }
    }
}

impl Form {
    /// The form of a stream that is read as lines.
    fn lines(layout: Layout, at: Checkpoint, how: How, colours: bool) -> Self {
        match how {
            How::Lines if colours => Self::drawn(layout, at),
            How::Lines => Self::read(layout, at),
            How::Live | How::Filter | How::Raw => Self::live(layout, at, colours),
        }
    }

    /// The same form of what begins at `at`, if it is read as lines: these count from where they begin.
    fn anew(&self, layout: Layout, at: Checkpoint, colours: bool) -> Option<Self> {
        match self {
            Self::Bytes | Self::Relay(_) => None,
            Self::Live(_) => Some(Self::live(layout, at, colours)),
            Self::Drawn(_) => Some(Self::drawn(layout, at)),
            Self::Read(_) => Some(Self::read(layout, at)),
        }
    }

    fn drawn(layout: Layout, at: Checkpoint) -> Self {
        let mut drawn = Plain::resume(layout, at);
        drawn.set_track_touched(false);
        drawn.set_colours(true);
        Self::Drawn(Box::new(drawn))
    }

    fn read(layout: Layout, at: Checkpoint) -> Self {
        Self::Read(Box::new(Reader::new(layout, at)))
    }

    fn live(layout: Layout, at: Checkpoint, colours: bool) -> Self {
        Self::Live(Box::new(Written::new(layout, at).with_colours(colours)))
    }
}

fn push_line(
    line: Shown<'_>,
    (prefix, on_terminal): (&str, bool),
    in_line: &mut bool,
    out: &mut Vec<u8>,
) {
    if !*in_line {
        out.extend_from_slice(prefix.as_bytes());
    }
    if on_terminal && !prefix.is_empty() {
        out.extend_from_slice(bidi::isolated(line.text).as_bytes())
    } else {
        out.extend_from_slice(line.text.as_bytes())
    }
    *in_line = line.goes_on;
    if !line.goes_on {
        out.push(b'\n');
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::term::plain::LayoutKind;
    use crate::term::size::Size;

    #[test]
    fn lines_after_a_gap_begin_where_the_gap_ends() {
        let layout = Layout {
            size: Size::new(24, 80),
            kind: LayoutKind::Terminal,
        };
        for (how, colours) in [(How::Lines, false), (How::Lines, true), (How::Live, false)] {
            let form = Form::lines(layout, Checkpoint::at(0), how, colours);
            let mut lane = Lane {
                sink: Sink::Out,
                layout,
                form,
                colours,
                on_terminal: false,
                in_line: false,
            };
            let mut seen = Vec::new();
            let mut take = |line: Shown<'_>| seen.push((line.start, line.text.to_owned()));
            // First nothing is there, and later a line is cut.
            lane.cut_lines(Checkpoint::scrolled(layout.size, 50, 1), &mut take);
            lane.lines(b"one\r\ntw", &mut take);
            lane.cut_lines(Checkpoint::scrolled(layout.size, 100, 1), &mut take);
            lane.lines(b"three\r\n", &mut take);
            lane.last_lines(&mut take);
            let wanted = [(50, "one"), (55, "tw"), (100, "three")];
            assert_eq!(seen, wanted.map(|(at, text)| (at, text.to_owned())));
        }
    }
}

//! Writes to the window. A frame is written at once, so that neither the terminal nor a person sees a part of it.

use std::cell::Cell;
use std::io::{self, Write};
use std::rc::Rc;

/// Begins and ends a synchronized update (mode 2026), which terminals show as a whole. Others ignore it.
const BEGIN: &[u8] = b"\x1b[?2026h";
const END: &[u8] = b"\x1b[?2026l";

/// Whether a frame is being drawn.
#[derive(Clone, Debug, Default)]
pub struct InFrame(Rc<Cell<bool>>);

/// The standard output with a buffer. While a frame is drawn, flushing it does nothing: the libraries flush after
/// the cells, and after each change of the cursor.
#[derive(Debug)]
pub struct WindowWriter<W: Write> {
    out: W,
    buffer: Vec<u8>,
    in_frame: InFrame,
}

impl<W: Write> WindowWriter<W> {
    /// A writer to `out`.
    pub fn new(out: W, in_frame: InFrame) -> Self {
        Self {
            out,
            buffer: Vec::with_capacity(64 * 1024),
            in_frame,
        }
    }
}

impl InFrame {
    /// Notes that a frame begins: what is written from now on waits for [`end`](Self::end).
    pub fn begin(&self, writer: &mut impl Write) -> io::Result<()> {
        self.0.set(true);
        writer.write_all(BEGIN)
    }

    /// Writes the frame.
    pub fn end(&self, writer: &mut impl Write) -> io::Result<()> {
        self.0.set(false);
        writer.write_all(END)?;
        writer.flush()
    }
}

impl<W: Write> Write for WindowWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.in_frame.0.get() {
            return Ok(());
        }
        let written = self.out.write_all(&self.buffer);
        self.buffer.clear();
        written.and_then(|()| self.out.flush())
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    /// Remembers each write.
    #[derive(Default)]
    struct Writes(Rc<Cell<Vec<String>>>);

    impl Write for Writes {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let mut writes = self.0.take();
            writes.push(String::from_utf8(bytes.to_vec()).unwrap());
            self.0.set(writes);
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_frame_is_one_write() {
        let (writes, in_frame) = (Rc::default(), InFrame::default());
        let mut writer = WindowWriter::new(Writes(Rc::clone(&writes)), in_frame.clone());
        writer.write_all(b"before").unwrap();
        writer.flush().unwrap();
        in_frame.begin(&mut writer).unwrap();
        for part in ["cells", "cursor"] {
            writer.write_all(part.as_bytes()).unwrap();
            writer.flush().unwrap();
        }
        in_frame.end(&mut writer).unwrap();
        let expected = ["before", "\x1b[?2026hcellscursor\x1b[?2026l"];
        assert_eq!(writes.take(), expected);
    }
}

//! Converts a log into another format piece by piece. Only the unfinished part is held in memory,
//! however long the log is.

mod cast;
mod page;

pub use cast::{Cast, Header};
pub use page::Pages;

use super::plain::Plain;
use super::size::Size;

/// An encoder for one export. Bytes are fed in order, and output is produced as soon as it is
/// final.
pub enum Encoder {
    /// The exact bytes.
    Raw,
    /// Clean text.
    Text(Box<Plain>),
    /// An HTML page.
    Html(Box<Pages>),
    /// A recording.
    Cast(Cast),
}

impl Encoder {
    /// Processes bytes that were written `at` milliseconds after the beginning, and appends
    /// finished output to `out`.
    pub fn feed(&mut self, at: u64, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Raw => out.extend_from_slice(bytes),
            Self::Text(plain) => {
                plain.feed(bytes);
                put_final(plain, out);
            }
            Self::Html(pages) => pages.feed(bytes, out),
            Self::Cast(cast) => cast.feed(at, bytes, out),
        }
    }

    /// Marks the start of a new run.
    pub fn run(&mut self, at: u64, number: u32, out: &mut Vec<u8>) {
        if let Self::Cast(cast) = self {
            cast.marker(at, &format!("run {number}"), out);
        }
    }

    /// Changes the size of the terminal. A page is as wide as the terminal was last.
    pub fn resize(&mut self, at: u64, size: Size, out: &mut Vec<u8>) {
        match self {
            Self::Text(plain) => {
                plain.resize(size);
                put_final(plain, out);
            }
            Self::Cast(cast) => cast.resize(at, size.cols(), size.rows(), out),
            Self::Raw | Self::Html(_) => {}
        }
    }

    /// Appends the rest of the output.
    pub fn finish(self, out: &mut Vec<u8>) {
        match self {
            Self::Raw => {}
            Self::Text(plain) => {
                let lines: Vec<String> = plain.live().into_iter().map(|line| line.text).collect();
                out.extend_from_slice(lines.join("\n").as_bytes());
                if !lines.is_empty() && plain.ends_with_newline() {
                    out.push(b'\n');
                }
            }
            Self::Html(pages) => pages.finish(out),
            Self::Cast(cast) => cast.finish(out),
        }
    }

    /// Number of log bytes that it processes at once without delaying other tasks noticeably.
    pub fn turn(&self) -> usize {
        match self {
            Self::Html(_) => 8 * 1024,
            _ => 64 * 1024,
        }
    }

    /// Whether the times of the bytes matter.
    pub fn is_timed(&self) -> bool {
        matches!(self, Self::Cast(_))
    }
}

/// Appends the lines that have become final.
fn put_final(plain: &mut Plain, out: &mut Vec<u8>) {
    for line in plain.drain_final() {
        out.extend_from_slice(line.text.as_bytes());
        out.push(b'\n');
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use crate::term::plain::{Layout, LayoutKind, render};
    use crate::term::screen::Screen;
    use crate::term::size::Size;

    fn size() -> Size {
        Size::new(4, 20)
    }

    fn encoded(mut encoder: Encoder, bytes: &[u8], piece: usize) -> String {
        let mut out = Vec::new();
        for (n, bytes) in bytes.chunks(piece).enumerate() {
            encoder.feed(n as u64 * 250, bytes, &mut out);
        }
        encoder.finish(&mut out);
        String::from_utf8(out).unwrap()
    }

    fn layout() -> Layout {
        Layout {
            size: size(),
            kind: LayoutKind::Terminal,
        }
    }

    #[test]
    fn text_is_what_a_reader_would_have_seen() {
        for text in [
            "",
            "a",
            "a\r\n",
            "10%\r20%\r100%\r\n\x1b[31mdone\x1b[m",
            "1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n",
        ] {
            for piece in [1, 3, 100] {
                let encoder = Encoder::Text(Box::new(Plain::new(layout())));
                let expected = render(text.as_bytes(), layout(), false).text;
                assert_eq!(
                    encoded(encoder, text.as_bytes(), piece),
                    expected,
                    "{text:?}"
                );
            }
        }
    }

    #[test]
    fn a_page_has_every_line_in_colour_whatever_the_pieces() {
        let lines: Vec<String> = (0..500)
            .map(|n| format!("\x1b[3{}mline {n}\x1b[m", n % 8))
            .collect();
        let text = lines.join("\r\n");
        let whole = |piece| {
            let pages = Pages::new(Screen::with_scrollback(size(), Pages::SCROLLBACK), "log");
            encoded(Encoder::Html(Box::new(pages)), text.as_bytes(), piece)
        };
        let page = whole(usize::MAX);
        assert_eq!(
            page.matches("\nline").count() + page.matches(">line").count(),
            500
        );
        assert!(page.contains("<span style=\"color:#cd0000\">line 1</span>\n"));
        assert!(
            page.ends_with("line 499</span></pre>\n</body>\n</html>\n"),
            "{page}"
        );
        assert_eq!(page, whole(7));
    }

    #[test]
    fn a_page_loses_no_line_when_much_scrolls_at_once() {
        let text = "Q\x1b[999b".repeat(5000);
        let pages = Pages::new(Screen::with_scrollback(size(), Pages::SCROLLBACK), "log");
        let page = encoded(Encoder::Html(Box::new(pages)), text.as_bytes(), usize::MAX);
        // REP repeats at most a screenful.
        assert_eq!(page.matches('Q').count(), 5000 * (1 + 80));
    }

    #[test]
    fn raw_bytes_are_unchanged() {
        assert_eq!(encoded(Encoder::Raw, b"a\x1b[1mb", 2), "a\x1b[1mb");
    }
}

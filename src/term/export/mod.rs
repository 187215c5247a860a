//! A log in another form, piece by piece: however long it is, only what is not finished is held.

mod cast;
mod page;

pub use cast::{Cast, Header};
pub use page::Pages;

use super::plain::Plain;
use super::size::Size;

/// Turns a log into another form. Bytes go in, in order, and come out as soon as nothing can change them.
pub enum Encoder {
    /// The bytes exactly.
    Raw,
    /// Clean text.
    Text(Box<Plain>),
    /// A page.
    Html(Box<Pages>),
    /// A recording.
    Cast(Cast),
}

impl Encoder {
    /// Takes what was written `at` milliseconds after the beginning and appends what is finished to `out`.
    pub fn feed(&mut self, at: u64, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::Raw => out.extend_from_slice(bytes),
            Self::Text(plain) => {
                plain.feed(bytes);
                for line in plain.drain_final() {
                    out.extend_from_slice(line.text.as_bytes());
                    out.push(b'\n');
                }
            }
            Self::Html(pages) => pages.feed(bytes, out),
            Self::Cast(cast) => cast.feed(at, bytes, out),
        }
    }

    /// A new run begins here.
    pub fn run(&mut self, at: u64, number: u32, out: &mut Vec<u8>) {
        if let Self::Cast(cast) = self {
            cast.marker(at, &format!("run {number}"), out);
        }
    }

    /// The terminal has another size.
    pub fn resize(&mut self, at: u64, size: Size, out: &mut Vec<u8>) {
        if let Self::Cast(cast) = self {
            cast.resize(at, size.cols(), size.rows(), out);
        }
    }

    /// Appends the rest.
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

    /// Bytes of a log that it takes at once in the time that others have to wait.
    pub fn turn(&self) -> usize {
        match self {
            Self::Html(_) => 8 * 1024,
            _ => 64 * 1024,
        }
    }

    /// Whether it matters when bytes came.
    pub fn is_timed(&self) -> bool {
        matches!(self, Self::Cast(_))
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
    fn a_page_has_every_line_in_its_colours_whatever_the_pieces() {
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
    fn no_line_of_a_page_is_lost_when_much_scrolls_at_once() {
        let text = "Q\x1b[999b".repeat(5000);
        let pages = Pages::new(Screen::with_scrollback(size(), Pages::SCROLLBACK), "log");
        let page = encoded(Encoder::Html(Box::new(pages)), text.as_bytes(), usize::MAX);
        // A repeat is at most a screenful.
        assert_eq!(page.matches('Q').count(), 5000 * (1 + 80));
    }

    #[test]
    fn the_bytes_are_the_bytes() {
        assert_eq!(encoded(Encoder::Raw, b"a\x1b[1mb", 2), "a\x1b[1mb");
    }
}

//! Rows of plain text, which most are: found at once, because each single cell takes the emulator long to find.

use super::Screen;

impl Screen {
    /// The text of each row that has nothing but printable ASCII without attributes, up to its last character, in
    /// columns from the first one. `None` for any other row.
    pub fn plain_rows(&self) -> impl Iterator<Item = Option<String>> {
        let rows = self.core.screen().rows_formatted(0, self.size.cols());
        rows.map(|row| Some(row).filter(|row| is_plain(row)))
    }
}

/// Whether a row is text. Attributes, and blanks that the emulator skips, are sequences.
fn is_plain(row: &str) -> bool {
    row.bytes().all(|byte| (b' '..=b'~').contains(&byte))
}

#[cfg(test)]
mod tests {
    use crate::term::screen::Screen;
    use crate::term::size::Size;

    #[test]
    fn finds_the_rows_that_are_text() {
        let mut screen = Screen::new(Size::new(8, 10));
        screen.feed(
            b"one two\r\n\x1b[31mred\x1b[m\r\n\r\n\xc3\xa9\r\na\x1b[3Cb\r\n  c  \r\n\x1b[44m\x1b[K\x1b[m",
        );
        screen.feed(b"\x1b[8;1H0123456789");
        let rows: Vec<_> = screen.plain_rows().collect();
        let text = |text: &str| Some(text.to_owned());
        let expected = [
            text("one two"),
            None,
            text(""),
            None,
            None,
            text("  c  "),
            None,
            text("0123456789"),
        ];
        assert_eq!(rows, expected);
    }
}

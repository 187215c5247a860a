//! The language of `.env` files.
//!
//! - A line is `NAME=value`, with an optional `export` before it and spaces around the `=`.
//! - `'…'` is literal. `"…"` knows `\n \t \r \" \\ \$`. Both may run over several lines.
//! - A value without quotes ends at ` #` or at the end of the line.
//! - Outside `'…'`, `$X`, `${X}` and `${X:-default}` are expanded when the environment is made, because only then
//!   it is known whether X is set. `$X` of a variable that is not set stays as it is.
//!
//! Files are data: no command is ever run.

use std::path::Path;

use super::fault::{Fault, Faults};
use super::place::{Lines, Place};

/// Maximum size of a file, in bytes.
pub const MAX_FILE: u64 = 1 << 20;

/// A variable of a `.env` file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pair {
    /// The name.
    pub name: String,
    /// The value, in pieces.
    pub value: Vec<Piece>,
    /// The place of the name.
    pub place: Place,
}

/// A piece of a value.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Piece {
    /// Text as it is.
    Text(String),
    /// A variable.
    Variable {
        /// Its name.
        name: String,
        /// What replaces it if it is not set or empty.
        default: Option<String>,
        /// How it is written, which is what remains if it is not set.
        written: String,
    },
}

/// Reads a file: its pairs in their order, or all that is wrong with it.
pub fn parse(path: &Path, content: &[u8]) -> Result<Vec<Pair>, Vec<Fault>> {
    let faults = Faults::default();
    let text = match std::str::from_utf8(content) {
        Ok(text) => text,
        Err(error) => {
            let valid = content.get(..error.valid_up_to()).unwrap_or_default();
            let valid = String::from_utf8_lossy(valid);
            let place = Lines::new(path, &valid).place(valid.len());
            return Err(vec![Fault::at(
                &place,
                "the file is not valid UTF-8 from here on",
            )]);
        }
    };
    let lines = Lines::new(path, text);
    let mut reader = Reader {
        text,
        at: if text.starts_with('\u{feff}') { 3 } else { 0 },
    };
    let mut pairs = Vec::new();
    while reader.at < text.len() {
        let start = reader.at;
        match reader.line() {
            Ok(Some((offset, name, value))) => pairs.push(Pair {
                name,
                value,
                place: lines.place(offset),
            }),
            Ok(None) => {}
            Err((offset, why)) => {
                faults.add(&lines.place(offset), why);
                // A quote that is not closed would otherwise hide the rest of the file.
                reader.at = start;
                reader.skip_line();
            }
        }
    }
    faults.finish().map(|_| pairs)
}

/// A mistake: its offset, and what is wrong.
type Wrong = (usize, &'static str);

struct Reader<'a> {
    text: &'a str,
    /// Offset of the next character.
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += c.len_utf8();
        Some(c)
    }

    fn spaces(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t']).len();
    }

    fn skip_line(&mut self) {
        let rest = self.rest();
        self.at += rest.find('\n').map_or(rest.len(), |end| end + 1);
    }

    /// A word of characters that names may have.
    fn word(&mut self) -> &'a str {
        let rest = self.rest();
        let is_name = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
        let end = rest.find(|c| !is_name(c)).unwrap_or(rest.len());
        self.at += end;
        rest.get(..end).unwrap_or_default()
    }

    /// One line, or more if quotes run over several: offset of the name, name and value; nothing for a comment.
    fn line(&mut self) -> Result<Option<(usize, String, Vec<Piece>)>, Wrong> {
        self.spaces();
        if matches!(self.peek(), None | Some('\n' | '\r' | '#')) {
            self.skip_line();
            return Ok(None);
        }
        let mut start = self.at;
        let mut name = self.word();
        if name == "export" && matches!(self.peek(), Some(' ' | '\t')) {
            self.spaces();
            // `export = x` sets a variable with that name.
            if self.peek() != Some('=') {
                start = self.at;
                name = self.word();
            }
        }
        let first = name.chars().next();
        if !first.is_some_and(|c| c.is_ascii_alphabetic() || c == '_') {
            return Err((start, "expected NAME=value"));
        }
        self.spaces();
        if self.peek() != Some('=') {
            return Err((self.at, "expected = after the name"));
        }
        self.at += 1;
        self.spaces();
        let value = self.value()?;
        Ok(Some((start, name.to_owned(), value)))
    }

    fn value(&mut self) -> Result<Vec<Piece>, Wrong> {
        let open = self.at;
        let pieces = match self.peek() {
            Some('\'') => self.literal()?,
            Some('"') => self.quoted()?,
            _ => return self.bare(),
        };
        self.spaces();
        match self.peek() {
            None | Some('\n' | '\r' | '#') => {
                self.skip_line();
                Ok(pieces)
            }
            Some(_) if self.at > open => {
                Err((self.at, "expected the end of the line after the quote"))
            }
            Some(_) => Ok(pieces),
        }
    }

    fn literal(&mut self) -> Result<Vec<Piece>, Wrong> {
        let open = self.at;
        self.at += 1;
        let rest = self.rest();
        let Some(end) = rest.find('\'') else {
            return Err((open, "this quote is not closed"));
        };
        self.at += end + 1;
        let text = rest.get(..end).unwrap_or_default();
        clean(text, open)?;
        Ok(vec![Piece::Text(text.replace("\r\n", "\n"))])
    }

    fn quoted(&mut self) -> Result<Vec<Piece>, Wrong> {
        let open = self.at;
        self.at += 1;
        let mut pieces = Pieces::default();
        loop {
            match self.next() {
                None => return Err((open, "this quote is not closed")),
                Some('"') => return Ok(pieces.finish()),
                Some('\r') if self.peek() == Some('\n') => {}
                Some('\0') => return Err((open, NUL)),
                Some('\\') => match self.next() {
                    Some('n') => pieces.text.push('\n'),
                    Some('t') => pieces.text.push('\t'),
                    Some('r') => pieces.text.push('\r'),
                    Some(c @ ('"' | '\\' | '$')) => pieces.text.push(c),
                    // Other escapes stay as they are: values are often Windows paths or patterns.
                    Some(c) => pieces.text.extend(['\\', c]),
                    None => return Err((open, "this quote is not closed")),
                },
                Some('$') => self.variable(&mut pieces),
                Some(c) => pieces.text.push(c),
            }
        }
    }

    fn bare(&mut self) -> Result<Vec<Piece>, Wrong> {
        let start = self.at;
        let rest = self.rest();
        let line_end = rest.find('\n').unwrap_or(rest.len());
        let line = rest.get(..line_end).unwrap_or_default();
        clean(line, start)?;
        // A comment needs a space before it: `#` is common in colours, passwords and addresses.
        let comment = line
            .char_indices()
            .zip(std::iter::once(' ').chain(line.chars()))
            .find(|((_, c), before)| *c == '#' && matches!(before, ' ' | '\t'));
        let value = match comment {
            Some(((at, _), _)) => line.get(..at).unwrap_or_default(),
            None => line,
        };
        let end = start + value.trim_end().len();
        let mut pieces = Pieces::default();
        while self.at < end {
            match self.next() {
                Some('$') => self.variable(&mut pieces),
                Some(c) => pieces.text.push(c),
                None => break,
            }
        }
        self.at = start;
        self.skip_line();
        Ok(pieces.finish())
    }

    /// A variable after its `$`, or the `$` itself.
    fn variable(&mut self, pieces: &mut Pieces) {
        let rest = self.rest();
        let end_of_name = |text: &str| {
            let is_name = |c: char| c.is_ascii_alphanumeric() || c == '_';
            let digit = text.starts_with(|c: char| c.is_ascii_digit());
            let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
            if digit { 0 } else { end }
        };
        let (name, default, length) = match rest.strip_prefix('{') {
            Some(inner) => {
                let (name, after) = inner.split_at(end_of_name(inner));
                // The default ends within the line.
                let close = after.find(['}', '\n', '"']).filter(|at| {
                    let closing = after.get(*at..).unwrap_or_default();
                    closing.starts_with('}')
                });
                match (after.strip_prefix(":-"), close) {
                    (_, Some(0)) => (name, None, name.len() + 2),
                    (Some(_), Some(close)) => {
                        let default = after.get(2..close).unwrap_or_default();
                        (name, Some(default.to_owned()), name.len() + close + 2)
                    }
                    _ => ("", None, 0),
                }
            }
            None => {
                let name = rest.get(..end_of_name(rest)).unwrap_or_default();
                (name, None, name.len())
            }
        };
        if name.is_empty() {
            pieces.text.push('$');
            return;
        }
        let written = format!("${}", rest.get(..length).unwrap_or_default());
        self.at += length;
        pieces.variable(Piece::Variable {
            name: name.to_owned(),
            default,
            written,
        });
    }
}

const NUL: &str = "the value contains a NUL character";

/// Refuses what no variable can hold.
fn clean(text: &str, at: usize) -> Result<(), Wrong> {
    match text.contains('\0') {
        true => Err((at, NUL)),
        false => Ok(()),
    }
}

#[derive(Default)]
struct Pieces {
    done: Vec<Piece>,
    text: String,
}

impl Pieces {
    fn variable(&mut self, variable: Piece) {
        self.end_text();
        self.done.push(variable);
    }

    fn end_text(&mut self) {
        if !self.text.is_empty() {
            self.done.push(Piece::Text(std::mem::take(&mut self.text)));
        }
    }

    fn finish(mut self) -> Vec<Piece> {
        self.end_text();
        self.done
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Pairs as `NAME=value`, with variables as they are written between `<` and `>`.
    fn read(text: &str) -> Vec<String> {
        let pairs = parse(Path::new(".env"), text.as_bytes()).unwrap();
        let one = |pair: &Pair| {
            let value = pair.value.iter().map(|piece| match piece {
                Piece::Text(text) => text.clone(),
                Piece::Variable { written, .. } => format!("<{written}>"),
            });
            format!("{}={}", pair.name, value.collect::<String>())
        };
        pairs.iter().map(one).collect()
    }

    fn faults(text: &[u8]) -> Vec<String> {
        let faults = parse(Path::new(".env"), text).unwrap_err();
        faults.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn lines() {
        for (text, expected) in [
            ("A=b", "A=b"),
            ("export A=b", "A=b"),
            ("  export\tA = b  ", "A=b"),
            ("export=1", "export=1"),
            ("exporter=1", "exporter=1"),
            ("A=", "A="),
            ("A= # none", "A="),
            ("A=b c # d", "A=b c"),
            ("A=b#c", "A=b#c"),
            ("A=#", "A="),
            ("A=it's", "A=it's"),
            ("A='b $C \\n'", "A=b $C \\n"),
            ("A='b' # c", "A=b"),
            ("A=\"b\\n\\t\\\"\\\\\\$C\\d\"", "A=b\n\t\"\\$C\\d"),
            ("A=\"b\nc\"", "A=b\nc"),
            ("A=\"b\r\nc\"\r\n", "A=b\nc"),
            ("A='b\nc'", "A=b\nc"),
            ("A=\"\"", "A="),
            ("A.b-c=1", "A.b-c=1"),
            ("A=$B${C}d", "A=<$B><${C}>d"),
            ("A=\"$B ${C:-x y}\"", "A=<$B> <${C:-x y}>"),
            ("A=a$", "A=a$"),
            ("A=$1 $$ ${", "A=$1 $$ ${"),
            ("A=${B", "A=${B"),
            ("A=ü=1", "A=ü=1"),
        ] {
            assert_eq!(read(text), [expected], "{text:?}");
        }
        assert_eq!(read("\u{feff}A=1\r\n\r\n# c\r\nB=2"), ["A=1", "B=2"]);
        assert_eq!(read(""), Vec::<String>::new());
    }

    #[test]
    fn bad_lines_have_places_and_the_rest_is_still_read() {
        assert_eq!(
            faults(b"A=1\nB 2\n=3\nC=\"x\nD=4\n  1x=5\nE='a'b\n"),
            [
                ".env:2:3: expected = after the name",
                ".env:3:1: expected NAME=value",
                ".env:4:3: this quote is not closed",
                ".env:6:3: expected NAME=value",
                ".env:7:6: expected the end of the line after the quote",
            ]
        );
        assert_eq!(
            faults(b"A=1\nB=\xff\n"),
            [".env:2:3: the file is not valid UTF-8 from here on"]
        );
        assert_eq!(
            faults(b"A=x\0\n"),
            [".env:1:3: the value contains a NUL character"]
        );
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[A-C=\"'$#{}:\\\\\n\r ü\0-]{0,60}") {
            let _ = parse(Path::new(".env"), text.as_bytes());
        }

        #[test]
        fn what_is_quoted_comes_back(value in "[^'\0\r]{0,40}") {
            prop_assert_eq!(read(&format!("A='{value}'")), [format!("A={value}")]);
        }
    }
}

//! Reads one line of a `.env` file after the other.

use super::Piece;

/// A mistake: its offset, and what is wrong.
pub(super) type Wrong = (usize, &'static str);

/// Reads lines from a text.
pub(super) struct Reader<'a> {
    pub(super) text: &'a str,
    /// Offset of the next character.
    pub(super) at: usize,
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

    pub(super) fn skip_line(&mut self) {
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

    /// Reads one line, or more if quotes run over several: offset of the name, name and value; nothing for a comment.
    pub(super) fn line(&mut self) -> Result<Option<(usize, String, Vec<Piece>)>, Wrong> {
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
            return Err((start, "expected NAME=value"));
        }
        self.at += 1;
        self.spaces();
        let value = self.value()?;
        Ok(Some((start, name.to_owned(), value)))
    }

    fn value(&mut self) -> Result<Vec<Piece>, Wrong> {
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
            Some(_) => Err((self.at, "expected the end of the line after the quote")),
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
                Some('"') => {
                    // As it is written: escapes and defaults of variables have their own text.
                    let written = self.text.get(open..self.at).unwrap_or_default();
                    clean(written, open)?;
                    return Ok(pieces.finish());
                }
                Some('\r') if self.peek() == Some('\n') => {}
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
        // A comment needs a blank before it: `#` is common in colours, passwords and addresses. Before the value it stands
        // behind the `=`.
        let before = self.text.get(..start).unwrap_or_default();
        let before = before.chars().next_back();
        let comment = line
            .char_indices()
            .zip(before.into_iter().chain(line.chars()))
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

/// Refuses what no variable can hold.
fn clean(text: &str, at: usize) -> Result<(), Wrong> {
    if text.contains('\0') {
        Err((at, "the value contains a NUL character"))
    } else {
        Ok(())
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

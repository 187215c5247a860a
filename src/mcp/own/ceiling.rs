//! The most that a model is shown of one result.

use crate::protocol::{Error, ErrorCode};

/// Maximum number of bytes of a result's text. The daemon keeps most results below it; an export, a screen with
/// much scrollback or a long list is cut here.
const MOST: usize = 30_000;

/// Bytes for the line that says what is left out.
const NOTE: usize = 100;

/// A text of at most [`MOST`] bytes: its beginning and its end.
pub(super) fn cut(text: String) -> String {
    if text.len() <= MOST {
        return text;
    }
    let half = (MOST - NOTE) / 2;
    let boundary = |at: usize| (at..=text.len()).find(|at| text.is_char_boundary(*at));
    let head = boundary(half - 4).unwrap_or(0);
    let tail = boundary(text.len() - half).unwrap_or(text.len());
    let left_out = tail - head;
    format!(
        "{}\n[{left_out} bytes left out; ask for less at a time]\n{}",
        &text[..head],
        &text[tail..]
    )
}

/// A document, which is of no use in parts. Returns an error if it is longer than [`MOST`].
pub(super) fn whole(document: String) -> Result<String, Error> {
    if document.len() <= MOST {
        return Ok(document);
    }
    let message = format!(
        "the picture has {} bytes, and a result at most {MOST}",
        document.len()
    );
    Err(Error::new(ErrorCode::TooLarge, message).hint(
        "the formats `text`, `ansi` and `png` are shorter; less `scrollback` makes it smaller",
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_keeps_its_beginning_and_its_end() {
        let long = format!("first {} last", "é".repeat(40_000));
        let shown = cut(long);
        assert!(shown.len() <= MOST, "{}", shown.len());
        assert!(shown.starts_with("first é") && shown.ends_with("é last"));
        assert!(shown.contains("bytes left out; ask for less at a time"));
        assert_eq!(cut("short".to_owned()), "short");
    }
}

//! A screen as text for a model: rows that repeat are counted instead of shown.

use serde_json::Value;

use super::carrier::commands_on;
use super::{array, end_line, word};
use crate::protocol::error::cut;

/// How many rows in a row are alike if they are counted.
const ALIKE: usize = 4;

/// Characters of a row that stands out as a whole: the screen shows all of it.
const BEGINNING: usize = 40;

/// The rows of a screen. Of many equal ones, such as the `~` of vim below the end of a file, the first is shown with
/// the number of the others.
pub(super) fn folded(rows: &str) -> String {
    let rows: Vec<&str> = rows.lines().collect();
    let mut text = String::new();
    for alike in rows.chunk_by(|one, other| one == other) {
        let (row, count) = (alike[0], alike.len());
        match (count >= ALIKE, row.trim().is_empty()) {
            (true, true) => text.push_str(&format!("[{count} blank rows]\n")),
            (true, false) => {
                text.push_str(&format!("{row}\n[{} more rows like this]\n", count - 1))
            }
            (false, _) => alike.iter().for_each(|row| {
                text.push_str(row);
                text.push('\n');
            }),
        }
    }
    text
}

/// The screen of a full-screen program, with its cursor and what stands out on it.
pub(super) fn full(screen: &Value) -> String {
    let rows = word(screen, "text");
    let mut text = format!("screen:\n{}", folded(&commands_on(rows, None)));
    end_line(&mut text);
    text.push_str(&format!(
        "[cursor row {} col {}",
        screen["row"], screen["col"]
    ));
    let mut last = None;
    for part in array(screen, "highlighted") {
        let row = part["row"].as_u64();
        let sign = if last == row {
            " |".to_owned()
        } else {
            format!("; highlighted row {}:", part["row"])
        };
        last = row;
        let shown = row.and_then(|row| rows.lines().nth(usize::try_from(row).ok()?));
        let stands_out = word(part, "text").trim();
        // Of a whole row the beginning is enough.
        let is_row = shown.is_some_and(|shown| shown.trim() == stands_out);
        let most = if is_row { BEGINNING } else { usize::MAX };
        text.push_str(&format!("{sign} {}", cut(stands_out.to_owned(), most)));
    }
    text.push(']');
    text
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn many_equal_rows_are_counted() {
        let vim = format!("one\n{}\n\n\n\n\n\"a\" 1L", "~\n".repeat(37).trim_end());
        let text = "one\n~\n[36 more rows like this]\n[4 blank rows]\n\"a\" 1L\n";
        assert_eq!(folded(&vim), text);
        let few = "~\n~\n~\n\n\nend\n";
        assert_eq!(folded(few), few);
        assert_eq!(folded(""), "");
    }

    #[test]
    fn a_long_row_that_stands_out_as_a_whole_is_not_repeated() {
        let bar = "x".repeat(60);
        let screen = json!({
            "text": format!("  red\nc d\n {bar}"), "row": 1, "col": 2,
            "highlighted": [
                {"row": 0, "text": "red"}, {"row": 1, "text": "d"}, {"row": 2, "text": bar},
            ],
        });
        let text = full(&screen);
        let end = format!(
            "[cursor row 1 col 2; highlighted row 0: red; highlighted row 1: d; highlighted row 2: {}…]",
            "x".repeat(40)
        );
        assert!(text.ends_with(&end), "{text}");
    }
}

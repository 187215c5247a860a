//! A screen as text for a model: rows that repeat are counted instead of shown, and rows that the model has been shown
//! are left out.

use serde_json::Value;

use super::carrier::commands_on;
use super::{array, end_line, word};
use crate::mcp::own::screens::BEFORE;
use crate::protocol::error::cut;

/// How many rows in a row are alike if they are counted.
const ALIKE: usize = 4;

/// Rows are left out if fewer than one in this number have changed.
const CHANGED: usize = 3;

/// What is said of the rows that are left out.
const REST: &str = "; other rows as before, capture shows all";

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

/// The rows that differ from those that the model was shown before, with their numbers. `None` if that are many, or if
/// their text is not much shorter than the whole screen's.
fn changed(rows: &str, before: &str, whole: &str) -> Option<String> {
    let (now, before): (Vec<&str>, Vec<&str>) = (rows.lines().collect(), before.lines().collect());
    let count = now.len().max(before.len());
    let row = |rows: &[&str], n: usize| rows.get(n).map_or("", |row| *row).to_owned();
    let differ = (0..count).filter(|n| row(&now, *n) != row(&before, *n));
    let differ: Vec<String> = differ
        .map(|n| format!("row {n}: {}", row(&now, n)).trim_end().to_owned() + "\n")
        .collect();
    let text: String = differ.concat();
    let is_short = differ.len() * CHANGED < count && (text.len() + REST.len()) * 2 <= whole.len();
    is_short.then_some(text)
}

/// The screen of a full-screen program, with its cursor and what stands out on it. If the model has been shown most of
/// it, only the other rows.
pub(super) fn full(screen: &Value) -> String {
    let rows = word(screen, "text");
    let shown = commands_on(rows, None);
    let whole = folded(&shown);
    let before = screen[BEFORE].as_str();
    let changed = before.and_then(|before| changed(&shown, &commands_on(before, None), &whole));
    let mut text = match &changed {
        Some(changed) => format!("screen, changed rows:\n{changed}"),
        None => format!("screen:\n{whole}"),
    };
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
    if changed.is_some() {
        text.push_str(REST);
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
    fn of_a_screen_that_was_shown_only_the_changed_rows_are() {
        let rows = |changed: &[(usize, &str)]| {
            let row = |n: usize| {
                let found = changed.iter().find(|(at, _)| *at == n);
                found.map_or(format!("line {n} of the file"), |(_, row)| {
                    (*row).to_owned()
                })
            };
            (0..24).map(row).collect::<Vec<_>>().join("\n")
        };
        let told = |text: String, before: String| {
            full(&json!({"text": text, "row": 7, "col": 0, BEFORE: before}))
        };
        let one = told(rows(&[(7, "new"), (9, "")]), rows(&[]));
        let expected = "screen, changed rows:\nrow 7: new\nrow 9:\n[cursor row 7 col 0; other rows as before, capture shows all]";
        assert_eq!(one, expected);
        let none = told(rows(&[]), rows(&[]));
        let expected =
            "screen, changed rows:\n[cursor row 7 col 0; other rows as before, capture shows all]";
        assert_eq!(none, expected);
        // Blank rows at the end are no part of the text.
        let longer = told(rows(&[]), rows(&[]) + "\nmessage");
        assert!(
            longer.starts_with("screen, changed rows:\nrow 24:\n["),
            "{longer}"
        );
        let many: Vec<(usize, &str)> = (0..8).map(|n| (n, "x")).collect();
        assert!(told(rows(&many), rows(&[])).starts_with("screen:\nx\n"));
        // The whole screen is short.
        assert_eq!(
            told("a\nb\nc\nd".to_owned(), "a\nb\nc\ne".to_owned()),
            "screen:\na\nb\nc\nd\n[cursor row 7 col 0]"
        );
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

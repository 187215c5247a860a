//! The lines that `exec` types, as a model reads them: the command alone, without the marks around it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The line of a command in a Bourne shell, which is made by `CommandId::line`: of a command of one line, or of several,
/// which is escaped for printf(1).
const PATTERN: &str = r#" ?printf '\\033\]133;C;bgproc=[0-9a-z]{8}\\007'; eval (?:'(?<one>(?:[^'\n]|'\\'')*)'|"\$\(printf '(?<several>[^'\n]*)'\)"); printf '\\033\]133;D;%s;bgproc=[0-9a-z]{8}\\007' "\$\?""#;

/// What an escaped command has instead of a percent sign, a backslash, a quotation mark and a line feed.
const ESCAPES: &str = r"%%|\\\\|\\047|\\012";

static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PATTERN).ok());

static ESCAPED: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(ESCAPES).ok());

/// The text with the commands in the place of such lines.
pub(in crate::mcp::own) fn commands(text: String) -> String {
    let Some(line) = &*LINE else {
        return text;
    };
    match line.replace_all(&text, command) {
        Cow::Owned(shown) => shown,
        Cow::Borrowed(_) => text,
    }
}

/// [`commands`] for the rows of a screen, over which such a line is mostly wrapped, of `cols` columns if that is known.
/// All else stays in its place.
pub(super) fn commands_on(screen: &str, cols: Option<usize>) -> Cow<'_, str> {
    let has_mark = screen.lines().collect::<String>().contains(";bgproc=");
    let Some(line) = LINE.as_ref().filter(|_| has_mark) else {
        return screen.into();
    };
    let widths = screen.lines().map(|row| row.chars().count());
    let widest = widths.max().unwrap_or_default();
    let shown = match cols {
        Some(cols) => in_place(line, screen, cols.max(widest)),
        // The only row that is full may end with a blank, which has been removed.
        None => in_place(line, screen, widest).or_else(|| in_place(line, screen, widest + 1)),
    };
    shown.map_or(Cow::Borrowed(screen), Cow::Owned)
}

/// The rows of a screen of `cols` columns with the commands in the place of the lines; `None` if there are no lines.
fn in_place(line: &Regex, screen: &str, cols: usize) -> Option<String> {
    // Blanks at the ends of rows may be part of a line.
    let cells: String = screen.lines().map(|row| format!("{row:cols$}")).collect();
    let filled = |found: &Captures<'_>| format!("{:1$}", command(found), found[0].chars().count());
    let Cow::Owned(cells) = line.replace_all(&cells, filled) else {
        return None;
    };
    let cells: Vec<char> = cells.chars().collect();
    let rows = cells.chunks(cols).map(|row| row.iter().collect::<String>());
    Some(rows.map(|row| row.trim_end().to_owned() + "\n").collect())
}

/// The command of a line, on a single one.
fn command(found: &Captures<'_>) -> String {
    let (one, several) = (found.name("one"), found.name("several"));
    match (one, several, &*ESCAPED) {
        (Some(one), ..) => one.as_str().replace(r"'\''", "'"),
        (_, Some(several), Some(escaped)) => {
            let plain = |found: &Captures<'_>| match &found[0] {
                "%%" => "%",
                r"\\" => r"\",
                r"\047" => "'",
                _ => " ⏎ ",
            };
            escaped.replace_all(several.as_str(), plain).into_owned()
        }
        _ => found[0].to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line that is typed to evaluate this.
    fn typed(evaluated: &str) -> String {
        let [begin, end] =
            ["C", "D;%s"].map(|mark| format!(r"printf '\033]133;{mark};bgproc=k3v9xq2m\007'"));
        format!(" {begin}; eval {evaluated}; {end} \"$?\"")
    }

    #[test]
    fn a_command_is_shown_without_its_marks() {
        let text = format!(
            "$ {}\nhello\n$ {}\n",
            typed(r"'echo it'\''s'"),
            typed("'ls -l'")
        );
        assert_eq!(commands(text), "$ echo it's\nhello\n$ ls -l\n");
        let other = "printf 'x'; eval 'y'\n";
        assert_eq!(commands(other.to_owned()), other);
    }

    #[test]
    fn a_command_of_several_lines_is_shown_on_one() {
        let line = typed(r#""$(printf 'echo 1\012echo \047 %%s\047 \\012\011x')""#);
        let shown = r"$ echo 1 ⏎ echo ' %s' \012\011x";
        assert_eq!(commands(format!("$ {line}\n")), format!("{shown}\n"));
    }

    #[test]
    fn on_a_screen_all_else_stays_in_its_place() {
        for evaluated in ["'ls -l'", r#""$(printf 'ls -l\012echo hi')""#] {
            for cols in 20..130 {
                let wrapped: Vec<char> = format!("$ {}", typed(evaluated)).chars().collect();
                let rows = wrapped
                    .chunks(cols)
                    .map(|row| row.iter().collect::<String>());
                let rows: Vec<String> = rows.map(|row| row.trim_end().to_owned()).collect();
                let screen = format!("{}\ntotal 0\n\n$\n", rows.join("\n"));
                let shown = commands_on(&screen, Some(cols));
                assert_eq!(shown.lines().count(), screen.lines().count(), "{cols}");
                assert!(shown.starts_with("$ ls -l"), "{cols}: {shown}");
                assert!(shown.ends_with("\ntotal 0\n\n$\n"), "{cols}: {shown}");
                assert!(!shown.contains("bgproc"), "{cols}: {shown}");
            }
        }
        let other = "a;bgproc=b\n  c";
        assert_eq!(commands_on(other, None), other);
        let line = format!("$ {}", typed("'ls -l'"));
        let (one, two) = line.split_at(80);
        assert_eq!(
            commands_on(&format!("{one}\n{two}\nx"), None),
            "$ ls -l\n\nx\n"
        );
    }
}

//! The lines that `exec` types, as a model reads them: the command alone, without the marks around it.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::{Captures, Regex};

/// The line of a command of one line in a Bourne shell, which is made by `CommandId::line`.
const PATTERN: &str = r#" ?printf '\\033\]133;C;bgproc=[0-9a-z]{8}\\007'; eval '((?:[^'\n]|'\\'')*)'; printf '\\033\]133;D;%s;bgproc=[0-9a-z]{8}\\007' "\$\?""#;

static LINE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(PATTERN).ok());

/// The text with the commands in the place of such lines.
pub(super) fn commands(text: String) -> String {
    let Some(line) = &*LINE else {
        return text;
    };
    let command = |found: &Captures<'_>| found[1].replace(r"'\''", "'");
    match line.replace_all(&text, command) {
        Cow::Owned(shown) => shown,
        Cow::Borrowed(_) => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_is_shown_without_its_marks() {
        let typed = |quoted: &str| {
            let [begin, end] =
                ["C", "D;%s"].map(|mark| format!(r"printf '\033]133;{mark};bgproc=k3v9xq2m\007'"));
            format!(" {begin}; eval '{quoted}'; {end} \"$?\"")
        };
        let text = format!(
            "$ {}\nhello\n$ {}\n",
            typed(r"echo it'\''s"),
            typed("ls -l")
        );
        assert_eq!(commands(text), "$ echo it's\nhello\n$ ls -l\n");
        let other = "printf 'x'; eval 'y'\n";
        assert_eq!(commands(other.to_owned()), other);
    }
}

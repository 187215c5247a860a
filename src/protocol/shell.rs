//! Quotes commands for a shell, so that people can read and paste them.

use std::borrow::Cow;

/// Quotes one word, if it needs quotes.
pub fn quote(word: &str) -> Cow<'_, str> {
    // shlex would also quote `--port=80`, `a,b` and letters beyond ASCII, which are not special within a word.
    let plain = |c: char| c.is_alphanumeric() || "-_./:=,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return Cow::Borrowed(word);
    }
    let quoter = shlex::Quoter::new().allow_nul(true);
    // shlex refuses only NUL, which is allowed here.
    quoter.quote(word).unwrap_or(Cow::Borrowed(word))
}

/// A command as text: a shell line unchanged, or a program and its arguments, quoted.
pub fn line(command: &str, args: Option<&[String]>) -> String {
    let Some(args) = args else {
        return command.to_owned();
    };
    let words = std::iter::once(command).chain(args.iter().map(String::as_str));
    words.map(quote).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_the_same_words_again() {
        let words = [
            "",
            "web",
            "a b",
            "it's",
            "it's $x",
            "{a,b}",
            "x!",
            "a\\b",
            "\"",
            "`id`",
            "a\nb",
            "*",
            "~",
            "#",
            "日本",
            "--port=80",
            "-n",
            "'",
            "''",
            "a;b",
            "\u{1b}[31m",
        ];
        let args = words.map(str::to_owned);
        let line = line("printf", Some(&args));
        let read: Vec<String> = shlex::split(&line).unwrap_or_default();
        assert_eq!(read[1..], args);
        assert_eq!(quote("--port=80"), "--port=80");
        assert_eq!(quote("naïve"), "naïve");
    }
}

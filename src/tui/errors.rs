//! Detects output lines that look like errors.

/// Words that indicate an error.
const WORDS: [&str; 20] = [
    "error",
    "errors",
    "fatal",
    "panic",
    "panicked",
    "exception",
    "traceback",
    "failed",
    "failure",
    "failures",
    "fail",
    "aborted",
    "segfault",
    "err",
    "eaddrinuse",
    "eacces",
    "enoent",
    "econnrefused",
    "critical",
    "unhandled",
];

/// Error messages without any of these words.
const PHRASES: [&str; 8] = [
    "command not found",
    ": not found",
    "no such file or directory",
    "permission denied",
    "address already in use",
    "connection refused",
    "segmentation fault",
    "core dumped",
];

/// Words that cancel an error word next to them, because nothing went wrong.
const NONE: [&str; 4] = ["0", "no", "without", "zero"];

/// Whether an output line looks like an error. Used for jumping to errors, and for the line quoted
/// in a report.
///
/// Only whole words count, so `thiserror`, `error.html` and `0 errors` do not match.
pub fn is_error_like(line: &str) -> bool {
    if !line.is_ascii() && line.contains(['✗', '✖', '❌']) {
        return true;
    }
    let lower = line.to_lowercase();
    if PHRASES.iter().any(|phrase| lower.contains(phrase)) {
        return true;
    }
    let words = words(line);
    words.iter().enumerate().any(|(at, word)| {
        if word.in_a_name || !speaks(word.text) {
            return false;
        }
        let next_to = |at: Option<usize>| {
            let beside = at.and_then(|at| words.get(at));
            beside.is_some_and(|beside| NONE.contains(&beside.text.to_lowercase().as_str()))
        };
        // `error: 0 of 3` counts; `0 errors` and `failed=0` do not.
        let counted = line.as_bytes().get(word.end) == Some(&b'=')
            || word.text.ends_with(['s', 'S'])
            || word.text.eq_ignore_ascii_case("failed");
        !(next_to(at.checked_sub(1)) || counted && next_to(Some(at + 1)))
    })
}

/// A word of a line.
struct Word<'a> {
    text: &'a str,
    /// Byte offset of its end.
    end: usize,
    /// Whether it is part of a path, a file name or an option.
    in_a_name: bool,
}

fn words(line: &str) -> Vec<Word<'_>> {
    let bytes = line.as_bytes();
    let is_word = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_' || !b.is_ascii();
    let mut words = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += bytes[at..].iter().take_while(|b| is_word(b)).count();
        if at > start {
            let before = start.checked_sub(1).map(|before| bytes[before]);
            let follows = bytes.get(at + 1).is_some_and(|b| b.is_ascii_alphanumeric());
            let in_a_name = matches!(before, Some(b'/' | b'-' | b'@'))
                || matches!(bytes.get(at), Some(b'.' | b'-' | b'/')) && follows;
            words.push(Word {
                text: &line[start..at],
                end: at,
                in_a_name,
            });
        } else {
            at += 1;
        }
    }
    words
}

fn speaks(word: &str) -> bool {
    // Matches TypeError and NullPointerException, but not thiserror.
    let is_named = |kind: &str| word.len() > kind.len() && word.ends_with(kind);
    WORDS.contains(&word.to_ascii_lowercase().as_str())
        || is_named("Error")
        || is_named("Exception")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recognizes_errors_of_many_programs() {
        for line in [
            "error[E0308]: mismatched types",
            "12:44:52 TypeError: cart.items is undefined",
            "Traceback (most recent call last):",
            "sh: 1: eslint: not found",
            "bash: line 1: foo: command not found",
            "npm ERR! code ELIFECYCLE",
            "thread 'main' panicked at src/main.rs:2:5:",
            "  FAIL  src/cart.test.ts",
            "Error: listen EADDRINUSE: address already in use :::3000",
            "[ERROR] could not open the file",
            "test result: FAILED. 1 passed; 2 failed; 0 ignored",
            "✖ 3 problems",
            "java.lang.NullPointerException",
            "make: *** [Makefile:2: all] Error 1",
            "error: 0 of 3 could be read",
        ] {
            assert!(is_error_like(line), "{line}");
        }
    }

    #[test]
    fn ignores_error_words_inside_other_words() {
        for line in [
            "",
            "Compiling thiserror v1.0.40",
            "0 errors, 0 warnings",
            "Finished without error",
            "12 passed, 0 failed",
            "failed=0 changed=2",
            "errors: 0",
            "GET /error.html 200",
            "src/errors.rs saved",
            "--no-error given",
            "terror mirror",
            "日本語",
        ] {
            assert!(!is_error_like(line), "{line}");
        }
    }
}

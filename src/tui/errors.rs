//! Lines that look like an error.

/// Words that say so wherever they stand as a word, in any case. What is left out on purpose: `failed` and
/// `error` after a zero.
const WORDS: [&str; 9] = [
    "error",
    "fatal",
    "panic",
    "panicked",
    "exception",
    "traceback",
    "failed",
    "failure",
    "segfault",
];

/// What programs say when something is wrong, in lower case.
const PHRASES: [&str; 12] = [
    "command not found",
    "no such file or directory",
    "permission denied",
    "cannot find",
    "segmentation fault",
    "core dumped",
    "out of memory",
    "address already in use",
    "connection refused",
    "npm err!",
    "unhandled rejection",
    "assertion failed",
];

/// Whether a line of output looks like an error.
pub fn is_error_like(line: &str) -> bool {
    let lower = line.to_lowercase();
    if PHRASES.iter().any(|phrase| lower.contains(phrase)) {
        return true;
    }
    let words: Vec<&str> = line
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .collect();
    words.iter().enumerate().any(|(at, word)| {
        let none = |other: Option<&&str>| other.is_some_and(|n| matches!(*n, "0" | "no" | "No"));
        let before = at.checked_sub(1).and_then(|before| words.get(before));
        says_error(word) && !none(before) && !none(words.get(at + 1))
    }) || is_mark(line)
}

/// `TypeError`, `FAIL`, `ERR_CONNECTION`, or one of the words.
fn says_error(word: &str) -> bool {
    let camel = ["Error", "Exception"].iter().any(|end| {
        word.strip_suffix(end)
            .is_some_and(|name| name.starts_with(|c: char| c.is_uppercase()))
    });
    camel
        || matches!(word, "ERR" | "FAIL" | "CRIT" | "EMERG")
        || word.starts_with("ERR_")
        || WORDS.contains(&word.to_lowercase().as_str())
        || word.eq_ignore_ascii_case("errors")
}

/// `✗ lint` and the like, as test runners begin a line.
fn is_mark(line: &str) -> bool {
    line.trim_start().starts_with(['✗', '✘', '❌'])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_looks_like_an_error() {
        for line in [
            "12:44:52 TypeError: cart.items is undefined",
            "error[E0382]: borrow of moved value",
            "src/x.c:3:1: fatal error: y.h: No such file or directory",
            "thread 'main' panicked at src/main.rs:2:5:",
            "Traceback (most recent call last):",
            "  FAIL  refunds twice",
            "npm ERR! code ELIFECYCLE",
            "sh: 1: nodd: command not found",
            "2026-11-21 ERROR db: timeout",
            "listen EADDRINUSE: Address already in use :::3000",
            "make: *** [Makefile:2: all] Error 1",
            "java.lang.NullPointerException",
            "test result: FAILED. 3 passed; 1 failed",
            "3 errors generated.",
            "✗ cart.test.ts (2)",
            "net::ERR_CONNECTION_RESET",
        ] {
            assert!(is_error_like(line), "{line}");
        }
    }

    #[test]
    fn what_does_not() {
        for line in [
            "",
            "12:44:52 GET /api/cart 200 11 ms",
            "0 errors, 0 warnings",
            "Found 0 errors.",
            "test result: ok. 12 passed; 0 failed",
            "errors: 0",
            "no error",
            "compiling error_chain v0.12",
            "terror in the mirror",
            "Terror",
        ] {
            assert!(!is_error_like(line), "{line}");
        }
    }
}

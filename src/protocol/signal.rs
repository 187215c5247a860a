//! Names and numbers of signals, as records, replies and requests have them.

use std::ops::RangeInclusive;

/// Names and numbers of Linux on x86 and Arm (signal(7)).
const SIGNALS: &[(&str, i32)] = &[
    ("HUP", 1),
    ("INT", 2),
    ("QUIT", 3),
    ("ILL", 4),
    ("TRAP", 5),
    ("ABRT", 6),
    ("BUS", 7),
    ("FPE", 8),
    ("KILL", 9),
    ("USR1", 10),
    ("SEGV", 11),
    ("USR2", 12),
    ("PIPE", 13),
    ("ALRM", 14),
    ("TERM", 15),
    ("STKFLT", 16),
    ("CHLD", 17),
    ("CONT", 18),
    ("STOP", 19),
    ("TSTP", 20),
    ("TTIN", 21),
    ("TTOU", 22),
    ("URG", 23),
    ("XCPU", 24),
    ("XFSZ", 25),
    ("VTALRM", 26),
    ("PROF", 27),
    ("WINCH", 28),
    ("IO", 29),
    ("PWR", 30),
    ("SYS", 31),
];

/// The numbers that signals have.
pub const NUMBERS: RangeInclusive<i32> = 1..=64;

/// Number of a signal by its name, `TERM` or `SIGTERM` in any case; `None` if unknown.
pub fn number(name: &str) -> Option<i32> {
    let upper = name.trim().to_ascii_uppercase();
    let bare = upper.strip_prefix("SIG").unwrap_or(&upper);
    SIGNALS
        .iter()
        .find(|(known, _)| *known == bare)
        .map(|(_, number)| *number)
}

/// Name of a signal such as `SIGTERM`, or `SIG34` for one without a name.
pub fn name(number: i32) -> String {
    match SIGNALS.iter().find(|(_, known)| *known == number) {
        Some((name, _)) => format!("SIG{name}"),
        None => format!("SIG{number}"),
    }
}

/// Number of a signal by what [`name`] has made of it.
pub fn number_in_record(name: &str) -> Option<i32> {
    number(name).or_else(|| name.strip_prefix("SIG")?.parse().ok())
}

/// All names without `SIG`, for suggestions.
pub fn names() -> impl Iterator<Item = &'static str> {
    SIGNALS.iter().map(|(name, _)| *name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_numbers_agree() {
        assert_eq!(number("sigterm"), Some(15));
        assert_eq!(number("KILL"), Some(9));
        assert_eq!(number("TREM"), None);
        assert_eq!(name(15), "SIGTERM");
        assert_eq!(name(40), "SIG40");
        for every in 1..=64 {
            assert_eq!(number_in_record(&name(every)), Some(every));
        }
        assert_eq!(number_in_record("SIG"), None);
    }
}

//! Durations as people write and read them: `500ms`, `10s`, `5m`, `2h`, `1d`, `1h30m`.
//!
//! Parsed here because humantime reads `1M` as a month and accepts no bare number, and jiff accepts `5m
//! ago` but not `30m1h`.

use std::time::Duration;

/// Milliseconds per unit. `ms` comes first so that it is not read as `m`.
const UNITS: [(&str, u64); 5] = [
    ("ms", 1),
    ("s", 1000),
    ("m", 60_000),
    ("h", 3_600_000),
    ("d", 86_400_000),
];

/// The word for an unlimited duration.
pub const FOREVER: &str = "forever";

/// Parses a duration. A bare number counts seconds, as in `docker stop -t 10`.
pub fn parse(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is not a duration; write 500ms, 10s, 5m or 2h");
    if let Ok(seconds) = text.parse() {
        return Ok(Duration::from_secs(seconds));
    }
    let mut rest = text;
    let mut total = 0u64;
    while !rest.is_empty() {
        let digits = rest.find(|c: char| !c.is_ascii_digit()).ok_or_else(wrong)?;
        let (number, tail) = rest.split_at(digits);
        let (unit, millis) = UNITS
            .iter()
            .find(|(unit, _)| tail.starts_with(unit))
            .ok_or_else(wrong)?;
        let part = number
            .parse::<u64>()
            .ok()
            .and_then(|number| number.checked_mul(*millis));
        total = part
            .and_then(|part| total.checked_add(part))
            .ok_or_else(wrong)?;
        rest = &tail[unit.len()..];
    }
    if text.is_empty() {
        return Err(wrong());
    }
    Ok(Duration::from_millis(total))
}

/// Parses a duration in milliseconds, or `forever`, which is `u64::MAX`.
pub fn parse_or_forever(text: &str) -> Result<u64, String> {
    match text {
        FOREVER => Ok(u64::MAX),
        _ => parse(text)
            .map(millis)
            .map_err(|why| format!("{why}, or forever")),
    }
}

/// Whole milliseconds, as the protocol uses them.
pub fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

/// Formats milliseconds as `41s`, `12m`, `2h04m` or `3d04h`.
pub fn span(millis: u64) -> String {
    let seconds = millis / 1000;
    let (minutes, hours, days) = (seconds / 60, seconds / 3600, seconds / 86_400);
    match seconds {
        0..60 => format!("{seconds}s"),
        60..600 => format!("{minutes}m{:02}s", seconds % 60),
        600..3600 => format!("{minutes}m"),
        3600..86_400 => format!("{hours}h{:02}m", minutes % 60),
        _ => format!("{days}d{:02}h", hours % 24),
    }
}

/// Formats milliseconds as `0.4s` below ten seconds, else as [`span`].
pub fn brief_span(millis: u64) -> String {
    match millis {
        0..10_000 => format!("{}.{}s", millis / 1000, millis % 1000 / 100),
        _ => span(millis),
    }
}

/// Formats a time that somebody has given as they would: `2s`, `1.5s`, `20ms`.
pub fn exact_span(millis: u64) -> String {
    match millis {
        0..600_000 if millis.is_multiple_of(1000) => span(millis),
        0..86_400_000 if millis.is_multiple_of(60_000) => span(millis),
        0..10_000 if millis.is_multiple_of(100) => brief_span(millis),
        _ if millis.is_multiple_of(1000) => format!("{}s", millis / 1000),
        _ => format!("{millis}ms"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations() {
        for (text, expected) in [
            ("500ms", 500),
            ("10s", 10_000),
            ("5m", 300_000),
            ("2h", 7_200_000),
            ("1h30m", 5_400_000),
            ("1d", 86_400_000),
            ("7", 7000),
            ("0", 0),
        ] {
            assert_eq!(millis(parse(text).unwrap()), expected, "{text}");
        }
    }

    #[test]
    fn refuses_other_text() {
        for text in ["", "s", "5x", "-1s", "1.5s", "5m ", "99999999999999999999d"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn spans_are_short_and_exact_enough() {
        for (millis, expected) in [
            (999, "0s"),
            (41_000, "41s"),
            (65_000, "1m05s"),
            (720_000, "12m"),
            (7_440_000, "2h04m"),
            (273_600_000, "3d04h"),
        ] {
            assert_eq!(span(millis), expected);
        }
        assert_eq!(brief_span(440), "0.4s");
        assert_eq!(brief_span(12_000), "12s");
        let exact = [0, 20, 500, 1500, 90_000, 601_000, 7_200_000].map(exact_span);
        assert_eq!(
            exact,
            ["0s", "20ms", "0.5s", "1.5s", "1m30s", "601s", "2h00m"]
        );
    }
}

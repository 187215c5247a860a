//! Durations and amounts in the few characters a row has for them.

/// How long something has been running: `41s`, `1m12s`, `18m`, `2h04m`, `3d04h`.
///
/// Seconds show below ten minutes only, so that a row that has settled changes once a minute.
pub fn uptime(ms: i64) -> String {
    let s = (ms / 1000).max(0);
    match s {
        0..60 => format!("{s}s"),
        60..600 => format!("{}m{:02}s", s / 60, s % 60),
        600..3600 => format!("{}m", s / 60),
        3600..86_400 => format!("{}h{:02}m", s / 3600, s % 3600 / 60),
        _ => format!("{}d{:02}h", s / 86_400, s % 86_400 / 3600),
    }
}

/// How long ago something ended: `12s ago`, `3m ago`, `2h ago`.
pub fn ago(ms: i64) -> String {
    let s = (ms / 1000).max(0);
    match s {
        0..60 => format!("{s}s ago"),
        60..3600 => format!("{}m ago", s / 60),
        3600..86_400 => format!("{}h ago", s / 3600),
        _ => format!("{}d ago", s / 86_400),
    }
}

/// How long it took, to a tenth below ten seconds: `0.4s`, `48s`, `9m12s`.
pub fn took(ms: i64) -> String {
    match ms {
        ..10_000 => format!("{}.{}s", ms.max(0) / 1000, ms.max(0) % 1000 / 100),
        _ => uptime(ms),
    }
}

/// Milliseconds until the text of [`uptime`] changes.
pub fn until_next(ms: i64) -> i64 {
    let step = if ms < 600_000 { 1000 } else { 60_000 };
    step - ms.rem_euclid(step)
}

/// Milliseconds until the text of [`ago`] changes.
pub fn until_next_ago(ms: i64) -> i64 {
    let step = match ms {
        ..60_000 => 1000,
        60_000..3_600_000 => 60_000,
        _ => 3_600_000,
    };
    step - ms.rem_euclid(step)
}

/// An amount of bytes in powers of 1,024: `0B`, `14K`, `1.2M`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "K", "M", "G", "T"];
    if n < 1024 {
        return format!("{n}B");
    }
    let mut unit = 0;
    let mut size = 1_u128;
    // Tenths in integers: a float would print 1023.99K as "1024.0K".
    let mut tenths = u128::from(n) * 10;
    while tenths >= 10_240 && unit + 1 < UNITS.len() {
        unit += 1;
        size *= 1024;
        tenths = (u128::from(n) * 10 + size / 2) / size;
    }
    match tenths {
        ..100 => format!("{}.{}{}", tenths / 10, tenths % 10, UNITS[unit]),
        _ => format!("{}{}", tenths / 10, UNITS[unit]),
    }
}

/// The time of day, `12:45`, for a moment and an offset from UTC.
pub fn clock(unix_ms: i64, offset_s: i32) -> String {
    let minutes = (unix_ms.div_euclid(1000) + i64::from(offset_s)).rem_euclid(86_400) / 60;
    format!("{:02}:{:02}", minutes / 60, minutes % 60)
}

/// The same with seconds, `12:45:03`.
pub fn clock_seconds(unix_ms: i64, offset_s: i32) -> String {
    let seconds = (unix_ms.div_euclid(1000) + i64::from(offset_s)).rem_euclid(60);
    format!("{}:{seconds:02}", clock(unix_ms, offset_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_settled_row_stops_counting_seconds() {
        for (ms, text) in [
            (999, "0s"),
            (41_000, "41s"),
            (72_000, "1m12s"),
            (599_999, "9m59s"),
            (600_000, "10m"),
            (7_440_000, "2h04m"),
            (273_600_000, "3d04h"),
        ] {
            assert_eq!(uptime(ms), text);
        }
        assert_eq!(ago(59_000), "59s ago");
        assert_eq!(ago(180_000), "3m ago");
        assert_eq!(took(400), "0.4s");
        assert_eq!(until_next(61_200), 800);
        assert_eq!(until_next(600_001), 59_999);
    }

    #[test]
    fn amounts_are_short() {
        for (n, text) in [
            (0, "0B"),
            (1023, "1023B"),
            (1024, "1.0K"),
            (14 * 1024, "14K"),
            (1_258_291, "1.2M"),
        ] {
            assert_eq!(bytes(n), text);
        }
    }

    #[test]
    fn the_clock_knows_its_zone() {
        assert_eq!(clock(45_900_000, 0), "12:45");
        assert_eq!(clock(45_900_000, -13 * 3600), "23:45");
    }
}

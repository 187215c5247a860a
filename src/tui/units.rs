//! Durations and amounts in the few characters a row has for them.

use crate::protocol::Timestamp;

/// How long something has been running: `41s`, `1m12s`, `18m`, `2h04m`, `3d04h`.
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

/// The same without seconds: `<1m`, `1m`, `18m`, `2h04m`.
pub fn uptime_at_rest(ms: i64) -> String {
    match ms {
        ..60_000 => "<1m".to_owned(),
        60_000..600_000 => format!("{}m", ms / 60_000),
        _ => uptime(ms),
    }
}

/// How long ago something ended: `2s ago`, `<1m ago`, `3m ago`, `2h ago`.
pub fn ago(ms: i64) -> String {
    let s = (ms / 1000).max(0);
    match s {
        0..10 => format!("{s}s ago"),
        10..60 => "<1m ago".to_owned(),
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

/// The time of day to the second, `12:45:07`.
pub fn clock_seconds(unix_ms: i64, offset_s: i32) -> String {
    let second = unix_ms.div_euclid(1000).saturating_add(i64::from(offset_s));
    format!("{}:{:02}", clock(unix_ms, offset_s), second.rem_euclid(60))
}

/// When something was, seen from `now`: the time of day if it was today, else how long ago.
pub fn since(unix_ms: i64, now: i64, offset_s: i32) -> String {
    let day = |ms: i64| (ms.div_euclid(1000) + i64::from(offset_s)).div_euclid(86_400);
    match day(unix_ms) == day(now) {
        true => clock(unix_ms, offset_s),
        false => ago(now - unix_ms),
    }
}

/// When something was: the time of day, with the date if that is not today's.
pub fn moment(at: Timestamp, now_ms: i64, offset_s: i32) -> String {
    let local = |ms: i64| Timestamp(ms.saturating_add(i64::from(offset_s) * 1000)).to_string();
    let (then, now) = (local(at.millis()), local(now_ms));
    match (then.get(..10), then.get(11..19), then.get(11..16)) {
        (Some(day), Some(time), _) if now.starts_with(day) => time.to_owned(),
        (Some(day), _, Some(time)) => format!("{day} {time}"),
        _ => then,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_short() {
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
        assert_eq!(uptime_at_rest(59_999), "<1m");
        assert_eq!(uptime_at_rest(72_000), "1m");
        assert_eq!(uptime_at_rest(7_440_000), "2h04m");
        assert_eq!(ago(9000), "9s ago");
        assert_eq!(ago(59_000), "<1m ago");
        assert_eq!(ago(180_000), "3m ago");
        assert_eq!(took(400), "0.4s");
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
    fn a_moment_of_another_day_has_its_date() {
        let now = 1_795_265_100_000;
        assert_eq!(moment(Timestamp(now), now, 0), "12:45:00");
        assert_eq!(moment(Timestamp(now), now, -13 * 3600), "23:45:00");
        let day = 86_400_000;
        assert_eq!(moment(Timestamp(now - day), now, 0), "2026-11-20 12:45");
    }

    #[test]
    fn the_clock_knows_its_zone() {
        assert_eq!(clock(45_900_000, 0), "12:45");
        assert_eq!(clock(45_900_000, -13 * 3600), "23:45");
        assert_eq!(clock_seconds(45_907_000, 0), "12:45:07");
        assert_eq!(since(45_900_000, 50_000_000, 0), "12:45");
        assert_eq!(since(45_900_000, 50_000_000, -13 * 3600), "1h ago");
    }
}

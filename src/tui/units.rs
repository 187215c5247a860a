//! Formats durations and sizes in few characters.

use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use crate::protocol::Timestamp;
use crate::protocol::duration::{brief_span, span};

/// How long something has been running: `41s`, `1m12s`, `18m`, `2h04m`, `3d04h`.
pub fn uptime(ms: i64) -> String {
    span(whole(ms))
}

/// How long something has been running, without seconds: `<1m`, `1m`, `18m`, `2h04m`.
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

/// How long ago something was last known: `seen 2s`, `seen <1m`, `seen 3m`.
pub fn seen(ms: i64) -> String {
    format!("seen {}", ago(ms).trim_end_matches(" ago"))
}

/// The time until something happens: `in 41s`, `in 8h36m`.
pub fn until(ms: i64) -> String {
    format!(
        "in {}",
        if ms < 60_000 {
            uptime(ms)
        } else {
            uptime_at_rest(ms)
        }
    )
}

/// [`until`] in at most seven columns: `in 41s`, `in 8h`.
pub fn until_roughly(ms: i64) -> String {
    match ms / 1000 {
        ..3600 => until(ms),
        s @ 3600..86_400 => format!("in {}h", s / 3600),
        s => format!("in {}d", s / 86_400),
    }
}

/// How long something took, with a tenth below ten seconds: `0.4s`, `48s`, `9m12s`.
pub fn took(ms: i64) -> String {
    brief_span(whole(ms))
}

/// Milliseconds; 0 if a clock went back.
fn whole(ms: i64) -> u64 {
    u64::try_from(ms).unwrap_or_default()
}

/// A number of bytes in powers of 1,024: `0B`, `14K`, `1.2M`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "K", "M", "G", "T"];
    if n < 1024 {
        return format!("{n}B");
    }
    let mut unit = 0;
    let mut size = 1_u128;
    // Tenths as integers, because a float would print 1023.99K as "1024.0K".
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

/// The time of day in `zone`, `12:45`.
pub fn clock(unix_ms: i64, zone: &TimeZone) -> String {
    civil(unix_ms, zone).strftime("%H:%M").to_string()
}

/// The time of day to the second, `12:45:07`.
pub fn clock_seconds(unix_ms: i64, zone: &TimeZone) -> String {
    civil(unix_ms, zone).strftime("%H:%M:%S").to_string()
}

/// When something happened, relative to `now`: the time of day if it was today, otherwise how long
/// ago.
pub fn since(unix_ms: i64, now: i64, zone: &TimeZone) -> String {
    if civil(unix_ms, zone).date() == civil(now, zone).date() {
        clock(unix_ms, zone)
    } else {
        ago(now - unix_ms)
    }
}

/// When something happened: the time of day, with the date if it was not today.
pub fn moment(at: Timestamp, now_ms: i64, zone: &TimeZone) -> String {
    let (then, now) = (civil(at.millis(), zone), civil(now_ms, zone));
    let format = if then.date() == now.date() {
        "%H:%M:%S"
    } else {
        "%Y-%m-%d %H:%M"
    };
    then.strftime(format).to_string()
}

/// When something will happen: the time of day, with seconds in the next hour, and with the date if it is a day away
/// or more.
pub fn moment_ahead(at: Timestamp, now_ms: i64, zone: &TimeZone) -> String {
    let format = match at.millis() - now_ms {
        ahead if ahead < 3_600_000 => "%H:%M:%S",
        ahead if ahead < 86_400_000 => "%H:%M",
        _ => "%Y-%m-%d %H:%M",
    };
    civil(at.millis(), zone).strftime(format).to_string()
}

/// Date and time in `zone`, with the offset valid at that time.
fn civil(unix_ms: i64, zone: &TimeZone) -> DateTime {
    // Outside jiff's range only if the clock is off by tens of thousands of years.
    let at = jiff::Timestamp::from_millisecond(unix_ms);
    zone.to_datetime(at.unwrap_or(jiff::Timestamp::UNIX_EPOCH))
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn formats_durations() {
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
        assert_eq!(until(41_500), "in 41s");
        assert_eq!(until(90_000), "in 1m");
        assert_eq!(until(30_960_000), "in 8h36m");
        assert_eq!(until_roughly(30_960_000), "in 8h");
        assert_eq!(until_roughly(3_540_000), "in 59m");
        assert_eq!(took(400), "0.4s");
    }

    #[test]
    fn formats_sizes() {
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

    fn west() -> TimeZone {
        TimeZone::fixed(jiff::tz::offset(-13))
    }

    #[test]
    fn shows_the_date_of_another_day() {
        let now = 1_795_265_100_000;
        assert_eq!(moment(Timestamp(now), now, &TimeZone::UTC), "12:45:00");
        assert_eq!(moment(Timestamp(now), now, &west()), "23:45:00");
        let day = 86_400_000;
        let yesterday = moment(Timestamp(now - day), now, &TimeZone::UTC);
        assert_eq!(yesterday, "2026-11-20 12:45");
    }

    #[test]
    fn shows_seconds_of_what_comes_soon() {
        let now = 1_795_265_100_000;
        let ahead = |ms: i64| moment_ahead(Timestamp(now + ms), now, &TimeZone::UTC);
        assert_eq!(ahead(41_000), "12:45:41");
        assert_eq!(ahead(7_200_000), "14:45");
        assert_eq!(ahead(86_400_000), "2026-11-22 12:45");
    }

    #[test]
    fn shows_the_time_in_the_time_zone() {
        assert_eq!(clock(45_900_000, &TimeZone::UTC), "12:45");
        assert_eq!(clock(45_900_000, &west()), "23:45");
        assert_eq!(clock_seconds(45_907_000, &TimeZone::UTC), "12:45:07");
        assert_eq!(since(45_900_000, 50_000_000, &TimeZone::UTC), "12:45");
        assert_eq!(since(45_900_000, 50_000_000, &west()), "1h ago");
    }

    #[test]
    fn uses_the_offset_of_that_time() {
        // Europe/Berlin; in 2026 winter time starts on October 25 at 01:00 UTC.
        let zone = TimeZone::posix("CET-1CEST,M3.5.0,M10.5.0/3").unwrap();
        let at = |text: &str| Timestamp::parse(text).unwrap();
        let (before, now) = (at("2026-10-24T22:30:00Z"), at("2026-10-25T11:00:00Z"));
        assert_eq!(clock(before.millis(), &zone), "00:30");
        assert_eq!(clock(now.millis(), &zone), "12:00");
        // With today's offset this would be the previous day.
        assert_eq!(since(before.millis(), now.millis(), &zone), "00:30");
        assert_eq!(moment(before, now.millis(), &zone), "00:30:00");
        let summer = at("2026-07-01T10:00:00Z");
        assert_eq!(moment(summer, now.millis(), &zone), "2026-07-01 12:00");
    }
}

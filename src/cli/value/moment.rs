//! Moments: `12:44`, `10m` (ago), `2026-11-21`, `2026-11-21 20:00`, `2026-11-21T20:00:00Z`; `today`, `yesterday` and `1 hour ago` as
//! journalctl takes them.

use std::time::Duration;

use jiff::Zoned;
use jiff::civil::{DateTime, Time};

use crate::cli::output::words;
use crate::protocol::Timestamp;
use crate::protocol::duration;

/// Parses a moment. A time of day means its last occurrence: shortly after midnight, `23:50` is
/// yesterday's.
pub(crate) fn parse(text: &str) -> Result<Timestamp, String> {
    let now = Zoned::now();
    if let Some(at) = time_of_day(text).and_then(|time| last(time, &now)) {
        return Ok(at);
    }
    if let Some(at) = dated(text, &now) {
        return Ok(at);
    }
    if let Some(at) = midnight(text, &now) {
        return Ok(at);
    }
    let ago: Duration = duration::parse(&in_units(text))
        .map_err(|_| format!("`{text}` is not a time; write 12:44, 10m or 2026-11-21T20:00:00Z"))?;
    let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
    Ok(Timestamp(words::now().millis().saturating_sub(ago)))
}

/// Parses a moment that is to come. A time of day means its next occurrence: in the evening, `8:00` is tomorrow's.
pub(crate) fn ahead(text: &str) -> Result<Timestamp, String> {
    let now = Zoned::now();
    if let Some(at) = time_of_day(text).and_then(|time| next(time, &now)) {
        return Ok(at);
    }
    let wrong = format!("`{text}` is not a time; write 18:00 or 2026-12-24 18:00");
    let at = dated(text, &now).ok_or(wrong)?;
    if at.millis() < now.timestamp().as_millisecond() {
        return Err(format!("`{text}` is past"));
    }
    Ok(at)
}

/// A time with its date: local, or with an offset or a zone.
fn dated(text: &str, now: &Zoned) -> Option<Timestamp> {
    if let Some(at) = Timestamp::parse(text) {
        return Some(at);
    }
    let zoned = text.parse::<Zoned>().ok();
    let local = || {
        let at = text.parse::<DateTime>().ok()?;
        at.to_zoned(now.time_zone().clone()).ok()
    };
    Some(timestamp(&zoned.or_else(local)?))
}

fn timestamp(at: &Zoned) -> Timestamp {
    Timestamp(at.timestamp().as_millisecond())
}

/// The time of a text that has a time of day only: jiff would also read that of `2026-11-21 20:00` and of `20:00+02:00`.
fn time_of_day(text: &str) -> Option<Time> {
    let is_bare =
        text.contains(':') && text.chars().all(|c| c.is_ascii_digit() || ":.".contains(c));
    text.parse().ok().filter(|_| is_bare)
}

/// The beginning of `today` or `yesterday`.
fn midnight(word: &str, now: &Zoned) -> Option<Timestamp> {
    let day = match word {
        "today" => now.clone(),
        "yesterday" => now.yesterday().ok()?,
        _ => return None,
    };
    let midnight = day.start_of_day().ok()?;
    Some(timestamp(&midnight))
}

/// `1 hour ago` as `1h`. Other words stay as they are.
fn in_units(text: &str) -> String {
    let mut words = text.split_whitespace();
    let (Some(count), Some(unit), Some("ago"), None) =
        (words.next(), words.next(), words.next(), words.next())
    else {
        return text.strip_suffix(" ago").unwrap_or(text).to_owned();
    };
    let unit = match unit.trim_end_matches('s') {
        "second" | "sec" => "s",
        "minute" | "min" => "m",
        "hour" => "h",
        "day" => "d",
        _ => return text.to_owned(),
    };
    format!("{count}{unit}")
}

fn last(time: Time, now: &Zoned) -> Option<Timestamp> {
    let at = today(time, now)?;
    let at = if at > *now { at.yesterday().ok()? } else { at };
    Some(timestamp(&at))
}

fn next(time: Time, now: &Zoned) -> Option<Timestamp> {
    let at = today(time, now)?;
    let at = if at < *now { at.tomorrow().ok()? } else { at };
    Some(timestamp(&at))
}

fn today(time: Time, now: &Zoned) -> Option<Zoned> {
    let today = now.date().to_datetime(time);
    today.to_zoned(now.time_zone().clone()).ok()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_time_of_day_is_in_the_past() {
        let now: Zoned = "2026-11-22T12:30:00[UTC]".parse().unwrap();
        let at = |text: &str| last(text.parse().unwrap(), &now).unwrap().to_string();
        assert_eq!(at("12:29:30"), "2026-11-22T12:29:30.000Z");
        assert_eq!(at("12:44"), "2026-11-21T12:44:00.000Z");
    }

    #[test]
    fn a_time_of_day_ahead_is_today_or_tomorrow() {
        let now: Zoned = "2026-11-22T12:30:00[UTC]".parse().unwrap();
        let at = |text: &str| next(text.parse().unwrap(), &now).unwrap().to_string();
        assert_eq!(at("12:44"), "2026-11-22T12:44:00.000Z");
        assert_eq!(at("08:00"), "2026-11-23T08:00:00.000Z");
        let year = now.year() + 1;
        assert!(ahead(&format!("{year}-12-24 18:00")).is_ok());
        assert!(ahead("2020-12-24T18:00:00Z").unwrap_err().contains("past"));
        assert!(ahead("tea").unwrap_err().contains("18:00"));
    }

    #[test]
    fn a_time_with_a_date_is_of_that_day() {
        let local = |text: &str| {
            let at = text.parse::<DateTime>().unwrap();
            let at = at.to_zoned(Zoned::now().time_zone().clone()).unwrap();
            at.timestamp().as_millisecond()
        };
        for text in ["2020-01-01 19:07:15", "2020-01-01T19:07:15"] {
            assert_eq!(parse(text).unwrap().millis(), local(text), "{text}");
        }
        let (short, long) = ("2020-01-01 19:07", "2020-01-01 19:07:00");
        assert_eq!(parse(short), parse(long));
        assert_eq!(
            parse("2020-01-01 19:07:15+02:00").unwrap().to_string(),
            "2020-01-01T17:07:15.000Z"
        );
        let at = parse("2020-01-01T19:07:15[UTC]").unwrap();
        assert_eq!(at.to_string(), "2020-01-01T19:07:15.000Z");
        assert!(parse("19:07+02:00").is_err());
    }

    #[test]
    fn words_of_journalctl_are_moments() {
        let now: Zoned = "2026-11-22T12:30:00[UTC]".parse().unwrap();
        let at = |word: &str| midnight(word, &now).unwrap().to_string();
        assert_eq!(at("today"), "2026-11-22T00:00:00.000Z");
        assert_eq!(at("yesterday"), "2026-11-21T00:00:00.000Z");
        for (text, units) in [
            ("1 hour ago", "1h"),
            ("10 minutes ago", "10m"),
            ("2 days ago", "2d"),
            ("5m ago", "5m"),
            ("3 moons ago", "3 moons ago"),
        ] {
            assert_eq!(in_units(text), units);
        }
        let ago = words::now().millis() - parse("1 hour ago").unwrap().millis();
        assert!((3_600_000..3_605_000).contains(&ago), "{ago}");
        assert!(parse("3 moons ago").is_err());
    }

    #[test]
    fn moments_are_times_or_so_long_ago() {
        assert_eq!(parse("2026-11-21T20:00:00Z").unwrap().millis() % 1000, 0);
        let midnight = parse("2026-11-21").unwrap().millis();
        let noon = parse("2026-11-21T12:00:00Z").unwrap().millis();
        assert!((noon - midnight).abs() <= 26 * 3_600_000);
        // Parse first, because the clock advances.
        let at = parse("10m").unwrap();
        let ago = words::now().millis() - at.millis();
        assert!((600_000..605_000).contains(&ago), "{ago}");
        assert!(parse("noon").unwrap_err().contains("12:44"));
    }
}

//! Timestamps on the wire: RFC 3339, UTC, milliseconds.

use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de};

/// A time in milliseconds since 1970-01-01T00:00:00Z. For display only: durations and deadlines use
/// the boot clock, which does not jump with the wall clock.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Timestamp(pub i64);

impl Timestamp {
    /// Milliseconds since the epoch.
    pub fn millis(self) -> i64 {
        self.0
    }

    /// The time so many milliseconds later.
    #[must_use]
    pub fn after(self, ms: u64) -> Self {
        let ms = i64::try_from(ms).unwrap_or(i64::MAX);
        Self(self.0.saturating_add(ms))
    }

    /// Parses RFC 3339 with any offset.
    pub fn parse(text: &str) -> Option<Self> {
        let at: jiff::Timestamp = text.parse().ok()?;
        Some(Self(at.as_millisecond()))
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Outside jiff's range are only the ends of absurd pauses, and the time of a clock that is wrong by tens of
        // thousands of years.
        let end = if self.0 < 0 {
            jiff::Timestamp::MIN
        } else {
            jiff::Timestamp::MAX
        };
        let at = jiff::Timestamp::from_millisecond(self.0).unwrap_or(end);
        write!(f, "{at:.3}")
    }
}

impl JsonSchema for Timestamp {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Timestamp".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A time: RFC 3339, UTC, milliseconds.",
            "type": "string",
            "format": "date-time",
        })
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| {
            de::Error::custom(format!(
                "`{text}` is not a valid time; use the form 2026-11-21T20:00:00.123Z"
            ))
        })
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn prints_milliseconds_even_when_they_are_zero() {
        assert_eq!(Timestamp(0).to_string(), "1970-01-01T00:00:00.000Z");
        assert_eq!(
            Timestamp(1_795_291_200_123).to_string(),
            "2026-11-21T20:00:00.123Z"
        );
    }

    #[test]
    fn a_time_that_never_comes_is_late() {
        assert!(Timestamp(i64::MAX).to_string().starts_with("9999-"));
    }

    #[test]
    fn parses_what_it_prints_and_other_offsets() {
        let at = Timestamp::parse("2026-11-21T21:00:00.123+01:00").unwrap();
        assert_eq!(at.to_string(), "2026-11-21T20:00:00.123Z");
        assert!(Timestamp::parse("yesterday").is_none());
    }
}

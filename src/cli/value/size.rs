//! Sizes in bytes, as people write them: `500M`, `32G`.

/// The letters of the units, each 1,024 times the one before. Batch systems count so.
const UNITS: &str = "KMGT";

/// Parses a size: a whole number with a unit, or in bytes without one.
pub fn parse(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is not a size, such as 500M or 32G");
    let upper = text.trim().to_ascii_uppercase();
    let bare = upper.strip_suffix("IB").or(upper.strip_suffix('B'));
    let bare = bare.unwrap_or(&upper);
    let unit = bare.chars().last().and_then(|last| UNITS.find(last));
    let (digits, power) = match unit {
        Some(place) => (&bare[..bare.len() - 1], place + 1),
        None => (bare, 0),
    };
    let number: u64 = digits.parse().map_err(|_| wrong())?;
    let factor = 1u64 << (10 * power);
    let bytes = number.checked_mul(factor).filter(|bytes| *bytes > 0);
    bytes.ok_or_else(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_1024() {
        for (text, bytes) in [
            ("1", 1),
            ("500M", 500 << 20),
            ("32G", 32 << 30),
            ("2GiB", 2 << 30),
            ("4kb", 4096),
        ] {
            assert_eq!(parse(text), Ok(bytes), "{text}");
        }
        for text in ["", "G", "0", "1.5G", "-1G", "99999999999T", "1X"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}

//! Sizes in bytes as people write them: `500M`, `2G`, `64KiB`. Units are powers of 1,024, as in the memory limits of
//! docker, systemd and batch systems.

/// Parses a size: a whole number with a unit, or without one, which is bytes. `None` if it is no size.
pub fn bytes(text: &str) -> Option<u64> {
    let text = text.trim();
    let digits = text
        .find(|c: char| !c.is_ascii_digit())
        .unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let power = match unit.trim().to_ascii_uppercase().as_str() {
        "" | "B" => 0,
        "K" | "KB" | "KIB" => 1,
        "M" | "MB" | "MIB" => 2,
        "G" | "GB" | "GIB" => 3,
        "T" | "TB" | "TIB" => 4,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(1024u64.pow(power))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_1024() {
        for (text, expected) in [
            ("0", Some(0)),
            ("1", Some(1)),
            ("64K", Some(65536)),
            ("500M", Some(500 << 20)),
            ("2G", Some(2 << 30)),
            ("2GiB", Some(2 << 30)),
            ("4kb", Some(4096)),
            ("1 MiB", Some(1 << 20)),
            ("x", None),
            ("G", None),
            ("1X", None),
            ("1.5G", None),
            ("-1", None),
            ("", None),
            ("99999999999T", None),
        ] {
            assert_eq!(bytes(text), expected, "{text}");
        }
    }
}

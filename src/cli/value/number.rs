//! Whole numbers within bounds. The error message states the bounds.

/// Parses whole numbers from `least` to `most`. With `u64::MAX`, the error message omits the upper bound.
pub(crate) fn between<T: TryFrom<u64>>(
    least: u64,
    most: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number: Option<u64> = text.parse().ok();
        let fitting = number.filter(|number| (least..=most).contains(number));
        fitting
            .and_then(|number| T::try_from(number).ok())
            .ok_or_else(|| match most {
                u64::MAX => format!("needs a number of at least {least}, not \"{text}\""),
                most => format!("needs a number from {least} to {most}, not \"{text}\""),
            })
    }
}

/// Parses whole numbers of at least `least`.
pub(crate) fn from<T: TryFrom<u64>>(
    least: u64,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    between(least, u64::MAX)
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_refused_with_their_bounds() {
        let port = between::<u16>(1, 65_535);
        assert_eq!(port("80"), Ok(80));
        for text in ["0", "65536", "x", "", "-1", "1.5"] {
            let refused = port(text).unwrap_err();
            assert_eq!(
                refused,
                format!("needs a number from 1 to 65535, not \"{text}\"")
            );
        }
        let lines = from::<u64>(0);
        assert_eq!(lines("0"), Ok(0));
        assert_eq!(
            lines("x").unwrap_err(),
            "needs a number of at least 0, not \"x\""
        );
    }
}

//! Parameters that several actions have, checked.

use crate::protocol::name::MAX_NAME;
use crate::protocol::params::SignalName;
use crate::protocol::{Error, Timestamp, suggest};
use crate::sys::signal;
use crate::term::size::Size;

/// Rows and columns of a terminal at least and at most.
const BOUNDS: std::ops::RangeInclusive<u16> = 2..=1000;

/// A size as asked for, with the usual one where nothing is.
pub(crate) fn checked_size(rows: Option<u16>, cols: Option<u16>) -> Result<Size, Error> {
    let usual = Size::default();
    let (rows, cols) = (rows.unwrap_or(usual.rows()), cols.unwrap_or(usual.cols()));
    for (name, value) in [("rows", rows), ("cols", cols)] {
        if !BOUNDS.contains(&value) {
            let (least, most) = (BOUNDS.start(), BOUNDS.end());
            return Err(Error::invalid(format!(
                "`{name}` is between {least} and {most}, not {value}"
            )));
        }
    }
    Ok(Size::new(rows, cols))
}
/// A name for people: one line, not too long, without control characters.
pub(crate) fn checked_name(what: &str, name: String) -> Result<String, Error> {
    if name.chars().count() > MAX_NAME {
        return Err(Error::invalid(format!(
            "`{what}` has at most {MAX_NAME} characters"
        )));
    }
    if name.chars().any(char::is_control) {
        return Err(Error::invalid(format!("`{what}` has control characters")));
    }
    Ok(name.trim().to_owned())
}

/// A time as a client has written it.
pub(crate) fn checked_time(name: &str, text: &str) -> Result<Timestamp, Error> {
    Timestamp::parse(text).ok_or_else(|| {
        Error::invalid(format!("`{name}`: `{text}` is no time"))
            .hint("write 2026-11-21T20:00:00.123Z")
    })
}
/// A signal by name or number.
pub(crate) fn signal_number(name: &SignalName) -> Result<i32, Error> {
    match name {
        SignalName::Number(number @ 1..=64) => Ok(*number),
        SignalName::Number(number) => Err(Error::invalid(format!(
            "`signal`: there is no signal {number}"
        ))),
        SignalName::Name(name) => signal::number(name)
            .or_else(|| name.parse().ok().filter(|number| (1..=64).contains(number)))
            .ok_or_else(|| {
                let error = Error::invalid(format!("`signal`: `{name}` is no signal"));
                let bare = name.trim_start_matches("SIG").to_owned();
                match suggest::nearest(&bare, signal::names()) {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error.hint("for example TERM, INT, HUP, KILL"),
                }
            }),
    }
}

//! Checks of parameters that several actions share.

use std::collections::BTreeSet;

use crate::daemon::clock::now;
use crate::engine::session::Session;
use crate::protocol::bounds::{LEAST_SIDE, MAX_SIDE};
use crate::protocol::name::{self, MAX_NAME, MAX_TAGS};
use crate::protocol::params::{SignalName, Stream};
use crate::protocol::signal::NUMBERS;
use crate::protocol::status::Mode;
use crate::protocol::{Error, Timestamp, duration, suggest};
use crate::sys::signal;
use crate::term::size::Size;

/// Allowed rows and columns of a terminal.
const BOUNDS: std::ops::RangeInclusive<u16> = LEAST_SIDE..=MAX_SIDE;

/// The requested size, with defaults for what is not given.
pub(crate) fn checked_size(rows: Option<u16>, cols: Option<u16>) -> Result<Size, Error> {
    let usual = Size::default();
    let (rows, cols) = (rows.unwrap_or(usual.rows()), cols.unwrap_or(usual.cols()));
    for (name, value) in [("rows", rows), ("cols", cols)] {
        if !BOUNDS.contains(&value) {
            let (least, most) = (BOUNDS.start(), BOUNDS.end());
            return Err(Error::invalid(format!(
                "`{name}` must be between {least} and {most}, not {value}"
            )));
        }
    }
    Ok(Size::new(rows, cols))
}

/// Refuses to read only standard error of a terminal, which has one stream for both.
pub(crate) fn check_stream(session: &Session, stream: Option<Stream>) -> Result<(), Error> {
    match (session.spec.mode, stream) {
        (Mode::Pty, Some(Stream::Stderr)) => {
            let id = &session.id;
            let message =
                format!("`stream`: session {id} has a terminal, whose output is one stream");
            let hint = "leave `stream` out; with mode:\"pipe\" in `start` the streams are apart";
            Err(Error::invalid(message).hint(hint))
        }
        _ => Ok(()),
    }
}

/// Checks a display name: one line, not too long, no control characters.
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

/// Checks tags, and returns them sorted. A tag is a name, because it is also a target (`+TAG`).
pub(crate) fn checked_tags(what: &str, tags: &[String]) -> Result<Vec<String>, Error> {
    let mut sorted = BTreeSet::new();
    for tag in tags {
        if let Some(fault) = name::fault(tag) {
            return Err(Error::invalid(format!("`{what}`: {fault}")));
        }
        sorted.insert(tag.trim().to_owned());
    }
    check_tag_count(sorted.len())?;
    Ok(sorted.into_iter().collect())
}

/// Refuses more tags than a session can have.
pub(crate) fn check_tag_count(count: usize) -> Result<(), Error> {
    if count > MAX_TAGS {
        Err(Error::invalid(format!(
            "a session has at most {MAX_TAGS} tags"
        )))
    } else {
        Ok(())
    }
}

/// Parses a time that a client sent: a moment, or how long ago it was.
pub(crate) fn checked_time(name: &str, text: &str) -> Result<Timestamp, Error> {
    if let Some(at) = Timestamp::parse(text) {
        return Ok(at);
    }
    // A number alone may be seconds since 1970, or a year.
    let is_number = text.bytes().all(|byte| byte.is_ascii_digit());
    let ago = duration::parse(text).ok().filter(|_| !is_number);
    let ago = ago.ok_or_else(|| {
        Error::invalid(format!("`{name}`: `{text}` is not a time"))
            .hint("write 2026-11-21T20:00:00.123Z, or 10m for ten minutes ago")
    })?;
    let ago = i64::try_from(ago.as_millis()).unwrap_or(i64::MAX);
    Ok(Timestamp(now().wall.millis().saturating_sub(ago)))
}

/// The number of a signal given by name or number.
pub(crate) fn signal_number(name: &SignalName) -> Result<i32, Error> {
    match name {
        SignalName::Number(number) if NUMBERS.contains(number) => Ok(*number),
        SignalName::Number(number) => Err(Error::invalid(format!(
            "`signal`: there is no signal {number}"
        ))),
        SignalName::Name(name) => signal::number(name)
            .or_else(|| name.parse().ok().filter(|number| NUMBERS.contains(number)))
            .ok_or_else(|| {
                let error = Error::invalid(format!("`signal`: `{name}` is not a signal"));
                let bare = name.trim_start_matches("SIG").to_owned();
                match suggest::nearest(&bare, signal::names()) {
                    Some(near) => error.hint(format!("did you mean `{near}`?")),
                    None => error.hint("for example TERM, INT, HUP, KILL"),
                }
            }),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_time_is_a_moment_or_how_long_ago_it_was() {
        let moment = checked_time("sinceTime", "2026-11-21T20:00:00Z").unwrap();
        assert_eq!(moment.to_string(), "2026-11-21T20:00:00.000Z");
        let at = checked_time("sinceTime", "10m").unwrap();
        let ago = now().wall.millis() - at.millis();
        assert!((600_000..605_000).contains(&ago), "{ago}");
        let error = checked_time("sinceTime", "noon").unwrap_err();
        assert_eq!(error.message, "`sinceTime`: `noon` is not a time");
        assert!(error.hint.unwrap().contains("10m"));
    }
}

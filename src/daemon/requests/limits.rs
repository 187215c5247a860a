//! The limits of a client, and checks of requests against them.

use super::client::Client;
use crate::daemon::settings::Settings;
pub(crate) use crate::protocol::bounds::MAX_CHARS;
use crate::protocol::bounds::MAX_WAIT_MS;
use crate::protocol::hello::Limits;
use crate::protocol::{Error, Greeting, MAX_LINE, Role};

/// Maximum number of requests in flight per client.
pub(crate) const MAX_IN_FLIGHT: usize = 256;

/// `maxChars` if neither the request nor the greeting gives one.
const DEFAULT_CHARS: usize = 500;

/// Default `maxChars` for a model: enough for the summary of a test run and the first errors of a compiler.
const LEAN_CHARS: usize = 2000;

/// Default of `yieldMs`: how long a start or restart waits before its reply, in milliseconds.
pub(crate) const YIELD_MS: u64 = 10_000;

/// The limits that apply to a client.
pub(crate) fn limits(settings: &Settings, greeting: &Greeting) -> Limits {
    let scope = match greeting.role {
        // People are limited only by the number of sessions in total.
        Role::Human => settings.caps.total,
        Role::Agent => settings.scope_sessions,
    };
    Limits {
        max_sessions: greeting.policy.max_sessions.unwrap_or(scope),
        max_sessions_total: settings.caps.total,
        max_finished: settings.caps.retention.agents_count,
        max_line_bytes: MAX_LINE,
        max_in_flight: MAX_IN_FLIGHT,
        max_chars: MAX_CHARS,
        log_bytes: settings.log_bytes,
        total_log_bytes: settings.total_log_bytes,
    }
}

/// The `maxChars` that applies to a request.
pub(crate) fn max_chars(client: &Client, asked: Option<usize>) -> Result<usize, Error> {
    let chars = asked
        .or(client.greeting.defaults.max_chars)
        .unwrap_or(if client.is_lean() {
            LEAN_CHARS
        } else {
            DEFAULT_CHARS
        });
    match chars {
        chars if chars <= MAX_CHARS => Ok(chars),
        chars => Err(Error::invalid(format!(
            "`maxChars` is at most {MAX_CHARS}, not {chars}"
        ))),
    }
}

/// The value of a parameter that has two names.
pub(crate) fn one_of<T>(
    name: &str,
    value: Option<T>,
    former: &str,
    other: Option<T>,
) -> Result<Option<T>, Error> {
    match (value, other) {
        (Some(_), Some(_)) => Err(Error::invalid(format!(
            "`{name}` and `{former}` are the same parameter; give one"
        ))),
        (value, other) => Ok(value.or(other)),
    }
}

/// A waiting time in milliseconds, checked against the limit.
pub(crate) fn wait_ms(name: &str, asked: Option<u64>, default: u64) -> Result<u64, Error> {
    match asked.unwrap_or(default) {
        ms if ms <= MAX_WAIT_MS => Ok(ms),
        ms => Err(
            Error::invalid(format!("`{name}` is at most {MAX_WAIT_MS} ms, not {ms}"))
                .hint("repeat the request when the time has passed; nothing is missed in between"),
        ),
    }
}

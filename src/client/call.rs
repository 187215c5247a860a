//! Asking, and asking again where the daemon dies over it.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::connect::{connect, introduce};
use super::connection::{AutoStart, Connection};
use crate::protocol::{Action, Error, ErrorCode, Greeting};

/// Connects, starting a daemon if need be, and asks `first` along with it: one wait less. Only for what changes
/// nothing, because it is on its way before it is known who answers. (A daemon of another protocol refuses it.)
pub fn connect_asking<T: DeserializeOwned>(
    greeting: &Greeting,
    first: &Action,
) -> Result<(Connection, Result<T, Error>), Error> {
    let (mut connection, id) = introduce(greeting, AutoStart::Yes, Some(first))?;
    let answer = match connection.reply_to(&id.unwrap_or_default()) {
        Err(error) if error.code == ErrorCode::DaemonUnavailable => {
            connection.call_as(first.clone())
        }
        answer => answer,
    };
    Ok((connection, answer))
}

impl Connection {
    /// Asks and waits for the answer.
    pub fn call(&mut self, action: Action) -> Result<Value, Error> {
        self.call_as(action)
    }

    /// Asks and waits for an answer of a known shape. What does once what it does, however often it is asked for, is
    /// asked of the next daemon where this one dies; but not on a connection that is told of events, which the next one
    /// would not be.
    pub fn call_as<T: DeserializeOwned>(&mut self, action: Action) -> Result<T, Error> {
        if matches!(action, Action::Subscribe(_) | Action::Watch(_)) {
            self.origin = None;
        }
        if !action.may_repeat() {
            return self.call_once(action);
        }
        loop {
            match (self.call_once(action.clone()), &self.origin) {
                (Err(error), Some((greeting, start)))
                    if error.code == ErrorCode::DaemonUnavailable =>
                {
                    *self = connect(greeting, *start)?;
                }
                (answer, _) => return answer,
            }
        }
    }
}

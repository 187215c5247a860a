//! Calls, and their repetition when the daemon dies.

use serde::de::DeserializeOwned;
use serde_json::Value;

use super::connect::{connect, introduce, why_silent};
use super::connection::{AutoStart, Connection};
use super::errors::gone;
use super::host::{self, connect_again};
use crate::protocol::{Action, Error, ErrorCode, Greeting};

/// Connects, starting a daemon if needed, and sends `first` along with the greeting, which saves a round trip.
/// Use it only for actions that change nothing, because the request is sent before it is known who answers. (A
/// daemon of another protocol refuses it.)
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
    /// Makes repeated requests wait for a host that cannot be reached now, however long that takes. `tell` is called
    /// with the reason.
    pub fn be_patient(&mut self, tell: fn(&Error)) {
        self.tell = Some(tell);
    }

    /// Sends a request and waits for the answer.
    pub fn call(&mut self, action: Action) -> Result<Value, Error> {
        self.call_as(action)
    }

    /// Sends a request and waits for an answer of a known type. If the daemon dies and the action is
    /// idempotent, or the first subscription, the request is repeated to the next daemon. This does not apply to a
    /// connection with subscriptions, because the next daemon would not know them.
    pub fn call_as<T: DeserializeOwned>(&mut self, action: Action) -> Result<T, Error> {
        let subscribes = matches!(action, Action::Subscribe(_) | Action::Watch(_));
        if !subscribes && !action.may_repeat() {
            return self.call_once(action);
        }
        let answer = self.call_until_answered(&action);
        if subscribes {
            self.origin = None;
        }
        answer
    }

    /// Connects to the next daemon after this one has gone. Starts none if it stopped on purpose.
    ///
    /// # Errors
    ///
    /// Why there is no daemon, or none that answers.
    pub fn reconnect(&mut self) -> Result<(), Error> {
        let (greeting, start) = self.origin.clone().ok_or_else(gone)?;
        self.renew(&greeting, AutoStart::AfterCrash)?;
        self.origin = Some((greeting, start));
        Ok(())
    }

    fn renew(&mut self, greeting: &Greeting, start: AutoStart) -> Result<(), Error> {
        // A daemon that answers but whose keeper is stopped would leave a request waiting, too.
        // A link that is broken is opened again.
        if host::chosen().is_none() {
            why_silent()?;
        }
        let tell = self.tell;
        *self = match tell {
            Some(tell) => connect_again(greeting, tell)?,
            None => connect(greeting, start)?,
        };
        self.tell = tell;
        Ok(())
    }

    fn call_until_answered<T: DeserializeOwned>(&mut self, action: &Action) -> Result<T, Error> {
        loop {
            match self.call_once(action.clone()) {
                Err(error)
                    if error.code == ErrorCode::DaemonUnavailable && self.origin.is_some() =>
                {
                    let (greeting, start) = self.origin.clone().ok_or_else(gone)?;
                    self.renew(&greeting, start)?;
                }
                answer => return answer,
            }
        }
    }
}

//! Notifies a client that a background process has ended, with Duragent's message.
//!
//! MCP cannot insert a message into a conversation. The message is therefore sent as a log notification,
//! and again with the next `process list` for clients that do not show notifications. The daemon keeps
//! endings while no client is connected and reports them to the next connection of the scope, so
//! completions survive this server, the daemon and the client.
//!
//! An end that a call with `wait:true` returns is not reported again. Which sessions such calls wait for is
//! known only after the start has returned, so events are held until then.
#![allow(
    deprecated,
    reason = "clients of today still have logging; later versions of MCP drop it"
)]

use std::cell::{Cell, RefCell};
use std::collections::{HashSet, VecDeque};

use rmcp::model::{LoggingLevel, LoggingMessageNotificationParam};
use rmcp::service::{Peer, RoleServer};
use serde_json::json;
use tokio::sync::{Notify, mpsc};

use super::caller::Caller;
use crate::protocol::Event;
use crate::protocol::event::Completion;

/// Messages kept for `process list`; older ones are dropped.
const KEPT: usize = 50;

/// Endings to report, and endings that calls report themselves.
#[derive(Debug)]
pub struct Completions {
    /// Number of starts in progress. Events are held while it is not 0.
    starting: Cell<usize>,
    started: Notify,
    /// Sessions whose end is reported by a call.
    awaited: RefCell<HashSet<String>>,
    /// Messages for the next `process list`.
    unread: RefCell<VecDeque<String>>,
    /// The lowest level of messages that the client wants. `None` until it has set one.
    level: Cell<Option<LoggingLevel>>,
}

impl Default for Completions {
    fn default() -> Self {
        Self {
            starting: Cell::default(),
            started: Notify::new(),
            awaited: RefCell::default(),
            unread: RefCell::default(),
            level: Cell::default(),
        }
    }
}

impl Completions {
    /// Sets the lowest level of messages that the client wants.
    pub fn set_level(&self, level: LoggingLevel) {
        self.level.set(Some(level));
    }

    /// Subscribes to endings and reports them until the client or the daemon is gone.
    pub async fn tell(
        &self,
        caller: Caller,
        mut events: mpsc::Receiver<Event>,
        peer: Peer<RoleServer>,
    ) {
        let subscribe = json!({ "events": ["exited", "lost"] });
        if caller.call("subscribe", subscribe).await.is_err() {
            return;
        }
        while let Some(event) = events.recv().await {
            while self.starting.get() > 0 {
                self.started.notified().await;
            }
            let Some(handle) = event.session_id.as_ref().map(ToString::to_string) else {
                continue;
            };
            if self.awaited.borrow_mut().remove(&handle) {
                continue;
            }
            let Ok(completion) = serde_json::from_value(event.data) else {
                continue;
            };
            let text = message(&handle, &completion);
            {
                let mut unread = self.unread.borrow_mut();
                unread.push_back(text.clone());
                if unread.len() > KEPT {
                    unread.pop_front();
                }
            }
            let wanted = self.level.get();
            if wanted.is_none_or(|level| level as u8 > LoggingLevel::Info as u8) {
                continue;
            }
            let message = LoggingMessageNotificationParam::new(LoggingLevel::Info, text.into());
            if peer
                .notify_logging_message(message.with_logger("bgproc"))
                .await
                .is_err()
            {
                return;
            }
        }
    }

    /// Holds events while a start is in progress, until the returned value is dropped.
    pub fn starting(&self) -> Starting<'_> {
        self.starting.set(self.starting.get() + 1);
        Starting(self)
    }

    /// Marks that a call reports the end of this session, until the returned value is dropped. After
    /// [`Awaiting::shown`] the mark stays.
    pub fn awaiting(&self, handle: &str) -> Awaiting<'_> {
        self.awaited.borrow_mut().insert(handle.to_owned());
        Awaiting {
            completions: self,
            handle: handle.to_owned(),
            shown: false,
        }
    }

    /// Returns and clears the messages for `process list`.
    pub fn take_unread(&self) -> Vec<String> {
        self.unread.borrow_mut().drain(..).collect()
    }
}

/// A start in progress.
#[derive(Debug)]
pub struct Starting<'a>(&'a Completions);

impl Drop for Starting<'_> {
    fn drop(&mut self) {
        self.0.starting.set(self.0.starting.get() - 1);
        self.0.started.notify_waiters();
    }
}

/// A session whose end is reported by a call.
#[derive(Debug)]
pub struct Awaiting<'a> {
    completions: &'a Completions,
    handle: String,
    shown: bool,
}

impl Awaiting<'_> {
    /// Marks that the result of the call contains the end.
    pub fn shown(mut self) {
        self.shown = true;
    }
}

impl Drop for Awaiting<'_> {
    fn drop(&mut self) {
        if !self.shown {
            self.completions.awaited.borrow_mut().remove(&self.handle);
        }
    }
}

/// The completion message, from the data of the event `exited`.
pub fn message(handle: &str, completion: &Completion) -> String {
    let code = match (completion.exit_code, &completion.signal) {
        (Some(code), _) => code.to_string(),
        (None, Some(signal)) => format!("none ({signal})"),
        (None, None) => "unknown".to_owned(),
    };
    let seconds = completion.runtime_ms / 1000;
    let label = completion.label.as_deref().unwrap_or("-");
    let (command, tail) = (&completion.command, &completion.output);
    format!(
        "[Background Process Completed]\n\nHandle: {handle}\nLabel: {label}\nCommand: {command}\n\
         Exit code: {code}\nDuration: {seconds}s\n\nOutput (last 2000 chars):\n{tail}"
    )
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn the_message_has_the_form_of_the_original() {
        let message = |data| message("k3v", &serde_json::from_value(data).unwrap());
        let data = json!({
            "label": "tests", "command": "make test", "status": "error", "exitCode": 2,
            "signal": null, "runtimeMs": 142_900, "output": "1 failed\n",
        });
        let expected = "[Background Process Completed]\n\nHandle: k3v\nLabel: tests\n\
            Command: make test\nExit code: 2\nDuration: 142s\n\nOutput (last 2000 chars):\n1 failed\n";
        assert_eq!(message(data), expected);
        let killed = json!({
            "label": null, "command": "x", "status": "killed", "exitCode": null,
            "signal": "SIGKILL", "runtimeMs": 10, "output": "",
        });
        let text = message(killed);
        assert!(
            text.contains("Label: -\n") && text.contains("Exit code: none (SIGKILL)\n"),
            "{text}"
        );
    }

    #[test]
    fn an_end_that_a_call_reports_is_remembered() {
        let completions = Completions::default();
        completions.awaiting("a").shown();
        drop(completions.awaiting("b"));
        assert!(completions.awaited.borrow().contains("a"));
        assert!(!completions.awaited.borrow().contains("b"));
        drop(completions.starting());
        assert_eq!(completions.starting.get(), 0);
    }
}

//! Which requests the daemon has not answered, so that none stays open when it dies.

use std::borrow::Cow;
use std::collections::HashMap;

use serde_json::Value;
use serde_json::value::RawValue;

use crate::protocol::reply::Reply;
use crate::protocol::{Error, ErrorCode, RequestId};

/// Actions after which nothing has changed, whether they happened or not.
const READING: [&str; 13] = [
    "cancel",
    "capture",
    "events",
    "list",
    "log",
    "poll",
    "stats",
    "status",
    "subscribe",
    "unsubscribe",
    "unwatch",
    "wait",
    "watch",
];

/// What is known of a request from its line.
#[derive(Clone, PartialEq, Debug)]
pub struct Ticket {
    /// Echoed in its reply.
    pub id: RequestId,
    /// Whether it may have changed something.
    pub changes: bool,
    /// Whether it asks for events, which end with the daemon.
    pub subscribes: bool,
}

/// Requests on their way, oldest first.
#[derive(Debug, Default)]
pub struct InFlight {
    tickets: Vec<Ticket>,
}

impl Ticket {
    /// What a line asks for; `None` for a blank one, which is not answered. What
    /// is no request will be answered with an error, and changes nothing.
    pub fn of_line(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        if line.is_empty() {
            return None;
        }
        let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
        let fields: HashMap<Cow<'_, str>, &RawValue> =
            serde_json::from_slice(line).unwrap_or_default();
        let field = |name: &str| -> Value {
            let raw = fields.get(name).map(|raw| raw.get());
            raw.and_then(|raw| serde_json::from_str(raw).ok())
                .unwrap_or_default()
        };
        let action = field("action");
        let action = action.as_str().unwrap_or_default();
        Some(Self {
            id: field("id"),
            changes: !action.is_empty() && !READING.contains(&action),
            subscribes: matches!(action, "subscribe" | "watch"),
        })
    }

    /// The reply to a request that nobody will answer any more.
    pub fn abandoned(self) -> Vec<u8> {
        let error = Error::new(
            ErrorCode::DaemonUnavailable,
            "the daemon went away before it answered",
        );
        let hint = if self.changes {
            "it may have happened: look before you ask again"
        } else {
            "ask again"
        };
        let data = serde_json::json!({ "mayHaveHappened": self.changes });
        let reply = Reply {
            id: self.id,
            ok: false,
            result: None,
            error: Some(error.hint(hint).data(data)),
        };
        let mut line = serde_json::to_vec(&reply).unwrap_or_default();
        line.push(b'\n');
        line
    }
}

impl InFlight {
    /// A request was sent.
    pub fn sent(&mut self, ticket: Ticket) {
        self.tickets.push(ticket);
    }

    /// A line came from the daemon; if it is a reply, its request is done.
    pub fn came(&mut self, line: &[u8]) {
        let Some(id) = reply_id(line) else {
            return;
        };
        if let Some(place) = self.tickets.iter().position(|ticket| ticket.id == id) {
            self.tickets.remove(place);
        }
    }

    /// The daemon is gone: everything that is still open, oldest first.
    pub fn abandon(&mut self) -> Vec<Ticket> {
        std::mem::take(&mut self.tickets)
    }
}

/// The id of a reply. The daemon writes it first, so that a reply of a megabyte
/// costs no more to look at than a short one; anything else is read as a whole.
fn reply_id(line: &[u8]) -> Option<Value> {
    if line.starts_with(br#"{"event":"#) {
        return None;
    }
    if let Some(rest) = line.strip_prefix(br#"{"id":"#) {
        let first = serde_json::Deserializer::from_slice(rest)
            .into_iter()
            .next();
        return first.and_then(Result::ok);
    }
    let mut fields: HashMap<String, Value> = serde_json::from_slice(line).ok()?;
    fields
        .contains_key("ok")
        .then(|| fields.remove("id").unwrap_or_default())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use serde_json::json;

    use super::*;

    fn ticket(line: &str) -> Ticket {
        Ticket::of_line(line.as_bytes()).unwrap()
    }

    #[test]
    fn a_line_tells_its_id_and_whether_it_changes_anything() {
        let start = ticket("{\"command\":\"x\",\"id\":{\"a\":[1]},\"action\":\"start\"}\n");
        assert_eq!((start.id, start.changes), (json!({"a": [1]}), true));
        let wait = ticket(r#"{"id":"w","action":"wait"}"#);
        assert_eq!((wait.id, wait.changes), (json!("w"), false));
        // The last of several wins, as for the daemon.
        assert_eq!(ticket(r#"{"id":1,"id":2,"action":"poll"}"#).id, json!(2));
        assert!(ticket(r#"{"id":1,"action":"subscribe"}"#).subscribes);
        assert_eq!(Ticket::of_line(b" \r\n"), None);
    }

    #[test]
    fn garbage_is_answered_without_an_id_and_changes_nothing() {
        for line in ["nonsense", "[1]", "{\"id\":7", "{\"action\":5}"] {
            let ticket = ticket(line);
            assert_eq!((ticket.id, ticket.changes), (Value::Null, false), "{line}");
        }
    }

    #[test]
    fn what_was_answered_is_not_abandoned() {
        let mut open = InFlight::default();
        for line in [
            r#"{"id":1,"action":"start"}"#,
            r#"{"id":1,"action":"poll"}"#,
            r#"{"id":"1","action":"kill"}"#,
        ] {
            open.sent(ticket(line));
        }
        open.came(b"{\"event\":\"output\",\"id\":1}\n");
        open.came(b"{\"id\":1,\"ok\":true,\"result\":{}}\n");
        open.came(b"{\"ok\":false,\"id\":\"1\",\"error\":{}}\n");
        open.came(b"{\"id\":99,\"ok\":true}\n");
        let left = open.abandon();
        assert_eq!(left, [ticket(r#"{"id":1,"action":"poll"}"#)]);
        let line: Value = serde_json::from_slice(&left[0].clone().abandoned()).unwrap();
        assert_eq!(line["id"], json!(1));
        assert_eq!(line["error"]["code"], "daemon_unavailable");
        assert_eq!(line["error"]["data"]["mayHaveHappened"], json!(false));
    }

    #[test]
    fn a_change_may_have_happened() {
        let line = ticket(r#"{"id":1,"action":"write"}"#).abandoned();
        let line: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(line["error"]["data"]["mayHaveHappened"], json!(true));
    }
}

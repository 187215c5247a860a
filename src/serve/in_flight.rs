//! Unanswered requests of the agent, so that each is answered even if the daemon dies.

use std::collections::HashMap;
use std::time::Instant;

use serde_json::{Map, Value};

use crate::protocol::reply::Reply;
use crate::protocol::request::fields;
use crate::protocol::traits::{ActionTraits, spellings};
use crate::protocol::{Error, ErrorCode, MAX_LINE, RequestId};

/// Longest line kept for sending again, in bytes. No usual request comes near it; it bounds the memory of
/// 256 requests in flight.
const MAX_KEPT: usize = 64 * 1024;

/// What the proxy has to know about a request.
#[derive(Clone, PartialEq, Debug)]
pub struct RequestHead {
    /// The request's id, which its reply repeats.
    pub id: RequestId,
    /// The requested action; empty if the line is not a request.
    pub action: String,
    /// Whether the request is idempotent, so that it can be sent again.
    pub is_repeatable: bool,
    /// Whether the request may change something.
    pub changes: bool,
}

/// A line that is sent to the daemon.
#[derive(Clone, PartialEq, Debug)]
pub struct Request {
    /// The line as the agent wrote it, newline included. Empty once sent if it is not needed again.
    pub line: Vec<u8>,
    /// The parsed request; `None` for a blank line, which is not answered.
    pub head: Option<RequestHead>,
    /// When it was first sent to a daemon; `None` if it has not been sent.
    pub asked: Option<Instant>,
    /// Whether the proxy itself sent it. The agent does not see the answer.
    pub is_own: bool,
}

/// What a line from the daemon is.
#[derive(Clone, PartialEq, Debug)]
pub enum Incoming {
    /// The answer to this request, which is no longer open.
    Answer(Request),
    /// An answer to a request that the proxy has answered itself.
    Late,
    /// No answer to a known request: an event, for example.
    Other,
}

/// Requests without an answer, oldest first.
#[derive(Debug, Default)]
pub struct InFlight {
    requests: Vec<Request>,
    /// Ids of requests that the proxy answered although the daemon still has them. The daemon's answers to
    /// them are dropped.
    given_up: Vec<RequestId>,
}

impl RequestHead {
    /// Parses a line; `None` for a blank one. A line that is not a request gets a head too, because the
    /// daemon answers it with an error. The answer to a line that is too long has no id, because the daemon
    /// does not read it.
    pub fn of_line(line: &[u8]) -> Option<Self> {
        let is_too_long = line.strip_suffix(b"\n").unwrap_or(line).len() > MAX_LINE;
        let line = bare(line);
        if line.is_empty() {
            return None;
        }
        let fields = if is_too_long {
            HashMap::new()
        } else {
            fields(line)
        };
        let field = |name: &str| -> Value {
            let raw = fields.get(name).map(|raw| raw.get());
            raw.and_then(|raw| serde_json::from_str(raw).ok())
                .unwrap_or_default()
        };
        let action = field("action");
        let action = action.as_str().unwrap_or_default().to_owned();
        let find = |name: &str| {
            let mut values = spellings(name).into_iter().map(|name| field(&name));
            values.find(|value| !value.is_null())
        };
        let traits = ActionTraits::of(&action);
        Some(Self {
            id: field("id"),
            is_repeatable: traits.is_some_and(|traits| traits.may_repeat.holds(find)),
            changes: !action.is_empty() && traits.is_none_or(|traits| !traits.reads.holds(find)),
            action,
        })
    }

    /// The reply to a request that a daemon received and that will not be answered any more.
    pub fn abandoned(self) -> Vec<u8> {
        let changes = self.changes;
        self.unanswered(changes)
    }

    /// The reply to a request that a daemon has received but does not answer, for the reason `why`.
    pub fn unanswered_because(self, why: &Error) -> Vec<u8> {
        let may_have_happened = self.changes;
        self.refused_because(why, may_have_happened)
    }

    /// The reply to a request that no daemon has received, for the reason `why`.
    pub fn never_sent_because(self, why: &Error) -> Vec<u8> {
        self.refused_because(why, false)
    }

    fn refused_because(self, why: &Error, may_have_happened: bool) -> Vec<u8> {
        let may_have_happened = serde_json::json!(may_have_happened);
        self.refused(why.clone().add_data("mayHaveHappened", may_have_happened))
    }

    /// The reply to a request that no daemon received.
    pub fn never_sent(self) -> Vec<u8> {
        self.unanswered(false)
    }

    fn unanswered(self, may_have_happened: bool) -> Vec<u8> {
        let error = Error::new(
            ErrorCode::DaemonUnavailable,
            "the daemon ended before it answered",
        );
        let hint = if may_have_happened {
            "the request may have taken effect: check before you send it again"
        } else {
            "send the request again"
        };
        let data = serde_json::json!({ "mayHaveHappened": may_have_happened });
        self.refused(error.hint(hint).data(data))
    }

    /// The reply with this error.
    pub fn refused(self, error: Error) -> Vec<u8> {
        Reply::refusal(self.id, error)
    }
}

impl Request {
    /// A request from a line of the agent.
    pub fn of_agent(line: Vec<u8>) -> Self {
        Self {
            head: RequestHead::of_line(&line),
            line,
            asked: None,
            is_own: false,
        }
    }

    /// A request of the proxy itself. `number` tells it from others for the same action.
    pub fn own(mut params: Map<String, Value>, action: &str, number: usize) -> Self {
        let id = Value::from(format!("bgproc-{action}-{number}"));
        params.insert("id".to_owned(), id.clone());
        params.insert("action".to_owned(), action.into());
        Self {
            line: format!("{}\n", Value::Object(params)).into_bytes(),
            head: Some(RequestHead {
                id,
                action: action.to_owned(),
                is_repeatable: false,
                changes: false,
            }),
            asked: None,
            is_own: true,
        }
    }

    /// A request of the proxy that cancels one of the agent.
    pub fn cancel(id: &RequestId) -> Self {
        let params = Map::from_iter([("requestId".to_owned(), id.clone())]);
        Self::own(params, "cancel", 0)
    }

    /// Whether it requests `action`.
    pub fn is(&self, action: &str) -> bool {
        self.head.as_ref().is_some_and(|head| head.action == action)
    }

    /// Its parameters.
    pub fn params(&self) -> Map<String, Value> {
        serde_json::from_slice(bare(&self.line)).unwrap_or_default()
    }

    /// The line with which to send a request to the next daemon: its timeout is reduced by the time
    /// that has passed since it was first sent. `None` if the line need not change.
    pub fn again(&self, now: Instant) -> Option<Vec<u8>> {
        let waited = now.saturating_duration_since(self.asked?).as_millis();
        let waited = u64::try_from(waited).unwrap_or(u64::MAX);
        let mut params = self.params();
        let traits = ActionTraits::of(&self.head.as_ref()?.action)?;
        let (name, ms) = traits.time(&params)?;
        params.insert(name, ms.saturating_sub(waited).into());
        Some(format!("{}\n", Value::Object(params)).into_bytes())
    }
}

impl InFlight {
    /// Records that a request was sent.
    pub fn sent(&mut self, mut request: Request, now: Instant) {
        let Some(head) = &mut request.head else {
            return;
        };
        head.is_repeatable &= request.line.len() <= MAX_KEPT;
        // Keep the line of a subscription too: its parameters are needed when the answer arrives.
        let is_subscription = matches!(head.action.as_str(), "subscribe" | "unsubscribe");
        if !head.is_repeatable && !is_subscription {
            request.line = Vec::new();
        }
        request.asked.get_or_insert(now);
        self.requests.push(request);
    }

    /// Handles a line from the daemon. If it is a reply, removes its request.
    pub fn received(&mut self, line: &[u8]) -> Incoming {
        let Some(id) = reply_id(line) else {
            return Incoming::Other;
        };
        let has_id = |head: &RequestHead| head.id == id;
        // If two requests have the same id, the reply is taken as that to the older one.
        if let Some(place) = self.given_up.iter().position(|given_up| *given_up == id) {
            self.given_up.remove(place);
            return Incoming::Late;
        }
        let mut requests = self.requests.iter();
        match requests.position(|request| request.head.as_ref().is_some_and(has_id)) {
            Some(place) => Incoming::Answer(self.requests.remove(place)),
            None => Incoming::Other,
        }
    }

    /// Whether answers are pending.
    pub fn is_waiting(&self) -> bool {
        !self.requests.is_empty()
    }

    /// Gives up waiting for the agent's requests and returns them, oldest first. Subscriptions and watches
    /// stay, because a daemon that continues would still serve them.
    pub fn give_up(&mut self) -> Vec<RequestHead> {
        let lasting = ["subscribe", "unsubscribe", "watch", "unwatch"];
        let given_up = self.requests.extract_if(.., |request| {
            !request.is_own && !lasting.iter().any(|action| request.is(action))
        });
        let heads: Vec<RequestHead> = given_up.filter_map(|request| request.head).collect();
        self.given_up
            .extend(heads.iter().map(|head| head.id.clone()));
        heads
    }

    /// Returns all unanswered requests, oldest first, because the daemon is gone.
    pub fn abandon(&mut self) -> Vec<Request> {
        self.given_up.clear();
        std::mem::take(&mut self.requests)
    }
}

/// A line without surrounding white space and byte order mark.
fn bare(line: &[u8]) -> &[u8] {
    let line = line.trim_ascii();
    line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line)
}

/// The id of a reply; `None` for other lines. The daemon writes the id first, so that a long reply costs no
/// more than a short one; any other line is parsed as a whole.
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
    use std::time::Duration;

    use serde_json::json;

    use super::*;

    fn request(line: &str) -> Request {
        Request::of_agent(line.as_bytes().to_vec())
    }

    fn head(line: &str) -> RequestHead {
        request(line).head.unwrap()
    }

    #[test]
    fn a_head_has_the_id_and_the_traits_of_the_request() {
        let start = head("{\"command\":\"x\",\"id\":{\"a\":[1]},\"action\":\"start\"}\n");
        assert_eq!((&start.id, start.changes), (&json!({"a": [1]}), true));
        assert!(!start.is_repeatable);
        let wait = head(r#"{"id":"w","action":"wait"}"#);
        assert_eq!((&wait.id, wait.changes), (&json!("w"), false));
        assert!(wait.is_repeatable);
        // As in the daemon, the last of several equal fields wins.
        assert_eq!(head(r#"{"id":1,"id":2,"action":"poll"}"#).id, json!(2));
        assert_eq!(RequestHead::of_line(b" \r\n"), None);
    }

    #[test]
    fn a_key_makes_a_start_repeatable_and_from_seq_makes_a_subscription_unrepeatable() {
        for (line, repeatable, changes) in [
            (r#"{"action":"start","key":"k"}"#, true, true),
            (r#"{"action":"start","key":null}"#, false, true),
            (r#"{"action":"subscribe"}"#, true, false),
            (r#"{"action":"subscribe","fromSeq":0}"#, false, false),
            (r#"{"action":"kill"}"#, false, true),
            (r#"{"action":"export"}"#, true, false),
            (r#"{"action":"export","path":"x"}"#, true, true),
            (r#"{"action":"of_the_future"}"#, false, true),
        ] {
            let head = head(line);
            let found = (head.is_repeatable, head.changes);
            assert_eq!(found, (repeatable, changes), "{line}");
        }
    }

    #[test]
    fn garbage_is_answered_without_an_id_and_changes_nothing() {
        for line in ["nonsense", "[1]", "{\"id\":7", "{\"action\":5}"] {
            let head = head(line);
            assert_eq!((&head.id, head.changes), (&Value::Null, false), "{line}");
            assert!(!head.is_repeatable);
        }
    }

    #[test]
    fn a_line_that_is_too_long_is_answered_without_its_id() {
        let padded = |length: usize| {
            let mut line = r#"{"id":7,"action":"list"}"#.to_owned();
            line.push_str(&" ".repeat(length - line.len()));
            RequestHead::of_line(format!("{line}\n").as_bytes()).unwrap()
        };
        assert_eq!(padded(MAX_LINE).id, json!(7));
        assert_eq!(padded(MAX_LINE + 1).id, Value::Null);
    }

    #[test]
    fn only_unanswered_requests_are_abandoned() {
        let mut open = InFlight::default();
        for line in [
            r#"{"id":1,"action":"start"}"#,
            r#"{"id":1,"action":"poll"}"#,
            r#"{"id":"1","action":"kill"}"#,
            "\n",
        ] {
            open.sent(request(line), Instant::now());
        }
        let mut answered = |line: &str| match open.received(line.as_bytes()) {
            Incoming::Answer(request) => request.head.map(|head| head.action),
            Incoming::Late | Incoming::Other => None,
        };
        assert_eq!(answered("{\"event\":\"output\",\"id\":1}\n"), None);
        let reply = "{\"id\":1,\"ok\":true,\"result\":{}}\n";
        assert_eq!(answered(reply).as_deref(), Some("start"));
        let reply = "{\"ok\":false,\"id\":\"1\",\"error\":{}}\n";
        assert_eq!(answered(reply).as_deref(), Some("kill"));
        assert_eq!(answered("{\"id\":99,\"ok\":true}\n"), None);
        let mut left = open.abandon();
        assert_eq!(left.len(), 1);
        let poll = left.remove(0);
        assert_eq!(poll.line, br#"{"id":1,"action":"poll"}"#);
        let line: Value = serde_json::from_slice(&poll.head.unwrap().abandoned()).unwrap();
        assert_eq!(line["id"], json!(1));
        assert_eq!(line["error"]["code"], "daemon_unavailable");
        assert_eq!(line["error"]["data"]["mayHaveHappened"], json!(false));
    }

    #[test]
    fn an_abandoned_change_may_have_happened() {
        let line = head(r#"{"id":1,"action":"write"}"#).abandoned();
        let line: Value = serde_json::from_slice(&line).unwrap();
        assert_eq!(line["error"]["data"]["mayHaveHappened"], json!(true));
    }

    #[test]
    fn a_long_line_is_not_kept() {
        let mut open = InFlight::default();
        let long = format!(r#"{{"action":"log","grep":"{}"}}"#, "x".repeat(MAX_KEPT));
        open.sent(request(&long), Instant::now());
        let left = open.abandon().remove(0);
        assert!(left.line.is_empty() && !left.head.unwrap().is_repeatable);
    }

    #[test]
    fn the_timeout_is_reduced_by_the_time_since_the_first_sending() {
        let began = Instant::now();
        let again = |line: &str, waited: u64| {
            let mut open = InFlight::default();
            open.sent(request(line), began);
            // Sent a second time, and the daemon died again.
            let request = open.abandon().remove(0);
            open.sent(request, began + Duration::from_secs(1));
            let request = open.abandon().remove(0);
            let line = request.again(began + Duration::from_millis(waited))?;
            Some(serde_json::from_slice::<Value>(&line).unwrap())
        };
        let wait = again(r#"{"id":1,"action":"wait","timeoutMs":5000}"#, 1200).unwrap();
        assert_eq!(wait, json!({"id": 1, "action": "wait", "timeoutMs": 3800}));
        let wait = again(r#"{"id":1,"action":"wait"}"#, 1).unwrap();
        assert_eq!(wait["timeoutMs"], 9999);
        let wait = again(r#"{"id":1,"action":"wait","waitMs":5000}"#, 1200).unwrap();
        assert_eq!(wait, json!({"id": 1, "action": "wait", "waitMs": 3800}));
        let wait = again(r#"{"id":1,"action":"wait","timeout_ms":null}"#, 1).unwrap();
        assert_eq!(wait, json!({"id": 1, "action": "wait", "timeout_ms": 9999}));
        let start = again(r#"{"id":1,"action":"start","key":"k","yieldMs":60}"#, 20).unwrap();
        assert_eq!(start["yieldMs"], 40);
        assert_eq!(again(r#"{"id":1,"action":"poll"}"#, 1200), None);
        let poll = again(r#"{"id":1,"action":"poll","wait_ms":5}"#, 1200).unwrap();
        assert_eq!(poll["wait_ms"], 0);
        let ask = again(r#"{"id":1,"action":"ask_human","message":"x"}"#, 1000).unwrap();
        assert_eq!(ask["timeoutMs"], 299_000);
        assert_eq!(again(r#"{"id":1,"action":"log"}"#, 1200), None);
        assert_eq!(request(r#"{"id":1,"action":"wait"}"#).again(began), None);
    }
}

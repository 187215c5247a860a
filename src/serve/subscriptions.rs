//! The agent's subscriptions and watches, which are renewed with the next daemon.
//!
//! A subscription is renewed from the first event that the agent has not seen; events that it has seen are
//! dropped. The agent keeps using the id that the first daemon gave to the subscription. A renewed watch
//! begins with a whole screen.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::in_flight::Request;
use crate::protocol::traits::param;

/// Maximum number of event numbers that are remembered: as many as a daemon can replay.
const SEEN: usize = 10_000;

/// Subscriptions and watches.
#[derive(Debug, Default)]
pub struct Subscriptions {
    /// By the id that the agent knows.
    subscriptions: BTreeMap<String, Subscription>,
    /// Parameters of watches, by session.
    watches: BTreeMap<String, Map<String, Value>>,
    /// Numbers of the events that were passed on to the agent.
    seen: BTreeSet<u64>,
    /// Renewals in progress, by the id of their request. Until all are answered, events may arrive a second
    /// time.
    resuming: BTreeMap<String, Resumed>,
}

#[derive(Debug)]
struct Subscription {
    params: Map<String, Value>,
    /// Its id with the current daemon.
    name: String,
    /// The `nextSeq` of its reply: all events up to this number came before the reply.
    next_seq: u64,
}

#[derive(Debug)]
enum Resumed {
    Subscription(String),
    Watch(String),
    /// A subscription that the previous daemon did not answer.
    Anew,
}

impl Subscriptions {
    /// Whether there is no subscription and no watch.
    pub fn is_empty(&self) -> bool {
        self.subscriptions.is_empty() && self.watches.is_empty()
    }

    /// The requests to send to a new daemon before any others.
    pub fn resume(&mut self) -> Vec<Request> {
        self.resuming.clear();
        let mut requests = Vec::new();
        let last = self.seen.last().copied().unwrap_or_default();
        for (name, subscription) in &self.subscriptions {
            let mut params = subscription.params.clone();
            let from = subscription.next_seq.max(last) + 1;
            params.insert("fromSeq".to_owned(), from.into());
            let request = Request::own(params, "subscribe", requests.len());
            let resumed = Resumed::Subscription(name.clone());
            self.resuming.insert(key(&request), resumed);
            requests.push(request);
        }
        for (session, params) in &self.watches {
            let request = Request::own(params.clone(), "watch", requests.len());
            let resumed = Resumed::Watch(session.clone());
            self.resuming.insert(key(&request), resumed);
            requests.push(request);
        }
        requests
    }

    /// Called before a request of the agent is sent. Returns the line to send instead if the request names
    /// a subscription that has another id with the current daemon.
    pub fn translate(&mut self, request: &Request) -> Option<Vec<u8>> {
        if request.is("subscribe") && request.asked.is_some() {
            self.resuming.insert(key(request), Resumed::Anew);
        }
        if !request.is("unsubscribe") {
            return None;
        }
        let mut params = request.params();
        let known = self.subscriptions.get(&named(&params)?)?;
        params.remove("subscription_id");
        params.insert("subscriptionId".to_owned(), known.name.as_str().into());
        Some(format!("{}\n", Value::Object(params)).into_bytes())
    }

    /// Handles the reply to a request.
    pub fn answered(&mut self, request: &Request, reply: &[u8]) {
        let action = request.head.as_ref().map(|head| head.action.as_str());
        let Some(action @ ("subscribe" | "unsubscribe" | "watch" | "unwatch")) = action else {
            return;
        };
        let reply: Value = serde_json::from_slice(reply).unwrap_or_default();
        let done = reply["ok"] == true;
        let result = &reply["result"];
        let name = result["subscriptionId"].as_str().map(str::to_owned);
        let resumed = self.resuming.remove(&key(request));
        if request.is_own {
            return self.resumed(resumed, name, done);
        }
        let mut params = request.params();
        match (action, name) {
            _ if !done => {}
            ("subscribe", Some(name)) => {
                for word in ["id", "action", "fromSeq", "from_seq"] {
                    params.remove(word);
                }
                // Its labels may mean other sessions by the time of the renewal.
                if let Some(ids) = result.get("sessionIds") {
                    params.remove("session_ids");
                    params.insert("sessionIds".to_owned(), ids.clone());
                }
                let subscription = Subscription {
                    params,
                    name: name.clone(),
                    next_seq: result["nextSeq"].as_u64().unwrap_or_default(),
                };
                self.subscriptions.insert(name, subscription);
            }
            ("unsubscribe", _) => {
                if let Some(name) = named(&params) {
                    self.subscriptions.remove(&name);
                }
            }
            _ => {
                let session = param(&params, "sessionId");
                let session = session.and_then(Value::as_str).map(str::to_owned);
                match (action, session) {
                    ("watch", Some(session)) => self.watches.insert(session, params),
                    ("unwatch", Some(session)) => self.watches.remove(&session),
                    _ => None,
                };
            }
        }
    }

    fn resumed(&mut self, what: Option<Resumed>, name: Option<String>, done: bool) {
        match (what, name) {
            (Some(Resumed::Subscription(known)), Some(name)) => {
                if let Some(subscription) = self.subscriptions.get_mut(&known) {
                    subscription.name = name;
                }
            }
            (Some(Resumed::Subscription(known)), None) => {
                self.subscriptions.remove(&known);
            }
            // The session is gone.
            (Some(Resumed::Watch(session)), _) if !done => {
                self.watches.remove(&session);
            }
            _ => {}
        }
    }

    /// Whether to pass on a line that is not a reply. Drops an event that the agent has seen while renewals
    /// are in progress, because those may bring it again.
    pub fn shows(&mut self, line: &[u8]) -> bool {
        let Some(seq) = seq(line) else {
            return true;
        };
        let is_new = self.seen.insert(seq);
        if self.seen.len() > SEEN {
            self.seen.pop_first();
        }
        is_new || self.resuming.is_empty()
    }
}

/// The key of a request in `resuming`: its id.
fn key(request: &Request) -> String {
    let id = request.head.as_ref().map(|head| head.id.to_string());
    id.unwrap_or_default()
}

/// The subscription id in the parameters of an `unsubscribe`.
fn named(params: &Map<String, Value>) -> Option<String> {
    let name = param(params, "subscriptionId")?;
    name.as_str().map(str::to_owned)
}

/// The sequence number of an event; `None` if it has none. The daemon writes it right after the kind, so
/// that frames of a screen, which have none, cost nothing to check.
fn seq(line: &[u8]) -> Option<u64> {
    #[derive(serde::Deserialize)]
    struct Numbered {
        event: String,
        seq: Option<u64>,
    }
    if let Some(rest) = line.strip_prefix(br#"{"event":""#) {
        let kind = rest.iter().position(|&byte| byte == b'"')?;
        let rest = rest[kind..].strip_prefix(br#"","seq":"#)?;
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit());
        return std::str::from_utf8(&rest[..digits.count()])
            .ok()?
            .parse()
            .ok();
    }
    let numbered: Numbered = serde_json::from_slice(line).ok()?;
    numbered.seq.filter(|_| !numbered.event.is_empty())
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::time::Instant;

    use serde_json::json;

    use super::*;

    fn agent(value: Value) -> Request {
        Request::of_agent(format!("{value}\n").into_bytes())
    }

    fn line(value: Value) -> Vec<u8> {
        value.to_string().into_bytes()
    }

    fn subscribed(subscriptions: &mut Subscriptions, request: Value, name: &str, next_seq: u64) {
        let result = json!({"subscriptionId": name, "nextSeq": next_seq});
        let reply = line(json!({"id": 1, "ok": true, "result": result}));
        subscriptions.answered(&agent(request), &reply);
    }

    fn event(seq: u64) -> Vec<u8> {
        format!("{{\"event\":\"exited\",\"seq\":{seq},\"at\":\"x\"}}\n").into_bytes()
    }

    fn params(requests: &[Request]) -> Vec<Value> {
        let params = requests.iter().map(Request::params).map(Value::Object);
        params.collect()
    }

    #[test]
    fn subscriptions_are_renewed_after_the_last_seen_event() {
        let mut subscriptions = Subscriptions::default();
        let request = json!({"id": 1, "action": "subscribe", "events": ["exited"], "fromSeq": 2});
        subscribed(&mut subscriptions, request, "s1", 7);
        let watch = json!({"id": 2, "action": "watch", "sessionId": "x", "maxFps": 5});
        subscriptions.answered(
            &agent(watch),
            &line(json!({"id": 2, "ok": true, "result": {}})),
        );
        let again = params(&subscriptions.resume());
        let expected = [
            json!({"id": "bgproc-subscribe-0", "action": "subscribe", "events": ["exited"], "fromSeq": 8}),
            json!({"id": "bgproc-watch-1", "action": "watch", "sessionId": "x", "maxFps": 5}),
        ];
        assert_eq!(again, expected);
        assert!(subscriptions.shows(&event(12)));
        assert_eq!(params(&subscriptions.resume())[0]["fromSeq"], 13);
    }

    #[test]
    fn seen_events_are_dropped_until_all_renewals_are_answered() {
        let mut subscriptions = Subscriptions::default();
        subscribed(&mut subscriptions, json!({"action": "subscribe"}), "s1", 0);
        assert!(subscriptions.shows(&event(3)));
        // The agent may request a replay.
        assert!(subscriptions.shows(&event(3)));
        let own = subscriptions.resume();
        assert!(!subscriptions.shows(&event(3)));
        assert!(subscriptions.shows(&event(4)));
        assert!(!subscriptions.shows(&event(4)));
        assert!(subscriptions.shows(b"{\"event\":\"screen\",\"data\":{}}\n"));
        let result = json!({"subscriptionId": "s9"});
        subscriptions.answered(&own[0], &line(json!({"ok": true, "result": result})));
        assert!(subscriptions.shows(&event(4)));
    }

    #[test]
    fn a_subscription_keeps_its_id_for_the_agent() {
        let mut subscriptions = Subscriptions::default();
        subscribed(&mut subscriptions, json!({"action": "subscribe"}), "s1", 0);
        let own = subscriptions.resume();
        let result = json!({"subscriptionId": "s9"});
        subscriptions.answered(&own[0], &line(json!({"ok": true, "result": result})));
        let end = agent(json!({"id": 5, "action": "unsubscribe", "subscription_id": "s1"}));
        let sent: Value = serde_json::from_slice(&subscriptions.translate(&end).unwrap()).unwrap();
        let expected = json!({"id": 5, "action": "unsubscribe", "subscriptionId": "s9"});
        assert_eq!(sent, expected);
        subscriptions.answered(&end, &line(json!({"ok": true, "result": {}})));
        assert!(subscriptions.is_empty());
        assert_eq!(subscriptions.translate(&end), None);
    }

    #[test]
    fn what_the_next_daemon_refuses_is_removed() {
        let mut subscriptions = Subscriptions::default();
        subscribed(&mut subscriptions, json!({"action": "subscribe"}), "s1", 0);
        let watch = agent(json!({"action": "watch", "sessionId": "x"}));
        subscriptions.answered(&watch, &line(json!({"ok": true})));
        for own in subscriptions.resume() {
            subscriptions.answered(&own, &line(json!({"ok": false})));
        }
        assert!(subscriptions.is_empty() && subscriptions.resuming.is_empty());
    }

    #[test]
    fn an_unanswered_subscription_is_sent_again_without_duplicate_events() {
        let mut subscriptions = Subscriptions::default();
        let mut request = agent(json!({"id": 1, "action": "subscribe"}));
        assert_eq!(subscriptions.translate(&request), None);
        assert!(subscriptions.shows(&event(3)));
        request.asked = Some(Instant::now());
        subscriptions.resume();
        assert_eq!(subscriptions.translate(&request), None);
        assert!(!subscriptions.shows(&event(3)));
        let result = json!({"subscriptionId": "s1", "nextSeq": 3});
        subscriptions.answered(&request, &line(json!({"ok": true, "result": result})));
        assert!(subscriptions.shows(&event(3)));
    }

    #[test]
    fn finds_the_number_anywhere_in_the_line() {
        assert_eq!(seq(&event(812)), Some(812));
        assert_eq!(
            seq(br#"{"data":{"seq":1},"event":"exited","seq":7}"#),
            Some(7)
        );
        assert_eq!(seq(br#"{"event":"output","data":{"seq":1}}"#), None);
        assert_eq!(seq(br#"{"id":1,"ok":true}"#), None);
    }
}

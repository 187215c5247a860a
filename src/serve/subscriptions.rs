//! What the agent has asked to be told, so that the next daemon tells it, too.
//!
//! A subscription is asked for again from the first event that the agent has not
//! seen; what it has seen comes to nothing. The agent goes on naming it as the
//! daemon did that it first asked. A watch is asked for again and begins with a
//! whole screen.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Map, Value};

use super::in_flight::Request;

/// Numbers of events that are remembered: as many as a daemon can replay.
const SEEN: usize = 10_000;

/// Subscriptions and watches.
#[derive(Debug, Default)]
pub struct Subscriptions {
    /// By the name that the agent knows.
    subscriptions: BTreeMap<String, Subscription>,
    /// By session.
    watches: BTreeMap<String, Map<String, Value>>,
    /// Events that the agent was shown.
    seen: BTreeSet<u64>,
    /// What is being resumed, by the id of its request: until all is answered,
    /// events may come a second time.
    resuming: BTreeMap<String, Resumed>,
}

#[derive(Debug)]
struct Subscription {
    params: Map<String, Value>,
    /// Its name with the present daemon.
    name: String,
    /// Everything up to this event came before it was answered.
    next_seq: u64,
}

#[derive(Debug)]
enum Resumed {
    Subscription(String),
    Watch(String),
    /// A subscription that the daemon before did not answer.
    Anew,
}

impl Subscriptions {
    /// Whether there is nothing to be told.
    pub fn is_empty(&self) -> bool {
        self.subscriptions.is_empty() && self.watches.is_empty()
    }

    /// What to ask a new daemon for, before anything else.
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

    /// A request of the agent is about to be sent; returns the line to send
    /// instead, if it names a subscription that has another name by now.
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

    /// A request was answered by `reply`.
    pub fn answered(&mut self, request: &Request, reply: &[u8]) {
        let action = request.ticket.as_ref().map(|ticket| ticket.action.as_str());
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
                let session = params.get("sessionId").or(params.get("session_id"));
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
            // Its session is gone.
            (Some(Resumed::Watch(session)), _) if !done => {
                self.watches.remove(&session);
            }
            _ => {}
        }
    }

    /// Whether the agent is shown a line that is no reply: not an event that it
    /// has seen, which a subscription that is being resumed may bring again.
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

/// What a request is known by.
fn key(request: &Request) -> String {
    let id = request.ticket.as_ref().map(|ticket| ticket.id.to_string());
    id.unwrap_or_default()
}

/// The subscription that an `unsubscribe` is about.
fn named(params: &Map<String, Value>) -> Option<String> {
    let name = params
        .get("subscriptionId")
        .or(params.get("subscription_id"));
    name?.as_str().map(str::to_owned)
}

/// The number of an event. The daemon writes it behind the kind, so that the
/// frames of a screen, which have none, cost nothing to look at.
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

    fn subscribed(standing: &mut Subscriptions, request: Value, name: &str, next_seq: u64) {
        let result = json!({"subscriptionId": name, "nextSeq": next_seq});
        let reply = line(json!({"id": 1, "ok": true, "result": result}));
        standing.answered(&agent(request), &reply);
    }

    fn event(seq: u64) -> Vec<u8> {
        format!("{{\"event\":\"exited\",\"seq\":{seq},\"at\":\"x\"}}\n").into_bytes()
    }

    fn params(requests: &[Request]) -> Vec<Value> {
        let params = requests.iter().map(Request::params).map(Value::Object);
        params.collect()
    }

    #[test]
    fn the_next_daemon_is_asked_for_what_comes_after_what_was_seen() {
        let mut standing = Subscriptions::default();
        let request = json!({"id": 1, "action": "subscribe", "events": ["exited"], "fromSeq": 2});
        subscribed(&mut standing, request, "s1", 7);
        let watch = json!({"id": 2, "action": "watch", "sessionId": "x", "maxFps": 5});
        standing.answered(
            &agent(watch),
            &line(json!({"id": 2, "ok": true, "result": {}})),
        );
        let again = params(&standing.resume());
        let expected = [
            json!({"id": "bgproc-resumes-0", "action": "subscribe", "events": ["exited"], "fromSeq": 8}),
            json!({"id": "bgproc-resumes-1", "action": "watch", "sessionId": "x", "maxFps": 5}),
        ];
        assert_eq!(again, expected);
        assert!(standing.shows(&event(12)));
        assert_eq!(params(&standing.resume())[0]["fromSeq"], 13);
    }

    #[test]
    fn what_was_seen_is_not_shown_again_until_all_is_resumed() {
        let mut standing = Subscriptions::default();
        subscribed(&mut standing, json!({"action": "subscribe"}), "s1", 0);
        assert!(standing.shows(&event(3)));
        // The agent may ask to see it again.
        assert!(standing.shows(&event(3)));
        let own = standing.resume();
        assert!(!standing.shows(&event(3)));
        assert!(standing.shows(&event(4)));
        assert!(!standing.shows(&event(4)));
        assert!(standing.shows(b"{\"event\":\"screen\",\"data\":{}}\n"));
        let result = json!({"subscriptionId": "s9"});
        standing.answered(&own[0], &line(json!({"ok": true, "result": result})));
        assert!(standing.shows(&event(4)));
    }

    #[test]
    fn a_subscription_keeps_its_name_for_the_agent() {
        let mut standing = Subscriptions::default();
        subscribed(&mut standing, json!({"action": "subscribe"}), "s1", 0);
        let own = standing.resume();
        let result = json!({"subscriptionId": "s9"});
        standing.answered(&own[0], &line(json!({"ok": true, "result": result})));
        let end = agent(json!({"id": 5, "action": "unsubscribe", "subscription_id": "s1"}));
        let sent: Value = serde_json::from_slice(&standing.translate(&end).unwrap()).unwrap();
        let expected = json!({"id": 5, "action": "unsubscribe", "subscriptionId": "s9"});
        assert_eq!(sent, expected);
        standing.answered(&end, &line(json!({"ok": true, "result": {}})));
        assert!(standing.is_empty());
        assert_eq!(standing.translate(&end), None);
    }

    #[test]
    fn what_the_next_daemon_refuses_does_not_stand_any_more() {
        let mut standing = Subscriptions::default();
        subscribed(&mut standing, json!({"action": "subscribe"}), "s1", 0);
        let watch = agent(json!({"action": "watch", "sessionId": "x"}));
        standing.answered(&watch, &line(json!({"ok": true})));
        for own in standing.resume() {
            standing.answered(&own, &line(json!({"ok": false})));
        }
        assert!(standing.is_empty() && standing.resuming.is_empty());
    }

    #[test]
    fn one_that_was_not_answered_is_asked_anew_and_shows_nothing_twice() {
        let mut standing = Subscriptions::default();
        let mut request = agent(json!({"id": 1, "action": "subscribe"}));
        assert_eq!(standing.translate(&request), None);
        assert!(standing.shows(&event(3)));
        request.asked = Some(Instant::now());
        standing.resume();
        assert_eq!(standing.translate(&request), None);
        assert!(!standing.shows(&event(3)));
        let result = json!({"subscriptionId": "s1", "nextSeq": 3});
        standing.answered(&request, &line(json!({"ok": true, "result": result})));
        assert!(standing.shows(&event(3)));
    }

    #[test]
    fn the_number_is_found_wherever_it_stands() {
        assert_eq!(seq(&event(812)), Some(812));
        assert_eq!(
            seq(br#"{"data":{"seq":1},"event":"exited","seq":7}"#),
            Some(7)
        );
        assert_eq!(seq(br#"{"event":"output","data":{"seq":1}}"#), None);
        assert_eq!(seq(br#"{"id":1,"ok":true}"#), None);
    }
}

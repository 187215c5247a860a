//! The schema holds for what is really said, and the guide for agents says what can be said.

use bgproc::protocol::{ErrorCode, Request};
use jsonschema::Validator;
use serde_json::{Value, json};

use crate::support::{Home, Serve};

/// The schema as the program prints it, and a validator for any of its definitions.
struct Schema(Value);

impl Schema {
    fn new(home: &Home) -> Self {
        Self(serde_json::from_str(&home.ok(&["schema"])).unwrap())
    }

    fn of(&self, name: &str) -> Validator {
        let defs = &self.0["$defs"];
        assert!(defs[name].is_object(), "there is no {name}");
        let schema = json!({ "$ref": format!("#/$defs/{name}"), "$defs": defs });
        jsonschema::validator_for(&schema).unwrap()
    }

    #[track_caller]
    fn holds(&self, name: &str, value: &Value) {
        let schema = self.of(name);
        let errors: Vec<String> = schema
            .iter_errors(value)
            .map(|error| error.to_string())
            .collect();
        assert!(errors.is_empty(), "{name}: {value}\n{errors:#?}");
    }
}

/// An agent whose every word is held against the schema.
struct Careful<'a> {
    schema: &'a Schema,
    serve: Serve,
}

impl Careful<'_> {
    /// Asks, and returns the result.
    #[track_caller]
    fn ok(&mut self, request: Value) -> Value {
        let action = request["action"].as_str().unwrap().to_owned();
        self.schema.holds(&format!("{action}.request"), &request);
        let reply = self.serve.call(request);
        self.schema.holds("Reply", &reply);
        assert_eq!(reply["ok"], true, "{reply}");
        self.schema
            .holds(&format!("{action}.result"), &reply["result"]);
        reply["result"].clone()
    }

    /// Asks for what is refused.
    #[track_caller]
    fn refused(&mut self, request: Value) {
        let reply = self.serve.call(request);
        self.schema.holds("Reply", &reply);
        assert_eq!(reply["ok"], false, "{reply}");
    }
}

#[test]
fn what_is_said_fits_the_schema() {
    let home = Home::new();
    let schema = Schema::new(&home);
    let mut agent = Careful {
        serve: Serve::new(&home, &["--scope", "schema"]),
        schema: &schema,
    };
    schema.holds("Hello", &agent.serve.hello);
    let subscribed = agent.ok(json!({"action": "subscribe"}));
    let start = json!({"action": "start", "command": "cat", "background": true, "label": "cat", "group": "g"});
    let started = agent.ok(start);
    let id = started["sessionId"].as_str().unwrap().to_owned();
    let with = |action: &str, more: Value| {
        let mut request = json!({"action": action, "sessionId": id});
        request
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        request
    };
    let wait = json!({"until": [{"pattern": "hello"}], "timeoutMs": 10_000});
    agent.ok(with(
        "write",
        json!({"data": "hello", "newline": true, "wait": wait}),
    ));
    agent.ok(with(
        "send_keys",
        json!({"keys": ["a", {"text": "b"}, "Enter"]}),
    ));
    agent.ok(with(
        "wait",
        json!({"until": [{"pattern": "^ab"}], "since": "c0"}),
    ));
    agent.ok(json!({"action": "wait", "group": "g", "timeoutMs": 1}));
    agent.ok(with("poll", json!({"since": null})));
    for more in [
        json!({}),
        json!({"lines": 2}),
        json!({"grep": "hello", "context": 1}),
        json!({"stream": "input", "tail": 2}),
    ] {
        agent.ok(with("log", more));
    }
    for format in ["text", "ansi", "html", "svg", "json"] {
        agent.ok(with("capture", json!({"format": format, "scrollback": 1})));
    }
    for format in ["asciicast", "text", "html", "raw"] {
        agent.ok(with("export", json!({"format": format})));
    }
    agent.ok(with("watch", json!({})));
    schema.holds("screen.event", &agent.serve.event("screen"));
    agent.ok(with("unwatch", json!({})));
    agent.ok(with("resize", json!({"rows": 10, "cols": 30})));
    agent.ok(with("signal", json!({"signal": "WINCH"})));
    agent.ok(with("set", json!({"label": "other"})));
    agent.ok(with("status", json!({"detail": true})));
    agent.ok(json!({"action": "list", "includeOutput": true}));
    agent.ok(json!({"action": "stats"}));
    agent.ok(with("clear", json!({})));
    agent.ok(with("kill", json!({"signal": "KILL"})));
    agent.ok(with("restart", json!({})));
    agent.ok(json!({"action": "kill", "sessionIds": [id]}));
    agent.refused(json!({"action": "poll", "sessionId": "nobody"}));
    agent.refused(json!({"action": "pol"}));
    agent.refused(with("write", json!({"data": "x"})));
    let events = agent.ok(json!({"action": "events", "afterSeq": 0}));
    let told = events["events"].as_array().unwrap();
    for kind in ["started", "exited", "restarted"] {
        assert!(
            told.iter().any(|event| event["event"] == kind),
            "{kind}: {events}"
        );
    }
    for event in told {
        schema.holds("Event", event);
    }
    schema.holds("exited.event", &agent.serve.event("exited"));
    agent.ok(json!({"action": "unsubscribe", "subscriptionId": subscribed["subscriptionId"]}));
    agent.ok(with("remove", json!({})));
}

#[test]
fn the_schema_is_printed_whole_and_in_parts_without_a_daemon() {
    let home = Home::new();
    let part = |name: &str| -> Value { serde_json::from_str(&home.ok(&["schema", name])).unwrap() };
    assert_eq!(part("requests")["$ref"], "#/$defs/Request");
    assert!(part("replies")["$defs"]["Captured"].is_object());
    assert!(part("events")["$defs"]["start.request"].is_null());
    home.run(&["schema", "lunch"]).expect_code(2);
    assert!(crate::support::process::of_home(home.path()).is_empty());
}

#[test]
fn the_guide_for_agents_says_what_can_be_said() {
    let home = Home::new();
    let guide = home.ok(&["help", "agent-guide"]);
    assert!(guide.lines().count() <= 120, "one page");
    let mut requests = 0;
    for line in guide.lines() {
        if let Some(request) = line.strip_prefix("> ") {
            requests += 1;
            match Request::parse(request.as_bytes()) {
                Ok(_) => {}
                // What the protocol has and this version has not.
                Err((_, error)) => {
                    assert_eq!(error.code, ErrorCode::Unsupported, "{request}: {error}")
                }
            }
        } else if let Some(reply) = line.strip_prefix("< ") {
            let reply: Value = serde_json::from_str(reply).unwrap();
            assert_eq!(reply["ok"], true, "{line}");
        }
    }
    assert!(requests > 15, "{requests}");
}

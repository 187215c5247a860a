//! The schema of the requests tells the truth: what it accepts is accepted, and what it refuses is
//! refused. Requests are generated from the schema, with values at and beyond the bounds and with
//! pairs of parameters, and sent to a daemon. Not among them are a number as text and one value in place of a
//! list, which the daemon takes and no program should send.

use jsonschema::Validator;
use serde_json::{Map, Value, json};

use crate::support::job::Job;
use crate::support::{Home, Serve};

/// An id that no session has.
const NOBODY: &str = "nobody000000";

/// Actions whose refusals depend on more than the request, or that end the daemon.
const LEFT_OUT: &[&str] = &["cancel", "unsubscribe", "shutdown"];

/// Values of parameters that are more than a number, a word or a flag. Those that fit come first.
fn examples(name: &str) -> Option<Vec<Value>> {
    let until = json!([
        [], [{"exit": true}], [{"port": 1}], [{"port": 65_535}], [{"idleMs": 5.0}],
        [{"exit": true, "port": null}], [{"input": true}],
        [{"ready": false}], [{"input": false}], [{}], [{"port": 0}], [{"port": 65_536}], [{"exit": true, "pattern": "x"}], [{"exit": 1}], [5],
    ]);
    let list = match name {
        "until" | "fail" => until,
        "wait" => json!([
            {}, {"timeoutMs": 1_800_000}, {"maxChars": 262_144}, {"since": "new"}, {"view": "screen"},
            {"until": [{"input": true}]}, true,
            {"timeoutMs": 1_800_001}, {"maxChars": 262_145}, {"since": "x"}, {"until": [{}]}, {"x": 1},
        ]),
        "ready" => json!([
            {"pattern": "x"}, {"port": 1}, {"port": 1, "pattern": null}, {"pattern": "x", "timeoutMs": 1},
            {}, {"port": 0}, {"pattern": "x", "port": 1}, {"pattern": "x", "timeoutMs": 0},
            {"pattern": "x", "timeoutMs": 86_400_001},
        ]),
        "limits" => json!([
            {}, {"nice": 19}, {"logBytes": 65_536}, {"openFiles": 100.0},
            {"nice": 20}, {"logBytes": 65_535}, {"cpuSec": 0}, {"openFiles": 2}, {"x": 1},
        ]),
        "restart" => {
            json!([{}, {"policy": "never", "maxRetries": 4_294_967_295_u32}, {"policy": "x"}])
        }
        "sinceTime" | "atTime" => json!(["2026-11-21T20:00:00.123Z"]),
        "since" => json!(["c0", "new", 5, "x", ""]),
        "signal" => json!(["TERM", 1, 64, 0, 65]),
        "data" => json!(["YWJj"]),
        "cwd" => json!(["/tmp"]),
        "env" => json!([{"A_B": "c", "D": null}, {"A": 1, "B": 0.5, "C": true}, {"A": ["b"]}]),
        "keys" => json!([
            ["a", {"text": "b"}], [{"click": {"row": 0, "col": 5.0, "button": "right", "count": 3}}],
            [{"scroll": {"row": 0, "col": 0, "lines": -1000}}],
            [5], [{"click": {"row": 0}}], [{"click": {"row": 0, "col": 0, "count": 4}}],
            [{"scroll": {"row": 0, "col": 0, "lines": 1001}}],
            [{"scroll": {"row": 0, "col": 0, "lines": -32768}}], [{"click": {"row": -1, "col": 0}}],
        ]),
        "args" => json!([[], ["x"], 5]),
        "ports" => json!([[3000], [], [65_536], ["x"]]),
        "command" | "onExit" => json!(["true"]),
        "sessionIds" => json!([[NOBODY], []]),
        "message" => json!(["m", "x".repeat(2000), "x".repeat(2001), " "]),
        _ => return None,
    };
    Some(list.as_array().unwrap().clone())
}

/// Values for a parameter with this schema: first one that fits, then others that do or do not.
fn values(name: &str, schema: &Value, all: &Value) -> Vec<Value> {
    if let Some(examples) = examples(name) {
        return examples;
    }
    if let Some(target) = schema["$ref"].as_str() {
        return values(name, &all[target.trim_start_matches("#/$defs/")], all);
    }
    if let Some(any) = schema["anyOf"].as_array() {
        return values(name, &any[0], all);
    }
    let words = schema["enum"].as_array().cloned();
    let consts = schema["oneOf"].as_array().map(|each| {
        let consts = each.iter().map(|one| one["const"].clone());
        consts.collect::<Vec<_>>()
    });
    if let Some(mut words) = words.or(consts) {
        words.extend([json!("nonsense"), json!(5)]);
        return words;
    }
    let is = |kind: &str| {
        let kinds = &schema["type"];
        *kinds == kind
            || kinds
                .as_array()
                .is_some_and(|kinds| kinds.contains(&json!(kind)))
    };
    if is("boolean") {
        return vec![json!(true), json!(false), json!("x"), json!(1)];
    }
    if is("integer") {
        let (least, most) = (&schema["minimum"], &schema["maximum"]);
        let least = least
            .as_i64()
            .unwrap_or_else(|| panic!("{name} has no minimum"));
        let most = most
            .as_u64()
            .unwrap_or_else(|| panic!("{name} has no maximum"));
        #[allow(clippy::cast_precision_loss)]
        let fraction = least as f64;
        let mut values = vec![json!(least), json!(most), json!(fraction)];
        values.extend([json!(least - 1), json!(fraction + 0.5), json!("five")]);
        values.push(most.checked_add(1).map_or(json!(1e30), Value::from));
        return values;
    }
    if is("array") {
        let item = values(name, &schema["items"], all).remove(0);
        vec![json!([item]), json!([]), json!(5), json!([[]])]
    } else {
        vec![json!("x"), json!(5)]
    }
}

/// Requests of an action: each parameter alone with all its values, and all pairs of parameters.
fn requests(action: &str, schema: &Value, all: &Value) -> Vec<Map<String, Value>> {
    let properties = schema["properties"].as_object().unwrap();
    let params: Vec<(&String, Vec<Value>)> = properties
        .iter()
        .filter(|(name, _)| !["id", "action"].contains(&name.as_str()))
        .map(|(name, schema)| (name, values(name, schema, all)))
        .collect();
    let mut base = Map::new();
    base.insert("action".to_owned(), json!(action));
    for (name, values) in &params {
        if schema["required"]
            .as_array()
            .unwrap()
            .contains(&json!(name))
        {
            base.insert((*name).clone(), values[0].clone());
        }
    }
    let with = |more: &[(&String, &Value)]| {
        let mut request = base.clone();
        for (name, value) in more {
            request.insert((*name).clone(), (*value).clone());
        }
        request
    };
    let mut list = vec![with(&[]), with(&[(&"nonsense".to_owned(), &json!(1))])];
    for (place, (name, values)) in params.iter().enumerate() {
        list.extend(values.iter().map(|value| with(&[(name, value)])));
        list.push(with(&[(name, &Value::Null)]));
        for (other, others) in &params[..place] {
            list.push(with(&[(name, &values[0]), (other, &others[0])]));
            list.push(with(&[(name, &values[0]), (other, &Value::Null)]));
        }
    }
    // The actions on one session, several, or a group.
    if properties.contains_key("sessionIds") && properties.contains_key("group") {
        let one = json!(NOBODY);
        let more: Vec<_> = list
            .iter()
            .cloned()
            .map(|mut request| {
                request.insert("sessionId".to_owned(), one.clone());
                request
            })
            .collect();
        list.extend(more);
    }
    list
}

/// Whether a request would wait for long, or would start something that does.
fn takes_long(request: &Map<String, Value>) -> bool {
    let is_big = |name: &str| {
        request
            .get(name)
            .and_then(Value::as_f64)
            .is_some_and(|n| n > 0.0)
    };
    // It acknowledges all events, so that later requests wait for new ones.
    let acknowledges = is_big("ack") || request.get("news") == Some(&json!(true));
    request["action"] == "events" && (is_big("waitMs") && is_big("afterSeq") || acknowledges)
}

#[test]
fn what_the_schema_accepts_is_accepted_and_what_it_refuses_is_refused() {
    let home = Home::new();
    let schema: Value = serde_json::from_str(&home.ok(&["schema", "requests"])).unwrap();
    let all = &schema["$defs"];
    let valid: Validator = jsonschema::validator_for(&schema).unwrap();
    let mut serve = Serve::new(&home, &["--max-sessions", "200"]);
    let job = Job::start(&mut serve, "exec sleep 1000");
    let (mut accepted, mut refused, mut wrong) = (0, 0, Vec::new());
    for any in all["Request"]["oneOf"].as_array().unwrap() {
        let name = any["$ref"].as_str().unwrap().trim_start_matches("#/$defs/");
        let action = name.trim_end_matches(".request");
        if LEFT_OUT.contains(&action) {
            continue;
        }
        for mut request in requests(action, &all[name], all) {
            if takes_long(&request) {
                continue;
            }
            let fits = valid.is_valid(&Value::Object(request.clone()));
            // What is refused names a session that exists, so that this is not why it is refused.
            let id = if fits { NOBODY } else { &job.id };
            if request.get("sessionId").is_some_and(Value::is_string) {
                request.insert("sessionId".to_owned(), json!(id));
            }
            // A key that an earlier request has used stands for its command.
            if request.get("key").is_some_and(Value::is_string) {
                request.insert("key".to_owned(), json!(format!("key-{accepted}-{refused}")));
            }
            let request = Value::Object(request);
            let reply = serve.call(request.clone());
            let code = reply["error"]["code"].as_str().unwrap_or_default();
            // Who asks may be refused before what is asked.
            let is_denied = !fits && code == "permission_denied";
            let is_refused = ["invalid_params", "invalid_request"].contains(&code);
            if (is_refused || is_denied) == fits {
                wrong.push(format!("fits: {fits}, {request}: {}", reply["error"]));
            }
            accepted += u32::from(fits);
            refused += u32::from(!fits);
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differences:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(accepted > 500 && refused > 200, "{accepted} {refused}");
}

//! The names of sessions on both sides of a link: `ID` on the host, `ID@HOST` here.

use serde_json::{Map, Value, json};

use crate::protocol::{Error, SessionId, split_host};

/// Fields of results and events that hold ids of sessions.
const IDS: [&str; 5] = ["sessionId", "sessionIds", "unread", "running", "waiting"];

/// Changes the ids in what a host has said: they become `ID@HOST`. Records get `host` and `seenAt`.
pub(crate) fn from_host(value: &mut Value, host: &str) {
    match value {
        Value::Array(items) => items.iter_mut().for_each(|item| from_host(item, host)),
        Value::Object(fields) => {
            for (name, field) in fields.iter_mut() {
                if IDS.contains(&name.as_str()) {
                    mark(field, host)
                } else {
                    from_host(field, host)
                }
            }
            // Only records have both.
            if fields.contains_key("sessionId") && fields.contains_key("createdAt") {
                fields.insert("host".to_owned(), json!(host));
                fields.insert("seenAt".to_owned(), Value::Null);
            }
        }
        _ => {}
    }
}

/// Changes the ids in an error that a host has answered with: in its data, and behind the word "session" in its message.
pub(crate) fn error_from_host(mut error: Error, host: &str) -> Error {
    if let Some(data) = &mut error.data {
        from_host(data, host);
    }
    let mut is_id = false;
    let words = error.message.split(' ').map(|word| {
        let there = SessionId::parse(word).filter(|_| is_id);
        is_id = word.eq_ignore_ascii_case("session");
        let there = there.and_then(|id| id.at(host));
        there.map_or_else(|| word.to_owned(), |id| id.to_string())
    });
    error.message = words.collect::<Vec<String>>().join(" ");
    error
}

fn mark(value: &mut Value, host: &str) {
    match value {
        Value::String(id) => {
            if let Some(there) = SessionId::parse(id).and_then(|id| id.at(host)) {
                *id = there.as_str().to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| mark(item, host)),
        other => from_host(other, host),
    }
}

/// Changes the names of sessions in a request for a host: `NAME@HOST` becomes `NAME`.
pub(crate) fn to_host(fields: &mut Map<String, Value>, host: &str) {
    for name in ["sessionId", "sessionIds", "group", "after"] {
        if let Some(field) = fields.get_mut(name) {
            unmark(field, host);
        }
    }
    fields.remove("host");
}

fn unmark(value: &mut Value, host: &str) {
    match value {
        Value::String(name) => {
            if let Some((bare, at)) = split_host(name)
                && at == host
            {
                *name = bare.to_owned();
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| unmark(item, host)),
        Value::Object(fields) => {
            if let Some(id) = fields.get_mut("sessionId") {
                unmark(id, host);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_a_host_names_its_session_as_it_is_named_here() {
        let id = "0123456789ab";
        let error = Error::internal(format!("Session {id} is not {id}"));
        let error = error_from_host(error.data(json!({ "sessionId": id })), "gpu1");
        assert_eq!(error.message, format!("Session {id}@gpu1 is not {id}"));
        assert_eq!(
            error.data,
            Some(json!({ "sessionId": format!("{id}@gpu1") }))
        );
        // The link to a node is no host, and its session has the same id here.
        let error = error_from_host(Error::internal(format!("session {id} ends")), "Slurm job 7");
        assert_eq!(error.message, format!("session {id} ends"));
    }

    #[test]
    fn ids_get_and_lose_the_host() {
        let id = "0123456789ab";
        let mut said = json!({"sessions": [{"sessionId": id, "status": "running", "createdAt": "t",
                "label": id, "waiting": {"after": [{"sessionId": id}]}}],
            "queues": [{"running": [id], "waiting": []}], "text": id});
        from_host(&mut said, "gpu1");
        let there = format!("{id}@gpu1");
        let expected = json!({"sessions": [{"sessionId": there, "status": "running", "createdAt": "t",
                "label": id, "host": "gpu1", "seenAt": null,
                "waiting": {"after": [{"sessionId": there}]}}],
            "queues": [{"running": [there], "waiting": []}], "text": id});
        assert_eq!(said, expected);
        let mut asked = json!({"sessionId": "a@b@gpu1", "sessionIds": [there, "web"], "host": "gpu1",
            "after": [{"sessionId": there, "until": "ended"}], "input": "x@gpu1"});
        to_host(asked.as_object_mut().unwrap(), "gpu1");
        let expected = json!({"sessionId": "a@b", "sessionIds": [id, "web"],
            "after": [{"sessionId": id, "until": "ended"}], "input": "x@gpu1"});
        assert_eq!(asked, expected);
    }
}

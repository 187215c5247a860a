//! Notifications of `bgproc mcp` that a resource has changed.

use serde_json::json;

use crate::support::{Home, Mcp};

#[test]
fn a_client_that_subscribes_is_notified_of_changes() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    assert_eq!(mcp.info["capabilities"]["resources"]["subscribe"], true);
    let start = json!({ "command": "sed -u s/^/got-/", "background": true });
    let id = mcp.call("start", start)["sessionId"].clone();
    let uri = format!("bgproc://session/{}/log", id.as_str().unwrap());
    mcp.request("resources/subscribe", json!({ "uri": uri }));
    for line in ["one", "two"] {
        mcp.call(
            "write",
            json!({ "sessionId": id, "data": line, "submit": true }),
        );
        let changed = mcp.notification("notifications/resources/updated");
        assert_eq!(changed["uri"], uri);
        let read = mcp.request("resources/read", json!({ "uri": uri }));
        assert!(read.to_string().contains(line), "{read}");
    }
    mcp.request("resources/unsubscribe", json!({ "uri": uri }));
    mcp.call(
        "write",
        json!({ "sessionId": id, "data": "three", "submit": true }),
    );
    mcp.call("kill", json!({ "sessionId": id }));
    let rest = mcp.hang_up();
    let late = |message: &serde_json::Value| message["method"] == "notifications/resources/updated";
    assert!(!rest.iter().any(late), "{rest:?}");
}

#[test]
fn who_subscribes_twice_is_notified_once() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    let start = json!({ "command": "sleep 1000", "background": true });
    let id = mcp.call("start", start)["sessionId"].clone();
    let uri = format!("bgproc://session/{}/log", id.as_str().unwrap());
    for _ in 0..2 {
        mcp.request("resources/subscribe", json!({ "uri": uri }));
    }
    // It has written nothing, so its end is the only change.
    mcp.call("kill", json!({ "sessionId": id }));
    let changed = mcp.notification("notifications/resources/updated");
    assert_eq!(changed["uri"], uri);
    mcp.request("resources/read", json!({ "uri": uri }));
    let rest = mcp.hang_up();
    let again =
        |message: &serde_json::Value| message["method"] == "notifications/resources/updated";
    assert!(!rest.iter().any(again), "{rest:?}");
}

#[test]
fn what_is_no_resource_cannot_be_subscribed_to() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "own", &[]);
    for uri in ["file:///etc/passwd", "bgproc://session/aaaaaaaaaaaa/log"] {
        let id = mcp.send("resources/subscribe", json!({ "uri": uri }));
        assert!(mcp.reply(id)["error"]["code"].is_number(), "{uri}");
    }
}

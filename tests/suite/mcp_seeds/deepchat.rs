//! What DeepChat's documents say of `execute_command` and `process`.

use serde_json::{Value, json};

use crate::support::{Home, Mcp};

fn run(mcp: &mut Mcp, command: &str) -> Value {
    mcp.call(
        "execute_command",
        json!({ "command": command, "description": "a test" }),
    )
}

fn of(session: &Value, action: &str) -> Value {
    json!({ "action": action, "sessionId": session["sessionId"] })
}

fn listed(mcp: &mut Mcp) -> Value {
    mcp.call("process", json!({ "action": "list" }))["sessions"][0].take()
}

#[test]
fn the_path_of_offloaded_output_is_in_every_reply() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "deepchat", &[]);
    let ran = run(&mut mcp, "seq 1 5000");
    let path = ran["outputFilePath"].as_str().unwrap();
    let written: String = (1..=5000).map(|n| format!("{n}\n")).collect();
    assert_eq!(std::fs::read_to_string(path).unwrap(), written);
    for action in ["poll", "log"] {
        let reply = mcp.call("process", of(&ran, action));
        assert_eq!(
            (&reply["offloaded"], &reply["outputFilePath"]),
            (&json!(true), &json!(path)),
            "{action}"
        );
    }
    let meta = listed(&mut mcp);
    assert_eq!(
        (&meta["offloaded"], &meta["outputFilePath"]),
        (&json!(true), &json!(path))
    );
    let short = run(&mut mcp, "echo short");
    for reply in [
        short.clone(),
        mcp.call("process", of(&short, "poll")),
        mcp.call("process", of(&short, "log")),
    ] {
        assert!(
            reply["offloaded"].is_null() && reply["outputFilePath"].is_null(),
            "{reply}"
        );
    }
}

#[test]
fn pages_of_the_log_split_no_character_and_name_the_next() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "deepchat", &[]);
    let text = "aé€🦀z".repeat(3);
    let ran = run(&mut mcp, &format!("printf %s '{text}'"));
    for limit in 1..=12 {
        let mut page = of(&ran, "log");
        page["limit"] = limit.into();
        // By the offset that each page names, and by the limit alone, as the original is paged.
        for by_limit in [false, true] {
            let (mut read, mut offset) = (String::new(), 0);
            while offset < text.len() as u64 {
                page["offset"] = offset.into();
                let reply = mcp.call("process", page.clone());
                assert_eq!(reply["totalLength"], text.len());
                let output = reply["output"].as_str().unwrap();
                assert!(
                    !output.contains(char::REPLACEMENT_CHARACTER),
                    "{page}: {reply}"
                );
                read.push_str(output);
                offset = if by_limit && limit > 3 {
                    offset + limit
                } else {
                    reply["nextOffset"].as_u64().unwrap()
                };
            }
            assert_eq!(read, text, "limit {limit}, by limit {by_limit}");
        }
    }
}

#[test]
fn after_clear_lengths_and_offsets_start_at_zero() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "deepchat", &[]);
    let command = "seq 1 5000; read x; echo again; read x";
    let started = mcp.call(
        "execute_command",
        json!({ "command": command, "description": "a test", "background": true, "yieldMs": 500 }),
    );
    mcp.until("process", &of(&started, "log"), |log| {
        log["totalLength"] == 23_893
    });
    mcp.call("process", of(&started, "clear"));
    let (log, meta) = (mcp.call("process", of(&started, "log")), listed(&mut mcp));
    let lengths = (
        &log["totalLength"],
        &log["nextOffset"],
        &meta["outputLength"],
    );
    assert_eq!(lengths, (&json!(0), &json!(0), &json!(0)));
    assert_eq!(
        (&meta["offloaded"], &log["offloaded"]),
        (&json!(false), &Value::Null)
    );
    assert!(mcp.call("process", of(&started, "poll"))["offloaded"].is_null());
    let mut write = of(&started, "write");
    write["data"] = "go\n".into();
    mcp.call("process", write);
    let log = mcp.until("process", &of(&started, "log"), |log| {
        log["totalLength"] == 6
    });
    assert_eq!(
        (&log["output"], &log["offset"], &log["nextOffset"]),
        (&json!("again\n"), &json!(0), &json!(6))
    );
    let mut rest = of(&started, "log");
    rest["offset"] = 2.into();
    assert_eq!(mcp.call("process", rest)["output"], "ain\n");
    assert_eq!(listed(&mut mcp)["outputLength"], 6);
}

#[test]
fn a_long_yield_is_no_error() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "deepchat", &[]);
    let long = json!({ "command": "echo hi", "description": "a test", "yieldMs": 1_800_000 });
    assert_eq!(mcp.call("execute_command", long)["output"], "hi\n");
}

#[test]
fn a_list_does_not_count_as_access() {
    let home = Home::new();
    let mut mcp = Mcp::new(&home, "deepchat", &[]);
    run(&mut mcp, "echo hi");
    let before = listed(&mut mcp)["lastAccessedAt"].clone();
    std::thread::sleep(std::time::Duration::from_millis(20));
    assert_eq!(listed(&mut mcp)["lastAccessedAt"], before);
}

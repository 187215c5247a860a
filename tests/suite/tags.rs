//! Tags of jobs: given, taken away, and as targets.

use serde_json::json;

use crate::support::{Home, Serve, Terminal};

#[test]
fn tags_are_given_and_select_jobs() {
    let home = Home::new();
    home.start(&[
        "-n",
        "web",
        "--tag",
        "slow",
        "--tag",
        "front",
        "exec sleep 1000",
    ]);
    home.start(&["-n", "api", "exec sleep 1000"]);
    home.start(&["-n", "db", "exec sleep 1000"]);
    home.ok(&["tag", "api", "+slow", "back"]);
    assert_eq!(
        home.json(&["status", "api"])["tags"],
        json!(["back", "slow"])
    );
    assert_eq!(
        home.ok(&["tag", "+slow"]),
        "web  +front +slow\napi  +back +slow\n"
    );
    let ids = home.ok(&["ls", "-q", "--tag", "+slow"]);
    assert_eq!(ids.lines().count(), 2, "{ids}");
    let wide = home.ok(&["ls", "-w", "-o", "table"]);
    assert!(
        wide.contains("TAGS") && wide.contains("front,slow"),
        "{wide}"
    );
    assert!(home.ok(&["status", "web"]).contains("tags  +front +slow"));
    home.ok(&["tag", "+slow", "-slow", "+fast"]);
    assert_eq!(
        home.json(&["status", "web"])["tags"],
        json!(["fast", "front"])
    );
    home.ok(&["tag", "web", "--remove", "front"]);
    home.ok(&["stop", "+fast"]);
    assert_eq!(home.json(&["status", "db"])["status"], "running");
    home.run(&["status", "api"]).expect_code(3);
    let miss = home.run(&["stop", "+fas"]).expect_code(4);
    assert!(miss.stderr.contains("did you mean `+fast`?"), "{miss}");
    for wrong in [
        &["tag", "web", "a b/c"][..],
        &["tag", "web", "+x", "-x"],
        &["run", "--tag", "g:x", "true"],
    ] {
        home.run(wrong).expect_code(2);
    }
    let mut view = Terminal::dashboard(&home, (120, 40), "● db");
    view.send("/+fast");
    view.wait_for("only tagged jobs", |screen| {
        let text = screen.rows_text(true).join("\n");
        text.contains("web") && !text.contains("● db")
    });
    view.send("\x1b");
    view.wait_for_text("● db");
}

#[test]
fn agents_give_and_filter_by_tags() {
    let home = Home::new();
    let mut agent = Serve::new(&home, &[]);
    let start = json!({"action": "start", "command": "exec sleep 1000", "background": true, "tags": ["b", "a", "b"]});
    let id = agent.ok(start)["sessionId"].clone();
    let listed = agent.ok(json!({"action": "list", "tag": "a"}));
    assert_eq!(listed["sessions"][0]["tags"], json!(["a", "b"]), "{listed}");
    let set =
        json!({"action": "set", "sessionId": id, "addTags": ["c"], "removeTags": ["a", "never"]});
    assert_eq!(agent.ok(set)["tags"], json!(["b", "c"]));
    let listed = agent.ok(json!({"action": "list", "tag": "a"}));
    assert_eq!(listed["sessions"], json!([]), "{listed}");
    for tags in [json!(["a/b"]), json!([""]), json!(["g:x"])] {
        let set = json!({"action": "set", "sessionId": id, "addTags": tags});
        agent.err(set, "invalid_params");
    }
    let many: Vec<String> = (0..40).map(|n| format!("t{n}")).collect();
    let set = json!({"action": "set", "sessionId": id, "addTags": many});
    agent.err(set, "invalid_params");
}

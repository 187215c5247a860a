//! `ask_human` as a form in the client of an agent.

use serde_json::{Value, json};

use crate::support::{Home, Mcp, Person};

/// Asks about a session.
fn question(session: &Value) -> Value {
    json!({ "action": "ask_human", "sessionId": session, "message": "May I deploy?" })
}

/// Asks, without waiting for the answer. Returns the number of the call.
fn ask(mcp: &mut Mcp, question: Value) -> u64 {
    let params = json!({ "name": "session", "arguments": question });
    mcp.send("tools/call", params)
}

/// The text of the reply to a call.
fn outcome(mcp: &mut Mcp, call: u64) -> String {
    let reply = mcp.reply(call);
    let text = reply["result"]["content"][0]["text"].as_str();
    text.unwrap_or_else(|| panic!("{reply}")).to_owned()
}

/// Starts a job that asks for a line, and returns its id.
fn asking(mcp: &mut Mcp) -> Value {
    let command = "read -p 'Continue? [y/N] ' a; echo got $a; exec cat";
    let text = mcp.text("start", json!({ "command": command, "label": "deploy" }));
    assert!(text.contains("Continue?"), "{text}");
    id(mcp, "deploy")
}

/// The id of the session with this label.
fn id(mcp: &mut Mcp, label: &str) -> Value {
    let status = json!({ "action": "status", "sessionId": label });
    let text = mcp.text("session", status);
    let id = text
        .lines()
        .find_map(|line| line.strip_prefix("sessionId: "));
    json!(id.unwrap_or_else(|| panic!("{text}")))
}

#[test]
fn a_form_in_the_client_is_typed_into_the_session() {
    let home = Home::new();
    let mut mcp = Mcp::with_forms(&home, &[]);
    let session = asking(&mut mcp);
    let call = ask(&mut mcp, question(&session));
    let form = mcp.asked("elicitation/create");
    let shown = &form["params"];
    assert_eq!(
        shown["message"],
        "May I deploy?\n\nJob deploy: Continue? [y/N]"
    );
    let field = &shown["requestedSchema"]["properties"]["answer"];
    assert_eq!(field["type"], "string", "{form}");
    // It is open in the dashboard as well.
    let mut person = Person::new(&home);
    let status = person.ok(json!({ "action": "status", "sessionId": session }));
    assert_eq!(status["asked"][0]["message"], "May I deploy?", "{status}");
    mcp.answer(
        &form,
        json!({ "action": "accept", "content": { "answer": "yes" } }),
    );
    let text = outcome(&mut mcp, call);
    assert!(text.starts_with("answered"), "{text}");
    assert!(text.contains("got yes"), "{text}");
    let status = person.ok(json!({ "action": "status", "sessionId": session }));
    assert_eq!(status["asked"], json!([]), "{status}");
}

#[test]
fn a_form_that_is_accepted_empty_is_enter() {
    let home = Home::new();
    let mut mcp = Mcp::with_forms(&home, &[]);
    let session = asking(&mut mcp);
    let call = ask(&mut mcp, question(&session));
    let form = mcp.asked("elicitation/create");
    mcp.answer(&form, json!({ "action": "accept", "content": {} }));
    let text = outcome(&mut mcp, call);
    assert!(text.starts_with("answered"), "{text}");
    assert!(text.ends_with("\ngot\n"), "{text:?}");
}

#[test]
fn who_types_in_the_dashboard_first_closes_the_form() {
    let home = Home::new();
    let mut mcp = Mcp::with_forms(&home, &[]);
    let session = asking(&mut mcp);
    let call = ask(&mut mcp, question(&session));
    let form = mcp.asked("elicitation/create");
    Person::new(&home).types(session.as_str().unwrap(), "no\r");
    let text = outcome(&mut mcp, call);
    assert!(text.starts_with("answered"), "{text}");
    assert!(text.contains("got no"), "{text}");
    let cancelled = mcp.notification("notifications/cancelled");
    assert_eq!(cancelled["requestId"], form["id"]);
    // So does an agent that gives up.
    let call = ask(&mut mcp, question(&session));
    let form = mcp.asked("elicitation/create");
    mcp.cancel(call);
    let cancelled = mcp.notification("notifications/cancelled");
    assert_eq!(cancelled["requestId"], form["id"]);
}

#[test]
fn declined_is_declined_and_dismissed_leaves_it_to_the_dashboard() {
    let home = Home::new();
    let mut mcp = Mcp::with_forms(&home, &[]);
    let session = asking(&mut mcp);
    let call = ask(&mut mcp, question(&session));
    let form = mcp.asked("elicitation/create");
    mcp.answer(&form, json!({ "action": "decline" }));
    assert_eq!(outcome(&mut mcp, call), "declined");
    let call = ask(&mut mcp, question(&session));
    let form = mcp.asked("elicitation/create");
    mcp.answer(&form, json!({ "action": "cancel" }));
    let mut person = Person::new(&home);
    person.types(session.as_str().unwrap(), "later\r");
    let text = outcome(&mut mcp, call);
    assert!(text.starts_with("answered"), "{text}");
}

#[test]
fn a_secret_is_never_asked_for_in_a_form() {
    let home = Home::new();
    let mut mcp = Mcp::with_forms(&home, &[]);
    let command = "read -s -p 'Password: ' a; echo; echo long ${#a}; exec cat";
    mcp.text("start", json!({ "command": command, "label": "login" }));
    let session = id(&mut mcp, "login");
    let call = ask(&mut mcp, question(&session));
    let form = mcp.asked("elicitation/create");
    assert_eq!(
        form["params"]["requestedSchema"]["properties"],
        json!({}),
        "{form}"
    );
    let message = form["params"]["message"].as_str().unwrap();
    assert!(message.ends_with("bgproc attach login"), "{message}");
    // What a client sends against the form is not typed.
    mcp.answer(&form, json!({ "action": "accept", "content": {} }));
    Person::new(&home).types(session.as_str().unwrap(), "hunter2\r");
    let text = outcome(&mut mcp, call);
    assert!(text.starts_with("answered"), "{text}");
    assert!(
        text.contains("long 7") && !text.contains("hunter2"),
        "{text}"
    );
}

#[test]
fn without_forms_only_the_dashboard_asks() {
    let home = Home::new();
    let mut clients = [
        Mcp::with_forms(&home, &["--no-elicitation", "--scope", "a"]),
        Mcp::model(&home, &["--scope", "b"]),
    ];
    for mcp in &mut clients {
        let session = asking(mcp);
        let mut arguments = question(&session);
        arguments["timeoutMs"] = json!(1);
        let call = ask(mcp, arguments);
        let text = outcome(mcp, call);
        assert!(text.starts_with("timeout"), "{text}");
        let forms = mcp.hang_up();
        assert!(
            !forms
                .iter()
                .any(|message| message["method"] == "elicitation/create")
        );
    }
}

#[test]
fn a_wrong_question_is_refused_before_a_form_is_shown() {
    let home = Home::new();
    let mut mcp = Mcp::with_forms(&home, &[]);
    let session = asking(&mut mcp);
    let mut empty = question(&session);
    empty["message"] = json!(" ");
    assert!(mcp.fails("session", empty).contains("[invalid_params]"));
    let said = mcp.fails("session", question(&json!("nosuch")));
    assert!(said.contains("[session_not_found]"), "{said}");
    let nobody = json!({ "action": "ask_human", "message": "May I?" });
    let said = mcp.fails("session", nobody);
    assert!(
        said.starts_with("`ask_human` needs the parameter `sessionId`"),
        "{said}"
    );
}

#[test]
fn an_answer_that_no_program_waits_for_is_told_to_the_agent() {
    let home = Home::new();
    let mut mcp = Mcp::with_forms(&home, &[]);
    let start = json!({ "command": "exec sleep 100", "label": "deploy", "background": true });
    mcp.text("start", start);
    let session = id(&mut mcp, "deploy");
    let call = ask(&mut mcp, question(&session));
    let form = mcp.asked("elicitation/create");
    let field = &form["params"]["requestedSchema"]["properties"]["answer"];
    let about = field["description"].as_str().unwrap();
    assert!(about.starts_with("Told to the agent"), "{form}");
    mcp.answer(
        &form,
        json!({ "action": "accept", "content": { "answer": "yes" } }),
    );
    let text = outcome(&mut mcp, call);
    assert!(
        text.contains("was not typed") && text.ends_with("\nyes"),
        "{text}"
    );
    let mut asked = question(&session);
    asked["waitMs"] = json!(1);
    let call = ask(&mut mcp, asked);
    let text = outcome(&mut mcp, call);
    assert!(text.starts_with("timeout"), "{text}");
}

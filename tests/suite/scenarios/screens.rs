//! Programs that draw the whole screen.

use serde_json::json;

use super::{Model, has};
use crate::support::Home;
use crate::support::needs::have;

#[test]
fn a_dialogue_is_answered_by_what_is_highlighted() {
    if !have("python3") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let menu = "import curses\n\
        def main(s):\n\
        \x20 curses.curs_set(0); at = 0\n\
        \x20 while True:\n\
        \x20   for i, t in enumerate(['red', 'green', 'blue']):\n\
        \x20     s.addstr(i + 1, 2, t, curses.A_REVERSE if i == at else 0)\n\
        \x20   s.refresh(); k = s.getch()\n\
        \x20   if k == 10: return at\n\
        \x20   at += k == curses.KEY_DOWN\n\
        print('chosen', curses.wrapper(main))\n";
    let script = home.path().join("menu.py");
    std::fs::write(&script, menu).unwrap();
    let (id, text) = model.start(&format!("python3 {}", script.display()));
    has(&text, &["screen:", "highlighted row 1: red"]);
    let text = model.press(&id, json!(["Down"]));
    has(&text, &["highlighted row 2: green"]);
    let text = model.press(&id, json!(["Enter"]));
    has(&text, &["done (exit 0)", "chosen 1"]);
    model.cost(3, 420);
}

#[test]
fn a_menu_of_whiptail_takes_two_calls() {
    if !have("whiptail") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let menu = "whiptail --title Deploy --menu 'Where to?' 15 50 3 \
                test 'the test server' staging 'as the real one' live 'the real one'";
    let (id, text) = model.start(menu);
    has(&text, &["waits for keys", "screen:", "highlighted row"]);
    has(&text, &[": test    the test server", "<Cancel>"]);
    let text = model.press(&id, json!(["Down", "Enter"]));
    has(&text, &["done (exit 0)", "\nstaging"]);
    model.cost(2, 1900);
}

#[test]
fn a_checklist_of_dialog_takes_two_calls() {
    if !have("dialog") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let list = "dialog --checklist 'Which parts?' 12 50 3 \
                web 'the pages' off api 'the interface' off db 'the data' on";
    let start = json!({ "command": list, "env": {"DIALOGRC": null, "DIALOGOPTS": null} });
    let text = model.call("start", start);
    has(&text, &["waits for keys", "screen:", "[ ] web  the pages"]);
    has(&text, &["highlighted row", ": <  OK  >"]);
    let id = text.split(' ').next().unwrap();
    let text = model.press(id, json!(["Space", "Down", "Space", "Enter"]));
    has(&text, &["done (exit 0)", "web api db"]);
    model.cost(2, 2200);
}

#[test]
fn top_is_looked_at_and_ended() {
    if !have("top") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let start = json!({ "command": "top -o PID", "rows": 20, "cols": 100 });
    let text = model.call("start", start);
    has(&text, &["waits for keys", "screen:\ntop - ", "PID USER"]);
    let id = text.split(' ').next().unwrap();
    has(&model.press(id, json!(["q"])), &["done (exit 0)"]);
    model.cost(2, 2300);
}

#[test]
fn a_line_is_found_in_less() {
    if !have("less") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let lines: String = (1..=100_000).map(|n| format!("line {n}\n")).collect();
    std::fs::write(home.scratch("long"), lines).unwrap();
    let command = format!("less {}", home.scratch("long").display());
    let env = json!({ "LESS": null, "LESSOPEN": null, "LESSKEY": null });
    let start = json!({ "command": command, "env": env, "rows": 20 });
    let text = model.call("start", start);
    has(&text, &["waits for keys", "screen:\nline 1\n"]);
    let id = text.split(' ').next().unwrap();
    let text = model.press(id, json!([{"text": "/line 54321"}, "Enter"]));
    has(
        &text,
        &["screen:\nline 54321\n", "highlighted row 0: line 54321"],
    );
    let text = model.press(id, json!(["q"]));
    has(&text, &["done (exit 0)", "(nothing new)"]);
    model.cost(3, 800);
}

#[test]
fn a_file_is_edited_in_vim() {
    if !have("vim") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let file = home.scratch("note");
    std::fs::write(&file, "colour\ngrey\n").unwrap();
    let command = format!("vim -N -n -u NONE {}", file.display());
    let text = model.call("start", json!({ "command": command, "rows": 20 }));
    has(&text, &["waits for keys", "screen:\ncolour\ngrey\n~\n"]);
    let id = text.split(' ').next().unwrap();
    let edit = json!([{"text": ":%s/grey/gray/"}, "Enter", {"text": "Gogreen"}, "Escape"]);
    has(
        &model.press(id, edit),
        &["screen:\ncolour\ngray\ngreen\n~\n"],
    );
    // A screen that has not changed costs nothing.
    let news = json!({ "sessionId": id, "since": "new" });
    let idle = model.mcp.text("poll", news);
    assert!(idle.ends_with("\n(nothing new)"), "{idle}");
    let text = model.press(id, json!([{"text": ":wq"}, "Enter"]));
    has(&text, &["done (exit 0)"]);
    assert_eq!(
        std::fs::read_to_string(&file).unwrap(),
        "colour\ngray\ngreen\n"
    );
    model.cost(3, 500);
}

#[test]
fn a_line_of_text_ends_with_enter_for_a_program_that_reads_keys() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let until = json!([{"pattern": "up"}]);
    let start = json!({"command": "stty raw -echo; echo up; exec cat -v", "until": until});
    let text = model.call("start", start);
    let id = text.split(' ').next().unwrap();
    let keys = json!([{"text": "one\ntwo"}]);
    has(&model.press(id, keys), &["one^Mtwo"]);
    let write = |data: &str| json!({"sessionId": id, "data": data});
    let text = model.call("write", write("three\n"));
    has(&text, &["warning: the newline was sent as ^J"]);
    let text = model.call("write", write("four"));
    assert!(!text.contains("warning"), "{text}");
}

#[test]
fn a_key_that_is_not_waited_for_is_no_reason_to_warn() {
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let start = json!({ "command": "sleep 100", "background": true });
    let text = model.call("start", start);
    let id = text.split(' ').next().unwrap();
    let key = json!({ "sessionId": id, "data": "j\n", "waitMs": 0 });
    let text = model.call("write", key);
    let expected = "2 bytes typed, not all read yet; running";
    assert!(text.starts_with(expected), "{text}");
    model.call("kill", json!({ "sessionId": id }));
}

#[test]
fn a_key_in_an_editor_costs_only_the_rows_that_it_changes() {
    if !have("vim") {
        return;
    }
    let home = Home::new();
    let mut model = Model::new(&home, &[]);
    let file = home.scratch("text");
    let lines: String = (1..=60)
        .map(|n| format!("this is line {n} of a text that has many lines\n"))
        .collect();
    std::fs::write(&file, lines).unwrap();
    let command = format!("vim -N -n -u NONE {}", file.display());
    let start = json!({ "command": command, "rows": 24, "cols": 80 });
    let text = model.call("start", start);
    has(&text, &["waits for keys", "screen:\nthis is line 1 of"]);
    let id = text.split(' ').next().unwrap();
    let text = model.press(id, json!(["j", "x"]));
    has(
        &text,
        &[
            "screen, changed rows:\n",
            "row 1: his is line 2 of",
            "[cursor row 1 col 0",
            "other rows as before",
        ],
    );
    assert!(!text.contains("line 1 of"), "{text}");
    let text = model.call("capture", json!({ "sessionId": id }));
    has(&text, &["this is line 1 of", "his is line 2 of"]);
    let text = model.press(id, json!(["u"]));
    has(&text, &["screen:\nthis is line 1 of"]);
    model.press(id, json!([{"text": ":q!"}, "Enter"]));
}

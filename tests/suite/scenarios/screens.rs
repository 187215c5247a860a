//! Programs that draw the whole screen.

use serde_json::json;

use super::{Model, has};
use crate::support::Home;

#[test]
fn a_dialogue_is_answered_by_what_is_highlighted() {
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
    let text = model.call("send_keys", json!({ "sessionId": id, "keys": ["Down"] }));
    has(&text, &["highlighted row 2: green"]);
    let text = model.call("send_keys", json!({ "sessionId": id, "keys": ["Enter"] }));
    has(&text, &["done (exit 0)", "chosen 1"]);
    model.cost(3, 700);
}

//! Tests of rebound keys.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{ended, id, shop_records};
use crate::config::{Rebinding, Spelt, Spot};
use crate::protocol::Status;
use crate::tui::keymap::rebind::rebind;
use crate::tui::message::{Cmd, LinkEvent, RequestKind};
use crate::tui::modes::CONTEXTS;
use crate::tui::options::Options;
use crate::tui::scrollback::Part;

/// A view with lines of `[keys.CONTEXT]`: context, action, keys.
fn bound(lines: &[(&str, &str, &[&str])]) -> Dash {
    let at = Spot { line: 1, column: 1 };
    let spelt = |word: &str| Spelt {
        word: word.to_owned(),
        at,
    };
    let lines: Vec<Rebinding> = lines
        .iter()
        .map(|(place, action, keys)| Rebinding {
            place: spelt(place),
            action: spelt(action),
            keys: keys.iter().map(|key| spelt(key)).collect(),
        })
        .collect();
    let leave_keys = vec!["ctrl-]".to_owned()];
    let options = Options {
        keys: rebind(&CONTEXTS, &lines, &leave_keys).0,
        leave_keys,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("j").screen("web", 40, 120, "hello");
    dash.asked();
    dash
}

#[test]
fn stop_and_yes_use_their_rebound_keys() {
    let mut dash = bound(&[("normal", "stop", &["ctrl-x"]), ("confirm", "yes", &["J"])]);
    assert!(dash.text().contains("ctrl-x stop"), "{}", dash.text());
    dash.press("x");
    assert!(
        dash.text().contains("No command on \"x\""),
        "{}",
        dash.text()
    );
    dash.press("\x18");
    assert!(
        dash.status().contains("STOP") && dash.status().contains("J yes"),
        "{}",
        dash.status()
    );
    dash.press("y");
    assert_eq!(dash.actions(), Vec::<&str>::new());
    dash.press("\x18J");
    assert!(
        matches!(&dash.asked()[..], [Cmd::Request(RequestKind::Kill(to, _), _)] if *to == id("web"))
    );
}

#[test]
fn messages_and_help_name_the_rebound_keys() {
    let mut dash = bound(&[
        ("normal", "type", &["f5"]),
        ("normal", "quit", &[]),
        ("help", "close", &["f10"]),
    ]);
    dash.press("%");
    assert!(dash.text().contains("press f5."), "{}", dash.text());
    dash.press("q");
    assert!(
        dash.text().contains("No command on \"q\""),
        "{}",
        dash.text()
    );
    dash.press("?type into");
    assert!(dash.text().contains("f5"), "{}", dash.text());
    dash.press("\x1b");
    assert!(dash.status().starts_with(" HELP"), "{}", dash.status());
    dash.press("\x1b[21~");
    assert!(dash.status().starts_with(" NORMAL"), "{}", dash.status());
}

#[test]
fn picks_jobs_by_the_position_of_the_key() {
    let mut dash = bound(&[("normal", "pick", &["f1", "f2", "f3"])]);
    dash.press("\x1bOR");
    assert!(dash.status().contains("[3/8]"), "{}", dash.status());
}

#[test]
fn an_ended_job_restarts_with_the_displayed_key() {
    let mut dash = bound(&[("normal", "restart", &["f6"])]);
    dash.press("i");
    dash.record(&ended("web", Status::Error, Some(1), 0))
        .later(2000);
    dash.asked();
    assert!(dash.status().contains("f6 restart"), "{}", dash.status());
    dash.press("r");
    assert_eq!(dash.actions(), [""; 0]);
    dash.later(1500).press("\x1b[17~").press("y");
    assert_eq!(dash.actions(), ["restart"]);
}

#[test]
fn the_log_search_uses_the_keys_of_the_filter() {
    let mut dash = bound(&[("filter", "keep", &["f6"]), ("filter", "clear", &["f7"])]);
    dash.press("s")
        .log("web", Part::First, b"one\r\ntwo\r\n", 0)
        .press("/one");
    let text = dash.text();
    assert!(
        text.contains("f6 search") && text.contains("f7 cancel"),
        "{text}"
    );
    dash.press("\x1b[17~");
    let scroll = dash.model.pane.scroll.as_ref().unwrap();
    assert!(scroll.input.is_none() && scroll.search.is_some());
    dash.press("/two\x1b[18~");
    assert!(dash.model.pane.scroll.as_ref().unwrap().input.is_none());
}

#[test]
fn texts_name_the_rebound_keys() {
    let mut dash = bound(&[
        ("normal", "type-all", &["f6"]),
        ("normal", "mark", &["f7"]),
        ("scroll", "search", &["f8"]),
    ]);
    dash.press("\x1b[17~");
    assert!(dash.text().contains("f7 marks one"), "{}", dash.text());
    dash.press("sn");
    assert!(dash.text().contains("f8 searches"), "{}", dash.text());
}

#[test]
fn the_wheel_needs_no_key() {
    let keys: &[(&str, &str, &[&str])] = &[
        ("help", "scroll", &["f5"]),
        ("help", "up", &["f6"]),
        ("page", "line-down", &["f5"]),
        ("page", "line-up", &["f6"]),
        ("found", "down", &["f5"]),
        ("found", "up", &["f6"]),
    ];
    let (down, up) = ("\x1b[<65;5;5M", "\x1b[<64;5;5M");
    for opens in ["?", ":messages\r"] {
        let mut dash = bound(keys);
        for n in 0..50 {
            dash.model.note(format!("message {n}"));
        }
        dash.press(opens).later(60_000);
        let first = dash.text();
        dash.press(down);
        let below = dash.text();
        assert_ne!(first, below, "{opens}");
        // Beyond the end, there is nothing to scroll back from.
        for _ in 0..200 {
            dash.press(down);
        }
        let last = dash.text();
        dash.press(down).press(up);
        assert_ne!(dash.text(), last, "{opens}");
        for _ in 0..200 {
            dash.press(up);
        }
        dash.press(down);
        assert_eq!(dash.text(), below, "{opens}");
    }
    let mut dash = bound(keys);
    dash.press("Fer").later(200);
    let line = |n: u64| json!({"n": n, "offset": n, "text": "er", "before": [], "after": []});
    let lines: Vec<_> = (0..9).map(line).collect();
    let found = json!({"matches": lines, "firstLine": 1, "totalLines": 9, "truncated": false});
    let tag = RequestKind::Found(id("web"), 1);
    dash.link(LinkEvent::Reply(tag, Ok(found)));
    dash.press(down).press(down).press(up);
    assert!(dash.status().contains("[4/9]"), "{}", dash.status());
}

#[test]
fn messages_of_modes_name_their_rebound_keys() {
    let places: [(&str, &str, &str); 5] = [
        ("page", "close", "I%"),
        ("compare", "close", "=%"),
        ("scroll", "leave", "s%"),
        ("rewind", "back-to-text", "s<%"),
        ("palette", "cancel", ":"),
    ];
    for (place, action, opens) in places {
        let mut dash = bound(&[(place, action, &["f9"])]);
        dash.model.list.marked.extend([id("web"), id("api")]);
        dash.press(&opens[..1]);
        dash.log("web", Part::First, b"one\r\n", 0);
        dash.press(&opens[1..]);
        let text = dash.text();
        assert!(!text.contains("Esc") && !text.contains("esc "), "{text}");
        let says = if place == "palette" {
            "   f9 "
        } else {
            "f9 goes back."
        };
        assert!(text.contains(says), "{place}: {text}");
    }
}

#[test]
fn forms_and_prompts_name_their_rebound_keys() {
    let mut dash = bound(&[
        ("prompt", "cancel", &["f9"]),
        ("line", "char-right", &["f5"]),
        ("palette", "run", &["f6"]),
        ("palette", "complete", &[]),
        ("normal", "help", &["f7"]),
        ("normal", "back", &["f8"]),
        ("help", "close", &["q", "f9"]),
    ]);
    dash.press("n").press("\r");
    assert!(
        dash.text().contains("f9 starts nothing."),
        "{}",
        dash.text()
    );
    dash.press("npm run w");
    assert!(dash.text().contains("f5 complete"), "{}", dash.text());
    dash.press("\x15\x1b[20~").press(":");
    let text = dash.text();
    assert!(text.contains(" f6 run   ctrl-y copy"), "{text}");
    dash.press("zzzz").press("\x1b[17~");
    assert!(
        dash.text().contains("f7 shows all keys."),
        "{}",
        dash.text()
    );
    dash.press("\x1b").press("\x1b[18~").press("zzzz");
    assert!(dash.text().contains("backspace, or f9."), "{}", dash.text());
    let mut dash = bound(&[("normal", "back", &["f8"])]);
    dash.press("Q").press("A");
    assert!(dash.status().contains("f8 stay"), "{}", dash.status());
}

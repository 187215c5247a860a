//! Tests of what covers a mode that reads: the palette, the keys, and text that was typed by mistake.

use super::harness::Dash;
use super::jobs::{id, shop_records};
use crate::protocol::EventKind;
use crate::tui::scrollback::Part;

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("2").later(2000);
    dash.asked();
    dash
}

/// The log of `web`, scrolled back.
fn scrolled(width: u16, height: u16) -> Dash {
    let mut dash = shop(width, height);
    let lines: String = (0..99).map(|line| format!("line {line}\n")).collect();
    dash.press("s").log("web", Part::First, lines.as_bytes(), 0);
    dash.press("g").later(2000);
    dash.asked();
    dash
}

/// Two logs compared.
fn compared() -> Dash {
    let mut dash = shop(100, 30);
    dash.press(" ").press("3").press(" ").press("=").later(2000);
    dash.asked();
    dash
}

fn mode(dash: &Dash) -> String {
    let status = dash.status();
    status
        .split_whitespace()
        .next()
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn the_palette_opens_over_every_mode_that_reads_and_comes_back() {
    for (mut dash, name) in [
        (scrolled(100, 30), "SCROLL"),
        (compared(), "COMPARE"),
        (shop(100, 30), "DETAILS"),
    ] {
        if name == "DETAILS" {
            dash.press("I").later(2000);
        }
        let before = dash.text();
        assert_eq!(mode(&dash), name);
        dash.press(":");
        assert_eq!(mode(&dash), "PROMPT", "{name}");
        dash.press("\x1b").later(50);
        assert_eq!(dash.text(), before);
        // A command ends the mode and acts in NORMAL.
        dash.press(":zoom\r");
        assert_eq!(mode(&dash), "NORMAL", "{name}");
        assert!(dash.model.frame.zoom, "{name}");
    }
}

#[test]
fn what_follows_a_colon_is_text_of_the_palette() {
    for key in ["s", "I"] {
        let mut dash = shop(100, 30);
        dash.press(key).later(2000);
        dash.asked();
        dash.types(120, ":quit");
        assert_eq!(mode(&dash), "PROMPT");
        assert_eq!(dash.typed("web"), "");
    }
}

#[test]
fn the_details_that_come_below_the_palette_are_kept() {
    let mut dash = shop(100, 40);
    dash.press("I:");
    let record = serde_json::json!(&shop_records()[0]);
    let kind = crate::tui::message::RequestKind::Details(id("web"));
    dash.link(crate::tui::message::LinkEvent::Reply(kind, Ok(record)));
    dash.press("\x1b").later(50);
    assert!(!dash.text().contains("reading"), "{}", dash.text());
    assert_eq!(mode(&dash), "DETAILS");
}

#[test]
fn the_keys_of_a_mode_that_reads_come_first_and_lead_back() {
    let mut dash = scrolled(100, 30);
    let before = dash.text();
    dash.press("?");
    assert_eq!(mode(&dash), "HELP");
    assert!(
        dash.text().starts_with(" SCROLL: back through the log"),
        "{}",
        dash.text()
    );
    dash.press("?").later(50);
    assert_eq!(dash.text(), before);
    let mut dash = compared();
    dash.press("?");
    assert!(dash.text().starts_with(" COMPARE: "), "{}", dash.text());
    dash.press("q");
    assert_eq!(mode(&dash), "COMPARE");
}

#[test]
fn a_covered_mode_ends_with_its_job() {
    for key in [":", "?"] {
        let mut dash = scrolled(80, 24);
        dash.press(key);
        dash.event(EventKind::Removed, "web", serde_json::json!({}));
        assert_eq!(mode(&dash), "NORMAL", "{}", dash.text());
        assert!(dash.model.pane.scroll.is_none());
    }
}

#[test]
fn text_typed_into_a_mode_that_reads_is_held_over_it() {
    for (mut dash, name) in [(scrolled(120, 40), "SCROLL"), (compared(), "COMPARE")] {
        // `q` would leave the mode, `u` bring the project up, and `i` type the rest into the job.
        dash.types(120, "mquit");
        assert_eq!(mode(&dash), "HELD");
        assert!(
            dash.status().contains(&format!("You are in {name}")),
            "{}",
            dash.status()
        );
        assert!(
            dash.status().contains("held: \"mquit\""),
            "{}",
            dash.status()
        );
        assert_eq!(dash.asked(), []);
        dash.press("\x1b").later(50);
        assert_eq!(mode(&dash), name, "it is there again");
    }
    let mut dash = scrolled(120, 40);
    dash.read(b"make test\r").later(1000).read(b"i");
    assert_eq!(mode(&dash), "INSERT");
    assert_eq!(dash.typed("web"), "make test\r");
    // Every other key acts where the text was typed.
    let mut dash = scrolled(120, 40);
    dash.read(b"make test").later(1000).read(b"q");
    assert_eq!(mode(&dash), "NORMAL");
}

#[test]
fn keys_of_other_programs_and_quick_keys_do_not_hold() {
    for keys in ["du", "dd", "Vjjy", "ggvGy", "eee", "jjq"] {
        let mut dash = scrolled(120, 40);
        dash.types(120, keys);
        assert_ne!(mode(&dash), "HELD", "{keys}");
        let mut dash = scrolled(120, 40);
        dash.read(keys.as_bytes());
        assert_ne!(mode(&dash), "HELD", "{keys} at once");
    }
    let mut dash = scrolled(120, 40);
    dash.read(b"/make test\r");
    assert_eq!(mode(&dash), "SCROLL", "a search");
}

#[test]
fn f_finds_in_scroll_too() {
    let mut dash = scrolled(120, 40);
    dash.types(120, "fline 7\r");
    assert_eq!(mode(&dash), "SCROLL");
    assert!(dash.status().contains("/line 7"), "{}", dash.status());
}

//! Tests of searches in SCROLL.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use super::tests::{LOG, asked_part, scrolled, shop};
use crate::protocol::{Action, EventKind};
use crate::tui::message::{Cmd, LinkEvent, RequestKind};
use crate::tui::scrollback::Part;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::id;

#[test]
fn a_search_continues_through_the_whole_log() {
    let line = |n: usize| format!("line {n:06} of a log\r\n");
    let all: String = (0..60_000).map(line).collect();
    let all = all.as_bytes();
    let mut dash = shop(80, 24);
    let from = all.len() - 300_000;
    dash.press("s")
        .log("web", Part::First, &all[from..], from as u64);
    dash.asked();
    dash.press("/LINE 000042\x1b").press("/line 000042\r");
    assert!(dash.status().contains("searching older lines"));
    let mut parts = 0;
    while let Some((part, from, limit)) = asked_part(&mut dash) {
        let from = usize::try_from(from).unwrap();
        let to = (from + usize::try_from(limit).unwrap()).min(all.len());
        dash.log("web", part, &all[from..to], from as u64);
        parts += 1;
        assert!(parts < 20);
    }
    assert!(dash.status().contains("1 of 1"), "{}", dash.status());
    assert!(dash.text().contains("line 000042"));
    dash.press("n");
    assert!(dash.text().contains("There is no older match."));
}

#[test]
fn find_opens_the_search_and_filters_matches() {
    let mut dash = shop(80, 24);
    dash.press("f").log("web", Part::First, LOG.as_bytes(), 0);
    dash.press("t\r");
    assert!(dash.status().contains("14 of 14"), "{}", dash.status());
    dash.press("a");
    let text = dash.text();
    assert!(
        text.contains("TypeError") && !text.contains("│ 1 failed"),
        "{text}"
    );
    assert!(dash.status().contains("14 of 14"), "{}", dash.status());
    dash.press("a");
    assert!(dash.text().contains("│ 1 failed"));
}

#[test]
fn searches_while_one_types_and_shows_context() {
    let line = |n: usize| match n % 100 {
        50 => format!("needle {n}\r\n"),
        n => format!("line {n}\r\n"),
    };
    let log: String = (0..400).map(line).collect();
    let mut dash = shop(80, 24);
    let written = json!({ "outputBytes": log.len(), "outputLines": 400 });
    dash.event(EventKind::Output, "web", written);
    dash.press("f").log("web", Part::First, log.as_bytes(), 0);
    dash.asked();
    dash.press("need");
    let search = |dash: &Dash| {
        let scroll = dash.model.pane.scroll.as_ref().unwrap();
        scroll.search.as_ref().map(|search| search.text.clone())
    };
    assert_eq!(search(&dash), None, "not at each key");
    let due = dash.model.next_due().unwrap() - dash.model.now.ms;
    assert!(due <= 150, "{due}");
    dash.later(200);
    assert_eq!(search(&dash).as_deref(), Some("need"));
    let text = dash.text();
    assert!(text.contains("needle 350"), "{text}");
    assert!(
        text.contains("line 47") && text.contains("line 53"),
        "{text}"
    );
    assert!(dash.status().contains("4 of 4"), "{}", dash.status());
    dash.press("le 15").later(200);
    assert!(dash.text().contains("needle 150"), "{}", dash.text());
    dash.press("x").later(200);
    assert!(dash.status().contains("no match"), "{}", dash.status());
    assert!(!dash.text().contains("There is no older"), "no toast");
    // Shorter again: from where it began, not from the last match.
    dash.press("\x15need").later(200);
    assert!(dash.text().contains("needle 350"), "{}", dash.text());
    dash.snapshot("find-typing-80x24");
    // Esc goes back to the live screen, where it began.
    dash.press("\x1b").later(50);
    assert!(dash.model.is_normal() && dash.model.pane.scroll.is_none());
    assert!(dash.text().contains("hello"), "{}", dash.text());
    assert_eq!(asked_part(&mut dash), None);
}

#[test]
fn a_search_while_one_types_never_has_two_requests() {
    let line = |n: usize| format!("line {n:06} of a log\r\n");
    let all: String = (0..600_000).map(line).collect();
    let all = all.as_bytes();
    let mut dash = shop(80, 24);
    let from = all.len() - 300_000;
    dash.press("f")
        .log("web", Part::First, &all[from..], from as u64);
    dash.asked();
    let parts = |dash: &mut Dash| {
        let cmds = dash.asked();
        let parts = cmds.into_iter().filter_map(|cmd| match cmd {
            Cmd::Request(RequestKind::Log(_, part), Action::Log(params)) => {
                Some((part, params.offset?, params.limit?))
            }
            _ => None,
        });
        parts.collect::<Vec<_>>()
    };
    let mut pending = Vec::new();
    for (read, letter) in "xline 000042".chars().enumerate() {
        dash.press(&letter.to_string()).later(200);
        pending.extend(parts(&mut dash));
        assert!(pending.len() <= 1, "{letter}: {pending:?}");
        if read % 2 == 0
            && let Some((part, from, limit)) = pending.pop()
        {
            let from = usize::try_from(from).unwrap();
            let to = (from + usize::try_from(limit).unwrap()).min(all.len());
            dash.log("web", part, &all[from..to], from as u64);
            pending.extend(parts(&mut dash));
            assert!(pending.len() <= 1, "{letter}: {pending:?}");
        }
    }
    // With the obsolete searches out of the way, the last one finds its line.
    dash.press("\x15line 000042").later(200);
    pending.extend(parts(&mut dash));
    let mut steps = 0;
    while let Some((part, from, limit)) = pending.pop() {
        let from = usize::try_from(from).unwrap();
        let to = (from + usize::try_from(limit).unwrap()).min(all.len());
        dash.log("web", part, &all[from..to], from as u64);
        pending.extend(parts(&mut dash));
        steps += 1;
        assert!(pending.len() <= 1 && steps < 100, "{pending:?}");
    }
    assert!(dash.text().contains("line 000042"), "{}", dash.text());
}

#[test]
fn a_search_from_the_top_finds_what_is_below() {
    let mut dash = shop(80, 24);
    dash.press("s")
        .log("web", Part::First, b"the end\r\n", 1_258_282);
    dash.asked();
    // The top of a log that is longer than what is loaded.
    dash.press("g");
    let (part, _, _) = asked_part(&mut dash).unwrap();
    let data = |text: &str, offset: u64| {
        json!({
            "output": STANDARD.encode(text), "offset": offset, "nextOffset": offset + text.len() as u64,
            "firstOffset": 0, "totalBytes": 1_258_291, "eof": false,
        })
    };
    dash.link(LinkEvent::Reply(
        RequestKind::Log(id("web"), part),
        Ok(data("one\r\ntwo\r\n", 0)),
    ));
    dash.asked();
    dash.press("/needle").later(200);
    let (part, offset, _) = asked_part(&mut dash).unwrap();
    assert_eq!(offset, 10, "it goes on below");
    dash.link(LinkEvent::Reply(
        RequestKind::Log(id("web"), part),
        Ok(data("a needle\r\n", 10)),
    ));
    assert!(dash.text().contains("a needle"), "{}", dash.text());
    dash.press("\r");
    assert!(!dash.status().contains("no match"), "{}", dash.status());
}

#[test]
fn esc_leaves_a_search_that_was_opened_from_the_live_screen() {
    let mut dash = shop(80, 24);
    dash.press("f").log("web", Part::First, LOG.as_bytes(), 0);
    dash.press("fail").press("\x1b");
    assert!(dash.model.is_normal(), "{}", dash.status());
    assert!(dash.text().contains("hello"));
    let mut dash = scrolled();
    dash.press("/fail").press("\x1b");
    assert!(dash.status().contains("SCROLL"), "{}", dash.status());
}

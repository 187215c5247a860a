//! Tests of SCROLL, of copying, and of scrolled-back panes in NORMAL.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::json;

use crate::protocol::{Action, EventKind};
use crate::tui::message::{Cmd, CopyFrom, Effect, LinkEvent, RequestKind};
use crate::tui::modes::scroll::ScrollBack;
use crate::tui::scrollback::Part;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{id, record, shop_records};

const LOG: &str = "$ npm test\r\n ok  cart adds\r\n\x1b[31mTypeError\x1b[m: cart.items is undefined\r\n\
    \x20   at total (src/cart.ts:41:18)\r\n 日本語 wide and long enough to wrap in a pane of fifty-two columns\r\n\
    1 failed\r\n";

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j").screen("web", 40, 120, "hello");
    dash.asked();
    dash
}

fn scrolled() -> Dash {
    let mut dash = shop(80, 24);
    let written = json!({ "outputBytes": LOG.len(), "outputLines": 1260 });
    dash.event(EventKind::Output, "web", written);
    dash.press("s").log("web", Part::First, LOG.as_bytes(), 0);
    dash.asked();
    dash
}

/// The text copied since the last call, with its description.
fn copied(dash: &mut Dash) -> Option<(String, String)> {
    dash.asked().into_iter().find_map(|cmd| match cmd {
        Cmd::Effect(Effect::Copy(text, what)) => Some((text, what)),
        _ => None,
    })
}

/// The last requested part, with offset and length.
fn asked_part(dash: &mut Dash) -> Option<(Part, u64, u64)> {
    dash.asked().into_iter().rev().find_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Log(_, part), Action::Log(params)) => {
            Some((part, params.offset?, params.limit?))
        }
        _ => None,
    })
}

#[test]
fn pictures() {
    for (width, height) in [(120, 24), (80, 24), (40, 12), (20, 5)] {
        let mut dash = shop(width, height);
        if width < 60 {
            dash.press("\r");
        }
        dash.press("s").log("web", Part::First, LOG.as_bytes(), 0);
        dash.press("{kkkV");
        dash.snapshot(&format!("scroll-select-{width}x{height}"));
        let mut dash = shop(width, height);
        dash.press("y")
            .snapshot(&format!("copy-menu-{width}x{height}"));
    }
}

#[test]
fn scroll_uses_the_terminals_cursor() {
    let mut dash = scrolled();
    let (_, cursor) = dash.paint();
    let bottom = cursor.unwrap();
    dash.press("kk$");
    let (_, cursor) = dash.paint();
    let up = cursor.unwrap();
    assert_eq!((bottom.y - up.y, up.x), (2, bottom.x + 51));
    dash.press("0ww");
    let (_, cursor) = dash.paint();
    assert_eq!(cursor.unwrap().x, bottom.x + 8);
}

#[test]
fn copies_the_whole_selection() {
    let mut dash = scrolled();
    // The wrapped line is copied whole from any of its rows.
    dash.press("kVy");
    let (text, what) = copied(&mut dash).unwrap();
    assert_eq!(
        text,
        " 日本語 wide and long enough to wrap in a pane of fifty-two columns"
    );
    assert_eq!(what, "1 line");
    dash.press("Vkkk\r");
    let (text, what) = copied(&mut dash).unwrap();
    assert!(text.starts_with("TypeError: cart.items"), "{text}");
    assert_eq!(what, "3 lines");
    dash.press("gv$oy");
    assert_eq!(copied(&mut dash).unwrap().0, "$ npm test");
    dash.press("gw\x16jhy");
    assert_eq!(copied(&mut dash).unwrap().0, " n\nok");
    // With no selection, the line of the cursor is copied.
    dash.press("gy");
    assert_eq!(copied(&mut dash).unwrap().0, "$ npm test");
    dash.press("v\x1b");
    assert!(dash.model.state::<ScrollBack>().is_some(), "one step back");
    dash.press("\x1b");
    assert!(dash.model.is_normal());
}

#[test]
fn jumps_to_errors_prompts_and_runs() {
    let mut dash = scrolled();
    dash.press("E");
    assert!(
        dash.status().contains("line 1257/1260"),
        "{}",
        dash.status()
    );
    dash.press("e");
    assert!(dash.status().contains("line 1260/1260"));
    dash.press("e");
    assert!(
        dash.text()
            .contains("There is no later line that looks like an error.")
    );
    dash.asked();
    dash.press("{");
    let cmds = dash.asked();
    assert!(matches!(
        &cmds[..],
        [Cmd::Request(RequestKind::Runs(_), Action::Status(params))] if params.detail == Some(true)
    ));
    let mut detailed = json!(record("web"));
    detailed["detail"] = json!({"processes": [], "ports": [], "urls": [], "envNames": [], "runs": [
        {"run": 1, "offset": 0, "startedAt": "2026-01-02T03:04:05.678Z"},
        {"run": 2, "offset": 12, "startedAt": "2026-01-02T03:04:05.678Z"},
    ]});
    dash.link(LinkEvent::Reply(RequestKind::Runs(id("web")), Ok(detailed)));
    assert!(
        dash.status().contains("line 1255/1260"),
        "{}",
        dash.status()
    );
    dash.press("{");
    assert!(
        dash.status().contains("line 1254/1260"),
        "{}",
        dash.status()
    );
    assert!(dash.asked().is_empty(), "asked for once");
}

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
        let scroll = dash.model.scroll.as_ref().unwrap();
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
    assert!(dash.model.is_normal() && dash.model.scroll.is_none());
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
fn scrolling_the_pane_stays_in_normal() {
    let log: String = (0..100).map(|n| format!("line {n}\r\n")).collect();
    let mut dash = shop(80, 24);
    dash.press("\x15")
        .log("web", Part::First, log.as_bytes(), 0);
    assert!(dash.status().starts_with(" NORMAL "));
    let text = dash.text();
    assert!(text.contains("scrolled back"), "{text}");
    assert!(
        text.contains("line 89") && !text.contains("line 90"),
        "{text}"
    );
    dash.press("\x19");
    assert!(!dash.text().contains("line 89"));
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_300_000, "outputLines": 1266 }),
    );
    assert!(dash.status().contains("6 new below"), "{}", dash.status());
    dash.press("\x1b");
    assert!(dash.text().contains("hello"), "Esc is live again");
    dash.press("\x15").log(
        "web",
        Part::First,
        log.as_bytes(),
        1_300_000 - log.len() as u64,
    );
    dash.press("\x04");
    assert!(dash.text().contains("hello"), "so is the end");
    dash.press("\x15").press("j");
    assert!(dash.model.scroll.is_none(), "another job is live");
}

#[test]
fn shows_timestamps_and_follows_the_end() {
    let mut dash = shop(80, 24);
    dash.press("t");
    let cmds = dash.asked();
    let Some(Cmd::Request(tag, Action::Log(params))) = cmds.last() else {
        panic!("{cmds:?}");
    };
    assert_eq!(params.times, Some(true));
    let bytes = "one\r\ntwo\r\nthree\r\n";
    let data = |text: &str, offset: u64| {
        use base64::Engine as _;
        json!({
            "output": base64::engine::general_purpose::STANDARD.encode(text), "offset": offset,
            "nextOffset": 1_258_291, "firstOffset": offset, "totalBytes": 1_258_291, "eof": false,
            "times": [{"offset": offset, "at": "2026-11-21T12:44:52.100Z"},
                {"offset": offset + 10, "at": "2026-11-21T12:44:53.100Z"}],
        })
    };
    let start = 1_258_291 - bytes.len() as u64;
    dash.link(LinkEvent::Reply(tag.clone(), Ok(data(bytes, start))));
    let text = dash.text();
    assert!(text.contains("│ 12:44:52 one"), "{text}");
    assert!(text.contains("│          two"), "{text}");
    assert!(text.contains("│ 12:44:53 three"), "{text}");
    dash.later(6000).asked();
    assert!(dash.text().contains("following"), "{}", dash.text());
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_258_300 }),
    );
    assert_eq!(asked_part(&mut dash).unwrap().0, Part::Newer);
    dash.press("t");
    assert!(dash.text().contains("hello"));
}

/// Replies to the request for the details of which the command is copied.
fn told(dash: &mut Dash, record: &serde_json::Value) {
    let cmds = dash.asked();
    let Some(Cmd::Request(tag, Action::Status(params))) = cmds.first() else {
        panic!("{cmds:?}");
    };
    assert_eq!(params.detail, Some(true));
    dash.link(LinkEvent::Reply(tag.clone(), Ok(record.clone())));
}

#[test]
fn the_copy_menu() {
    let mut dash = shop(80, 24);
    dash.press("yc");
    let mut detailed = json!(record("web"));
    detailed["detail"] = json!({"processes": [], "ports": [], "urls": [], "runs": [],
        "envNames": ["PORT", "TOKEN"], "env": {"PORT": "3000", "TOKEN": "***"}});
    told(&mut dash, &detailed);
    let (text, what) = copied(&mut dash).unwrap();
    assert_eq!(text, "cd ~/shop && PORT=3000 TOKEN='***' npm run web");
    assert_eq!(what, "the command; *** stands for TOKEN");
    dash.press("yi");
    assert_eq!(copied(&mut dash).unwrap().0, id("web").to_string());
    dash.press("ys");
    assert_eq!(
        copied(&mut dash).unwrap(),
        ("hello".to_owned(), "1 line".to_owned())
    );
    dash.press("yl");
    let cmds = dash.asked();
    let Some(Cmd::Request(tag, Action::Log(params))) = cmds.first() else {
        panic!("{cmds:?}");
    };
    assert_eq!(params.tail, Some(100));
    let line = |n: u64| json!({"n": n, "at": null, "stream": "stdout", "text": format!("l{n}")});
    let lines = json!({"lines": [line(1), line(2)], "firstLine": 1, "totalLines": 2});
    dash.link(LinkEvent::Reply(tag.clone(), Ok(lines)));
    assert_eq!(
        copied(&mut dash).unwrap(),
        ("l1\nl2".to_owned(), "2 lines".to_owned())
    );
    dash.press("yu");
    let tag = RequestKind::Copy(id("web"), CopyFrom::Url);
    let mut detailed = json!(record("web"));
    detailed["detail"] =
        json!({"processes": [], "ports": [3000], "urls": [], "envNames": [], "runs": []});
    dash.link(LinkEvent::Reply(tag, Ok(detailed)));
    assert_eq!(copied(&mut dash).unwrap().0, "http://localhost:3000");
    dash.press("yx");
    assert!(dash.model.is_normal(), "every other key is none");
    assert_eq!(dash.asked(), []);
    // For a group, one line per job.
    dash.press("hyi");
    let (text, what) = copied(&mut dash).unwrap();
    assert_eq!((text.lines().count(), what.as_str()), (5, "5 ids"));
}

#[test]
fn copies_the_commands_of_several_jobs_with_their_variables() {
    let mut dash = shop(80, 24);
    let ask = |dash: &mut Dash| -> Vec<RequestKind> {
        let cmds = dash.press("hyc").asked().into_iter();
        let tags = cmds.filter_map(|cmd| match cmd {
            Cmd::Request(tag, Action::Status(_)) => Some(tag),
            _ => None,
        });
        tags.collect()
    };
    let answer = |dash: &mut Dash, tag: &RequestKind| {
        let RequestKind::Copy(id, CopyFrom::Commands) = tag else {
            panic!("{tag:?}");
        };
        let name = dash.model.name_of(id);
        let mut detailed = json!(record(&name));
        detailed["detail"] = json!({"processes": [], "ports": [], "urls": [], "runs": [],
            "envNames": ["NAME", "TOKEN"], "env": {"NAME": format!("a {name}"), "TOKEN": "***"}});
        dash.link(LinkEvent::Reply(tag.clone(), Ok(detailed)));
    };
    let tags = ask(&mut dash);
    assert_eq!(tags.len(), 5);
    // The answers may come in any order.
    for tag in tags[1..].iter().rev() {
        answer(&mut dash, tag);
        assert_eq!(copied(&mut dash), None);
    }
    answer(&mut dash, &tags[0]);
    let (text, what) = copied(&mut dash).unwrap();
    assert_eq!(text.lines().count(), 5);
    assert_eq!(
        text.lines().nth(1),
        Some("cd ~/shop && NAME='a web' TOKEN='***' npm run web")
    );
    assert_eq!(what, "5 commands; *** stands for TOKEN");
    // A job that is gone is left out.
    let tags = ask(&mut dash);
    for tag in &tags[1..] {
        answer(&mut dash, tag);
    }
    let gone = crate::protocol::Error::new(crate::protocol::ErrorCode::SessionNotFound, "gone");
    dash.link(LinkEvent::Reply(tags[0].clone(), Err(gone)));
    assert_eq!(copied(&mut dash).unwrap().0.lines().count(), 4);
}

#[test]
fn quotes_a_directory_if_necessary() {
    let mut odd = record("web");
    odd.summary.cwd = "/home/me/my shop".to_owned();
    odd.summary.args = Some(vec!["run dev".to_owned()]);
    odd.summary.command = "npm".to_owned();
    let mut dash = Dash::new(80, 24, vec![odd.clone()]);
    dash.asked();
    dash.press("yc");
    told(&mut dash, &json!(odd));
    assert_eq!(
        copied(&mut dash).unwrap().0,
        "cd ~/'my shop' && npm 'run dev'"
    );
}

#[test]
fn cut_lines_pan_and_can_wrap_again() {
    let mut dash = shop(80, 24);
    dash.press("w")
        .press("s")
        .log("web", Part::First, LOG.as_bytes(), 0);
    let text = dash.text();
    assert!(text.contains("in a pane of fi\n"), "{text}");
    dash.press(".");
    assert!(dash.text().contains("fifty-two columns"), "{}", dash.text());
    dash.press("q").press("w");
    assert!(dash.text().contains("Long lines wrap"), "{}", dash.text());
}

#[test]
fn freezes_and_copies_a_full_screen_program() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j")
        .screen("web", 20, 60, "\x1b[?1049h\x1b[Hone two\r\nthree");
    dash.press("s").log(
        "web",
        Part::First,
        b"\r\n\x1b[?1049h\x1b[Hone two\r\nthree",
        0,
    );
    assert!(dash.status().starts_with(" SCROLL "), "{}", dash.status());
    assert!(dash.text().contains("one two"), "{}", dash.text());
    dash.asked();
    // New output does not move the text that is being read.
    dash.screen("web", 20, 60, "\x1b[?1049h\x1b[Hother");
    assert!(dash.text().contains("one two"), "{}", dash.text());
    // Without its past, the frozen screen stays.
    let error = crate::protocol::Error::internal("the log is gone");
    dash.link(LinkEvent::Reply(RequestKind::Past(id("web")), Err(error)));
    dash.press("ggVy");
    assert_eq!(copied(&mut dash).unwrap().0.trim_end(), "one two");
}

#[test]
fn selects_the_output_of_a_command() {
    let log = "\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07one\r\ntwo\r\n\x1b]133;D;0\x07\
        \x1b]133;A\x07$ \x1b]133;B\x07id\r\n\x1b]133;C\x07root\r\n\x1b]133;D;0\x07\x1b]133;A\x07$ ";
    let mut dash = shop(80, 24);
    dash.press("s").log("web", Part::First, log.as_bytes(), 0);
    dash.asked();
    // At the prompt: the last command. In the text, and at a command: that one.
    for (keys, output) in [
        ("O", "root"),
        ("kkO", "root"),
        ("kkkkkO", "one\ntwo"),
        ("gjO", "one\ntwo"),
    ] {
        dash.press(&format!("{keys}y"));
        let copied = dash.asked().into_iter().find_map(|cmd| match cmd {
            Cmd::Effect(Effect::Copy(text, _)) => Some(text),
            _ => None,
        });
        assert_eq!(copied.as_deref(), Some(output), "{keys}");
        dash.press("G")
            .press("s")
            .log("web", Part::First, log.as_bytes(), 0);
    }
    dash.log("web", Part::First, b"text\r\n", 0);
    dash.press("G")
        .press("s")
        .log("web", Part::First, b"text\r\n", 0);
    dash.press("O");
    assert!(
        dash.text().contains("no marks (OSC 133)"),
        "{}",
        dash.text()
    );
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

#[test]
fn a_full_screen_program_has_no_lines_to_scroll_to() {
    let mut dash = shop(80, 24);
    dash.screen("web", 20, 50, "\x1b[?1049hvim");
    dash.asked();
    dash.press("\x15");
    let text = dash.text();
    assert!(text.contains("s shows earlier screens"), "{text}");
    assert!(
        text.contains("vim") && dash.model.scroll.is_none(),
        "{text}"
    );
    // Its key shows them.
    dash.press("s");
    let cmds = dash.asked();
    let is_past = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Past(_), _));
    assert!(cmds.iter().any(is_past), "{cmds:?}");
}

#[test]
fn the_top_of_a_log_tells_that_its_beginning_was_dropped() {
    let mut dash = shop(80, 24);
    dash.press("s");
    let (part, ..) = asked_part(&mut dash).unwrap();
    let kept = "987592\r\n1987593\r\n";
    let end = 22_020_096 + kept.len();
    let data = json!({
        "output": STANDARD.encode(kept), "offset": 22_020_096, "nextOffset": end,
        "firstOffset": 22_020_096, "totalBytes": end, "eof": false,
    });
    dash.link(LinkEvent::Reply(
        RequestKind::Log(id("web"), part),
        Ok(data),
    ));
    let status = dash.status();
    assert!(status.contains("21M of earlier output dropped"), "{status}");
    let dash = scrolled();
    assert!(!dash.status().contains("dropped"), "{}", dash.status());
}

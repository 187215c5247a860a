//! Tests of the behaviour of keys and of messages from the daemon.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use crate::protocol::{Action, Error, ErrorCode, EventKind, Status};
use crate::tui::keymap::{KeyAction, LEAVE};
use crate::tui::message::{Cmd, Event, LinkEvent, RequestKind};
use crate::tui::model::Selected;
use crate::tui::modes::help::draw::{Entry, entries};
use crate::tui::modes::{normal, scroll};
use crate::tui::options::Options;
use crate::tui::scrollback::{Move, Part};

pub(super) fn shop() -> Dash {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j").screen("web", 40, 120, "hello");
    dash.asked();
    dash
}

/// The bytes that a terminal sends for a key of the table.
fn bytes(name: &str) -> String {
    let plain = match name {
        LEAVE => "\x1d",
        "enter" => "\r",
        "esc" => "\x1b",
        "tab" => "\t",
        "backtab" => "\x1b[Z",
        "space" => " ",
        "backspace" => "\x7f",
        "up" => "\x1b[A",
        "down" => "\x1b[B",
        "right" => "\x1b[C",
        "left" => "\x1b[D",
        "home" => "\x1b[H",
        "end" => "\x1b[F",
        "pgup" => "\x1b[5~",
        "pgdn" => "\x1b[6~",
        "delete" => "\x1b[3~",
        "ctrl-left" => "\x1b[1;5D",
        "ctrl-right" => "\x1b[1;5C",
        "alt-b" => "\x1b[98;3u",
        "alt-f" => "\x1b[102;3u",
        _ => "",
    };
    if !plain.is_empty() {
        return plain.to_owned();
    }
    match name.strip_prefix("ctrl-") {
        Some(letter) => char::from(letter.as_bytes()[0] & 0x1f).to_string(),
        None => name.to_owned(),
    }
}

fn at(name: &str) -> Selected {
    Selected::Job(id(name))
}

#[test]
fn every_key_of_the_table_has_an_action_and_is_in_the_help() {
    let mut dash = shop();
    dash.press("?");
    let help: Vec<(String, String)> = entries(&dash.model, "")
        .into_iter()
        .filter_map(|entry| match entry {
            Entry::Key(keys, text) => Some((keys, text)),
            _ => None,
        })
        .collect();
    let contexts = dash.model.keymap.contexts().iter();
    let bound = contexts.flat_map(|bindings| &bindings.bound);
    let bound: Vec<_> = bound.filter(|bound| !bound.keys.is_empty()).collect();
    assert_eq!(help.len(), bound.len());
    for bound in bound {
        assert!(
            help.contains(&(bound.shown(), bound.binding.help.to_owned())),
            "{bound:?} is not in the help"
        );
    }
}

#[test]
fn every_key_of_normal_and_scroll_is_accepted() {
    let contexts = [
        ("", normal::Action::CONTEXT),
        ("s", scroll::Action::CONTEXT),
    ];
    for (open, context) in contexts {
        for key in context.bindings.iter().flat_map(|binding| binding.keys) {
            let mut dash = shop();
            dash.press(open).press(&bytes(key));
            let text = dash.text();
            assert!(!text.contains("No command on"), "{key}: {text}");
        }
    }
}

#[test]
fn unknown_keys_show_a_message_and_do_nothing() {
    for key in ["%", "&", "(", "A", "B", "E", "H", "\x0b"] {
        let mut dash = shop();
        dash.press(key);
        assert!(dash.text().contains("No command on"), "{key}");
        assert_eq!(dash.asked(), []);
    }
    let mut dash = shop();
    dash.press("%");
    assert!(
        dash.text()
            .contains("No command on \"%\". To type into web press i.")
    );
}

#[test]
fn no_key_reaches_a_job_in_normal() {
    let mut dash = shop();
    for byte in 1..=0x7e_u8 {
        // Return to NORMAL after keys that leave it.
        if b"iqnsa/[?\x1a\x03".contains(&byte) || byte == b'\r' {
            continue;
        }
        dash.press(&char::from(byte).to_string()).press("\x1b");
    }
    assert_eq!(dash.typed("web"), "");
}

#[test]
fn disabled_confirmations_are_skipped() {
    let options = Options {
        asks: false,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("j");
    dash.asked();
    dash.press("x");
    assert!(dash.model.is_normal());
    assert!(matches!(
        dash.asked()[..],
        [Cmd::Request(RequestKind::Kill(..), Action::Kill(_))]
    ));
}

#[test]
fn only_y_confirms_a_kill() {
    for no in ["n", "\x1b", "\r", " ", "j", "Y"] {
        let mut dash = shop();
        dash.press("x").press(no);
        assert!(!dash.actions().contains(&"kill"), "{no:?}");
    }
    let mut dash = shop();
    dash.press("xy");
    assert_eq!(dash.actions(), ["kill"]);
    assert!(dash.status().contains("stopping"));
    let mut dash = shop();
    dash.press("xX");
    let cmds = dash.asked();
    let Some(Cmd::Request(_, Action::Kill(kill))) = cmds.first() else {
        panic!("{cmds:?}");
    };
    assert_eq!(kill.force, Some(true));
}

#[test]
fn restart_asks_while_it_runs() {
    let mut dash = shop();
    dash.press("r");
    assert!(dash.status().starts_with(" RESTART "));
    dash.press("y");
    assert_eq!(dash.actions(), ["restart"]);
    dash.press("7");
    dash.asked();
    dash.press("r");
    assert_eq!(dash.actions(), ["restart"]);
}

#[test]
fn removes_only_ended_jobs() {
    let mut dash = shop();
    dash.press("d");
    assert!(dash.text().contains("x stops it, then d removes it"));
    dash.press("8");
    dash.asked();
    dash.press("d");
    dash.asked();
    dash.later(10_000);
    let cmds = dash.asked();
    let Some(Cmd::Request(_, Action::Remove(remove))) = cmds.first() else {
        panic!("{cmds:?}");
    };
    assert_eq!(remove.kill, Some(false), "it may have been restarted");
}

#[test]
fn pause_and_continue_reach_the_whole_tree() {
    let mut dash = shop();
    dash.press("p");
    let asked = " PAUSE  web (pid 48213, 4 processes, up 2h04m)?";
    assert!(dash.status().starts_with(asked), "{}", dash.status());
    dash.press("\r");
    assert!(!dash.actions().contains(&"signal"), "Enter is no");
    dash.press("py");
    let mut web = record("web");
    web.summary.status = Status::Paused;
    web.summary.group = Some("shop".to_owned());
    dash.record(&web).press("p");
    let signals: Vec<String> = dash
        .asked()
        .into_iter()
        .filter_map(|cmd| match cmd {
            Cmd::Request(_, Action::Signal(params)) => Some(format!("{:?}", params.signal)),
            _ => None,
        })
        .collect();
    assert_eq!(signals, [r#"Name("STOP")"#, r#"Name("CONT")"#]);
    for (pause, said) in [
        (true, "Paused web (SIGSTOP). p continues it."),
        (false, "Continued web (SIGCONT). p pauses it."),
    ] {
        let tag = RequestKind::Pause(id("web"), pause);
        dash.link(LinkEvent::Reply(tag, Ok(json!({"deliveredTo": [1]}))));
        assert!(dash.text().contains(said), "{}", dash.text());
    }
}

#[test]
fn the_form_starts_a_job_and_stays_open_on_an_error() {
    let mut dash = shop();
    dash.press("nmake watch\tw\tshop\t\x15~/notes\r");
    let cmds = dash.asked();
    let Some(Cmd::Request(RequestKind::Start(_), Action::Start(start))) = cmds.last() else {
        panic!("{cmds:?}");
    };
    assert_eq!(start.command, "make watch");
    assert_eq!(start.label.as_deref(), Some("w"));
    assert_eq!(start.group.as_deref(), Some("shop"));
    assert_eq!(start.cwd.as_deref(), Some("/home/me/notes"));
    assert_eq!(start.background, Some(true));
    let error = Error::new(ErrorCode::SpawnFailed, "no such directory");
    dash.link(LinkEvent::Reply(RequestKind::Start(1), Err(error)));
    assert!(
        dash.text()
            .contains("Nothing was started: no such directory.")
    );
    assert!(dash.status().contains("make watch"), "{}", dash.status());
    dash.press("\r");
    dash.link(LinkEvent::Reply(
        RequestKind::Start(2),
        Ok(json!({
            "sessionId": id("w"), "status": "running", "pid": 1, "output": "", "cursor": "x",
            "omitted": {"bytes": 0, "lines": 0},
        })),
    ));
    dash.record(&record("w"));
    assert_eq!(dash.model.list.selected, at("w"));
}

#[test]
fn the_selection_moves_and_returns() {
    let mut dash = shop();
    assert_eq!(dash.model.list.selected, at("web"));
    dash.press("G");
    assert_eq!(dash.model.list.selected, at("build"));
    dash.later(2000).press("1");
    assert_eq!(dash.model.list.selected, at("migrate"));
    dash.press("-");
    assert_eq!(dash.model.list.selected, at("build"));
    dash.press("-");
    assert_eq!(
        dash.model.list.selected,
        at("migrate"),
        "there and back again"
    );
    dash.press("j!");
    assert_eq!(dash.model.list.selected, at("migrate"));
    dash.press("!");
    assert_eq!(dash.model.list.selected, at("lint"));
    dash.press("h");
    assert!(matches!(dash.model.list.selected, Selected::Group(_)));
    dash.press("gG");
    assert_eq!(dash.model.list.rows.len(), 7);
    dash.press("l");
    assert_eq!(dash.model.list.rows.len(), 10);
}

#[test]
fn only_the_selected_job_is_watched() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j");
    dash.asked();
    dash.press("j");
    assert_eq!(dash.actions(), ["unwatch", "watch"]);
    dash.press("s");
    assert_eq!(dash.actions(), ["log"]);
}

#[test]
fn a_removed_job_passes_the_selection_on() {
    let mut dash = shop();
    dash.event(EventKind::Removed, "web", json!({}));
    assert_eq!(dash.model.list.selected, at("api"));
    // The cursor does not move to the heading of the next group, which may be folded.
    dash.press("ggjjjj");
    assert_eq!(dash.model.list.selected, at("tests"));
    dash.event(EventKind::Removed, "tests", json!({}));
    let left = dash.model.current().map(|job| job.name.clone());
    assert!(left.is_some(), "a job: {:?}", dash.model.list.selected);
}

#[test]
fn several_events_cost_one_request() {
    let mut dash = shop();
    for kind in [
        EventKind::InputNeeded,
        EventKind::Paused,
        EventKind::Resumed,
    ] {
        dash.event(kind, "web", json!({}));
    }
    assert_eq!(dash.actions(), ["status"]);
    dash.record(&record("web"));
    assert_eq!(
        dash.actions(),
        ["status"],
        "once more for what came meanwhile"
    );
    dash.record(&record("web"));
    assert!(dash.actions().is_empty());
}

#[test]
fn ignores_late_reports_about_unknown_jobs() {
    let mut dash = shop();
    for n in 0..300 {
        dash.event(EventKind::Exited, &format!("old{n}"), json!({}));
    }
    assert!(dash.actions().is_empty());
    // A job that was just started is not known yet, but its end is not a late report either.
    dash.event(EventKind::Started, "new", json!({}));
    dash.event(EventKind::Exited, "new", json!({}));
    dash.record(&record("new"));
    assert_eq!(dash.actions(), ["status", "status"]);
}

#[test]
fn another_filter_is_not_added_to_the_one_before() {
    let mut dash = shop();
    dash.press("/api\r").press("/web");
    assert_eq!(dash.model.list.filter, "web");
    // A key that moves the cursor keeps it.
    dash.press("\r").press("/\x1b[C1");
    assert_eq!(dash.model.list.filter, "web1");
}

#[test]
fn the_filter_is_kept_or_cleared() {
    let mut dash = shop();
    dash.press("/lint\r");
    assert_eq!(dash.model.list.selected, at("lint"));
    assert_eq!(dash.model.list.filter, "lint");
    dash.press("\x1b");
    assert_eq!(dash.model.list.filter, "");
    dash.press("/x\x1b");
    assert_eq!(dash.model.list.filter, "");
}

#[test]
fn scrolling_loads_more_at_the_top_and_keeps_its_place() {
    let log: Vec<u8> = (0..300)
        .flat_map(|n| format!("line {n}\r\n").into_bytes())
        .collect();
    let cut = 2000;
    let mut dash = shop();
    dash.press("s")
        .log("web", Part::First, &log[cut..], cut as u64);
    dash.asked();
    // Go to the top of the loaded stretch.
    let scroll = dash.model.pane.scroll.as_mut().unwrap();
    scroll.go(Move::Page, isize::MIN + 1);
    dash.press("k");
    let cmds = dash.asked();
    let Some(Cmd::Request(RequestKind::Log(_, Part::Older), Action::Log(params))) = cmds.first()
    else {
        panic!("{cmds:?}");
    };
    assert_eq!((params.offset, params.limit), (Some(0), Some(cut as u64)));
    let top = dash.text().lines().nth(2).unwrap().to_owned();
    dash.log("web", Part::Older, &log[..cut], 0);
    let text = dash.text();
    let second = text.lines().nth(3).unwrap();
    let line = |row: &str| row.split('│').nth(1).unwrap().trim().to_owned();
    assert_eq!(line(second), line(&top), "one line up, as asked");
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_300_000, "outputLines": 1266 }),
    );
    assert_eq!(dash.text().lines().nth(3), text.lines().nth(3));
    assert!(dash.status().contains("6 new below"), "{}", dash.status());
    dash.press("G");
    assert!(dash.model.is_normal());
    // The start of the log is requested directly, however far away it is.
    dash.press("s")
        .log("web", Part::First, &log[cut..], cut as u64);
    dash.asked();
    dash.press("g");
    let cmds = dash.asked();
    let Some(Cmd::Request(RequestKind::Log(_, Part::Around(0)), _)) = cmds.first() else {
        panic!("{cmds:?}");
    };
}

#[test]
fn a_lost_connection_keeps_the_form_and_the_position() {
    let mut dash = shop();
    dash.press("nmake\r").link(LinkEvent::Down);
    assert!(dash.status().contains("make"));
    dash.press("\x1b").press("i");
    dash.asked();
    dash.press("lost");
    assert_eq!(dash.typed("web"), "");
    assert!(dash.text().contains("Not sent"));
    dash.link(LinkEvent::Up).list(shop_records());
    assert_eq!(
        dash.actions(),
        ["subscribe", "list", "queue", "resize", "watch"]
    );
    // What is typed before somebody has seen that is the rest of what is lost.
    dash.press("more");
    assert!(
        dash.status().contains("keys were lost"),
        "{}",
        dash.status()
    );
    dash.later(1000).press("i").press("found");
    assert_eq!(dash.typed("web"), "found");
}

#[test]
fn help_moves_by_a_whole_page_after_the_window_has_grown() {
    let mut dash = Dash::new(80, 12, shop_records());
    dash.press("?");
    for _ in 0..50 {
        dash.press("\x1b[6~");
    }
    dash.happen(Event::Window(80, 40));
    // The last line that is shown, and how many there are.
    let place = |dash: &Dash| {
        let status = dash.status();
        let mut words = status.split_whitespace();
        let place = words.find_map(|word| word.split_once('/')).unwrap();
        (
            place.0.parse::<u16>().unwrap(),
            place.1.parse::<u16>().unwrap(),
        )
    };
    let (at, lines) = place(&dash);
    assert_eq!(at, lines);
    dash.press("\x1b[5~");
    assert_eq!(
        place(&dash).0,
        lines - dash.model.layout().status.unwrap().y
    );
}

#[test]
fn no_deadline_when_nothing_changes_by_itself() {
    let mut job = ended("x", Status::Done, Some(0), 3 * 3_600_000);
    job.summary.label = None;
    let mut dash = Dash::new(80, 24, vec![job]);
    dash.later(500);
    let due = dash.model.next_due().unwrap() - dash.model.now.ms;
    assert!(due > 50_000, "only the clock: {due}");
    let mut dash = shop();
    dash.later(500);
    let due = dash.model.next_due().unwrap() - dash.model.now.ms;
    assert!(due <= 1000, "a young job counts seconds: {due}");
}

#[test]
fn output_of_other_jobs_causes_no_redraw() {
    let mut dash = shop();
    dash.model.dirty = false;
    dash.event(EventKind::Output, "api", json!({ "outputBytes": 1 }));
    assert!(!dash.model.dirty);
    dash.event(EventKind::Output, "web", json!({ "outputBytes": 1 }));
    assert!(dash.model.dirty);
}

#[test]
fn subscribes_to_fewer_events_of_an_older_daemon() {
    let mut dash = shop();
    let refused = || {
        let error = Error::new(ErrorCode::InvalidParams, "Unknown value agent_input");
        LinkEvent::Reply(RequestKind::Subscribe, Err(error))
    };
    dash.link(refused());
    let cmds = dash.asked();
    let [Cmd::Request(RequestKind::Subscribe, Action::Subscribe(subscribe))] = &cmds[..] else {
        panic!("{cmds:?}");
    };
    let events = subscribe.events.as_ref().unwrap();
    assert!(!events.contains(&EventKind::AgentInput) && events.contains(&EventKind::Output));
    assert!(dash.text().contains("bgproc daemon upgrade"));
    // The request is not repeated forever.
    dash.link(refused());
    assert_eq!(dash.asked(), []);
    assert!(dash.text().contains("Changes will not show"));
}

#[test]
fn asks_an_older_daemon_for_less_until_there_is_another_one() {
    let mut dash = shop();
    let waits = |dash: &mut Dash| {
        let lists = dash.asked().into_iter().filter_map(|cmd| match cmd {
            Cmd::Request(RequestKind::List, Action::List(list)) => Some(list.host_wait_ms),
            _ => None,
        });
        lists.collect::<Vec<_>>()
    };
    let error = Error::new(ErrorCode::InvalidParams, "Unknown parameter hostWaitMs");
    dash.link(LinkEvent::Reply(RequestKind::List, Err(error)));
    assert_eq!(waits(&mut dash), [None]);
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    assert_eq!(waits(&mut dash), [Some(0)]);
}

#[test]
fn a_new_daemon_that_reads_the_log_again_shows_no_output() {
    let mut silent = record("web");
    silent.summary.output_bytes = 5000;
    let mut dash = Dash::new(120, 24, vec![silent.clone()]);
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    silent.summary.output_bytes = 100;
    dash.list(vec![silent]);
    for bytes in [3000, 5000] {
        let written = json!({ "outputBytes": bytes });
        dash.event(EventKind::Output, "web", written);
    }
    assert!(dash.text().contains("▁▁▁▁▁"), "{}", dash.text());
    dash.event(EventKind::Output, "web", json!({ "outputBytes": 5100 }));
    assert!(!dash.text().contains("▁▁▁▁▁"), "{}", dash.text());
}

//! Tests of the behaviour of keys and of messages from the daemon.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use crate::protocol::{Action, Error, ErrorCode, EventKind, Mode, Status};
use crate::tui::farewell::farewell;
use crate::tui::keymap::{KeyAction, LEAVE};
use crate::tui::message::{Cmd, Event, Exit, Keys, LinkEvent, RequestKind};
use crate::tui::model::Selected;
use crate::tui::model::mode::Frame;
use crate::tui::modes::confirm::Confirm;
use crate::tui::modes::help::draw::{Entry, entries};
use crate::tui::modes::insert::Insert;
use crate::tui::modes::{normal, scroll};
use crate::tui::options::Options;
use crate::tui::scrollback::{Move, Part};

fn shop() -> Dash {
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
fn insert_sends_bytes_unchanged() {
    let mut dash = shop();
    dash.press("i");
    let sent = "ls -l\r\x1b[A\x1bOP\x1b[1;5C\x03é日\x1b[27;5;9~";
    dash.press(sent);
    dash.press("\x1b");
    assert_eq!(dash.typed("web"), format!("{sent}\x1b"));
}

#[test]
fn a_character_split_between_two_reads_arrives_whole() {
    let mut dash = shop();
    dash.press("i");
    for byte in "é".as_bytes() {
        dash.happen(Event::Input(vec![*byte]));
    }
    assert_eq!(dash.typed("web"), "é");
}

#[test]
fn bytes_of_one_read_become_one_request() {
    let mut dash = shop();
    dash.press("i");
    dash.asked();
    dash.press("hello\r");
    let types = dash
        .asked()
        .into_iter()
        .filter(|cmd| matches!(cmd, Cmd::Type(..)))
        .count();
    assert_eq!(types, 1);
}

#[test]
fn resizes_a_job_at_the_first_byte_and_not_before() {
    let mut dash = shop();
    dash.press("z").press("z").press("i");
    assert!(
        !dash.actions().contains(&"resize"),
        "looking resizes nothing"
    );
    dash.press("a");
    let cmds = dash.asked();
    let Some(Cmd::Request(RequestKind::Resize(_), Action::Resize(size))) = cmds.first() else {
        panic!("{cmds:?}");
    };
    assert_eq!((size.rows, size.cols), (20, 52));
    assert!(matches!(cmds.get(1), Some(Cmd::Type(..))));
    dash.press("b");
    assert!(!dash.actions().contains(&"resize"), "once is enough");
    dash.screen("web", 20, 52, "");
    dash.press("c");
    assert!(!dash.actions().contains(&"resize"));
    // Somebody else typed in the meantime, in a window of another size.
    dash.screen("web", 50, 100, "");
    dash.press("d");
    assert!(dash.actions().contains(&"resize"));
}

#[test]
fn leaving_goes_back_to_where_it_was_entered() {
    let mut dash = shop();
    dash.press("i\x1d");
    assert_eq!(dash.model.frame, Frame::default());
    dash.press("\r");
    assert!(dash.model.frame.zoom);
    dash.press("\x1d");
    assert_eq!(dash.model.frame, Frame::default());
    dash.press("zi\x1d");
    assert!(dash.model.frame.zoom, "it was zoomed before");
}

#[test]
fn pressing_the_leave_key_twice_sends_it() {
    let mut dash = shop();
    dash.press("\r\x1d\x1d");
    assert_eq!(dash.typed("web"), "\x1d");
    assert!(dash.model.state::<Insert>().is_some());
    assert!(dash.model.frame.zoom);
    dash.press("\x1d").press("j").press("\x1d");
    assert_eq!(dash.typed("web"), "", "only straight after leaving");
    assert!(dash.model.is_normal());
}

#[test]
fn other_leave_keys_can_be_chosen() {
    let options = Options {
        leave_keys: vec!["F12".to_owned(), "C-g".to_owned()],
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("ji\x1d");
    assert!(dash.model.state::<Insert>().is_some());
    assert!(dash.status().contains("f12 leave"), "{}", dash.status());
    dash.press("\x07");
    assert!(dash.model.is_normal());
    dash.press("i\x1b[24~");
    assert!(dash.model.is_normal());
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
fn an_ended_job_takes_no_input_and_is_restarted_after_a_second() {
    let mut dash = shop();
    dash.press("i");
    let mut web = ended("web", Status::Error, Some(1), 0);
    web.summary.group = Some("shop".to_owned());
    dash.record(&web);
    assert!(dash.status().contains("web has ended: exit 1."));
    dash.asked();
    // The rest of a word that was being typed when the job ended.
    dash.press("r");
    assert!(dash.actions().is_empty());
    assert!(
        dash.text().contains("web has ended; r runs it again"),
        "{}",
        dash.text()
    );
    dash.later(1500).press("x");
    assert!(dash.asked().is_empty());
    dash.press("r");
    assert_eq!(dash.actions(), ["restart"]);
    assert_eq!(dash.model.mode().name(), "INSERT");
    // One that had ended before can be restarted at once, and it takes no input either.
    let mut dash = Dash::new(80, 24, vec![ended("web", Status::Error, Some(1), 60_000)]);
    dash.press("i");
    dash.asked();
    dash.press("x").press("r");
    assert_eq!(dash.actions(), ["restart"]);
}

#[test]
fn pipes_get_newlines_and_end_of_input() {
    let mut pipe = record("cat");
    pipe.summary.mode = Mode::Pipe;
    let mut dash = Dash::new(80, 24, vec![pipe]);
    dash.press("i");
    dash.asked();
    dash.press("one\r\x04");
    let cmds = dash.asked();
    assert_eq!(cmds[0], Cmd::Type(id("cat"), b"one\n".to_vec()));
    let Cmd::Request(_, Action::Write(write)) = &cmds[1] else {
        panic!("{cmds:?}");
    };
    assert_eq!(write.eof, Some(true));
}

#[test]
fn confirms_a_paste_with_control_characters() {
    let long = "1\r2\r3\r4\r5\r6";
    let mut dash = shop();
    dash.press("i").press(&format!("\x1b[200~{long}\x1b[201~"));
    assert!(dash.status().contains("6 lines into web?"));
    assert!(!dash.status().contains("control"), "{}", dash.status());
    assert_eq!(dash.typed("web"), "");
    dash.press("y");
    assert_eq!(dash.typed("web"), long);
    assert!(dash.model.state::<Insert>().is_some());
    dash.press("\x1b[200~a\x03\x1b[201~");
    assert!(dash.model.state::<Confirm>().is_some());
    let status = dash.status();
    assert!(
        status.contains("1 line with 1 control character into web?"),
        "{status}"
    );
    dash.press("\r");
    assert_eq!(dash.typed("web"), "", "Enter never confirms");
    dash.press("\x1b[200~short\rpaste\x1b[201~");
    assert_eq!(dash.typed("web"), "short\rpaste");
    // A program that enabled bracketed paste gets the brackets.
    dash.screen("web", 40, 120, "\x1b[?2004h");
    dash.press(&format!("\x1b[200~{long}\x1b[201~"));
    assert_eq!(dash.typed("web"), format!("\x1b[200~{long}\x1b[201~"));
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
    let Some(Cmd::Request(RequestKind::Start, Action::Start(start))) = cmds.last() else {
        panic!("{cmds:?}");
    };
    assert_eq!(start.command, "make watch");
    assert_eq!(start.label.as_deref(), Some("w"));
    assert_eq!(start.group.as_deref(), Some("shop"));
    assert_eq!(start.cwd.as_deref(), Some("/home/me/notes"));
    assert_eq!(start.background, Some(true));
    let error = Error::new(ErrorCode::SpawnFailed, "no such directory");
    dash.link(LinkEvent::Reply(RequestKind::Start, Err(error)));
    assert!(
        dash.text()
            .contains("Nothing was started: no such directory.")
    );
    assert!(dash.status().contains("make watch"), "{}", dash.status());
    dash.press("\r");
    dash.link(LinkEvent::Reply(
        RequestKind::Start,
        Ok(json!({
            "sessionId": id("w"), "status": "running", "pid": 1, "output": "", "cursor": "x",
            "omitted": {"bytes": 0, "lines": 0},
        })),
    ));
    dash.record(&record("w"));
    assert_eq!(dash.model.selected, at("w"));
}

#[test]
fn the_selection_moves_and_returns() {
    let mut dash = shop();
    assert_eq!(dash.model.selected, at("web"));
    dash.press("G");
    assert_eq!(dash.model.selected, at("build"));
    dash.later(2000).press("1");
    assert_eq!(dash.model.selected, at("migrate"));
    dash.press("-");
    assert_eq!(dash.model.selected, at("build"));
    dash.press("-");
    assert_eq!(dash.model.selected, at("migrate"), "there and back again");
    dash.press("j!");
    assert_eq!(dash.model.selected, at("migrate"));
    dash.press("!");
    assert_eq!(dash.model.selected, at("lint"));
    dash.press("h");
    assert!(matches!(dash.model.selected, Selected::Group(_)));
    dash.press("gG");
    assert_eq!(dash.model.rows.len(), 7);
    dash.press("l");
    assert_eq!(dash.model.rows.len(), 10);
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
    assert_eq!(dash.model.selected, at("api"));
    dash.press("i").event(EventKind::Removed, "api", json!({}));
    assert!(dash.model.is_normal());
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
fn the_filter_is_kept_or_cleared() {
    let mut dash = shop();
    dash.press("/lint\r");
    assert_eq!(dash.model.selected, at("lint"));
    assert_eq!(dash.model.filter, "lint");
    dash.press("\x1b");
    assert_eq!(dash.model.filter, "");
    dash.press("/x\x1b");
    assert_eq!(dash.model.filter, "");
}

#[test]
fn esc_undoes_one_step_and_never_quits() {
    let mut dash = shop();
    dash.press("/a\r").press("z");
    for _ in 0..5 {
        dash.press("\x1b");
    }
    assert!(!dash.model.frame.zoom && dash.model.filter.is_empty());
    assert!(!dash.asked().iter().any(|cmd| matches!(cmd, Cmd::Quit(_))));
}

#[test]
fn ctrl_c_leaves_prompts_and_closes_nothing() {
    for keys in [
        "/web", "F", "n", "c", "e", ":stop", "x", "X", "y", "K", "Q", "I", "?", "f", "s/err",
        "1\t", "7d",
    ] {
        let mut dash = shop();
        dash.press("\x03");
        dash.press(keys);
        assert!(!dash.model.is_normal(), "{keys}");
        dash.asked();
        dash.press("\x03");
        if keys == "s/err" {
            assert!(dash.status().starts_with(" SCROLL "), "{keys}");
            continue;
        }
        assert!(dash.model.is_normal(), "{keys}");
        assert!(!dash.text().contains("Nothing on"), "{keys}");
        // The next one is the first in NORMAL.
        dash.press("\x03");
        let asked = dash.asked();
        let ends = |cmd: &Cmd| match cmd {
            Cmd::Quit(_) => true,
            Cmd::Request(_, action) => ["kill", "remove", "start"].contains(&action.name()),
            _ => false,
        };
        assert!(!asked.iter().any(ends), "{keys}: {asked:?}");
    }
}

#[test]
fn esc_clears_the_filter_before_the_marks() {
    let mut dash = shop();
    dash.press("*").press("/web\r");
    dash.press("\x1b").press("\x1b");
    assert_eq!(dash.model.filter, "");
    assert!(dash.model.marked.is_empty());
    dash.press("*").press("/web\r").press("\x1b").later(50);
    assert_eq!(dash.model.filter, "");
    assert!(!dash.model.marked.is_empty(), "these are next");
}

#[test]
fn ctrl_c_twice_closes_the_view() {
    let mut dash = shop();
    dash.press("\x03").later(3000).press("\x03");
    assert!(dash.asked().is_empty(), "too far apart");
    dash.press("\x03");
    assert_eq!(dash.asked(), [Cmd::Quit(Exit::Closed)]);
}

#[test]
fn closing_prints_the_jobs_that_keep_running() {
    let mut dash = shop();
    dash.press("q");
    assert_eq!(dash.asked(), [Cmd::Quit(Exit::Closed)]);
    assert_eq!(
        farewell(&dash.model).unwrap(),
        "6 jobs keep running (1 needs input: migrate). Back: bgproc   Stop all: bgproc stop --all"
    );
    assert_eq!(farewell(&Dash::new(80, 24, Vec::new()).model), None);
}

#[test]
fn attach_opens_one_job_and_detaches() {
    let options = Options {
        job: Some(id("web").to_string()),
        ..Options::default()
    };
    let mut dash = Dash::with(options.clone(), 80, 24, shop_records());
    assert!(dash.model.state::<Insert>().is_some());
    assert!(dash.model.frame.zoom);
    dash.asked();
    dash.press("\x1d");
    assert!(dash.model.frame.zoom, "NORMAL over the zoomed screen");
    dash.press("d");
    assert_eq!(dash.asked(), [Cmd::Quit(Exit::Closed)]);
    assert_eq!(
        farewell(&dash.model).unwrap(),
        "web keeps running. Back: bgproc attach web"
    );
    let back = |label: Option<&str>| {
        let mut record = record("web");
        record.summary.label = label.map(str::to_owned);
        farewell(&Dash::with(options.clone(), 80, 24, vec![record]).model).unwrap()
    };
    let of_id = format!(
        "npm run web keeps running. Back: bgproc attach {}",
        id("web")
    );
    assert_eq!(back(None), of_id, "a command is no name");
    let blanks = "sp ace & b keeps running. Back: bgproc attach 'sp ace & b'";
    assert_eq!(back(Some("sp ace & b")), blanks);
    let mut dash = Dash::with(options, 80, 24, Vec::new());
    let cmds = dash.asked();
    let Some(Cmd::Quit(Exit::Failed(error))) = cmds.last() else {
        panic!("{cmds:?}");
    };
    assert_eq!(error.code, ErrorCode::SessionNotFound);
}

#[test]
fn a_read_only_view_changes_nothing() {
    let options = Options {
        job: Some(id("web").to_string()),
        read_only: true,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.asked();
    for key in [
        "i", "\r", "x", "y", "X", "y", "r", "y", "p", "n", "\x1d", "si",
    ] {
        dash.press(key);
        assert!(dash.model.state::<Insert>().is_none(), "{key:?}");
    }
    let changing = ["kill", "restart", "signal", "write", "start", "resize"];
    assert!(!dash.actions().iter().any(|name| changing.contains(name)));
    dash.press("\x1b");
    dash.press("q");
    assert_eq!(dash.asked(), [Cmd::Quit(Exit::Closed)]);
}

#[test]
fn without_a_status_line_the_job_uses_the_whole_window() {
    let options = Options {
        job: Some(id("web").to_string()),
        status_line: false,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    assert_eq!(dash.model.pane_size().unwrap().rows(), 24);
    dash.press("\x1d");
    assert!(dash.status().contains("NORMAL"));
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
    let scroll = dash.model.scroll.as_mut().unwrap();
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
    assert_eq!(dash.actions(), ["subscribe", "list", "watch"]);
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
fn keys_behind_lost_ones_are_held_back_until_a_person_says_so() {
    let mut dash = shop();
    dash.press("i").press("rm ");
    assert_eq!(dash.typed("web"), "rm ");
    let error = Error::new(ErrorCode::HostUnreachable, "no answer");
    let lost = RequestKind::Type(id("web"), Keys::Part);
    dash.link(LinkEvent::Reply(lost, Err(error)));
    // `i` in a row with other keys is a part of the text.
    dash.types(100, "-rfi x").press("\r");
    assert_eq!(dash.typed("web"), "");
    dash.snapshot("insert-lost-80x24");
    dash.later(1000).read(b"x");
    assert_eq!(dash.typed("web"), "", "it is no answer");
    dash.later(1000).press("i").press("ls\r");
    assert_eq!(dash.typed("web"), "ls\r");
    // A program that refuses is not a connection that loses.
    let error = Error::new(ErrorCode::PermissionDenied, "held");
    let refused = RequestKind::Type(id("web"), Keys::Part);
    dash.link(LinkEvent::Reply(refused, Err(error)));
    dash.press("ls");
    assert_eq!(dash.typed("web"), "ls");
    // It can be left as always.
    let error = Error::new(ErrorCode::HostUnreachable, "no answer");
    let lost = RequestKind::Type(id("web"), Keys::Part);
    dash.link(LinkEvent::Reply(lost, Err(error)));
    dash.press("\x1d");
    assert!(dash.model.is_normal());
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

//! Tests of the forms: a new job, a copy of a job, and editing a job.

use serde_json::json;

use crate::protocol::params::{Set, Start};
use crate::protocol::policy::RestartWhen;
use crate::protocol::{Action, Error, ErrorCode, EventKind, Notice, Status, Timestamp};
use crate::tui::message::{Cmd, Done, Effect, Event, LinkEvent, RequestKind};
use crate::tui::modes::form::fields::Form;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{HOME, NOW, id, record, shop_records};

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("2");
    dash.asked();
    dash
}

fn suggest(dash: &mut Dash, targets: &[&str], history: &[&str]) {
    let words = |list: &[&str]| list.iter().map(|&one| one.to_owned()).collect();
    dash.happen(Event::Done(Done::Suggested {
        dir: format!("{HOME}/shop"),
        targets: words(targets),
        history: words(history),
    }));
}

fn started(dash: &mut Dash) -> Start {
    let cmds = dash.asked();
    let Some(Cmd::Request(RequestKind::Start(_), Action::Start(start))) = cmds.last() else {
        panic!("{cmds:?}");
    };
    start.clone()
}

fn set(dash: &mut Dash) -> Option<Set> {
    dash.asked().into_iter().find_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Set(..), Action::Set(set)) => Some(set),
        _ => None,
    })
}

#[test]
fn suggests_commands_of_the_project_and_the_shell() {
    let mut dash = shop(80, 24);
    dash.press("n");
    let asked = dash.asked();
    let effect = Cmd::Effect(Effect::Suggest(format!("{HOME}/shop")));
    assert!(asked.contains(&effect), "{asked:?}");
    suggest(
        &mut dash,
        &["npm run dev", "npm run build"],
        &["git fetch", "npm test"],
    );
    dash.snapshot("form-suggests-80x24");
    dash.press("npm t");
    assert!(dash.status().contains("npm test"), "{}", dash.status());
    dash.press("\x1b[C\r");
    assert_eq!(started(&mut dash).command, "npm test");

    let mut dash = shop(40, 12);
    dash.press("n");
    suggest(&mut dash, &["npm run dev"], &[]);
    dash.press("npm").snapshot("form-suggests-40x12");
    dash.press("\x05").press("\x01").press("time ");
    dash.press("\r");
    assert_eq!(started(&mut dash).command, "time npm run dev");
}

#[test]
fn lists_commands_that_are_narrowed_by_typing_and_picked_by_arrows() {
    let targets = [
        "npm run dev",
        "npm run build",
        "make all",
        "cargo test --test suite",
    ];
    for (width, height) in [(80, 24), (40, 12), (20, 5)] {
        let mut dash = shop(width, height);
        dash.press("n");
        suggest(&mut dash, &targets, &["git fetch", "git push"]);
        dash.snapshot(&format!("form-list-{width}x{height}"));
    }
    let mut dash = shop(80, 24);
    dash.press("n");
    suggest(&mut dash, &targets, &["git fetch", "git push"]);
    dash.press("suite test");
    let text = dash.text();
    assert!(text.contains(" cargo test --test suite "), "{text}");
    assert!(!text.contains("git fetch"), "{text}");
    dash.press("\x1b[A\r");
    assert_eq!(started(&mut dash).command, "cargo test --test suite");
    // Back to what was typed, and past the last one.
    let mut dash = shop(80, 24);
    dash.press("n");
    suggest(&mut dash, &[], &["git fetch", "git push"]);
    dash.press("git").press("\x1b[A\x1b[A\x1b[A");
    assert!(dash.status().contains("run: git push"), "{}", dash.status());
    dash.press("\x1b[B\x1b[B");
    assert!(dash.status().contains("run: git fetch"), "a ghost");
    dash.press("\r");
    assert_eq!(started(&mut dash).command, "git");
}

#[test]
fn a_paste_changes_the_picked_command() {
    let mut dash = shop(80, 24);
    dash.press("n");
    suggest(&mut dash, &[], &["git fetch", "git push", "ls"]);
    dash.press("git").press("\x1b[A");
    dash.press("\x1b[200~ --all\x1b[201~");
    let text = dash.text();
    assert!(!text.contains("git push"), "the list narrows: {text}");
    // The arrows now start from what was pasted.
    dash.press("\x1b[B\r");
    assert_eq!(started(&mut dash).command, "git fetch --all");
}

#[test]
fn edit_stays_open_without_effect_when_its_job_is_removed() {
    let closes = |dash: &mut Dash| {
        dash.asked();
        dash.press("xy\r");
        assert_eq!(dash.asked(), [], "the letters are no commands");
        let status = dash.status();
        assert!(status.contains("web was removed; not changed: npm run web --port 1"));
        dash.press("\x1b");
        assert!(dash.model.is_normal());
    };
    let mut dash = shop(80, 24);
    dash.press("e --port 1");
    dash.event(EventKind::Removed, "api", json!({}));
    assert!(dash.model.state::<Form>().is_some(), "another job");
    dash.event(EventKind::Removed, "web", json!({}));
    closes(&mut dash);
    // The refusal may come before the event.
    let mut dash = shop(80, 24);
    dash.press("e --port 1\r");
    let error = Error::session_not_found(id("web").as_str());
    let tag = RequestKind::Set(id("web"), Some(1));
    dash.link(LinkEvent::Reply(tag, Err(error)));
    closes(&mut dash);
}

#[test]
fn edit_begins_at_the_command() {
    let mut dash = shop(80, 24);
    dash.press("e --port 1\r");
    let sent = set(&mut dash).and_then(|set| set.command);
    assert_eq!(sent.as_deref(), Some("npm run web --port 1"));
}

#[test]
fn shows_all_lines_of_a_command_beside_the_focused_field() {
    let long = "docker run --rm ".repeat(30);
    let mut records = shop_records();
    records[0].summary.command = format!("{long} the-end");
    let mut dash = Dash::new(80, 24, records);
    dash.press("2").press("e\t");
    let text = dash.text();
    assert!(text.matches("docker").count() >= 30, "{text}");
    assert!(text.contains("the-end"), "{text}");
    let mut dash = lines();
    dash.press("e").snapshot("form-lines-80x24");
}

#[test]
fn fields_for_which_there_is_no_room_are_left_out_far_from_the_focus() {
    let mut dash = shop(80, 24);
    dash.press("e");
    let status = dash.status();
    assert!(
        status.contains("run: npm run web ") && status.contains("restart: no  …"),
        "{status}"
    );
    dash.press("\t\t\t\t\tfailed");
    let status = dash.status();
    assert!(
        status.contains("… name: web") && status.contains("notify: failed"),
        "{status}"
    );
    assert!(dash.text().contains("\n npm run web"), "{}", dash.text());
    let mut wide = shop(120, 24);
    wide.press("e");
    assert!(wide.status().contains("notify:"), "{}", wide.status());
}

#[test]
fn another_directory_brings_other_suggestions() {
    let mut dash = shop(80, 24);
    dash.press("n\t\t\t");
    dash.asked();
    dash.press("\x15~/notes\t");
    let effect = Cmd::Effect(Effect::Suggest(format!("{HOME}/notes")));
    let asked = dash.asked();
    assert!(asked.contains(&effect) && asked.len() == 2, "{asked:?}");
    // Suggestions for the previous directory arrive too late.
    suggest(&mut dash, &["npm run dev"], &[]);
    assert!(!dash.status().contains("npm run dev"));
}

#[test]
fn shows_a_long_command_in_full() {
    let long = "docker run --rm -it -v /home/me/shop:/shop -p 3000:3000 --name shop node:22 npm run dev -- --host 0.0.0.0";
    for (width, height) in [(80, 24), (40, 12), (20, 5)] {
        let mut dash = shop(width, height);
        dash.press("n").press(long);
        dash.snapshot(&format!("form-long-{width}x{height}"));
    }
}

#[test]
fn a_copy_has_the_same_mode_and_size_and_a_free_name() {
    let mut dash = shop(80, 24);
    dash.press("c").snapshot("duplicate-80x24");
    dash.press("\r");
    let start = started(&mut dash);
    assert_eq!(start.command, "npm run web");
    assert_eq!(start.label.as_deref(), Some("web-2"));
    assert_eq!(start.group.as_deref(), Some("shop"));
    assert_eq!(start.cwd, Some(format!("{HOME}/shop")));
    assert_eq!((start.rows, start.cols), (Some(40), Some(120)));
    let mut records = shop_records();
    let mut second = record("second");
    second.summary.label = Some("web-2".to_owned());
    records.push(second);
    let mut dash = Dash::new(80, 24, records);
    dash.press("/web\r").press("jjc");
    assert!(dash.status().contains("web-3"), "{}", dash.status());
}

#[test]
fn a_copy_of_a_job_of_a_host_starts_there_in_the_same_directory() {
    // The directories of both machines have the same names.
    for cwd in [
        format!("{HOME}/shop"),
        format!("{HOME}/far"),
        "/srv".to_owned(),
    ] {
        let mut far = record("web");
        far.summary.session_id = id("web").at("gpu1").unwrap();
        far.summary.host = Some("gpu1".to_owned());
        far.summary.cwd.clone_from(&cwd);
        let records = vec![record("web"), far];
        let mut dash = Dash::new(120, 40, records.clone());
        let listed = json!({ "sessions": records, "counts": {}, "hosts": [{
            "name": "gpu1", "state": "up", "since": Timestamp(NOW), "error": null, "retryAt": null,
            "lastSeen": null, "connect": "demand", "agents": false, "version": null, "sessions": 1,
        }]});
        dash.link(LinkEvent::Reply(RequestKind::List, Ok(listed)));
        crate::tui::list::select::job(&mut dash.model, &id("web").at("gpu1").unwrap());
        dash.later(50).asked();
        dash.press("c");
        assert_eq!(
            dash.actions(),
            [""; 0],
            "no project of this machine is offered"
        );
        dash.press("\r");
        let start = started(&mut dash);
        assert_eq!(start.host.as_deref(), Some("gpu1"));
        assert_eq!(start.label.as_deref(), Some("web-2"));
        assert_eq!(start.cwd, Some(cwd));
    }
}

#[test]
fn refuses_an_ambiguous_name_in_its_field() {
    let mut dash = shop(120, 24);
    dash.press("nsleep 1\tw*\r");
    let asked = dash.asked();
    let starts = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Start(_), _));
    assert!(!asked.iter().any(starts), "{asked:?}");
    assert!(dash.text().contains("not a valid name"), "{}", dash.text());
    dash.press("\x15web-9\r");
    let start = started(&mut dash);
    assert_eq!(start.label.as_deref(), Some("web-9"));
    assert_eq!(start.unique_label, Some(true));
    let taken = Error::new(
        ErrorCode::InvalidRequest,
        "a job named web-9 is running already",
    );
    dash.link(LinkEvent::Reply(RequestKind::Start(1), Err(taken)));
    assert!(dash.text().contains("a job named web-9"));
    assert!(dash.model.state::<Form>().is_some());
    dash.press("\x1be\t\x15a/b\r");
    assert_eq!(set(&mut dash), None);
    assert!(
        dash.text().contains("separates a project"),
        "{}",
        dash.text()
    );
}

#[test]
fn a_read_only_view_submits_nothing() {
    let mut dash = shop(80, 24);
    dash.press("nmake");
    dash.model.options.read_only = true;
    dash.asked();
    dash.press("\r");
    assert_eq!(dash.actions(), [""; 0]);
    assert!(dash.text().contains("read-only"), "{}", dash.text());
}

#[test]
fn sends_only_changed_fields() {
    let mut dash = shop(80, 24);
    dash.press("e").snapshot("edit-80x24");
    dash.press("\r");
    assert_eq!(set(&mut dash), None);
    assert!(dash.text().contains("Nothing was changed"));
    dash.press("e\x15npm start\t\x15shop-web\t\t\x15yes\t\x15on-failure:3\t\x15failed, done\r");
    let Some(sent) = set(&mut dash) else {
        panic!("{}", dash.text());
    };
    assert_eq!(sent.label.as_deref(), Some("shop-web"));
    assert_eq!((sent.group, sent.keep), (None, Some(true)));
    let restart = sent
        .restart
        .map(|policy| (policy.policy, policy.max_retries));
    assert_eq!(restart, Some((RestartWhen::OnFailure, Some(3))));
    assert_eq!(sent.notify, Some(vec![Notice::Failed, Notice::Done]));
    assert_eq!(sent.command.as_deref(), Some("npm start"));
    // A mistake does not lose what was typed.
    let error = Error::new(ErrorCode::InvalidRequest, "`label` has control characters");
    let tag = RequestKind::Set(id("web"), Some(1));
    dash.link(LinkEvent::Reply(tag, Err(error)));
    assert!(dash.model.state::<Form>().is_some());
    dash.press("\r");
    let mut web = record("web");
    web.summary.command = "npm start".to_owned();
    dash.link(LinkEvent::Reply(
        RequestKind::Set(id("web"), Some(2)),
        Ok(json!(web)),
    ));
    assert!(dash.model.is_normal());
    assert!(dash.text().contains("its next run"), "{}", dash.text());
}

#[test]
fn a_changed_job_of_a_queue_starts_in_its_turn() {
    let mut lint = record("lint");
    (lint.summary.status, lint.summary.pid) = (Status::Queued, None);
    let mut dash = Dash::new(120, 24, vec![lint.clone()]);
    dash.press("e\x15npm run lint2\r");
    assert!(set(&mut dash).is_some(), "{}", dash.text());
    lint.summary.command = "npm run lint2".to_owned();
    let tag = RequestKind::Set(id("lint"), Some(1));
    dash.link(LinkEvent::Reply(tag, Ok(json!(lint))));
    let said = dash.model.toasts.said().next_back().unwrap();
    assert_eq!(
        said.text,
        "lint is changed; it starts in its turn, with the new command"
    );
}

#[test]
fn a_late_reply_leaves_another_form_open() {
    let begun = json!({
        "sessionId": id("w"), "status": "running", "pid": 1, "output": "", "cursor": "x",
        "omitted": {"bytes": 0, "lines": 0},
    });
    let taken = || {
        Error::new(
            ErrorCode::InvalidRequest,
            "a job named w is running already",
        )
    };
    let mut dash = shop(80, 24);
    dash.press("nsleep 1\r\x1b").press("nmake xy");
    dash.link(LinkEvent::Reply(RequestKind::Start(1), Ok(begun)));
    dash.asked();
    dash.press("x");
    assert!(dash.status().contains("make xyx"), "{}", dash.status());
    assert_eq!(dash.actions(), [""; 0], "the letter is no command");
    // A refusal of another one does not open a form that waits for its own reply.
    dash.press("\r")
        .link(LinkEvent::Reply(RequestKind::Start(1), Err(taken())));
    assert!(
        dash.status().contains("starting make xyx"),
        "{}",
        dash.status()
    );
    dash.link(LinkEvent::Reply(RequestKind::Start(2), Err(taken())));
    assert!(dash.status().contains("run: make xyx"), "{}", dash.status());
    // The same for a change of a job.
    dash.press("\x1b").press("e --port 1\r\x1b").press("nmake");
    let tag = RequestKind::Set(id("web"), Some(3));
    dash.link(LinkEvent::Reply(tag, Ok(json!(record("web")))));
    assert!(dash.status().contains("run: make"), "{}", dash.status());
}

#[test]
fn a_form_whose_request_is_sent_again_waits_for_its_reply() {
    let mut dash = shop(80, 24);
    dash.press("nsleep 1\r")
        .link(LinkEvent::Down)
        .link(LinkEvent::Up);
    dash.list(shop_records()).asked();
    dash.press("\r");
    assert!(!dash.actions().contains(&"start"), "it would start twice");
    assert!(
        dash.status().contains("starting sleep 1"),
        "{}",
        dash.status()
    );
    dash.link(LinkEvent::Dropped(RequestKind::Start(1)));
    assert!(dash.status().contains("run: sleep 1"), "{}", dash.status());
}

#[test]
fn reports_invalid_fields_before_sending() {
    for keys in [
        "e\t\t\t\x15maybe\r",
        "e\t\t\t\t\x15sometimes\r",
        "e\t\t\t\t\t\x15failed,never\r",
        "e\x15\r",
    ] {
        let mut dash = shop(80, 24);
        dash.press(keys);
        assert_eq!(set(&mut dash), None, "{keys}");
        assert!(dash.model.state::<Form>().is_some(), "{keys}");
    }
}

/// A job whose command does not fit on one line.
fn lines() -> Dash {
    let mut records = shop_records();
    let mut job = record("lines");
    job.summary.label = Some("lines".to_owned());
    job.summary.command = LINES.to_owned();
    records.push(job);
    let mut dash = Dash::new(80, 24, records);
    dash.press("/lines\r").press("j");
    dash.asked();
    dash
}

const LINES: &str = "cat <<E\n# no comment\nE\n";

#[test]
fn a_multiline_command_is_unchanged_when_started_again() {
    let mut dash = lines();
    dash.press("c");
    assert!(dash.status().contains("cat <<E # no"), "{}", dash.status());
    dash.press("\r");
    assert_eq!(started(&mut dash).command, LINES);
    let mut dash = lines();
    dash.press("n").press("cat");
    dash.press("\x1b[A\r");
    assert_eq!(started(&mut dash).command, LINES);
    // Back and forth: the command that runs is the one that was typed.
    let mut dash = lines();
    dash.press("n").press("cat");
    dash.press("\x1b[A\x1b[B\r");
    assert_eq!(started(&mut dash).command, "cat");
}

#[test]
fn refuses_to_edit_a_multiline_command_in_one_line() {
    let mut dash = lines();
    dash.press("e\r");
    assert!(dash.text().contains("Nothing was changed"));
    dash.press("e x\r");
    assert_eq!(set(&mut dash), None);
    assert!(dash.text().contains("Not in one line"), "{}", dash.text());
    dash.press("\x15\x19ls\r");
    let sent = set(&mut dash).and_then(|set| set.command);
    assert_eq!(sent.as_deref(), Some("ls"));
    let mut dash = lines();
    dash.press("c").press(" x\r");
    // The jobs of the project file, to offer them.
    assert_eq!(dash.actions(), ["project"]);
    assert!(dash.text().contains("Not in one line"), "{}", dash.text());
}

#[test]
fn what_was_typed_for_a_new_job_outlives_a_slip_of_esc() {
    let mut dash = shop(120, 24);
    dash.press("nmake test");
    dash.press("\x1b");
    assert!(dash.status().contains("NORMAL"), "{}", dash.status());
    dash.press("n");
    assert!(dash.status().contains("make test"), "{}", dash.status());
    // It can be edited, and started.
    dash.press("\x1b[C2\r");
    assert_eq!(started(&mut dash).command, "make test2");
    dash.press("\x1b");
    // What was asked for, and what was emptied, is not kept.
    dash.press("n");
    assert!(!dash.status().contains("make"), "{}", dash.status());
    dash.press("zzz\x15\x1bn");
    assert!(!dash.status().contains("zzz"), "{}", dash.status());
}

#[test]
fn a_refusal_after_esc_loses_nothing_that_was_typed() {
    let taken = || Error::new(ErrorCode::InvalidRequest, "no such directory");
    let mut dash = shop(120, 24);
    dash.press("nmake test\r").press("\x1b");
    assert!(dash.model.is_normal());
    dash.press("n");
    assert!(!dash.status().contains("make"), "it is submitted");
    dash.press("\x1b");
    dash.link(LinkEvent::Reply(RequestKind::Start(1), Err(taken())));
    let text = dash.text();
    assert!(text.contains("n opens it again"), "{text}");
    dash.press("n");
    assert!(dash.status().contains("make test"), "{}", dash.status());
    // It can be submitted again.
    dash.press("\r");
    assert_eq!(started(&mut dash).command, "make test");
    // Of a change as well.
    let mut dash = shop(120, 24);
    dash.press("e --port 1\r").press("\x1b");
    let tag = RequestKind::Set(id("web"), Some(1));
    dash.link(LinkEvent::Reply(tag, Err(taken())));
    let text = dash.text();
    assert!(text.contains("e on web opens it again"), "{text}");
    dash.press("e\r");
    assert!(
        set(&mut dash)
            .unwrap()
            .command
            .unwrap()
            .ends_with("--port 1")
    );
    // What was done is not kept.
    dash.press("\x1b");
    let tag = RequestKind::Set(id("web"), Some(2));
    dash.link(LinkEvent::Reply(tag, Ok(json!(record("web")))));
    dash.press("e");
    assert!(!dash.status().contains("--port"), "{}", dash.status());
}

#[test]
fn what_was_typed_into_a_copy_or_a_change_outlives_a_slip_of_esc() {
    for (key, said) in [
        ("c", "Not started. c on web"),
        ("e", "Not changed. e on web"),
    ] {
        let mut dash = shop(120, 24);
        dash.press(key).press(" --port 1").press("\x1b");
        assert!(dash.model.is_normal());
        assert!(dash.text().contains(said), "{}", dash.text());
        // Other forms are not that one.
        dash.press("n");
        assert!(
            !dash.status().contains("--port"),
            "{key}: {}",
            dash.status()
        );
        dash.press("make\x1b").press("j").press(key);
        assert!(
            !dash.status().contains("--port"),
            "{key}: {}",
            dash.status()
        );
        dash.press("\x1b").press("k").press(key);
        assert!(
            dash.status().contains("--port 1"),
            "{key}: {}",
            dash.status()
        );
        dash.press("\x1b[C0\r");
        let cmds = dash.asked();
        let command = cmds.iter().rev().find_map(|cmd| match cmd {
            Cmd::Request(_, Action::Start(start)) => Some(start.command.clone()),
            Cmd::Request(_, Action::Set(set)) => set.command.clone(),
            _ => None,
        });
        assert!(command.unwrap().ends_with("web --port 10"), "{key}");
        // One in which nothing was typed is not kept.
        let mut dash = shop(120, 24);
        dash.press(key).press("\x1b");
        assert!(!dash.text().contains("opens it again"), "{}", dash.text());
    }
}

#[test]
fn another_command_is_not_added_to_one_that_was_left() {
    let mut dash = shop(120, 24);
    dash.press("nrm -rf build\x1b").press("nmake\r");
    assert_eq!(started(&mut dash).command, "make");
    // A key that moves the cursor keeps it.
    let mut dash = shop(120, 24);
    dash.press("nmake\x1b").press("n\x1b[C test\r");
    assert_eq!(started(&mut dash).command, "make test");
}

#[test]
fn a_rename_begins_at_the_name() {
    let mut dash = shop(120, 24);
    dash.press(":rename\r").press("front\r");
    let set = set(&mut dash).unwrap();
    assert_eq!(set.label.as_deref(), Some("front"));
    assert_eq!(set.command, None);
}

#[test]
fn values_of_an_edited_job_are_shown_and_replaced() {
    let mut dash = shop(120, 24);
    dash.press("e\t\t\t");
    assert!(dash.text().contains("yes no"), "{}", dash.text());
    dash.press("yes\t");
    assert!(dash.text().contains("on-failure"), "{}", dash.text());
    dash.press("always\r");
    let set = set(&mut dash).unwrap();
    assert_eq!(set.keep, Some(true));
    assert_eq!(set.restart.unwrap().policy, RestartWhen::Always);
}

#[test]
fn a_draft_says_that_it_is_one_and_can_be_dropped() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("2").press("e").press("x\x1b").later(50);
    dash.press("e");
    let text = dash.text();
    assert!(
        text.contains("A draft: this is what you typed before, not what"),
        "{text}"
    );
    assert!(text.contains("ctrl-r drop the draft"), "{text}");
    dash.press("\x12");
    assert!(
        dash.status().contains("run: npm run web"),
        "{}",
        dash.status()
    );
    assert!(!dash.text().contains("drop the draft"), "{}", dash.text());
    // A new job begins with an empty form.
    dash.press("\x1b").later(50);
    dash.press("n").press("make\x1b").later(50);
    dash.press("n").press("\x12");
    assert!(!dash.text().contains("make"), "{}", dash.text());
}

#[test]
fn values_are_chosen_with_the_arrows_and_with_space() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("2").press("e").press("\t\t\t");
    let pin = |dash: &Dash| dash.status().contains("pin: yes");
    assert!(!pin(&dash), "{}", dash.status());
    for key in [" ", "\x1b[C", "\x1b[D", "\x1b[A", "\x1b[B"] {
        let before = pin(&dash);
        dash.press(key);
        assert_ne!(pin(&dash), before, "{key:?}: {}", dash.status());
    }
    dash.press("\t").press(" ");
    assert!(
        dash.status().contains("restart: on-failure"),
        "{}",
        dash.status()
    );
    dash.press("always:7");
    assert!(
        dash.status().contains("restart: always:7"),
        "{}",
        dash.status()
    );
    // In a text that has been changed, space is a blank.
    dash.press(" ");
    assert!(
        dash.status().contains("restart: always:7"),
        "{}",
        dash.status()
    );
}

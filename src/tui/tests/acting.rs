//! Tests of actions on jobs: replies, removing and undoing, signals, groups, stopping and closing.

use serde_json::json;

use super::harness::Dash;
use super::jobs::{HOME, ended, id, record, shop_records};
use crate::protocol::status::InputState;
use crate::protocol::{Action, Error, ErrorCode, EventKind, Mode as JobMode, Record, Status};
use crate::tui::message::{Cmd, Event, Exit, LinkEvent, RequestKind};
use crate::tui::model::Selected;
use crate::tui::modes::form::fields::Form;
use crate::tui::modes::menu::Menu;
use crate::tui::options::Options;
use crate::tui::requests;

/// The job `migrate` at its password prompt, selected.
fn migrate(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.screen(
        "migrate",
        40,
        120,
        "$ ./migrate.sh --target prod\r\nApplying 0042_add_cart_index.sql ... ok\r\n\
         This migration rewrites 1 204 117 rows.\r\n\r\nPassword for migrate (db.prod): ",
    );
    dash.asked();
    dash
}

fn asks(state: InputState) -> Record {
    let mut migrate = record("migrate");
    migrate.summary.group = Some("shop".to_owned());
    migrate.summary.input_state = state;
    migrate
}

/// The data written, whether Enter follows, and whether a newline follows.
fn written(dash: &mut Dash) -> Option<(String, bool, bool)> {
    dash.asked().into_iter().find_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Type(..), Action::Write(write)) => Some((
            write.data.unwrap_or_default(),
            write.submit == Some(true),
            write.newline == Some(true),
        )),
        _ => None,
    })
}

#[test]
fn replies_to_a_password_prompt_without_showing_it() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (20, 5)] {
        let mut dash = migrate(width, height);
        let before = dash.text();
        dash.press("\t");
        dash.snapshot(&format!("reply-hidden-{width}x{height}"));
        let empty = dash.text();
        dash.press("hunter2");
        assert_eq!(dash.text(), empty, "not even its length");
        dash.press("\r");
        let sent = written(&mut dash);
        assert_eq!(sent, Some(("hunter2".to_owned(), true, false)));
        assert!(dash.model.is_normal());
        assert!(!dash.text().contains("hunter2"));
        dash.later(6000);
        assert_eq!(
            dash.text().lines().next(),
            before.lines().next(),
            "nothing stays"
        );
    }
}

#[test]
fn shows_a_reply_if_the_job_echoes() {
    let mut dash = migrate(80, 24);
    dash.record(&asks(InputState::Line)).press("\tyes please");
    dash.snapshot("reply-80x24");
    dash.press("\x17no\r");
    let sent = written(&mut dash);
    assert_eq!(sent, Some(("yes no".to_owned(), true, false)));
    let text = dash.text();
    assert!(text.contains("answered migrate"), "{text}");
    assert!(text.contains("bgproc send migrate 'yes no'"), "{text}");
}

#[test]
fn a_reply_follows_the_input_state_of_the_job() {
    let mut dash = migrate(80, 24);
    dash.record(&asks(InputState::Line)).press("\tme");
    dash.record(&asks(InputState::Password)).press("secret");
    assert!(!dash.text().contains("secret") && dash.status().contains("hidden"));
    // The job gave up the password prompt and asks for something else.
    dash.record(&asks(InputState::Line));
    assert!(!dash.text().contains("secret"), "{}", dash.text());
    dash.press("\r");
    assert_eq!(written(&mut dash).map(|sent| sent.0), Some(String::new()));
    // A secret is not sent to a job that no longer asks for it, and stays typed in case it asks again.
    dash.record(&asks(InputState::Password)).press("\tsecret");
    for state in [InputState::None, InputState::Raw, InputState::Unknown] {
        dash.record(&asks(state)).press("\r");
        assert_eq!(written(&mut dash), None, "{state:?}");
        assert!(dash.text().contains("is not waiting for a password now"));
        assert!(!dash.text().contains("secret"), "{}", dash.text());
    }
    dash.record(&asks(InputState::Password)).press("\r");
    let sent = written(&mut dash).map(|sent| sent.0);
    assert_eq!(sent.as_deref(), Some("secret"));
}

#[test]
fn replies_only_to_waiting_jobs() {
    let mut dash = migrate(80, 24);
    dash.press("j\t");
    assert!(dash.model.is_normal());
    assert!(dash.text().contains("is not waiting for an answer"));
    let mut pipe = asks(InputState::Password);
    pipe.summary.mode = JobMode::Pipe;
    dash.record(&pipe).press("k\tx\r");
    let sent = written(&mut dash);
    assert_eq!(sent, Some(("x".to_owned(), false, true)));
    dash.press("\tx");
    dash.record(&ended("migrate", Status::Done, Some(0), 0));
    assert!(dash.text().contains("has ended; nothing was sent"));
    // The rest of the answer is swallowed.
    dash.press("x\r");
    assert_eq!(dash.model.mode().name(), "PROMPT");
    assert!(dash.status().contains("migrate has ended: hidden"));
    assert_eq!(dash.actions(), [""; 0]);
    dash.press("\x1b");
    assert!(dash.model.is_normal());
    let mut dash = migrate(80, 24);
    dash.record(&asks(InputState::Line)).press("\tme");
    dash.event(EventKind::Removed, "migrate", json!({}));
    dash.asked();
    dash.later(5000).press("x\r");
    assert_eq!(dash.actions(), [""; 0]);
    assert!(dash.status().contains("migrate was removed: me"));
}

#[test]
fn refusals_say_how_the_job_really_is() {
    let mut queued = record("next");
    queued.summary.status = Status::Queued;
    queued.summary.pid = None;
    let mut dash = Dash::new(100, 24, vec![queued]);
    dash.press("d");
    let text = dash.text();
    assert!(
        text.contains("next waits (queued). x ends the waiting"),
        "{text}"
    );
    let mut dash = Dash::new(100, 24, vec![ended("lint", Status::Error, Some(1), 0)]);
    dash.press("\t");
    let text = dash.text();
    assert!(
        text.contains("lint has ended (exit 1). r restarts it."),
        "{text}"
    );
}

#[test]
fn removes_a_row_at_once_and_sends_the_request_after_ten_seconds() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("8");
    dash.asked();
    dash.press("d");
    assert!(!dash.actions().contains(&"remove"), "not yet");
    assert!(dash.model.job(&id("build")).is_none());
    dash.snapshot("removed-80x24");
    // A new record of the job does not bring it back.
    dash.record(&ended("build", Status::Done, Some(0), 0));
    dash.list(shop_records());
    assert!(dash.model.job(&id("build")).is_none());
    dash.later(9000);
    assert!(!dash.actions().contains(&"remove"));
    assert!(dash.text().contains("ctrl-_ undo"));
    dash.later(1200);
    assert!(dash.actions().contains(&"remove"));
    assert!(!dash.text().contains("ctrl-_ undo"));
    dash.press("\x1f");
    assert!(dash.text().contains("nothing to put back"));
}

#[test]
fn a_removal_waits_without_wakeups_while_disconnected() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("8d").link(LinkEvent::Down).later(60_000);
    assert!(!dash.actions().contains(&"remove"));
    let due = dash.model.next_due().unwrap();
    assert!(due > dash.model.now.ms, "it would spin");
    dash.link(LinkEvent::Up).later(1);
    assert!(dash.actions().contains(&"remove"));
}

#[test]
fn restores_removed_jobs() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("8d").later(3000);
    dash.press("\x1f");
    assert_eq!(dash.model.list.selected, Selected::Job(id("build")));
    dash.later(20_000);
    assert!(!dash.actions().contains(&"remove"));
    // Failed jobs need a confirmation, and can be restored too.
    dash.press("7d");
    assert!(dash.status().starts_with(" REMOVE "));
    dash.press("y");
    assert!(dash.model.job(&id("lint")).is_none());
    dash.press("\x1f");
    assert!(dash.model.job(&id("lint")).is_some());
}

#[test]
fn restored_jobs_are_where_they_were() {
    let order = |dash: &Dash| -> Vec<String> {
        let jobs = dash.model.jobs.iter();
        jobs.map(|job| job.name.clone()).collect()
    };
    let mut records = vec![ended("old", Status::Done, Some(0), 90_000)];
    records.extend(shop_records());
    let mut dash = Dash::new(80, 24, records);
    let before = order(&dash);
    dash.press("/build\rd\x1b").press("/old\rd\x1b");
    assert_eq!(order(&dash).len(), before.len() - 2, "{}", dash.text());
    dash.record(&record("new"));
    dash.press("\x1f");
    let mut after = before.clone();
    after.push("new".to_owned());
    assert_eq!(order(&dash), after);
    // The form for a new job offers the newest command first.
    dash.press("n");
    let form = dash.model.state::<Form>().unwrap();
    let place = |name: &str| form.history.iter().position(|one| one.ends_with(name));
    assert_eq!(place("new"), Some(0), "{:?}", form.history);
    assert!(place("old") > place("web"), "{:?}", form.history);
}

#[test]
fn closing_sends_pending_removals() {
    for close in [Event::Input(b"q".to_vec()), Event::Terminate, Event::HangUp] {
        let mut dash = Dash::new(80, 24, shop_records());
        dash.press("8d");
        dash.asked();
        dash.happen(close);
        let cmds = dash.asked();
        assert!(
            matches!(
                cmds[..],
                [
                    Cmd::Request(RequestKind::Remove(_), Action::Remove(_)),
                    Cmd::Quit(_)
                ]
            ),
            "{cmds:?}"
        );
    }
}

#[test]
fn a_second_removal_waits_with_the_first_and_a_refusal_restores_it() {
    let mut records = shop_records();
    let mut old = ended("old", Status::Done, Some(0), 60_000);
    old.summary.cwd = format!("{HOME}/notes");
    records.push(old);
    let mut dash = Dash::new(80, 24, records);
    dash.press("6");
    dash.asked();
    dash.press("d").later(9000).press("Gd").later(9000);
    assert!(!dash.actions().contains(&"remove"), "both can be restored");
    assert!(dash.text().contains("removed 2 jobs   ctrl-_ undo"));
    dash.later(1000);
    assert_eq!(dash.actions().iter().filter(|a| **a == "remove").count(), 2);
    let error = Error::new(ErrorCode::InvalidRequest, "Session is running");
    dash.link(LinkEvent::Reply(RequestKind::Remove(id("old")), Err(error)));
    assert!(dash.text().contains("was not removed"));
    assert!(dash.actions().contains(&"status"), "asked for anew");
}

#[test]
fn removes_all_ended_jobs_after_a_confirmation() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("D").snapshot("confirm-remove-ended-80x24");
    dash.press("\r");
    assert!(dash.model.job(&id("lint")).is_some(), "Enter is no");
    dash.press("Dy");
    assert!(dash.model.job(&id("lint")).is_none());
    assert!(dash.model.job(&id("build")).is_none());
    assert!(
        dash.text().contains("bgproc rm lint build"),
        "{}",
        dash.text()
    );
    dash.press("D");
    assert!(dash.text().contains("No job has ended"));
}

#[test]
fn restarts_a_group_after_a_confirmation_that_names_it() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("2R").snapshot("confirm-restart-group-120x40");
    dash.asked();
    dash.press("y");
    assert_eq!(dash.actions(), ["restart"; 5]);
}

#[test]
fn an_answer_acts_on_the_jobs_that_it_still_applies_to() {
    let shop = || {
        let mut dash = Dash::new(120, 40, shop_records());
        dash.press("2").asked();
        dash
    };
    let over = |dash: &mut Dash, name: &str| {
        let mut over = ended(name, Status::Done, Some(0), 0);
        over.summary.group = Some("shop".to_owned());
        dash.record(&over);
        dash.asked();
    };
    let mut dash = shop();
    dash.press("gx");
    assert!(dash.status().contains("5 jobs: "), "{}", dash.status());
    over(&mut dash, "web");
    // One that has joined was not named.
    let mut joined = record("late");
    joined.summary.group = Some("shop".to_owned());
    dash.record(&joined).asked();
    assert!(dash.status().contains("4 jobs: "), "{}", dash.status());
    dash.press("y");
    assert_eq!(dash.actions(), ["kill"; 4]);
    // The only one has ended.
    for (keys, why) in [
        ("x", "runs any more"),
        ("X", "runs any more"),
        ("p", "runs now"),
        ("KK", "runs now"),
    ] {
        let mut dash = shop();
        dash.press(keys).asked();
        over(&mut dash, "web");
        dash.press("y");
        assert_eq!(dash.actions(), [""; 0], "{keys}");
        assert!(dash.text().contains(why), "{keys}: {}", dash.text());
    }
    // One that runs again is not removed.
    let mut dash = shop();
    dash.press("7d");
    assert!(dash.status().starts_with(" REMOVE"), "{}", dash.status());
    dash.record(&record("lint")).press("y");
    assert!(dash.model.removed.is_none() && dash.model.job(&id("lint")).is_some());
}

#[test]
fn sends_a_signal_by_letter() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = Dash::new(width, height, shop_records());
        dash.press("2K")
            .snapshot(&format!("signal-{width}x{height}"));
    }
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("2");
    dash.asked();
    for key in ["\r", "\x1b", "x", "y"] {
        dash.press("K").press(key);
        assert_eq!(dash.actions(), [""; 0], "{key:?}");
        assert!(dash.model.is_normal());
    }
    for key in ["i", "t", "h", "q", "1", "2", "K"] {
        for no in ["n", "\r", "\x1b", "K"] {
            dash.press("K").press(key).press(no);
            assert_eq!(dash.actions(), [""; 0], "{key} {no:?}");
        }
    }
    dash.press("KK").snapshot("confirm-signal-80x24");
    let asked = " SEND SIGKILL  to web (pid 48213, 4 processes, up 2h04m)?";
    assert!(dash.status().starts_with(asked), "{}", dash.status());
    dash.press("n").press("Kw");
    assert_eq!(dash.actions(), ["signal"], "only a repaint");
    dash.press("Kh").press("y");
    let cmds = dash.asked();
    let [Cmd::Request(tag @ RequestKind::Sent(_, "HUP"), Action::Signal(params))] = &cmds[..]
    else {
        panic!("{cmds:?}");
    };
    assert_eq!(params.target, None, "the foreground, as for the shell");
    dash.link(LinkEvent::Reply(
        tag.clone(),
        Ok(json!({"deliveredTo": [1, 2]})),
    ));
    assert!(dash.text().contains("sent HUP to web (2 processes)"));
}

#[test]
fn a_signal_to_several_jobs_names_them() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("2 3 4 Kt");
    let asked = " SEND SIGTERM  to 3 jobs: web, api, db?";
    assert!(dash.status().starts_with(asked), "{}", dash.status());
    dash.asked();
    dash.press("y");
    assert_eq!(dash.actions(), ["signal"; 3]);
    // Nothing asks if nothing is to be asked.
    let options = Options {
        asks: false,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("2").asked();
    dash.press("Kt").press("p");
    assert_eq!(dash.actions(), ["signal"; 2]);
}

#[test]
fn a_second_stop_names_no_grace_period() {
    let mut dash = Dash::new(80, 24, shop_records());
    let mut graces = Vec::new();
    for _ in 0..2 {
        let mut cmds = Vec::new();
        requests::stop(&mut dash.model, &[id("web")], false, &mut cmds);
        graces.extend(cmds.into_iter().map(|cmd| match cmd {
            Cmd::Request(_, Action::Kill(kill)) => kill.grace_ms,
            other => panic!("{other:?}"),
        }));
    }
    assert_eq!(graces, [Some(10_000), None]);
}

#[test]
fn a_kill_is_confirmed_by_one_key_only() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("2").asked();
    dash.press("XX");
    assert_eq!(dash.actions(), [""; 0]);
    dash.press("Xy");
    assert_eq!(dash.actions(), ["kill"]);
}

#[test]
fn quit_and_stop_waits_for_the_jobs_to_end() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = Dash::new(width, height, shop_records());
        dash.press("2Q").snapshot(&format!("quit-{width}x{height}"));
    }
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("2");
    for no in ["n", "\r", "y", "\x1b"] {
        dash.asked();
        dash.press("Q").press(no);
        assert_eq!(dash.asked(), [], "{no:?}");
    }
    dash.press("Qs");
    assert_eq!(dash.actions(), ["kill"; 5]);
    dash.snapshot("quitting-80x24");
    let killed = |name: &str, survivors: &[u32]| {
        let data = json!({
            "sessionId": id(name), "previousStatus": "running", "status": "killed", "exitCode": null,
            "signal": "SIGTERM", "killedPids": [1], "survivors": survivors, "output": "",
            "alreadyEnded": false, "removed": false,
        });
        LinkEvent::Reply(RequestKind::Kill(id(name), false), Ok(data))
    };
    for name in ["web", "api", "db", "tests"] {
        dash.link(killed(name, &[]));
    }
    assert!(
        dash.status().contains("stopped 4 of 5"),
        "{}",
        dash.status()
    );
    // The daemon dies: jobs still alive are stopped again.
    dash.asked();
    dash.link(LinkEvent::Down).link(LinkEvent::Up);
    dash.list(vec![asks(InputState::None)]);
    assert!(dash.actions().contains(&"kill"));
    dash.link(killed("migrate", &[]));
    let cmds = dash.asked();
    assert!(cmds.contains(&Cmd::Quit(Exit::Closed)), "{cmds:?}");

    // A surviving process keeps the view open.
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("2QA");
    dash.link(killed("web", &[5123]));
    assert!(dash.model.quitting.is_none());
    assert!(dash.text().contains("5123"));
}

#[test]
fn quit_and_stop_closes_at_once_without_running_jobs() {
    let mut dash = Dash::new(80, 24, vec![ended("build", Status::Done, Some(0), 0)]);
    dash.asked();
    dash.press("Q");
    assert!(dash.asked().contains(&Cmd::Quit(Exit::Closed)));
}

#[test]
fn a_read_only_view_offers_no_changes() {
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.asked();
    for key in ["\t", "D", "R", "K", "Q", "8d", ":stop\r", ":stop all\r"] {
        dash.press(key);
        assert!(dash.model.is_normal(), "{key}");
        assert!(dash.text().contains("read-only"), "{key}");
        dash.later(6000);
    }
    let acted: Vec<_> = dash
        .actions()
        .into_iter()
        .filter(|name| !["watch", "unwatch"].contains(name))
        .collect();
    assert_eq!(acted, [""; 0]);
}

#[test]
fn reports_actions_lost_while_disconnected() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("2").link(LinkEvent::Down).asked();
    dash.press("xy");
    assert_eq!(dash.actions(), ["kill"]);
    let state = |dash: &Dash| dash.model.job(&id("web")).unwrap().record.summary.status;
    assert_eq!(state(&dash), Status::Running, "nobody stops it");
    dash.link(LinkEvent::Dropped(RequestKind::Kill(id("web"), false)));
    let text = dash.text();
    assert!(
        text.contains("web was not stopped: the daemon is"),
        "{text}"
    );
    // Queries are repeated without a message.
    dash.press("\x1b");
    dash.link(LinkEvent::Dropped(RequestKind::Record(id("web"))));
    assert!(!dash.text().contains("restarting.  See"), "{}", dash.text());
    dash.link(LinkEvent::Dropped(RequestKind::Start(1)));
    assert!(
        dash.text().contains("Nothing was started: the daemon"),
        "{}",
        dash.text()
    );
}

#[test]
fn quit_and_stop_waits_for_the_daemon() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("2").press("Qs").asked();
    dash.link(LinkEvent::Down);
    dash.link(LinkEvent::Dropped(RequestKind::Kill(id("web"), false)));
    assert!(dash.model.quitting.is_some());
    assert!(!dash.text().contains("was not stopped"));
    dash.link(LinkEvent::Up).list(shop_records());
    assert!(dash.actions().contains(&"kill"));
}

#[test]
fn quit_and_stop_does_not_wait_for_a_job_that_somebody_else_removes() {
    let closes = |dash: &mut Dash| dash.asked().contains(&Cmd::Quit(Exit::Closed));
    let two = || vec![record("web"), record("api")];
    let mut dash = Dash::new(120, 40, two());
    dash.press("QA").asked();
    assert!(dash.model.quitting.is_some());
    dash.event(EventKind::Removed, "web", json!({}));
    assert!(!closes(&mut dash), "api runs");
    // The reply may come before the event.
    let gone = Error::session_not_found(id("api").as_str());
    let tag = RequestKind::Kill(id("api"), false);
    dash.link(LinkEvent::Reply(tag, Err(gone)));
    assert!(closes(&mut dash), "{}", dash.text());
}

#[test]
fn cannot_restore_a_job_removed_by_somebody_else() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("8d");
    dash.event(EventKind::Removed, "build", json!({}));
    assert!(!dash.text().contains("undo"), "{}", dash.text());
    dash.press("\x1f");
    assert!(
        dash.text().contains("nothing to put back"),
        "{}",
        dash.text()
    );
    // The same if the event was missed.
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("8d");
    let mut left = shop_records();
    left.retain(|record| record.summary.session_id != id("build"));
    dash.list(left);
    dash.press("\x1f");
    assert!(
        dash.text().contains("nothing to put back"),
        "{}",
        dash.text()
    );
}

#[test]
fn forgets_all_state_of_removed_jobs() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.model.seen.begin_at(&id("web"), 5, 0);
    dash.model.survivors.insert(id("web"), vec![1]);
    dash.model.keyboards.held.insert(id("web"));
    let mut left = shop_records();
    left.retain(|record| record.summary.session_id != id("web"));
    dash.list(left);
    assert!(!dash.model.seen.seen().contains_key(&id("web")));
    assert!(dash.model.survivors.is_empty() && dash.model.keyboards.held.is_empty());
}

#[test]
fn other_keys_close_a_menu_without_effect() {
    for (menu, word) in [("y", "nothing was copied"), ("K", "nothing was sent")] {
        let mut dash = Dash::new(80, 24, shop_records());
        dash.press("2").press(menu).asked();
        assert!(dash.model.state::<Menu>().is_some());
        dash.press("%");
        assert!(dash.model.is_normal());
        assert!(dash.text().contains(word), "{}", dash.text());
        assert_eq!(dash.actions(), [""; 0]);
        // Esc is not reported as a mistake.
        let mut dash = Dash::new(80, 24, shop_records());
        dash.press("2").press(menu).press("\x1b");
        assert!(dash.model.is_normal());
        assert!(!dash.text().contains(word), "{}", dash.text());
    }
}

#[test]
fn a_log_is_cleared_after_a_question() {
    let mut dash = Dash::new(120, 24, vec![record("web")]);
    dash.asked();
    dash.press(":clear the log");
    assert!(dash.text().contains("bgproc clear web"), "{}", dash.text());
    dash.press("\r");
    assert!(
        dash.status()
            .contains("CLEAR  the log of web (1.2M so far)?"),
        "{}",
        dash.status()
    );
    dash.press("\r");
    assert_eq!(dash.actions(), Vec::<&str>::new(), "Enter never confirms");
    dash.press(":clear-log\r").press("y");
    assert_eq!(dash.actions(), ["clear"]);
    let reply = json!({"clearedBytes": 1_258_291});
    dash.link(LinkEvent::Reply(RequestKind::Clear(id("web")), Ok(reply)));
    let text = dash.text();
    assert!(text.contains("The log of web is cleared (1.2M)"), "{text}");
    assert_eq!(dash.actions(), ["status"]);
    let mut empty = record("web");
    empty.summary.dropped_bytes = empty.summary.output_bytes;
    dash.record(&empty).press(":clear-log\r");
    assert!(
        dash.text().contains("The log of web is empty."),
        "{}",
        dash.text()
    );
}

#[test]
fn all_jobs_that_run_are_restarted_after_a_question_with_their_names() {
    let mut dash = Dash::new(
        120,
        24,
        vec![
            record("web"),
            record("api"),
            ended("lint", Status::Error, Some(1), 1000),
        ],
    );
    dash.asked();
    dash.press(":restart-all\r");
    assert!(
        dash.status().contains("RESTART  2 jobs: web, api?"),
        "{}",
        dash.status()
    );
    dash.press("y");
    assert_eq!(dash.actions(), ["restart", "restart"]);
}

//! Queues: what their headings say, and what can be done with them.

use serde_json::{Value, json};

use super::harness::Dash;
use super::jobs::{HOME, NOW, id, record};
use crate::protocol::params::Queue;
use crate::protocol::{self, Action, Error, ErrorCode, EventKind, Record, Status, Timestamp};
use crate::tui::message::{Cmd, LinkEvent, RequestKind};

const SIZES: [(u16, u16); 3] = [(120, 40), (80, 24), (40, 12)];

/// A job in the group `builds`; with a place, it waits there.
fn build(name: &str, place: Option<u32>) -> Record {
    let mut build = record(name);
    let summary = &mut build.summary;
    summary.group = Some("builds".to_owned());
    summary.created_at = Timestamp(NOW - 60_000);
    if let Some(place) = place {
        (summary.status, summary.pid, summary.runtime_ms) = (Status::Queued, None, 0);
        (summary.output_bytes, summary.output_lines) = (0, 0);
        let why = if place == 1 {
            "next in its queue"
        } else {
            "1 before it in its queue"
        };
        let waiting = json!({"why": why, "queue": "builds", "place": place});
        summary.waiting = serde_json::from_value(waiting).unwrap();
    }
    build
}

fn queue(paused: bool, why: Option<&str>) -> Value {
    json!({
        "queue": "builds", "parallel": 1, "onFailure": "continue", "paused": paused, "why": why,
        "running": [id("lint")], "waiting": [id("test"), id("bench")],
    })
}

/// A queue of three jobs of which one runs.
fn builds(width: u16, height: u16, queue: Value) -> Dash {
    let records = vec![
        build("lint", None),
        build("test", Some(1)),
        build("bench", Some(2)),
    ];
    let mut dash = Dash::new(width, height, records);
    dash.link(LinkEvent::Reply(
        RequestKind::Queues,
        Ok(json!({"queues": [queue]})),
    ));
    dash.asked();
    dash
}

fn queues(dash: &mut Dash) -> Vec<Queue> {
    let cmds = dash.asked().into_iter();
    cmds.filter_map(|cmd| match cmd {
        Cmd::Request(_, Action::Queue(params)) => Some(params),
        _ => None,
    })
    .collect()
}

/// The row of the heading.
fn heading(dash: &Dash) -> String {
    let text = dash.text();
    let row = text.lines().find(|row| row.contains("builds"));
    row.unwrap_or_default().to_owned()
}

#[test]
fn a_heading_says_how_the_queue_is() {
    for (width, height) in SIZES {
        let mut dash = builds(width, height, queue(false, None));
        // Beside a list of 26 columns there is room for the counts only.
        let has_room = width != 80;
        assert_eq!(
            heading(&dash).contains("· 1 at once"),
            has_room,
            "{}",
            dash.text()
        );
        dash.press("g");
        dash.snapshot(&format!("queue-{width}x{height}"));
        let reply = json!({"queues": [queue(true, Some("lint failed"))]});
        dash.link(LinkEvent::Reply(RequestKind::Queues, Ok(reply)));
        assert!(heading(&dash).contains("paused"), "{}", dash.text());
        dash.snapshot(&format!("queue-paused-{width}x{height}"));
    }
    // However long its name is.
    let mut long = build("lint", None);
    long.summary.group = Some("builds-of-the-whole-night".to_owned());
    let mut dash = Dash::new(80, 24, vec![long]);
    let mut paused = queue(true, None);
    paused["queue"] = json!("builds-of-the-whole-night");
    dash.link(LinkEvent::Reply(
        RequestKind::Queues,
        Ok(json!({"queues": [paused]})),
    ));
    let text = dash.text();
    let row = text.lines().find(|row| row.contains("▾ builds")).unwrap();
    assert!(row.contains(" ‖ "), "{text}");
}

#[test]
fn events_tell_that_a_queue_has_changed() {
    let mut dash = Dash::new(80, 24, vec![build("lint", None)]);
    let asked = queues(&mut dash);
    assert_eq!(asked, [Queue::default()], "as soon as it is connected");
    for kind in [
        EventKind::QueuePaused,
        EventKind::QueueResumed,
        EventKind::QueueChanged,
    ] {
        dash.link(LinkEvent::Event(protocol::Event::of(kind)));
        assert_eq!(queues(&mut dash), [Queue::default()], "{kind:?}");
    }
    // An older daemon knows none.
    let error = Error::new(ErrorCode::UnknownAction, "no such action");
    dash.link(LinkEvent::Reply(RequestKind::Queues, Err(error)));
    assert!(!dash.text().contains("no such action"), "{}", dash.text());
}

#[test]
fn a_key_pauses_and_resumes_the_queue_of_a_heading_or_a_job() {
    for (keys, (width, height)) in ["g", "j"]
        .into_iter()
        .flat_map(|keys| SIZES.map(|size| (keys, size)))
    {
        let mut dash = builds(width, height, queue(false, None));
        dash.press(keys).press("P");
        let asked = dash.status();
        assert!(
            asked.contains("PAUSE") && asked.contains("queue builds"),
            "{asked}"
        );
        dash.press("\r");
        assert_eq!(queues(&mut dash), [], "Enter never confirms");
        dash.press("Py");
        let params = queues(&mut dash).remove(0);
        assert_eq!(
            (params.group.as_deref(), params.paused),
            (Some("builds"), Some(true))
        );
        assert_eq!(params.dir.as_deref(), Some("/"), "no project has it");
        let tag = RequestKind::PauseQueue("builds".to_owned(), true);
        let reply = json!({"queues": [queue(true, None)]});
        dash.link(LinkEvent::Reply(tag, Ok(reply)));
        assert!(heading(&dash).contains("paused"), "{}", dash.text());
        if width == 120 {
            let text = dash.text();
            assert!(
                text.contains("The queue builds starts nothing now"),
                "{text}"
            );
            assert!(text.contains("bgproc group builds --pause"), "{text}");
        }
        // It needs no question to go on.
        dash.press("P");
        assert_eq!(queues(&mut dash).remove(0).paused, Some(false));
    }
}

#[test]
fn a_queue_of_a_project_is_that_of_its_jobs() {
    let mut lint = build("lint", None);
    lint.summary.cwd = format!("{HOME}/shop/web");
    let mut dash = Dash::new(120, 40, vec![lint]);
    let mut of_shop = queue(false, None);
    of_shop["project"] = json!({"name": "shop", "dir": format!("{HOME}/shop")});
    of_shop["parallel"] = json!(3);
    let mut elsewhere = queue(false, None);
    elsewhere["project"] = json!({"name": "other", "dir": format!("{HOME}/other")});
    let all = json!({"queues": [queue(true, None), of_shop, elsewhere]});
    dash.link(LinkEvent::Reply(RequestKind::Queues, Ok(all)));
    assert!(heading(&dash).contains("· 3 at once"), "{}", dash.text());
    dash.asked();
    dash.press("Py");
    let params = queues(&mut dash).remove(0);
    assert_eq!(params.dir, Some(format!("{HOME}/shop")));
}

/// The places to which jobs are to be moved, by their ids.
fn moves(dash: &mut Dash) -> Vec<(String, u32)> {
    let cmds = dash.asked().into_iter();
    cmds.filter_map(|cmd| match cmd {
        Cmd::Request(RequestKind::Move(..), Action::Set(set)) => {
            Some((set.session_id, set.place.unwrap()))
        }
        _ => None,
    })
    .collect()
}

#[test]
fn what_waits_is_moved_and_started_out_of_turn_from_the_palette() {
    let mut dash = builds(120, 40, queue(false, None));
    // What runs does not wait.
    dash.press("/lint\r").press("\x1b").press(":move-first\r");
    assert!(
        dash.text().contains("lint does not wait in a queue."),
        "{}",
        dash.text()
    );
    dash.press("/bench\r").press("\x1b").press(":front");
    assert!(
        dash.text().contains("bgproc move bench --first"),
        "{}",
        dash.text()
    );
    dash.press("\r");
    assert_eq!(moves(&mut dash), [(id("bench").to_string(), 1)]);
    let mut moved = build("bench", Some(1));
    moved.summary.waiting.as_mut().unwrap().why = "next in its queue".to_owned();
    let tag = RequestKind::Move(id("bench"), true);
    dash.link(LinkEvent::Reply(tag, Ok(json!(moved))));
    assert!(
        dash.text().contains("bench is the next one in builds"),
        "{}",
        dash.text()
    );
    // The place of the other one has changed, too.
    let asked = dash.asked();
    let is_asked =
        |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Record(of), _) if *of == id("test"));
    assert!(asked.iter().any(is_asked), "{asked:?}");
    dash.press(":move-last\r");
    assert_eq!(moves(&mut dash), [(id("bench").to_string(), u32::MAX)]);
    dash.press(":start-now\r");
    assert_eq!(dash.actions(), ["restart"]);
}

#[test]
fn several_keep_their_order_when_they_are_moved() {
    for (command, order) in [
        (":move-first\r", ["bench", "test"]),
        (":move-last\r", ["test", "bench"]),
    ] {
        let mut dash = builds(120, 40, queue(false, None));
        dash.press("*").press(command);
        let names: Vec<String> = moves(&mut dash).into_iter().map(|(id, _)| id).collect();
        assert_eq!(names, order.map(|name| id(name).to_string()), "{command}");
    }
}

#[test]
fn pausing_on_a_heading_says_that_it_is_about_processes() {
    for (width, height) in [(120, 40), (80, 24)] {
        let mut dash = builds(width, height, queue(false, None));
        dash.press("gp");
        let asked = dash.status();
        assert!(
            asked.contains("PAUSE") && asked.contains("process"),
            "{asked}"
        );
    }
    let mut dash = builds(120, 40, queue(false, None));
    dash.press("gp");
    let asked = dash.status();
    assert!(
        asked.contains("the processes of 1 job of builds") && asked.contains("queue goes on"),
        "{asked}"
    );
}

#[test]
fn without_a_queue_that_is_said() {
    let mut dash = Dash::new(120, 40, vec![record("web")]);
    dash.press("P");
    assert!(
        dash.text().contains("No queue is selected"),
        "{}",
        dash.text()
    );
    dash.press(":queue");
    assert!(dash.text().contains("pause the queue"), "{}", dash.text());
}

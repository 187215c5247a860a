//! Tests of marks: verbs on several jobs, and typing into several jobs.

use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use crate::protocol::{Action, EventKind, Mode as JobMode, Record, Status};
use crate::tui::message::{Cmd, RequestKind};
use crate::tui::model::Selected;
use crate::tui::options::Options;

fn shop(width: u16, height: u16) -> Dash {
    let mut dash = Dash::new(width, height, shop_records());
    dash.press("j");
    dash.asked();
    dash
}

#[test]
fn space_marks_and_esc_clears_all_marks() {
    let mut dash = shop(80, 24);
    dash.press(" j ");
    assert_eq!(dash.model.marked(), [id("web"), id("api")]);
    assert_eq!(dash.model.list.selected, Selected::Job(id("api")));
    assert!(dash.text().contains("marked 2"), "{}", dash.text());
    dash.press(" ");
    assert_eq!(dash.model.marked(), [id("web")]);
    dash.press("/a\r");
    dash.press("\x1b");
    assert!(dash.model.list.filter.is_empty() && !dash.model.list.marked.is_empty());
    dash.press("\x1b");
    assert!(dash.model.list.marked.is_empty());
}

#[test]
fn a_header_marks_its_group_and_star_marks_all_listed() {
    let mut dash = shop(80, 24);
    dash.press("g ");
    assert_eq!(dash.model.list.marked.len(), 5);
    dash.press("g ");
    assert!(dash.model.list.marked.is_empty());
    dash.press("/te\r*");
    assert_eq!(dash.model.marked(), [id("migrate"), id("tests")]);
    dash.press("*");
    assert!(dash.model.list.marked.is_empty());
    // A folded group is listed only as its header.
    dash.press("\x1bgh*");
    assert_eq!(dash.model.list.marked.len(), 8);
}

#[test]
fn verbs_act_on_marked_jobs_and_confirm_by_name() {
    let mut dash = shop(120, 40);
    dash.press(" j G");
    dash.asked();
    dash.press("x");
    assert!(
        dash.status().contains("2 jobs: web, api?"),
        "{}",
        dash.status()
    );
    dash.press("y");
    assert_eq!(dash.actions(), ["kill", "kill"]);
    let mut dash = shop(120, 40);
    dash.press(" j p");
    assert!(dash.status().starts_with(" PAUSE "), "{}", dash.status());
    dash.press("\r");
    assert!(!dash.actions().contains(&"signal"));
    dash.press("py");
    assert_eq!(dash.actions(), ["signal", "signal"]);
    dash.press("r");
    assert!(dash.status().contains("RESTART"), "{}", dash.status());
}

#[test]
fn shows_marks_in_the_status_line_without_a_top_line() {
    let mut dash = shop(80, 12);
    dash.press(" S");
    assert!(dash.status().contains("marked 1"), "{}", dash.status());
    assert!(dash.status().contains("by name]"), "{}", dash.status());
}

#[test]
fn a_removed_job_has_no_mark() {
    let mut dash = shop(80, 24);
    dash.press(" j ");
    dash.event(EventKind::Removed, "web", serde_json::json!({}));
    assert_eq!(dash.model.list.marked.len(), 1);
    dash.list(vec![record("other")]);
    assert!(dash.model.list.marked.is_empty());
}

#[test]
fn types_into_all_marked_jobs_and_shows_a_banner() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = shop(width, height);
        dash.press(" j j 5b");
        let text = dash.text();
        assert!(text.contains("TYPING INTO 3 JOBS"), "{text}");
        assert!(dash.status().starts_with(" INSERT "), "{}", dash.status());
        dash.snapshot(&format!("type-all-{width}x{height}"));
        let begun = dash.asked();
        dash.press("ls\x03\r");
        let cmds = dash.asked();
        let typed: Vec<_> = cmds
            .iter()
            .filter_map(|cmd| match cmd {
                Cmd::Type(to, bytes) => Some((to.clone(), bytes.clone())),
                _ => None,
            })
            .collect();
        let each = |name: &str| (id(name), b"ls\x03\r".to_vec());
        assert_eq!(
            typed,
            [each("web"), each("api"), each("db")],
            "one request each"
        );
        let resized = begun
            .iter()
            .filter(|cmd| matches!(cmd, Cmd::Request(RequestKind::Resize(_), _)));
        assert_eq!(resized.count(), 1, "only what shows");
        // The leave key leaves; pressed twice, it is sent to all jobs.
        dash.press("\x1d");
        assert!(dash.model.is_normal());
        dash.press("\x1d");
        assert_eq!(dash.typed("db"), "\x1d");
        dash.press("\x1d").press("j").press("x\x1b");
        assert_eq!(dash.typed("api"), "", "leaving stops it");
    }
}

#[test]
fn ended_jobs_are_left_out_and_named() {
    let mut dash = shop(80, 24);
    dash.press("*b");
    let text = dash.text();
    assert!(text.contains("Left out: lint, build have ended."), "{text}");
    assert!(text.contains("TYPING INTO 6 JOBS"), "{text}");
    let mut web = ended("web", Status::Error, Some(1), 0);
    web.summary.group = Some("shop".to_owned());
    dash.record(&web);
    dash.asked();
    dash.press("x");
    assert!(
        dash.text()
            .contains("web has ended; keys go to the others.")
    );
    assert!(dash.text().contains("TYPING INTO 5 JOBS"));
    assert_eq!(dash.typed("web"), "");
    dash.event(EventKind::Removed, "api", serde_json::json!({}));
    assert!(
        dash.text().contains("TYPING INTO 4 JOBS"),
        "{}",
        dash.text()
    );
    let mut dash = shop(80, 24);
    dash.press("b");
    assert!(dash.text().contains("No job is marked."));
    dash.press("7 b");
    assert!(dash.text().contains("All marked jobs have ended already."));
}

#[test]
fn confirms_a_paste_into_several_jobs_once() {
    let mut records = shop_records();
    records[2].summary.mode = JobMode::Pipe;
    let mut dash = Dash::new(80, 24, records);
    dash.press("j j j 5b").screen("web", 40, 120, "\x1b[?2004h");
    dash.asked();
    dash.press("\x1b[200~1\r2\r3\r4\r5\r6\x1b[201~");
    assert!(
        dash.status().contains("6 lines into 3 jobs: web, api, db?"),
        "{}",
        dash.status()
    );
    dash.press("y");
    let cmds = dash.asked();
    let typed = |name: &str| {
        let mut all = Vec::new();
        for cmd in &cmds {
            if let Cmd::Type(to, bytes) = cmd
                && *to == id(name)
            {
                all.extend_from_slice(bytes);
            }
        }
        String::from_utf8(all).unwrap()
    };
    assert_eq!(typed("web"), "\x1b[200~1\r2\r3\r4\r5\r6\x1b[201~");
    assert_eq!(typed("api"), "1\r2\r3\r4\r5\r6");
    assert_eq!(typed("db"), "1\n2\n3\n4\n5\n6");
}

#[test]
fn shows_where_keys_go_without_a_status_line() {
    let options = Options {
        status_line: false,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("j j zb");
    assert!(
        dash.text().contains("TYPING INTO 2 JOBS"),
        "{}",
        dash.text()
    );
}

#[test]
fn a_read_only_view_marks_and_types_nothing() {
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let mut dash = Dash::with(options, 80, 24, shop_records());
    dash.press("j j b");
    assert!(dash.model.is_normal());
    dash.press("xy");
    let kills = dash.asked();
    let kill = |cmd: &Cmd| matches!(cmd, Cmd::Request(_, Action::Kill(_)));
    assert!(!kills.iter().any(kill));
}

#[test]
fn typing_into_all_selects_the_first_marked_job() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("2 3 8").later(2000);
    dash.model.pane.pan.left = 4;
    let before = dash.model.current_id().cloned();
    dash.press("b");
    assert_ne!(dash.model.current_id().cloned(), before);
    assert_eq!(
        (dash.model.list.previous.clone(), dash.model.pane.pan.left),
        (before, 0)
    );
}

#[test]
fn hints_offer_what_the_marked_jobs_can_do() {
    let hints = |records: Vec<Record>, keys: &str| {
        let mut dash = Dash::new(120, 40, records);
        dash.press(keys);
        let text = dash.text();
        text.lines().last().unwrap_or_default().to_owned()
    };
    let lint = |name: &str| ended(name, Status::Error, Some(1), 60_000);
    let both = hints(vec![lint("one"), lint("two")], "*");
    assert!(
        both.starts_with(" r restart  d remove  = compare"),
        "{both}"
    );
    let one_runs = hints(vec![record("web"), lint("two")], "*");
    assert!(one_runs.starts_with(" b type all  x stop"), "{one_runs}");
}

#[test]
fn hints_of_a_job_fit_its_state() {
    for (width, height) in [(120, 40), (40, 12)] {
        let hints = |status: Status| {
            let mut web = record("web");
            web.summary.status = status;
            let dash = Dash::new(width, height, vec![web]);
            let text = dash.text();
            text.lines().last().unwrap_or_default().to_owned()
        };
        let paused = hints(Status::Paused);
        assert!(paused.contains("p continue"), "{paused}");
        let stopping = hints(Status::Stopping);
        assert!(stopping.contains("X kill"), "{stopping}");
        assert!(!stopping.contains("x stop"), "{stopping}");
        assert!(hints(Status::Running).contains("x stop"));
    }
}

#[test]
fn a_read_only_view_offers_no_restart() {
    let options = Options {
        read_only: true,
        ..Options::default()
    };
    let lint = ended("lint", Status::Error, Some(1), 60_000);
    let mut dash = Dash::with(options, 80, 24, vec![lint]);
    dash.press("z");
    assert!(!dash.status().contains("restart"), "{}", dash.status());
    assert!(dash.status().contains("z list"), "{}", dash.status());
}

//! Tests of the ways back and out: esc, ctrl-c, closing the view, and views of one job.

use super::behaviour::shop;
use super::harness::Dash;
use super::jobs::{id, record, shop_records};
use crate::protocol::{ErrorCode, Status};
use crate::tui::farewell::farewell;
use crate::tui::message::{Cmd, Exit};
use crate::tui::modes::insert::Insert;
use crate::tui::options::Options;

#[test]
fn esc_undoes_one_step_and_never_quits() {
    let mut dash = shop();
    dash.press("/a\r").press("z");
    for _ in 0..5 {
        dash.press("\x1b");
    }
    assert!(!dash.model.frame.zoom && dash.model.list.filter.is_empty());
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
    assert_eq!(dash.model.list.filter, "");
    assert!(dash.model.list.marked.is_empty());
    dash.press("*").press("/web\r").press("\x1b").later(50);
    assert_eq!(dash.model.list.filter, "");
    assert!(!dash.model.list.marked.is_empty(), "these are next");
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
fn closing_counts_the_jobs_that_wait_to_start() {
    let queued = |name| {
        let mut record = record(name);
        record.summary.status = Status::Queued;
        record
    };
    let waiting = || vec![queued("a"), queued("b"), queued("c")];
    let mut dash = Dash::new(80, 24, waiting());
    dash.asked();
    dash.press("Q");
    assert!(dash.asked().is_empty(), "it asks before it stops them");
    assert!(dash.status().contains("3 queued"), "{}", dash.status());
    let mut records = waiting();
    records.push(record("web"));
    let mut dash = Dash::new(80, 24, records);
    dash.asked();
    assert_eq!(
        farewell(&dash.model).unwrap(),
        "4 jobs stay: 1 running, 3 queued. Back: bgproc   Stop all: bgproc stop --all"
    );
    dash.press("Q");
    let status = dash.status();
    assert!(status.contains("1 running, 3 queued"), "{status}");
    assert!(status.contains("stop all 4"), "{status}");
    dash.press("A");
    assert_eq!(dash.actions(), ["kill"; 4]);
}

#[test]
fn the_smallest_window_shows_the_question_and_its_answers() {
    let mut dash = Dash::new(20, 5, shop_records());
    dash.press("Q");
    let status = dash.status();
    for part in ["QUIT?", "A all 6", "n no"] {
        assert!(status.contains(part), "{status}");
    }
}

#[test]
fn closing_tells_jobs_of_other_hosts_apart() {
    let far = |name| {
        let mut record = record(name);
        record.summary.session_id = record.summary.session_id.at("gpu1").unwrap();
        record
    };
    let said = |records| farewell(&Dash::new(80, 24, records).model).unwrap();
    assert_eq!(
        said(vec![record("web"), far("train")]),
        "2 jobs keep running, 1 of them on other hosts. Back: bgproc   Stop all here: bgproc stop --all"
    );
    assert_eq!(
        said(vec![far("train")]),
        "1 job keeps running, on other hosts. Back: bgproc"
    );
    // So does the command of the palette, which stops all.
    let mut dash = Dash::new(120, 40, vec![record("web"), far("train")]);
    dash.press(":stop all");
    assert!(
        dash.text().contains("bgproc stop web train@gpu1"),
        "{}",
        dash.text()
    );
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

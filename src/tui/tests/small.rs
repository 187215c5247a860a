//! What a small window still tells.

use super::harness::Dash;
use super::jobs::{ended, id, record, shop_records};
use crate::protocol::record::Asked;
use crate::protocol::status::InputState;
use crate::protocol::{Record, Scope, Status, Timestamp};
use crate::tui::model::Selected;

fn hints(dash: &Dash) -> String {
    let text = dash.text();
    text.lines().last().unwrap_or_default().to_owned()
}

fn asking() -> Record {
    let mut migrate = record("migrate");
    migrate.summary.input_state = InputState::Password;
    migrate
}

#[test]
fn a_kept_filter_is_shown() {
    let mut dash = Dash::new(40, 12, shop_records());
    dash.press("/web\r");
    let text = dash.text();
    let top = text.lines().next().unwrap_or_default();
    assert!(top.ends_with("/web") && !top.contains("all"), "{text}");
}

#[test]
fn a_window_that_is_too_small_shows_whole_items() {
    let dash = Dash::new(14, 5, shop_records());
    let text = dash.text();
    let line = text.lines().next().unwrap_or_default();
    assert_eq!(line, "bgproc: 1? 1✗", "what calls stays");
    let text = Dash::new(12, 5, shop_records()).text();
    assert_eq!(text.lines().next(), Some("bgproc: 1?"));
}

#[test]
fn the_top_line_drops_what_calls_last() {
    let mut records = shop_records();
    for (at, status) in [Status::Queued, Status::Paused].into_iter().enumerate() {
        let mut one = record(&format!("more{at}"));
        one.summary.status = status;
        records.push(one);
    }
    let top = |width: u16| {
        let text = Dash::new(width, 24, records.clone()).text();
        text.lines().next().unwrap_or_default().to_owned()
    };
    assert!(top(120).contains("5 running   1 queued   1 needs input   1 paused   1 failed"));
    for width in 60..100 {
        let top = top(width);
        assert!(
            top.contains("1 needs input  ") && top.contains("1 failed"),
            "{width}: {top}"
        );
        assert!(
            top.contains("5 running") || !top.contains("1 paused"),
            "{width}: {top}"
        );
    }
    for width in 21..60 {
        let text = Dash::new(width, 12, records.clone()).text();
        let top = text.lines().next().unwrap_or_default();
        assert!(top.contains("1? ") && top.contains("1✗"), "{width}: {top}");
    }
}

#[test]
fn a_page_that_fits_offers_no_keys_to_scroll_it() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press(":messages\r");
    assert_eq!(dash.model.mode().name(), "MESSAGES");
    assert!(!hints(&dash).contains("line down"), "{}", hints(&dash));
    dash.press("\x1b").press("?");
    assert!(hints(&dash).contains("scroll"), "{}", hints(&dash));
    // A mode is found by its name, with all of its keys.
    dash.press("grid");
    let text = dash.text();
    assert!(text.contains("NORMAL with the grid"), "{text}");
    dash.press("zzzz");
    let text = dash.text();
    assert!(text.contains("No key matches"), "{text}");
    assert!(text.contains("nothing found"), "{text}");
}

#[test]
fn hints_begin_with_what_the_state_calls_for() {
    let mut dash = Dash::new(40, 12, vec![asking(), record("web")]);
    dash.model.list.selected = Selected::Job(id("migrate"));
    dash.later(50);
    assert!(
        hints(&dash).starts_with(" tab reply  enter open"),
        "{}",
        hints(&dash)
    );
    assert!(dash.status().contains("password"), "{}", dash.status());
    dash.press("\r");
    assert!(
        hints(&dash).starts_with(" tab reply  i type  esc list"),
        "{}",
        hints(&dash)
    );
    let mut asked = record("web");
    asked.asked = vec![Asked {
        message: "your code".to_owned(),
        by: Scope::named("claude-a").unwrap(),
        at: Timestamp(0),
        until: Timestamp(i64::MAX),
    }];
    let dash = Dash::new(40, 12, vec![asked]);
    assert!(
        hints(&dash).starts_with(" tab reply  N decline"),
        "{}",
        hints(&dash)
    );
    let lint = ended("lint", Status::Error, Some(1), 1000);
    let mut dash = Dash::new(40, 12, vec![lint]);
    assert!(
        hints(&dash).starts_with(" enter open  r restart"),
        "{}",
        hints(&dash)
    );
    dash.press("\r");
    assert!(
        hints(&dash).starts_with(" r restart  s scroll"),
        "{}",
        hints(&dash)
    );
}

#[test]
fn the_end_of_a_job_one_types_into_is_told_in_whole_words() {
    for (width, height) in [(40, 12), (30, 12), (60, 10), (80, 24)] {
        let mut dash = Dash::new(width, height, vec![record("web2")]);
        dash.press(if width < 60 { "\ri" } else { "i" });
        dash.record(&ended("web2", Status::Error, Some(1), 0));
        let status = dash.status();
        let words = [
            " has ended: exit 1. ",
            " has ended. ",
            " ended ",
            " ended: exit 1 ",
            "…",
        ];
        assert!(words.iter().any(|words| status.contains(words)), "{status}");
        assert!(width < 40 || status.contains("r restart"), "{status}");
        assert!(status.ends_with("ctrl-] leave"), "{status}");
    }
}

#[test]
fn the_status_line_of_the_grid_tells_that_there_are_more_tiles() {
    let mut dash = Dash::new(40, 12, shop_records());
    dash.press("v");
    assert!(dash.status().contains("1-2 of 8"), "{}", dash.status());
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("v");
    assert!(
        !dash.status().contains(" of 8"),
        "the top line does: {}",
        dash.status()
    );
}

#[test]
fn removing_the_only_listed_job_leads_back_to_the_list() {
    let records = vec![record("web"), ended("trap2", Status::Error, Some(1), 1000)];
    let mut dash = Dash::new(80, 24, records);
    dash.press("/trap2\rz");
    assert!(dash.status().contains("r restart"), "{}", dash.status());
    dash.press("dy");
    assert!(!dash.model.frame.zoom);
    assert!(dash.text().contains("/trap2"), "{}", dash.text());
}

#[test]
fn messages_do_not_cover_the_selected_row_of_a_full_list() {
    let names = [
        "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9", "b1", "b2",
    ];
    let records: Vec<Record> = names.into_iter().map(record).collect();
    for keys in ["g", "gj", "gjjj", "gjjjjjjj", "G"] {
        let mut dash = Dash::new(40, 12, records.clone());
        dash.press(keys);
        let before = dash.text();
        let selected = before.lines().find(|row| row.starts_with('▌')).unwrap();
        dash.model
            .note("shop is not all up: migrate failed, after 1.0 s");
        dash.model.note("worker asks about builder");
        let text = dash.text();
        assert!(text.contains("shop is not all up"), "{text}");
        assert!(text.lines().any(|row| row == selected), "{keys}: {text}");
        // Whole rows are covered, and the first ones are not.
        let same = |n: usize| text.lines().nth(n) == before.lines().nth(n);
        assert!(same(0) && same(1) && same(2), "{text}");
        let covered: Vec<&str> = text.lines().filter(|row| row.contains("shop is")).collect();
        assert!(!covered[0].contains("2h04m"), "{text}");
        // Of three the last two are shown.
        dash.model.note("api is up");
        let text = dash.text();
        let shown = ["shop is not", "worker asks", "api is up"].map(|part| text.contains(part));
        assert_eq!(shown, [false, true, true], "{text}");
    }
}

#[test]
fn a_message_over_text_takes_whole_rows() {
    let mut dash = Dash::new(40, 12, vec![record("web")]);
    dash.press("\r");
    let line = "0123456789".repeat(4);
    dash.screen("web", 11, 40, &vec![line; 11].join("\r\n"));
    dash.model.note("shop is not all up: migrate failed");
    let text = dash.text();
    let row = text.lines().find(|row| row.contains("shop is"));
    assert!(row.is_some_and(|row| !row.contains(['0', '9'])), "{text}");
}

#[test]
fn a_view_that_only_looks_says_so() {
    let options = crate::tui::options::Options {
        read_only: true,
        ..Default::default()
    };
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = Dash::with(options.clone(), width, height, shop_records());
        dash.press("2");
        assert!(dash.status().contains("READ ONLY"), "{}", dash.status());
        if width > 60 {
            dash.press(":");
            assert!(!dash.text().contains("attach to web"), "{}", dash.text());
            assert!(dash.text().contains("look at web"), "{}", dash.text());
        }
    }
}

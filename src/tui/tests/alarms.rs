//! Tests that what needs a person is seen: in rows, in the status line, in the pane and in toasts.

use super::harness::Dash;
use super::jobs::{NOW, ended, record, shop_records};
use crate::protocol::record::Asked;
use crate::protocol::{Scope, Status, Timestamp};

#[test]
fn a_row_always_shows_the_exit_code_in_words_and_unseen_output() {
    for width in [120, 80, 60, 40] {
        let mut agents = record("busy");
        agents.scope = Scope::named("codex").unwrap();
        agents.summary.restarts = 12;
        let mut long = ended("slow", Status::Error, Some(1), 0);
        long.summary.label = Some("a-long-name-of-a-test".to_owned());
        let mut dash = Dash::new(width, 24, shop_records());
        dash.record(&agents).record(&long);
        dash.model.marked.insert(super::jobs::id("busy"));
        let text = dash.text();
        let row = |name: &str| {
            let found = text.lines().find(|line| line.contains(name));
            found.unwrap_or_else(|| panic!("{name}: {text}")).to_owned()
        };
        assert!(row("lint").contains("exit 1"), "{text}");
        assert!(row("✗ a").contains("exit 1"), "{text}");
        assert!(row("● busy").contains('+'), "{text}");
    }
}

#[test]
fn the_status_line_counts_what_needs_a_person_in_every_mode() {
    for width in [120, 80, 40] {
        let mut dash = Dash::new(width, 24, shop_records());
        dash.record(&ended("slow", Status::Error, Some(1), 0));
        dash.press("2").later(2000);
        let counted = |dash: &Dash| {
            let status = dash.status();
            let short = status.contains("1? 1✗");
            assert!(short || status.contains("1 asks  1 failed"), "{status}");
        };
        counted(&dash);
        for (enter, leave) in [("z", "z"), ("i", "\x1d"), ("\r", "\x1d"), ("s", "\x1b")] {
            dash.press(enter);
            counted(&dash);
            dash.press(leave).press("\x1b");
        }
        // What was looked at has been seen.
        let slow = super::jobs::id("slow");
        crate::tui::list::select::job(&mut dash.model, &slow);
        dash.later(1).later(2000).press("g").later(1);
        assert!(!dash.status().contains("1 failed"), "{}", dash.status());
    }
    let mut dash = Dash::new(120, 24, shop_records());
    dash.press("2i");
    assert!(dash.status().contains("ctrl-] ! next"), "{}", dash.status());
    let quiet = Dash::new(80, 24, vec![record("web")]);
    assert!(!quiet.status().contains("asks"), "{}", quiet.status());
}

#[test]
fn lines_that_are_edited_count_what_needs_a_person_beside_the_text() {
    for (width, words) in [
        (120, "1 asks  1 failed"),
        (80, "1 asks  1 failed"),
        (40, "1? 1✗"),
    ] {
        for keys in ["/", "f", "F", "n", ":", "4\t"] {
            let mut dash = Dash::new(width, 24, shop_records());
            dash.record(&ended("slow", Status::Error, Some(1), 0));
            dash.press("2").later(2000).press(keys);
            // The fields of a form need their room more.
            let words = match keys {
                "n" if width == 80 => "1?",
                _ => words,
            };
            let status = dash.status();
            assert!(status.contains(words), "{keys} {width}: {status}");
        }
    }
    let mut dash = Dash::new(80, 24, shop_records());
    dash.record(&ended("slow", Status::Error, Some(1), 0));
    let text = "0123456789".repeat(5);
    dash.press("2").later(2000).press("/").press(&text);
    let status = dash.status();
    assert!(status.contains(&format!("/{text}")), "{status}");
    assert!(
        status.contains("1? 1✗") || status.contains("1 asks"),
        "{status}"
    );
    dash.press(&text[..18]);
    let status = dash.status();
    assert!(
        status.contains(&format!("/{text}{}", &text[..18])),
        "{status}"
    );
    assert!(!status.contains("1?"), "{status}");
}

#[test]
fn an_ended_job_in_insert_says_exit_and_its_code() {
    for (status, code) in [(Status::Error, 1), (Status::Done, 0)] {
        let mut dash = Dash::new(80, 24, vec![record("web")]);
        dash.press("i").record(&ended("web", status, Some(code), 0));
        let status = dash.status();
        let words = format!("web has ended: exit {code}.");
        assert!(status.contains(&words), "{status}");
    }
}

#[test]
fn the_whole_question_of_an_agent_is_in_the_pane_with_its_name() {
    let question = "Shall I drop the table carts and create it again with the new columns, or \
        do you want to keep what is in it until the release on Monday?";
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut web = record("web");
        web.asked.push(Asked {
            message: question.to_owned(),
            by: Scope::named("codex").unwrap(),
            at: Timestamp(NOW),
            until: Timestamp(NOW + 60_000),
        });
        let mut dash = Dash::new(width, height, vec![web]);
        dash.screen("web", 40, 120, "$ psql\r\nshop=> ");
        if width < 60 {
            dash.press("\r");
        }
        dash.snapshot(&format!("question-{width}x{height}"));
        let words: Vec<String> = dash.text().split_whitespace().map(str::to_owned).collect();
        let text = words.join(" ");
        assert!(text.contains("codex asks: Shall I"), "{}", dash.text());
        assert!(text.contains("Monday?"), "{}", dash.text());
    }
}

#[test]
fn jobs_started_together_show_the_same_age() {
    let young = |name: &str| {
        let mut record = record(name);
        record.summary.created_at = Timestamp(NOW - 40_000);
        record.summary.runtime_ms = 40_000;
        record
    };
    let (mut quiet, mut busy) = (young("web"), young("api"));
    quiet.summary.last_output_at = Some(Timestamp(NOW - 30_000));
    busy.summary.last_output_at = Some(Timestamp(NOW));
    let mut dash = Dash::new(80, 24, vec![quiet, busy]);
    dash.later(5000);
    let ages = dash.text().matches(" 45s").count();
    assert!(ages >= 2 && !dash.text().contains("<1m"), "{}", dash.text());
    // At rest nothing ticks, and nothing wakes the view before the minute.
    dash.later(7000);
    assert!(!dash.text().contains("52s"), "{}", dash.text());
}

//! Tests that what needs a person is seen: in rows, in the status line, in the pane and in toasts.

use serde_json::{Value, json};

use super::harness::Dash;
use super::jobs::{NOW, ended, record, shop_records};
use crate::protocol::record::Asked;
use crate::protocol::run::{EndedBy, EndedByKind};
use crate::protocol::status::InputState;
use crate::protocol::{EventKind, Scope, Status, Timestamp};

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
        dash.model.list.marked.insert(super::jobs::id("busy"));
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
    assert!(
        dash.status().contains("ctrl-] then ! next"),
        "{}",
        dash.status()
    );
    let quiet = Dash::new(80, 24, vec![record("web")]);
    assert!(!quiet.status().contains("asks"), "{}", quiet.status());
}

#[test]
fn alarms_are_shortened_before_one_is_dropped_and_questions_stay_longest() {
    let mut long = record("web");
    long.summary.label = Some("a-very-long-name-of-a-web-server".to_owned());
    let mut status = Vec::new();
    for width in [90, 80, 70, 62] {
        let mut dash = Dash::new(width, 15, shop_records());
        dash.record(&long);
        dash.record(&ended("slow", Status::Error, Some(1), 0));
        dash.press("2").later(2000);
        status.push(dash.status());
    }
    let lines = status.join("\n");
    assert!(status[0].contains("1 asks  1 failed"), "{lines}");
    assert!(status[2].contains("1?  1✗"), "{lines}");
    assert!(status[3].contains("1?"), "{lines}");
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

fn exited(status: &str, code: Option<i32>, by: &Value) -> Value {
    json!({
        "label": null, "command": "make", "status": status, "exitCode": code, "signal": null,
        "runtimeMs": 1200, "endedBy": by, "output": "",
    })
}

#[test]
fn a_toast_tells_of_other_jobs_while_one_looks_and_bang_goes_there() {
    let codex = json!({"kind": "agent", "scope": "codex"});
    let itself = json!({"kind": "itself", "scope": null});
    let events = [
        (
            EventKind::InputNeeded,
            json!({"inputState": "line"}),
            "api needs input   ! goes there",
        ),
        (
            EventKind::InputNeeded,
            json!({"inputState": "password"}),
            "api needs a password   !",
        ),
        (
            EventKind::HumanAsked,
            json!({"message": "May I?", "by": codex}),
            "codex asks about api: May I?   ! goes there",
        ),
        (
            EventKind::Exited,
            exited("error", Some(1), &itself),
            "api failed: exit 1, after 1.2s   ! goes there",
        ),
        (
            EventKind::Exited,
            exited("killed", None, &codex),
            "codex ended api   ! goes there",
        ),
    ];
    for (kind, data, words) in events {
        let mut dash = Dash::new(120, 24, shop_records());
        dash.press("2");
        assert_eq!(dash.model.current_id(), Some(&super::jobs::id("web")));
        dash.event(kind, "web", data.clone());
        assert!(dash.model.toasts.shown().is_empty(), "the job in the pane");
        dash.event(kind, "api", data);
        assert!(dash.text().contains(words), "{words}: {}", dash.text());
        dash.press("!");
        assert_eq!(dash.model.current_id(), Some(&super::jobs::id("api")));
        assert!(dash.model.toasts.shown().is_empty(), "{}", dash.text());
    }
    let human = json!({"kind": "human", "scope": "human"});
    let mut dash = Dash::new(120, 24, shop_records());
    dash.press("2");
    for data in [
        exited("killed", None, &human),
        exited("error", Some(1), &human),
        exited("done", Some(0), &itself),
    ] {
        dash.event(EventKind::Exited, "api", data);
        assert!(dash.model.toasts.shown().is_empty(), "{}", dash.text());
    }
    // In INSERT, the keys that leave come first.
    dash.press("i");
    dash.event(EventKind::InputNeeded, "api", json!({"inputState": "line"}));
    assert!(
        dash.text().contains("ctrl-] then ! goes there"),
        "{}",
        dash.text()
    );
}

#[test]
fn a_job_that_fails_before_its_record_comes_is_told_of() {
    let mut dash = Dash::new(120, 24, shop_records());
    dash.event(EventKind::Started, "typo", json!({}));
    let itself = json!({"kind": "itself", "scope": null});
    dash.event(
        EventKind::Exited,
        "typo",
        exited("error", Some(127), &itself),
    );
    assert!(dash.model.toasts.shown().is_empty());
    dash.record(&ended("typo", Status::Error, Some(127), 0));
    let text = dash.text();
    assert!(text.contains("typo failed: exit 127, after 1.2s"), "{text}");
    dash.record(&ended("typo", Status::Error, Some(127), 0));
    assert_eq!(dash.model.toasts.said().len(), 1);
    // A late report of a job that there is no more.
    dash.event(EventKind::Exited, "gone", exited("error", Some(1), &itself));
    assert!(dash.model.refreshing.is_empty());
}

#[test]
fn an_answer_that_the_output_shows_takes_a_job_out_of_the_filter() {
    let mut asks = record("asks");
    asks.summary.input_state = InputState::Line;
    let mut dash = Dash::new(120, 24, vec![record("web"), asks]);
    dash.press("/?\r");
    assert!(dash.text().contains("● asks") || dash.text().contains("? asks"));
    let data = json!({"outputBytes": 9, "inputState": "none"});
    dash.event(EventKind::Output, "asks", data);
    assert!(dash.model.list.rows.is_empty(), "{}", dash.text());
}

#[test]
fn toasts_of_the_same_sort_are_joined() {
    let itself = json!({"kind": "itself", "scope": null});
    let mut dash = Dash::new(120, 24, shop_records());
    dash.press("2");
    for name in ["api", "db", "tests", "db"] {
        dash.event(EventKind::Exited, name, exited("error", Some(1), &itself));
    }
    let text = dash.text();
    assert!(text.contains("3 jobs failed: api, tests, db"), "{text}");
    assert_eq!(dash.model.toasts.shown().len(), 1);
    assert_eq!(dash.model.toasts.said().len(), 1);
    dash.event(EventKind::InputNeeded, "api", json!({"inputState": "line"}));
    assert_eq!(dash.model.toasts.shown().len(), 2);
    dash.later(6000);
    dash.event(EventKind::Exited, "db", exited("error", Some(1), &itself));
    assert!(dash.text().contains("db failed: exit 1"), "{}", dash.text());
}

#[test]
fn an_agent_is_named_wherever_it_is_known() {
    let codex = Scope::named("codex").unwrap();
    let mut web = record("web");
    web.asked.push(Asked {
        message: "May I?".to_owned(),
        by: codex.clone(),
        at: Timestamp(NOW),
        until: Timestamp(NOW + 60_000),
    });
    let mut dash = Dash::new(120, 24, vec![web]);
    assert!(
        dash.status().contains("codex asks you"),
        "{}",
        dash.status()
    );
    dash.press("\t");
    assert!(
        dash.text().contains("codex asks: May I?"),
        "{}",
        dash.text()
    );
    let mut killed = ended("web", Status::Killed, None, 0);
    killed.ended_by = Some(EndedBy {
        kind: EndedByKind::Agent,
        scope: Some(codex),
    });
    let mut dash = Dash::new(120, 24, vec![killed]);
    assert!(
        dash.status().contains("killed by codex"),
        "{}",
        dash.status()
    );
    dash.record(&record("web"));
    dash.event(EventKind::AgentInput, "web", json!({"by": "codex"}));
    assert!(
        dash.status().contains("codex is typing"),
        "{}",
        dash.status()
    );
}

#[test]
fn toasts_are_where_nothing_is_written_and_never_on_the_prompt() {
    let row_of = |dash: &Dash, words: &str| {
        let text = dash.text();
        let row = text.lines().position(|line| line.contains(words));
        row.unwrap_or_else(|| panic!("{words}: {text}"))
    };
    let line = "x".repeat(50);
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    dash.press("i");
    // Long lines, then short ones: beside the short ones.
    dash.screen(
        "web",
        20,
        52,
        &format!("{line}\r\n{line}\r\nshort\r\n\r\n$ "),
    );
    dash.model.note("a note");
    let at = row_of(&dash, "a note");
    assert_eq!(at, row_of(&dash, "short"), "{}", dash.text());
    // All rows are full: below the rows of the list.
    let full = vec![line.as_str(); 20].join("\r\n");
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    dash.press("i")
        .screen("web", 20, 52, &format!("{full}\x1b[H"));
    dash.model
        .note(format!("first {} second", "word ".repeat(12)));
    let text = dash.text();
    let list = |row: &str| row.split('│').next().unwrap_or_default().to_owned();
    let rows: Vec<String> = text.lines().map(list).collect();
    assert!(rows[18].starts_with(" first word"), "{text}");
    assert!(rows[21].contains("second"), "{text}");
    assert_eq!(text.matches(&line).count(), 20, "{text}");
    // The list is full too, and the prompt is in the first row: below the prompt.
    let records = (0..30).map(|n| record(&format!("web{n}"))).collect();
    let mut dash = Dash::new(80, 24, records);
    dash.press("i");
    let name = dash.model.current().unwrap().name.clone();
    dash.screen(&name, 20, 52, &format!("{full}\x1b[H"));
    dash.model
        .note(format!("first {} second", "word ".repeat(12)));
    let (_, cursor) = dash.paint();
    let prompt = usize::from(cursor.unwrap().y);
    assert_eq!(prompt, 2, "{}", dash.text());
    assert_eq!(row_of(&dash, "first"), prompt + 1, "{}", dash.text());
    assert_eq!(row_of(&dash, "second"), prompt + 2, "{}", dash.text());
}

#[test]
fn toasts_are_not_on_a_line_that_is_edited() {
    for (width, height) in [(80, 24), (40, 12), (40, 8)] {
        for keys in [":", "n", "/", "sf"] {
            let mut dash = Dash::new(width, height, shop_records());
            dash.press(keys);
            for n in 0..4 {
                dash.model.note(format!("note {n} {}", "word ".repeat(20)));
            }
            let (_, cursor) = dash.paint();
            let text = dash.text();
            let row = cursor.and_then(|at| text.lines().nth(usize::from(at.y)));
            assert!(row.is_none_or(|row| !row.contains("word")), "{keys} {text}");
        }
    }
}

#[test]
fn a_zoomed_job_that_asks_shows_how_to_answer() {
    for (width, is_wide) in [(120, true), (80, false)] {
        let mut web = record("web");
        web.summary.input_state = InputState::Line;
        let mut dash = Dash::new(width, 24, vec![web.clone()]);
        dash.press("z");
        let status = dash.status();
        assert!(status.contains("tab reply"), "{status}");
        assert!(status.contains("i type"), "{status}");
        web.asked.push(Asked {
            message: "Shall I drop the table carts and create it again?".to_owned(),
            by: Scope::named("codex").unwrap(),
            at: Timestamp(NOW),
            until: Timestamp(NOW + 60_000),
        });
        dash.record(&web);
        let status = dash.status();
        assert!(status.contains("tab reply"), "{status}");
        assert!(status.contains("N decline") || !is_wide, "{status}");
    }
    let mut dash = Dash::new(120, 24, vec![record("web")]);
    dash.press("z");
    let status = dash.status();
    assert!(
        status.contains("i type") && status.contains("z list"),
        "{status}"
    );
}

#[test]
fn the_answer_comes_before_the_refusal() {
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut web = record("web");
        web.asked.push(Asked {
            message: "May I?".to_owned(),
            by: Scope::named("codex").unwrap(),
            at: Timestamp(NOW),
            until: Timestamp(NOW + 60_000),
        });
        let mut dash = Dash::new(width, height, vec![web]);
        let text = dash.text();
        let hints = text.lines().last().unwrap_or_default();
        assert!(hints.starts_with(" tab reply  N decline"), "{hints}");
        dash.press("I");
        assert!(dash.text().contains("codex asks you"), "{}", dash.text());
    }
}

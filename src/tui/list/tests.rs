//! Tests of the rows of the list: their contents, their changes, and the requests for them.

use serde_json::json;

use crate::protocol::bounds::ALL_SESSIONS;
use crate::protocol::project::Waiting;
use crate::protocol::{Action, EventKind, Record, Status};
use crate::tui::message::Cmd;
use crate::tui::model::Selected;
use crate::tui::model::group_key::GroupKey;
use crate::tui::model::seen::{Seen, SeenTracker};
use crate::tui::options::Options;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{NOW, ended, id, record, shop_records};
use crate::tui::theme::Appearance;

/// The heading of a group, by the text of its key.
fn group(key: &str) -> Selected {
    Selected::Group(GroupKey::parse(key).unwrap())
}

/// The jobs of the drawings, with their resource usage.
fn used() -> Vec<Record> {
    let mut records = shop_records();
    for (name, port, cpu) in [
        ("web", Some(3000), 3.1),
        ("api", Some(8080), 1.0),
        ("db", Some(5432), 0.2),
        ("migrate", None, 0.0),
        ("tests", None, 98.2),
        ("agent", None, 2.0),
    ] {
        let job = records
            .iter_mut()
            .find(|one| one.summary.session_id == id(name));
        let summary = &mut job.unwrap().summary;
        summary.cpu_percent = Some(cpu);
        summary.memory_bytes = Some(182 << 20);
        summary.ports = Some(Vec::from_iter(port));
        summary.urls = Some(
            port.map(|n| format!("http://localhost:{n}/"))
                .into_iter()
                .collect(),
        );
    }
    records
}

fn queued_at(place: u32) -> Record {
    let mut lint = record("lint");
    let summary = &mut lint.summary;
    (summary.status, summary.pid) = (Status::Queued, None);
    summary.waiting = Some(Waiting {
        why: "1 before it in its queue".to_owned(),
        until: None,
        needs: None,
        never: false,
        resumable: false,
        queue: Some("builds".to_owned()),
        place: Some(place),
    });
    lint
}

#[test]
fn a_waiting_job_shows_its_place_in_the_queue_where_there_is_room() {
    let row = |width: u16, label: &str| {
        let mut lint = queued_at(2);
        lint.summary.label = Some(label.to_owned());
        let dash = Dash::new(width, 24, vec![lint]);
        let text = dash.text();
        let is_row = |line: &&str| line.contains("queued") && line.contains(&label[..4]);
        let row = text.lines().find(is_row);
        row.unwrap_or_default().to_owned()
    };
    for width in [120, 40] {
        assert!(row(width, "lint").contains("queued #2"), "{width}");
    }
    for (width, label) in [(80, "lint"), (120, "a-job-with-a-long-name")] {
        let row = row(width, label);
        assert!(row.contains("queued") && !row.contains('#'), "{row}");
    }
}

/// A dashboard with jobs that have written output.
fn busy(width: u16, height: u16) -> Dash {
    busy_with(Options::default(), width, height)
}

fn busy_with(options: Options, width: u16, height: u16) -> Dash {
    let mut dash = Dash::with(options, width, height, shop_records());
    dash.press("j").usage(used());
    let written = [
        ("web", [200, 9000, 800_000, 40_000, 300]),
        ("tests", [600_000; 5]),
        ("migrate", [600_000, 0, 0, 0, 0]),
        ("api", [0, 0, 100, 0, 0]),
    ];
    let mut totals = [1_258_291; 4];
    for cell in 0..5 {
        for (at, (name, bytes)) in written.iter().enumerate() {
            totals[at] += bytes[cell];
            let data = json!({ "outputBytes": totals[at], "inputState": "none" });
            let data = if *name == "migrate" {
                json!({ "outputBytes": totals[at], "inputState": "password" })
            } else {
                data
            };
            dash.event(EventKind::Output, name, data);
        }
        if cell < 4 {
            dash.later(2000);
        }
    }
    dash.screen("web", 40, 120, "> vite --port 3000\r\n");
    dash
}

#[test]
fn a_row_shows_the_progress_that_the_program_reports() {
    for (width, shown) in [(120, "▰▰▱▱▱"), (80, "40%")] {
        let mut dash = Dash::new(width, 24, vec![record("build")]);
        let data = json!({"outputBytes": 10, "progress": {"state": "running", "percent": 40}});
        dash.event(EventKind::Output, "build", data);
        assert!(dash.text().contains(shown), "{}", dash.text());
        assert!(dash.text().contains(" 40% "), "{}", dash.text());
        dash.event(
            EventKind::Output,
            "build",
            json!({"outputBytes": 20, "progress": null}),
        );
        assert!(!dash.text().contains('%'), "{}", dash.text());
    }
}

#[test]
fn rows_match_the_design() {
    for (width, height) in [(120, 40), (80, 24), (40, 12), (110, 20), (20, 5)] {
        busy(width, height).snapshot(&format!("rows-{width}x{height}"));
    }
    let options = Options {
        appearance: Appearance {
            ascii: true,
            ..Appearance::default()
        },
        ..Options::default()
    };
    let mut dash = busy_with(options, 120, 20);
    assert!(dash.text().is_ascii(), "{}", dash.text());
    dash.snapshot("rows-ascii-120x20");
}

#[test]
fn the_sparkline_shows_output_and_empties() {
    let mut dash = Dash::new(
        120,
        40,
        vec![ended("x", Status::Done, Some(0), 3_600_000), {
            let mut web = record("web");
            web.summary.runtime_ms = 3 * 3_600_000;
            web
        }],
    );
    dash.usage(vec![]);
    dash.model.dirty = false;
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_258_391 }),
    );
    assert!(dash.model.dirty);
    assert!(dash.text().contains("▁▁▁▁▃"), "{}", dash.text());
    for _ in 0..5 {
        dash.later(2000).usage(vec![]);
    }
    assert!(dash.text().contains("▁▁▁▁▁"), "{}", dash.text());
    let due = dash.model.next_due().unwrap() - dash.model.now.ms;
    assert!(due > 40_000, "only the clock: {due}");
}

#[test]
fn asks_for_all_jobs() {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    let lists = std::mem::take(&mut dash.cmds);
    let lists = lists.into_iter().filter_map(|cmd| match cmd {
        Cmd::Request(_, Action::List(list)) => list.limit,
        _ => None,
    });
    let limits: Vec<usize> = lists.collect();
    assert_eq!(limits, [ALL_SESSIONS; 2], "the list, and the usage");
}

#[test]
fn requests_usage_during_activity_and_else_with_the_clock() {
    let mut quiet = record("web");
    quiet.summary.cpu_percent = Some(0.0);
    let mut dash = Dash::new(80, 24, vec![quiet.clone()]);
    assert_eq!(dash.usage_asked(), 1, "when the list has come");
    dash.later(20_000);
    assert_eq!(dash.usage_asked(), 0, "one at a time");
    dash.usage(vec![quiet.clone()]);
    assert_eq!(dash.usage_asked(), 0, "nothing has happened for long");
    dash.later(40_000);
    assert_eq!(dash.usage_asked(), 1, "the minute of the clock");
    dash.usage(vec![quiet.clone()]);
    dash.event(
        EventKind::Output,
        "web",
        json!({ "outputBytes": 1_300_000 }),
    );
    dash.later(2000);
    assert_eq!(dash.usage_asked(), 1, "two seconds after the one before");
    let mut hot = quiet.clone();
    hot.summary.cpu_percent = Some(50.0);
    for _ in 0..10 {
        dash.usage(vec![hot.clone()]).later(2000);
        assert_eq!(dash.usage_asked(), 1, "as long as it is at work");
    }
    dash.usage(vec![quiet]).press("\r").later(2000);
    assert_eq!(dash.usage_asked(), 0, "nobody sees it");
    dash.press("\x1d");
    assert_eq!(dash.usage_asked(), 1, "at once when somebody sees it again");
}

#[test]
fn a_usage_reply_changes_nothing_else() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("j");
    let rows = dash.model.list.rows.clone();
    let mut news = used();
    for record in &mut news {
        // Events report these changes, so the usage reply must not.
        record.summary.status = Status::Done;
        record.summary.output_lines = 1;
    }
    news.push(record("new"));
    dash.usage(news);
    assert_eq!(dash.model.list.rows, rows);
    assert!(!dash.model.list.stale);
    assert_eq!(dash.model.list.selected, Selected::Job(id("web")));
    assert!(dash.status().contains("running"), "{}", dash.status());
    assert!(
        dash.status().contains("3% 182M  :3000"),
        "{}",
        dash.status()
    );
    dash.model.dirty = false;
    dash.usage(used());
    assert!(!dash.model.dirty, "nothing shows anew");
    // A record requested after an event contains no ports.
    let mut web = shop_records().remove(0);
    dash.record(&web);
    assert!(dash.text().contains(":3000"));
    web.summary.pid = Some(7);
    dash.record(&web);
    assert!(!dash.text().contains(":3000"), "of the run before");
}

#[test]
fn sorting_keeps_the_cursor_on_its_job() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("j").usage(used());
    for (name, first) in [
        ("name", "api"),
        ("age", "migrate"),
        ("cpu", "tests"),
        ("state", "migrate"),
        ("attention", "migrate"),
    ] {
        dash.press("S");
        let text = dash.text();
        assert!(text.contains(&format!("Sorted by {name}.")), "{text}");
        let row = text.lines().nth(3).unwrap();
        assert!(row.contains(first), "{name}: {row}");
        assert_eq!(dash.model.list.selected, Selected::Job(id("web")));
        assert_eq!(text.contains(&format!("by {name}   ")), name != "attention");
    }
    dash.press("SSS");
    let mut news = used();
    news[1].summary.cpu_percent = Some(300.0);
    dash.usage(news);
    let text = dash.text();
    assert!(text.lines().nth(3).unwrap().contains("api"), "{text}");
}

#[test]
fn the_filter_highlights_matching_letters() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("/mgt\r");
    let (buffer, _) = dash.paint();
    let lit: String = (0..26)
        .filter_map(|x| buffer.cell((x, 2)))
        .filter(|cell| cell.modifier.contains(ratatui::style::Modifier::UNDERLINED))
        .map(|cell| cell.symbol().to_owned())
        .collect();
    assert_eq!(lit, "mgt", "{}", dash.text());
    dash.press("\x1b/!failed\r");
    assert_eq!(dash.model.list.selected, Selected::Job(id("lint")));
    dash.press("\x1b/-failed\r");
    assert!(!dash.text().contains("lint"), "{}", dash.text());
}

#[test]
fn selects_alerts_in_order_and_opens_the_pane_in_the_stack() {
    let mut records = shop_records();
    let asked = crate::protocol::status::InputState::Line;
    records[4].summary.input_state = asked;
    let mut dash = Dash::new(80, 24, records.clone());
    dash.press("G");
    for name in ["migrate", "tests", "lint", "migrate"] {
        dash.press("!");
        assert_eq!(dash.model.list.selected, Selected::Job(id(name)));
    }
    let mut dash = Dash::new(40, 12, records);
    dash.press("G!");
    assert!(dash.model.frame.open);
    assert_eq!(dash.model.list.selected, Selected::Job(id("migrate")));
}

#[test]
fn a_finished_job_shows_its_duration() {
    let mut dash = busy(120, 40);
    assert!(dash.text().contains("took 48s"));
    let build = ended("build", Status::Done, Some(0), 60_000);
    dash.record(&build);
    assert_eq!(dash.model.now.ms, NOW + 50 + 8000);
}

fn many(width: u16, height: u16) -> Dash {
    let records = (10..50).map(|n| record(&format!("job{n}x"))).collect();
    let mut dash = Dash::new(width, height, records);
    dash.press("g");
    dash.asked();
    dash
}

fn at(dash: &Dash) -> usize {
    dash.model.list.cursor
}

#[test]
fn page_keys_move_through_a_list_that_is_cut() {
    for (down, up) in [("\x1b[6~", "\x1b[5~"), ("\x06", "\x02")] {
        let mut dash = many(80, 24);
        dash.press("jj").press(down);
        assert_eq!((at(&dash), dash.model.list.top), (22, 19));
        dash.press(down);
        assert_eq!((at(&dash), dash.model.list.top), (39, 19), "the end");
        dash.press(up);
        assert_eq!(at(&dash), 19);
        dash.press(up).press(up);
        assert_eq!((at(&dash), dash.model.list.top), (0, 0));
        assert!(dash.model.is_normal(), "not SCROLL");
    }
}

#[test]
fn page_keys_move_through_the_pane_beside_a_short_list() {
    for up in ["\x1b[5~", "\x02"] {
        let mut dash = Dash::new(80, 24, shop_records());
        dash.press("2").press("\x1b[6~").press("\x06");
        assert!(dash.model.is_normal());
        assert_eq!(dash.model.list.selected, Selected::Job(id("web")));
        dash.press(up);
        assert!(dash.status().starts_with(" SCROLL "), "{}", dash.status());
    }
    let mut dash = many(80, 24);
    dash.press("z").press("\x1b[5~");
    assert!(dash.status().starts_with(" SCROLL "), "no list, no pages");
}

#[test]
fn marks_the_edges_of_a_list_that_is_cut() {
    let edges = |dash: &Dash| {
        let text = dash.text();
        let has = |mark: char| text.contains(mark);
        (has('▲'), has('▼'))
    };
    for (width, height) in [(120, 40), (80, 24), (40, 12)] {
        let mut dash = many(width, height);
        assert_eq!(edges(&dash), (false, true), "{width}");
        dash.press("G");
        assert_eq!(edges(&dash), (true, false), "{width}");
    }
    let mut dash = many(80, 24);
    dash.press("\x06").snapshot("list-cut-80x24");
    assert_eq!(edges(&Dash::new(80, 24, shop_records())), (false, false));
}

#[test]
fn one_key_folds_all_groups_and_unfolds_them() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("7").press("Z");
    assert_eq!(dash.model.list.rows.len(), 2);
    assert_eq!(dash.model.list.selected, group("d:/home/me/notes"));
    dash.press("Z");
    assert_eq!(dash.model.list.rows.len(), 10);
    dash.press("gh");
    dash.press("Z");
    assert_eq!(dash.model.list.rows.len(), 2, "one was still open");
}

#[test]
fn a_filter_opens_folded_groups_while_it_stands() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("Z").press("/lint");
    assert_eq!(dash.model.list.selected, Selected::Job(id("lint")));
    assert!(dash.text().contains("▾ ~/notes"), "{}", dash.text());
    dash.press("\r").press("h");
    assert!(dash.text().contains("A filter shows all groups unfolded"));
    dash.press("\x1b\x1b").press("\x1b");
    assert_eq!(dash.model.list.filter, "");
    assert_eq!(dash.model.list.selected, Selected::Job(id("lint")));
    assert_eq!(
        dash.model.list.rows.len(),
        5,
        "the other group is folded again"
    );
    // What was selected is selected again if nothing was found.
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("7");
    let before = dash.model.list.selected.clone();
    dash.press("/zzzz");
    assert_eq!(dash.model.list.selected, Selected::Nothing);
    dash.press("\x1b");
    assert_eq!(dash.model.list.selected, before);
    dash.press("/zz\x7f\x7f");
    assert_eq!(
        dash.model.list.selected, before,
        "the filter is empty again"
    );
}

#[test]
fn a_filter_puts_the_best_match_first() {
    let mut records = Vec::new();
    for (at, name) in ["日常の本", "日本語", "x日本", "日本", "other"]
        .iter()
        .enumerate()
    {
        let mut one = record(&format!("n{at}"));
        one.summary.label = Some((*name).to_owned());
        one.summary.created_at.0 += i64::try_from(at).unwrap();
        records.push(one);
    }
    let mut dash = Dash::new(80, 24, records);
    dash.press("G").press("/日本");
    assert_eq!(dash.model.list.selected, Selected::Job(id("n3")));
    let names: Vec<String> = dash
        .text()
        .lines()
        .skip(1)
        .take(4)
        .map(|line| line.chars().skip(3).take(8).collect::<String>())
        .collect();
    let starts = |at: usize, name: &str| names[at].starts_with(name);
    assert!(starts(0, "日本 ") && starts(1, "日本語"), "{names:?}");
    assert!(starts(2, "x日本") && starts(3, "日常の本"), "{names:?}");
    // A job that matches as well stays selected.
    dash.press("\x15npm");
    assert_eq!(dash.model.list.selected, Selected::Job(id("n3")));
}

#[test]
fn the_group_of_the_best_match_comes_first() {
    let mut dash = Dash::new(80, 24, shop_records());
    // `npm run tests` in the first group, and `build` in the second by its name.
    dash.press("/b");
    assert_eq!(dash.model.list.selected, Selected::Job(id("build")));
    assert!(
        matches!(&dash.model.list.rows[0], crate::tui::model::rows::Row::Group(group) if group.title == "~/notes")
    );
}

#[test]
fn keys_change_the_width_of_the_list() {
    let mut dash = Dash::new(80, 24, shop_records());
    let width = |dash: &Dash| dash.model.layout().list.unwrap().width;
    dash.press(">>>");
    assert_eq!(width(&dash), 32);
    dash.press("<");
    assert_eq!(width(&dash), 30);
    dash.press("<<<<<<").snapshot("list-narrow-80x24");
    assert_eq!(width(&dash), 18);
    dash.press("<");
    assert!(
        dash.text().contains("cannot be narrower"),
        "{}",
        dash.text()
    );
    let mut dash = Dash::new(40, 12, shop_records());
    dash.press(">");
    assert!(dash.text().contains("beside the pane"), "{}", dash.text());
}

#[test]
fn the_last_selection_is_restored_with_the_first_list() {
    let reopened = |remembered: Selected, folded: &[&str], filter: &str| {
        let options = Options {
            filter: Some(filter.to_owned()).filter(|text| !text.is_empty()),
            ..Options::default()
        };
        let mut dash = Dash::with(options, 80, 24, Vec::new());
        dash.model.daemon.listed = false;
        dash.model.list.remembered = remembered;
        dash.model.list.folded = folded
            .iter()
            .filter_map(|key| GroupKey::parse(key))
            .collect();
        dash.list(shop_records());
        dash.model.list.selected.clone()
    };
    let tests = Selected::Job(id("tests"));
    let shop = group("g:shop");
    assert_eq!(reopened(tests.clone(), &[], ""), tests);
    assert_eq!(reopened(shop.clone(), &["g:shop"], ""), shop);
    // A job that is gone, filtered out, or in a folded group is not selected.
    let usual = Selected::Job(id("migrate"));
    assert_eq!(reopened(Selected::Job(id("gone")), &[], ""), usual);
    assert_eq!(
        reopened(tests.clone(), &[], "agent"),
        Selected::Job(id("agent"))
    );
    assert_eq!(reopened(tests.clone(), &["g:shop"], ""), shop);
    // A filter looks for a job.
    assert_eq!(reopened(shop, &[], "tests"), tests);
}

#[test]
fn a_filter_that_is_cleared_before_the_first_list_forgets_no_selection() {
    let mut dash = Dash::with(Options::default(), 80, 24, Vec::new());
    dash.model.daemon.listed = false;
    dash.model.list.remembered = Selected::Job(id("tests"));
    dash.press("/x\x1b").list(shop_records());
    assert_eq!(dash.model.list.selected, Selected::Job(id("tests")));
}

#[test]
fn a_failed_job_says_how_at_every_width() {
    for width in 20..=160 {
        for height in [5, 12, 30] {
            let mut records = shop_records();
            records[0].summary.label = Some("a-name-that-is-longer-than-the-list".to_owned());
            let mut lint = ended("linter", Status::Error, Some(1), 60_000);
            lint.summary.label = Some("a-linter-with-a-name".to_owned());
            lint.summary.group = Some("a".to_owned());
            records.push(lint);
            let dash = Dash::new(width, height, records);
            let Some(list) = dash.model.layout().list else {
                continue;
            };
            let text = dash.text();
            let rows = text
                .lines()
                .skip(usize::from(list.y))
                .take(usize::from(list.height));
            let row = |row: &&str| row.contains('✗') && !row.contains('▾');
            for row in rows.filter(row) {
                let row: String = row.chars().take(usize::from(list.width)).collect();
                assert!(row.contains("exit 1"), "{width}x{height}: {row}\n{text}");
            }
        }
    }
}

#[test]
fn a_name_with_a_state_is_cut_only_if_no_other_column_can_give_way() {
    let named = |mut one: Record, name: &str| {
        one.summary.label = Some(name.to_owned());
        one.summary.output_lines = 0;
        one
    };
    let killed = named(ended("w2", Status::Killed, None, 1000), "alpha-w20");
    let nightly = named(ended("n", Status::Error, Some(127), 180_000), "nightly");
    let mut migrate = named(record("m"), "migrate-production-database");
    migrate.summary.input_state = crate::protocol::status::InputState::Password;
    let records = vec![killed, nightly, migrate, record("web")];
    let row = |width: u16, name: &str| {
        let dash = Dash::new(width, 24, records.clone());
        let text = dash.text();
        let found = text.lines().find(|row| row.contains(name));
        found.map(|row| row.split('│').next().unwrap_or_default().to_owned())
    };
    let shown = row(120, "alpha-w20").unwrap_or_default();
    assert!(shown.contains("alpha-w20  "), "{shown}");
    assert!(shown.contains(" killed    1s ago"), "{shown}");
    let shown = row(80, "alpha-w20").unwrap_or_default();
    assert!(
        shown.contains("alpha-w20  ") && shown.contains("killed"),
        "{shown}"
    );
    let shown = row(80, "nightly").unwrap_or_default();
    assert!(
        shown.contains(" nightly ") && shown.contains("exit 127"),
        "{shown}"
    );
    let shown = row(80, "password").unwrap_or_default();
    assert!(shown.contains("migra") && shown.contains("base"), "{shown}");
    // Rows with room for their names stay as they are.
    let shown = row(80, "● web").unwrap_or_default();
    assert!(shown.trim_end().ends_with("2h04m"), "{shown}");
}

#[test]
fn a_long_name_costs_the_others_no_column_in_a_wide_window() {
    let failed = || {
        let mut one = ended("lint", Status::Error, Some(1), 180_000);
        one.summary.label = Some("a-linter-with-a-name".to_owned());
        one
    };
    let live = |records: Vec<Record>, keys: &str| {
        let mut dash = Dash::new(120, 24, records);
        dash.press(keys);
        let text = dash.text();
        let row = text.lines().find(|line| line.contains("● web"));
        row.unwrap_or_default()
            .split('│')
            .next()
            .unwrap_or_default()
            .contains("▁▁▁▁▁")
    };
    assert!(live(vec![failed(), record("web")], ""));
    let dash = Dash::new(120, 24, vec![failed(), record("web")]);
    let text = dash.text();
    assert!(text.contains("✗ a-l…ame exit 1  3m ago"), "{text}");
    // A name of usual length is shown in full, if its row is shown.
    let mut other = ended("other", Status::Error, Some(1), 180_000);
    other.summary.label = Some("a-linter".to_owned());
    assert!(!live(vec![other.clone(), record("web")], ""));
    assert!(live(vec![other, record("web")], "/web\r"), "filtered out");
}

#[test]
fn a_job_that_a_filter_has_found_in_a_folded_group_stays_selected() {
    let mut dash = Dash::new(80, 24, shop_records());
    dash.press("Z").press("/api\r").press("\x1b").later(50);
    assert_eq!(dash.model.list.selected, Selected::Job(id("api")));
    assert!(dash.text().contains("▌● api"), "{}", dash.text());
    assert!(
        !dash.text().contains("lint"),
        "other groups stay folded: {}",
        dash.text()
    );
}

#[test]
fn words_stand_in_one_column() {
    let asks = |at: &str, name: &str| {
        let mut one = record(at);
        one.summary.label = Some(name.to_owned());
        one.summary.input_state = crate::protocol::status::InputState::Line;
        one
    };
    let names = ["db", "codex-job", "codex-work", "migrate"];
    let failed = ended("migrate", Status::Error, Some(3), 180_000);
    let asking = [asks("job", names[1]), asks("work", names[2])];
    let records = [vec![record("db"), failed], asking.to_vec()].concat();
    for width in [120, 110, 90, 80, 60, 40] {
        let dash = Dash::new(width, 24, records.clone());
        let text = dash.text();
        let row = |name: &str| {
            let rows = text.lines().filter_map(|line| line.split('│').next());
            let mut rows = rows.filter(|row| row.contains(&format!(" {name} ")));
            let row = rows.next().map(str::to_owned);
            row.unwrap_or_else(|| panic!("{width} {name}: {text}"))
        };
        let places = [
            ("codex-job", "input"),
            ("codex-work", "input"),
            ("migrate", "exit 3"),
        ];
        let places = places.map(|(name, word)| {
            let row = row(name);
            let at = row.find(word).unwrap_or_else(|| panic!("{width}: {text}"));
            let start = row[..at].chars().count();
            (start, start + word.len())
        });
        let (starts, ends) = (places.map(|(start, _)| start), places.map(|(_, end)| end));
        let same = |all: [usize; 3]| all.iter().all(|one| *one == all[0]);
        assert!(same(starts) || same(ends), "{width}: {text}");
        // The time has its column in all of these rows, or in none.
        let has_time = |name: &str| row(name).contains("2h04m") || row(name).contains("3m ago");
        let timed = names[1..].iter().filter(|name| has_time(name)).count();
        assert!([0, 3].contains(&timed), "{width}: {text}");
    }
}

#[test]
fn alerts_visit_new_failures_before_those_that_were_looked_at() {
    let failed = |name: &str, age: i64| {
        let mut one = ended(name, Status::Error, Some(1), 60_000);
        one.summary.created_at = crate::protocol::Timestamp(NOW - age);
        one
    };
    let records = vec![
        failed("old", 900_000),
        failed("new", 600_000),
        failed("newer", 300_000),
        record("web"),
    ];
    let mut dash = Dash::new(80, 24, records);
    crate::tui::list::select::job(&mut dash.model, &id("web"));
    let seen = Seen {
        lines: 1260,
        at: NOW,
    };
    dash.model.seen = SeenTracker::new([(id("old"), seen)].into());
    dash.later(0);
    for name in ["new", "newer", "old"] {
        dash.press("!");
        assert_eq!(dash.model.list.selected, Selected::Job(id(name)));
    }
}

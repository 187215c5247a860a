//! Tests of the grid of live panes.

use ratatui::style::Modifier;

use crate::protocol::{Action, EventKind, Status};
use crate::tui::message::{Cmd, Event, RequestKind};
use crate::tui::model::Selected;
use crate::tui::modes::insert::Insert;
use crate::tui::options::Options;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs::{ended, id, record, shop_records};
use crate::tui::theme::Appearance;

/// The grid of the design drawings: four marked jobs.
fn four(width: u16, height: u16) -> Dash {
    four_with(Options::default(), width, height)
}

fn four_with(options: Options, width: u16, height: u16) -> Dash {
    let mut dash = Dash::with(options, width, height, shop_records());
    for name in ["web", "tests", "migrate", "agent"] {
        dash.model.list.marked.insert(id(name));
    }
    dash.press("v");
    paint(&mut dash);
    dash
}

fn paint(dash: &mut Dash) {
    let web = "12:44:52 GET /api/cart        500  87 ms\r\n12:44:52 TypeError: cart.items is undefined\r\n";
    dash.screen("web", 40, 120, web);
    dash.screen(
        "tests",
        40,
        120,
        "cart.test.ts (14)\r\n  FAIL  refunds twice\r\n",
    );
    let migrate = "Applying 0043_backfill_totals.sql\r\nPassword for migrate (db.prod): ";
    dash.screen("migrate", 40, 120, migrate);
    dash.screen(
        "agent",
        40,
        120,
        "Editing src/cart.ts\r\n  日本語 2 lines changed\r\n",
    );
}

/// Jobs whose watch was requested, with frame rates, and jobs whose watch was ended.
fn watching(dash: &mut Dash) -> (Vec<(String, u32)>, Vec<String>) {
    let (mut on, mut off) = (Vec::new(), Vec::new());
    for cmd in dash.asked() {
        match cmd {
            Cmd::Request(_, Action::Watch(watch)) => {
                on.push((watch.session_id, watch.max_fps.unwrap()));
            }
            Cmd::Request(_, Action::Unwatch(unwatch)) => off.push(unwatch.session_id),
            _ => {}
        }
    }
    (on, off)
}

fn at(name: &str) -> Selected {
    Selected::Job(id(name))
}

#[test]
fn pictures() {
    four(120, 24).snapshot("grid-120x24");
    four(80, 24).snapshot("grid-80x24");
    four(40, 12).snapshot("grid-40x12");
    let ascii = Options {
        appearance: Appearance {
            ascii: true,
            ..Appearance::default()
        },
        ..Options::default()
    };
    four_with(ascii, 120, 24).snapshot("grid-ascii-120x24");
    let mut dash = four(120, 24);
    dash.press("i").snapshot("grid-insert-120x24");
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("v");
    paint(&mut dash);
    dash.snapshot("grid-all-120x40");
    let mut dash = four(80, 24);
    dash.happen(Event::Window(24, 8))
        .snapshot("grid-no-room-24x8");
}

#[test]
fn watches_only_visible_screens() {
    let mut dash = Dash::new(120, 40, shop_records());
    let (on, _) = watching(&mut dash);
    assert_eq!(on, [(id("migrate").to_string(), 30)]);
    dash.press("v");
    let (on, off) = watching(&mut dash);
    assert_eq!((on.len(), off.len()), (7, 0), "{on:?}");
    assert!(on.iter().all(|(_, fps)| *fps == 10), "{on:?}");
    // The selected tile has the higher frame rate.
    dash.press("l");
    let (on, off) = watching(&mut dash);
    let web = (id("web").to_string(), 30);
    assert!(
        on.contains(&web) && on.len() == 2 && off.is_empty(),
        "{on:?}"
    );
    dash.press("v");
    assert_eq!(watching(&mut dash).1.len(), 7);
    // A list without a pane shows no screen.
    dash.happen(Event::Window(40, 12));
    assert_eq!(watching(&mut dash).1, [id("web").to_string()]);
}

#[test]
fn looking_resizes_no_job_and_typing_only_its_own() {
    let mut dash = four(120, 40);
    dash.press("lhjk+-v").press("v");
    let asked = dash.asked();
    let resized = |cmd: &Cmd| matches!(cmd, Cmd::Request(_, Action::Resize(_)));
    assert!(!asked.iter().any(resized));
    dash.press("i");
    assert!(dash.model.state::<Insert>().is_some());
    let name = dash.model.current().unwrap().name.clone();
    let tile = dash.model.pane_size().unwrap();
    dash.press("x");
    let resized: Vec<_> = dash
        .asked()
        .into_iter()
        .filter_map(|cmd| match cmd {
            Cmd::Request(_, Action::Resize(resize)) => Some(resize),
            _ => None,
        })
        .collect();
    assert_eq!(resized.len(), 1);
    assert_eq!(resized[0].session_id, id(&name).to_string());
    assert_eq!(
        (resized[0].rows, resized[0].cols),
        (tile.rows(), tile.cols())
    );
    assert!(tile.cols() < 60, "{tile:?}");
}

#[test]
fn keys_move_between_tiles_and_back_leaves_the_grid() {
    let mut dash = four(120, 40);
    // In the order of the list: jobs that wait for a person come first.
    assert_eq!(dash.model.list.selected, at("migrate"));
    dash.press("l");
    assert_eq!(dash.model.list.selected, at("web"));
    dash.press("l");
    assert_eq!(dash.model.list.selected, at("web"), "the side stops it");
    dash.press("\x1b[B");
    assert_eq!(dash.model.list.selected, at("agent"));
    dash.press("h");
    assert_eq!(dash.model.list.selected, at("tests"));
    dash.press("g");
    assert_eq!(dash.model.list.selected, at("migrate"));
    dash.press("4");
    assert_eq!(dash.model.list.selected, at("agent"));
    dash.press("\r");
    assert!(dash.model.state::<Insert>().is_some() && dash.model.frame.zoom);
    dash.press("\x1d");
    assert!(dash.model.in_grid());
    dash.press("z");
    assert!(!dash.model.in_grid());
    dash.press("\x1b");
    assert!(dash.model.in_grid());
    dash.press("\x1b");
    assert!(!dash.model.frame.grid);
    assert_eq!(dash.model.list.selected, at("agent"));
}

#[test]
fn more_and_fewer_tiles() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("v");
    assert!(dash.text().contains("grid 2x4"), "{}", dash.text());
    dash.press("--");
    assert!(dash.text().contains("grid 2x2"), "{}", dash.text());
    assert!(dash.text().contains("1-4 of 8"), "{}", dash.text());
    dash.press("G");
    assert!(dash.text().contains("5-8 of 8"), "{}", dash.text());
    dash.press("++++");
    assert!(
        dash.text().contains("All jobs are shown."),
        "{}",
        dash.text()
    );
    dash.press("------");
    assert!(dash.text().contains("The grid shows at least one tile."));
}

#[test]
fn the_most_tiles_are_those_that_are_shown() {
    let many = (10..40).map(|n| record(&format!("job{n}x"))).collect();
    let mut dash = Dash::new(100, 40, many);
    dash.press("v").press("+++++");
    let area = dash.model.layout().grid.unwrap();
    let shown = dash.model.grid.shape(area).unwrap().tiles();
    assert_eq!(shown, 18, "three by six hold 16");
    let text = dash.text();
    assert!(text.contains("The grid shows at most 18 tiles."), "{text}");
    dash.press("-");
    let fewer = dash.model.grid.shape(area).unwrap().tiles();
    assert_eq!(fewer, 12, "not the same again");
}

#[test]
fn tiles_keep_their_order() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("v");
    let before = dash.model.grid.jobs.clone();
    assert_eq!(before.last(), Some(&id("build")), "ended jobs are the last");
    // The job waits for input now, so the list has it first.
    let mut tests = shop_records().swap_remove(4);
    tests.summary.input_state = crate::protocol::status::InputState::Line;
    dash.record(&tests);
    assert_eq!(dash.model.grid.jobs, before);
    // When the selected job disappears, the tile that takes its place is selected.
    dash.press("l");
    dash.event(EventKind::Removed, "web", serde_json::json!({}));
    assert_eq!(dash.model.list.selected, Selected::Job(before[2].clone()));
    assert!(dash.model.in_grid());
    // The filter applies to the tiles too.
    dash.press("/lint\r");
    assert_eq!(dash.model.grid.jobs, [id("lint")]);
}

#[test]
fn running_jobs_have_the_tiles_if_not_all_fit() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("v");
    // Two jobs end; the tiles of the first page stay as they are until somebody needs them.
    let over = |name: &str, ago: i64| {
        let mut record = ended(name, Status::Done, Some(0), ago);
        record.summary.group = Some("shop".to_owned());
        record
    };
    let before = dash.model.grid.jobs.clone();
    dash.record(&over("web", 20_000))
        .record(&over("api", 20_000));
    assert_eq!(dash.model.grid.jobs, before);
    // With four tiles, one of them is for the running job of the second page.
    dash.press("--");
    let names = |dash: &Dash| -> Vec<String> {
        let tiles = dash.model.tiles().into_iter();
        tiles.map(|(_, id, _)| dash.model.name_of(id)).collect()
    };
    assert_eq!(names(&dash), ["migrate", "agent", "tests", "db"]);
    // Who has just ended keeps the tile for a while, and the selected one as long as it is selected.
    dash.record(&over("tests", 0))
        .record(&over("migrate", 60_000));
    let new = {
        let mut new = crate::tui::tests::jobs::record("new");
        new.summary.group = Some("shop".to_owned());
        new
    };
    dash.record(&new);
    assert_eq!(names(&dash), ["migrate", "agent", "tests", "db"]);
    dash.later(11_000);
    assert_eq!(names(&dash), ["migrate", "agent", "new", "db"]);
}

#[test]
fn only_the_pane_with_the_focus_has_a_bright_cursor() {
    let cells = |dash: &Dash, modifier: Modifier| {
        let (buffer, _) = dash.paint();
        let tiles = dash.model.tiles().into_iter();
        let bodies = tiles.map(|(.., tile)| tile.body);
        let cells = bodies.flat_map(|body| body.positions());
        cells
            .filter(|at| buffer.cell(*at).unwrap().modifier.contains(modifier))
            .count()
    };
    let bright = |dash: &Dash| cells(dash, Modifier::REVERSED);
    let outlined = |dash: &Dash| cells(dash, Modifier::UNDERLINED);
    let mut dash = four(120, 24);
    assert_eq!((bright(&dash), outlined(&dash)), (1, 3));
    dash.press("i");
    assert!(dash.paint().1.is_some());
    assert_eq!((bright(&dash), outlined(&dash)), (0, 3));
    // Keys go to a line that is edited.
    dash.press("\x1d/");
    assert_eq!((bright(&dash), outlined(&dash)), (0, 4));
}

#[test]
fn tiles_wrap_text_and_crop_full_screen_programs() {
    let mut dash = four(120, 24);
    let long = "0123456789".repeat(10);
    dash.screen("tests", 40, 120, &long);
    let rows = |dash: &Dash| dash.text().matches("0123456789").count();
    assert!(rows(&dash) >= 9, "{}", dash.text());
    dash.screen("tests", 40, 120, &format!("\x1b[?1049h{long}"));
    assert!(rows(&dash) < 7, "{}", dash.text());
}

#[test]
fn selecting_a_job_without_a_tile_leaves_the_grid() {
    let mut dash = four(120, 40);
    dash.model.list.marked.clear();
    dash.press("!");
    assert_eq!(dash.model.list.selected, at("lint"));
    assert!(!dash.model.frame.grid);
}

#[test]
fn the_wheel_over_another_tile_leaves_the_log_of_the_scrolled_one() {
    for notch in [64, 65] {
        let mut dash = four(120, 24);
        dash.press("z").press("\x19").press("z");
        let first = dash.model.current_id().cloned();
        let scrolled = dash.model.pane.scroll.as_ref().map(|scroll| &scroll.id);
        assert_eq!(scrolled, first.as_ref());
        let other = dash.model.tiles().into_iter().find_map(|(_, other, tile)| {
            (Some(other) != first.as_ref()).then(|| (other.clone(), tile.body))
        });
        let (other, body) = other.unwrap();
        dash.asked();
        dash.press(&format!("\x1b[<{notch};{};{}M", body.x + 2, body.y + 2));
        assert_eq!(dash.model.current_id(), Some(&other));
        let scroll = dash.model.pane.scroll.as_ref();
        assert!(scroll.is_none_or(|scroll| scroll.id == other));
        let asked = dash.asked();
        let is_first = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Log(id, _), _) if Some(id) == first.as_ref());
        assert!(!asked.iter().any(is_first), "{asked:?}");
        assert_eq!(dash.model.mode().scrolls(), notch == 64);
        assert!(dash.model.mode().job().is_none_or(|job| *job == other));
    }
}

#[test]
fn the_wheel_over_a_tile_scrolls_its_job() {
    let mut dash = four(120, 24);
    for keys in ["", "i"] {
        dash.press(keys).asked();
        let other = dash.model.tiles().into_iter().find_map(|(_, other, tile)| {
            (Some(other) != dash.model.current_id()).then(|| (other.clone(), tile.body))
        });
        let (other, body) = other.unwrap();
        dash.press(&format!("\x1b[<64;{};{}M", body.x + 2, body.y + 2));
        let Some(scroll) = &dash.model.pane.scroll else {
            panic!("{}", dash.status());
        };
        assert_eq!(
            (&scroll.id, dash.model.current_id()),
            (&other, Some(&other))
        );
        dash.press("q");
        assert!(dash.model.frame.grid);
    }
}

#[test]
fn a_zoom_from_the_grid_leads_back_to_it() {
    let mut dash = Dash::new(120, 40, shop_records());
    dash.press("v").press("z");
    assert!(dash.status().contains("z grid"), "{}", dash.status());
    dash.press("z");
    assert!(dash.model.in_grid());
    dash.press("v").press("z");
    assert!(dash.status().contains("z list"), "{}", dash.status());
}

//! Tests of scrolled views: what moves the viewport and what does not.

use super::*;

fn log(from: usize, to: usize) -> Vec<u8> {
    (from..to)
        .flat_map(|n| format!("line {n}\r\n").into_bytes())
        .collect()
}

fn scroll() -> Scroll {
    let display = Display {
        pane: Size::new(10, 40),
        rows: 10,
        wrap: true,
        times: false,
    };
    Scroll::new(SessionId::parse("abcdefghijkl").unwrap(), display, false)
}

fn shown(scroll: &Scroll) -> Vec<&str> {
    scroll
        .view()
        .map(|row| scroll.text.rows[row].text.as_str())
        .collect()
}

fn at(scroll: &Scroll) -> &str {
    &scroll.text.rows[scroll.cursor.row].text
}

#[test]
fn new_output_does_not_move_the_view() {
    let mut scroll = scroll();
    let bytes = log(0, 50);
    scroll.receive(Part::First, &bytes, 0, 0);
    assert_eq!(at(&scroll), "line 49");
    scroll.go(Move::Page, -20);
    let before = scroll.view().collect::<Vec<_>>();
    scroll.receive(Part::Newer, &log(50, 60), bytes.len() as u64, 0);
    assert_eq!(scroll.view().collect::<Vec<_>>(), before);
    assert_eq!(shown(&scroll)[0], "line 20");
    assert_eq!(scroll.text.rows.len(), 60);
}

#[test]
fn older_output_does_not_move_the_view() {
    let mut scroll = scroll();
    let all = log(0, 50);
    let cut = log(0, 20).len();
    scroll.receive(Part::First, &all[cut..], cut as u64, 0);
    assert!(scroll.text.has_older());
    assert_eq!(scroll.go(Move::Cursor, -1000), -972);
    // The first line may be incomplete, so it is not shown.
    assert_eq!(at(&scroll), "line 21");
    scroll.receive(Part::Older, &all[..cut], 0, 0);
    assert_eq!(shown(&scroll)[0], "line 21");
    assert!(!scroll.text.has_older());
    scroll.go(Move::Page, isize::MIN + 1);
    assert_eq!(at(&scroll), "line 0");
}

#[test]
fn a_held_button_stays_on_the_text_that_it_was_pressed_on() {
    let all = log(0, 50);
    let cut = log(0, 20).len();
    let pressed = || {
        let mut scroll = scroll();
        scroll.receive(Part::First, &all[cut..], cut as u64, 0);
        let place = Place { row: 9, col: 2 };
        assert_eq!(scroll.text.rows[9].text, "line 30");
        (scroll.pressed, scroll.cursor) = (Some(place), place);
        scroll
    };
    let mut scroll = pressed();
    scroll.receive(Part::Older, &all[..cut], 0, 0);
    let row = scroll.pressed.map(|place| place.row);
    assert_eq!(row, Some(30));
    assert_eq!(scroll.text.rows[30].text, "line 30");
    // Text that is replaced takes the selection with it.
    for part in [Part::First, Part::Around(0)] {
        let mut scroll = pressed();
        scroll.select(Shape::Text);
        scroll.receive(part, &all, 0, 0);
        assert_eq!((scroll.pressed, scroll.selection), (None, None), "{part:?}");
    }
}

#[test]
fn the_view_moves_when_the_cursor_reaches_its_edge() {
    let mut scroll = scroll();
    scroll.receive(Part::First, &log(0, 50), 0, 0);
    scroll.go(Move::Cursor, -9);
    assert_eq!((at(&scroll), shown(&scroll)[0]), ("line 40", "line 40"));
    scroll.go(Move::Cursor, -1);
    assert_eq!((at(&scroll), shown(&scroll)[0]), ("line 39", "line 39"));
    scroll.go(Move::View, -5);
    assert_eq!((at(&scroll), shown(&scroll)[0]), ("line 39", "line 34"));
    scroll.go(Move::View, -20);
    assert_eq!((at(&scroll), shown(&scroll)[0]), ("line 23", "line 14"));
}

#[test]
fn moves_by_columns_words_and_row_ends() {
    let mut scroll = scroll();
    scroll.receive(
        Part::First,
        "GET /a\r\n  x\r\n日本 500\r\n".as_bytes(),
        0,
        0,
    );
    scroll.go(Move::Page, isize::MIN + 1);
    let mut walk = Vec::new();
    for _ in 0..6 {
        scroll.word(true);
        walk.push((scroll.cursor.row, scroll.cursor.col));
    }
    assert_eq!(walk, [(0, 4), (0, 5), (1, 2), (2, 0), (2, 5), (2, 5)]);
    scroll.word(false);
    assert_eq!((scroll.cursor.row, scroll.cursor.col), (2, 0));
    scroll.step(true);
    assert_eq!(scroll.cursor.col, 2, "a wide character is one step");
    scroll.to_column(None);
    assert_eq!(scroll.cursor.col, 7);
    scroll.go(Move::Cursor, -2);
    assert_eq!(scroll.cursor.col, 5, "the end of each row");
    scroll.step(true);
    assert_eq!(scroll.cursor.col, 5);
}

#[test]
fn shows_only_matching_lines() {
    let mut scroll = scroll();
    scroll.receive(Part::First, &log(0, 50), 0, 0);
    scroll.search("line .?7$");
    scroll.put(scroll.next(JumpTarget::Match, Direction::Older).unwrap());
    scroll.filter();
    let sevens = ["line 7", "line 17", "line 27", "line 37", "line 47"];
    assert_eq!(shown(&scroll), sevens);
    scroll.go(Move::Cursor, -3);
    assert_eq!(at(&scroll), "line 17");
    scroll.select(Shape::Lines);
    scroll.go(Move::Cursor, 2);
    assert_eq!(scroll.selected(), "line 17\nline 27\nline 37");
    scroll.filter();
    assert_eq!(at(&scroll), "line 37");
    assert!(shown(&scroll).contains(&"line 37"));
}

#[test]
fn a_jump_out_of_the_matching_lines_shows_all_lines() {
    let mut scroll = scroll();
    scroll.receive(Part::First, &log(0, 50), 0, 0);
    scroll.search("line .?7$");
    scroll.put(scroll.next(JumpTarget::Match, Direction::Older).unwrap());
    scroll.filter();
    let place = |row| Place { row, col: 0 };
    scroll.put_in_context(place(17));
    assert!(scroll.is_filtered() && at(&scroll) == "line 17");
    scroll.put_in_context(place(21));
    assert!(!scroll.is_filtered());
    assert_eq!(at(&scroll), "line 21");
    assert!(shown(&scroll).contains(&"line 21"));
}

#[test]
fn a_new_width_keeps_the_position() {
    let mut scroll = scroll();
    scroll.receive(Part::First, &log(0, 50), 0, 0);
    scroll.go(Move::Page, -30);
    let line = at(&scroll).to_owned();
    let narrow = Display {
        pane: Size::new(5, 4),
        ..scroll.display
    };
    scroll.resize(narrow);
    assert!(line.starts_with(at(&scroll)), "{}", at(&scroll));
    assert!(scroll.view().any(|row| row == scroll.cursor.row));
    scroll.resize(Display {
        wrap: false,
        ..narrow
    });
    assert_eq!(at(&scroll), line);
}

#[test]
fn the_cursor_moves_up_as_far_as_on_the_terminal_of_the_job() {
    let bars = |percent: u8| -> String {
        (0..20)
            .map(|n| format!("bar {n}: {percent}%\r\n"))
            .collect()
    };
    let bytes = format!("{}\x1b[20A{}", bars(50), bars(100));
    let mut scroll = scroll();
    scroll.resize(Display {
        rows: 24,
        ..scroll.display
    });
    scroll.receive(Part::First, bytes.as_bytes(), 0, 0);
    assert_eq!(scroll.text.rows.len(), 20);
    assert!(
        scroll
            .text
            .rows
            .iter()
            .all(|row| row.text.ends_with(" 100%"))
    );
    assert_eq!((scroll.height(), at(&scroll)), (10, "bar 19: 100%"));
}

#[test]
fn a_new_width_keeps_the_match() {
    let mut scroll = scroll();
    scroll.receive(Part::First, &log(0, 50), 0, 0);
    scroll.search("[34]7$");
    scroll.cursor = scroll.search.as_ref().unwrap().found[0].start;
    let on_match = |scroll: &Scroll| scroll.search.as_ref().unwrap().at(scroll.cursor);
    assert_eq!(on_match(&scroll), Some(0));
    let wide = scroll.display;
    let narrow = Display {
        pane: Size::new(5, 6),
        ..wide
    };
    for display in [narrow, wide] {
        scroll.resize(display);
        assert_eq!(on_match(&scroll), Some(0));
        assert!(scroll.view().any(|row| row == scroll.cursor.row));
    }
    // A cursor beside the matches is not moved to one.
    scroll.go(Move::Cursor, 1);
    scroll.resize(narrow);
    assert_eq!(on_match(&scroll), None);
}

#[test]
fn matching_lines_only_stays_when_the_text_is_laid_out_again() {
    let mut scroll = scroll();
    let bytes = log(0, 500);
    scroll.receive(Part::First, &bytes, 0, 0);
    scroll.search("7$");
    scroll.put(scroll.search.as_ref().unwrap().found[30].start);
    scroll.filter();
    let (line, wide) = (at(&scroll).to_owned(), scroll.display);
    let is_kept = |scroll: &Scroll| {
        assert_eq!(at(scroll), line);
        assert!(scroll.view().any(|row| row == scroll.cursor.row));
        assert!(shown(scroll).iter().all(|row| row.ends_with('7')));
    };
    for times in [true, false] {
        scroll.resize(Display { times, ..wide });
        is_kept(&scroll);
    }
    // With times, the text is read again.
    scroll.hold_place();
    let offset = scroll.text.rows[scroll.cursor.row].offset;
    scroll.receive(Part::Around(offset), &bytes, 0, 0);
    is_kept(&scroll);
    // A jump to a line that does not match shows all lines.
    scroll.land_at(0);
    scroll.receive(Part::Around(0), &bytes, 0, 0);
    assert_eq!((at(&scroll), scroll.is_filtered()), ("line 0", false));
}

#[test]
fn a_frozen_screen_has_its_cursor_in_view_at_any_size() {
    let mut screen = Screen::new(Size::new(30, 100));
    screen.feed(b"top");
    let id = SessionId::parse("abcdefghijkl").unwrap();
    let mut still = Scroll::still(id, Size::new(10, 40), &screen, (20, 50));
    let is_visible = |still: &Scroll| {
        let cols = still.left..still.left + usize::from(still.display.width());
        still.view().any(|row| row == still.cursor.row) && cols.contains(&still.cursor.col)
    };
    assert_eq!(still.cursor, Place { row: 20, col: 50 });
    assert!(is_visible(&still));
    let display = |rows, cols| Display {
        pane: Size::new(rows, cols),
        rows,
        wrap: false,
        times: true,
    };
    still.resize(display(25, 90));
    assert_eq!((still.top, still.left, still.height()), (5, 10, 25));
    assert!(is_visible(&still));
    still.resize(display(5, 20));
    assert!(is_visible(&still));
    assert!(still.display.wrap && !still.display.times);
}

#[test]
fn jumps_find_the_matches_above_those_that_are_kept() {
    let mut scroll = scroll();
    scroll.receive(Part::First, "xx\r\n".repeat(60_000).as_bytes(), 0, 0);
    scroll.search("x");
    let search = scroll.search.as_ref().unwrap();
    let (first, last) = (search.found[0].start, search.found[99_999].start);
    assert_eq!((first.row, last.row), (10_000, 59_999));
    scroll.put(first);
    let above = scroll.next(JumpTarget::Match, Direction::Older).unwrap();
    assert_eq!((above.row, above.col), (9999, 1));
    scroll.put(Place { row: 500, col: 0 });
    let below = scroll.next(JumpTarget::Match, Direction::Newer).unwrap();
    assert_eq!((below.row, below.col), (500, 1));
}

#[test]
fn cut_lines_can_be_panned() {
    let mut scroll = scroll();
    let long = format!("{}end\r\nshort\r\n", "x".repeat(100));
    scroll.resize(Display {
        wrap: false,
        ..scroll.display
    });
    scroll.receive(Part::First, long.as_bytes(), 0, 0);
    assert_eq!(scroll.text.rows.len(), 2);
    scroll.pan(true);
    assert_eq!(scroll.left, 20);
    scroll.go(Move::Cursor, -1);
    assert_eq!((scroll.left, scroll.cursor.col), (20, 20));
    scroll.to_column(None);
    assert_eq!(scroll.left, 63);
}

#[test]
fn timestamps_belong_to_the_loaded_stretch() {
    let mut scroll = scroll();
    scroll.note_times(Part::First, [(0, 1000), (50, 2000)]);
    scroll.note_times(Part::Newer, [(70, 3000)]);
    assert_eq!(scroll.times.len(), 3);
    scroll.note_times(Part::Around(900), [(900, 9000)]);
    assert_eq!(scroll.times, [(900, 9000)]);
}

#[test]
fn a_long_log_is_probed_line_by_line() {
    let mut scroll = scroll();
    scroll.receive(Part::First, &log(100, 110), 1000, 0);
    scroll.search("line 20$");
    let jump = Jump {
        turns: false,
        target: JumpTarget::Match,
        direction: Direction::Older,
    };
    let all = log(0, 50);
    let found = log(0, 20).len();
    let half = found + 3;
    let edge = scroll.probe(jump, &all[half..], half as u64);
    assert_eq!(edge, Err(log(0, 21).len() as u64), "no line is cut");
    let end = log(0, 21).len();
    assert_eq!(scroll.probe(jump, &all[..end], 0), Ok(found as u64));
    // If the part is only the end of a line, the search continues with what comes before it.
    let line = [&[b'x'; 500], &b"\r\n"[..]].concat();
    assert_eq!(scroll.probe(jump, &line, 500), Err(500));
    let line = [&[b'x'; 500], &b"line 20\r\n"[..]].concat();
    assert_eq!(scroll.probe(jump, &line, 500), Ok(500));
}

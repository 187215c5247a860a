use std::ops::Range;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use proptest::prelude::*;
use ratatui::layout::Rect;
use serde_json::json;

use super::{Drawn, redraw};
use crate::protocol::EventKind;
use crate::term::screen::Screen;
use crate::term::size::Size;
use crate::tui::tests::harness::Dash;
use crate::tui::tests::jobs;
use crate::tui::view::view;
use crate::tui::window::Canvas;

/// Output of a program, in pieces.
fn output() -> impl Strategy<Value = Vec<String>> {
    let piece = prop_oneof![
        6 => "[a-z ]{1,9}", 2 => Just("\r\n".to_owned()), 1 => Just("日本\u{301}".to_owned()),
        1 => "\x1b\\[[0-9];[0-9]H", 1 => Just("\x1b[7;4:3;58:5:9mx\x1b[m".to_owned()),
        1 => Just("\x1b]8;;http://a.b/\x1b\\link\x1b]8;;\x1b\\".to_owned()),
        1 => Just("\u{202e}\u{5d0}".to_owned()), 1 => Just("\x1b[4mline\x1b[m".to_owned()),
        1 => Just("\x1b[H".to_owned()), 1 => Just("\x1b[2J".to_owned()), 1 => Just("\x1b[?25l".to_owned()),
    ];
    proptest::collection::vec(piece, 1..20)
}

/// The part to draw again of what the window shows now.
fn part_to_redraw(drawn: &Drawn, dash: &Dash, touched: Range<u16>) -> Option<Rect> {
    drawn.part_to_redraw(&Drawn::now(&dash.model)?, touched)
}

fn frame(dash: &Dash) -> Canvas {
    let (width, height) = dash.model.window;
    let mut canvas = Canvas::new(Rect::new(0, 0, width, height));
    view(&dash.model, &mut canvas);
    canvas
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn drawing_the_changed_rows_is_drawing_all(pieces in output(), types: bool) {
        let mut dash = Dash::new(80, 24, vec![jobs::record("web")]);
        let mut screen = Screen::new(Size::new(9, 40));
        dash.screen("web", 9, 40, "");
        dash.later(10_000).press(if types { "i" } else { "" }).later(10_000);
        let mut shown = frame(&dash);
        let mut drawn = Drawn::now(&dash.model);
        prop_assert!(drawn.is_some());
        for piece in pieces {
            let before = screen.picture();
            screen.feed(piece.as_bytes());
            let changes = screen.changes(&before);
            let data = json!({
                "bytes": STANDARD.encode(&changes.bytes), "rows": 9, "cols": 40, "screenSeq": 2,
                "full": false, "changedRows": [changes.rows.start, changes.rows.end],
            });
            dash.model.dirty = false;
            dash.event(EventKind::Screen, "web", data);
            prop_assert!(!dash.model.dirty);
            let touched = dash.model.touched.take().unwrap();
            let part = drawn.as_ref().and_then(|drawn| part_to_redraw(drawn, &dash, touched));
            let part = part.unwrap();
            let mut next = shown.clone();
            next.clear(part);
            next.hide_cursor();
            redraw(&dash.model, part, &mut next);
            let whole = frame(&dash);
            prop_assert_eq!(next.buffer(), whole.buffer());
            prop_assert_eq!(next.cursor(), whole.cursor());
            prop_assert_eq!(next.link_targets(), whole.link_targets());
            shown = whole;
            drawn = Drawn::now(&dash.model);
        }
    }
}

#[test]
fn all_is_drawn_again_if_something_else_is_shown() {
    let mut dash = Dash::new(80, 24, vec![jobs::record("web")]);
    dash.screen("web", 9, 40, "text");
    dash.later(10_000);
    let drawn = Drawn::now(&dash.model).unwrap();
    assert!(part_to_redraw(&drawn, &dash, 0..1).is_some());
    // Another mode of the cursor, a help page, a toast, and a screen that does not fit.
    for keys in ["i", "\x1d?", "\x1bQ"] {
        dash.press(keys);
        assert_eq!(part_to_redraw(&drawn, &dash, 0..1), None, "{keys:?}");
    }
    dash.press("\x1b").later(10_000);
    assert!(part_to_redraw(&drawn, &dash, 0..1).is_some());
    dash.screen("web", 40, 120, "text");
    assert_eq!(part_to_redraw(&drawn, &dash, 0..1), None);
}

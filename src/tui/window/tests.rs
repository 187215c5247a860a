use std::cell::RefCell;
use std::rc::Rc;
use std::sync::Arc;

use proptest::prelude::*;
use ratatui::layout::{Position, Rect};
use ratatui::style::{Color, Modifier, Style};

use super::*;
use crate::term::extras::Link;
use crate::term::screen::Screen;
use crate::term::size::Size;
use crate::term::style::Underline;
use crate::tui::pane::paint;

const SIZE: (u16, u16) = (20, 6);

const ALL: Abilities = Abilities {
    underline_kinds: true,
    underline_colors: true,
    overline: true,
    links: true,
};

/// A terminal that remembers each write.
#[derive(Clone, Default)]
struct Writes(Rc<RefCell<Vec<Vec<u8>>>>);

impl Write for Writes {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.borrow_mut().push(bytes.to_vec());
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Writes {
    fn text(&self) -> String {
        String::from_utf8(self.0.borrow().concat()).unwrap()
    }
}

/// A text at a position, or a link.
#[derive(Clone, Debug)]
struct Stroke {
    at: (u16, u16),
    text: String,
    style: Style,
    link: Option<String>,
}

impl Stroke {
    fn paint(&self, canvas: &mut Canvas) {
        let (x, y) = self.at;
        let style = Style::reset().patch(self.style);
        canvas.buffer_mut().set_string(x, y, &self.text, style);
        if let Some(uri) = &self.link {
            let link = Link {
                id: String::new(),
                uri: uri.clone(),
            };
            let style = Style::new().add_modifier(Modifier::UNDERLINED);
            canvas.buffer_mut().set_style(Rect::new(x, y, 1, 1), style);
            canvas.set_link(Position::new(x, y), &Arc::new(link));
        }
    }
}

fn style() -> impl Strategy<Value = Style> {
    let color = prop_oneof![
        2 => Just(Color::Reset), 1 => (0u8..=255).prop_map(Color::Indexed),
        1 => any::<(u8, u8, u8)>().prop_map(|(r, g, b)| Color::Rgb(r, g, b)),
    ];
    let modifier = prop_oneof![
        3 => Just(Modifier::empty()), 1 => Just(Modifier::BOLD), 1 => Just(Modifier::REVERSED),
        1 => Just(Modifier::ITALIC | Modifier::CROSSED_OUT), 1 => Just(Modifier::DIM | OVERLINED),
        1 => Just(Modifier::UNDERLINED | underline_kind(Underline::Curly)),
        1 => Just(Modifier::UNDERLINED | Modifier::HIDDEN), 1 => Just(Modifier::SLOW_BLINK),
    ];
    (color.clone(), color, modifier, 0u8..4).prop_map(|(fg, bg, modifier, number)| {
        let style = Style::new().fg(fg).bg(bg).add_modifier(modifier);
        if modifier.contains(Modifier::UNDERLINED) && number > 0 {
            style.underline_color(Color::Indexed(number))
        } else {
            style
        }
    })
}

fn strokes() -> impl Strategy<Value = Vec<Stroke>> {
    let link = prop_oneof![3 => Just(None), 1 => "http://[ab]/".prop_map(Some)];
    let stroke = ((0..SIZE.0, 0..SIZE.1), "[a-c日本 é]{1,8}", style(), link).prop_map(
        |(at, text, style, link)| Stroke {
            at,
            text,
            style,
            link,
        },
    );
    proptest::collection::vec(stroke, 0..6).prop_map(|mut strokes| {
        // One in a row: text over half of a wide character would leave the other half.
        strokes.sort_by_key(|one| one.at.1);
        strokes.dedup_by_key(|one| one.at.1);
        strokes
    })
}

/// What a terminal shows, drawn on a canvas.
fn seen(screen: &Screen) -> Canvas {
    let area = Rect::new(0, 0, SIZE.0, SIZE.1);
    let mut canvas = Canvas::new(area);
    paint::draw(
        screen,
        area,
        crate::tui::crop::Crop::default(),
        crate::tui::theme::Depth::True,
        &mut canvas,
    );
    canvas
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_terminal_shows_what_was_drawn(frames in proptest::collection::vec((strokes(), any::<bool>()), 1..6)) {
        let writes = Writes::default();
        let mut window = Window::new(writes.clone());
        window.set_abilities(ALL);
        window.draw(SIZE, |_| {}).unwrap();
        for (strokes, only_rows) in frames {
            if only_rows {
assert!(window.redraw(Rect::new(0, 2, SIZE.0, 2), |canvas| {
                    let inside = strokes.iter().filter(|one| (2..4).contains(&one.at.1));
                    inside.for_each(|one| one.paint(canvas));
                }).unwrap())
} else {
window.draw(SIZE, |canvas| strokes.iter().for_each(|one| one.paint(canvas))).unwrap()
}
            let mut screen = Screen::new(Size::new(SIZE.1, SIZE.0));
            screen.feed(writes.text().as_bytes());
            let seen = seen(&screen);
            prop_assert_eq!(seen.buffer(), window.shown.buffer(), "{:?}", writes.text());
            prop_assert_eq!(seen.link_targets(), window.shown.link_targets(), "{:?}", writes.text());
        }
    }
}

#[test]
fn a_frame_is_one_write() {
    let writes = Writes::default();
    let mut window = Window::new(writes.clone());
    window.draw((4, 2), |_| {}).unwrap();
    window
        .draw((4, 2), |canvas| {
            canvas.buffer_mut().set_string(1, 0, "ab", Style::new());
            canvas.set_cursor_position((3, 1));
        })
        .unwrap();
    window
        .redraw(Rect::new(0, 0, 4, 1), |canvas| {
            canvas.buffer_mut().set_string(1, 0, "b", Style::new());
        })
        .unwrap();
    let expected = [
        "\x1b[?2026h\x1b[m\x1b[H\x1b[2J\x1b[?25l\x1b[?2026l",
        "\x1b[?2026h\x1b[1;2Hab\x1b[2;4H\x1b[?25h\x1b[?2026l",
        "\x1b[?2026h\x1b[1;2Hb \x1b[?25l\x1b[?2026l",
    ];
    let writes: Vec<String> = writes
        .0
        .borrow()
        .iter()
        .map(|one| String::from_utf8(one.clone()).unwrap())
        .collect();
    assert_eq!(writes, expected);
}

#[test]
fn a_frame_that_changes_nothing_is_not_written() {
    let writes = Writes::default();
    let mut window = Window::new(writes.clone());
    let paint = |canvas: &mut Canvas| {
        canvas.buffer_mut().set_string(0, 0, "ab", Style::new());
        canvas.set_cursor_position((2, 0));
    };
    window.draw((4, 2), paint).unwrap();
    window.draw((4, 2), paint).unwrap();
    window.redraw(Rect::new(0, 0, 4, 1), paint).unwrap();
    assert_eq!(writes.0.borrow().len(), 1);
    // The cursor is a change.
    window
        .redraw(Rect::new(0, 1, 4, 1), |canvas| {
            canvas.set_cursor_position((3, 0));
        })
        .unwrap();
    window.draw((4, 2), paint).unwrap();
    assert_eq!(writes.0.borrow().len(), 3);
}

#[test]
fn a_terminal_gets_only_what_it_can_show() {
    let writes = Writes::default();
    let mut window = Window::new(writes.clone());
    let paint = |canvas: &mut Canvas| {
        let style = Style::new()
            .add_modifier(Modifier::UNDERLINED | underline_kind(Underline::Curly) | OVERLINED)
            .underline_color(Color::Indexed(9));
        let stroke = Stroke {
            at: (0, 0),
            text: "x".to_owned(),
            style,
            link: Some("http://a/".to_owned()),
        };
        stroke.paint(canvas);
    };
    window.draw((4, 1), paint).unwrap();
    assert!(
        writes.text().contains("\x1b[1;1H\x1b[4mx\x1b[0m"),
        "{:?}",
        writes.text()
    );
    window.set_abilities(ALL);
    writes.0.borrow_mut().clear();
    window.draw((4, 1), paint).unwrap();
    let text = writes.text();
    assert!(
        text.contains("\x1b[53;4:3;58:5:9mx\x1b]8;;\x1b\\\x1b[0m"),
        "{text:?}"
    );
    assert!(text.contains(";http://a/\x1b\\"), "{text:?}");
}

#[test]
fn a_mark_of_katakana_takes_one_column() {
    // ratatui counts two for it: there is nothing behind the last cell, and `b` would not be written.
    let writes = Writes::default();
    let mut window = Window::new(writes.clone());
    let paint = |text: [&'static str; 4]| {
        move |canvas: &mut Canvas| {
            for (x, symbol) in (0..).zip(text) {
                canvas
                    .buffer_mut()
                    .cell_mut((x, 0))
                    .unwrap()
                    .set_symbol(symbol);
            }
        }
    };
    window
        .draw((4, 1), paint(["\u{ff9e}", "a", "c", "\u{ff9e}"]))
        .unwrap();
    writes.0.borrow_mut().clear();
    window
        .draw((4, 1), paint(["\u{ff9f}", "b", "c", "\u{ff9f}"]))
        .unwrap();
    assert!(
        writes.text().contains("\u{ff9f}b\x1b[1;4H\u{ff9f}"),
        "{:?}",
        writes.text()
    );
}

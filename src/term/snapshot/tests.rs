use super::*;
use crate::protocol::reply::CellColor;
use crate::term::size::Size;

fn painted(text: &str) -> Screen {
    let mut screen = Screen::new(Size::new(4, 12));
    screen.feed(text.as_bytes());
    screen
}

fn svg(text: &str) -> String {
    Snapshot::new(&painted(text), None, 0).svg().unwrap()
}

fn html(text: &str) -> String {
    Snapshot::new(&painted(text), None, 0)
        .html("title", true)
        .unwrap()
}

#[test]
fn scrollback_is_shown_above_the_screen() {
    let mut kept = Screen::with_scrollback(Size::new(4, 12), 100);
    kept.feed(b"1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n\x1b[31m8\x1b[m");
    let now = painted("5\r\n6\r\n7\r\n8");
    let mut shot = Snapshot::new(&now, Some(kept), 3);
    assert_eq!(shot.lines_above(), 3);
    assert_eq!(shot.text(true).unwrap(), "2\n3\n4\n5\n6\n7\n8");
    assert_eq!(shot.cells().unwrap().len(), 7);
    assert!(shot.ansi(true).unwrap().starts_with("2\n3\n"));
    let mut few = Snapshot::new(&now, None, 3);
    assert_eq!(few.text(true).unwrap(), "5\n6\n7\n8");
}

#[test]
fn trimming_is_optional() {
    let screen = painted("a b  \r\n\r\nc\x1b[44m ");
    let mut shot = Snapshot::new(&screen, None, 0);
    assert_eq!(shot.text(true).unwrap(), "a b\n\nc");
    let blank = " ".repeat(12);
    let whole = format!("a b         \n{blank}\nc           \n{blank}");
    assert_eq!(shot.text(false).unwrap(), whole);
}

#[test]
fn cells_contain_only_non_default_fields() {
    let screen = painted("a\x1b[1;31;48;2;1;2;3m漢\x1b[m \x1b[7;38;5;208mz");
    let cells = Snapshot::new(&screen, None, 0).cells().unwrap();
    assert!(cells.len() == 4 && cells.iter().all(|row| row.len() == 12));
    let row = serde_json::to_value(&cells[0][..5]).unwrap();
    let expected = serde_json::json!([
        {"ch": "a"},
        {"ch": "漢", "width": 2, "fg": 1, "bg": "#010203", "bold": true},
        {"ch": "", "width": 0, "fg": 1, "bg": "#010203", "bold": true},
        {"ch": " "},
        {"ch": "z", "fg": 208, "inverse": true},
    ]);
    assert_eq!(row, expected);
    let back: Vec<ScreenCell> = serde_json::from_value(row).unwrap();
    assert_eq!(back[4].fg, Some(CellColor::Index(208)));
}

#[test]
fn a_page_has_coloured_text_and_escapes_markup() {
    let page = html("\x1b[?25l<b>&\r\n\r\n\x1b[1;4;32;41mok\x1b[m 漢");
    let body = page.split("<pre>\n").nth(1).unwrap();
    let expected = "&lt;b&gt;&amp;\n\n\
        <span class=\"b u\" style=\"color:#00ff00;background:#cd0000\">ok</span> \
        <span class=\"w\">漢</span></pre>\n</body>\n</html>\n";
    assert_eq!(body, expected);
    assert!(page.starts_with("<!DOCTYPE html>"));
}

#[test]
fn a_page_shows_the_cursor() {
    let page = html("ab\x1b[D");
    let cursor = "a<span style=\"color:#000000;background:#e5e5e5\">b</span></pre>";
    assert!(page.contains(cursor), "{page}");
}

#[test]
fn words_are_at_their_columns() {
    let picture = svg("\x1b[?25lab \x1b[1mcd\x1b[mé 漢");
    let texts: Vec<&str> = picture
        .lines()
        .filter(|line| line.starts_with("<text"))
        .collect();
    assert_eq!(texts.len(), 4, "{picture}");
    assert!(texts[0].contains("x=\"0\" y=\"15\" textLength=\"18\"") && texts[0].contains(">ab<"));
    assert!(texts[1].contains("x=\"27\"") && texts[1].contains("font-weight=\"bold\">cd<"));
    assert!(texts[2].contains("x=\"45\"") && texts[2].contains(">é<"));
    assert!(texts[3].contains("x=\"72\"") && texts[3].contains("text-anchor=\"middle\""));
    assert!(
        picture
            .starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"108\" height=\"76\"")
    );
}

#[test]
fn each_row_of_a_box_is_one_shape_and_a_background_one_rectangle() {
    let picture = svg("\x1b[?25l\x1b[44m┌────┐\x1b[m");
    assert!(!picture.contains("<text"), "{picture}");
    assert!(picture.contains("<path d=\"M0 0h54v19h-54z\" fill=\"#0000ee\"/>"));
    assert!(picture.contains("M4 9h46v1h-46z"), "{picture}");
}

#[test]
fn the_cursor_is_drawn_in_its_shape() {
    let at = |picture: &str, path: &str| assert!(picture.contains(path), "{path} in {picture}");
    at(&svg("a"), "<path d=\"M9 0h9v19h-9z\" fill=\"#e5e5e5\"/>");
    at(
        &svg("a\x1b[6 q"),
        "<path d=\"M9 0h2v19h-2z\" fill=\"#e5e5e5\"/>",
    );
    at(
        &svg("漢\x1b[4 q\x1b[D"),
        "<path d=\"M0 17h18v2h-18z\" fill=\"#e5e5e5\"/>",
    );
    assert!(!svg("\x1b[?25l").contains("<path"));
}

#[test]
fn a_result_that_is_too_large_is_refused() {
    let mut large = Screen::new(Size::new(400, 1000));
    let mut text = String::new();
    for n in 0..400_000_u32 {
        text.push_str(&format!("\x1b[38;5;{}mx", n % 200 + 16));
    }
    large.feed(text.as_bytes());
    let mut shot = Snapshot::new(&large, None, 0);
    assert_eq!(shot.cells(), Err(TooLarge));
    assert_eq!(shot.svg(), Err(TooLarge));
    assert_eq!(shot.html("", true), Err(TooLarge));
    assert!(shot.text(true).is_ok());
}

#[test]
fn a_picture_of_pixels_has_the_colours_and_the_characters() {
    use resvg::tiny_skia::Pixmap;
    let drawn = |text: &str| {
        let picture = png::png(&svg(text)).unwrap();
        Pixmap::decode_png(&picture).unwrap()
    };
    let picture = drawn("\x1b[?25l\x1b[41m \x1b[m#");
    let (width, height) = (boxes::WIDTH as u32, boxes::HEIGHT as u32);
    assert_eq!(
        (picture.width(), picture.height()),
        (12 * width, 4 * height)
    );
    let at = |x: u32, y: u32| {
        let pixel = picture.pixel(x, y).unwrap();
        (pixel.red(), pixel.green(), pixel.blue())
    };
    let middle = (width / 2, height / 2);
    assert_eq!(at(middle.0, middle.1), (0xcd, 0, 0), "the red cell");
    assert_eq!(
        at(2 * width + middle.0, middle.1),
        (0, 0, 0),
        "an empty cell"
    );
    let ink = (width..2 * width).flat_map(|x| (0..height).map(move |y| (x, y)));
    let bright = ink.filter(|(x, y)| at(*x, *y).0 > 0xa0).count();
    assert!((20..100).contains(&bright), "{bright} bright pixels in #");
    // A character that the font does not have is no error.
    drawn("\u{6f22}\u{1f600}");
    assert_eq!(png::png("<svg"), Err(png::Undrawn::Invalid));
    let broken = "<svg width=\"9000\" height=\"9000\">";
    assert_eq!(
        png::png(broken),
        Err(png::Undrawn::TooLarge),
        "it is not read"
    );
}

#[test]
fn lines_and_links_are_drawn_in_pages_and_pictures() {
    let text = "\x1b[9mx\x1b[m\x1b[4:3;58:5:1my\x1b[m\x1b]8;;https://e/?a&b\x07z\x1b]8;;\x07";
    let page = html(text);
    assert!(
        page.contains(">x</span>") && page.contains("text-decoration:line-through"),
        "{page}"
    );
    assert!(
        page.contains("text-decoration:underline wavy #cd0000"),
        "{page}"
    );
    assert!(
        page.contains("<a href=\"https://e/?a&amp;b\">z</a>"),
        "{page}"
    );
    let picture = svg(text);
    assert!(
        picture.contains("<a href=\"https://e/?a&amp;b\"><text "),
        "{picture}"
    );
    assert!(picture.contains("stroke=\"#cd0000\""), "{picture}");
}

#[test]
fn a_page_has_no_link_that_runs_something() {
    for uri in ["javascript:alert(1)", "data:text/html,x", "vbscript:x", "x"] {
        let text = format!("\x1b]8;;{uri}\x07z\x1b]8;;\x07");
        assert!(!html(&text).contains("href"), "{uri}");
        assert!(!svg(&text).contains("href"), "{uri}");
    }
}

#[test]
fn links_are_listed_from_the_top() {
    let screen = painted(
        "a\x1b]8;;u:1\x07b c\x1b]8;;u:2\x07d\x1b]8;;\x07\r\n\x1b]8;;u:3\x07long enough to wrap",
    );
    let found = links::links(&screen);
    let found: Vec<_> = found
        .iter()
        .map(|link| (link.row, link.col, &*link.text, &*link.uri))
        .collect();
    let expected = [
        (0, 1, "b c", "u:1"),
        (0, 4, "d", "u:2"),
        (1, 0, "long enough to wrap", "u:3"),
    ];
    assert_eq!(found, expected);
}

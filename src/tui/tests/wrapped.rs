//! Screens that are wider than the pane.

use super::harness::Dash;
use super::jobs::record;

/// A line of 60 columns, which is more than the pane of 53 has.
const LINE: &str = "0123456789012345678901234567890123456789012345678901 end.\r\n$ ";

fn dash() -> Dash {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    dash.screen("web", 40, 120, LINE);
    dash
}

fn pane(dash: &Dash) -> Vec<String> {
    let text = dash.text();
    let rows = text.lines().skip(2).map(|row| row.split('│').nth(1));
    let rows = rows.map(|row| row.unwrap_or_default().trim_end().to_owned());
    rows.collect()
}

#[test]
fn lines_wrap_unless_one_wants_the_screen_as_it_is() {
    let mut dash = dash();
    let wrapped = pane(&dash);
    assert!(wrapped[0].ends_with("78901"), "{wrapped:?}");
    assert_eq!(wrapped[1].trim(), "end.");
    assert_eq!(wrapped[2].trim(), "$");
    assert!(!dash.status().contains("cropped"), "{}", dash.status());
    dash.press("w").later(10_000);
    let exact = pane(&dash);
    assert!(exact[0].ends_with('…'), "{exact:?}");
    assert_eq!(exact[1].trim(), "$");
    assert!(
        dash.status().contains("cropped 120x40"),
        "{}",
        dash.status()
    );
    dash.press(".");
    assert!(
        pane(&dash)[0].trim_start().starts_with('…'),
        "{:?}",
        pane(&dash)
    );
    dash.press("w").later(10_000);
    assert_eq!(pane(&dash), wrapped);
}

#[test]
fn a_full_screen_program_is_shown_as_it_is() {
    let mut dash = dash();
    let bar = format!("\x1b[?1049h\x1b[H{}", "x".repeat(120));
    dash.screen("web", 40, 120, &bar);
    let shown = pane(&dash);
    assert!(shown[0].ends_with("x…"), "{shown:?}");
    assert_eq!(shown[1], "");
}

#[test]
fn the_cursor_is_where_one_types_in_wrapped_lines() {
    let mut dash = dash();
    dash.press("i");
    let (_, cursor) = dash.paint();
    let cursor = cursor.expect("one types");
    let row = usize::from(cursor.y);
    let text = dash.text();
    let line = text.lines().nth(row).unwrap_or_default();
    assert!(line.ends_with("│ $") || line.ends_with("│$"), "{text}");
}

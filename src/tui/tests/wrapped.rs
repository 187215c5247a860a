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

#[test]
fn a_full_screen_program_with_more_rows_than_the_pane_is_shifted() {
    let mut dash = Dash::new(80, 24, vec![record("web")]);
    let rows: Vec<String> = (1..=40).map(|n| format!("row {n}.")).collect();
    let text = format!("\x1b[?1049h{}\x1b[40;1H", rows.join("\r\n"));
    dash.screen("web", 40, 50, &text);
    let shows = |dash: &Dash, n: u32| dash.text().contains(&format!("row {n}."));
    // It follows the cursor, which is at the end.
    assert!(shows(&dash, 40) && !shows(&dash, 19), "{}", dash.text());
    assert!(dash.text().contains('▲') && !dash.text().contains('▼'));
    dash.press("\x15");
    assert!(shows(&dash, 19) && !shows(&dash, 40), "{}", dash.text());
    assert!(dash.text().contains('▲') && dash.text().contains('▼'));
    assert!(dash.model.scroll.is_none(), "the log is no help here");
    // Output elsewhere does not move it.
    dash.screen("web", 40, 50, &format!("{text}\x1b[38;1Hx"));
    assert!(!shows(&dash, 40), "{}", dash.text());
    dash.press("\x15\x15\x15");
    assert!(
        shows(&dash, 1) && !dash.text().contains('▲'),
        "{}",
        dash.text()
    );
    // Back at the cursor, it follows it again.
    dash.press("\x04\x04\x04\x04");
    assert_eq!(dash.model.pan.top, None);
    dash.screen("web", 40, 50, &format!("{text}\x1b[5;1H"));
    assert!(shows(&dash, 5), "{}", dash.text());
    // Typing shows the cursor in any case.
    dash.press("\x05\x05\x05i");
    assert!(shows(&dash, 5), "{}", dash.text());
}

//! The links on a screen.

use crate::protocol::reply::ScreenLink;
use crate::term::screen::Screen;

/// The links (OSC 8) on a screen, from the top. A link that continues in the next row because its line wraps is one.
pub fn links(screen: &Screen) -> Vec<ScreenLink> {
    let mut found: Vec<ScreenLink> = Vec::new();
    let mut continues = false;
    for y in 0..screen.size().rows() {
        let mut col = 0;
        for run in screen.row(y).chunk_by(|a, b| a.link == b.link) {
            let first = col;
            col += run.len();
            let Some(link) = run.first().and_then(|cell| cell.link) else {
                continue;
            };
            let cells = run.iter().filter(|cell| cell.width > 0);
            let text: String = cells.map(super::shown).collect();
            match found.last_mut() {
                Some(last) if continues && first == 0 && last.uri == link.uri => {
                    last.text.push_str(&text);
                }
                _ => found.push(ScreenLink {
                    row: y,
                    col: u16::try_from(first).unwrap_or(u16::MAX),
                    text,
                    uri: link.uri.clone(),
                }),
            }
        }
        let cols = screen.size().cols();
        let at_end = screen
            .cell(y, cols - 1)
            .is_some_and(|cell| cell.link.is_some());
        continues = screen.row_wrapped(y) && at_end;
    }
    found
        .iter_mut()
        .for_each(|link| link.text = link.text.trim().to_owned());
    found
}

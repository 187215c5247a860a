//! Links on the live screen (OSC 8). A click opens the link under the pointer, and `o` the last one that the pane
//! shows. What a link says may hide where it leads, so only web and mail addresses are opened, and the address
//! is told.

use ratatui::layout::{Position, Rect};

use crate::protocol::SessionId;
use crate::term::screen::Screen;
use crate::tui::crop;
use crate::tui::model::Model;
use crate::tui::model::url::{is_web, last_in};

/// The link at a position of the window, in the pane `area` of a job.
pub fn at(model: &Model, id: &SessionId, area: Rect, at: Position) -> Option<String> {
    let screen = live(model, id)?;
    let (row, col) = super::live::cell_at(model, id, area, at)?;
    link(screen, row, col)
}

/// The last link in the pane of the selected job.
pub fn last(model: &Model) -> Option<String> {
    let screen = live(model, model.current_id()?)?;
    let area = model.layout().pane?;
    let crop = crop::crop(screen, area, model.pane.pan, model.mode().types());
    let rows = (crop.top..crop.top + area.height).rev();
    let mut cells = rows.flat_map(|row| {
        let cols = (crop.left..crop.left + area.width).rev();
        cols.map(move |col| (row, col))
    });
    cells.find_map(|(row, col)| link(screen, row, col))
}

/// The last web address in the text of a job's screen.
pub fn written(model: &Model, id: &SessionId) -> Option<String> {
    let text = live(model, id)?.logical_text();
    last_in(&text).map(str::to_owned)
}

/// The screen, unless a log or an earlier screen is shown in its place.
fn live<'a>(model: &'a Model, id: &SessionId) -> Option<&'a Screen> {
    let log = model.pane.scroll.as_ref().filter(|scroll| !scroll.is_still);
    let is_live = log.is_none() && model.pane.rewind.is_none();
    model.shown_screen(id).filter(|_| is_live)
}

fn link(screen: &Screen, row: u16, col: u16) -> Option<String> {
    let uri = &screen.cell(row, col)?.link?.uri;
    let opens = is_web(uri) || uri.starts_with("mailto:");
    opens.then(|| uri.clone())
}

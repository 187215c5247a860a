//! `capture` and `resize`: the screen.

use super::super::connection::Client;
use super::super::hub::Hub;
use super::super::render;
use super::{Answer, answer, find};
use crate::engine::registry::Access;
use crate::protocol::params::{Capture, CaptureFormat, Resize};
use crate::protocol::record::Mode;
use crate::protocol::reply::Captured;
use crate::protocol::{Error, ErrorCode};
use crate::sys::pty;
use crate::term::screen::Screen;
use crate::term::size::Size;

/// Lines above the screen that can be asked for.
const MAX_SCROLLBACK: u64 = 10_000;

/// Rows and columns of a terminal at least and at most.
const BOUNDS: std::ops::RangeInclusive<u16> = 2..=1000;

/// The screen, with all that had been written when it was asked for.
pub(super) async fn capture(hub: &Hub, client: &Client, params: Capture) -> Answer {
    let format = params.format.unwrap_or_default();
    let scrollback = params.scrollback.unwrap_or(0);
    match format {
        CaptureFormat::Text | CaptureFormat::Ansi => {}
        CaptureFormat::Html => return Err(Error::unsupported("The format `html` of `capture`")),
        CaptureFormat::Svg => return Err(Error::unsupported("The format `svg` of `capture`")),
        CaptureFormat::Json => return Err(Error::unsupported("The format `json` of `capture`")),
    }
    if scrollback > MAX_SCROLLBACK {
        let message = format!("`scrollback` is at most {MAX_SCROLLBACK} lines, not {scrollback}");
        return Err(Error::invalid(message).hint("`log` has everything"));
    }
    if scrollback > 0 && format == CaptureFormat::Ansi {
        return Err(Error::unsupported("`scrollback` with the format `ansi`"));
    }
    let id = find(hub, client, &params.session_id, Access::Look)?;
    hub.catch_up(&id).await;
    let mut state = hub.state();
    let above = match scrollback {
        0 => Vec::new(),
        lines => {
            let size = state
                .registry
                .get(&id)
                .map(|s| s.output.size())
                .unwrap_or_default();
            let lines = usize::try_from(lines).unwrap_or_default();
            lines_above(&mut render::repaint_screen(&state, &id, size, lines), lines)
        }
    };
    let Some(session) = state.registry.get_mut(&id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let screen = session.output.screen();
    let changed = params.since != Some(screen.seq());
    let text = changed.then(|| match format {
        CaptureFormat::Ansi => screen.rows_ansi(params.trim.unwrap_or(true)).join("\n"),
        _ => {
            let mut rows = above;
            rows.extend(screen.rows_text(params.trim.unwrap_or(true)));
            rows.join("\n")
        }
    });
    answer(Captured {
        text,
        rows: screen.size().rows(),
        cols: screen.size().cols(),
        cursor: screen.cursor(),
        alt_screen: screen.alt_screen(),
        title: Some(screen.title())
            .filter(|title| !title.is_empty())
            .map(str::to_owned),
        screen_seq: screen.seq(),
        changed,
    })
}

/// The last lines that have scrolled off a screen, oldest first.
fn lines_above(screen: &mut Screen, wanted: usize) -> Vec<String> {
    let rows = usize::from(screen.size().rows());
    let there = screen.scrollback_len().min(wanted);
    let mut lines = Vec::with_capacity(there);
    let mut up = there;
    while up > 0 {
        screen.scroll_to(up);
        let page = screen.rows_text(false);
        let take = up.min(rows);
        lines.extend(
            page.into_iter()
                .take(take)
                .map(|row| row.trim_end().to_owned()),
        );
        up -= take;
    }
    lines
}

/// Gives the terminal another size.
pub(super) fn resize(hub: &Hub, client: &Client, params: Resize) -> Answer {
    let size = checked_size(Some(params.rows), Some(params.cols))?;
    let id = find(hub, client, &params.session_id, Access::Own)?;
    hub.with(|state| {
        let Some(session) = state.registry.get(&id) else {
            return Err(Error::session_not_found(id.as_str()));
        };
        if session.spec.mode == Mode::Pipe {
            let message = format!("Session {id} has pipes, not a terminal");
            return Err(Error::new(ErrorCode::NotATty, message));
        }
        if session.output.size() != size {
            render::resize(state, &id, size);
            if let Some(input) = state
                .drivers
                .get(&id)
                .and_then(|driver| driver.input.clone())
            {
                // It may have ended this very moment; the size is for the next run then.
                let _ = pty::resize(&*input, size.rows(), size.cols());
            }
            state.persist(&id);
        }
        answer(serde_json::json!({ "rows": size.rows(), "cols": size.cols() }))
    })
}

/// A size as asked for, with the usual one where nothing is.
pub(super) fn checked_size(rows: Option<u16>, cols: Option<u16>) -> Result<Size, Error> {
    let usual = Size::default();
    let (rows, cols) = (rows.unwrap_or(usual.rows()), cols.unwrap_or(usual.cols()));
    for (name, value) in [("rows", rows), ("cols", cols)] {
        if !BOUNDS.contains(&value) {
            let (least, most) = (BOUNDS.start(), BOUNDS.end());
            return Err(Error::invalid(format!(
                "`{name}` is between {least} and {most}, not {value}"
            )));
        }
    }
    Ok(Size::new(rows, cols))
}

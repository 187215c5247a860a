//! `capture` and `resize`: the screen.

use super::super::connection::Client;
use super::super::hub::Hub;
use super::super::render;
use super::{Answer, answer, find};
use crate::engine::registry::Access;
use crate::protocol::params::{Capture, CaptureFormat, Resize};
use crate::protocol::record::Mode;
use crate::protocol::reply::{Captured, InputModes, Resized};
use crate::protocol::{Error, ErrorCode};
use crate::sys::pty;
use crate::term::modes::MouseMode;
use crate::term::sanitize::clean;
use crate::term::size::Size;
use crate::term::snapshot::{MAX_BYTES, MAX_CELLS, Snapshot, TooLarge};

/// Lines above the screen that can be asked for.
const MAX_SCROLLBACK: u64 = 10_000;

/// Rows and columns of a terminal at least and at most.
const BOUNDS: std::ops::RangeInclusive<u16> = 2..=1000;

/// The screen, with all that had been written when it was asked for.
pub(super) async fn capture(hub: &Hub, client: &Client, params: Capture) -> Answer {
    let wanted = params.scrollback.unwrap_or(0);
    if wanted > MAX_SCROLLBACK {
        let message = format!("`scrollback` is at most {MAX_SCROLLBACK} lines, not {wanted}");
        return Err(Error::invalid(message).hint("`log` has everything"));
    }
    let id = find(hub, client, &params.session_id, Access::Look)?;
    hub.catch_up(&id).await;
    let mut state = hub.state();
    let Some(session) = state.registry.get_mut(&id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    // It is made now if there was no output yet.
    let (size, seq) = (session.output.size(), session.output.screen().seq());
    let changed = params.since != Some(seq);
    let lines = usize::try_from(wanted).unwrap_or_default();
    let above = (changed && lines > 0).then(|| render::repaint_screen(&state, &id, size, lines));
    let Some(session) = state.registry.get(&id) else {
        return Err(Error::session_not_found(id.as_str()));
    };
    let Some(screen) = session.output.screen_if_any() else {
        return Err(Error::internal("the screen is gone"));
    };
    let modes = screen.modes();
    let mut captured = Captured {
        text: None,
        html: None,
        svg: None,
        cells: None,
        scrollback: 0,
        rows: size.rows(),
        cols: size.cols(),
        cursor: screen.cursor(),
        alt_screen: screen.alt_screen(),
        title: Some(screen.title())
            .filter(|title| !title.is_empty())
            .map(str::to_owned),
        screen_seq: seq,
        changed,
        modes: InputModes {
            app_cursor: modes.app_cursor,
            bracketed_paste: modes.bracketed_paste,
            mouse: modes.mouse != MouseMode::None,
        },
    };
    if changed {
        let name = captured.title.as_deref().unwrap_or(&session.spec.command);
        let format = params.format.unwrap_or_default();
        let trim = params.trim.unwrap_or(true);
        let mut shot = Snapshot::new(screen, above, lines);
        captured.scrollback = shot.lines_above() as u64;
        let drawn = match format {
            CaptureFormat::Text => shot.text(trim).map(|text| captured.text = Some(text)),
            CaptureFormat::Ansi => shot.ansi(trim).map(|text| captured.text = Some(text)),
            CaptureFormat::Html => shot
                .html(&clean(name), trim)
                .map(|page| captured.html = Some(page)),
            CaptureFormat::Svg => shot.svg().map(|picture| captured.svg = Some(picture)),
            CaptureFormat::Json => shot.cells().map(|cells| captured.cells = Some(cells)),
        };
        drawn.map_err(|TooLarge| too_large(format))?;
    }
    answer(captured)
}

fn too_large(format: CaptureFormat) -> Error {
    let (limit, unit) = match format {
        CaptureFormat::Json => (MAX_CELLS, "cells"),
        _ => (MAX_BYTES, "bytes"),
    };
    let message = format!("that would be more than {limit} {unit}");
    Error::new(ErrorCode::TooLarge, message)
        .hint("ask for less `scrollback`, or use `export` with a `path`")
        .data(serde_json::json!({ "limit": limit, "unit": unit }))
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
        answer(Resized {
            rows: size.rows(),
            cols: size.cols(),
        })
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

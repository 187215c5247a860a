//! `resize`: the size of a terminal.

use super::super::connection::Client;
use super::super::hub::Hub;
use super::super::render;
use super::{Answer, answer, find};
use crate::engine::registry::Access;
use crate::protocol::params::Resize;
use crate::protocol::record::Mode;
use crate::protocol::reply::Resized;
use crate::protocol::{Error, ErrorCode};
use crate::sys::pty;
use crate::term::size::Size;

/// Rows and columns of a terminal at least and at most.
const BOUNDS: std::ops::RangeInclusive<u16> = 2..=1000;

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

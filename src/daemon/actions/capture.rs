//! `capture`: the screen as it is now, or as it was at a past moment.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use tokio::sync::Semaphore;

use crate::daemon::hub::Hub;
use crate::daemon::reading::past_screen::{self, When};
use crate::daemon::requests::checks::checked_time;
use crate::daemon::requests::client::Client;
use crate::daemon::requests::find::find;
use crate::daemon::requests::replies::answer;
use crate::daemon::state::State;
use crate::daemon::state::repaint::repaint_screen;
use crate::daemon::tasks::watch;
use crate::daemon::threads;
use crate::daemon::transport::Answer;
use crate::engine::registry::Access;
use crate::engine::session::Session;
use crate::protocol::bounds::MAX_SCROLLBACK;
use crate::protocol::params::{Capture, CaptureFormat};
use crate::protocol::reply::{Captured, InputModes, ScreenLink};
use crate::protocol::{Error, ErrorCode, SessionId};
use crate::term::modes::MouseMode;
use crate::term::sanitize::clean;
use crate::term::screen::Screen;
use crate::term::snapshot::links::links;
use crate::term::snapshot::png::{MAX_PIXELS, Undrawn, png};
use crate::term::snapshot::{MAX_BYTES, MAX_CELLS, Snapshot, TooLarge};

/// Returns the screen, with everything that was written before the request.
pub(super) async fn capture(hub: &Hub, client: &Client, params: Capture) -> Answer {
    let wanted = params.scrollback.unwrap_or(0);
    if wanted > MAX_SCROLLBACK {
        let message = format!("`scrollback` is at most {MAX_SCROLLBACK} lines, not {wanted}");
        return Err(Error::invalid(message).hint("use `log` for all lines"));
    }
    let when = moment(&params)?;
    let id = find(hub, client, &params.session_id, Access::Read)?;
    hub.catch_up(&id).await;
    if when.is_none() {
        watch::complete(hub, &id).await;
    }
    let gone = || Error::session_not_found(id.as_str());
    let captured = if let Some(when) = when {
        let past = past_screen::screen_at(hub, &id, when).await;
        let (screen, moment) = past.ok_or_else(gone)?;
        let name = hub.read().sessions.get(&id).map(name).ok_or_else(gone)?;
        let mut captured = describe(&screen);
        captured.moment = Some(moment);
        captured.links = listed_links(&screen, &params);
        draw(
            &mut captured,
            Snapshot::new(&screen, None, 0),
            &name,
            &params,
        )?;
        captured
    } else {
        hub.change(|state| present(state, &id, &params))?
    };
    answer(with_png(captured, &params).await?)
}

/// Limits how many pictures are drawn at the same time.
static DRAWINGS: Semaphore = Semaphore::const_new(2);

/// Draws the picture as PNG if that was requested. It takes some tens of milliseconds, so another thread does it.
async fn with_png(mut captured: Captured, params: &Capture) -> Result<Captured, Error> {
    if params.format != Some(CaptureFormat::Png) {
        return Ok(captured);
    }
    let Some(svg) = captured.svg.take() else {
        return Ok(captured);
    };
    // Each takes tens of megabytes.
    let turn = DRAWINGS.acquire().await;
    let draw = move || {
        // It goes on if the request is cancelled.
        let _turn = turn;
        png(&svg)
    };
    let drawn = threads::run("png", draw).await?;
    captured.png = Some(STANDARD.encode(drawn.map_err(|undrawn| match undrawn {
        Undrawn::TooLarge => too_large(CaptureFormat::Png),
        Undrawn::Invalid => Error::internal("the screen cannot be drawn"),
    })?));
    Ok(captured)
}

/// The current screen.
fn present(state: &mut State, id: &SessionId, params: &Capture) -> Result<Captured, Error> {
    let gone = || Error::session_not_found(id.as_str());
    let session = state.sessions.get_mut(id).ok_or_else(gone)?;
    // Reading the screen here also creates it if the session has no output yet.
    let (size, seq) = (session.output.size(), session.output.screen().seq());
    state.rest_later(id);
    let changed = params.since != Some(seq);
    let lines = usize::try_from(params.scrollback.unwrap_or(0)).unwrap_or_default();
    if changed && lines == 0 && params.format.unwrap_or_default() == CaptureFormat::Text {
        let session = state.sessions.get_mut(id).ok_or_else(gone)?;
        let text = session.output.text(params.trim.unwrap_or(true));
        let text = text.map_err(|TooLarge| too_large(CaptureFormat::Text))?;
        let text = Some(text.to_owned());
        let screen = session.output.screen();
        let links = listed_links(screen, params);
        return Ok(Captured {
            text,
            links,
            ..describe(screen)
        });
    }
    let above = (changed && lines > 0).then(|| repaint_screen(state, id, size, lines));
    let session = state.sessions.get(id).ok_or_else(gone)?;
    let Some(screen) = session.output.awake_screen() else {
        return Err(Error::internal("the screen is not in memory"));
    };
    let mut captured = describe(screen);
    captured.changed = changed;
    if changed {
        captured.links = listed_links(screen, params);
        let shot = Snapshot::new(screen, above, lines);
        draw(&mut captured, shot, &name(session), params)?;
    }
    Ok(captured)
}

/// The past moment that is requested, if any.
fn moment(params: &Capture) -> Result<Option<When>, Error> {
    let time = params.at_time.as_deref();
    let time = time.map(|text| checked_time("atTime", text)).transpose()?;
    let when = match (params.at_offset, time) {
        (Some(_), Some(_)) => {
            return Err(Error::invalid(
                "give either `atOffset` or `atTime`, not both",
            ));
        }
        (offset, time) => offset.map(When::Offset).or(time.map(When::Time)),
    };
    if when.is_some() && (params.since.is_some() || params.scrollback.is_some()) {
        let message = "`atOffset` and `atTime` cannot be combined with `since` or `scrollback`";
        return Err(Error::invalid(message).hint("use `log` for the lines above the screen"));
    }
    Ok(when)
}

/// The title of a picture of a session that sets no title.
fn name(session: &Session) -> String {
    session.spec.command.clone()
}

fn listed_links(screen: &Screen, params: &Capture) -> Option<Vec<ScreenLink>> {
    params.links.unwrap_or(false).then(|| links(screen))
}

/// Describes a screen without its contents.
fn describe(screen: &Screen) -> Captured {
    let modes = screen.modes();
    Captured {
        text: None,
        html: None,
        svg: None,
        png: None,
        cells: None,
        links: None,
        scrollback: 0,
        rows: screen.size().rows(),
        cols: screen.size().cols(),
        cursor: screen.cursor(),
        alt_screen: screen.alt_screen(),
        title: Some(screen.title())
            .filter(|title| !title.is_empty())
            .map(str::to_owned),
        screen_seq: screen.seq(),
        changed: true,
        modes: InputModes {
            app_cursor: modes.app_cursor,
            bracketed_paste: modes.bracketed_paste,
            mouse: modes.mouse != MouseMode::None,
        },
        moment: None,
    }
}

/// Adds the contents in the requested format.
fn draw(
    captured: &mut Captured,
    mut shot: Snapshot<'_>,
    name: &str,
    params: &Capture,
) -> Result<(), Error> {
    let format = params.format.unwrap_or_default();
    let trim = params.trim.unwrap_or(true);
    let name = captured.title.as_deref().unwrap_or(name);
    let name = clean(name);
    captured.scrollback = shot.lines_above() as u64;
    let drawn = match format {
        CaptureFormat::Text => shot.text(trim).map(|text| captured.text = Some(text)),
        CaptureFormat::Ansi => shot.ansi(trim).map(|text| captured.text = Some(text)),
        CaptureFormat::Html => shot
            .html(&name, trim)
            .map(|page| captured.html = Some(page)),
        CaptureFormat::Svg | CaptureFormat::Png => {
            shot.svg().map(|picture| captured.svg = Some(picture))
        }
        CaptureFormat::Json => shot.cells().map(|cells| captured.cells = Some(cells)),
    };
    drawn.map_err(|TooLarge| too_large(format))
}

fn too_large(format: CaptureFormat) -> Error {
    let (limit, unit) = match format {
        CaptureFormat::Json => (MAX_CELLS as u64, "cells"),
        CaptureFormat::Png => (MAX_PIXELS, "pixels"),
        _ => (MAX_BYTES as u64, "bytes"),
    };
    let message = format!("the capture is larger than {limit} {unit}");
    Error::new(ErrorCode::TooLarge, message)
        .hint("ask for less `scrollback`, or use `export` with a `path`")
        .data(serde_json::json!({ "limit": limit, "unit": unit }))
}

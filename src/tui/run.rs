//! The main loop: waits for a message, updates the model, and draws a frame if something visible has
//! changed ([`FrameTimes`] says when). There is no periodic tick: the model tells when time alone will
//! change the display.

use std::collections::VecDeque;
use std::io::{self, Write};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use jiff::tz::TimeZone;

use super::farewell::farewell;
use super::frame_times::FrameTimes;
use super::inbox::Inbox;
use super::input::Input;
use super::later::{Later, later};
use super::link::Link;
use super::message::{Cmd, Effect, Event, Exit, LinkEvent, Moment, Msg};
use super::model::answers::QUERY;
use super::model::group_key::{GroupKey, Inner};
use super::model::{Model, Origin, Selected};
use super::modes;
use super::options::Options;
use super::outside::{self, left, looked};
use super::pane::redraw::{self, Drawn};
use super::terminal::Terminal;
use super::theme::{TerminalFacts, Theme};
use super::update::{seen, update};
use super::view::view;
use crate::client::{self, AutoStart};
use crate::protocol::Error;
use crate::term::screen::CursorShape;

/// How long the view waits at the end for its last requests to be sent.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// How long to wait at the end for the last reply of the terminal.
const LAST_ANSWER: Duration = Duration::from_millis(100);
/// Interval at which the record of what was seen is saved, in case the view is killed. It is also
/// saved when the view closes.
const KEEP: Duration = Duration::from_secs(600);

/// Opens the dashboard and runs it until it is closed.
///
/// # Errors
/// If there is no terminal, the daemon is not available, or the job to open does not exist.
pub fn run(options: Options) -> Result<(), Error> {
    let greeting = options.greeting();
    // Connect before taking the window, so that an error appears on the normal screen.
    let connection = client::connect(&greeting, AutoStart::Yes)?;
    let facts = facts();
    let theme = Theme::detect(&facts, options.appearance);
    let origin = Origin {
        cwd: greeting.cwd.clone().unwrap_or_default(),
        home: std::env::var("HOME").ok().filter(|home| !home.is_empty()),
    };
    let window = Terminal::size().map_err(no_terminal)?;
    let mut model = modes::dashboard(&options, theme, origin, window);
    (model.now, model.zone) = (now(), TimeZone::system());
    looked::recall(&mut model);
    left::recall(&mut model);
    if let Some(dir) = &options.project {
        model.list.remembered = Selected::Group(GroupKey::here(Inner::Project(dir.clone())));
        model.projects.follow(dir, None, &[]);
    }

    let mut terminal = Terminal::open(options.mouse).map_err(no_terminal)?;
    let input = Input::open(terminal.loan()).map_err(no_terminal)?;
    if facts.answers() {
        model.answers.are_pending = true;
        terminal.send(QUERY).map_err(no_terminal)?;
    }
    let (later, results) = later().map_err(no_terminal)?;
    let mut inbox = Inbox::new(input, results);
    let mut link = Link::new(connection, greeting, later.clone());
    let exit = stay(&mut model, &mut inbox, &later, &mut link, &mut terminal);
    if matches!(exit, Ok(Exit::Closed | Exit::Failed(_))) {
        hear_out(&mut model, &mut inbox, &mut link);
    }
    // Threads that have a result now learn that nobody waits for it.
    drop(inbox);
    drop(terminal);
    seen::close(&mut model);
    looked::keep(&model);
    left::keep(&model);
    link.finish(LAST_WORDS);
    match exit.map_err(no_terminal)? {
        Exit::Silent => Ok(()),
        Exit::Failed(error) => Err(error),
        Exit::Closed => {
            if let Some(text) = farewell(&model) {
                // A closed output is not an error.
                let _ = writeln!(io::stdout(), "{text}");
            }
            Ok(())
        }
    }
}

/// Runs the loop.
fn stay(
    model: &mut Model,
    inbox: &mut Inbox,
    later: &Later,
    link: &mut Link,
    terminal: &mut Terminal,
) -> io::Result<Exit> {
    let mut frames = FrameTimes::default();
    let mut drawn: Option<Drawn> = None;
    let mut kept_at = Instant::now();
    loop {
        let wait = due(model, &frames);
        let silence = link.silence_due();
        inbox.wait(link, silence.map_or(wait, |due| due.min(wait)));
        if silence.is_some() && link.silence_due() == Some(Duration::ZERO) {
            link.investigate();
        }
        // All that has happened, before the next frame.
        let mut next = inbox.take().or_else(|| tick(model));
        while let Some(event) = next {
            if let Some(exit) = handle(model, event, later, link, terminal, &mut frames)? {
                return Ok(exit);
            }
            next = inbox.take();
        }
        if kept_at.elapsed() >= KEEP {
            kept_at = Instant::now();
            looked::keep(model);
            left::keep(model);
        }
        frames.changed(model.needs_frame());
        if model.needs_frame() && frames.wait(model.awaits_screen()).is_zero() {
            frames.drew();
            terminal.set_abilities(model.answers.can);
            let (before, touched) = (drawn.take(), model.touched.take());
            drawn = Drawn::now(model);
            let partly = before.zip(drawn.as_ref()).filter(|_| !model.dirty);
            let part = partly.zip(touched);
            let part = part.and_then(|((before, now), rows)| before.part_to_redraw(now, rows));
            let is_drawn = match part {
                Some(part) => terminal.redraw(part, |canvas| {
                    redraw::redraw(model, part, canvas);
                })?,
                None => false,
            };
            if !is_drawn {
                terminal.draw(model.window, |canvas| view(model, canvas))?;
            }
            model.dirty = false;
            terminal.cursor_shape(cursor_shape(model))?;
            terminal.keys(modes::insert::keys(model))?;
        }
    }
}

/// Handles one message and performs the requested effects.
fn handle(
    model: &mut Model,
    event: Event,
    later: &Later,
    link: &mut Link,
    terminal: &mut Terminal,
    frames: &mut FrameTimes,
) -> io::Result<Option<Exit>> {
    let mut pending = VecDeque::from([event]);
    while let Some(event) = pending.pop_front() {
        // Read again, because a traveller takes the dashboard along. The library checks only every
        // few minutes.
        model.zone = TimeZone::system();
        for cmd in update(model, Msg { now: now(), event }) {
            let dropped = match cmd {
                Cmd::Request(tag, action) => link.request(tag, action).err(),
                Cmd::Cancel(tag) => {
                    link.cancel(&tag);
                    None
                }
                Cmd::Type(id, bytes) => {
                    frames.typed();
                    link.type_into(id, &bytes).err()
                }
                Cmd::Effect(effect) => {
                    let lends = matches!(
                        effect,
                        Effect::Pager(_) | Effect::Exec(..) | Effect::Login(_)
                    );
                    pending.extend(outside::run(effect, terminal, later)?.map(Event::Done));
                    if lends {
                        // The window may have changed its size meanwhile.
                        pending.extend(Terminal::size().map(|(w, h)| Event::Window(w, h)));
                    }
                    None
                }
                Cmd::Redraw => {
                    terminal.clear();
                    model.dirty = true;
                    None
                }
                Cmd::Suspend => {
                    suspend(model, terminal)?;
                    None
                }
                Cmd::Quit(exit) => return Ok(Some(exit)),
            };
            pending.extend(dropped.map(|tag| Event::Link(LinkEvent::Dropped(tag))));
        }
    }
    Ok(None)
}

/// Waits briefly for pending replies of the terminal. After the view they would appear as typed
/// text at the shell.
fn hear_out(model: &mut Model, inbox: &mut Inbox, link: &mut Link) {
    let until = Instant::now() + LAST_ANSWER;
    while model.answers.are_pending {
        let left = until.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        inbox.wait(link, left);
        while let Some(event) = inbox.take() {
            if let Event::Input(_) = event {
                drop(update(model, Msg { now: now(), event }));
            }
        }
    }
}

/// The event that a deadline has passed, if one has.
fn tick(model: &Model) -> Option<Event> {
    let due = model.next_due()?;
    (due <= now().ms).then_some(Event::Tick)
}

/// Time until the next frame or the next change by time alone.
fn due(model: &Model, frames: &FrameTimes) -> Duration {
    if model.needs_frame() {
        return frames.wait(model.awaits_screen());
    }
    let Some(at) = model.next_due() else {
        // No deadline: wait for an hour, which is as good as no tick.
        return Duration::from_secs(3600);
    };
    let ms = at.saturating_sub(now().ms).clamp(0, 3_600_000);
    Duration::from_millis(u64::try_from(ms).unwrap_or(0))
}

/// Stops the process group until the shell continues it. Refused if the view is a session leader,
/// because then there is no shell that would continue it.
fn suspend(model: &mut Model, terminal: &mut Terminal) -> io::Result<()> {
    let leader = rustix::process::getsid(None).is_ok_and(|sid| sid == rustix::process::getpgrp());
    if leader {
        model.note("There is no shell behind this view to suspend it to.");
        return Ok(());
    }
    terminal.lend(|| {
        // SIGSTOP and not SIGTSTP, because this is the response to SIGTSTP.
        let _ = rustix::process::kill_current_process_group(rustix::process::Signal::STOP);
    })?;
    if let Ok((width, height)) = Terminal::size() {
        model.window = (width, height);
    }
    model.dirty = true;
    Ok(())
}

/// The job's cursor shape while typing into it, otherwise the usual one.
fn cursor_shape(model: &Model) -> CursorShape {
    let screen = model.current_id().and_then(|id| model.screen(id));
    match screen {
        Some(screen) if model.mode().types() => screen.cursor().shape,
        _ => CursorShape::Block,
    }
}

fn facts() -> TerminalFacts {
    let var = |name: &str| std::env::var(name).unwrap_or_default();
    let locale = ["LC_ALL", "LC_CTYPE", "LANG"]
        .into_iter()
        .map(var)
        .find(|value| !value.is_empty());
    TerminalFacts {
        locale: locale.unwrap_or_default(),
        term: var("TERM"),
        colorterm: var("COLORTERM"),
        no_color: var("NO_COLOR"),
        colorfgbg: var("COLORFGBG"),
    }
}

fn now() -> Moment {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    let ms = since.map_or(0, |d| i64::try_from(d.as_millis()).unwrap_or(i64::MAX));
    Moment { ms }
}

fn no_terminal(error: io::Error) -> Error {
    Error::internal(format!("the dashboard cannot use this terminal: {error}"))
        .hint("`bgproc ls` and `bgproc logs` need none")
}

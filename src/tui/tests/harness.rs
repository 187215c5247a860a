//! A view without a terminal and a daemon: keys go in as bytes, replies as JSON; the screen comes
//! out as text.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use expect_test::expect_file;
use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use serde_json::{Value, json};

use super::contrast;
use super::jobs::{HOME, NOW, id};
use crate::protocol::{self, EventKind, Record};
use crate::term::keyparse::KeyReader;
use crate::tui::message::{Cmd, Effect, Event, LinkEvent, Moment, Msg, RequestKind};
use crate::tui::model::{Model, Origin};
use crate::tui::modes::dashboard;
use crate::tui::options::Options;
use crate::tui::scrollback::Part;
use crate::tui::theme::{Depth, Theme};
use crate::tui::update::update;
use crate::tui::view::view;
use crate::tui::window::Canvas;

/// A view under test.
pub(in crate::tui) struct Dash {
    pub(in crate::tui) model: Model,
    /// Effects requested since the last call of a method that returns them.
    pub(in crate::tui) cmds: Vec<Cmd>,
    /// Whether a program takes its time to notice a new size, so that typed bytes wait for it.
    pub(in crate::tui) settles_late: bool,
    now: i64,
}

/// The theme of the snapshots.
pub(in crate::tui) fn theme(depth: Depth, ascii: bool) -> Theme {
    Theme::new(depth, ascii, false)
}

impl Dash {
    /// A view of these jobs in a window of `width` by `height`.
    pub(in crate::tui) fn new(width: u16, height: u16, records: Vec<Record>) -> Self {
        Self::with(Options::default(), width, height, records)
    }

    /// A view opened with options.
    pub(in crate::tui) fn with(
        options: Options,
        width: u16,
        height: u16,
        records: Vec<Record>,
    ) -> Self {
        let origin = Origin {
            cwd: format!("{HOME}/shop"),
            home: Some(HOME.to_owned()),
        };
        let theme = theme(Depth::True, options.appearance.ascii);
        let model = dashboard(&options, theme, origin, (width, height));
        let mut dash = Self {
            model,
            cmds: Vec::new(),
            settles_late: false,
            now: NOW,
        };
        dash.link(LinkEvent::Up);
        dash.list(records);
        dash
    }

    /// Sends a message to the view.
    pub(in crate::tui) fn happen(&mut self, event: Event) -> &mut Self {
        let now = Moment { ms: self.now };
        if !self.settles_late {
            self.model.settling.end();
        }
        let cmds = update(&mut self.model, Msg { now, event });
        self.cmds.extend(cmds);
        if !self.settles_late && self.model.settling.next_due().is_some() {
            return self.happen(Event::Tick);
        }
        self
    }

    /// Presses keys, given as the bytes that a terminal sends: commands one by one, as a person does
    /// who looks at each, and text at once.
    pub(in crate::tui) fn press(&mut self, bytes: &str) -> &mut Self {
        let mut rest = bytes.as_bytes();
        let keys = if self.model.keys.is_pending() {
            Vec::new()
        } else {
            KeyReader::new().feed(rest)
        };
        for key in keys {
            let mode = self.model.mode();
            if mode.declines().is_none() && mode.reads(&self.model).is_none() {
                break;
            }
            self.model.typing.clear();
            self.happen(Event::Input(key.raw.clone()));
            rest = &rest[key.raw.len()..];
        }
        self.read(rest).later(50)
    }

    /// Bytes that arrive at once.
    pub(in crate::tui) fn read(&mut self, bytes: &[u8]) -> &mut Self {
        self.happen(Event::Input(bytes.to_vec()))
    }

    /// Presses the keys of a text, each `gap` milliseconds after the one before.
    pub(in crate::tui) fn types(&mut self, gap: i64, text: &str) -> &mut Self {
        for c in text.chars() {
            self.later(gap).read(c.encode_utf8(&mut [0; 4]).as_bytes());
        }
        self
    }

    /// Advances the time.
    pub(in crate::tui) fn later(&mut self, ms: i64) -> &mut Self {
        self.now += ms;
        self.happen(Event::Tick)
    }

    /// Sends a message of the connection to the daemon.
    pub(in crate::tui) fn link(&mut self, event: LinkEvent) -> &mut Self {
        self.happen(Event::Link(event))
    }

    /// Replies to the request for the list.
    pub(in crate::tui) fn list(&mut self, records: Vec<Record>) -> &mut Self {
        let listed = json!({ "sessions": records, "counts": {} });
        self.link(LinkEvent::Reply(RequestKind::List, Ok(listed)))
    }

    /// Sends a new record.
    pub(in crate::tui) fn record(&mut self, record: &Record) -> &mut Self {
        let tag = RequestKind::Record(record.summary.session_id.clone());
        self.link(LinkEvent::Reply(tag, Ok(json!(record))))
    }

    /// Sends an event.
    pub(in crate::tui) fn event(&mut self, event: EventKind, name: &str, data: Value) -> &mut Self {
        self.link(LinkEvent::Event(protocol::Event {
            session_id: Some(id(name)),
            data,
            ..protocol::Event::of(event)
        }))
    }

    /// Draws on the screen of a job.
    pub(in crate::tui) fn screen(
        &mut self,
        name: &str,
        rows: u16,
        cols: u16,
        bytes: &str,
    ) -> &mut Self {
        let data = json!({
            "bytes": STANDARD.encode(bytes), "rows": rows, "cols": cols, "screenSeq": 1, "full": true,
        });
        self.event(EventKind::Screen, name, data)
    }

    /// Replies to the request for a part of a log. The part starts at `offset` and ends the log.
    pub(in crate::tui) fn log(
        &mut self,
        name: &str,
        part: Part,
        bytes: &[u8],
        offset: u64,
    ) -> &mut Self {
        let end = offset + bytes.len() as u64;
        let data = json!({
            "output": STANDARD.encode(bytes), "offset": offset, "nextOffset": end,
            "firstOffset": 0, "totalBytes": end, "eof": false,
        });
        self.link(LinkEvent::Reply(RequestKind::Log(id(name), part), Ok(data)))
    }

    /// Effects since the last call, without usage requests, which depend on the clock, and without those
    /// for the lines of a group.
    pub(in crate::tui) fn asked(&mut self) -> Vec<Cmd> {
        let mut cmds = std::mem::take(&mut self.cmds);
        let is_other = |cmd: &Cmd| {
            matches!(
                cmd,
                Cmd::Request(RequestKind::Usage | RequestKind::Merged(_), _)
            )
        };
        cmds.retain(|cmd| !is_other(cmd));
        cmds
    }

    /// The text copied since the last call, with its description.
    pub(in crate::tui) fn copied(&mut self) -> Option<(String, String)> {
        self.asked().into_iter().find_map(|cmd| match cmd {
            Cmd::Effect(Effect::Copy(text, what)) => Some((text, what)),
            _ => None,
        })
    }

    /// Number of usage requests since the last call.
    pub(in crate::tui) fn usage_asked(&mut self) -> usize {
        let is_it = |cmd: &Cmd| matches!(cmd, Cmd::Request(RequestKind::Usage, _));
        let asked = self.cmds.iter().filter(|cmd| is_it(cmd)).count();
        self.cmds.retain(|cmd| !is_it(cmd));
        asked
    }

    /// Replies to a usage request.
    pub(in crate::tui) fn usage(&mut self, records: Vec<Record>) -> &mut Self {
        let listed = json!({ "sessions": records, "counts": {} });
        self.link(LinkEvent::Reply(RequestKind::Usage, Ok(listed)))
    }

    /// The bytes typed into a job since the last call.
    pub(in crate::tui) fn typed(&mut self, name: &str) -> String {
        let cmds = self.asked();
        let typed = cmds.into_iter().filter_map(|cmd| match cmd {
            Cmd::Type(to, bytes) if to == id(name) => Some(bytes),
            _ => None,
        });
        String::from_utf8(typed.flatten().collect()).unwrap()
    }

    /// Names of the requested actions since the last call.
    pub(in crate::tui) fn actions(&mut self) -> Vec<&'static str> {
        let cmds = self.asked();
        cmds.iter()
            .filter_map(|cmd| match cmd {
                Cmd::Request(_, action) => Some(action.name()),
                _ => None,
            })
            .collect()
    }

    /// The contents of the window, and the position of the terminal's cursor.
    pub(in crate::tui) fn paint(&self) -> (Buffer, Option<Position>) {
        let (width, height) = self.model.window;
        let mut canvas = Canvas::new(Rect::new(0, 0, width, height));
        view(&self.model, &mut canvas);
        (canvas.buffer().clone(), canvas.cursor())
    }

    /// The contents of the window as text, one line per row, without trailing blanks.
    pub(in crate::tui) fn text(&self) -> String {
        let (buffer, _) = self.paint();
        let mut text = String::new();
        for y in 0..buffer.area.height {
            let mut row = String::new();
            let mut skip = 0;
            for x in 0..buffer.area.width {
                let symbol = buffer.cell((x, y)).unwrap().symbol();
                if skip > 0 {
                    skip -= 1;
                    continue;
                }
                row.push_str(symbol);
                skip = crate::tui::text::width(symbol).saturating_sub(1);
            }
            text.push_str(row.trim_end());
            text.push('\n');
        }
        text
    }

    /// The status line.
    pub(in crate::tui) fn status(&self) -> String {
        let y = self.model.layout().status.unwrap().y;
        self.text().lines().nth(usize::from(y)).unwrap().to_owned()
    }

    /// Compares the contents of the window with the snapshot of this name, and checks that it can be read in each
    /// theme.
    pub(in crate::tui) fn snapshot(&mut self, name: &str) -> &mut Self {
        compare(name, &self.text());
        contrast::check(name, &mut self.model);
        self
    }
}

/// Compares `text` with the file of this name under `tests/snapshots/tui`. With `UPDATE_EXPECT=1`
/// the file is written instead, to be reviewed and committed.
pub(in crate::tui) fn compare(name: &str, text: &str) {
    let dir = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/snapshots/tui");
    expect_file![format!("{dir}/{name}.txt")].assert_eq(text);
}

//! A person at a terminal: the real binary in a real PTY, with our own screen in front.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use bgproc::term::screen::{Color, Screen};
use bgproc::term::size::Size;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rustix::process::Signal;

use super::process::Held;
use super::{DEADLINE, Home};

/// A running `bgproc` on a terminal.
pub(crate) struct Terminal {
    child: Box<dyn Child + Send + Sync>,
    held: Held,
    /// The master's side, with what writes to it; closing both hangs up the terminal.
    master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: Screen,
    /// What the program has written, as long as it answers nothing.
    raw: Option<Vec<u8>>,
    /// Bytes that the program has written so far.
    pub(crate) written: usize,
    /// The settings of the terminal line before the program began.
    pub(crate) settings_before: String,
}

impl Terminal {
    /// Runs `bgproc ARGS` on a terminal of `cols` by `rows`.
    pub(crate) fn new(home: &Home, args: &[&str], size: (u16, u16)) -> Self {
        Self::with_env(home, args, size, &[])
    }

    /// A dashboard that shows `row`, in NORMAL.
    #[track_caller]
    pub(crate) fn dashboard(home: &Home, size: (u16, u16), row: &str) -> Self {
        let mut view = Self::new(home, &[], size);
        view.wait_for_text(row);
        view.wait_mode("NORMAL");
        view
    }

    /// Runs it with further variables.
    pub(crate) fn with_env(
        home: &Home,
        args: &[&str],
        size: (u16, u16),
        vars: &[(&str, &str)],
    ) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_bgproc"));
        command.args(args);
        Self::run(home, command, size, vars)
    }

    /// Runs it in a directory.
    pub(crate) fn in_dir(home: &Home, dir: &Path, args: &[&str], size: (u16, u16)) -> Self {
        let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_bgproc"));
        command.args(args);
        command.cwd(dir);
        Self::run(home, command, size, &[])
    }

    /// Runs a shell that a person types to.
    pub(crate) fn shell(home: &Home, size: (u16, u16)) -> Self {
        let mut command = CommandBuilder::new("bash");
        command.args(["--norc", "--noprofile", "-i"]);
        Self::run(home, command, size, &[("PS1", "$ "), ("HISTFILE", "")])
    }

    /// A zsh without its configuration, with this PATH.
    pub(crate) fn zsh(home: &Home, size: (u16, u16), path: &str) -> Self {
        let mut command = CommandBuilder::new("zsh");
        command.args(["-f", "-i"]);
        Self::run(home, command, size, &[("PS1", "> "), ("PATH", path)])
    }

    fn run(
        home: &Home,
        mut command: CommandBuilder,
        (cols, rows): (u16, u16),
        vars: &[(&str, &str)],
    ) -> Self {
        let (set, stray) = home.environment();
        for name in stray {
            command.env_remove(name);
        }
        for (name, value) in set {
            command.env(name, value);
        }
        for (name, value) in vars {
            command.env(name, value);
        }
        if command.get_cwd().is_none() {
            command.cwd(home.path());
        }
        let pair = native_pty_system().openpty(pty_size(cols, rows)).unwrap();
        let settings_before = format!("{:?}", pair.master.get_termios());
        let child = pair.slave.spawn_command(command).unwrap();
        let held = Held::new(child.process_id().unwrap()).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            // Ends with EIO once nobody has the terminal open any more.
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                if sender.send(buffer[..count].to_vec()).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            held,
            master: pair.master,
            writer,
            output,
            screen: Screen::new(Size::new(rows, cols)),
            raw: None,
            written: 0,
            settings_before,
        }
    }

    /// Types bytes.
    pub(crate) fn send(&mut self, bytes: impl AsRef<[u8]>) {
        self.writer.write_all(bytes.as_ref()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Presses a key as a person does who has looked at the dashboard before: keys that follow each
    /// other faster are text to it.
    pub(crate) fn press(&mut self, key: &str) {
        self.watch(Duration::from_millis(420));
        self.send(key);
    }

    /// Makes the window larger or smaller; the program hears of it.
    pub(crate) fn resize(&mut self, cols: u16, rows: u16) {
        self.screen.resize(Size::new(rows, cols));
        self.master.resize(pty_size(cols, rows)).unwrap();
    }

    /// Sends the program a signal.
    pub(crate) fn signal(&self, signal: Signal) {
        self.held.signal(signal);
    }

    /// What the window shows.
    pub(crate) fn screen(&self) -> &Screen {
        &self.screen
    }

    /// The settings of the terminal line now.
    pub(crate) fn settings(&self) -> String {
        format!("{:?}", self.master.get_termios())
    }

    /// The screen as text.
    pub(crate) fn text(&self) -> String {
        self.screen.text(true)
    }

    /// Whether the first cell of `text` has a colour of its own.
    #[track_caller]
    pub(crate) fn is_coloured(&self, text: &str) -> bool {
        let rows = self.screen.rows_text(true);
        let found = rows.iter().enumerate().find_map(|(row, line)| {
            let column = line.find(text)?;
            Some((row, line[..column].chars().count()))
        });
        let (row, column) = found.unwrap_or_else(|| panic!("no `{text}`:\n{}", self.text()));
        let (row, column) = (u16::try_from(row).unwrap(), u16::try_from(column).unwrap());
        self.screen.cell(row, column).unwrap().fg != Color::Default
    }

    /// Waits until the screen fits.
    #[track_caller]
    pub(crate) fn wait_for(&mut self, what: &str, fits: impl Fn(&Screen) -> bool) {
        let deadline = Instant::now() + DEADLINE;
        while !fits(&self.screen) {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.show(&bytes),
                Err(RecvTimeoutError::Timeout) => panic!("no {what}:\n{}", self.text()),
                Err(RecvTimeoutError::Disconnected) => {
                    panic!("no {what}, and it has ended:\n{}", self.text())
                }
            }
        }
    }

    /// Waits until the screen shows `text`.
    #[track_caller]
    pub(crate) fn wait_for_text(&mut self, text: &str) {
        self.wait_for(&format!("`{text}`"), |screen| {
            screen.text(true).contains(text)
        });
    }

    /// Waits until the screen no longer shows `text`.
    #[track_caller]
    pub(crate) fn wait_gone(&mut self, text: &str) {
        self.wait_for(&format!("end of `{text}`"), |screen| {
            !screen.text(true).contains(text)
        });
    }

    /// Waits until the mode at the bottom left of a dashboard is `mode`.
    #[track_caller]
    pub(crate) fn wait_mode(&mut self, mode: &str) {
        let start = format!(" {mode} ");
        self.wait_for(&format!("mode {mode}"), |screen| {
            screen
                .rows_text(false)
                .iter()
                .any(|row| row.starts_with(&start))
        });
    }

    /// Waits for its end; returns its exit code.
    #[track_caller]
    pub(crate) fn exit_code(&mut self) -> u32 {
        self.ended().exit_code()
    }

    /// Waits for its end, by the signal of this name.
    #[track_caller]
    pub(crate) fn expect_signal(&mut self, name: &str) {
        let ended = self.ended();
        assert_eq!(ended.signal(), Some(name), "{ended:?}: {}", self.text());
    }

    #[track_caller]
    fn ended(&mut self) -> portable_pty::ExitStatus {
        let deadline = Instant::now() + DEADLINE;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.show(&bytes),
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => panic!("it goes on:\n{}", self.text()),
            }
        }
        assert!(self.held.ended(DEADLINE), "it goes on:\n{}", self.text());
        self.child.wait().unwrap()
    }

    /// Takes in what the program writes for as long as `length`; returns how often it has written something.
    #[track_caller]
    pub(crate) fn watch(&mut self, length: Duration) -> usize {
        let (until, mut count) = (Instant::now() + length, 0);
        loop {
            let left = until.saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok(bytes) => self.show(&bytes),
                Err(RecvTimeoutError::Timeout) => return count,
                Err(RecvTimeoutError::Disconnected) => panic!("it has ended:\n{}", self.text()),
            }
            count += 1;
        }
    }

    /// From now on the terminal answers nothing of itself; to be called before anything is waited for.
    pub(crate) fn mute(&mut self) {
        self.raw = Some(Vec::new());
    }

    /// Whether the program has asked its mute terminal this.
    pub(crate) fn asked(&self, query: &str) -> bool {
        let raw = self.raw.as_deref().expect("a mute terminal");
        let query = query.as_bytes();
        raw.windows(query.len()).any(|part| part == query)
    }

    /// Its process.
    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    fn show(&mut self, bytes: &[u8]) {
        self.written += bytes.len();
        if let Some(raw) = &mut self.raw {
            raw.extend_from_slice(bytes);
            self.screen.feed(bytes);
            self.screen.take_replies();
            return;
        }
        self.screen.feed(bytes);
        // What the program asks its terminal is answered as a terminal would.
        let replies = self.screen.take_replies();
        if !replies.is_empty() {
            // It may have ended without waiting for the answer.
            let _ = self.writer.write_all(&replies);
            let _ = self.writer.flush();
        }
    }
}

impl Drop for Terminal {
    fn drop(&mut self) {
        self.held.signal(Signal::KILL);
        let _ = self.child.wait();
    }
}

fn pty_size(cols: u16, rows: u16) -> PtySize {
    PtySize {
        rows,
        cols,
        pixel_width: 0,
        pixel_height: 0,
    }
}

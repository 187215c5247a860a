//! A view on a terminal, with somebody who looks at it.

use std::io::{Read, Write};
use std::path::Path;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use bgproc::term::screen::Screen;
use bgproc::term::size::Size;
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// How long anything may take.
const DEADLINE: Duration = Duration::from_secs(60);

/// `bgproc ARGS` in a home.
pub(crate) fn bgproc(home: &Path, args: &[&str]) -> CommandBuilder {
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_bgproc"));
    command.args(args);
    command.env("BGPROC_HOME", home);
    command.cwd(home);
    command
}

/// A command on a terminal of 80 columns and 24 rows. It ends when this is dropped.
pub(crate) struct View {
    child: Box<dyn Child + Send + Sync>,
    // Its end hangs up the terminal.
    _master: Box<dyn MasterPty + Send>,
    writer: Box<dyn Write + Send>,
    /// What it has written, and when that arrived.
    output: Receiver<(Instant, Vec<u8>)>,
    screen: Screen,
}

impl View {
    pub(crate) fn open(mut command: CommandBuilder) -> Self {
        let (rows, cols) = (24, 80);
        let size = PtySize {
            rows,
            cols,
            pixel_width: 0,
            pixel_height: 0,
        };
        let pair = native_pty_system().openpty(size).unwrap();
        command.env("TERM", "xterm-256color");
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let writer = pair.master.take_writer().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut buffer = vec![0; 64 * 1024];
            while let Ok(count @ 1..) = reader.read(&mut buffer) {
                let arrived = (Instant::now(), buffer[..count].to_vec());
                if sender.send(arrived).is_err() {
                    return;
                }
            }
        });
        Self {
            child,
            _master: pair.master,
            writer,
            output,
            screen: Screen::new(Size::new(rows, cols)),
        }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.process_id().unwrap()
    }

    pub(crate) fn send(&mut self, text: &str) {
        self.writer.write_all(text.as_bytes()).unwrap();
        self.writer.flush().unwrap();
    }

    /// Waits until it shows a text.
    pub(crate) fn wait_for_text(&mut self, text: &str) {
        self.wait_for(|screen| screen.text(true).contains(text));
    }

    /// Waits until what it shows fits; when that arrived.
    pub(crate) fn wait_for(&mut self, fits: impl Fn(&Screen) -> bool) -> Instant {
        let begin = Instant::now();
        let mut last = begin;
        while !fits(&self.screen) {
            let left = (begin + DEADLINE).saturating_duration_since(Instant::now());
            match self.output.recv_timeout(left) {
                Ok((at, bytes)) => {
                    last = at;
                    self.show(&bytes);
                }
                Err(error) => panic!("{error}:\n{}", self.screen.text(true)),
            }
        }
        last
    }

    /// Takes in what it writes for so long.
    pub(crate) fn watch(&mut self, length: Duration) {
        let until = Instant::now() + length;
        while let Ok((_, bytes)) = self
            .output
            .recv_timeout(until.saturating_duration_since(Instant::now()))
        {
            self.show(&bytes);
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        self.screen.feed(bytes);
        // What it asks its terminal is answered as a terminal would.
        let replies = self.screen.take_replies();
        let _ = self.writer.write_all(&replies);
        let _ = self.writer.flush();
    }
}

impl Drop for View {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
